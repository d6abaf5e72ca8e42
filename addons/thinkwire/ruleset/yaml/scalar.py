"""What a plain YAML scalar means: the core schema of YAML 1.2.

`on`, `yes`, `1:30` and `2001-01-01` are text here, whatever a `%YAML` line says. Does not read quoted scalars: those
are always text.
"""

import re

type Scalar = str | int | float | bool | None

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
INTEGER = re.compile(r"[-+]?[0-9]+")
BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

LONGEST_NUMBER = 300
"""Characters. Longer integers do not fit a float, and far longer ones Python itself refuses to print."""


def read_plain(text: str) -> Scalar:
    """The value of an unquoted scalar; ValueError for a number that JSON or a float cannot hold."""
    if text in NULLS:
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    if NOT_FINITE.fullmatch(text):
        raise ValueError(text)
    if INTEGER.fullmatch(text) or BASED.fullmatch(text) or DECIMAL.fullmatch(text):
        return _read_number(text)
    return text


def _read_number(text: str) -> int | float:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(text)
    if INTEGER.fullmatch(text):
        return int(text)
    if BASED.fullmatch(text):
        return int(text[2:], 8 if text[1] == "o" else 16)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(text)
    return value
