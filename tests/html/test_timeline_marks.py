"""What a picture shows of each event, and what the rules hide of it."""

from tests.rewrite.answers import CHAT_REQUEST, chunk, event
from thinkwire.html.timeline_marks import ContentPair, ItemKind, in_order, timeline_items
from thinkwire.rewrite.reading.event_reader import FrameReader
from thinkwire.rewrite.reading.transcript import Assembler, EventContent
from thinkwire.rewrite.stream.sniff import BodyFormat


def contents(*documents: object) -> list[EventContent]:
    reader, assembler = FrameReader.of(BodyFormat.EVENTS), Assembler(CHAT_REQUEST)
    return [assembler.read(one) for document in documents for one in reader.feed(event(document))]


def items(*pairs: tuple[EventContent, list[EventContent]]) -> list[tuple[ItemKind, str, int]]:
    found = timeline_items(ContentPair(said, got) for said, got in pairs)
    return [(one.kind, one.text, one.released) for one in found]


def test_what_the_client_does_not_get_is_hidden() -> None:
    reasoning, answer = contents(chunk({"reasoning": "Hm"}), chunk({"content": "Hi"}))
    assert items((reasoning, []), (answer, [answer])) == [(ItemKind.HIDDEN, "Hm", 0), (ItemKind.ANSWER, "Hi", 0)]


def test_what_was_held_back_is_released_by_a_later_event() -> None:
    first, second, whole = contents(chunk({"content": "<thi"}), chunk({"content": "s>"}), chunk({"content": "<this>"}))
    assert items((first, []), (second, [whole])) == [(ItemKind.HIDDEN, "<thi", 0), (ItemKind.ANSWER, "<this>", 4)]


def test_choices_with_names_come_last() -> None:
    assert in_order(["b", 10, 2, "a"]) == [2, 10, "a", "b"]
