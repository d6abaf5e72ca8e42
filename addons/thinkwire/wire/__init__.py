"""Bytes <-> documents: event streams, content codings, JSON spans. Knows no API."""
