"""Earlier turns in the requests of chat completions and of those that are like them: Ollama, Anthropic Messages.

Clients keep a thought as a member of the message under any name, as a list of blocks beside the content, as parts of
the content, or as tagged text in front of it (dialects.md sections 7-16, 19, 21, 23).
"""

import json
from collections.abc import Iterable
from typing import Any, Final

from thinkwire.dialects.chat_completions import CONTENT_PART, MESSAGE_MEMBERS
from thinkwire.dialects.conversation import (
    Conversation,
    Sink,
    TellApart,
    Thought,
    Turn,
    call_key,
    last_said,
    said_by,
    since,
    text_key,
)
from thinkwire.dialects.history import Form
from thinkwire.dialects.parts import Extent, Kind, Level, Owner, Part, Update
from thinkwire.dialects.pieces import UNHEARD, Pieces
from thinkwire.dialects.places import OTHER, REASONING, ROLE, TOOL_CALL
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import Edits, quote_text

__all__ = ["CHAT_CONVERSATION", "OLLAMA_CONVERSATION", "assistant_table", "last_user", "visible_text"]

# --- a request ---------------------------------------------------------------------------------------------------

CONTENT: Final = Shape(elements=CONTENT_PART, label=Level(filler='{"type":"text","text":""}'))
"""A list of content; unlike that of an answer, one that has lost all its parts stays a list."""


def assistant_table(members: dict[str, Any]) -> Shape:
    """The table of a request with a list of messages, of which those of the assistant have these members."""
    said = Shape(members={"role": ROLE, **members}, other=OTHER, label=Level(opens=True, bears_names=True))
    message = Shape(switch="role", cases={"assistant": said}, members={})
    return Shape(members={"messages": Shape(elements=message)}, other=OTHER)


def _turns(root: Node, updates: list[Update]) -> Iterable[Turn]:
    by_node = {update.node: update for update in updates}
    messages = root.child("messages")
    user, steps = "", 0
    for node in messages.children if messages is not None else ():
        role = node.child("role")
        if role is not None and role.raw == '"user"':
            content = node.child("content")
            user, steps = said_by(content.value) if content is not None else "", 0
        elif (update := by_node.get(node)) is not None:
            lacks = not any(_holds_thought(part) for part in update.parts)
            yield Turn(_keys(node.value), since(user, steps), node, update, lacks)
            steps += 1


def _holds_thought(part: Part) -> bool:
    return part.kind in (Kind.REASONING, Kind.OPAQUE) and part.says_something and not part.is_mark


def _keys(message: Any) -> tuple[str, ...]:
    calls = message.get("tool_calls")
    keys = [_key_of_call(call) for call in calls] if isinstance(calls, list) else []
    text = visible_text(message.get("content"))
    return tuple(filter(None, keys)) or ((text_key(text),) if text.strip() else ())


