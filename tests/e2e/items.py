"""Answers in items (OpenAI Responses), as a client puts them together."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]


def updates_in_items(document: Document) -> list[Document]:
    """What a document says, in the form of choices of chat completions; a whole inside a stream says nothing new."""
    name = {
        "response.output_text.delta": "content",
        "response.reasoning_text.delta": "reasoning",
        "response.reasoning_summary_text.delta": "reasoning",
    }.get(document.get("type", ""))
    if name is not None:
        return [{"delta": {name: document["delta"]}}]
    if document.get("object") != "response":
        return []
    return [{"message": _message(item)} for item in document["output"]]


def _message(item: Document) -> Document:
    name = "reasoning" if item["type"] == "reasoning" else "content"
    return {name: "".join(part["text"] for part in [*item.get("summary", []), *item.get("content", [])])}


def output_of(documents: list[Any]) -> list[Document]:
    """The items of the whole response."""
    response: Document = documents[-1].get("response", documents[-1])
    output: list[Document] = response["output"]
    return output


def finished_items(documents: list[Any]) -> dict[int, Document]:
    """The items that a stream has finished, by their index."""
    return {one["output_index"]: one["item"] for one in documents if one.get("type") == "response.output_item.done"}


def is_output_consistent(documents: list[Any]) -> bool:
    """Is what the stream has finished what the response at its end repeats?"""
    finished, output = finished_items(documents), output_of(documents)
    return sorted(finished) == list(range(len(output))) and [finished[i] for i in sorted(finished)] == output
