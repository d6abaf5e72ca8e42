"""Where the rule files that come with thinkwire lie. Does not read them."""

from pathlib import Path


def folder() -> Path:
    """The folder of the shipped rule files: in an installed package beside the code, in a checkout at its root."""
    package = Path(__file__).parent.parent
    installed = package / "rules"
    return installed if installed.is_dir() else package.parent.parent / "rules"
