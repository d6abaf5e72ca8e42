"""What a setting is: one key under `request` or `response` of a rule, and everything that is done with it.

Does not know which settings there are; `table.py` lists them.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from thinkwire.rewrite.plan import JSONPath
from thinkwire.ruleset.problem import Problem, Source
from thinkwire.ruleset.yaml.node import YamlNode


class Side(StrEnum):
    """The part of a rule that a setting belongs to."""

    REQUEST = "request"
    RESPONSE = "response"


@dataclass(frozen=True, slots=True)
class Setting[V]:
    """One setting; `V` is what the plan holds of it, in the field of the same name."""

    side: Side
    name: str
    type: Any
    """What a rule file may say: a type for pydantic."""
    description: str
    """What editors show, as Markdown in one line."""
    guide: str
    """What the guide's table says: the possible values, as Markdown in one line."""
    compile: Callable[[Any], V]
    """What pydantic has read -> what the plan holds."""
    spell: Callable[[V], str]
    """What the plan holds -> how one writes it in a rule file, in one line."""
    default: V
    """What the plan holds if no rule sets it; of a setting that is chosen path by path, None."""
    split: Callable[[Any], Iterable[tuple[JSONPath, Any]]] = lambda written: [((), written)]
    """For a setting that is chosen path by path: its paths, each with what `compile` is given."""
    conflicts: Callable[[Source, YamlNode], Iterable[Problem]] = lambda _source, _value: ()
    """What is wrong with a value although each key in it may be right."""

    @property
    def full_name(self) -> str:
        """`response.reasoning`, ..."""
        return f"{self.side}.{self.name}"

    def read(self, written: Any) -> Iterator["SettingValue"]:
        """What a rule sets: one value, or one for each path."""
        for path, one in self.split(written):
            value = self.compile(one)
            yield SettingValue(self, path, value, self.spell(value))


@dataclass(frozen=True, slots=True)
class SettingValue:
    """What a rule sets a setting to."""

    setting: Setting[Any]
    path: JSONPath
    """The member of the request body that it is about; empty for a setting that has one value."""
    value: Any
    """What the plan is to hold; of a member, its JSON text, or None if it is removed."""
    text: str
    """As one writes it in a rule file; empty for a removal, which has no value."""

    @property
    def name(self) -> str:
        """`response.reasoning`, `request.remove include_reasoning`, ..."""
        return f"{self.setting.full_name} {'.'.join(self.path)}" if self.path else self.setting.full_name

    def clashes(self, other: "SettingValue") -> bool:
        """Can only one of the two hold? Two members clash if the result depends on which is edited first."""
        if not self.path or not other.path:
            return self.setting is other.setting
        if self.value is None and other.value is None and self.path != other.path:
            return False
        shorter = min(len(self.path), len(other.path))
        return self.path[:shorter] == other.path[:shorter]
