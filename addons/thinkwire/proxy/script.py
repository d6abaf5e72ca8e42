"""The addon for a mitmdump that the command line starts: `addons/addon.py`, as a part of the package."""

from thinkwire.proxy.addon import Thinkwire

addons = [Thinkwire()]
