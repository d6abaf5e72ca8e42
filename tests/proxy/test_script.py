"""What mitmdump loads when the command line starts it."""

from thinkwire.proxy import script
from thinkwire.proxy.addon import Thinkwire


def test_the_script_lists_the_addon() -> None:
    (addon,) = script.addons
    assert isinstance(addon, Thinkwire)
