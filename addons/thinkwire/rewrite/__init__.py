"""Decides what happens to each part and edits the document. Knows no API, no mitmproxy, no YAML."""
