"""What the package's users rely on beside its modules."""

from importlib.resources import files


def test_the_package_says_that_it_is_typed() -> None:
    assert (files("thinkwire") / "py.typed").is_file()
