"""Text is read by tag families the same way however it is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkwire.dialects.core.tag_families import FAMILIES, Family, Where, merged, pairs
from thinkwire.rewrite.extract.tag_reader import TagReader, marker_prefixes

THINK = FAMILIES["think"]
ANYWHERE = pairs("anywhere", [("<think>", "</think>"), ("<reasoning>", "</reasoning>")], Where.ANYWHERE)


def read(text: str, family: Family = THINK, *, starts_inside: bool = False, size: int = 10_000) -> tuple[str, str]:
    """The reasoning and the visible text, each joined."""
    reader = TagReader(family, starts_inside=starts_inside)
    pieces = [piece for at in range(0, len(text), size) for piece in reader.feed(text[at : at + size])]
    pieces += reader.finish()
    assert reader.reading.held == ""
    assert all(piece.text for piece in pieces)
    return (
        "".join(piece.text for piece in pieces if piece.is_reasoning),
        "".join(piece.text for piece in pieces if not piece.is_reasoning),
    )


SIZES = [1, 2, 3, 7, 10_000]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("text", "reasoning", "visible"),
    [
        ("<think>a</think>b", "a", "b"),
        ("\n <think>a</think>\nb", "a", "\n \nb"),
        ("<think></think>b", "", "b"),
        ("<think>a", "a", ""),
        ("b", "", "b"),
        ("b<think>a</think>", "", "b<think>a</think>"),
        ("`<think>` begins", "", "`<think>` begins"),
        ("<think>a</think>say </think> twice <think>", "a", "say </think> twice <think>"),
        ("<thin", "", "<thin"),
        ("<thinking>a", "", "<thinking>a"),
        ("<think>1 < 2 </thin </think>c", "1 < 2 </thin ", "c"),
        ("<think>a</mm:think>b", "a", "b"),
        ("<think>call it<tool_call>{}", "call it", "<tool_call>{}"),
        ("", "", ""),
        ("  ", "", "  "),
        ("<think>a</think", "a</think", ""),
    ],
)
def test_a_leading_block_is_reasoning(text: str, reasoning: str, visible: str, size: int) -> None:
    assert read(text, size=size) == (reasoning, visible)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("text", "reasoning", "visible"),
    [
        ("a</think>b", "a", "b"),
        ("<think>a</think>b", "a", "b"),
        ("\n<think>\na</think>b", "\n\na", "b"),
        ("a<think>b</think>c", "a<think>b", "c"),
        ("</think>b", "", "b"),
        ("a", "a", ""),
        ("<", "<", ""),
    ],
)
def test_a_text_may_begin_inside_the_block(text: str, reasoning: str, visible: str, size: int) -> None:
    assert read(text, starts_inside=True, size=size) == (reasoning, visible)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("text", "reasoning", "visible"),
    [
        ("a<think>b</think>c<reasoning>d</reasoning>e", "bd", "ace"),
        ("a</think>b", "", "a</think>b"),
        ("a<think>b", "b", "a"),
    ],
)
def test_anywhere_every_block_counts(text: str, reasoning: str, visible: str, size: int) -> None:
    assert read(text, ANYWHERE, size=size) == (reasoning, visible)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("name", "text", "reasoning", "visible"),
    [
        (
            "kimi-k3",
            "<|open|>think<|sep|>a<|close|>think<|sep|>\n<|open|>response<|sep|>b<|close|>response<|sep|>",
            "a",
            "b",
        ),
        ("kimi-k3", "<|open|> think\n<|sep|>a<|open|>response<|sep|>b<|close|> message <|sep|>x", "a", "b"),
        ("kimi-k3", "tea<|close|>message<|sep|>", "", "tea"),
        ("kimi-k3", "<|open|>tools<|sep|>{}<|close|>tools<|sep|>", "", ""),
        ("kimi-k3", "a <|open|> b <|close|>thin", "", "a <|open|> b <|close|>thin"),
        (
            "harmony",
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
            "a",
            "b",
        ),
        ("harmony", "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>", "", ""),
        ("harmony", "<|start|>assistant<|message|>b<|end|>", "", "b"),
        ("harmony", "plain < text |> of <| none", "", "plain < text |> of <| none"),
        ("harmony", "a<|channel|>", "", "a"),
        ("magistral", "[THINK]a[/THINK]b", "a", "b"),
        ("gemma", "<|channel>thought\na<channel|>b", "a", "b"),
        ("kimi-vl", "◁think▷a◁/think▷b", "a", "b"),
        ("command-a", "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "a", "b"),
        ("hunyuan", "<think>\na\n</think>\n<answer>\nb\n</answer>", "\na\n", "\n\nb\n"),
        ("granite", "Here's my thought process: a Here is my response: b", " a ", " b"),
        ("k2-horizon", "<ifm|think_fast>a</ifm|think_fast>b", "a", "b"),
        ("inkling", "<|content_thinking|>a<|content_text|>b<|content_tool|>{}<|end_message|>", "a", "b"),
        ("muse", "to=self<|message|>a<|eom|>to=user<|message|>b<|eom|>", "a", "b"),
        ("seed-oss", "<seed:think>a</seed:think>b", "a", "b"),
        ("plamo", "<|plamo:begin_think:plamo|>a<|plamo:end_think:plamo|>b", "a", "b"),
        ("apertus", "<|inner_prefix|>a<|inner_suffix|>b", "a", "b"),
        ("minimax-m3", "<mm:think>a</mm:think>b", "a", "b"),
        ("ernie", "<think>a</think><response>b</response>", "a", "b"),
        ("thought", "<thought>a</thought>b", "a", "b"),
    ],
)
def test_families_mark_reasoning_in_their_ways(name: str, text: str, reasoning: str, visible: str, size: int) -> None:
    assert read(text, FAMILIES[name], size=size) == (reasoning, visible)


ANSWERS_ABOUT_MARKERS = [
    ("harmony", "Phi-3 ends a turn with <|end|> and stops.", "Phi-3 ends a turn with  and stops."),
    ("harmony", "gpt-oss has <|return|>, <|constrain|> and <|message|>, too.", "gpt-oss has ,  and , too."),
    ("kimi-k3", "It closes: <|close|>think<|sep|> and so on.", "It closes:  and so on."),
    ("inkling", "Behind <|end_message|> comes more.", "Behind  comes more."),
    ("muse", "Behind <|eom|> comes more.", "Behind  comes more."),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "text", "visible"), ANSWERS_ABOUT_MARKERS)
def test_an_answer_without_channels_goes_on_after_a_marker_that_ends_one(
    name: str, text: str, visible: str, size: int
) -> None:
    family = FAMILIES[name]
    assert read(text, family, size=size) == ("", visible)
    both = merged([family, THINK])
    assert read(text, both, size=size) == ("", visible)
    assert read(f"<think>{text}</think>{text}", both, size=size) == (text, visible)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("name", "text", "visible"),
    [
        ("harmony", "<|channel|>final<|message|>a<|end|>b", "a"),
        ("harmony", "<|start|>assistant<|message|>a<|return|>b", "a"),
        ("harmony", "a<|end|>b<|channel|>commentary<|message|>c<|end|>d", "ab"),
        ("kimi-k3", "<|open|>response<|sep|>a<|close|>response<|sep|>b", "a"),
        ("inkling", "<|content_text|>a<|end_message|>b", "a"),
        ("muse", "to=user<|message|>a<|eom|>b", "a"),
    ],
)
def test_after_the_end_of_a_channel_nothing_is_visible(name: str, text: str, visible: str, size: int) -> None:
    for family in (FAMILIES[name], merged([FAMILIES[name], THINK])):
        assert read(text, family, size=size) == ("", visible)


@pytest.mark.parametrize("name", ["harmony", "kimi-k3", "inkling", "muse"])
def test_a_channel_that_the_prompt_opened_has_an_end(name: str) -> None:
    family = FAMILIES[name]
    text = f"a{family.closes}b"
    assert read(text, family, starts_inside=True) == ("a", "b")
    assert read(text, merged([family, THINK]), starts_inside=True) == ("a", "b")
    assert read("a</think>b", merged([family, THINK]), starts_inside=True) == ("a", "b")
    assert read("a<|close|>think<|sep|>b", FAMILIES["kimi-k3"], starts_inside=True) == ("a", "")


def test_tags_that_count_anywhere_count_in_a_visible_channel_too() -> None:
    for both in (merged([FAMILIES["harmony"], ANYWHERE]), merged([ANYWHERE, FAMILIES["harmony"]])):
        assert read("<|channel|>final<|message|>a<think>b</think>c", both) == ("b", "ac")


def test_several_families_count_at_once() -> None:
    both = merged([THINK, FAMILIES["magistral"], FAMILIES["harmony"]])
    assert read("<think>a</think>b", both) == ("a", "b")
    assert read("[THINK]a[/THINK]b", both) == ("a", "b")
    assert read("<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>b", both) == ("a", "b")
    assert read("plain <think>", both) == ("", "plain <think>")


def test_after_the_one_block_of_a_family_another_counts_that_counts_anywhere() -> None:
    notes = pairs("notes", [("<note>", "</note>")], Where.ANYWHERE)
    for both in (merged([THINK, notes]), merged([notes, THINK])):
        assert read("<think>a</think>b<note>c</note>d<think>e", both) == ("ac", "bd<think>e")
    alone = merged([THINK, FAMILIES["magistral"]])
    assert read("<think>a</think>b[THINK]c[/THINK]", alone) == ("a", "b[THINK]c[/THINK]")


TAGS = ["<think>", "</think>", "<", "</", "<thi", "nk>", "<tool_call>", "[THINK]", "[/THINK]"]
CHANNELS = ["<|channel|>", "analysis", "final", "<|message|>", "<|end|>", "<|open|>", "think", "<|sep|>", "<|close|>"]
FRAGMENTS = st.sampled_from([*TAGS, *CHANNELS, "response", "a", " ", "\n", "é"])
FAMILY = st.sampled_from([*FAMILIES.values(), ANYWHERE, merged([THINK, FAMILIES["harmony"]])])


@given(st.lists(FRAGMENTS, max_size=12).map("".join), FAMILY, st.booleans(), st.sampled_from([1, 2, 3, 5]))
def test_the_reading_does_not_depend_on_how_the_text_is_cut(
    text: str, family: Family, starts_inside: bool, size: int
) -> None:
    assert read(text, family, starts_inside=starts_inside, size=size) == read(text, family, starts_inside=starts_inside)


@given(st.lists(FRAGMENTS, max_size=12).map("".join), FAMILY)
def test_no_more_is_held_back_than_a_marker_is_long(text: str, family: Family) -> None:
    reader = TagReader(family, starts_inside=False)
    longest = max(len("".join(part or " " * 8 for part in m.parts)) for ms in family.states.values() for m in ms)
    for sign in text:
        reader.feed(sign)
        assert len(reader._held) < longest


@pytest.mark.parametrize("text", ["a<think>b", "a<tool_call>", "a<", r"a\u003C", r"<\/thin", r"\\u003cthi"])
def test_signs_are_found_of_a_marker_and_of_one_that_is_cut(text: str) -> None:
    assert marker_prefixes(THINK).search(text.encode())


@pytest.mark.parametrize("text", ["a", "if a < b then", "a -> <b>, </p", r"\u00e9\\", "</thinner>", "<|channel|>"])
def test_no_signs_are_found_where_nothing_can_become_a_marker(text: str) -> None:
    assert not marker_prefixes(THINK).search(text.encode())


def test_text_full_of_almost_tags_takes_linear_work() -> None:
    reader = TagReader(ANYWHERE, starts_inside=False)
    pieces = [piece for _ in range(20_000) for piece in reader.feed("<think <thin")]
    assert sum(len(piece.text) for piece in pieces + reader.finish()) == 20_000 * 12


def test_each_family_can_be_written_and_read_again() -> None:
    for family in FAMILIES.values():
        assert read(f"{family.opens}a{family.closes}b", family) == ("a", "b")
