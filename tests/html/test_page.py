"""The page of `thinkwire show --html`, read as a browser would read it."""

import json
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from mitmproxy import flow, http

from tests.cli.test_show import PIECES, RULES, STREAM, TIMES
from tests.e2e.test_recordings import ANSWER, EXPECTED, FOLDER, THOUGHT
from tests.flows import exchange, spoken, write_flows
from tests.rewrite.answers import body, chunk, event, stream
from thinkwire.cli import main as cli
from thinkwire.html.timeline_layout import LEFT, RIGHT

type Show = Callable[..., Element]


@pytest.fixture
def show(tmp_path: Path) -> Show:
    """Makes the page of some flows or of a file, and reads it."""

    def show(*recorded: http.HTTPFlow | Path, arguments: tuple[object, ...] = (), code: int = 0) -> Element:
        first = recorded[0]
        path = first if isinstance(first, Path) else write_flows(tmp_path / "a.flow", *map(as_flow, recorded))
        out = tmp_path / "page.html"
        assert cli.main(["show", str(path), "--html", str(out), *map(str, arguments)]) == code
        return parsed(out.read_bytes())

    return show


def as_flow(recorded: http.HTTPFlow | Path) -> http.HTTPFlow:
    assert isinstance(recorded, http.HTTPFlow)
    return recorded


def parsed(page: bytes) -> Element:
    text = page.decode()
    assert text.lstrip().startswith("<!DOCTYPE html>")
    return ElementTree.fromstring(text)


def text_of(element: Element) -> str:
    return "".join(element.itertext())


def rows(page: Element) -> list[tuple[str, str]]:
    """What stands beside each name."""
    return [
        (text_of(name), text_of(value))
        for one in page.iter("dl")
        for name, value in zip(one.iter("dt"), one.iter("dd"), strict=True)
    ]


def marks(page: Element, kind: str) -> list[Element]:
    return [one for chart in charts(page) for one in chart.iter("rect") if one.get("class") == f"mark {kind}"]


def charts(page: Element) -> list[Element]:
    return [one for one in page.iter("svg") if one.get("role") == "img"]


def words(page: Element, role: str) -> list[str]:
    return [text_of(one) for one in page.iter("text") if (one.get("class") or "").split()[0] == role]


def titles(page: Element, kind: str) -> list[str]:
    return [text_of(one) for one in marks(page, kind)]


# --- what it says -------------------------------------------------------------------------------------------------


def test_the_page_says_what_the_terminal_does(show: Show) -> None:
    page = show(exchange(*PIECES, times=TIMES))
    assert rows(page) == [
        ("asked", "chat-completions, model m, stream, 1 message"),
        ("answered", "200 text/event-stream, 5 events"),
        ("times", "first reasoning 0.50 s, first answer 3.00 s, total 4.00 s"),
        ("reasoning", "Hm."),
        ("content", "Hi\nyou"),
        ("finish", "stop"),
    ]
    (heading,) = page.iter("h2")
    assert text_of(heading) == "flow 1 POST http://provider.test/v1/chat/completions"
    assert [text_of(one) for one in page.iter("h1")] == ["a.flow"]
    assert re.fullmatch(r"thinkwire [\d.]+", text_of(next(page.iter("footer"))))


@pytest.mark.parametrize("name", EXPECTED)
def test_every_recording_has_a_page(show: Show, name: str) -> None:
    page = show(FOLDER / f"{name}.flow")
    said = [text.rstrip() for name, text in rows(page) if name == "reasoning"]
    assert said == [EXPECTED[name].reasoning.rstrip()] * EXPECTED[name].choices


