"""The messages of an AWS event stream, each with a document in it. What a document means is decided in `answer.py`."""

from collections.abc import Iterable

from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.stream.documents import Documents
from thinkwire.wire.aws_event_stream import Message, MessageSplitter
from thinkwire.wire.json_tree import decode


class Messages:
    """Rewrites messages; `feed` and `finish` hand on no empty piece."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._documents = Documents(answer)
        self._splitter = MessageSplitter()
        self._is_lost = False
        """Is it unknown where messages begin? Then all that follows shares the fate of the first damaged one."""

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        return [sent for message in self._splitter.feed(chunk) if (sent := self._rewrite(message))]

    def finish(self) -> Iterable[bytes]:
        last = [self._rewrite(message) for message in self._splitter.finish()]
        return [sent for sent in (*last, self._documents.finish()) if sent]

    def _rewrite(self, message: Message) -> bytes:
        """The message as it is to be sent; empty if it is not."""
        if self._is_lost:
            return b"" if self._documents.drops_unreadable else message.raw
        try:
            data = message.data
            if data is None or data.lstrip()[:1] not in (b"{", b"["):
                return message.raw
            return self._documents.read(message, decode(data))
        except Exception as error:
            # Whatever it was: an exception would lose the chunk or leave the client waiting for ever.
            self._is_lost = message.is_rest
            return self._documents.fail(error, message.raw)
