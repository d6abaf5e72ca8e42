"""`thinkwire schema`: the JSON Schema of rule files, for editors."""

import argparse
import json

from thinkwire.cli.common import CLEAN, Commands
from thinkwire.ruleset.model.rule_file import json_schema


def add_to(commands: Commands) -> None:
    schema = commands.add_parser("schema", help="print the JSON Schema of rule files, for editors")
    schema.set_defaults(run=_run)


def _run(_arguments: argparse.Namespace) -> int:
    print(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return CLEAN