def test_calls_refusals_errors_and_what_is_damaged_are_told_apart(show: Show) -> None:
    call = {"tool_calls": [{"index": 0, "function": {"name": "look_up", "arguments": '{"a": 1}'}}]}
    raw = b"".join(map(event, [chunk(call), chunk({"refusal": "No."}), {"error": {"message": "overloaded"}}]))
    page = show(exchange(raw, b"data: {broken"))
    assert ("call", 'look_up({"a": 1})') in rows(page)
    assert ("refusal", "No.") in rows(page)
    assert ("error", '{"message":"overloaded"}') in rows(page)
    assert titles(page, "call") == ['event 1, tool call: look_up {"a": 1}']
    assert titles(page, "answer") == ["event 2, answer: No."]
    assert titles(page, "bad")[0] == 'event 3, error: {"message": "overloaded"}'
    assert titles(page, "bad")[1].startswith("event 4, error: cannot be read: ")


def test_what_is_no_answer_of_a_model_has_no_picture(show: Show) -> None:
    refused = exchange(b'{"error": "bad key"}', kind="application/json", status=401)
    page = exchange(b"<html>", kind="text/html", url="http://other.test/", question=None)
    silent = exchange()
    silent.response = None
    shown = show(refused, page, silent)
    assert charts(shown) == []
    answers = [text for name, text in rows(shown) if name == "answered"]
    assert answers == [
        '401 application/json, not an answer of a model, {"error": "bad key"}',
        "200 text/html, not an answer of a model",
        "nothing",
    ]


def test_several_exchanges_have_an_index(show: Show) -> None:
    refused = exchange(b"{}", kind="application/json", status=429)
    page = show(exchange(*PIECES, times=TIMES), refused, exchange(*PIECES, times=TIMES, error="peer closed"))
    lines = [[text_of(cell) for cell in row.iter("td")] for row in next(page.iter("tbody"))]
    url = "POST http://provider.test/v1/chat/completions"
    assert lines == [
        ["1", url, "m", "200", "stop", "3", "6", "4.00 s"],
        ["2", url, "m", "429", "error", "0", "0", "2.50 s"],
        ["3", url, "m", "200", "broke off", "3", "6", "4.00 s"],
    ]
    anchors = [one.get("href") for one in page.iter("a")]
    assert anchors == [f"#{one.get('id')}" for one in page.iter("article")]
    ids = [one.get("id") for one in page.iter() if one.get("id")]
    assert len(ids) == len(set(ids))


def test_one_flow_can_be_asked_for(show: Show) -> None:
    first, second = (exchange(*PIECES, url=f"http://{name}.test/v1/chat/completions") for name in ("one", "two"))
    page = show(first, second, arguments=("--flow", 2))
    assert [text_of(one) for one in page.iter("h2")] == ["flow 2 POST http://two.test/v1/chat/completions"]
    assert not list(page.iter("nav"))


# --- the picture --------------------------------------------------------------------------------------------------


def test_marks_stand_where_their_times_are(show: Show) -> None:
    page = show(exchange(*PIECES, times=TIMES))
    places = [float(one.get("x", 0)) for kind in ("reasoning", "answer", "other") for one in marks(page, kind)]
    assert places == pytest.approx([LEFT + (RIGHT - LEFT) * time / 4.0 for time in TIMES], abs=0.01)
    assert titles(page, "reasoning") == ["event 1, 0.500 s, reasoning: Hm", "event 2, 1.000 s, reasoning: ."]
    assert titles(page, "answer") == ["event 3, 3.000 s, answer: Hi\nyou"]
    assert titles(page, "other") == ["2 events, 4 to 5, 4.000 to 4.000 s, other: finish: stop; end mark [DONE]"]


def test_each_row_has_a_name_and_stands_below_the_one_before(show: Show) -> None:
    page = show(exchange(*PIECES, times=TIMES))
    assert words(page, "row") == ["reasoning", "answer", "characters", "other"]
    tops = [float(marks(page, kind)[0].get("y", 0)) for kind in ("reasoning", "answer", "other")]
    assert tops == sorted(set(tops))
    assert words(page, "sum") == ["2 events", "1 event", "2 events"]


def test_the_axis_counts_seconds(show: Show) -> None:
    page = show(exchange(*PIECES, times=TIMES))
    assert words(page, "tick") == ["0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s", "2.5 s", "3.0 s", "3.5 s", "4.0 s"]
    ticks = [float(one.get("x", 0)) for one in page.iter("text") if one.get("class") == "tick"]
    assert (ticks[0], ticks[-1]) == (LEFT, RIGHT)


