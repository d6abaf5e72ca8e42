"""What a test changes in the recorded requests before the rules see them, so that one recording serves many tests.

Plain values, and the editing of a JSON body. It does not keep the spelling of what it leaves alone: a test looks at
values.
"""

import json
from dataclasses import dataclass
from typing import Any

from thinkwire.rewrite.plan import JSONPath
from thinkwire.ruleset.condition import ABSENT


class OverridesError(Exception):
    """A request cannot be changed like this; the text says why."""


@dataclass(frozen=True, slots=True)
class RequestOverrides:
    """What differs from the recorded requests; None leaves it as it was."""

    host: str | None = None
    path: str | None = None
    method: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    set: tuple[tuple[JSONPath, object], ...] = ()
    """Members of the body to add or replace."""
    remove: tuple[JSONPath, ...] = ()
    """Members of the body to take out."""

    def edit(self, body: bytes, *, strict: bool) -> bytes:
        """The body, changed. Raises OverridesError.

        With `strict`, everything to be set must have a place and everything to be taken out must be there; without it,
        whatever does not fit is skipped.
        """
        if not self.set and not self.remove:
            return body
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise OverridesError("its body is not JSON") from error
        for path in self.remove:
            if not _remove(document, path) and strict:
                raise OverridesError(f"its body has no {'.'.join(path)} that could be taken out")
        for path, value in self.set:
            if not _set(document, path, value) and strict:
                raise OverridesError(f"its body has no place for {'.'.join(path)}")
        return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")


def member_at(document: Any, path: JSONPath) -> Any:
    """The value at a path whose numbers count the elements of lists; ABSENT if there is none."""
    for name in path:
        if isinstance(document, dict) and name in document:
            document = document[name]
        elif isinstance(document, list) and _is_number(name) and int(name) < len(document):
            document = document[int(name)]
        else:
            return ABSENT
    return document


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < 10


def _remove(document: Any, path: JSONPath) -> bool:
    """Take out a member; was it there?"""
    if member_at(document, path) is ABSENT:
        return False
    *way, name = path
    parent = member_at(document, tuple(way))
    del parent[name if isinstance(parent, dict) else int(name)]
    return True


def _set(document: Any, path: JSONPath, value: object) -> bool:
    """Put a value at a path, and objects on the way to it if there is nothing; was there a place?"""
    *way, name = path
    for step in way:
        if not isinstance(member_at(document, (step,)), dict | list) and not _put(document, step, {}):
            return False
        document = member_at(document, (step,))
    return _put(document, name, value)


def _put(parent: Any, name: str, value: object) -> bool:
    if isinstance(parent, dict):
        parent[name] = value
    elif isinstance(parent, list) and _is_number(name) and int(name) < len(parent):
        parent[int(name)] = value
    else:
        return False
    return True
