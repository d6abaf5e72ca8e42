"""Reasoning that the client has lost comes back in its next request, in each API that wants it."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import STRIP, TO_REASONING, chunk, event, stream
from tests.rewrite.extract.test_extractor import framed, message
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.dialects.registry import CONVERSATIONS
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.history.mapper import Mapped, map_history
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.history.recorder import ReasoningCapture
from thinkwire.rewrite.plan import Extract, History, Keep, RequestPlan, ResponsePlan, To
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import ContentHint, StreamRewriter
from thinkwire.wire.json_tree import Unreadable

CALLER = b"c" * 16
KEEP = ResponsePlan(Keep())
CHAT = "chat-completions"
SIZES = pytest.mark.parametrize("size", [1, 7, None])


class Session:
    """One caller's requests and answers."""

    def __init__(self, dialect: str, plan: ResponsePlan = STRIP, host: str = "provider.test") -> None:
        self.memory = Memory(1_000_000, 60.0, lambda: 0.0)
        self.dialect = dialect
        self.plan = plan
        self.host = host

    def answered(self, request: dict[str, Any], raw: bytes, size: int | None = None) -> bytes:
        """What the client gets of an answer."""
        machine = StreamRewriter(self._answer(request), self._label, None, 10.0, 0.0)
        step = size or len(raw)
        pieces = [one for at in range(0, len(raw), step) for one in machine.feed(raw[at : at + step], 0.0)]
        return b"".join([*pieces, *machine.finish()])

    def answered_whole(self, request: dict[str, Any], body: dict[str, Any]) -> None:
        rewrite_body(json.dumps(body).encode(), self._answer(request))

    def asked(self, request: dict[str, Any], history: History | To = To.KEEP) -> Mapped:
        plan = RequestPlan(history=history if isinstance(history, History) else History(history), restore=True)
        raw = json.dumps(request, ensure_ascii=False).encode()
        extract = self.plan.extract
        family = extract.family if extract is not None else None
        return map_history(raw, plan, self._facts(request), family, lambda turn: self.memory.recall(CALLER, turn))

    def said(self, request: dict[str, Any], history: History | To = To.KEEP) -> dict[str, Any]:
        """The assistant's message in the request that goes up."""
        messages = json.loads(self.asked(request, history).raw)["messages"]
        return next(dict(one) for one in messages if one["role"] == "assistant")

    @property
    def _label(self) -> ContentHint:
        return ContentHint.LINES if self.dialect == "ollama" else ContentHint.EVENTS

    def _facts(self, request: dict[str, Any]) -> RequestFacts:
        return RequestFacts(self.host, "/", "POST", (), request, self.dialect, request.get("model"))

    def _answer(self, request: dict[str, Any]) -> AnswerRewriter:
        conversation = CONVERSATIONS[self.dialect]
        user = conversation.last_user(request)
        hearing = ReasoningCapture(self.memory, CALLER, conversation, user, self.plan.extract)
        return AnswerRewriter(self.plan, self._facts(request), capture=hearing)


# --- chat completions -------------------------------------------------------------------------------------------

USER = {"role": "user", "content": "q"}
ASKED = {"model": "deepseek-v4", "messages": [USER]}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "x"}
NEXT = {"model": "deepseek-v4", "messages": [USER, CALLED, RESULT]}
WORDS = ["Hm,", " é", " \ud83d", "\ude00", ' "so"'] + [f" {number}" for number in range(20)]
THOUGHT = "".join(WORDS).encode("utf-16", "surrogatepass").decode("utf-16")


def calling(name: str = "reasoning_content") -> bytes:
    head = CALL | {"index": 0, "function": {"name": "f", "arguments": ""}}
    pieces = ['{"a"', ": 1", "}"]
    return stream(
        chunk({"role": "assistant", "content": ""}),
        *(json.dumps(chunk({name: word})) for word in WORDS),
        chunk({"tool_calls": [head]}),
        *(chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in pieces),
        chunk(finish_reason="tool_calls"),
    )