def _key_of_call(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return ""
    return call_key(function.get("name"), function.get("arguments"), call.get("id"))


def visible_text(content: Any) -> str:
    """The text of a message's content, thoughts left out."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type", "text") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def last_user(body: object) -> str:
    messages = body.get("messages") if isinstance(body, dict) else None
    return last_said(messages, "role", "assistant", "content")


# --- an answer ---------------------------------------------------------------------------------------------------


class _Choice:
    """What was said in one choice."""

    def __init__(self) -> None:
        self.reasoning = Pieces()
        self.text = Pieces()
        self.calls: dict[object, dict[str, Any]] = {}
        self.details: list[Any] = []

    def turn(self, tell_apart: TellApart) -> Turn:
        keys = tuple(call_key(call["name"], call["arguments"], call["id"]) for call in self.calls.values())
        tagged, text = tell_apart(self.text.text)
        details = (
            json.dumps(_merged(self.details), ensure_ascii=False).encode("utf-8", "surrogatepass").decode("latin-1")
        )
        thought = Thought(self.reasoning.text or tagged, ((0, details),) if self.details else ())
        return Turn(keys or ((text_key(text),) if text.strip() else ()), thought=thought)


class _ChatListener:
    """Hears an answer of choices."""

    is_due = False  # calls are complete with the finish

    def __init__(self, tell_apart: TellApart) -> None:
        self._tell_apart = tell_apart
        self._choices: dict[Owner, _Choice] = {}

    def hear(self, updates: list[Update], extent: Extent) -> Sink | None:
        sinks = [self._hear(update) for update in updates if update.extent is extent and update.owner is not None]
        heard = [sink for sink in sinks if sink is not UNHEARD]
        return None if len(heard) > 1 else heard[0] if heard else UNHEARD

    def turns(self) -> Iterable[Turn]:
        return [choice.turn(self._tell_apart) for choice in self._choices.values()]

    def _hear(self, update: Update) -> Sink | None:
        assert update.owner is not None
        choice = self._choices.setdefault(update.owner, _Choice())
        calls = update.of(Kind.TOOL_CALL)
        for part in calls:
            _hear_calls(part.node, choice)
        texts = [part.node for part in update.of(Kind.TEXT) if part.node.is_string and not part.node.is_empty]
        for node in texts:
            choice.text.take(node)
        blocks = [part for part in update.of(Kind.REASONING) if part.is_blocks]
        for part in blocks:
            if part.node.key == "reasoning_details" and isinstance(part.node.value, list):
                choice.details += part.node.value
        named = [part for part in update.of(Kind.REASONING) if part.node.is_string and part.says_something]
        thoughts = [min(named, key=_rank)] if named else [leaf for part in blocks for leaf in _text_leaves(part)]
        for part in thoughts:
            choice.reasoning.take(part.node)
        if blocks or (calls and not all(call["id"] for call in choice.calls.values())):
            return None  # what is known by its id needs no more of its arguments
        return choice.text if texts and not thoughts else choice.reasoning if thoughts and not texts else UNHEARD


def _text_leaves(part: Part) -> Iterable[Part]:
    return (leaf for leaf in part.leaves if leaf.kind is Kind.REASONING and leaf.node.is_string)


def _rank(part: Part) -> int:
    return part.place.rank if part.place is not None and part.place.rank is not None else 0


def _hear_calls(node: Node, choice: _Choice) -> None:
    """Calls come whole, or in pieces: the id and the name first, then the arguments."""
    value = node.value
    for position, call in enumerate(value if isinstance(value, list) else ()):
        if not isinstance(call, dict):
            continue
        function = call.get("function")
        known = choice.calls.setdefault(
            call.get("index", len(choice.calls) if call.get("id") else position),
            {"id": None, "name": None, "arguments": None},
        )
        known["id"] = call.get("id") or known["id"]
        if isinstance(function, dict):
            known["name"] = function.get("name") or known["name"]
            arguments = function.get("arguments")
            is_piece = isinstance(arguments, str) and isinstance(known["arguments"], str)
            known["arguments"] = known["arguments"] + arguments if is_piece else arguments or known["arguments"]


def _merged(details: list[Any]) -> list[Any]:
    """Elements of one index continue each other: their texts are joined, and the rest comes when it comes."""
    result: list[Any] = []
    by_index: dict[tuple[object, object], dict[str, Any]] = {}
    for element in details:
        index = (element.get("type"), element.get("index")) if isinstance(element, dict) else (None, None)
        known = by_index.get(index) if index[1] is not None else None
        if known is None:
            result.append(dict(element) if isinstance(element, dict) else element)
            if index[1] is not None:
                by_index[index] = result[-1]
            continue
        for name, value in element.items():
            is_piece = name in _CONTINUED and isinstance(value, str) and isinstance(known.get(name), str)
            if is_piece:
                known[name] += value
            elif value is not None:
                known[name] = value
    return result


_CONTINUED: Final = frozenset(("text", "summary", "data", "thinking"))


def _put_back(turn: Turn, thought: Thought, edits: Edits) -> None:
    """The details as they came, or made of the text."""
    assert turn.node is not None
    role = turn.node.child("role")
    assert role is not None  # it is what makes the message the assistant's
    details = thought.blocks[0][1] if thought.blocks else ""
    made = f'[{{"type":"reasoning.text","text":{quote_text(thought.text)}}}]'
    edits.insert_after(role, "reasoning_details", details or made)


CHAT_CONVERSATION: Final = Conversation(
    table=assistant_table(MESSAGE_MEMBERS | {"content": CONTENT}),
    turns=_turns,
    last_user=last_user,
    listener=_ChatListener,
    put_back=_put_back,
    forms={
        Form.REASONING_CONTENT: "reasoning_content",
        Form.REASONING: "reasoning",
        Form.DETAILS: "",
        Form.CONTENT_LIST: "",
        Form.INLINE: "",
        Form.DROP: "",
    },
)
OLLAMA_CONVERSATION: Final = Conversation(
    table=assistant_table({"thinking": REASONING, "content": CONTENT, "tool_calls": TOOL_CALL}),
    turns=_turns,
    last_user=last_user,
    listener=_ChatListener,
    put_back=lambda _turn, _thought, _edits: None,
    forms={Form.THINKING: "thinking", Form.INLINE: "", Form.DROP: ""},
)
