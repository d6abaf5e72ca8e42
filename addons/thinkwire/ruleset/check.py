"""One parsed file -> its model, or all that is wrong with it.

Checks a file by itself; what needs other files (includes, unique ids) is the loader's business.
"""

from collections.abc import Callable, Iterator

from pydantic import ValidationError

from thinkwire.ruleset.dialect import declared_problems
from thinkwire.ruleset.faults import contradiction
from thinkwire.ruleset.field_types import Compiled
from thinkwire.ruleset.model.pydantic_errors import translate
from thinkwire.ruleset.model.rule import ExtractOptions, ReasoningAction
from thinkwire.ruleset.model.rule_file import RuleFile
from thinkwire.ruleset.model.rule_test import RuleTestModel
from thinkwire.ruleset.problem import Code, Problem, Source, Span
from thinkwire.ruleset.rule import BodyEdit
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode, plain

type CompileFilter = Callable[[str], Compiled]


def check_file(source: Source, root: YamlNode, compile_filter: CompileFilter) -> tuple[RuleFile | None, list[Problem]]:
    """The model, unless there are problems."""
    problems = list(_conflicts(source, root))
    try:
        model = RuleFile.model_validate(plain(root), context=compile_filter)
    except ValidationError as error:
        found = error.errors(include_url=False)
        # A file of another version has other keys: whatever else is said about it would be misleading.
        other_version = [one for one in found if one["type"] == "version"]
        translated = (translate(one, source, root) for one in other_version or found)
        return None, [*(problem for problem in translated if problem), *([] if other_version else problems)]
    return (None, problems) if problems else (model, [])


def rules_of(root: YamlNode) -> tuple[YamlNode, ...]:
    """The nodes of a file's rules, also where the file has problems."""
    rules = root.get("rules")
    return rules.items if rules else ()


def dialects_of(root: YamlNode) -> tuple[YamlNode, ...]:
    """The nodes of a file's dialects, also where the file has problems."""
    dialects = root.get("dialects")
    return dialects.items if dialects else ()


def tests_of(root: YamlNode) -> tuple[YamlNode, ...]:
    """The nodes of a file's tests, also where the file has problems."""
    tests = root.get("tests")
    return tests.items if tests else ()


def texts_of(node: YamlNode | None) -> Iterator[YamlNode]:
    """The texts in a list, also where it has other things in it."""
    return (item for item in (node.items if node else ()) if item.kind is NodeKind.TEXT)


def _conflicts(source: Source, root: YamlNode) -> Iterator[Problem]:
    for rule in rules_of(root):
        if response := rule.get("response"):
            yield from _response_conflicts(source, response)
        if request := rule.get("request"):
            yield from _clashing_edits(source, request)
            yield from _filled_nowhere(source, request)
    for dialect in dialects_of(root):
        yield from declared_problems(source, dialect)
    for test in tests_of(root):
        yield from _nothing_expected(source, test)


def _response_conflicts(source: Source, response: YamlNode) -> Iterator[Problem]:
    if reasoning := response.get("reasoning"):
        yield from _two_actions(source, reasoning)
    if extract := response.get("extract"):
        for item in (extract, *extract.items):
            if item.kind is NodeKind.MAPPING:
                yield from _half_said(source, item)
    if fault := response.get("fault"):
        yield from _impossible_fault(source, fault)


def _two_actions(source: Source, reasoning: YamlNode) -> Iterator[Problem]:
    actions = [key for key, _ in reasoning.entries if key.text in ReasoningAction.model_fields]
    for key in actions[1:]:
        message = f"`{actions[0].text}` and `{key.text}` cannot be done at once"
        yield source.problem(Code.TWO_ACTIONS, key.span, message, "keep one, or make two rules with a `when` each")
    if reasoning.kind is NodeKind.MAPPING and not reasoning.entries:
        message = "`reasoning` is an empty mapping"
        yield source.problem(Code.EMPTY, reasoning.span, message, "write `keep`, `strip` or `{rename: reasoning}`")