def test_curves_end_at_the_sum_of_characters(show: Show) -> None:
    page = show(STREAM)
    assert words(page, "end") == [f"{len(THOUGHT)} reasoning", f"{len(ANSWER)} answer"]
    first, second = (one.get("points", "").split() for one in page.iter("polyline"))
    heights = [float(point.split(",")[1]) for point in first]
    assert heights == sorted(heights, reverse=True)
    assert float(second[-1].split(",")[1]) > heights[-1]  # fewer characters, further down


def test_the_picture_is_told_in_words(show: Show) -> None:
    (chart,) = charts(show(exchange(*PIECES, times=TIMES)))
    described = [
        next(one for one in chart if one.get("id") == name) for name in chart.get("aria-labelledby", "").split()
    ]
    assert [one.tag for one in described] == ["title", "desc"]
    assert text_of(described[0]) == "The answer of flow 1 over time"
    assert text_of(described[1]) == "answer: reasoning 3 characters, answer 6 characters; 4.00 s in all"


def test_the_legend_names_what_is_there(show: Show) -> None:
    page = show(exchange(*PIECES, times=TIMES))
    (legend,) = [one for one in page.iter("ul") if one.get("class") == "legend"]
    assert [text_of(one).strip() for one in legend] == [
        "reasoning",
        "answer, refusals included",
        "other: finish, usage, end mark, or no text",
    ]


def test_each_choice_has_a_lane(show: Show) -> None:
    page = show(FOLDER / "llamacpp-chat-stream-n2.flow")
    assert words(page, "lane") == ["choice 0", "choice 1"]
    assert words(page, "row") == ["reasoning", "answer", "characters"] * 2 + ["other"]
    assert [text_of(one) for one in page.iter("dt") if one.get("class") == "heading"] == ["choice 0", "choice 1"]


def test_pauses_are_marked_with_their_length(show: Show) -> None:
    pieces = [event(chunk({"content": "a"})) for _ in range(20)]
    gaps = [0.1] * 20
    gaps[7], gaps[15] = 3.0, 1.5
    page = show(exchange(*pieces, times=list(accumulate(gaps))))
    assert words(page, "pause") == ["3.00 s", "1.50 s"]
    band = next(one for one in charts(page)[0].iter("rect") if one.get("class") == "band")
    total = sum(gaps)
    assert float(band.get("x", 0)) == pytest.approx(LEFT + (RIGHT - LEFT) * 0.7 / total, abs=0.01)
    assert float(band.get("width", 0)) == pytest.approx((RIGHT - LEFT) * 3.0 / total, abs=0.02)
    assert text_of(band) == "a pause of 3.00 s from 0.70 s on"
    assert "2 pauses, the longest 3.00 s at 0.70 s" in text_of(charts(page)[0])


def test_an_answer_that_broke_off_is_marked_where_it_did(show: Show) -> None:
    made = exchange(*PIECES[:2], times=TIMES[:2])
    made.error = flow.Error("peer closed", 1000.0 + 10.0)
    page = show(made)
    assert words(page, "broke") == ["broke off"]
    (line,) = [one for one in page.iter("line") if one.get("class") == "broke"]
    assert float(line.get("x1", 0)) == RIGHT
    assert words(page, "pause") == ["9.00 s"]
    assert ("broke off", "peer closed") in rows(page)


def test_without_times_the_events_stand_in_their_order(show: Show) -> None:
    page = show(exchange(*PIECES))
    assert "The recording holds no times: the events stand in their order." in text_of(page)
    assert titles(page, "answer") == ["event 3, answer: Hi\nyou"]
    assert words(page, "tick") == ["1", "2", "3", "4", "5 events"]
    places = [float(one.get("x", 0)) for one in marks(page, "reasoning")]
    assert places == pytest.approx([LEFT + (RIGHT - LEFT) * number / 5 for number in (1, 2)], abs=0.01)


