"""One parsed file -> its model, or everything that is wrong with it.

Checks a file on its own; whatever needs other files (includes, unique ids) is the loader's business.
"""

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from thinkwire.ruleset.dialect import declared_problems
from thinkwire.ruleset.field_types import Compiled
from thinkwire.ruleset.model.pydantic_errors import translate
from thinkwire.ruleset.model.rule_file import RuleFile
from thinkwire.ruleset.model.rule_test import RuleTestModel
from thinkwire.ruleset.problem import Code, Problem, Source
from thinkwire.ruleset.settings.setting import Setting, SettingValue
from thinkwire.ruleset.settings.table import REMOVE, SET, SETTINGS
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode, plain

type CompileFilter = Callable[[str], Compiled]


def check_file(source: Source, root: YamlNode, compile_filter: CompileFilter) -> tuple[RuleFile | None, list[Problem]]:
    """The model, unless there are problems."""
    problems = list(_conflicts(source, root))
    try:
        model = RuleFile.model_validate(plain(root), context=compile_filter)
    except ValidationError as error:
        found = error.errors(include_url=False)
        # A file of another version has other keys: anything else said about it would be misleading.
        other_version = [one for one in found if one["type"] == "version"]
        translated = (translate(one, source, root) for one in other_version or found)
        return None, [*(problem for problem in translated if problem), *([] if other_version else problems)]
    return (None, problems) if problems else (model, [])


def _conflicts(source: Source, root: YamlNode) -> Iterator[Problem]:
    for rule in root.items_of("rules"):
        for setting in SETTINGS:
            side = rule.get(setting.side)
            if side is not None and (value := side.get(setting.name)) is not None:
                yield from setting.conflicts(source, value)
        if request := rule.get("request"):
            yield from _clashing_edits(source, request)
    for dialect in root.items_of("dialects"):
        yield from declared_problems(source, dialect)
    for test in root.items_of("tests"):
        yield from _nothing_expected(source, test)


def _clashing_edits(source: Source, request: YamlNode) -> Iterator[Problem]:
    """Members that are both removed and set, or set twice, one inside the other."""
    edits = [(_edit(REMOVE, str(item.scalar)), item.span) for item in request.texts_of("remove")]
    sets = request.get("set")
    edits += [(_edit(SET, key.text), key.span) for key, _ in (sets.entries if sets else ())]
    for index, (edit, span) in enumerate(edits):
        earlier = next((other for other, _ in edits[:index] if edit.clashes(other)), None)
        if earlier is not None and not edit.setting is earlier.setting is REMOVE:
            message = f"`{earlier.name}` and `{edit.name}` cannot be combined"
            hint = "keep one of the two" if earlier.setting is REMOVE else "put one into the value of the other"
            yield source.problem(Code.TWO_ACTIONS, span, message, hint)


def _edit(setting: Setting[Any], path: str) -> SettingValue:
    return SettingValue(setting, tuple(path.split(".")), None if setting is REMOVE else "", "")


def _nothing_expected(source: Source, test: YamlNode) -> Iterator[Problem]:
    keys = {key.text for key, _ in test.entries}
    has_slips = not keys.issubset(RuleTestModel.key_names())  # one of them may be what was meant
    if test.kind is NodeKind.MAPPING and not has_slips and not keys & {"rules", "expect"}:
        node = test.get("id") or test
        message = "this test expects nothing, so it cannot fail"
        hint = "say under `expect` what must come out, or under `rules` which rules must decide"
        yield source.problem(Code.NO_EXPECTATION, node.span, message, hint)
