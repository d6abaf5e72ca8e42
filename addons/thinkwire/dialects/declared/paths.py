"""Paths to the members of a document, as users write them.

    choices[*].delta.thoughts        names, and `[*]` for each element of a list
    content[type=thinking]           objects whose `type` is `thinking`: elements of a list, or the value itself
    [type=thought.delta].text        the same at the root, where each document is an event with a type
    "odd.name"['other[name]'=x]      quotes around anything with dots, brackets, blanks or the like

It reads paths, not documents (`documents.py` does).
"""

import re
from dataclasses import dataclass
from typing import Final


class PathError(ValueError):
    """The text is not a path; the message tells the user what to do."""


@dataclass(frozen=True, slots=True)
class Name:
    """A member of an object."""

    text: str


@dataclass(frozen=True, slots=True)
class EachElement:
    """Each element of a list."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Only if a member has this value: the object itself, or the elements of a list that are such objects."""

    member: str
    value: str


type PathStep = Name | EachElement | Chosen
type Path = tuple[PathStep, ...]

MAX_STEPS: Final = 32
"""Steps. No API comes near it; functions that follow paths may be recursive."""
MAX_CHOICES: Final = 4
"""Each of them doubles the ways to follow a path."""

_WORD: Final = r'(?:[^.\[\]"\'=\s*]+|"[^"]+"|\'[^\']+\')'
_VALUE: Final = r'(?:[^\[\]"\'=\s*]+|"[^"]*"|\'[^\']*\')'
_STEP: Final = re.compile(
    rf"(?P<dot>\.)?(?P<name>{_WORD})|(?P<elements>\[\*\])|\[(?P<member>{_WORD})=(?P<value>{_VALUE})\]"
)
_FROM_JSONPATH: Final = re.compile(r"\$(?:[.\[]|\Z)")
_HINTS: Final = (
    # what is at the position where reading stopped, and what to do about it
    (re.compile(r"\[\d*\]|\.\*|\*"), "write `[*]` for the elements of a list, as in `choices[*].delta`"),
    (re.compile(r"\[[^\]]*\s*=="), "write one `=`, as in `content[type=thinking]`"),
    (re.compile(r"\["), "write `[*]` for all elements, or `[type=thinking]` for some of them"),
    (re.compile(r"\.\.|\.\Z|\A\."), "write one dot between two names, and none at the ends"),
    (re.compile(r".*['\" =\t]"), 'put a name or value with such characters in quotes, as in `"odd name".text`'),
)
_OTHERWISE: Final = "write names joined by dots, as in `choices[*].delta.thoughts`"


def parse_path(text: str) -> Path:
    """The steps of a path. Raises PathError."""
    if _FROM_JSONPATH.match(text):
        raise PathError("begin with the first member, without `$`")
    steps: list[PathStep] = []
    at = 0
    while at < len(text) or not steps:
        match = _STEP.match(text, at)
        if match is None or (match["name"] and bool(match["dot"]) is (at == 0)):
            raise PathError(_hint(text, at))
        step = _step(match)
        if isinstance(step, Chosen) and steps and isinstance(steps[-1], Chosen):
            raise PathError("choose by one member: one `[member=value]` is enough in one place")
        if isinstance(step, EachElement) and steps and isinstance(steps[-1], Chosen):
            raise PathError("write `[*]` before `[member=value]`: what has a member is not a list")
        steps.append(step)
        at = match.end()
    if len(steps) > MAX_STEPS or sum(isinstance(step, Chosen) for step in steps) > MAX_CHOICES:
        raise PathError(f"a path has at most {MAX_STEPS} steps, {MAX_CHOICES} of them `[member=value]`")
    return tuple(steps)


def _step(match: re.Match[str]) -> PathStep:
    if match["name"]:
        return Name(_bare(match["name"]))
    if match["elements"]:
        return EachElement()
    return Chosen(_bare(match["member"]), _bare(match["value"]))


def _bare(word: str) -> str:
    return word[1:-1] if word[0] in "\"'" else word


def _hint(text: str, at: int) -> str:
    return next((hint for pattern, hint in _HINTS if pattern.match(text, at)), _OTHERWISE)


def in_document(name: str) -> str:
    """A name as document text: Latin-1 of its UTF-8 bytes."""
    return name.encode("utf-8", "surrogateescape").decode("latin-1")