@SIZES
@pytest.mark.parametrize("plan", [STRIP, TO_REASONING, KEEP])
@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_a_call_gets_its_reasoning_back(plan: ResponsePlan, name: str, size: int | None) -> None:
    session = Session(CHAT, plan)
    session.answered(ASKED, calling(name), size)
    assert session.said(NEXT, To.REASONING_CONTENT) == CALLED | {"reasoning_content": THOUGHT}
    assert session.said(NEXT, To.REASONING) == CALLED | {"reasoning": THOUGHT}
    assert session.said(NEXT) == CALLED | {"reasoning_content": THOUGHT}  # as the table says of this model
    assert session.said(NEXT, To.INLINE)["content"] == f"<think>\n{THOUGHT}\n</think>\n\n"
    assert "reasoning put back: 1" in session.asked(NEXT).notes


def test_a_whole_answer_is_remembered_too() -> None:
    session = Session(CHAT)
    message = CALLED | {"reasoning_content": "Hm"}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    session.answered_whole(ASKED, {"object": "chat.completion", "choices": [choice]})
    assert session.said(NEXT)["reasoning_content"] == "Hm"


def test_it_is_there_as_soon_as_the_finish_is() -> None:
    session = Session(CHAT)
    raw = calling()
    before_end_mark = raw.removesuffix(b"data: [DONE]\n\n")
    machine = StreamRewriter(session._answer(ASKED), ContentHint.EVENTS, None, 10.0, 0.0)
    machine.feed(before_end_mark, 0.0)
    assert session.said(NEXT)["reasoning_content"] == THOUGHT


def test_what_the_client_still_has_is_not_touched() -> None:
    session = Session(CHAT)
    session.answered(ASKED, calling())
    kept = {"model": "deepseek-v4", "messages": [USER, CALLED | {"reasoning_content": "mine"}, RESULT]}
    assert session.asked(kept).raw == json.dumps(kept).encode()


def test_nothing_is_put_back_where_nobody_knows_a_form() -> None:
    session = Session(CHAT)
    unknown = NEXT | {"model": "m"}
    session.answered(ASKED | {"model": "m"}, calling())
    assert session.said(unknown) == CALLED
    assert session.said(unknown, To.AUTO) == CALLED
    assert session.said(unknown, To.DROP) == CALLED


def test_what_is_forgotten_is_filled_or_said() -> None:
    session = Session(CHAT)
    assert session.said(NEXT, History(To.REASONING_CONTENT, fill="")) == CALLED | {"reasoning_content": ""}
    assert "turns with calls but no reasoning, and none remembered: 1" in session.asked(NEXT).notes


