"""Answers in blocks of content (Anthropic Messages), as a client puts them together."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]


def updates_in_blocks(document: Document) -> list[Document]:
    """What a document says, in the form of choices of chat completions."""
    pieces = {
        "content_block_start": [document.get("content_block")],
        "content_block_delta": [document.get("delta")],
        "message": document.get("content"),
    }.get(document.get("type", ""), [])
    return [{"delta": _delta(piece, document.get("index", 0))} for piece in pieces or [] if piece]


def _delta(piece: Document, index: int) -> Document:
    delta: Document = {"content": piece.get("text"), "reasoning": piece.get("thinking")}
    if piece.get("type") in ("tool_use", "input_json_delta"):
        function = {"name": piece.get("name"), "arguments": piece.get("partial_json")}
        delta["tool_calls"] = [{"index": index, "id": piece.get("id"), "function": function}]
    return delta


def block_types(documents: list[Any]) -> list[str]:
    starts = [one["content_block"] for one in documents if one.get("type") == "content_block_start"]
    whole = [block for one in documents if one.get("type") == "message" for block in one["content"]]
    return [block["type"] for block in starts + whole]


def stop_reason(documents: list[Any]) -> str | None:
    """The last one that is stated."""
    stated = [one.get("stop_reason") or (one.get("delta") or {}).get("stop_reason") for one in documents]
    return next((reason for reason in reversed(stated) if reason), None)


def are_indices_contiguous(documents: list[Any]) -> bool:
    """Do blocks count from 0, and does each delta and stop name an open one?"""
    begun, opened = 0, set[int]()
    for one in documents:
        kind, index = one.get("type"), one.get("index")
        if kind == "content_block_start":
            if index != begun:
                return False
            begun += 1
            opened.add(index)
        elif kind in ("content_block_delta", "content_block_stop"):
            if index not in opened:
                return False
            if kind == "content_block_stop":
                opened.remove(index)
    return True
