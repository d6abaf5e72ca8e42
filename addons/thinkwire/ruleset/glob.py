"""Globs: `*` is any text, also across `/`; `?` is one character; everything else is itself.

Knows no rule. A glob must match the whole value.
"""

import re
from collections.abc import Callable


def compile_glob(glob: str, *, ignore_case: bool = False) -> Callable[[str], bool]:
    """A test for values. Its time is bounded by glob x value, however many stars there are."""
    if not ignore_case and "*" not in glob and "?" not in glob:
        return glob.__eq__
    pattern = re.compile(_translate(glob), re.DOTALL | (re.IGNORECASE if ignore_case else re.NOFLAG))
    return lambda value: pattern.fullmatch(value) is not None


def _translate(glob: str) -> str:
    first, *rest = ("".join("." if char == "?" else re.escape(char) for char in part) for part in glob.split("*"))
    if not rest:
        return first
    *middle, last = rest
    # Atomic groups: the leftmost place for a middle part is as good as any, and trying others would take time
    # exponential in the number of stars.
    return first + "".join(f"(?>.*?{part})" for part in middle if part) + f".*{last}"
