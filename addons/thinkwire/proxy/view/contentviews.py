"""The views of mitmproxy and mitmweb for answers of LLM APIs: the answer assembled, and the provider's bytes.

They only show; `answer_store.py` keeps what there is to show beside the flow. Whatever a body holds, a view returns a
text: mitmproxy would show a traceback.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from mitmproxy import flow, http
from mitmproxy.contentviews import Contentview, Metadata

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import Kind
from thinkwire.playback.chunk_times import CHUNKS
from thinkwire.playback.reading import Reading, read_exchange
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.summary import SummaryRow, answer_rows, asked_row, said_rows
from thinkwire.playback.text import counted, printable
from thinkwire.proxy.view.capture import BeforeAfter
from thinkwire.rewrite.reading.transcript import Assembled, assembled
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.rewrite.tally import Effect

logger = logging.getLogger(__name__)

type BeforeAfterOf = Callable[[flow.Flow], BeforeAfter | None]

_HIGHEST: Final = 3.0
"""A priority above those of mitmproxy's views."""
_LOWEST: Final = -1.0

NOT_AN_ANSWER: Final = "This is not an answer of a model."
NOT_SHOWN: Final = "This answer cannot be shown assembled, the log says why."
NOT_KEPT: Final = "What the provider sent is not kept, or not any more; see the option thinkwire_view_megabytes."


class AnswerView(Contentview):
    """The request, what the rules did, and what the client got; also what the provider sent, if that was more."""

    name = "thinkwire"

    def __init__(self, before_after_of: BeforeAfterOf, dialects: Callable[[], tuple[Dialect, ...]]) -> None:
        self._before_after_of = before_after_of
        self._dialects = dialects
        self._last: tuple[object, str] = None, ""
        """The latest text, and what it is for: mitmweb asks again and again."""

    def render_priority(self, data: bytes, metadata: Metadata) -> float:
        try:
            return _HIGHEST if data and self._is_answer(metadata) else _LOWEST
        except Exception:
            return _LOWEST  # a request that cannot be read is not one to a model

    def _is_answer(self, metadata: Metadata) -> bool:
        """Is it the answer to a request to a model, with anything in it?"""
        exchange = _exchange_of(metadata)
        if exchange is None:
            return False
        recorded = RecordedExchange(1, exchange)
        facts = recorded.facts(self._dialects())
        kept = self._before_after_of(exchange)
        if facts.dialect is None and not (kept is not None and kept.effects):
            return False
        hint = recorded.content_hint(facts)
        if hint is not ContentHint.JSON:  # a long stream takes seconds to be read
            return hint is not None or _is_replaced(kept)
        return _is_replaced(kept) or any(True for _ in self._read(exchange, kept).moments)

    def prettify(self, data: bytes, metadata: Metadata) -> str:
        try:
            exchange = _exchange_of(metadata)
            if exchange is not None:
                return self._show(exchange, data)
        except Exception:
            logger.exception("thinkwire failed to show an answer, please report this")
            return f"{NOT_SHOWN}\n\n{_decoded(data)}"
        return f"{NOT_AN_ANSWER}\n\n{_decoded(data)}"

    def _show(self, exchange: http.HTTPFlow, data: bytes) -> str:
        kept = self._before_after_of(exchange)
        version = (kept.number, kept.is_forgotten) if kept is not None else None
        key = exchange.id, hash(data), version
        last, text = self._last
        if last != key:
            reading = self._read(exchange, kept)
            is_read = reading.form is not None or _is_replaced(kept)
            text = _text_of(self._rows(reading, kept)) if is_read else f"{NOT_AN_ANSWER}\n\n{_decoded(data)}"
            self._last = key, text
        return text

    def _read(self, exchange: http.HTTPFlow, kept: BeforeAfter | None) -> Reading:
        shown = _as_left(exchange, kept) if kept is not None else exchange
        return read_exchange(RecordedExchange(1, shown), dialects=self._dialects())

    def _rows(self, reading: Reading, kept: BeforeAfter | None) -> Iterator[SummaryRow]:
        yield asked_row(reading)
        if kept is None:
            yield from answer_rows(reading)
            return
        yield SummaryRow("rules", kept.rules or "none decided")
        yield SummaryRow("done", kept.done)
        if kept.provider is None or (kept.effects == {Effect.RENAMED} and reading.recorded.times):
            yield from [SummaryRow("before", NOT_KEPT)] if kept.is_forgotten else []
            yield from answer_rows(reading)
            return
        before = read_exchange(RecordedExchange(1, kept.provider), dialects=self._dialects())
        if [*said_rows(before)] == [*said_rows(reading)]:
            yield from answer_rows(reading, None if reading.recorded.times else before)
            return
        if Effect.INLINED not in kept.effects and (hidden := _hidden(before, reading)):
            yield SummaryRow("hidden", f"from the client: {hidden}")
        yield SummaryRow("The client got:")
        yield from answer_rows(reading)
        yield SummaryRow("The provider sent:")
        yield from answer_rows(before)


