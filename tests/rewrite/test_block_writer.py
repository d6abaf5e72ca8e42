"""Added blocks are opened, filled and closed, whatever text they hold."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import documents_of
from tests.rewrite.extract.test_extractor import MESSAGES, RESPONSES, THINK, framed, message, plan, response, rewritten
from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import DIALECTS
from thinkwire.rewrite.block_writer import BlockWriter
from thinkwire.rewrite.plan import Inline, Keep, ResponsePlan
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.rewrite.versioned import Version
from thinkwire.wire.json_tree import read

HALVES = ["a\ud83d", "\ude00b"]
"""A sign beyond the first plane of Unicode, cut in two as JSON escapes it."""


def paired(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16")


@pytest.mark.parametrize("texts", [HALVES, ["", "a"], [""], ["probe"], ["a"]])
@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
@pytest.mark.parametrize("dialect", [one for one in DIALECTS if one.has_blocks], ids=lambda one: one.name)
def test_a_block_has_one_beginning_its_texts_and_one_end(dialect: Dialect, kind: Kind, texts: list[str]) -> None:
    request = RequestFacts("h", "/", "POST", (), None, dialect.name)
    version = Version()
    writer = BlockWriter(dialect, request, Renumberer(version), version)
    like = json.dumps({"type": "response.output_text.delta", "sequence_number": 7, "item_id": "m", "output_index": 0})
    writer.begin(locate(read(like, dialect.table(request)), Extent.DELTA))
    opening = list(writer.open(kind, ItemKey("", 0), texts[0]))
    middle = [document for text in texts for document in writer.say(text)]
    closing = list(writer.close())
    written = dialect.write(kind, "probe", ItemKey("", 0), read(like, dialect.table(request)))
    assert len(opening) + len(closing) + 1 == len(written)
    assert len(middle) == len(texts)
    assert all(json.dumps(text)[1:-1] in document for text, document in zip(texts, middle, strict=True))
    assert not writer.is_open


def test_a_sign_that_two_deltas_share_stays_whole_where_reasoning_is_extracted() -> None:
    raw = framed(message([f"<think>{HALVES[0]}", HALVES[1], "</think>Hi"]))
    documents = documents_of(rewritten(raw, MESSAGES, plan(Keep())))
    deltas = [one["delta"] for one in documents if "delta" in one]
    assert paired("".join(delta.get("thinking", "") for delta in deltas)) == "a😀b"
    documents = documents_of(
        rewritten(framed(response(f"<think>{HALVES[0]}", HALVES[1], "</think>Hi")), RESPONSES, plan(Keep()))
    )
    summary: list[dict[str, Any]] = documents[-1]["response"]["output"][0]["summary"]
    (done,) = [one["text"] for one in documents if one["type"] == "response.reasoning_summary_text.done"]
    assert paired(summary[0]["text"]) == paired(done) == "a😀b"


def test_so_it_does_where_reasoning_is_inlined() -> None:
    thought: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": half}}
            for half in HALVES
        ),
        {"type": "content_block_stop", "index": 0},
    ]
    raw = framed([message()[0], *thought, *message()[1:]])
    documents = documents_of(rewritten(raw, MESSAGES, ResponsePlan(Inline(THINK))))
    assert paired("".join(one["delta"].get("text", "") for one in documents if "delta" in one)) == "<think>a😀b</think>"
