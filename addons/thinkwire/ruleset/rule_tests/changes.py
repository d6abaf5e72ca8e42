"""What a test makes of the recorded requests before the rules see them, so that one recording serves many tests.

Plain values, and the editing of a JSON body. It does not keep the spelling of what it leaves alone: what a test looks
at are values.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from thinkwire.rewrite.plan import JSONPath

__all__ = ["NO_MEMBER", "ChangesError", "RequestChanges", "member_at"]


class ChangesError(Exception):
    """A request cannot be changed so; the text says why."""


@dataclass(frozen=True, slots=True)
class RequestChanges:
    """What is to be other than recorded; None leaves it."""

    host: str | None = None
    path: str | None = None
    method: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    set: tuple[tuple[JSONPath, object], ...] = ()
    """Members of the body to add or replace."""
    remove: tuple[JSONPath, ...] = ()
    """Members of the body to take out."""

    def edit(self, body: bytes, *, strict: bool) -> bytes:
        """The body, changed. Raises ChangesError.

        `strict` wants a place for all that is to be set, and everything to be there that is to be taken out; else what
        does not fit is left out.
        """
        if not self.set and not self.remove:
            return body
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ChangesError("its body is not JSON") from error
        for path in self.remove:
            if not _remove(document, path) and strict:
                raise ChangesError(f"its body has no {'.'.join(path)} that could be taken out")
        for path, value in self.set:
            if not _set(document, path, value) and strict:
                raise ChangesError(f"its body has no place for {'.'.join(path)}")
        return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")


class NoMember:
    """Stands for a member that is not there; JSON's null is there."""


NO_MEMBER: Final = NoMember()


def member_at(document: Any, path: JSONPath) -> Any:
    """The value at a path whose numbers count the elements of lists; ABSENT where there is none."""
    for name in path:
        if isinstance(document, dict) and name in document:
            document = document[name]
        elif isinstance(document, list) and _is_number(name) and int(name) < len(document):
            document = document[int(name)]
        else:
            return NO_MEMBER
    return document


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < 10


def _remove(document: Any, path: JSONPath) -> bool:
    """Take out a member; was it there?"""
    if member_at(document, path) is NO_MEMBER:
        return False
    *way, name = path
    parent = member_at(document, tuple(way))
    del parent[name if isinstance(parent, dict) else int(name)]
    return True


def _set(document: Any, path: JSONPath, value: object) -> bool:
    """Put a value at a path, and objects on the way to it where there is nothing; was there a place?"""
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
