"""The mitmproxy addon: options, commands, hooks. A table says which parts of it see each hook, in which order."""

import asyncio
import errno
import logging
from collections.abc import Sequence
from functools import partialmethod
from pathlib import Path
from typing import Final

from mitmproxy import command, contentviews, ctx, exceptions, flow, http
from mitmproxy.addonmanager import Loader
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from thinkwire.exchange.buffered_request import buffer_request
from thinkwire.playback.flow_reader import RecordingError
from thinkwire.proxy.exchanges import Exchanges
from thinkwire.proxy.faults.selector import Faults
from thinkwire.proxy.flow_state import FlowState, FlowStates
from thinkwire.proxy.hook_steps import HookStep, take
from thinkwire.proxy.options import OPTIONS
from thinkwire.proxy.record.flow_writer import NotAFlowFile
from thinkwire.proxy.record.recorder import Recorder
from thinkwire.proxy.replay.recordings import parse_speed, read_recordings
from thinkwire.proxy.replay.redirect import Redirect
from thinkwire.proxy.rule_reload import RulesInForce
from thinkwire.proxy.view.answer_store import AnswerStore
from thinkwire.proxy.view.contentviews import AnswerView, OriginalView
from thinkwire.ruleset.fault_option import FaultError, parse_faults

logger = logging.getLogger(__name__)

_MEGABYTE: Final = 1024 * 1024


