"""What the commands share: reading the files that the user names."""

from pathlib import Path

import pytest

from thinkwire.cli.common import CouldNotRunError, load_rules, open_recording, read_rules, rules_summary

RULES = Path(__file__).parents[2] / "rules"
BAD = Path(__file__).parents[1] / "ruleset" / "bad"


def test_the_default_rules_are_read_if_none_are_named() -> None:
    assert [rule.origin.file for rule in load_rules(None).rules] == [RULES / "default.yaml"] * 3


def test_rules_with_errors_are_refused_with_all_of_them() -> None:
    with pytest.raises(CouldNotRunError, match=r"the rule file has errors\n\n(?s:.*)error: `hots`"):
        load_rules(BAD / "unknown-key.yaml")


def test_a_file_that_cannot_be_read_is_named() -> None:
    for read in (read_rules, open_recording):
        with pytest.raises(CouldNotRunError, match="cannot read none: no such file or directory"):
            read(Path("none"))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (RULES / "default.yaml", "3 rules, no problems"),
        (RULES / "example-dialect.yaml", "4 rules, 2 dialects, no problems"),
        (BAD / "undoes-strip.yaml", "4 rules, 1 warning"),
        (BAD / "unknown-key.yaml", "4 errors"),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_rules_and_problems_are_counted(path: Path, said: str) -> None:
    assert rules_summary(read_rules(path)) == said
