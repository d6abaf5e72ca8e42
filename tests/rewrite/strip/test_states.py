"""The table of states that strip goes by."""

from itertools import product

from thinkwire.rewrite.strip.states import TRANSITIONS, MetadataAction, Shows, StripState, diagram


def test_the_table_has_an_answer_for_everything() -> None:
    assert {(state, shows) for state, row in TRANSITIONS.items() for shows in row} == set(product(StripState, Shows))


def test_reasoning_always_hides_and_always_costs_the_metadata() -> None:
    assert {row[Shows.REASONING] for row in TRANSITIONS.values()} == {(StripState.HIDDEN, MetadataAction.DROP)}


def test_what_shows_nothing_never_keeps_metadata_and_never_moves() -> None:
    assert all(row[Shows.NOTHING] == (state, MetadataAction.DROP) for state, row in TRANSITIONS.items())


def test_nothing_leads_back_to_the_start() -> None:
    assert all(
        following is not StripState.START
        for state in StripState
        if state is not StripState.START
        for following, _ in TRANSITIONS[state].values()
    )


def test_after_something_was_hidden_only_the_answer_keeps_without_a_look() -> None:
    assert MetadataAction.KEEP not in {verdict for _, verdict in TRANSITIONS[StripState.HIDDEN].values()}


def test_the_diagram_shows_every_transition() -> None:
    lines = diagram().splitlines()
    assert len(lines) == 2 + len(StripState) * len(Shows)
    assert "    HIDDEN --> ANSWER: text / keep what spells the text" in lines
