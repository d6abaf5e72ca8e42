"""thinkwire: renames or hides the reasoning in live LLM traffic.

Imports run one way, `cli -> html -> proxy -> playback -> exchange -> ruleset -> rewrite -> dialects -> wire`, and a
test holds them to it.
"""
