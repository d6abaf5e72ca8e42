"""The options as mitmproxy takes them; `test_docs.py` holds the guide to them."""

from mitmproxy.optmanager import OptManager

from thinkwire.proxy.options import OPTIONS


def test_mitmproxy_takes_each_option_with_its_default() -> None:
    manager = OptManager()
    for option in OPTIONS:
        manager.add_option(option.name, option.type, option.default, option.help)
    assert [getattr(manager, option.name) for option in OPTIONS] == [option.default for option in OPTIONS]


def test_each_name_has_the_prefix_and_each_help_is_a_sentence() -> None:
    for option in OPTIONS:
        assert option.name.startswith("thinkwire_")
        assert option.help.endswith(".")