def _half_said(source: Source, extract: YamlNode) -> Iterator[Problem]:
    """Of `family` and `tags` there must be one, and only tags can be looked for elsewhere than their family says."""
    keys = {key.text: key.span for key, _ in extract.entries}
    said = [name for name in keys if name in ("family", "tags")]
    if len(said) == 2:
        message, hint = (
            "`family` and `tags` cannot be given at once",
            "keep one, or write a list of two: `[{...}, {...}]`",
        )
        yield source.problem(Code.TWO_ACTIONS, keys[said[1]], message, hint)
    elif said == ["family"] and "where" in keys:
        message = "`where` cannot be said of a family: its markers count where models write them"
        hint = 'write the tags out: `{tags: [["<think>", "</think>"]], where: anywhere}`'
        yield source.problem(Code.WHERE_OF_FAMILY, keys["where"], message, hint)
    elif not said and keys.keys() <= ExtractOptions.model_fields.keys():  # another key may be a slip of the pen
        message, hint = "`extract` says neither `family` nor `tags`", "add `family: think`, or another family's name"
        yield source.problem(Code.MISSING_KEY, extract.span, message, hint)


def _impossible_fault(source: Source, fault: YamlNode) -> Iterator[Problem]:
    if fault.kind is not NodeKind.MAPPING:
        return
    keys = {key.text: key.span for key, _ in fault.entries}
    said = {name for name in keys if name != "live" and not _is_false(fault, name)}
    if not said:
        message, hint = (
            "`fault` says nothing that goes wrong",
            "add one, such as `cut_after: 20`, or write `fault: none`",
        )
        yield source.problem(Code.EMPTY, fault.span, message, hint)
    stall = fault.get("stall")
    after = stall.get("after") if stall is not None else None
    clash = contradiction(_number(fault.get("error_after")), _number(fault.get("cut_after")), _number(after))
    if clash is not None:
        name, message = clash
        yield source.problem(Code.TWO_ACTIONS, keys[name], message, "keep one, or make two rules with a `when` each")


def _is_false(mapping: YamlNode, name: str) -> bool:
    value = mapping.get(name)
    return value is not None and value.scalar is False


def _number(node: YamlNode | None) -> int | None:
    """A whole number; None for anything else, of which something else is said."""
    value = node.scalar if node is not None and node.kind is NodeKind.NUMBER else None
    return value if isinstance(value, int) else None


def _filled_nowhere(source: Source, request: YamlNode) -> Iterator[Problem]:
    """A text to fill in needs a form to be written in."""
    history = request.get("history")
    if history is None or history.kind is not NodeKind.MAPPING:
        return
    if not history.entries:
        yield source.problem(Code.EMPTY, history.span, "`history` is an empty mapping", "write `auto`, or another form")
    fill, to = next((key for key, _ in history.entries if key.text == "fill"), None), history.get("to")
    form = "keep" if to is None else to.scalar
    if fill is not None and form in ("keep", "drop"):
        message = f"`fill` has no form to be written in: `to` is `{form}`"
        yield source.problem(Code.TWO_ACTIONS, fill.span, message, "add `to: reasoning_content`, or another form")


def _clashing_edits(source: Source, request: YamlNode) -> Iterator[Problem]:
    edits = [
        (BodyEdit(tuple(str(item.scalar).split(".")), None), item.span) for item in texts_of(request.get("remove"))
    ]
    sets = request.get("set")
    edits += [(BodyEdit(tuple(key.text.split(".")), ""), key.span) for key, _ in (sets.entries if sets else ())]
    for index, (edit, span) in enumerate(edits):
        earlier = next((other for other, _ in edits[:index] if edit.clashes(other)), None)
        if earlier is not None and (edit.json, earlier.json) != (None, None):
            yield _clash(source, earlier, edit, span)


def _clash(source: Source, earlier: BodyEdit, edit: BodyEdit, span: Span) -> Problem:
    message = f"`{earlier.setting}` and `{edit.setting}` cannot be done at once"
    hint = "keep one of the two" if earlier.json is None else "write the one into the value of the other"
    return source.problem(Code.TWO_ACTIONS, span, message, hint)


def _nothing_expected(source: Source, test: YamlNode) -> Iterator[Problem]:
    keys = {key.text for key, _ in test.entries}
    has_slips = not keys.issubset(RuleTestModel.key_names())  # one of them may be meant
    if test.kind is NodeKind.MAPPING and not has_slips and not keys & {"rules", "expect"}:
        node = test.get("id") or test
        message = "this test expects nothing, so it could not fail"
        hint = "say under `expect` what has to come of it, or under `rules` which rules must decide"
        yield source.problem(Code.NO_EXPECTATION, node.span, message, hint)
