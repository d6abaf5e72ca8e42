"""Text that comes in pieces, each the inside of a JSON string as it stood on the wire."""

import json
from collections import deque
from typing import Final

from thinkwire.wire.json_tree import Node, encode

__all__ = ["UNHEARD", "Pieces"]

UNHEARD: Final[deque[bytes]] = deque(maxlen=0)
"""Takes texts that nobody needs."""


class Pieces(list[bytes]):
    """The pieces of one text; reading them once costs less than reading each."""

    def take(self, node: Node) -> None:
        """Add the text of a string."""
        self.append(encode(node.raw[1:-1]))

    def add(self, text: str) -> None:
        """Add a text that was read."""
        self.append(json.dumps(text)[1:-1].encode())

    @property
    def text(self) -> str:
        joined = b'"' + b"".join(self) + b'"'
        return str(json.loads(joined.decode("utf-8", "surrogateescape"), strict=False))
