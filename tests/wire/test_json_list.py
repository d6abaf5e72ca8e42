"""A list that is sent piece by piece is cut into its elements."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkwire.wire.json_list import Element, ListSplitter

TEXTS = st.text(alphabet='a"\\[]{},é', max_size=5)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
CONTAINERS = st.lists(DOCUMENTS, max_size=3) | st.dictionaries(st.text(max_size=2), DOCUMENTS, max_size=3)


def elements_of(raw: bytes, size: int) -> list[Element]:
    splitter = ListSplitter()
    found = [one for at in range(0, len(raw), size) for one in splitter.feed(raw[at : at + size])]
    return found + splitter.finish()


@given(st.lists(CONTAINERS, max_size=4), st.sampled_from(["", " ", "\n", "\r\n"]), st.sampled_from([1, 2, 7, 1000]))
def test_elements_are_found_wherever_the_bytes_are_cut(documents: list[Any], blank: str, size: int) -> None:
    raw = ("[" + f",{blank}".join(blank + json.dumps(one) for one in documents) + blank + "]" + blank).encode()
    elements = elements_of(raw, size)
    assert b"".join(element.lead + element.raw for element in elements) == raw
    assert [json.loads(element.raw) for element in elements if element.raw] == documents


BROKEN = [b"[", b"[{", b'[{"a": "]', b"[{}, ", b'[{}, {"a":', b"]", b"}{", b'"', b"\\", b"[1, 2]"]


@pytest.mark.parametrize("raw", BROKEN)
def test_nothing_is_lost_of_an_incomplete_list(raw: bytes) -> None:
    for size in (1, 100):
        assert b"".join(element.lead + element.raw for element in elements_of(raw, size)) == raw


def test_an_element_is_returned_as_soon_as_it_is_complete() -> None:
    splitter = ListSplitter()
    assert splitter.feed(b'[{"a":1') == []
    (element,) = splitter.feed(b"}")
    assert (element.lead, element.raw) == (b"[", b'{"a":1}')


@pytest.mark.parametrize("end", [b"]", b"]]", b']"', b"] }"], ids=repr)
def test_documents_after_the_list_are_elements_too(end: bytes) -> None:
    raw = b'[{"a":1}' + end + b'\n{"b":2} {"c":[3]}\n[{"d":4}]'
    for size in (1, 100):
        elements = elements_of(raw, size)
        assert b"".join(element.lead + element.raw for element in elements) == raw
        assert [element.raw for element in elements] == [b'{"a":1}', b'{"b":2}', b'{"c":[3]}', b'{"d":4}', b""]
