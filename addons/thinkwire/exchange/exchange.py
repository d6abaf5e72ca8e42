"""One request and its answer: what the rules chose for them, and how they are rewritten.

It edits mitmproxy's flows; `proxy/exchanges.py` calls it from the hooks.
"""

import logging
import time
from typing import Final

from mitmproxy import http

from thinkwire.dialects.core.provider_errors import advice_for
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.content_type import body_decoder, content_coding, content_hint, is_streaming, may_have_body
from thinkwire.exchange.exchange_log import log_exchange, rules_of, what_was_done
from thinkwire.exchange.framing import drop_stale, frame_stream, make_error, replace_body
from thinkwire.exchange.request_headers import ask_for_identity
from thinkwire.exchange.request_rewriting import CallerMemory, edit_request
from thinkwire.exchange.sockets import reset_on_close
from thinkwire.exchange.stream_taps import RewritingTap, pass_on, replace_with
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import MakeContent, StreamRewriter, content_of
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.rewrite.tally import Effect, Tally
from thinkwire.ruleset.choose import Selection
from thinkwire.wire.codings import CodingError, Decoder
from thinkwire.wire.json_tree import encode

REFUSED: Final = 400
"""The status of requests that a provider cannot take."""

logger = logging.getLogger(__name__)


class Exchange:
    """The rewriting of one flow, in the order of mitmproxy's hooks."""

    def __init__(
        self,
        flow: http.HTTPFlow,
        facts: RequestFacts,
        selection: Selection,
        memory: Memory,
        *,
        observes: bool,
        make_content: MakeContent = content_of,
    ) -> None:
        """`make_content`: as for `StreamRewriter`."""
        self._flow = flow
        self.facts = facts
        self.selection = selection
        self.observes = observes
        self._make_content = make_content
        self._caller_memory = CallerMemory(flow, facts, selection, memory)
        self._notes: list[str] = []
        self.refusal = ""
        """Why we answered in the provider's place; empty if we did not."""
        self._answer: AnswerRewriter | None = None
        self._noun = "event"
        self._tap: RewritingTap | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules that decided something, in their order, each once."""
        return tuple(dict.fromkeys(rule.id for rule in self.selection.rules))

    def note(self, *notes: str) -> None:
        """Add to what the log will say about the exchange."""
        self._notes += notes

    @property
    def notes(self) -> tuple[str, ...]:
        """What the log will say beside the counts, so far."""
        return tuple(self._notes)

    # --- the request --------------------------------------------------------------------------------------------

    def request(self) -> None:
        """Edit the request as the plan says, and ask for an answer that can be read."""
        plan = self.selection.plan
        if plan.request.changes:
            self._edit_request()
        if plan.reads_answer and not self.observes and self._flow.live:
            ask_for_identity(self._flow.request)

    def _edit_request(self) -> None:
        request = self._flow.request
        edited = edit_request(request, self._caller_memory)
        self._notes += edited.notes
        if edited.refusal:
            self._refuse(edited.refusal)
        elif edited.after is not None and not self.observes:
            request.headers.pop("content-encoding", None)
            request.content = edited.after

    def _refuse(self, why: str) -> None:
        """Answer in the provider's place, before anything has been sent to it."""
        self._notes.append(f"refused: {why}")
        if self.observes:
            return
        if self._flow.request.stream:
            logger.error("%s: %s; its headers had left already", self._flow.request.pretty_url, why)
            return
        self.refusal = why
        body = self._error(REFUSED, f"thinkwire: {why}")
        self._flow.response = http.Response.make(REFUSED, body, {"content-type": "application/json"})

    # --- the answer ---------------------------------------------------------------------------------------------

    def responseheaders(self, *, streams_bodies: bool) -> None:
        """Decide how the answer's body is to be read; for a stream this is the only chance.

        `streams_bodies`: may mitmproxy pass on a body that is not a stream without waiting for its end?
        """
        request, response = self._flow.request, self._response
        hint = self._hint()
        if hint is None and is_streaming(response, self.facts):
            response.stream = pass_on
        elif hint is None or (hint is ContentHint.JSON and not streams_bodies):
            return  # mitmproxy buffers it; `response` rewrites what is to be rewritten
        elif (decoder := body_decoder(response)) is None:
            self._refuse_coding()
            return
        else:
            self._tap = RewritingTap(
                self._rewriter(hint, decoder), observes=self.observes, drops_unreadable=self._drops_unreadable
            )
            response.stream = self._tap
            if not self.observes:
                drop_stale(response)
        if may_have_body(request, response) and not self.observes:
            frame_stream(request, response)

    @property
    def _response(self) -> http.Response:
        assert self._flow.response is not None
        return self._flow.response

    @property
    def _drops_unreadable(self) -> bool:
        return self.selection.plan.response.drops_unreadable

    def _hint(self) -> ContentHint | None:
        """How to read the answer; None if it is not to be changed."""
        if not self.selection.plan.reads_answer or not may_have_body(self._flow.request, self._response):
            return None
        return content_hint(self._response, self.facts)

    def _rewriter(self, hint: ContentHint, decoder: Decoder) -> StreamRewriter:
        plan = self.selection.plan.response
        self._answer = self._caller_memory.answer()
        self._noun = "body" if hint is ContentHint.JSON else "event"
        coding = None if decoder.is_identity else decoder
        return StreamRewriter(self._answer, hint, coding, plan.keepalive, time.monotonic(), self._make_content)

    def _refuse_coding(self) -> None:
        response = self._response
        done = "withheld" if self._drops_unreadable else "left alone"
        self._notes.append(f"answer {done}: content-encoding {content_coding(response)} cannot be read")
        if self._drops_unreadable and not self.observes:
            body = self._withhold("thinkwire cannot read this content-encoding and withheld the answer")
            response.stream = replace_with(body)

    def _withhold(self, message: str) -> bytes:
        """Turn the answer into an error in its API's own shape; returns the body."""
        body = self._error(502, message)
        make_error(self._response, body)
        return body

    def _error(self, status: int, message: str) -> bytes:
        """The body of an error in the shape of the answer's API."""
        answer = self._answer or AnswerRewriter(self.selection.plan.response, self.facts, self.selection.dialects)
        return encode(answer.error_text(status, message))

    def response(self) -> None:
        """Rewrite a body that was buffered: JSON, and all bodies of flows that were read from a file."""
        if self._response.status_code == REFUSED and not self.refusal:
            self._note_advice()
        hint, raw = self._hint(), self._response.raw_content
        is_done = self._tap is not None and self._tap.was_called
        if hint is not None and not is_done:
            if raw is None:
                logger.error("%s: the answer went past us and was not rewritten", self._flow.request.pretty_url)
            elif raw:
                self._rewrite_body(raw, hint)
        self._log()

    def _note_advice(self) -> None:
        """Log which setting would have avoided the provider's refusal."""
        text = (self._response.get_content(strict=False) or b"").decode("utf-8", "replace")
        if advice := advice_for(text):
            logger.warning("%s: %s", self._flow.request.pretty_url, advice)

    def _rewrite_body(self, raw: bytes, hint: ContentHint) -> None:
        try:
            after = self._rewritten(raw, hint)
        except Exception as error:
            # Unreadable, damaged, or a bug in thinkwire: mitmproxy would log it and send the body as it came.
            self._notes.append(f"the body cannot be read ({str(error) or type(error).__name__})")
            if self._drops_unreadable and not self.observes:
                self._withhold("thinkwire could not read the answer and withheld it")
            return
        if after is not None and not self.observes:
            replace_body(self._flow.request, self._response, after)

    def _rewritten(self, raw: bytes, hint: ContentHint) -> bytes | None:
        """The body after rewriting, decoded; None if it stays as it is. Raises Unreadable and CodingError."""
        decoder = body_decoder(self._response)
        if decoder is None:
            raise CodingError(f"content-encoding {content_coding(self._response)} is not known")
        if hint is not ContentHint.JSON:
            rewriter = self._rewriter(hint, decoder)
            return b"".join([*rewriter.feed(raw, time.monotonic()), *rewriter.finish()])
        before = decoder.decode(raw)
        if not decoder.is_complete:
            raise CodingError("the compressed body ends too early")
        if not before:
            return None
        self._answer = self._caller_memory.answer()
        self._noun = "body"
        after = rewrite_body(before, self._answer)
        return None if after is before else after

    # --- the log ------------------------------------------------------------------------------------------------

    @property
    def rules_in_force(self) -> str:
        """The rules that decided, each with its file and line; empty if none did."""
        return rules_of(self.selection)

    @property
    def done(self) -> str:
        """What the rules did so far, in the words of the log."""
        return what_was_done(self._tally, self._noun, self._notes, self.observes)

    @property
    def effects(self) -> frozenset[Effect]:
        """What was done to events of the answer, or would have been."""
        effects = self._tally.effects if self._tally is not None else {}
        return frozenset(effect for effect, count in effects.items() if effect and count)

    @property
    def _tally(self) -> Tally | None:
        return self._answer.tally if self._answer is not None else None

    def error(self) -> None:
        """The exchange broke off, on either side."""
        if self._answer is not None:
            self._answer.remember()  # the client may have left because it has seen a tool call
        response = self._flow.response
        if response is not None and response.stream and self._flow.request.http_version == "HTTP/1.0":
            reset_on_close(self._flow.client_conn)
        self._notes.append(f"broke off: {self._flow.error.msg if self._flow.error else 'unknown'}")
        self._log()

    def _log(self) -> None:
        log_exchange(self.selection, self._tally, self._noun, self._notes, self.observes, live=self._flow.live)