def test_a_text_gets_its_reasoning_back() -> None:
    session = Session(CHAT)
    raw = stream(chunk({"reasoning_content": "Hm"}), chunk({"content": "Hello"}), chunk({"content": " you"}, 0))
    session.answered(ASKED, raw + event(chunk(finish_reason="stop")))
    said = {"role": "assistant", "content": "Hello you\n"}
    again = {"model": "deepseek-v4", "messages": [USER, said, {"role": "user", "content": "r"}]}
    assert session.said(again) == said | {"reasoning_content": "Hm"}
    parts = {"role": "user", "content": [{"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}]}
    assert session.said(again | {"messages": [parts, said]}) == said | {"reasoning_content": "Hm"}
    assert session.said(again | {"messages": [{"role": "user", "content": "else"}, said]}) == said


@pytest.mark.parametrize("content", ["", None, [], [{"type": "image_url", "image_url": {"url": "x"}}]])
def test_a_question_without_a_word_is_one(content: Any) -> None:
    session = Session(CHAT)
    before = [USER, {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": content}]
    raw = stream(chunk({"reasoning_content": "Hm"}), chunk({"content": "Hello"}), chunk(finish_reason="stop"))
    session.answered({"model": "deepseek-v4", "messages": before}, raw)
    said = {"role": "assistant", "content": "Hello"}
    after = json.loads(session.asked({"model": "deepseek-v4", "messages": [*before, said]}).raw)["messages"]
    assert after[-1] == said | {"reasoning_content": "Hm"}


def test_choices_and_turns_are_extracted() -> None:
    session = Session(CHAT)
    raw = stream(
        chunk({"reasoning_content": "A"}, 0),
        chunk({"reasoning_content": "B"}, 1),
        chunk({"content": "a"}, 0),
        chunk({"content": "b"}, 1),
        chunk(index=0, finish_reason="stop"),
        chunk(index=1, finish_reason="stop"),
    )
    session.answered(ASKED, raw)
    for text in "ab":
        said = {"role": "assistant", "content": text}
        assert session.said(ASKED | {"messages": [USER, said]})["reasoning_content"] == text.upper()


def test_details_come_back_as_they_came_with_what_is_encrypted() -> None:
    session = Session(CHAT, host="openrouter.ai")
    base = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1"}
    raw = stream(
        chunk({"reasoning": "Hm", "reasoning_details": [base | {"text": "Hm"}]}),
        chunk({"reasoning": " so", "reasoning_details": [base | {"text": " so"}]}),
        chunk({"reasoning_details": [base | {"signature": "c2ln"}]}),
        chunk({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "xyz"}]}),
        chunk({"tool_calls": [CALL | {"index": 0}]}),
        chunk(finish_reason="tool_calls"),
    )
    session.answered(ASKED | {"model": "m"}, raw)
    whole = [base | {"text": "Hm so", "signature": "c2ln"}, {"type": "reasoning.encrypted", "index": 1, "data": "xyz"}]
    assert session.said(NEXT | {"model": "m"}) == CALLED | {"reasoning_details": whole}


def test_reasoning_in_the_text_is_remembered_as_the_client_sees_it() -> None:
    plan = ResponsePlan(Keep(), extract=Extract(FAMILIES["think"]))
    session = Session(CHAT, plan)
    raw = stream(
        *(chunk({"content": word}) for word in ("<think>", "Hm", "</think>", "Hello")), chunk(finish_reason="stop")
    )
    session.answered(ASKED, raw)
    said = {"role": "assistant", "content": "Hello"}
    assert session.said(ASKED | {"messages": [USER, said]}) == said | {"reasoning_content": "Hm"}


def test_calls_without_ids_are_known_by_what_they_ask_for() -> None:
    session = Session("ollama")
    call = {"function": {"name": "f", "arguments": {"a": 1, "b": 2}}}
    lines = [
        {"message": {"role": "assistant", "content": "", "thinking": "Hm"}, "done": False},
        {"message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False},
        {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
    ]
    asked = {"model": "qwen3", "messages": [USER]}
    session.answered(asked, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    again = {"function": {"name": "f", "arguments": {"b": 2, "a": 1}}}
    said = {"role": "assistant", "content": "", "tool_calls": [again]}
    assert session.said({"model": "qwen3", "messages": [USER, said]}) == said | {"thinking": "Hm"}


# --- Messages ---------------------------------------------------------------------------------------------------

THINKING = {"type": "thinking", "thinking": "é Hm so", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "b3BhcXVl"}
SAID = {"type": "text", "text": "Look:"}
USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}
MORE = {"type": "tool_use", "id": "t2", "name": "f", "input": {}}
MESSAGES_ASKED = {"model": "claude", "messages": [USER]}


def blocks(*content: dict[str, Any]) -> bytes:
    documents = message()[:1]
    for index, block in enumerate(content):
        begun, deltas = dict(block), []
        if block["type"] == "thinking":
            begun |= {"thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": char} for char in block["thinking"]]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif block["type"] == "text":
            begun["text"] = ""
            deltas = [{"type": "text_delta", "text": char} for char in block["text"]]
        elif block["type"] == "tool_use":
            begun["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        documents.append({"type": "content_block_start", "index": index, "content_block": begun})
        documents += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        documents.append({"type": "content_block_stop", "index": index})
    return framed([*documents, *message()[-2:]])


def messages_next(*content: dict[str, Any]) -> dict[str, Any]:
    said = {"role": "assistant", "content": list(content)}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]}
    return {"model": "claude", "messages": [USER, said, result]}


@SIZES
@pytest.mark.parametrize("plan", [STRIP, KEEP])
@pytest.mark.parametrize(
    "content",
    [
        (THINKING, USE),
        (THINKING, REDACTED, SAID, USE),
        (REDACTED, SAID, THINKING, USE, THINKING | {"thinking": "again"}, MORE),
    ],
)
def test_signed_blocks_come_back_where_they_stood(
    content: tuple[dict[str, Any], ...], plan: ResponsePlan, size: int | None
) -> None:
    session = Session("anthropic-messages", plan)
    session.answered(MESSAGES_ASKED, blocks(*content), size)
    visible = [block for block in content if block not in (REDACTED,) and block["type"] != "thinking"]
    assert session.said(messages_next(*visible))["content"] == list(content)
    body = {"type": "message", "role": "assistant", "content": list(content), "stop_reason": "tool_use", "usage": {}}
    whole = Session("anthropic-messages", plan)
    whole.answered_whole(MESSAGES_ASKED, body)
    assert whole.said(messages_next(*visible))["content"] == list(content)


def test_blocks_stand_first_where_the_client_left_others_out() -> None:
    session = Session("anthropic-messages")
    session.answered(MESSAGES_ASKED, blocks(THINKING, SAID, USE))
    assert session.said(messages_next(USE))["content"] == [THINKING, USE]


def test_a_text_message_gets_its_blocks_back() -> None:
    session = Session("anthropic-messages")
    session.answered(MESSAGES_ASKED, blocks(THINKING, SAID))
    said = {"role": "assistant", "content": "Look:"}
    assert session.said({"messages": [USER, said]})["content"] == [THINKING, SAID]


CALL_PART = {"functionCall": {"name": "f", "args": {}, "id": "g1"}}


# --- Gemini -----------------------------------------------------------------------------------------------------


def test_the_signatures_of_calls_come_back() -> None:
    session = Session("gemini", KEEP)
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    calls = [{"functionCall": {"name": "f", "args": {"a": number}}} for number in (1, 2)]
    parts = [{"text": "Hm", "thought": True}, calls[0] | {"thoughtSignature": "abc"}, calls[1]]
    raw = b"".join(
        event({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}) for part in parts
    )
    session.answered(asked, raw + event({"candidates": [{"index": 0, "finishReason": "STOP"}]}))
    result = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}
    again = {"contents": [*asked["contents"], {"role": "model", "parts": calls}, result]}
    assert json.loads(session.asked(again).raw)["contents"][1]["parts"] == [parts[1], calls[1]]
    kept = {"contents": [*asked["contents"], {"role": "model", "parts": parts[1:]}, result]}
    assert session.asked(kept).raw == json.dumps(kept).encode()


def gemini_answer(*parts: dict[str, Any]) -> bytes:
    contents = ({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} for part in parts)
    return b"".join(map(event, contents)) + event({"candidates": [{"index": 0, "finishReason": "STOP"}]})


def test_the_same_call_again_has_a_signature_of_its_own() -> None:
    session = Session("gemini", KEEP)
    poll = {"functionCall": {"name": "poll", "args": {}}}
    result = {"role": "user", "parts": [{"functionResponse": {"name": "poll", "response": {"done": False}}}]}
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "q"}]}]
    for turn in range(3):
        session.answered({"contents": contents}, gemini_answer(poll | {"thoughtSignature": f"s{turn}"}))
        contents = [*contents, {"role": "model", "parts": [poll]}, result]
    after = json.loads(session.asked({"contents": contents}).raw)["contents"]
    assert [one["parts"][0]["thoughtSignature"] for one in after if one["role"] == "model"] == ["s0", "s1", "s2"]


