"""JSON documents one after the other, as lines or as the elements of a list that is sent piece by piece."""

import re
from collections.abc import Iterable
from typing import Final

from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.stream.documents import Documents
from thinkwire.rewrite.stream.sse import is_document
from thinkwire.wire.json_list import Element, ListSplitter
from thinkwire.wire.json_tree import decode
from thinkwire.wire.ndjson import Line, LineSplitter

_COMMA_BEFORE: Final = re.compile(rb",[ \t\r\n]*\Z")
_COMMA_AFTER: Final = re.compile(rb"\A[ \t\r\n]*,")


class Lines:
    """Rewrites lines of JSON; `feed` and `finish` hand on no empty piece."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._documents = Documents(answer)
        self._splitter = LineSplitter()
        self._is_torn = False
        """Was a line not readable? It may have begun a document of several lines, and the next ones are its rest."""

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        return [sent for line in self._splitter.feed(chunk) if (sent := self._rewrite(line))]

    def finish(self) -> Iterable[bytes]:
        last = [self._rewrite(line) for line in self._splitter.finish()]
        return [sent for sent in (*last, self._documents.finish()) if sent]

    def _rewrite(self, line: Line) -> bytes:
        """The line as it is to be sent; empty if it is not."""
        if self._is_torn and line.data is not None and (line.is_indented or not _is_document(line)):
            return b"" if self._documents.drops_unreadable else line.raw
        try:
            return _read(line, self._documents)
        except Exception as error:
            self._is_torn = True
            return self._documents.fail(error, line.raw)


class ListElements:
    """Rewrites the elements of a list; the commas between those that are left stay right."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._documents = Documents(answer)
        self._splitter = ListSplitter()
        self._has_sent = False
        self._drops_comma = False
        """Was the element before dropped, and no comma with it? Then the one after it goes."""

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        return [sent for element in self._splitter.feed(chunk) if (sent := self._rewrite(element))]

    def finish(self) -> Iterable[bytes]:
        return [sent for element in self._splitter.finish() if (sent := self._rewrite(element))]

    def _rewrite(self, element: Element) -> bytes:
        lead = _COMMA_AFTER.sub(b"", element.lead) if self._drops_comma else element.lead
        self._drops_comma = False
        if not element.raw:
            return self._with_last(lead)
        sent = rewritten(element, self._documents)
        if sent:
            self._has_sent = True
            return lead + sent
        left = _COMMA_BEFORE.sub(b"", lead)
        self._drops_comma = left == lead
        return left

    def _with_last(self, end: bytes) -> bytes:
        """The end of the list, after the elements that are still to be sent."""
        last = self._documents.finish()
        if not last:
            return end
        return last + end if not self._has_sent else b"," + last + end


def rewritten(frame: Line | Element, documents: Documents) -> bytes:
    """The frame as it is to be sent; empty if it is not."""
    try:
        return _read(frame, documents)
    except Exception as error:
        # Whatever it was: an exception would lose the chunk or leave the client waiting for ever.
        return documents.fail(error, frame.raw)


def _read(frame: Line | Element, documents: Documents) -> bytes:
    sent = documents.repeat(frame.raw)
    if sent is not None:
        return sent
    return documents.read(frame, decode(frame.data or b"")) if _is_document(frame) else frame.raw


def _is_document(frame: Line | Element) -> bool:
    return frame.data is not None and is_document(decode(frame.data))
