"""Options of the addon that change while mitmproxy runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.test import taddons

from tests.flows import recorded_flow, write_flows
from thinkwire.proxy.addon import Thinkwire


def test_what_a_replay_needs_of_mitmproxy_is_set_back_when_it_is_over(tmp_path: Path) -> None:
    path = str(write_flows(tmp_path / "one.flow", recorded_flow()))
    addon = Thinkwire()
    with taddons.context(Proxyserver(), addon) as context:  # type: ignore[no-untyped-call]

        def options() -> tuple[str, str | None]:
            return context.options.connection_strategy, context.options.stream_large_bodies

        context.options.update(stream_large_bodies="3m")
        for files, expected in (
            ([path], ("lazy", None)),
            ([path, path], ("lazy", None)),
            ([], ("eager", "3m")),
            ([], ("eager", "3m")),
            ([path], ("lazy", None)),
        ):
            context.configure(addon, thinkwire_replay=files)
            assert options() == expected


def test_who_observes_is_told_that_there_are_no_faults(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = str(write_flows(tmp_path / "one.flow", recorded_flow()))
    addon = Thinkwire()
    with taddons.context(Proxyserver(), addon) as context:  # type: ignore[no-untyped-call]
        context.configure(addon, thinkwire_replay=[path], thinkwire_fault=["cut-after=3"])
        assert "thinkwire_fault" not in caplog.text
        context.configure(addon, thinkwire_observe=True)
        assert "thinkwire_fault: there is none as long as thinkwire_observe is set" in caplog.text
        caplog.clear()
        context.configure(addon, thinkwire_fault=["none"])
        assert caplog.text == ""
