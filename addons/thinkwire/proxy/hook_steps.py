"""The steps that the parts of the addon take in a hook of mitmproxy: all of them, even if one fails."""

import functools
import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from mitmproxy import http

from thinkwire.proxy.flow_state import FlowState

type HookStep = Callable[[http.HTTPFlow, FlowState], None]
"""What one part of the addon does in one hook."""


def take(steps: Sequence[HookStep], flow: http.HTTPFlow, state: FlowState) -> None:
    """Take the steps in their order. Raises what a step has raised after all have been taken; mitmproxy logs it."""
    with ExitStack() as stack:  # which calls the last one first
        for step in reversed(steps):
            stack.callback(step, flow, state)


def log_errors[**P](logger: logging.Logger, what: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """For a step that only watches: whatever it raises is logged as a failure to do `what`, and the traffic goes on."""

    def decorate(step: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(step)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                step(*args, **kwargs)
            except Exception:
                logger.exception("thinkwire failed to %s, please report this", what)

        return wrapped

    return decorate
