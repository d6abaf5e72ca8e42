"""One request and its answer on the way through: what the rules chose for it, and the rewriting it gets.

It edits mitmproxy's flows; the hooks that call it, and the options, are in `addon.py`.
"""

import logging
import time
from typing import Final

from mitmproxy import http

from thinkwire.dialects.request import RequestFacts
from thinkwire.proxy.media import is_streaming, label_of, may_have_body
from thinkwire.proxy.report import before_after, log_line
from thinkwire.proxy.reset import reset_on_close
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.body import rewrite_body
from thinkwire.rewrite.request import rewrite_request
from thinkwire.rewrite.stream import Label, StreamRewriter
from thinkwire.ruleset.choose import Choice
from thinkwire.wire.codings import CodingError, Decoder, decoder_for
from thinkwire.wire.json_tree import Unreadable

__all__ = ["Exchange"]

logger = logging.getLogger(__name__)

_STALE: Final = ("content-length", "content-encoding", "etag", "digest", "content-digest", "repr-digest", "content-md5")
"""Headers of an answer that are wrong once its body has changed."""


class Exchange:
    """The rewriting of one flow, in the order of mitmproxy's hooks."""

    def __init__(self, flow: http.HTTPFlow, facts: RequestFacts, choice: Choice, observes: bool) -> None:
        self._flow = flow
        self._facts = facts
        self._choice = choice
        self._observes = observes
        self._notes: list[str] = []
        self._answer: AnswerRewriter | None = None
        self._noun = "event"
        self._was_streamed = False

    # --- the request --------------------------------------------------------------------------------------------

    def request(self) -> None:
        """Edit the request as the plan says, and ask for an answer that can be read."""
        request, plan = self._flow.request, self._choice.plan
        if plan.request.changes:
            self._edit_request()
        if plan.response.changes and not self._observes and self._flow.live:
            request.headers["accept-encoding"] = "identity"

    def _edit_request(self) -> None:
        request = self._flow.request
        if _is_signed(request):
            self._notes.append("request left alone: it is signed (AWS SigV4)")
            return
        try:
            before = request.get_content(strict=True)
            if not before:
                return
            after = rewrite_request(before, self._choice.plan.request)
        except (ValueError, Unreadable) as error:
            self._notes.append(f"request left alone: its body cannot be read ({error})")
            return
        if after != before:
            self._notes.append("request edited")
            if not self._observes:
                request.headers.pop("content-encoding", None)
                request.content = after

    # --- the answer ---------------------------------------------------------------------------------------------

    def responseheaders(self, *, streams_large_bodies: bool) -> None:
        """Decide how the answer's body is to be read; for a stream this is the only chance."""
        response = self._flow.response
        assert response is not None
        label = self._label(response)
        if label is Label.JSON and not streams_large_bodies:
            return  # mitmproxy buffers it, and `response` rewrites it whole
        if label is None:
            if is_streaming(response):
                response.stream = _pass
                self._frame(response, length_is_known="content-length" in response.headers)
            return
        decoder = decoder_for(response.headers.get("content-encoding", ""))
        if decoder is None:
            self._refuse_coding(response)
            return
        rewriter = self._rewriter(label, decoder)
        response.stream = self._tap(rewriter)
        if not self._observes:
            _drop_stale(response)
        self._frame(response, length_is_known="content-length" in response.headers)

    def _label(self, response: http.Response) -> Label | None:
        changes = self._choice.plan.response.changes
        if not changes or not may_have_body(self._flow.request, response):
            return None
        return label_of(response, self._facts.stream)

    def _rewriter(self, label: Label, decoder: Decoder) -> StreamRewriter:
        self._answer = AnswerRewriter(self._choice.plan.response, self._facts)
        self._noun = "body" if label is Label.JSON else "event"
        is_plain = decoder.is_identity
        return StreamRewriter(
            self._answer, label, None if is_plain else decoder, self._choice.plan.response.keepalive, time.monotonic()
        )

    def _tap(self, rewriter: StreamRewriter) -> "_Tap":
        self._was_streamed = True
        return _Tap(rewriter, self._observes, self._choice.plan.response.on_error.value == "drop")

    def _frame(self, response: http.Response, *, length_is_known: bool) -> None:
        """Give a body without a length the framing in which a broken end can be told from a good one."""
        if length_is_known or not may_have_body(self._flow.request, response):
            return
        if self._flow.request.http_version == "HTTP/1.1":
            response.headers["transfer-encoding"] = "chunked"
            if response.http_version == "HTTP/1.0":
                response.http_version = "HTTP/1.1"
        else:
            response.headers.pop("transfer-encoding", None)

    def _refuse_coding(self, response: http.Response) -> None:
        coding = response.headers.get("content-encoding", "")
        drops = self._choice.plan.response.on_error.value == "drop"
        self._notes.append(f"answer {'withheld' if drops else 'left alone'}: content-encoding {coding} cannot be read")
        if self._observes:
            return
        response.stream = True
        if drops:
            body = self._error_body("thinkwire cannot read this content-encoding and withheld the answer")
            _answer_error(response, body)
            sent = False

            def once(_chunk: bytes) -> list[bytes]:
                nonlocal sent
                pieces = [] if sent else [body]
                sent = True
                return pieces

            response.stream = once

    def _error_body(self, message: str) -> bytes:
        answer = self._answer or AnswerRewriter(self._choice.plan.response, self._facts)
        return answer.error_text(502, message).encode("latin-1")

    def response(self) -> None:
        """Rewrite a body that came whole: JSON, and all bodies of flows that were read from a file."""
        response = self._flow.response
        assert response is not None
        label = self._label(response)
        is_whole = not (self._was_streamed and _was_called(response.stream))
        if label is not None and is_whole and response.raw_content:
            self._rewrite_whole(response, label)
        elif label is not None and response.raw_content is None and not self._was_streamed:
            logger.error("%s: the answer was streamed past us and could not be rewritten", self._choice.rules[0].id)
        self._log()

    def _rewrite_whole(self, response: http.Response, label: Label) -> None:
        raw = response.raw_content or b""
        try:
            after = self._rewritten(raw, response, label)
        except Exception as error:
            # Unreadable, damaged, or a bug of ours: mitmproxy would log it and send the body as it came.
            self._notes.append(f"the body cannot be read ({str(error) or type(error).__name__})")
            if self._choice.plan.response.on_error.value == "drop" and not self._observes:
                _answer_error(response, self._error_body("thinkwire could not read the answer and withheld it"))
            return
        if after is not None and not self._observes:
            _drop_stale(response)
            response.raw_content = after
            if self._flow.request.http_version != "HTTP/1.1":
                response.headers.pop("transfer-encoding", None)
            if "transfer-encoding" not in response.headers:
                response.headers["content-length"] = str(len(after))

    def _rewritten(self, raw: bytes, response: http.Response, label: Label) -> bytes | None:
        """The body after rewriting, decoded; None where it stays as it is. Raises Unreadable and CodingError."""
        coding = response.headers.get("content-encoding", "")
        decoder = decoder_for(coding)
        if decoder is None:
            raise CodingError(f"content-encoding {coding}")
        if label is not Label.JSON:
            rewriter = self._rewriter(label, decoder)
            return b"".join([*rewriter.feed(raw, time.monotonic()), *rewriter.finish()])
        before = decoder.decode(raw)
        if not decoder.is_complete:
            raise CodingError("the compressed body ends too early")
        if not before:
            return None
        self._answer = AnswerRewriter(self._choice.plan.response, self._facts)
        self._noun = "body"
        after = rewrite_body(before, self._answer)
        return None if after is before else after

    # --- the log ------------------------------------------------------------------------------------------------

    def error(self) -> None:
        """The exchange broke off, on either side."""
        response = self._flow.response
        if response is not None and response.stream and self._flow.request.http_version == "HTTP/1.0":
            reset_on_close(self._flow.client_conn)
        self._notes.append(f"broke off: {self._flow.error.msg if self._flow.error else 'unknown'}")
        self._log()

    def _log(self) -> None:
        if not self._choice.rules:
            return
        tally = self._answer.tally if self._answer else None
        line = log_line(self._choice, tally, self._noun, self._notes, self._observes)
        if not self._flow.live and tally is not None and (shown := before_after(tally)):
            line = f"{line}\n{shown}"
        is_bad = tally is not None and (tally.unreadable or tally.conflicts)
        logger.log(logging.WARNING if is_bad else logging.INFO, "%s", line)