def test_a_body_is_one_event(show: Show) -> None:
    raw = json.dumps(body({"reasoning_content": "Hm.", "content": "Hi"})).encode()
    page = show(exchange(raw, kind="application/json", times=[2.0]))
    assert titles(page, "reasoning") == ["event 1, 2.000 s, reasoning: Hm."]
    assert titles(page, "answer") == ["event 1, 2.000 s, answer: Hi"]
    page = show(exchange(raw, kind="application/json"))
    assert charts(page) == []
    assert ("reasoning", "Hm.") in rows(page)


ASKED = {"type": "response.create", "model": "m", "input": []}
SPOKEN = {"type": "response.output_text.delta", "output_index": 1, "delta": "Hi"}


@pytest.mark.parametrize("arguments", [(), ("--rules", RULES / "strip.yaml")])
def test_what_is_heard_on_a_websocket_is_drawn(show: Show, arguments: tuple[object, ...]) -> None:
    page = show(spoken((True, ASKED), (False, SPOKEN), (False, SPOKEN)), arguments=arguments)
    assert titles(page, "answer") == ["event 1, 0.500 s, answer: Hi", "event 2, 1.000 s, answer: Hi"]


def test_what_the_rules_take_from_a_websocket_is_hidden(show: Show) -> None:
    thought = {"type": "response.reasoning_text.delta", "output_index": 0, "delta": "Hm"}
    page = show(spoken((True, ASKED), (False, thought), (False, SPOKEN)), arguments=("--rules", RULES / "strip.yaml"))
    assert titles(page, "hidden") == ["event 1, 0.500 s, hidden: Hm"]
    assert titles(page, "answer") == ["event 2, 1.000 s, answer: Hi"]


def test_a_server_may_speak_before_it_is_asked(show: Show) -> None:
    page = show(spoken((False, SPOKEN), (True, ASKED), (False, SPOKEN)))
    assert [float(one.get("x", 0)) for one in marks(page, "answer")] == [LEFT, RIGHT]
    page = show(spoken((False, SPOKEN), (False, SPOKEN)))
    assert titles(page, "answer")[0] == "event 1, 0.000 s, answer: Hi"


# --- rules --------------------------------------------------------------------------------------------------------


def test_what_the_rules_take_away_is_hidden_and_not_lost(show: Show) -> None:
    page = show(STREAM, arguments=("--rules", RULES / "strip.yaml"))
    assert marks(page, "reasoning") == []
    assert len(marks(page, "hidden")) == 52
    assert titles(page, "hidden")[0] == "event 2, 0.180 s, hidden: The"
    assert [pair for pair in rows(page) if pair[0] in ("hidden", "reasoning", "content")] == [
        ("hidden", THOUGHT),
        ("content", ANSWER),
    ]
    assert words(page, "end") == [f"{len(THOUGHT)} hidden", f"{len(ANSWER)} answer"]
    assert rows(page)[:2] == [
        ("asked", "chat-completions, model gemma-3-270m, stream, 1 message"),
        ("rules", "strip-all (strip.yaml:6)"),
    ]


def test_what_is_renamed_is_not_hidden(show: Show) -> None:
    page = show(STREAM, arguments=("--rules", RULES / "default.yaml"))
    assert len(marks(page, "reasoning")) == 52
    assert marks(page, "hidden") == []


def test_what_the_rules_read_out_of_a_text_is_reasoning(show: Show) -> None:
    raw = stream(*(chunk({"content": text}) for text in ("<think>Hm.", "</think>", "Hi")))
    page = show(exchange(raw), arguments=("--rules", RULES / "think-tags.yaml"))
    assert titles(page, "reasoning") == ["event 1, reasoning: Hm."]
    assert titles(page, "hidden") == ["event 2, hidden: </think>"]
    assert titles(page, "answer") == ["event 3, answer: Hi"]


