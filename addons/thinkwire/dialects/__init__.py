"""Where each API keeps its parts: one file per API, mostly tables. Knows no rule."""
