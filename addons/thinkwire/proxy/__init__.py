"""The mitmproxy shell: hooks, options, reloading, recording. The only place that imports mitmproxy."""
