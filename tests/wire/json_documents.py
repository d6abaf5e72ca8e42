"""Random JSON documents as bytes, as odd as servers and clients write them, and what Python reads in them."""

import json
from typing import Any, Final

from hypothesis import strategies as st

from thinkwire.wire.json_tree import Node, Shape

__all__ = ["BLANKS", "DOCUMENTS", "EVERYTHING", "KEYS", "Members", "latin", "load", "plain", "quoted_key", "tree_view"]

EVERYTHING: Final = Shape(members={})
"""The shape under which each member and element of a document becomes a node."""
EVERYTHING.other = EVERYTHING.elements = EVERYTHING

KEYS: Final = ["a", "b", "reasoning", "é", "", "a b", "\\", '"', "\n"]

BLANKS: Final = st.sampled_from([b"", b"", b"", b" ", b"\n", b"\t \r\n"])

_PIECES = st.one_of(
    st.sampled_from([b"x", b" ", b",", b":", b"]", b"}", b"{", b"[", b"//", b"null"]),
    st.sampled_from([rb"\"", rb"\\", rb"\/", rb"\n", rb"\u0041", rb"\u00e9", rb"\u2028", rb"\ud83d\ude00", rb"\ud800"]),
    st.sampled_from(["é".encode(), "中".encode(), "\u2028".encode(), "\U0001f600".encode()]),
    st.sampled_from([b"\n", b"\t", b"\0", b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf"]),
)
_STRINGS = st.lists(_PIECES, max_size=4).map(lambda pieces: b'"' + b"".join(pieces) + b'"')
_NUMBERS = [b"0", b"-0", b"7", b"-12", b"1.0", b"1e-7", b"1E+2", b"-0.0e0", b"9" * 40, b"1e999"]
_ATOMS = st.sampled_from(
    [*_NUMBERS, b"9" * 5000, b"-" + b"8" * 5000, b"null", b"true", b"false", b"NaN", b"Infinity", b"-Infinity"]
)


def quoted_key(draw: st.DrawFn, key: str) -> bytes:
    """A member's name in one of its spellings."""
    spelling = draw(st.sampled_from(["plain", "plain", "ascii", "escaped"]))
    if spelling == "escaped":
        return b'"' + "".join(f"\\u{ord(char):04x}" for char in key).encode() + b'"'
    return json.dumps(key, ensure_ascii=spelling == "ascii").encode()


@st.composite
def _objects(draw: st.DrawFn, values: st.SearchStrategy[bytes]) -> bytes:
    def member() -> bytes:
        name = quoted_key(draw, draw(st.sampled_from(KEYS)))
        return draw(BLANKS) + name + draw(BLANKS) + b":" + draw(BLANKS) + draw(values) + draw(BLANKS)

    members = [member() for _ in range(draw(st.integers(0, 4)))]
    return b"{" + (b",".join(members) or draw(BLANKS)) + b"}"


@st.composite
def _lists(draw: st.DrawFn, values: st.SearchStrategy[bytes]) -> bytes:
    elements = [draw(BLANKS) + draw(values) + draw(BLANKS) for _ in range(draw(st.integers(0, 4)))]
    return b"[" + (b",".join(elements) or draw(BLANKS)) + b"]"


_VALUES = st.recursive(
    st.one_of(_ATOMS, _STRINGS),
    lambda values: st.one_of(_objects(values), _objects(values), _lists(values)),
    max_leaves=12,
)
DOCUMENTS: Final = st.tuples(st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf"]), BLANKS, _VALUES, BLANKS).map(b"".join)


class Members(list[tuple[str, Any]]):
    """An object as Python reads it, duplicates and order kept."""


def load(raw: bytes) -> Any:
    """The document as `json.loads` sees it, each object as Members; numbers too long for Python stay text."""
    text = raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return json.loads(text, strict=False, object_pairs_hook=Members, parse_int=_read_int)


def _read_int(digits: str) -> int | str:
    return int(digits) if len(digits) < 4000 else digits


def plain(value: Any) -> Any:
    """The same with dicts, in which the last of duplicate names wins."""
    if isinstance(value, Members):
        return {key: plain(item) for key, item in value}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def latin(name: str) -> str:
    """A name as nodes keep it: Latin-1 of its UTF-8 bytes."""
    return name.encode("utf-8", "surrogatepass").decode("latin-1")


def tree_view(node: Node) -> Any:
    """What `load` gives, read from a tree of EVERYTHING; names stay in the form of nodes."""
    first = node.text[node.at]
    if first == "{":
        return Members((child.key, tree_view(child)) for child in node.children)
    if first == "[":
        return [tree_view(child) for child in node.children]
    return node.value