def test_each_choice_says_what_is_hidden_of_it(show: Show) -> None:
    page = show(FOLDER / "llamacpp-chat-stream-n2.flow", arguments=("--rules", RULES / "strip.yaml"))
    names = [name for name, _ in rows(page)]
    assert names[names.index("choice 0") :] == [
        "choice 0",
        "hidden",
        "content",
        "finish",
        "choice 1",
        "hidden",
        "content",
        "finish",
    ]


def test_choices_of_which_all_is_hidden_are_told_apart(show: Show) -> None:
    said = [chunk({"reasoning_content": text}, index=index) for index, text in enumerate(("Hm.", "Well."))]
    page = show(exchange(*map(event, said)), arguments=("--rules", RULES / "strip.yaml"))
    assert rows(page)[-4:] == [("choice 0", ""), ("hidden", "Hm."), ("choice 1", ""), ("hidden", "Well.")]


def test_a_text_that_was_held_back_is_drawn_where_it_is_sent(show: Show) -> None:
    """It may have been the beginning of a tag."""
    rules = ("--rules", RULES / "think-tags.yaml")
    held, finish = chunk({"content": "<thi"}), chunk(finish_reason="stop")
    page = show(exchange(event(held), event(finish)), arguments=rules)
    assert titles(page, "hidden") == ["event 1, hidden: <thi"]
    assert titles(page, "answer") == ["event 2, answer: <thi"]
    assert titles(page, "other") == ["event 2, other: finish: stop"]
    page = show(exchange(event(held), times=[2.0], error="peer closed"), arguments=rules)
    assert titles(page, "answer") == ["event 1, 2.000 s, answer: <thi"]


