"""`thinkwire explain`: which rules decide about a request, and why the others do not."""

import argparse
import json
import sys
from pathlib import Path
from typing import Final

from thinkwire.cli.common import CLEAN, PROBLEMS, Commands, CouldNotRunError, print_problems, read_rules, rules_summary
from thinkwire.dialects.registry import request_facts
from thinkwire.proxy.flow_filter import make_flow

EXAMPLE: Final = """example:
  thinkwire explain rules/default.yaml --host api.deepseek.com --path /chat/completions \\
      --header 'x-thinkwire: strip' --body request.json
"""


def add_to(commands: Commands) -> None:
    explain = commands.add_parser(
        "explain", help="say which rules decide about a request, and why the others do not", epilog=EXAMPLE
    )
    explain.add_argument("file", type=Path, metavar="FILE", help="the rule file")
    explain.add_argument(
        "--body", "--request", metavar="JSON", dest="body", help="a file with the request's body; - is standard input"
    )
    explain.add_argument("--host", default="localhost", help="default: %(default)s")
    explain.add_argument("--path", default="/v1/chat/completions", help="default: %(default)s")
    explain.add_argument("--method", default="POST", help="default: %(default)s")
    explain.add_argument(
        "--header",
        metavar="'NAME: VALUE'",
        dest="headers",
        action="append",
        default=[],
        type=_header,
        help="repeatable",
    )
    explain.set_defaults(run=_run)


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise argparse.ArgumentTypeError(f"write 'NAME: VALUE', not {text!r}")
    return name.strip(), value.strip()


def _run(arguments: argparse.Namespace) -> int:
    loaded = read_rules(arguments.file)
    if loaded.ruleset is None:
        print_problems(loaded)
        print(f"{arguments.file}: {rules_summary(loaded)}")
        return PROBLEMS
    body = _read_body(arguments.body) if arguments.body else b""
    path = arguments.path.partition("?")[0]
    facts = request_facts(arguments.host, path, arguments.method, arguments.headers, body, loaded.ruleset.dialects)
    flow = make_flow(arguments.host, arguments.path, arguments.method, arguments.headers, body)
    print(loaded.ruleset.explain(facts, flow))
    return CLEAN


def _read_body(name: str) -> bytes:
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        json.loads(raw)
    except OSError as error:
        raise CouldNotRunError(f"cannot read {name}: {(error.strerror or 'unknown reason').lower()}") from error
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise CouldNotRunError(f"{name} is not JSON{where}") from error
    return raw