def test_the_same_question_again_gets_the_last_signature() -> None:
    session = Session("gemini", KEEP)
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    for signature in ("of yesterday", "of today"):
        session.answered(asked, gemini_answer(CALL_PART | {"thoughtSignature": signature}))
    again = {"contents": [*asked["contents"], {"role": "model", "parts": [CALL_PART]}]}
    after = json.loads(session.asked(again).raw)["contents"]
    assert after[1]["parts"][0]["thoughtSignature"] == "of today"


def test_the_later_ones_of_several_calls_lack_nothing() -> None:
    gemini = Session("gemini", KEEP)
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    other = {"functionCall": {"name": "f", "args": {}, "id": "g2"}}
    gemini.answered(asked, gemini_answer(CALL_PART | {"thoughtSignature": "s"}, other))
    both = {"contents": [*asked["contents"], {"role": "model", "parts": [CALL_PART, other]}]}
    assert gemini.asked(both).notes == ["reasoning put back: 1"]
    responses = Session("openai-responses", KEEP)
    second = FUNCTION | {"id": "fc_2", "call_id": "k2"}
    responses.answered({"input": "q"}, response(REASONING, FUNCTION, second))
    again = {"input": [{"role": "user", "content": "q"}, FUNCTION, second]}
    assert responses.asked(again).notes == ["reasoning put back: 1"]


