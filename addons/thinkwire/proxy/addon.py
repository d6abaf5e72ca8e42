"""The mitmproxy addon: options, commands, hooks. What is done to a flow is in `exchange.py`."""

import asyncio
import errno
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from mitmproxy import command, contentviews, ctx, exceptions, flow, http
from mitmproxy.addonmanager import Loader
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import DIALECTS, dialect_of_request, request_facts
from thinkwire.exchange.buffered_request import collect
from thinkwire.exchange.content_type import is_json, is_websocket
from thinkwire.exchange.exchange import Exchange
from thinkwire.exchange.request_headers import take_control_header
from thinkwire.exchange.websocket import WebSocketExchange
from thinkwire.playback.flow_reader import RecordingError
from thinkwire.proxy.faults.live import FaultyAnswer
from thinkwire.proxy.faults.selector import Faults
from thinkwire.proxy.options import OPTIONS
from thinkwire.proxy.record.flow_writer import NotAFlowFile
from thinkwire.proxy.record.recorder import Recorder
from thinkwire.proxy.replay.matcher import asked_by
from thinkwire.proxy.replay.recordings import parse_speed, read_recordings
from thinkwire.proxy.replay.redirect import Redirect
from thinkwire.proxy.rule_reload import RulesInForce
from thinkwire.proxy.view.answer_store import AnswerStore
from thinkwire.proxy.view.contentviews import AnswerView, OriginalView
from thinkwire.rewrite.faults.fault import NO_FAULT
from thinkwire.rewrite.history.memory import Memory
from thinkwire.ruleset.choose import Selection
from thinkwire.ruleset.faults import FaultError, parse_faults

__all__ = ["Thinkwire"]

logger = logging.getLogger(__name__)

RULES_HEADER: Final = "x-thinkwire-rules"
"""Names the rules that decided, in answers, where somebody wants it."""

OPTIONS_OF_REPLAY: Final[dict[str, Any]] = {"connection_strategy": "lazy", "stream_large_bodies": None}
"""Options of mitmproxy's that a replay needs."""


