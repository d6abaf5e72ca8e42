"""The tests; their folders mirror addons/thinkwire."""
