"""Rule files -> a ruleset, or every problem in them at once.

Reads a file and everything it includes. Does not know mitmproxy: the caller says how a filter is compiled. `load`
never raises because of what a file contains, nor if one cannot be read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from thinkwire.dialects.registry import NAMES
from thinkwire.ruleset.check import CompileFilter, check_file
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.dialect import compile_declared
from thinkwire.ruleset.field_types import ID
from thinkwire.ruleset.glob import compile_glob
from thinkwire.ruleset.model.rule_file import RuleFile
from thinkwire.ruleset.problem import Code, Problem, Severity, Source, Span, suggest
from thinkwire.ruleset.rule import compile_rule
from thinkwire.ruleset.rule_tests.expected import RuleTest, compile_test
from thinkwire.ruleset.warnings import PlacedRule, warnings
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode
from thinkwire.ruleset.yaml.tree import parse

UNREADABLE: dict[type[OSError], str] = {
    FileNotFoundError: "there is no such file",
    IsADirectoryError: "this is a folder, not a file",
    PermissionError: "this file may not be read",
}
CANNOT_BE_READ = "this file cannot be read"
LOOK_AT_PATH = "check the path and its permissions"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading a rule file."""

    ruleset: Ruleset | None
    """None if there is any error."""
    problems: tuple[Problem, ...]
    """By file, line and column; warnings too."""
    files: tuple[Path, ...]
    """Every file that was read or looked for: if one of them changes, loading again may give another result."""
    tests: tuple[RuleTest, ...] = ()
    """Those of the file itself, not of those that it includes; none if there is any error."""


def load(path: Path, *, shipped: Path, compile_filter: CompileFilter) -> Loaded:
    """Loads a rule file. `shipped` is the folder in which `include: [default]` is looked up; `compile_filter` raises
    ValueError, with a text for the user, for a filter that is not valid or that needs the response."""
    loader = _Loader(shipped, compile_filter)
    loader.read_main(path)
    problems = [
        *loader.problems,
        *_duplicates(loader.ids("rules"), Code.DUPLICATE_ID, "rule"),
        *_duplicates(loader.ids("dialects"), Code.DUPLICATE_DIALECT, "dialect"),
        *(problem for part in loader.parts for problem in _duplicates(part.ids("tests"), Code.DUPLICATE_ID, "test")),
        *loader.built_in_dialects(),
        *loader.misnamed_dialects(),
        *loader.misnamed_rules(),
    ]
    rules: list[PlacedRule] = []
    tests: list[RuleTest] = []
    if not any(problem.severity is Severity.ERROR for problem in problems):
        rules = [placed for part in loader.parts for placed in part.rules()]
        problems += warnings(rules)
        declared = tuple(compile_declared(one) for part in loader.parts for one in part.checked.dialects)
        ruleset = Ruleset(tuple(placed.rule for placed in rules), declared)
        tests = loader.parts[0].tests()
    else:
        ruleset = None
    ordered = sorted(problems, key=lambda problem: (str(problem.file), problem.line, problem.col, problem.code))
    return Loaded(ruleset, tuple(dict.fromkeys(ordered)), tuple(dict.fromkeys(loader.files)), tuple(tests))


type _InFile = tuple[Source, YamlNode]


@dataclass(frozen=True, slots=True)
class _Part:
    """One file of a ruleset; without a model if it has problems."""

    source: Source
    root: YamlNode
    model: RuleFile | None

    @property
    def checked(self) -> RuleFile:
        assert self.model is not None, "asked only if nothing is wrong"
        return self.model

    def rules(self) -> list[PlacedRule]:
        path, rules = self.source.path, zip(self.checked.rules, self._lines("rules"), self.ids("rules"), strict=True)
        return [PlacedRule(compile_rule(rule, path, line), self.source, id_.span) for rule, line, (_, id_) in rules]

    def tests(self) -> list[RuleTest]:
        tests = zip(self.checked.tests, self._lines("tests"), strict=True)
        return [compile_test(test, self.source.path, line) for test, line in tests]

    def _lines(self, name: str) -> list[int]:
        return [self.source.line_number(node.span.start) for node in self.root.items_of(name)]

    def ids(self, name: str) -> list[_InFile]:
        """The ids of its `rules`, `dialects` or `tests`."""
        ids = (one.get("id") for one in self.root.items_of(name))
        return [(self.source, node) for node in ids if node and node.kind is NodeKind.TEXT]

    def dialects_asked_for(self) -> Iterator[YamlNode]:
        """The texts under `when.dialect`."""
        for rule in self.root.items_of("rules"):
            when = rule.get("when")
            for condition in (when, *when.items) if when else ():
                yield from asked.texts if (asked := condition.get("dialect")) else ()