# --- Responses --------------------------------------------------------------------------------------------------

REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "xyz"}
FUNCTION = {"id": "fc_1", "type": "function_call", "call_id": "k1", "name": "f", "arguments": "{}"}
ANSWER = {"id": "m1", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}


def response(*items: dict[str, Any]) -> bytes:
    frame = {"id": "r", "object": "response", "status": "in_progress"}
    documents: list[dict[str, Any]] = [{"type": "response.created", "response": frame}]
    for index, item in enumerate(items):
        for event_ in ("added", "done"):
            documents.append({"type": f"response.output_item.{event_}", "output_index": index, "item": item})
    done = frame | {"status": "completed", "output": list(items)}
    return framed([*documents, {"type": "response.completed", "response": done}])


@SIZES
@pytest.mark.parametrize("plan", [STRIP, KEEP])
def test_reasoning_items_come_back_in_front_of_theirs(plan: ResponsePlan, size: int | None) -> None:
    session = Session("openai-responses", plan)
    user = {"role": "user", "content": "q"}
    second = REASONING | {"id": "rs_2"}
    session.answered({"input": "q"}, response(REASONING, FUNCTION, second, ANSWER), size)
    again = {"input": [user, FUNCTION, {"type": "function_call_output", "call_id": "k1", "output": "x"}, ANSWER]}
    items = json.loads(session.asked(again).raw)["input"]
    assert items == [user, REASONING, FUNCTION, again["input"][2], second, ANSWER]
    kept = {"input": items}
    assert session.asked(kept).raw == json.dumps(kept).encode()
    whole = Session("openai-responses", plan)
    whole.answered_whole({"input": "q"}, {"object": "response", "output": [REASONING, FUNCTION, second, ANSWER]})
    assert json.loads(whole.asked(again).raw)["input"] == items


@pytest.mark.parametrize(
    ("dialect", "asked", "raw", "last", "again"),
    [
        (
            "openai-responses",
            {"input": "q"},
            response(REASONING, FUNCTION),
            b"response.completed",
            {"input": [{"role": "user", "content": "q"}, FUNCTION]},
        ),
        ("anthropic-messages", MESSAGES_ASKED, blocks(THINKING, USE), b"message_delta", messages_next(USE)),
        (
            "gemini",
            {"contents": [{"role": "user", "parts": [{"text": "q"}]}]},
            gemini_answer(CALL_PART | {"thoughtSignature": "s"}),
            b"finishReason",
            {"contents": [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [CALL_PART]}]},
        ),
    ],
)
def test_a_client_may_act_on_a_call_before_the_answer_ends(
    dialect: str, asked: dict[str, Any], raw: bytes, last: bytes, again: dict[str, Any]
) -> None:
    session = Session(dialect, KEEP)
    machine = StreamRewriter(session._answer(asked), ContentHint.EVENTS, None, 10.0, 0.0)
    machine.feed(raw[: raw.index(last)], 0.0)
    assert session.asked(again).notes == ["reasoning put back: 1"]


# --- what a request must be like -----------------------------------------------------------------------------------


def test_an_item_without_an_id_needs_nothing() -> None:
    session = Session("openai-responses", KEEP)
    session.answered({"input": "q"}, response(REASONING, FUNCTION, REASONING | {"id": "rs_2"}, ANSWER))
    bare = {name: value for name, value in FUNCTION.items() if name != "id"}
    easy = {"role": "assistant", "content": "Hi"}
    asked = {"input": [{"role": "user", "content": "q"}, bare, easy]}
    assert session.asked(asked).raw == json.dumps(asked).encode()


