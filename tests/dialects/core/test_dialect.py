"""What is the same for every dialect: how documents are read to recognise them, and the table of APIs."""

from dataclasses import replace

from thinkwire.dialects.core.dialect import GLANCE, Handling, handling_table
from thinkwire.dialects.registry import DIALECTS
from thinkwire.wire.json_tree import read


def test_a_glance_sees_two_levels_of_members_and_of_lists() -> None:
    root = read('{"choices": [{"delta": {"content": "a"}}], "response": {"parts": []}}', GLANCE)
    choices = root.child("choices")
    assert choices is not None
    (choice,) = choices.children
    delta = choice.child("delta")
    assert delta is not None
    assert delta.children == []


def test_a_glance_sees_as_much_of_each_document_in_a_list() -> None:
    (first,) = read('[{"candidates": [{"content": {}}]}]', GLANCE).children
    candidates = first.child("candidates")
    assert candidates is not None
    assert candidates.children[0].child("content") is not None


def test_the_table_of_apis_has_a_row_for_each_and_escapes_what_would_end_a_cell() -> None:
    one = replace(DIALECTS[0], name="one", handling=Handling(strip="a|b", rename="c", sent_back="d"))
    assert handling_table([one]).splitlines()[2:] == ["| `one` | a&#124;b | c | d |"]