@dataclass(slots=True)
class _Loader:
    shipped: Path
    compile_filter: CompileFilter
    problems: list[Problem] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    parts: list[_Part] = field(default_factory=list)
    open: list[Path] = field(default_factory=list)
    """The files whose includes are being read, the outermost first; as the user names them."""

    def read_main(self, path: Path) -> None:
        self.files.append(path)
        try:
            raw = path.read_bytes()
        except OSError as error:
            self._report(
                Source(path, ""), Code.UNREADABLE, Span(0, 0), UNREADABLE.get(type(error), CANNOT_BE_READ), LOOK_AT_PATH
            )
            return
        self._read(path, raw)

    def ids(self, name: str) -> list[_InFile]:
        return [one for part in self.parts for one in part.ids(name)]

    def built_in_dialects(self) -> Iterator[Problem]:
        """A built-in API cannot be declared again."""
        for source, node in self.ids("dialects"):
            if node.scalar in NAMES:
                message = f"`{node.scalar}` is the name of an API that thinkwire knows"
                hint = "give this dialect another id; it comes before the built-in ones"
                yield source.problem(Code.DUPLICATE_DIALECT, node.span, message, hint)

    def misnamed_dialects(self) -> Iterator[Problem]:
        """`when.dialect` names one that is neither built in nor declared in any of the files, or one that no request
        can belong to."""
        dialects = [one for part in self.parts for one in part.root.items_of("dialects")]
        silent = {id_.scalar for one in dialects if (id_ := one.get("id")) and one.get("path") is None}
        known = [*(str(node.scalar) for _, node in self.ids("dialects")), *NAMES]
        for part in self.parts:
            for node in part.dialects_asked_for():
                word = str(node.scalar)
                meant = list(filter(compile_glob(word), known))
                if not meant:
                    message, hint = f"no dialect is called `{word}`", suggest(word, known, "known dialects")
                    yield part.source.problem(Code.UNKNOWN_DIALECT, node.span, message, hint)
                elif silent.issuperset(meant):
                    message = f"no request belongs to `{word}`: its declaration has no `path`"
                    hint = "declare the `path` of its requests, or choose them by `host` or `path` here"
                    yield part.source.problem(Code.NEVER_DECIDES, node.span, message, hint)

    def misnamed_rules(self) -> Iterator[Problem]:
        """A test names a rule that is in none of the files."""
        known = [str(node.scalar) for _, node in self.ids("rules")]
        for part in self.parts:
            for node in (node for test in part.root.items_of("tests") for node in test.texts_of("rules")):
                if (word := str(node.scalar)) not in known:
                    hint = suggest(word, known, "known rules")
                    yield part.source.problem(Code.UNKNOWN_RULE, node.span, f"no rule is called `{word}`", hint)

    def _report(self, source: Source, code: Code, span: Span, message: str, hint: str) -> None:
        self.problems.append(source.problem(code, span, message, hint))

    def _read(self, path: Path, raw: bytes) -> None:
        try:
            source = Source(path, raw.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            before = len(raw[: error.start].decode("utf-8-sig"))
            source = Source(path, raw.decode("utf-8-sig", "replace"))
            message = "this file is not UTF-8 text"
            self._report(source, Code.NOT_UTF8, Span(before, before + 1), message, "save it as UTF-8")
            return
        root, problems = parse(source)
        self.problems += problems
        if root is None:
            return
        model, problems = check_file(source, root, self.compile_filter)
        self.problems += problems
        self.parts.append(_Part(source, root, model))
        self.open.append(path)
        for node in root.texts_of("include"):
            self._include(source, node)
        self.open.pop()

    def _include(self, source: Source, node: YamlNode) -> None:
        name = str(node.scalar)
        if "\0" in name:
            # Python refuses even to ask the system, and so would the watcher of `files`.
            self._report(source, Code.UNREADABLE, node.span, "no file can have this name", LOOK_AT_PATH)
            return
        path = self._find(source.path, name)
        same = path.resolve()
        circle = next((i for i, other in enumerate(self.open) if other.resolve() == same), None)
        if circle is not None:
            way = " -> ".join(map(str, [*self.open[circle:], path]))
            message = f"this include closes a circle: {way}"
            self._report(source, Code.INCLUDE_CYCLE, node.span, message, "remove one of these includes")
        elif all(other.resolve() != same for other in self.files):
            self.files.append(path)
            self._read_included(path, source, node)

    def _read_included(self, path: Path, source: Source, node: YamlNode) -> None:
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            message = f"no rule file is called `{node.scalar}`"
            self._report(source, Code.MISSING_INCLUDE, node.span, message, self._where_to_look(path, source, node))
            return
        except OSError as error:
            self._report(source, Code.UNREADABLE, node.span, UNREADABLE.get(type(error), CANNOT_BE_READ), LOOK_AT_PATH)
            return
        self._read(path, raw)

    def _find(self, including: Path, name: str) -> Path:
        return _shorten(self.shipped / f"{name}.yaml") if ID.fullmatch(name) else including.parent / name

    def _where_to_look(self, path: Path, source: Source, node: YamlNode) -> str:
        name = str(node.scalar)
        if not ID.fullmatch(name):
            return f"there is no {path}; a path is relative to the file that includes it"
        for beside in (name, f"{name}.yaml"):
            if (source.path.parent / beside).is_file():
                return f"for the file beside this one, write `./{beside}`"
        known = sorted(file.stem for file in self.shipped.glob("*.yaml"))
        close = get_close_matches(name, known, n=1)
        return f"did you mean `{close[0]}`?" if close else f"shipped are: {', '.join(known)}; a path ends in `.yaml`"


def _duplicates(ids: list[_InFile], code: Code, what: str) -> Iterator[Problem]:
    """Of two with one id, the one that can be changed: of two files, the including one's."""
    first: dict[str, _InFile] = {}
    for source, node in ids:
        other_source, other = first.setdefault(str(node.scalar), (source, node))
        if other is node:
            continue
        if other_source is not source:
            source, node, other_source, other = other_source, other, source, node
        line = other_source.line_number(other.span.start)
        message = f"`{node.scalar}` is also the id of the {what} at {other_source.path}:{line}"
        yield source.problem(code, node.span, message, f"give this {what} another id")


def _shorten(path: Path) -> Path:
    """Relative if it is below the current folder, because reports show it."""
    try:
        return path.relative_to(Path.cwd()) if path.is_absolute() else path
    except ValueError:
        return path


def folder() -> Path:
    """The folder of the shipped rule files: beside the code in an installed package, at the root of a checkout."""
    package = Path(__file__).parent.parent
    installed = package / "rules"
    return installed if installed.is_dir() else package.parent.parent / "rules"
