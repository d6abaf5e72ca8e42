"""Families of tags: their tables, alone and merged; the tag reader's tests read text by them."""

import pytest

from thinkwire.dialects.core.tag_families import FAMILIES, Family, TagState, Where, families_table, merged, pairs

VISIBLE = (TagState.BEFORE, TagState.VISIBLE, TagState.ANSWER, TagState.CHANNEL_VISIBLE)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_each_marker_leads_to_a_state_of_its_family_or_to_the_end(family: Family) -> None:
    reached = {marker.leads_to for markers in family.states.values() for marker in markers}
    assert reached - family.states.keys() <= {TagState.ANSWER}


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_each_family_can_write_reasoning(family: Family) -> None:
    assert family.opens
    assert family.closes
    assert family.models


def test_leading_tags_count_once_and_others_anywhere() -> None:
    leading = pairs("own", [("<a>", "</a>")])
    anywhere = pairs("own", [("<a>", "</a>")], Where.ANYWHERE)
    assert {marker.leads_to for marker in leading.states[TagState.REASONING]} == {TagState.ANSWER}
    assert {marker.leads_to for marker in anywhere.states[TagState.REASONING]} == {TagState.VISIBLE}
    assert [marker.parts for marker in leading.opening] == [marker.parts for marker in anywhere.opening] == [("<a>",)]


def test_merged_families_write_as_the_first_and_have_the_markers_of_all() -> None:
    both = merged([FAMILIES["think"], FAMILIES["magistral"]])
    assert (both.name, both.opens, both.closes) == ("think+magistral", "<think>", "</think>")
    assert {marker.parts for marker in both.states[TagState.BEFORE]} == {("<think>",), ("[THINK]",)}


def test_the_table_of_families_escapes_what_would_end_a_cell() -> None:
    family = pairs("own", [("<|a|>\n", "</a>")], models="Own", prompt_opens=True)
    assert families_table([family]).splitlines()[2:] == ["| `own` | Own | `<\\|a\\|>\\n...</a>` | yes |"]
