"""A step that may fail without harm to the traffic."""

import logging

import pytest

from thinkwire.proxy.log_errors import log_errors

logger = logging.getLogger(__name__)


def test_a_failure_is_logged_with_what_was_tried(caplog: pytest.LogCaptureFixture) -> None:
    @log_errors(logger, "count")
    def fail() -> None:
        raise RuntimeError("boom")

    fail()
    assert "thinkwire failed to count, please report this" in caplog.text
    assert "boom" in caplog.text


def test_what_stops_the_program_is_not_caught() -> None:
    @log_errors(logger, "count")
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