class Thinkwire:
    """Rewrites the reasoning in LLM traffic as a rule file says."""

    def __init__(self) -> None:
        self._rules = RulesInForce()
        self._is_running = False
        self._watching: asyncio.Task[None] | None = None
        self._exchanges: WeakKeyDictionary[flow.Flow, Exchange] = WeakKeyDictionary()
        self._conversations: WeakKeyDictionary[flow.Flow, WebSocketExchange] = WeakKeyDictionary()
        self._memory = Memory(0, 0.0, time.monotonic)
        """What was thought in earlier turns; its bounds are options."""
        self._recorder = Recorder()
        self._onlooker = AnswerStore()
        self._our_headers: WeakKeyDictionary[flow.Flow, tuple[tuple[str, str], ...]] = WeakKeyDictionary()
        self._redirect = Redirect()
        self._options_without_replay: dict[str, Any] = {}
        """What a replay has set otherwise, to be set back when it is over."""
        self._faults = Faults()
        self._faulty: WeakKeyDictionary[flow.Flow, FaultyAnswer] = WeakKeyDictionary()

    # --- options and commands -----------------------------------------------------------------------------------

    def load(self, loader: Loader) -> None:
        for option in OPTIONS:
            loader.add_option(option.name, option.type, option.default, option.help)
        if _is_looked_at():
            contentviews.add(AnswerView(self._onlooker.sides_of, lambda: self._dialects))
            contentviews.add(OriginalView(self._onlooker.sides_of))

    def configure(self, updated: set[str]) -> None:
        self._memory.most_bytes = ctx.options.thinkwire_memory_megabytes * 1024 * 1024
        self._memory.longest = ctx.options.thinkwire_memory_minutes * 60.0
        self._onlooker.most_bytes = ctx.options.thinkwire_view_megabytes * 1024 * 1024 if _is_looked_at() else 0
        self._configure_record(updated)
        if "thinkwire_rules" in updated:
            self._configure_rules()
        if updated & {"thinkwire_replay", "thinkwire_replay_speed"}:
            self._configure_replay()
        if updated & {"thinkwire_replay", "thinkwire_fault", "thinkwire_observe"}:
            self._configure_faults()

    def _refuse(self, message: str) -> None:
        """Say that an option cannot be what it was set to.

        At the start, an OptionsError from a script prints a traceback; an error in the log ends mitmdump with 1.
        """
        if self._is_running:
            raise exceptions.OptionsError(message)
        logger.error("%s", message)

    def _configure_rules(self) -> None:
        if report := self._rules.read():
            self._refuse(f"the rules stay as they were:\n{report}" if self._is_running else report)

    def _configure_record(self, updated: set[str]) -> None:
        if "thinkwire_record_redact" in updated:
            self._recorder.redact(ctx.options.thinkwire_record_redact)
        if "thinkwire_record" not in updated:
            return
        path = Path(ctx.options.thinkwire_record).expanduser() if ctx.options.thinkwire_record else None
        try:
            if path is not None and _is_read(path):
                raise OSError(errno.EBUSY, "it is being read, name another file")
            self._recorder.open(path)
        except (OSError, NotAFlowFile) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            self._refuse(f"thinkwire_record: {path} cannot be written: {reason}")

    def _configure_replay(self) -> None:
        try:
            speed = parse_speed(ctx.options.thinkwire_replay_speed)
            exchanges, warnings = read_recordings(ctx.options.thinkwire_replay)
        except RecordingError as error:
            self._refuse(str(error))
            return
        for warning in warnings:
            logger.warning("%s", warning)
        self._redirect.use(exchanges, speed, self._facts)
        self._set_options_of_replay(is_on=bool(exchanges))

    def _set_options_of_replay(self, *, is_on: bool) -> None:
        """Nothing is to be connected before a request is there as a whole, for only then one can choose."""
        if is_on and not self._options_without_replay:
            self._options_without_replay = {name: getattr(ctx.options, name) for name in OPTIONS_OF_REPLAY}
            ctx.options.update(**OPTIONS_OF_REPLAY)
        elif not is_on and self._options_without_replay:
            options, self._options_without_replay = self._options_without_replay, {}
            ctx.options.update(**options)

    def _configure_faults(self) -> None:
        try:
            named = parse_faults(ctx.options.thinkwire_fault)
            if named is not None and not ctx.options.thinkwire_replay:
                raise FaultError(
                    "it is for replays, and thinkwire_replay is not set; real answers can have the `fault` of a rule, "
                    "with `live: true`"
                )
        except FaultError as error:
            self._refuse(f"thinkwire_fault: {error}")
            return
        if named is not None and named.is_any and ctx.options.thinkwire_observe:
            logger.warning("thinkwire_fault: there is none as long as thinkwire_observe is set, which changes nothing")
        self._faults.use(named)

    def running(self) -> None:
        self._is_running = True
        if self._watching is None:
            self._watching = asyncio.create_task(self._rules.watch())

    def done(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        self._recorder.close()
        self._redirect.stop()

    @command.command("thinkwire.reload")
    def reload(self) -> None:
        """Read the rule file again; where it has errors, the old rules stay in force."""
        self._rules.reload()

    @command.command("thinkwire.explain")
    def explain(self, flows: Sequence[flow.Flow]) -> None:
        """Log which rule decides each setting for these flows, and why the other rules do not."""
        for one in flows:
            if isinstance(one, http.HTTPFlow) and self._rules.ruleset is not None:
                facts = self._facts(one)
                logger.log(logging.INFO, "%s", self._rules.ruleset.explain(facts, one))

    # --- hooks --------------------------------------------------------------------------------------------------

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        self._recorder.requestheaders(flow)
        if ours := take_control_header(flow.request):
            self._our_headers[flow] = ours
        if self._rules.ruleset is not None and self._may_pass_unread(flow.request):
            collect(flow, self._begin)

    def request(self, flow: http.HTTPFlow) -> None:
        if self._rules.ruleset is None:
            flow.response = http.Response.make(502, b"thinkwire has no valid rules", {"content-type": "text/plain"})
        elif self._redirect.is_on and flow.live:
            self._replay(flow)
        elif flow not in self._exchanges:
            self._begin(flow)

    def _replay(self, flow: http.HTTPFlow) -> None:
        """Let a recorded exchange answer, chosen by the request as it came; the rules are for it as for any other."""
        asked, accepts = asked_by(flow, self._facts(flow)), str(flow.request.headers.get("accept-encoding", ""))
        try:
            self._begin(flow)
        finally:
            if flow.response is None:
                faulty = self._faulty.get(flow)
                fault = faulty.fault if faulty is not None else NO_FAULT
                self._redirect.answer(flow, asked, accepts, self._dialects, fault)

    def server_connect(self, data: ServerConnectionHookData) -> None:
        self._redirect.guard(data.server)

    def _may_pass_unread(self, request: http.Request) -> bool:
        """Would `stream_large_bodies` take a request that may be one to a model past us, or might it?"""
        if not ctx.options.stream_large_bodies or not (request.stream or "content-length" not in request.headers):
            return False
        return is_json(request) or dialect_of_request(_path(request), None, self._dialects) is not None

    def _begin(self, flow: http.HTTPFlow) -> None:
        """Choose the rules for a request that is there as a whole, and edit it."""
        if self._rules.ruleset is None:
            return
        facts = self._facts(flow)
        self._recorder.request(flow, is_of_an_api=facts.dialect is not None)
        self._onlooker.request(flow)
        choice = self._rules.ruleset.choose(facts, flow)
        exchange = Exchange(flow, facts, choice, self._memory, observes=ctx.options.thinkwire_observe)
        self._exchanges[flow] = exchange
        exchange.request()
        if exchange.refusal:
            self._recorder.refuse(flow, exchange.refusal)
        elif flow.live and not ctx.options.thinkwire_observe and not is_websocket(flow.request):
            self._faulty[flow] = self._faults.begin(flow, facts, choice, replays=self._redirect.is_on)
            if flow.response is not None:
                self._recorder.forget(flow)

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        self._redirect.restore(flow)
        self._recorder.responseheaders(flow)
        self._onlooker.responseheaders(flow)
        exchange, faulty = self._exchanges.get(flow), self._faulty.get(flow)
        if exchange is not None and flow.live:
            streams = faulty is not None and faulty.prepare()
            exchange.responseheaders(streams_bodies=streams or bool(ctx.options.stream_large_bodies))
            self._name_rules(flow, exchange)
            if faulty is not None:
                faulty.install()
        self._onlooker.listen(flow)
        self._recorder.listen(flow)

    def response(self, flow: http.HTTPFlow) -> None:
        self._recorder.response(flow)
        exchange, faulty = self._exchanges.pop(flow, None), self._faulty.pop(flow, None)
        if exchange is not None and flow.websocket is None:
            self._onlooker.response(flow)
            if faulty is not None:
                exchange.note(*faulty.response())
            exchange.response()
            if not flow.live:
                self._name_rules(flow, exchange)
            self._onlooker.end(flow, exchange)

    def _name_rules(self, flow: http.HTTPFlow, exchange: Exchange) -> None:
        if ctx.options.thinkwire_name_rules and exchange.rules and flow.response is not None:
            flow.response.headers[RULES_HEADER] = ", ".join(exchange.rules)

    def websocket_start(self, flow: http.HTTPFlow) -> None:
        def choose(message: bytes | None) -> tuple[RequestFacts, Selection]:
            assert (
                self._rules.ruleset is not None
            )  # else there would be no connection; a reload never takes the rules away
            facts = self._facts(flow, message)
            if facts.dialect is not None:
                self._recorder.recognise(flow)
            return facts, self._rules.ruleset.choose(facts, flow)

        if self._rules.ruleset is not None:
            self._conversations[flow] = WebSocketExchange(
                flow, choose, self._memory, observes=ctx.options.thinkwire_observe
            )

    def websocket_message(self, flow: http.HTTPFlow) -> None:
        self._recorder.message(flow)
        if (conversation := self._conversations.get(flow)) is not None:
            conversation.message()

    def websocket_end(self, flow: http.HTTPFlow) -> None:
        self._recorder.end(flow)
        if (conversation := self._conversations.pop(flow, None)) is not None:
            conversation.end()

    def error(self, flow: http.HTTPFlow) -> None:
        self._redirect.restore(flow)
        exchange, faulty = self._exchanges.pop(flow, None), self._faulty.pop(flow, None)
        notes = faulty.error() if faulty is not None else []
        self._recorder.end(flow)
        if exchange is not None:
            exchange.note(*notes)
            exchange.error()
            self._onlooker.end(flow, exchange)

    @property
    def _dialects(self) -> tuple[Dialect, ...]:
        return self._rules.ruleset.dialects if self._rules.ruleset is not None else DIALECTS

    def _facts(self, flow: http.HTTPFlow, message: bytes | None = None) -> RequestFacts:
        """What the rules see of a request; on a WebSocket its body is the client's message."""
        request = flow.request
        headers = [*request.headers.items(multi=True), *self._our_headers.get(flow, ())]
        body = request.get_content(strict=False) if message is None else message
        return request_facts(request.pretty_host, _path(request), request.method, headers, body, self._dialects)


def _is_looked_at() -> bool:
    """Is there somebody to show an answer to? mitmproxy and mitmweb have a list of flows, mitmdump has none."""
    return ctx.master.addons.get("view") is not None


def _path(request: http.Request) -> str:
    return request.path.partition("?")[0]


def _is_read(path: Path) -> bool:
    """Does mitmproxy read its flows from there (`-r`)? It would find at the end what had just been written."""
    source = ctx.options.rfile
    return bool(source) and Path(source).expanduser().resolve() == path.resolve()
