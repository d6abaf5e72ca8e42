"""One API under test: its documents read by its table, and its answers rewritten as its requests would have them."""

import json
from dataclasses import dataclass
from typing import Any

from tests.rewrite.answers import event
from thinkwire.dialects.core.dialect import GLANCE, Dialect
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.json_tree import Node, decode, read

SIZES = (1, 7, 1_000_000)


def dump(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def lines(*documents: Any) -> bytes:
    return b"".join(dump(document) + b"\n" for document in documents)


def events(*documents: Any) -> bytes:
    return b"".join(map(event, documents))


def kinds(update: Update) -> dict[str, Kind]:
    """The kinds of an update's meaningful parts, by member name."""
    return {part.node.key: part.kind for part in update.parts if part.is_meaningful}


@dataclass(frozen=True)
class Api:
    """A dialect, and a request to it."""

    dialect: Dialect
    path: str
    body_asked: Any = None

    @property
    def request(self) -> RequestFacts:
        return RequestFacts("h", self.path, "POST", (), self.body_asked, self.dialect.name)

    def tree(self, document: Any) -> Node:
        return read(decode(dump(document)), self.dialect.table(self.request))

    def updates(self, document: Any, extent: Extent = Extent.DELTA) -> list[Update]:
        return locate(self.tree(document), extent)

    def matches_document(self, document: Any) -> bool:
        """Is the document the API's, read by its own table and at a glance alike?"""
        own = self.dialect.matches_document(self.tree(document))
        assert self.dialect.matches_document(read(decode(dump(document)), GLANCE)) == own
        return own

    def stream(self, raw: bytes, plan: ResponsePlan, label: ContentHint = ContentHint.EVENTS) -> bytes:
        """The stream after rewriting, which does not depend on how it was cut."""
        results = {self._stream(raw, plan, label, size) for size in SIZES}
        assert len(results) == 1
        return results.pop()

    def _stream(self, raw: bytes, plan: ResponsePlan, label: ContentHint, size: int) -> bytes:
        machine = StreamRewriter(AnswerRewriter(plan, self.request), label, None, plan.keepalive, 0.0)
        pieces = [piece for at in range(0, len(raw), size) for piece in machine.feed(raw[at : at + size], 0.0)]
        pieces += machine.finish()
        assert b"" not in pieces
        return b"".join(pieces)

    def body(self, document: Any, plan: ResponsePlan) -> bytes:
        return rewrite_body(dump(document), AnswerRewriter(plan, self.request))

    def written(self, kind: Kind, text: str, item: ItemKey, like: Any) -> list[Any]:
        """The documents that carry a text; each is the API's, and the text is found in them, for the right item."""
        texts = self.dialect.write(kind, text, item, self.tree(like))
        updates = [
            update
            for one in texts
            for update in locate(read(one, self.dialect.table(self.request)), Extent.DELTA)
            if update.item is not None
        ]
        assert {update.item for update in updates} <= {item}
        assert all(self.matches_document(json.loads(one)) for one in texts)
        parts = [leaf for update in updates for part in update.of(kind) for leaf in part.leaves or [part]]
        found = [part.node.value for part in parts if part.kind is kind and part.node.is_string]
        assert "".join(found) == text
        return [json.loads(one) for one in texts]
