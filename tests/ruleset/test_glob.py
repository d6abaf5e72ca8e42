"""Globs against the plain definition of what they mean."""

from hypothesis import given
from hypothesis import strategies as st

from thinkwire.ruleset.glob import compile_glob


def fits(glob: str, value: str) -> bool:
    """The definition, by recursion."""
    if not glob:
        return not value
    if glob[0] == "*":
        return fits(glob[1:], value) or (value != "" and fits(glob, value[1:]))
    return value != "" and glob[0] in ("?", value[0]) and fits(glob[1:], value[1:])


@given(glob=st.text("ab*?.[\n", max_size=8), value=st.text("ab.[\n/", max_size=8))
def test_a_glob_means_what_its_definition_says(glob: str, value: str) -> None:
    assert compile_glob(glob)(value) is fits(glob, value)


def test_case_is_ignored_only_where_asked() -> None:
    assert compile_glob("Api.*", ignore_case=True)("api.EXAMPLE")
    assert not compile_glob("Api.*")("api.example")
    assert compile_glob("api", ignore_case=True)("API")
    assert not compile_glob("api")("API")
