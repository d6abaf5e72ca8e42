"""The file for `mitmdump -s addons/addon.py`."""

from thinkwire.proxy.addon import Thinkwire

addons = [Thinkwire()]
