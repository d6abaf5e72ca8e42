"""Bodies recorded by others, read where they lie and never copied; tests that need them skip without the folder."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"

LIVE = CORPUS / "llamacpp-live"
"""What a llama.cpp answered, each with the times of its chunks; some of it was made into recordings."""

WANTED = "needs the folder ../shared/corpus"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=WANTED)
"""The only way to skip for want of the folder: the end of the suite says how many tests that were."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded answer."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(CORPUS).as_posix()

    @property
    def raw(self) -> bytes:
        return self.path.read_bytes()

    @property
    def is_stream(self) -> bool:
        return self.path.suffix == ".sse"

    def documents(self, raw: bytes | None = None) -> list[Any]:
        """The parsed documents of the answer, or of other bytes in its form; the end mark left out."""
        raw = self.raw if raw is None else raw
        if not self.is_stream:
            return [json.loads(raw)]
        lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        texts = (line[5:].strip() for line in lines if line.startswith(b"data:"))
        return [json.loads(text) for text in texts if text and text != b"[DONE]"]


def recorded_answers() -> Iterator[Recorded]:
    for path in sorted(CORPUS.rglob("*")):
        is_answer = path.suffix in (".sse", ".json") and not path.name.endswith((".request.json", ".timing.json"))
        if is_answer:
            yield Recorded(path)


def chat_answers() -> list[Recorded]:
    """Those that are chat completions."""
    return [answer for answer in recorded_answers() if any(map(_is_chat, answer.documents()))]


def _is_chat(document: Any) -> bool:
    return isinstance(document, dict) and "choices" in document and document.get("object") != "text_completion"
