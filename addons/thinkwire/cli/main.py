"""The command line: `thinkwire check`, `explain`, `lint`, `replay`, `schema`, `show` and `test`.

Reads arguments and files, prints, and answers an exit code; what a rule file means is decided elsewhere.
Exit codes: 0 clean, 1 problems found, 2 could not run, 3 a bug of ours.
"""

import argparse
import contextlib
import io
import json
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from thinkwire.cli import lint as cli_lint
from thinkwire.cli import replay as cli_replay
from thinkwire.cli import show as cli_show
from thinkwire.cli import test as cli_test
from thinkwire.cli.common import (
    BUG,
    CLEAN,
    COULD_NOT_RUN,
    PROBLEMS,
    CouldNotRunError,
    complain,
    print_problems,
    read_rules,
)
from thinkwire.dialects.registry import request_facts
from thinkwire.proxy.flow_filter import make_flow
from thinkwire.ruleset.load import Loaded
from thinkwire.ruleset.model.rule_file import json_schema
from thinkwire.ruleset.problem import Severity

INTERRUPTED = 130

EXPLAIN_EXAMPLE = """example:
  thinkwire explain rules/default.yaml --host api.deepseek.com --path /chat/completions \\
      --header 'x-thinkwire: strip' --body request.json
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and answers its exit code; never raises."""
    if sys.stdout is None:  # closed by who has called us, and wants the exit code, or what is written to a file
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            return main(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Reports quote rule files, in which there may be more characters than the terminal has.
        sys.stdout.reconfigure(errors="backslashreplace")
    # What is logged on the way is for those who look at a running mitmproxy.
    logging.getLogger("thinkwire").addHandler(logging.NullHandler())
    try:
        code = _run(argv)
        sys.stdout.flush()
    except SystemExit as exit_:  # argparse has printed its help or its complaint
        return exit_.code if isinstance(exit_.code, int) else COULD_NOT_RUN
    except CouldNotRunError as error:
        return complain(error)
    except BrokenPipeError:
        return _lose_stdout()
    except OSError as error:  # files are asked for what they are elsewhere; this is a disk that is full, or gone
        complain(CouldNotRunError(f"cannot write: {(error.strerror or str(error)).lower()}"))
        return _lose_stdout()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return _confess(error)
    return code


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    match arguments.command:
        case "check":
            return max(_check(path) for path in arguments.files)
        case "explain":
            return _explain(arguments)
        case "lint":
            return cli_lint.run(arguments)
        case "replay":
            return cli_replay.run(arguments)
        case "show":
            return cli_show.run(arguments)
        case "test":
            return cli_test.run(arguments)
    print(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return CLEAN


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="thinkwire",
        description="Rule files for the reasoning in LLM traffic, and recordings of it.",
        epilog="exit codes: 0 clean, 1 problems found, 2 could not run, 3 a bug of thinkwire",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="find every problem in rule files")
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    _add_explain(commands)
    cli_lint.add_to(commands)
    cli_replay.add_to(commands)
    cli_show.add_to(commands)
    commands.add_parser("schema", help="print the JSON Schema of rule files, for editors")
    cli_test.add_to(commands)
    return parser


def _add_explain(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    explain = commands.add_parser(
        "explain",
        help="say which rules decide about a request, and why the others do not",
        epilog=EXPLAIN_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
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


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise argparse.ArgumentTypeError(f"write 'NAME: VALUE', not {text!r}")
    return name.strip(), value.strip()


def _check(path: Path) -> int:
    try:
        loaded = read_rules(path)
    except CouldNotRunError as error:
        # The other files are still worth a look.
        return complain(error)
    print_problems(loaded)
    print(f"{path}: {_summary(loaded)}")
    return CLEAN if loaded.ruleset else PROBLEMS


def _summary(loaded: Loaded) -> str:
    severities = [problem.severity for problem in loaded.problems]
    errors, warnings = severities.count(Severity.ERROR), severities.count(Severity.WARNING)
    rules = [_count(len(loaded.ruleset.rules), "rule")] if loaded.ruleset else []
    if loaded.ruleset and loaded.ruleset.declared:
        rules.append(_count(len(loaded.ruleset.declared), "dialect"))
    problems = [_count(number, word) for number, word in ((errors, "error"), (warnings, "warning")) if number]
    return ", ".join([*rules, *(problems or ["no problems"])])


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _explain(arguments: argparse.Namespace) -> int:
    loaded = read_rules(arguments.file)
    if loaded.ruleset is None:
        print_problems(loaded)
        print(f"{arguments.file}: {_summary(loaded)}")
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


def _lose_stdout() -> int:
    # Python flushes stdout once more when it ends, and would complain then.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return COULD_NOT_RUN


def _confess(error: Exception) -> int:
    if os.environ.get("THINKWIRE_DEBUG"):
        traceback.print_exc()
    print(
        f"thinkwire: this is a bug in thinkwire, not in your files: {type(error).__name__}: {error}\n"
        "Please report it with the command and the files; THINKWIRE_DEBUG=1 shows where it happened.",
        file=sys.stderr,
    )
    return BUG