def test_what_was_only_held_back_is_not_called_hidden(show: Show, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    tags = "{tags: [[<think>, </think>]], where: anywhere}"
    rules.write_text(f"version: 1\nrules:\n  - id: a\n    response: {{extract: {tags}, reasoning: strip}}\n")
    page = show(exchange(*(event(chunk({"content": text})) for text in ("<", "b>bold"))), arguments=("--rules", rules))
    assert rows(page)[-1:] == [("content", "<b>bold")]
    assert words(page, "end") == ["7 answer"]
    said = ("foo <", "b> <thi", "nk>Hm.</think> y <", "think>Well")
    page = show(exchange(*(event(chunk({"content": text})) for text in said)), arguments=("--rules", rules))
    assert rows(page)[-2:] == [("hidden", "<think>Hm.</think><think>Well"), ("content", "foo <b>  y ")]
    assert words(page, "end") == ["29 hidden", "11 answer"]


def test_of_a_body_only_what_is_gone_is_hidden(show: Show, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("version: 1\nrules:\n  - id: a\n    response: {extract: think, reasoning: strip}\n")
    raw = json.dumps(body({"content": "<think>Hm.</think>Hi"})).encode()
    page = show(exchange(raw, kind="application/json"), arguments=("--rules", rules))
    assert rows(page)[-3:] == [("hidden", "<think>Hm.</think>"), ("content", "Hi"), ("finish", "stop")]


def changes(page: Element) -> list[tuple[str, list[str]]]:
    found = [one for one in page.iter("section") if one.get("class") == "change"]
    return [(text_of(one[0]), [text_of(line) for line in one.iter("span")]) for one in found]


def test_the_changes_are_listed_before_and_after(show: Show) -> None:
    page = show(exchange(*PIECES, times=TIMES), arguments=("--rules", RULES / "default.yaml"))
    (where, (before, after)), _ = changes(page)
    assert where == "event 1"
    assert before.startswith("- ")
    assert before[2:].replace("reasoning_content", "reasoning") == after[2:]
    assert text_of(next(page.iter("del"))) == "_content"
    assert "What the rules change: 2 events renamed" in text_of(page)


def test_what_the_rules_do_to_a_request_is_listed(show: Show) -> None:
    user = {"role": "user", "content": "Why?"}
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    called = {"role": "assistant", "content": "", "tool_calls": [call]}
    asked = {"model": "kimi-k3", "stream": True, "messages": [user]}
    first = stream(chunk({"reasoning_content": "Hm."}), chunk({"tool_calls": [call | {"index": 0}]}))
    flows = [exchange(first, question=asked), exchange(first, question=asked | {"messages": [user, called]})]
    page = show(*flows, arguments=("--rules", RULES / "kimi.yaml", "--flow", 2))
    assert changes(page)[0] == ("request", ['+ messages.1.reasoning_content: "Hm."'])


def test_a_refused_request_is_named(show: Show, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("version: 1\nrules:\n  - id: a\n    request: {history: inline}\n")
    blocks = [{"type": "redacted_thinking", "data": "b3BhcXVl"}, {"type": "text", "text": "a"}]
    asked = {"model": "m", "messages": [{"role": "assistant", "content": blocks}]}
    page = show(exchange(*PIECES, question=asked), arguments=("--rules", rules))
    assert dict(rows(page))["refused"].startswith("a block of redacted_thinking cannot be written as tagged text")


def test_where_no_rule_decides_the_page_says_so(show: Show, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("version: 1\nrules:\n  - id: a\n    when: {host: x}\n    response: {reasoning: strip}\n")
    page = show(STREAM, arguments=("--rules", rules))
    assert ("rules", "none decided") in rows(page)
    assert "no rule decides about this exchange" in text_of(page)


# --- a page that is safe to open and to pass on -------------------------------------------------------------------

HOSTILE = "</script></style></title><img src=x onerror=alert(1)> ]]> \"' & {{ 7*7 }} \x1b[2J \u202e \ud800 \ufffe"
SPELLED = "</script></style></title><img src=x onerror=alert(1)> ]]> \"' & {{ 7*7 }} \\x1b[2J \\u202e \\ud800 \\ufffe"


class Tags(HTMLParser):
    """Every element of a page with its attributes, as HTML is read."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("arguments", [(), ("--rules", RULES / "strip.yaml"), ("--rules", RULES / "default.yaml")])
def test_the_texts_of_others_stay_texts(show: Show, tmp_path: Path, arguments: tuple[object, ...]) -> None:
    call = {"tool_calls": [{"index": 0, "function": {"name": HOSTILE, "arguments": HOSTILE}}]}
    said = [*(chunk({name: HOSTILE}) for name in ("reasoning_content", "content", "refusal")), chunk(call)]
    documents = [*said, chunk(finish_reason=HOSTILE), {"error": {"message": HOSTILE}}]
    asked = {"model": HOSTILE, "stream": True, "messages": []}
    made = exchange(*(event(json.dumps(one)) for one in documents), question=asked, error=HOSTILE[:60])
    made.request.path += "?a=</title><img>\"'"
    page = show(made, made, arguments=arguments)
    tags = Tags((tmp_path / "page.html").read_text(encoding="utf-8")).found
    assert {tag for tag, _ in tags}.isdisjoint({"img", "script", "iframe", "object", "link"})
    assert not [name for _, attributes in tags for name in attributes if name.startswith("on")]
    assert ("content", SPELLED) in rows(page)
    assert ("finish", SPELLED) in rows(page)
    assert SPELLED in titles(page, "answer")[0]


def test_nothing_is_loaded_and_nothing_runs(show: Show, tmp_path: Path) -> None:
    page = show(STREAM, arguments=("--rules", RULES / "default.yaml"))
    for tag, attributes in Tags((tmp_path / "page.html").read_text(encoding="utf-8")).found:
        assert tag != "script"
        assert "style" not in attributes  # which the policy would not let pass
        assert not {"src", "srcset", "data", "action"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
    (style,) = page.iter("style")
    assert not re.search(r"url\(|@import|http", style.text or "")
    (policy,) = [one.get("content") for one in page.iter("meta") if one.get("http-equiv")]
    digest = b64encode(sha256((style.text or "").encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_keys_in_a_url_are_not_shown(show: Show, tmp_path: Path) -> None:
    show(exchange(*PIECES, url="http://h/v1/chat/completions?key=AIzaSecret"))
    assert "AIzaSecret" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_no_folder_of_this_machine_is_named(show: Show, tmp_path: Path) -> None:
    rules = tmp_path / "mine.yaml"
    rules.write_text("version: 1\ninclude: [default]\nrules: []\n")
    path = write_flows(tmp_path / "a.flow", exchange(*PIECES), exchange(*PIECES))
    path.write_bytes(path.read_bytes()[:-30])
    page = show(path, arguments=("--rules", rules), code=1)
    assert "a.flow is damaged or cut off after flow 1; the complete flows were read" in text_of(page)
    assert ("rules", "default-rename (default.yaml:30)") in rows(page)
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert str(tmp_path) not in written
    assert str(RULES.parent) not in written


def test_the_same_recording_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert cli.main(["show", str(STREAM), "--html", "page.html", "--rules", str(RULES / "kimi.yaml")]) == 0
        pages.append(Path("page.html").read_bytes())
    assert pages[0] == pages[1]


# --- sizes --------------------------------------------------------------------------------------------------------


def test_a_page_stays_usable_however_long_the_stream_was(show: Show, tmp_path: Path) -> None:
    count = 20_000
    pieces = [b'data: {"choices":[{"delta":{"reasoning":"thought "}}]}\n\n'] * (count - 5_000)
    pieces += [b'data: {"choices":[{"delta":{"content":"answer "}}]}\n\n'] * 5_000
    page = show(exchange(*pieces, times=[number / 100 for number in range(count)]))
    assert (tmp_path / "page.html").stat().st_size < 1_000_000
    found = [*marks(page, "reasoning"), *marks(page, "answer")]
    assert 300 < len(found) < 900
    events = [int(re.match(r"([\d,]+) events", text_of(one))[1].replace(",", "")) for one in found]  # type: ignore[index]
    assert sum(events) == count
    assert words(page, "sum") == ["15,000 events", "5,000 events"]


def test_huge_texts_and_many_changes_are_cut_and_counted(show: Show, tmp_path: Path) -> None:
    pieces = [event(chunk({"reasoning_content": "x" * 2_000})) for _ in range(300)]
    page = show(exchange(*pieces), arguments=("--rules", RULES / "default.yaml"))
    assert dict(rows(page))["reasoning"].endswith("x\n... 400,000 more characters")
    assert len(changes(page)) == 200
    assert "100 more changes: thinkwire show --diff prints them." in text_of(page)
    assert (tmp_path / "page.html").stat().st_size < 1_000_000


def test_many_choices_and_many_turns_of_talk_are_cut_and_counted(show: Show, tmp_path: Path) -> None:
    said = [chunk({name: "a"}, index=index) for index in range(20) for name in ("content", "reasoning") * 20]
    page = show(exchange(*map(event, said)))
    assert len(words(page, "lane")) == 16
    assert "4 more choices without a picture." in text_of(page)
    assert "420 more texts: thinkwire show prints them." in text_of(page)


# --- where it is written ------------------------------------------------------------------------------------------


def test_the_page_can_go_to_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main(["show", str(STREAM), "--html", "-"]) == 0
    assert parsed(capsysbinary.readouterr().out).tag == "html"


def test_a_page_is_overwritten_and_a_recording_is_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, show: Show
) -> None:
    show(exchange(*PIECES))
    show(exchange(*PIECES))
    path = tmp_path / "a.flow"
    before = path.read_bytes()
    assert cli.main(["show", str(path), "--html", str(path)]) == 2
    assert capsys.readouterr().err == f"thinkwire: {path} is the recording itself; name another file for the page\n"
    assert path.read_bytes() == before


def test_a_page_that_cannot_be_written_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "none" / "page.html"
    assert cli.main(["show", str(STREAM), "--html", str(out)]) == 2
    assert capsys.readouterr().err == f"thinkwire: cannot write {out}: no such file or directory\n"


@pytest.mark.parametrize("other", ["--diff", "--events"])
def test_a_page_is_not_asked_for_together_with_lines(capsys: pytest.CaptureFixture[str], other: str) -> None:
    assert cli.main(["show", str(STREAM), "--html", "-", other]) == 2
    assert "not allowed with argument" in capsys.readouterr().err
