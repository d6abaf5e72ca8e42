"""`thinkwire schema`: the schema as it is made."""

import json

import pytest

from thinkwire.cli import main as cli
from thinkwire.ruleset.model.rule_file import json_schema


def test_schema_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema()
