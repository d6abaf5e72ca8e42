"""Every case file of this folder, through one mitmdump whose rules are chosen by the header `x-case`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.client import conversation
from tests.e2e.fixtures import StartMitmdump
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import LIMIT, Upstream

from .case import Case, load_case
from .checks import check_exchange, open_exchange

CASES = [load_case(path) for path in sorted(Path(__file__).parent.glob("*.yaml"))]


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cases") / "rules.yaml"
    path.write_text(json.dumps({"version": 1, "rules": [case.rule for case in CASES]}, indent=1))
    return path


@pytest.fixture
def mitmdump(upstream: Upstream, mitmdump_with: StartMitmdump, rules: Path) -> Mitmdump:
    return mitmdump_with({"thinkwire_rules": str(rules)})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(mitmdump: Mitmdump, upstream: Upstream, case: Case) -> None:
    upstream.answer(case.answer)
    headers = {**case.request["headers"], "x-case": case.id}
    with conversation(mitmdump.port, case.request_body, path=case.request["path"], headers=headers) as talk:
        for wanted, gate in case.handshakes:
            talk.read_until(wanted)
            gate.open()
        if case.close_after:
            talk.read_until(case.close_after)
        else:
            check_exchange(open_exchange(case, talk.read_reply(), upstream.request))
    if case.close_after:
        assert upstream.left.wait(LIMIT)
