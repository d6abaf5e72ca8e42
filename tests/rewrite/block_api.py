"""A made-up block API, to hold the seam between dialects and rewriting to what block APIs need.

{"kind": "start", "message": {...}}                            block numbers begin anew
{"kind": "begin", "seq": 1, "block": 0, "of": {"type": "thought"}}
{"kind": "piece", "seq": 2, "block": 0, "piece": {"type": "thought", "text": "..."}}
{"kind": "end", "seq": 3, "block": 0}
{"kind": "mull", "seq": 4, "block": 1, "text": "...", "seal": "..."}   a thought that has no beginning
{"kind": "hum", "seq": 4, "text": "..."}                       a thought that nothing can be signed of
{"kind": "note", "seq": 5, "note": 0, "about": 1, "text": "..."}     about a block; numbers of its own
{"kind": "all", "seq": 9, "blocks": [{"type": "thought", ...}, ...]}   a whole inside the stream
{"notes": [{"about": 1, "text": "..."}], "blocks": [...]}      the body that was not streamed
"""

import json
from typing import Final

from thinkwire.dialects.core.dialect import Dialect, Handling
from thinkwire.dialects.core.parts import Extent, FieldSpec, ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.wire.json_tree import Node, Shape

ENVELOPE: Final = FieldSpec(Kind.ENVELOPE)
BLOCK: Final = FieldSpec(Kind.ITEM, space="block")
SEQ: Final = FieldSpec(Kind.COUNTER, space="seq")

_REASONING: Final = Shape(
    members={"type": ENVELOPE, "text": FieldSpec(Kind.REASONING), "seal": FieldSpec(Kind.OPAQUE)},
    other=FieldSpec(Kind.REASONING),
    label=Level(is_reasoning=True),
)
_PIECES: Final = {
    "thought": Shape(members={"type": ENVELOPE, "text": FieldSpec(Kind.REASONING)}),
    "seal": Shape(members={"type": ENVELOPE, "seal": FieldSpec(Kind.OPAQUE)}),
    "say": Shape(members={"type": ENVELOPE, "text": FieldSpec(Kind.TEXT), "ids": FieldSpec(Kind.TOKENS)}),
}
_BLOCKS: Final = Shape(
    elements=Shape(
        switch="type",
        cases={
            "thought": Shape(
                members=_REASONING.members,
                other=_REASONING.other,
                label=Level(opens=True, space="block", is_reasoning=True),
            ),
            "say": Shape(
                members={"type": ENVELOPE, "text": FieldSpec(Kind.TEXT)}, label=Level(opens=True, space="block")
            ),
        },
    )
)
_NOTE: Final = {"about": FieldSpec(Kind.REFERENCE, space="block"), "text": FieldSpec(Kind.OTHER)}


def _table(request: RequestFacts) -> Shape:
    cumulative = isinstance(request.body, dict) and request.body.get("cumulative") is True
    frame = {"kind": ENVELOPE, "seq": SEQ, "block": BLOCK}
    return Shape(
        switch="kind",
        cases={
            "start": Shape(members=frame | {"message": FieldSpec(Kind.OTHER)}, label=Level(resets=("block",))),
            "begin": Shape(
                members=frame | {"of": Shape(switch="type", cases={"thought": _REASONING}, label=None)},
                other=FieldSpec(Kind.OTHER),
                label=Level(begins=True),
            ),
            "piece": Shape(
                members=frame | {"piece": Shape(switch="type", cases=_PIECES)},
                other=FieldSpec(Kind.OTHER),
                label=Level(extent=Extent.SNAPSHOT) if cumulative else None,
            ),
            "end": Shape(members=frame),
            "mull": Shape(
                members=frame | {"text": FieldSpec(Kind.REASONING), "seal": FieldSpec(Kind.OPAQUE)},
                label=Level(is_reasoning=True),
            ),
            "hum": Shape(
                members=frame | {"text": FieldSpec(Kind.REASONING)}, label=Level(is_reasoning=True, has_state=False)
            ),
            "note": Shape(members=frame | _NOTE | {"note": FieldSpec(Kind.ITEM, space="note")}),
            "all": Shape(
                members=frame | {"blocks": _BLOCKS, "usage": FieldSpec(Kind.USAGE)}, label=Level(extent=Extent.SNAPSHOT)
            ),
        },
        members={"blocks": _BLOCKS, "notes": Shape(elements=Shape(members=_NOTE, label=Level(opens=True)))},
        other=FieldSpec(Kind.OTHER),
    )


def _matches_document(root: Node) -> bool:
    return any(child.key in ("kind", "blocks") for child in root.children)


def _write(kind: Kind, text: str, item: ItemKey, like: Node) -> list[str]:
    type_ = "thought" if kind is Kind.REASONING else "say"
    documents = (
        {"kind": "begin", "block": item.number, "of": {"type": type_}},
        {"kind": "piece", "block": item.number, "piece": {"type": type_, "text": text}},
        {"kind": "end", "block": item.number},
    )
    return [json.dumps(document) for document in documents]


BLOCK_API: Final = Dialect(
    name="blocks",
    handling=Handling(strip="blocks of thought", rename="nothing", sent_back="the blocks"),
    matches_path=lambda path: path == "/blocks",
    model=lambda request: None,
    wants_stream=lambda request: True,
    table=_table,
    matches_document=_matches_document,
    write=_write,
    error=lambda status, message: json.dumps({"kind": "error", "says": message}),
)