class Thinkwire:
    """Rewrites the reasoning in LLM traffic as a rule file says."""

    def __init__(self) -> None:
        self._is_running = False
        self._watching: asyncio.Task[None] | None = None
        self._rules = RulesInForce()
        self._states = FlowStates()
        self._exchanges = exchanges = Exchanges(self._rules)
        self._recorder = recorder = Recorder()
        self._answers = answers = AnswerStore(self._states)
        self._faults = faults = Faults()
        self._redirect = redirect = Redirect()
        # Which parts see each hook, in order. The recorder and the answer store come before the rules edit
        # anything; they tap a stream last, so that their taps are the outermost, and get what really comes and leaves.
        self.steps: Final[dict[str, Sequence[HookStep]]] = {
            "requestheaders": (recorder.requestheaders, exchanges.requestheaders),
            "request": (
                exchanges.begin,
                recorder.request,
                answers.request,
                redirect.request,
                exchanges.request,
                faults.request,
                recorder.skip_provider,
                redirect.answer,
            ),
            "responseheaders": (
                redirect.restore,
                recorder.responseheaders,
                answers.responseheaders,
                faults.responseheaders,
                exchanges.responseheaders,
                faults.tap,
                answers.tap,
                recorder.tap,
            ),
            "response": (
                recorder.response,
                answers.response,
                faults.response,
                exchanges.response,
                answers.end,
                exchanges.release,
            ),
            "error": (
                redirect.restore,
                faults.error,
                recorder.end,
                exchanges.error,
                answers.end,
                exchanges.release,
            ),
            "websocket_start": (exchanges.websocket_start,),
            "websocket_message": (recorder.websocket_message, exchanges.websocket_message),
            "websocket_end": (recorder.end, exchanges.websocket_end),
        }

    # --- options ------------------------------------------------------------------------------------------------------

    def load(self, loader: Loader) -> None:
        for option in OPTIONS:
            loader.add_option(option.name, option.type, option.default, option.help)
        if _has_viewer():
            contentviews.add(AnswerView(self._answers.before_after, lambda: self._rules.dialects))
            contentviews.add(OriginalView(self._answers.before_after))

    def configure(self, updated: set[str]) -> None:
        self._exchanges.memory.most_bytes = ctx.options.thinkwire_memory_megabytes * _MEGABYTE
        self._exchanges.memory.longest = ctx.options.thinkwire_memory_minutes * 60.0
        self._answers.most_bytes = ctx.options.thinkwire_view_megabytes * _MEGABYTE if _has_viewer() else 0
        if "thinkwire_record_redact" in updated:
            self._recorder.redact(ctx.options.thinkwire_record_redact)
        if "thinkwire_record" in updated:
            self._configure_record()
        if "thinkwire_rules" in updated:
            self._configure_rules()
        if updated & {"thinkwire_replay", "thinkwire_replay_speed"}:
            self._configure_replay()
        if updated & {"thinkwire_replay", "thinkwire_fault", "thinkwire_observe"}:
            self._configure_faults()

    def _configure_record(self) -> None:
        path = Path(ctx.options.thinkwire_record).expanduser() if ctx.options.thinkwire_record else None
        try:
            if path is not None and _is_read(path):
                raise OSError(errno.EBUSY, "it is being read, name another file")
            self._recorder.open(path)
        except (OSError, NotAFlowFile) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            self._refuse(f"thinkwire_record: {path} cannot be written: {reason}")

    def _configure_rules(self) -> None:
        if report := self._rules.read():
            self._refuse(f"the rules stay as they were:\n{report}" if self._is_running else report)

    def _configure_replay(self) -> None:
        try:
            speed = parse_speed(ctx.options.thinkwire_replay_speed)
            exchanges, warnings = read_recordings(ctx.options.thinkwire_replay)
        except RecordingError as error:
            self._refuse(str(error))
            return
        for warning in warnings:
            logger.warning("%s", warning)
        self._redirect.use(exchanges, speed, lambda recorded: self._exchanges.facts(recorded, FlowState()))

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

    def _refuse(self, message: str) -> None:
        """Report that an option cannot be what it was set to.

        At the start, an OptionsError from a script prints a traceback; an error in the log ends mitmdump with 1.
        """
        if self._is_running:
            raise exceptions.OptionsError(message)
        logger.error("%s", message)

    # --- commands -----------------------------------------------------------------------------------------------------

    @command.command("thinkwire.reload")
    def reload(self) -> None:
        """Read the rule file again; if it has errors, the old rules stay in force."""
        self._rules.reload()

    @command.command("thinkwire.explain")
    def explain(self, flows: Sequence[flow.Flow]) -> None:
        """Log which rule decides each setting for these flows, and why the other rules do not."""
        for one in flows:
            if isinstance(one, http.HTTPFlow) and self._rules.ruleset is not None:
                facts = self._exchanges.facts(one, self._states.of(one))
                logger.log(logging.INFO, "%s", self._rules.ruleset.explain(facts, one))

    # --- hooks --------------------------------------------------------------------------------------------------------

    def running(self) -> None:
        self._is_running = True
        if self._watching is None:
            self._watching = asyncio.create_task(self._rules.watch())

    def done(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        self._recorder.close(self._states)
        self._redirect.stop()

    def server_connect(self, data: ServerConnectionHookData) -> None:
        self._redirect.server_connect(data.server)

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        self._run("requestheaders", flow)
        if self._exchanges.may_pass_unread(flow.request):
            buffer_request(flow, lambda complete: self._run("request", complete))

    def request(self, flow: http.HTTPFlow) -> None:
        if self._rules.ruleset is None:
            flow.response = http.Response.make(502, b"thinkwire has no valid rules", {"content-type": "text/plain"})
        elif self._states.of(flow).exchange is None:  # else it was buffered, and its steps have been taken
            self._run("request", flow)

    def _run(self, hook: str, flow: http.HTTPFlow) -> None:
        take(self.steps[hook], flow, self._states.of(flow))

    responseheaders = partialmethod(_run, "responseheaders")
    response = partialmethod(_run, "response")
    error = partialmethod(_run, "error")
    websocket_start = partialmethod(_run, "websocket_start")
    websocket_message = partialmethod(_run, "websocket_message")
    websocket_end = partialmethod(_run, "websocket_end")


def _has_viewer() -> bool:
    """Can an answer be viewed? mitmproxy and mitmweb have a list of flows, mitmdump has none."""
    return ctx.master.addons.get("view") is not None


def _is_read(path: Path) -> bool:
    """Does mitmproxy read its flows from there (`-r`)? It would find at the end what had just been written."""
    source = ctx.options.rfile
    return bool(source) and Path(source).expanduser().resolve() == path.resolve()
