"""The checks that `expect` names: each takes what is wanted and an exchange, and raises where they differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.e2e.blocks import are_indices_contiguous, block_types, stop_reason
from tests.e2e.client import Reply
from tests.e2e.items import is_output_consistent, output_of
from tests.e2e.upstream import Request
from tests.e2e.view import View, paired, read_view

from .case import Case

MISSING = object()
REPLACEMENT = "\ufffd".encode()


@dataclass(frozen=True)
class Exchange:
    case: Case
    reply: Reply
    request: Request
    """What the upstream was asked."""
    view: View
    original: View


def open_exchange(case: Case, reply: Reply, request: Request) -> Exchange:
    return Exchange(case, reply, request, read_view(reply.body), read_view(case.original))


def check_exchange(exchange: Exchange) -> None:
    """What every case promises, then what this one does."""
    case, reply = exchange.case, exchange.reply
    assert reply.status == case.answer.status
    assert reply.ending == case.expect.get("ends", "clean").replace("abort", "broken")
    assert set(exchange.view.unreadable) <= set(exchange.original.unreadable)
    assert reply.body.count(REPLACEMENT) <= case.original.count(REPLACEMENT)
    for name, want in case.expect.items():
        CHECKS[name](want, exchange)


def at(document: Any, pointer: str) -> Any:
    """The value at a JSON pointer (RFC 6901), or MISSING."""
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and token in document:
            document = document[token]
        elif isinstance(document, list) and token.isdecimal() and int(token) < len(document):
            document = document[int(token)]
        else:
            return MISSING
    return document


def _reasoning(x: Exchange, index: int = 0) -> str:
    found = x.view.choice(index).reasoning
    return paired(found.get(x.case.target, "") if x.case.target else "".join(found.values()))


def _per_choice(want: dict[str, dict[str, Any]], x: Exchange) -> None:
    for index, wanted in want.items():
        choice = x.view.choice(int(index))
        seen = {"client_reasoning": _reasoning(x, int(index)), "client_content": paired(choice.content)}
        assert seen | {"finish_reason": choice.finish} == wanted


def _is_equal(read: Callable[[Exchange], Any]) -> Callable[[Any, Exchange], None]:
    def check(want: Any, x: Exchange) -> None:
        assert read(x) == want

    return check


def _is_one_of(read: Callable[[Exchange], Any]) -> Callable[[Any, Exchange], None]:
    def check(want: list[Any], x: Exchange) -> None:
        assert read(x) in want

    return check


def _done_kept(want: bool, x: Exchange) -> None:
    marks = [event.is_end_mark for event in x.view.events]
    assert marks.count(True) == want
    assert not want or marks[-1]


def _absent_fields(want: list[str], x: Exchange) -> None:
    for item in x.view.objects():
        for name in want:
            assert not (isinstance(item.get(name), str | list) and item[name])


def _absent_keys(want: list[str], x: Exchange) -> None:
    for item in x.view.objects():
        assert not item.keys() & set(want)


def _must_contain(want: list[str], x: Exchange) -> None:
    for text in want:
        assert text.encode() in x.reply.body


def _must_not_contain(want: list[str], x: Exchange) -> None:
    joined = [choice.content for choice in x.view.choices.values()]
    joined += [text for choice in x.view.choices.values() for text in choice.reasoning.values()]
    for text in want:
        assert text.encode() not in x.reply.body
        assert not any(text in paired(part) for part in joined)


def _verbatim_events(want: list[int], x: Exchange) -> None:
    for number in want:
        assert x.original.events[number].raw in x.reply.body


def _events(want: list[dict[str, Any]], x: Exchange) -> None:
    for item in want:
        found = [document for document in x.view.documents if _has(document, item["where"])]
        assert len(found) == item["count"]
        assert all(_has(document, item.get("json", {})) for document in found)


def _has(document: Any, values: dict[str, Any]) -> bool:
    return all(at(document, pointer) == want for pointer, want in values.items())


def _event_names_contain(want: list[str], x: Exchange) -> None:
    assert set(want) <= {event.name for event in x.view.events}


def _event_lines_match_type(want: bool, x: Exchange) -> None:
    assert want
    assert x.view.events
    assert [event.name for event in x.view.events] == [document["type"] for document in x.view.documents]


def _headers(want: dict[str, str], x: Exchange) -> None:
    for name, value in want.items():
        assert x.reply.header(name.lower()) == value


def _upstream_body(want: dict[str, Any], x: Exchange) -> None:
    body = json.loads(x.request.body)
    for pointer, value in want.items():
        if value == {"absent": True}:
            parent, _, name = pointer.rpartition("/")
            assert name not in at(body, parent)
        else:
            assert at(body, pointer) == value


def _upstream_must_contain(want: list[str], x: Exchange) -> None:
    assert all(text.encode() in x.request.body for text in want)


def _upstream_must_not_contain(want: list[str], x: Exchange) -> None:
    assert not any(text.encode() in x.request.body for text in want)


def _upstream_key_order(want: dict[str, list[str]], x: Exchange) -> None:
    body = json.loads(x.request.body)
    for pointer, names in want.items():
        assert list(at(body, pointer)) == names


def _no_empty_events(want: bool, x: Exchange) -> None:
    assert want
    for block in x.reply.body.replace(b"\r\n", b"\n").split(b"\n\n"):
        lines = [line for line in block.split(b"\n") if line and not line.startswith(b":")]
        assert not lines or any(line.startswith(b"data:") and line != b"data:" for line in lines)


CHECKS: dict[str, Callable[[Any, Exchange], None]] = {
    "client_content": _is_equal(lambda x: paired(x.view.choice(0).content)),
    "client_reasoning": _is_equal(_reasoning),
    "client_reasoning_repeat": lambda want, x: _is_equal(_reasoning)(want[0] * want[1], x),
    "finish_reason": _is_equal(lambda x: x.view.choice(0).finish),
    "role": _is_equal(lambda x: x.view.choice(0).role),
    "per_choice": _per_choice,
    "text_before_finish": _is_equal(lambda x: not any(choice.says_more for choice in x.view.choices.values())),
    "function_calls": _is_equal(lambda x: list(x.view.choice(0).calls.values())),
    "order": _is_equal(lambda x: x.view.choice(0).order),
    "logprob_tokens": _is_equal(lambda x: x.view.choice(0).logprob_tokens),
    "token_ids": _is_equal(lambda x: x.view.choice(0).token_ids),
    "logprob_tokens_one_of": _is_one_of(lambda x: x.view.choice(0).logprob_tokens),
    "token_ids_one_of": _is_one_of(lambda x: x.view.choice(0).token_ids),
    "content_coding_one_of": _is_one_of(lambda x: x.reply.header("content-encoding") or "identity"),
    "usage_kept": _is_equal(lambda x: x.view.usages == x.original.usages),
    "status": _is_equal(lambda x: x.reply.status),
    "byte_identical": _is_equal(lambda x: x.reply.body == x.case.original),
    "data_all_json": _is_equal(lambda x: not x.view.unreadable),
    "lines_all_json": _is_equal(lambda x: not x.view.unreadable and len(x.view.documents) > 1),
    "ends": _is_equal(lambda x: x.reply.ending.replace("broken", "abort")),
    "json": _is_equal(lambda x: {pointer: at(x.reply.json(), pointer) for pointer in x.case.expect["json"]}),
    "block_types": _is_equal(lambda x: block_types(x.view.documents)),
    "indices_contiguous": _is_equal(lambda x: are_indices_contiguous(x.view.documents)),
    "stop_reason": _is_equal(lambda x: stop_reason(x.view.documents)),
    "output_types": _is_equal(lambda x: [item["type"] for item in output_of(x.view.documents)]),
    "output_index_consistent": _is_equal(lambda x: is_output_consistent(x.view.documents)),
    "event_names": _is_equal(lambda x: [event.name for event in x.view.events]),
    "event_names_contain": _event_names_contain,
    "event_lines_match_type": _event_lines_match_type,
    "upstream_body_identical": _is_equal(lambda x: x.request.body == x.case.request_body),
    "upstream_body": _upstream_body,
    "upstream_must_contain": _upstream_must_contain,
    "upstream_must_not_contain": _upstream_must_not_contain,
    "upstream_key_order": _upstream_key_order,
    "done_kept": _done_kept,
    "absent_fields": _absent_fields,
    "absent_keys": _absent_keys,
    "must_contain": _must_contain,
    "must_not_contain": _must_not_contain,
    "verbatim_events": _verbatim_events,
    "events": _events,
    "headers": _headers,
    "no_empty_events": _no_empty_events,
}
