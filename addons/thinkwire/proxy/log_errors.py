"""Hooks that only listen to the traffic, and may fail without harm to it."""

import functools
import logging
from collections.abc import Callable

__all__ = ["log_errors"]


def log_errors[**P](logger: logging.Logger, what: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Whatever goes wrong in this hook, which is there to do `what`, is logged, and the traffic goes on."""

    def of(hook: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(hook)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                hook(*args, **kwargs)
            except Exception:
                logger.exception("thinkwire failed to %s, please report this", what)

        return wrapped

    return of
