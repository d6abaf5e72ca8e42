"""Collects the turns of chat completions and similar answers, for what the next requests must bring back."""

from collections.abc import Iterable
from typing import Any, Final

from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Part, Update
from thinkwire.dialects.history.base import (
    DISCARD,
    Pieces,
    SplitTags,
    TextSink,
    Turn,
    TurnReasoning,
    call_key,
    text_keys,
)
from thinkwire.wire.splice import to_document


class _Call:
    """A tool call, which comes whole or in pieces: the id and the name first, then the arguments."""

    def __init__(self) -> None:
        self.identity: object = None
        self.name: object = None
        self.pieces = Pieces()
        self.arguments: object = None
        """If they are not a text."""

    def add(self, call: dict[str, Any]) -> None:
        self.identity = call.get("id") or self.identity
        function = call.get("function")
        if not isinstance(function, dict):
            return
        self.name = function.get("name") or self.name
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self.pieces.add(arguments)
        elif arguments is not None:
            self.arguments = arguments

    @property
    def key(self) -> str:
        return call_key(self.name, self.pieces.text if self.pieces else self.arguments, self.identity)


class _Choice:
    """The contents of one choice."""

    def __init__(self) -> None:
        self.reasoning = Pieces()
        self.text = Pieces()
        self.calls: dict[object, _Call] = {}
        self.details: list[Any] = []

    def turn(self, split_tags: SplitTags) -> Turn:
        keys = tuple(call.key for call in self.calls.values())
        tagged, text = split_tags(self.text.text)
        details = to_document(self.details)
        reasoning = TurnReasoning(self.reasoning.text or tagged, ((0, details),) if self.details else ())
        return Turn(keys or text_keys(text), reasoning=reasoning)


class ChatTurnCollector:
    """Collects an answer of choices."""

    is_due = False  # calls are complete with the finish

    def __init__(self, split_tags: SplitTags) -> None:
        self._split_tags = split_tags
        self._choices: dict[ItemKey, _Choice] = {}

    def collect(self, updates: list[Update], extent: Extent) -> TextSink | None:
        sinks = [self._collect(update, extent) for update in updates if update.extent is extent and update.item]
        found = [sink for sink in sinks if sink is not DISCARD]
        return None if len(found) > 1 else found[0] if found else DISCARD

    def turns(self) -> Iterable[Turn]:
        return [choice.turn(self._split_tags) for choice in self._choices.values()]

    def _collect(self, update: Update, extent: Extent) -> TextSink | None:
        assert update.item is not None
        choice = self._choices.setdefault(update.item, _Choice())
        texts = [part.node for part in update.of(Kind.TEXT) if part.node.is_string and not part.node.is_empty]
        for node in texts:
            choice.text.take(node)
        blocks = [part for part in update.of(Kind.REASONING) if part.is_blocks]
        for part in blocks:
            if part.node.key == "reasoning_details" and part.node.is_list:
                for element in part.node.value:
                    _add_detail(choice.details, element, is_piece=extent is Extent.DELTA)
        named = [part for part in update.of(Kind.REASONING) if part.node.is_string and part.is_meaningful]
        spoken = (
            [min(named, key=lambda part: part.rank)]
            if named
            else [leaf for part in blocks for leaf in _text_leaves(part)]
        )
        for part in spoken:
            choice.reasoning.take(part.node)
        calls = update.of(Kind.TOOL_CALL)
        if calls:
            return _collect_calls(calls, choice)
        if blocks:
            return None
        return choice.text if texts and not spoken else choice.reasoning if spoken and not texts else DISCARD


def _text_leaves(part: Part) -> Iterable[Part]:
    return (leaf for leaf in part.leaves if leaf.kind is Kind.REASONING and leaf.node.is_string)


def _collect_calls(parts: list[Part], choice: _Choice) -> TextSink | None:
    """Returns where more arguments go, if the document holds only arguments of one call."""
    found: list[tuple[_Call, dict[str, Any]]] = []
    for part in parts:
        value = part.node.value
        for position, call in enumerate(value if isinstance(value, list) else ()):
            if isinstance(call, dict):
                index = call.get("index", len(choice.calls) if call.get("id") else position)
                known = choice.calls.setdefault(index, _Call())
                known.add(call)
                found.append((known, call))
    if len(found) == 1 and not found[0][1].get("id") and _has_arguments_alone(found[0][1]):
        return found[0][0].pieces
    return None


def _has_arguments_alone(call: dict[str, Any]) -> bool:
    function = call.get("function")
    return isinstance(function, dict) and isinstance(function.get("arguments"), str) and not function.get("name")


def _add_detail(details: list[Any], element: Any, *, is_piece: bool) -> None:
    """In a stream, an element continues the previous one of the same type and index, until that is signed."""
    before = details[-1] if details else None
    if not (is_piece and isinstance(element, dict) and isinstance(before, dict) and _continues(before, element)):
        details.append(element)
        return
    for name, value in element.items():
        if name in _CONTINUED and isinstance(value, str) and isinstance(before.get(name), str):
            before[name] += value
        elif value is not None:
            before[name] = value


_CONTINUED: Final = frozenset(("text", "summary"))


def _continues(before: dict[str, Any], element: dict[str, Any]) -> bool:
    """Does the element continue the previous one? Encrypted ones are whole, and a signature ends one."""
    if element.get("index") is None or before.get("signature") or "data" in element:
        return False
    same = all(before.get(name) == element.get(name) for name in ("type", "index"))
    return same and (element.get("id") is None or before.get("id") in (None, element["id"]))