class _Tap:
    """The callable that mitmproxy hands each chunk of a streamed body, and an empty one at its end."""

    def __init__(self, rewriter: StreamRewriter, observes: bool, drops: bool) -> None:
        self._rewriter = rewriter
        self._observes = observes
        self._drops = drops
        self.was_called = False

    def __call__(self, chunk: bytes) -> list[bytes]:
        """What to send instead of the chunk. Never an empty piece: mitmproxy frames it as the end of the body."""
        self.was_called = True
        try:
            sent = self._rewriter.feed(chunk, time.monotonic()) if chunk else self._rewriter.finish()
        except Exception:
            # An exception here would lose the chunk or leave the client waiting for ever.
            logger.exception("thinkwire failed on a chunk, please report this")
            sent = [] if self._drops or not chunk else [chunk]
        if self._observes:
            return [chunk] if chunk else []
        return sent


def _pass(chunk: bytes) -> list[bytes]:
    """Hand a chunk on. Not `stream = True`: an empty DATA frame of HTTP/2 would end a chunked body."""
    return [chunk] if chunk else []


def _was_called(stream: object) -> bool:
    return isinstance(stream, _Tap) and stream.was_called


def _drop_stale(response: http.Response) -> None:
    for name in _STALE:
        response.headers.pop(name, None)


def _answer_error(response: http.Response, body: bytes) -> None:
    _drop_stale(response)
    response.status_code, response.reason = 502, "Bad Gateway"
    response.headers["content-type"] = "application/json"
    response.headers.pop("transfer-encoding", None)
    response.headers["content-length"] = str(len(body))
    response.raw_content = body


def _is_signed(request: http.Request) -> bool:
    """AWS SigV4 signs the body, in a header or in the query."""
    authorization = request.headers.get("authorization", "")
    return authorization.startswith("AWS4-HMAC-SHA256") or "X-Amz-Signature" in request.query
