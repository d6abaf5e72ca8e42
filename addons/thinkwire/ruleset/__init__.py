"""The rule file: models, loading with file:line:col problems, choosing. Knows no mitmproxy."""