class OriginalView(Contentview):
    """What the provider sent, byte for byte, before the rules."""

    name = "thinkwire-original"

    def __init__(self, before_after_of: BeforeAfterOf) -> None:
        self._before_after_of = before_after_of

    def render_priority(self, data: bytes, metadata: Metadata) -> float:
        return _LOWEST

    def prettify(self, data: bytes, metadata: Metadata) -> str:
        exchange = _exchange_of(metadata)
        kept = self._before_after_of(exchange) if exchange is not None else None
        if kept is None or kept.is_forgotten:
            return f"{NOT_KEPT}\n\n{_decoded(data)}"
        before = kept.provider.response if kept.provider is not None else None
        return _decoded(before.get_content(strict=False) or b"" if before is not None else data)


def _exchange_of(metadata: Metadata) -> http.HTTPFlow | None:
    """The flow whose answer is to be shown; None if something else is."""
    exchange = metadata.flow
    if not isinstance(exchange, http.HTTPFlow) or exchange.websocket is not None:
        return None
    return exchange if exchange.response is not None and metadata.http_message is exchange.response else None


def _as_left(exchange: http.HTTPFlow, kept: BeforeAfter) -> http.HTTPFlow:
    """The exchange with the times at which its answer left; its own metadata have those at which it came."""
    shown = http.HTTPFlow(exchange.client_conn, exchange.server_conn)
    shown.request, shown.response, shown.error = exchange.request, exchange.response, exchange.error
    shown.metadata = {CHUNKS: kept.times}
    return shown


def _is_replaced(kept: BeforeAfter | None) -> bool:
    """Did another body leave than came, even an error in place of an answer?"""
    return kept is not None and kept.provider is not None


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


# --- the text -----------------------------------------------------------------------------------------------------

_WIDTH: Final = 70
"""Characters of text in a line: with the names they fit a terminal. mitmweb does not wrap lines."""
_PIECE: Final = re.compile(rf".{{1,{_WIDTH}}}(?: +|\Z)|.{{1,{_WIDTH}}}")
"""As many words as fit, or else a part of one. `textwrap` is slow on long words."""


def _text_of(rows: Iterable[SummaryRow]) -> str:
    return "\n".join(line for row in rows for line in _lines(row))


def _lines(row: SummaryRow) -> Iterator[str]:
    if row.text is None:
        yield from ("", row.name)
        return
    lines = [piece for line in printable(row.text).split("\n") for piece in _wrapped(line)]
    for name, line in zip([row.name, *[""] * len(lines)], lines, strict=False):
        yield f"{name:10}{line}".rstrip()


def _wrapped(line: str) -> list[str]:
    return _PIECE.findall(line) if len(line) > _WIDTH else [line]


# --- before and after ---------------------------------------------------------------------------------------------


def _hidden(provider: Reading, client: Reading) -> str:
    """What the client did not get, counted; empty if it got everything."""
    before, after = assembled(provider.moments), assembled(client.moments)
    without_reasoning = [number for number in before.choices if _lost_reasoning(before, after, number)]
    reasoning = [moment for moment in provider.moments if moment.kind is Kind.REASONING]
    events = {moment.event for moment in reasoning if moment.choice in without_reasoning}
    tagged = sum(_lost_text(before, after, number) for number in before.choices)
    opaque = len(set(before.opaque) - set(after.opaque))
    words = [f"{counted(len(events), 'event')} of reasoning"] if events else []
    words += [f"{counted(tagged, 'character')} of content"] if tagged else []
    words += [f"{counted(opaque, 'signature')} or encrypted text"] if opaque else []
    return ", ".join(words)


def _lost_reasoning(before: Assembled, after: Assembled, number: int | str) -> bool:
    sent, left = (_text(one, number, Kind.REASONING) for one in (before, after))
    return len(left) < len(sent)


def _lost_text(before: Assembled, after: Assembled, number: int | str) -> int:
    """How many characters of text are gone because they were reasoning."""
    if _text(after, number, Kind.REASONING):
        return 0  # extracted, not hidden
    return max(0, len(_text(before, number, Kind.TEXT)) - len(_text(after, number, Kind.TEXT)))


def _text(answer: Assembled, number: int | str, kind: Kind) -> str:
    return answer.choices[number].text(kind) if number in answer.choices else ""
