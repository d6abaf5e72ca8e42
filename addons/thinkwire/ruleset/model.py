"""The rule file as pydantic models: which keys exist, what each takes, and what it is for.

Checks one file by itself, key by key. Does not know positions, other files, or what a rule does; and lists only what is
available in this version. The descriptions are what editors show (`thinkwire schema`).
"""

from pydantic import Field

from thinkwire.ruleset.kinds import Version
from thinkwire.ruleset.model_base import Mapping
from thinkwire.ruleset.model_dialect import DialectModel
from thinkwire.ruleset.model_rule import RuleModel
from thinkwire.ruleset.model_test import RuleTestModel


class RuleFile(Mapping):
    """Rules of thinkwire: what happens to the reasoning in LLM traffic."""

    version: Version = Field(description="The version of this format: 1.")
    include: list[str] = Field(
        default=[],
        description="Files whose rules come after this file's own: shipped names (`default`) or paths relative to "
        "this file.",
    )
    rules: list[RuleModel] = Field(default=[], description="The rules; specific ones first, general ones last.")
    dialects: list[DialectModel] = Field(
        default=[], description="APIs that thinkwire does not know, each by its places; they come before built-in ones."
    )
    tests: list[RuleTestModel] = Field(
        default=[], description="What the rules have to make of recorded exchanges; `thinkwire test` runs them."
    )
