"""thinkwire: renames or hides the reasoning in live LLM traffic.

Imports run one way, `cli -> proxy -> ruleset -> rewrite -> dialects -> wire`, and a test holds them to it.
"""
