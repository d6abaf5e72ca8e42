"""Paths as users write them: which texts are valid, and the messages for those that are not."""

import pytest

from thinkwire.dialects.declared.paths import Chosen, EachElement, Name, Path, PathError, parse_path

ALL = EachElement()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("thoughts", (Name("thoughts"),)),
        ("choices[*].delta.thoughts", (Name("choices"), ALL, Name("delta"), Name("thoughts"))),
        ("content[type=thinking]", (Name("content"), Chosen("type", "thinking"))),
        ("[type=thought.delta].text", (Chosen("type", "thought.delta"), Name("text"))),
        ("[*][*].a", (ALL, ALL, Name("a"))),
        ("a[*][thought=true].b[k=1]", (Name("a"), ALL, Chosen("thought", "true"), Name("b"), Chosen("k", "1"))),
        ("\"a.b\".'c[0]'[*]", (Name("a.b"), Name("c[0]"), ALL)),
        ("[\"a.b\"='x ]']", (Chosen("a.b", "x ]"),)),
        ("a[b='']", (Name("a"), Chosen("b", ""))),
        ("$schema.x-y@1:2", (Name("$schema"), Name("x-y@1:2"))),
        ("d\u00e9j\u00e0", (Name("d\u00e9j\u00e0"),)),
    ],
)
def test_a_path_is_read_step_by_step(text: str, path: Path) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "write names joined by dots"),
        ("$.choices", "without `$`"),
        ("$", "without `$`"),
        ("choices[0].delta", "`[*]` for the elements"),
        ("choices[].delta", "`[*]` for the elements"),
        ("choices.*.delta", "`[*]` for the elements"),
        ("choices*", "`[*]` for the elements"),
        ("content[type==x]", "one `=`"),
        ("content[type]", "`[type=thinking]` for some"),
        ("content[*", "`[type=thinking]` for some"),
        ("a..b", "one dot"),
        (".a", "one dot"),
        ("a.", "one dot"),
        ("a b", "in quotes"),
        ("'a", "in quotes"),
        ("a[*]b", "names joined by dots"),
        ("a]", "names joined by dots"),
        ("a[b=1][*]", "`[*]` before"),
        (".".join("a" * 33), "at most 32 steps"),
        (".".join(["a[b=c]"] * 5), "4 of them"),
        ("a[b=1][c=2]", "one `[member=value]`"),
    ],
)
def test_what_is_not_a_path_is_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(PathError, match=r"^[a-z]") as caught:
        parse_path(text)
    assert hint in str(caught.value)