@pytest.mark.parametrize("item", [REASONING, {"id": "rs_1", "type": "reasoning", "summary": []}])
def test_what_is_not_stored_comes_back_only_where_it_is_encrypted(item: dict[str, Any]) -> None:
    session = Session("openai-responses", KEEP)
    session.answered({"input": "q"}, response(item, FUNCTION))
    asked = {"store": False, "input": [{"role": "user", "content": "q"}, FUNCTION]}
    after = json.loads(session.asked(asked).raw)["input"]
    assert after[1:] == ([item, FUNCTION] if "encrypted_content" in item else [FUNCTION])


def test_items_of_all_kinds_are_known_by_their_ids() -> None:
    session = Session("openai-responses", KEEP)
    search = {"id": "ws_1", "type": "web_search_call", "status": "completed"}
    second = REASONING | {"id": "rs_2"}
    session.answered({"input": "q"}, response(REASONING, search, second, FUNCTION))
    reference = {"type": "item_reference", "id": "fc_1"}
    asked = {"input": [{"role": "user", "content": "q"}, search, reference]}
    assert json.loads(session.asked(asked).raw)["input"][1:] == [REASONING, search, second, reference]


def test_the_same_id_for_another_call_is_another_call() -> None:
    session = Session(CHAT)
    session.answered(ASKED, calling())
    bob = CALL | {"function": {"name": "f", "arguments": '{"q": "bob"}'}}
    asked = {"model": "deepseek-v4", "messages": [{"role": "user", "content": "r"}, CALLED | {"tool_calls": [bob]}]}
    assert session.said(asked) == CALLED | {"tool_calls": [bob]}
    spelled = CALL | {"function": {"name": "f", "arguments": '{"a":1.0}'}}
    same = asked | {"messages": [{"role": "user", "content": "r"}, CALLED | {"tool_calls": [spelled]}]}
    assert session.said(same)["reasoning_content"] == THOUGHT


def test_details_of_one_index_stay_what_they_are() -> None:
    sealed = [{"type": "reasoning.encrypted", "index": 0, "id": f"c{n}", "data": f"{n}AA="} for n in range(2)]
    signed = [{"type": "reasoning.text", "index": 0, "text": f"t{n}", "signature": f"s{n}"} for n in range(2)]
    for details in (sealed, signed):
        streamed = Session(CHAT, host="openrouter.ai")
        chunks = [chunk({"reasoning_details": [one]}) for one in details]
        streamed.answered(
            ASKED, stream(*chunks, chunk({"tool_calls": [CALL | {"index": 0}]}), chunk(finish_reason="stop"))
        )
        whole = Session(CHAT, host="openrouter.ai")
        choice = {"index": 0, "message": CALLED | {"reasoning_details": details}, "finish_reason": "stop"}
        whole.answered_whole(ASKED, {"object": "chat.completion", "choices": [choice]})
        for session in (streamed, whole):
            assert session.said(NEXT | {"model": "m"})["reasoning_details"] == details


def test_halves_of_a_character_in_details_come_back_as_one() -> None:
    session = Session(CHAT, host="openrouter.ai")
    base = {"type": "reasoning.text", "index": 0}
    pieces = [json.dumps(chunk({"reasoning_details": [base | {"text": text}]})) for text in ("a \ud83d", "\ude00 b")]
    session.answered(ASKED, stream(*pieces, chunk({"tool_calls": [CALL | {"index": 0}]}), chunk(finish_reason="stop")))
    raw = session.asked(NEXT | {"model": "m"}).raw
    assert "a 😀 b" in raw.decode()


def test_remembered_details_win_over_the_text_alone() -> None:
    session = Session(CHAT, host="openrouter.ai")
    details = [{"type": "reasoning.text", "text": "T", "signature": "s"}, {"type": "reasoning.encrypted", "data": "x"}]
    choice = {"index": 0, "message": CALLED | {"reasoning": "T", "reasoning_details": details}}
    session.answered_whole(ASKED, {"object": "chat.completion", "choices": [choice]})
    kept = NEXT | {"model": "m", "messages": [USER, CALLED | {"reasoning": "T"}, RESULT]}
    assert session.said(kept, To.NATIVE) == CALLED | {"reasoning_details": details}
    other = NEXT | {"model": "m", "messages": [USER, CALLED | {"reasoning": "mine"}, RESULT]}
    assert session.said(other, To.NATIVE)["reasoning_details"] == [{"type": "reasoning.text", "text": "mine"}]


