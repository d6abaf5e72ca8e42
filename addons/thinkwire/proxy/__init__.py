"""The mitmproxy shell: hooks, options, reloading. The only place that imports mitmproxy."""
