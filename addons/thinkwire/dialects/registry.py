"""All dialects by name. A new API is one file beside this one and one line here."""

NAMES: tuple[str, ...] = ("chat-completions",)
SPELLINGS: tuple[str, ...] = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought", "cot_summary")