def test_a_signed_block_comes_back_for_one_that_has_lost_its_signature() -> None:
    session = Session("anthropic-messages", KEEP)
    session.answered(MESSAGES_ASKED, blocks(THINKING, USE))
    bare = {"type": "thinking", "thinking": THINKING["thinking"]}
    unsigned = History(drops_unsigned=True)
    assert session.said(messages_next(bare, USE), unsigned)["content"] == [THINKING, USE]


def test_each_of_several_calls_finds_the_reasoning_of_all() -> None:
    session = Session("anthropic-messages", KEEP)
    session.answered(MESSAGES_ASKED, blocks(THINKING, USE, MORE))
    assert session.said(messages_next(USE))["content"] == [THINKING, USE]
    assert session.said(messages_next(MORE))["content"] == [THINKING, MORE]
    assert len(session.memory) == 1


def test_another_message_in_the_stream_is_heard_for_itself() -> None:
    session = Session("anthropic-messages", KEEP)
    second = THINKING | {"thinking": "another thought"}
    session.answered(MESSAGES_ASKED, blocks(THINKING, USE) + blocks(second, MORE))
    assert session.said(messages_next(MORE))["content"] == [second, MORE]


def test_two_choices_that_say_the_same_restore_neither() -> None:
    session = Session(CHAT)
    chunks = [chunk({"reasoning_content": thought}, index) for index, thought in enumerate(("ONE", "TWO"))]
    chunks += [chunk({"content": "OK"}, index) for index in range(2)]
    session.answered(ASKED, stream(*chunks, *(chunk(index=index, finish_reason="stop") for index in range(2))))
    said = {"role": "assistant", "content": "OK"}
    assert session.said(ASKED | {"messages": [USER, said]}) == said


def test_a_call_is_found_without_its_id_and_in_contents_of_its_own() -> None:
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    session = Session("gemini", KEEP)
    session.answered(asked, gemini_answer({"text": "Look"}, CALL_PART | {"thoughtSignature": "s"}))
    bare = {"functionCall": {"name": "f", "args": {}}}
    split = [{"role": "model", "parts": [{"text": "Look"}]}, {"role": "model", "parts": [bare]}]
    after = json.loads(session.asked({"contents": [*asked["contents"], *split]}).raw)["contents"]
    assert after[2]["parts"] == [bare | {"thoughtSignature": "s"}]
    signed = bare | {"thought_signature": "mine"}
    kept = {"contents": [*asked["contents"], {"role": "model", "parts": [signed]}]}
    assert session.asked(kept).raw == json.dumps(kept).encode()


def test_nothing_is_said_to_be_put_back_where_nothing_was() -> None:
    session = Session(CHAT)
    sealed = [{"type": "reasoning.encrypted", "data": "x"}]
    choice = {"index": 0, "message": CALLED | {"reasoning_details": sealed}, "finish_reason": "stop"}
    session.answered_whole(ASKED, {"object": "chat.completion", "choices": [choice]})
    assert not any(note.startswith("reasoning put back") for note in session.asked(NEXT).notes)


def test_what_is_nested_too_deep_is_passed_and_not_remembered() -> None:
    request = {"model": "deepseek-v4", "messages": [{"role": "user", "content": "deep"}, CALLED]}
    raw = json.dumps(request).replace('"deep"', "[" * 3_000 + "]" * 3_000).encode()
    facts = RequestFacts("h", "/", "POST", (), None, CHAT, "deepseek-v4")
    with pytest.raises(Unreadable):
        map_history(raw, RequestPlan(restore=True), facts, None, lambda _turn: None)
    session = Session(CHAT)
    arguments = "[" * 100_000
    call = CALL | {"index": 0, "function": {"name": "f", "arguments": arguments}}
    raw = stream(chunk({"tool_calls": [call]}), chunk(finish_reason="tool_calls"))
    assert session.answered(ASKED, raw) == raw
