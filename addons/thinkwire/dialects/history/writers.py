"""Writes the reasoning of one assistant message in the form that a provider takes, and removes its other carriers."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from thinkwire.dialects.core.parts import Part, Update
from thinkwire.dialects.core.tag_families import Family
from thinkwire.dialects.history.base import Conversation, TurnReasoning
from thinkwire.dialects.history.message import AssistantMessage
from thinkwire.dialects.history.provider_forms import HistoryForm
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text

type Remove = Callable[[Update, Edits], None]
"""Collects the edits that take all reasoning out of an update, signatures and encrypted forms included."""


@dataclass(slots=True)
class _Writing:
    """One message that is being written."""

    message: AssistantMessage
    text: str
    """What to write; empty if there is nothing."""
    remembered: TurnReasoning | None
    """What is remembered, if that is what is written."""
    fill: str | None
    """The text to write if a message has calls and no reasoning."""
    remove: Remove
    edits: Edits

    def remove_others(self, *kept: Node) -> None:
        """Take out all carriers except these."""
        parts = [part for part in self.message.update.parts if not any(part.node is node for node in kept)]
        self.remove(replace(self.message.update, parts=parts), self.edits)

    def untag(self) -> None:
        """Leave only what follows the reasoning of a tagged text."""
        if self.message.tagged is not None and self.message.visible is not None:
            self.edits.replace(self.message.visible, quote_text(self.message.tagged.rest))

    def add_member(self, name: str, json_text: str) -> None:
        role = self.message.node.child("role")
        assert role is not None  # it makes this an assistant message
        self.edits.insert_after(role, name, json_text)

    def set_content(self, json_text: str) -> None:
        if self.message.content is None:
            self.add_member("content", json_text)
        else:
            self.edits.replace(self.message.content, json_text)


def write(
    message: AssistantMessage,
    form: HistoryForm,
    conversation: Conversation,
    remembered: TurnReasoning | None,
    fill: str | None,
    family: Family,
    remove: Remove,
    edits: Edits,
) -> None:
    """Collect the edits that leave the message's reasoning in one form.

    `remembered` is written if it is given, else what the message holds; `fill` if there is neither and it has calls.
    """
    text = remembered.text if remembered is not None else message.text
    if not message.has_readable_content and form is not HistoryForm.DROP:
        return  # its meaning is not known
    wants_fill = fill if not text and message.has_calls else None
    one = _Writing(message, text, remembered, wants_fill, remove, edits)
    if form is HistoryForm.INLINE:
        _write_tags(one, family)
    elif member := conversation.forms[form]:
        _write_member(one, member)
    else:
        _WRITERS[form](one)


def _drop(one: _Writing) -> None:
    one.remove_others()
    one.untag()
    content = one.message.content
    if one.message.parts and not one.message.has_calls and (content is None or content.raw == "null"):
        one.set_content('""')


def _write_member(one: _Writing, name: str) -> None:
    """As a text member of that name; text that is already there keeps its spelling."""
    current = next((part.node for part in one.message.parts if _is_member(part, one.message.node, name)), None)
    winner = one.message.named[0].node if one.message.named and one.remembered is None else None
    if not one.text and one.fill is None:
        _remove_placeholders(one, current)
        return
    one.untag()
    raw = winner.raw if winner is not None else quote_text(one.text or one.fill or "")
    if current is not None:
        if current.raw != raw:
            one.edits.replace(current, raw)
        one.remove_others(current)
    elif winner is not None and winner.parent is one.message.node:
        one.edits.rename(winner, name)
        one.remove_others(winner)
    else:
        one.add_member(name, raw)
        one.remove_others()


def _is_member(part: Part, message: Node, name: str) -> bool:
    return part.node.parent is message and part.node.key == name


def _remove_placeholders(one: _Writing, current: Node | None) -> None:
    """Remove empty members under names that were not asked for."""
    for part in one.message.parts:
        if part.node is not current and part.node.is_empty and part.node.parent is one.message.node:
            one.edits.remove(part.node)


def _write_tags(one: _Writing, family: Family) -> None:
    """Before the text, between the tags of a family."""
    text = one.text or one.fill
    if text is None:
        _remove_placeholders(one, None)
        return
    rest = one.message.tagged.rest if one.message.tagged is not None else None
    visible = one.message.visible
    value = str(visible.value) if visible is not None else ""
    others = [part for part in one.message.parts if part.is_meaningful]
    if rest is not None and not others and value.lstrip().startswith(family.opens):
        return  # it has that form already
    tagged = f"{family.opens}\n{text.strip('\n')}\n{family.closes}\n\n{value if rest is None else rest}"
    if visible is not None:
        one.edits.replace(visible, quote_text(tagged))
        one.remove_others()
    else:
        _add_text(one, tagged)


def _add_text(one: _Writing, text: str) -> None:
    """Add a text to a message that has none."""
    content = one.message.content
    if content is not None and content.is_list:
        _add_element(one, content, f'{{"type":"text","text":{quote_text(text)}}}')
    else:
        one.set_content(quote_text(text))
        one.remove_others()


def _add_element(one: _Writing, content: Node, element: str) -> None:
    """Add an element at the front of a content list, or replace the reasoning that it begins with."""
    reasoning = [part.node for part in one.message.parts if part.node.parent is content]
    if reasoning:
        one.edits.replace(reasoning[0], element)
        one.remove_others(reasoning[0])
        return
    if content.children:
        one.edits.insert_before(content.children[0], element)
    else:
        one.edits.replace(content, f"[{element}]")
    one.remove_others()


def _write_details(one: _Writing) -> None:
    """As `reasoning_details`; if there are any, they stay as they came."""
    details = next((part.node for part in one.message.parts if part.node.key == "reasoning_details"), None)
    if details is not None and not details.is_empty:
        one.untag()
        one.remove_others(details)
        return
    text = one.text or one.fill
    if text is None and not (one.remembered is not None and one.remembered.blocks):
        _remove_placeholders(one, None)
        return
    written = (
        one.remembered.blocks[0][1]
        if one.remembered is not None and one.remembered.blocks
        else _details(one, text or "")
    )
    one.untag()
    if details is not None:
        one.edits.replace(details, written)
        one.remove_others(details)
    else:
        one.add_member("reasoning_details", written)
        one.remove_others()


def _details(one: _Writing, text: str) -> str:
    """Details made of blocks with their signatures, or of a text."""
    blocks = (
        [block for block in one.message.blocks if block.child("thinking") is not None] if one.remembered is None else []
    )
    elements = []
    for index, block in enumerate(blocks):
        thinking, signature = block.child("thinking"), block.child("signature")
        if thinking is not None and thinking.is_string:
            signed = f',"signature":{signature.raw}' if signature is not None and not signature.is_empty else ""
            elements.append(f'{{"type":"reasoning.text","index":{index},"text":{thinking.raw}{signed}}}')
    return f"[{','.join(elements)}]" if elements else f'[{{"type":"reasoning.text","text":{quote_text(text)}}}]'


def _write_content_list(one: _Writing) -> None:
    """As a part of the content, which becomes a list if it is a text."""
    content = one.message.content
    current = [part.node for part in one.message.parts if part.node.parent is content and content is not None]
    text = one.text or one.fill
    if text is None or current:
        _remove_placeholders(one, None)
        if current:
            one.untag()
            one.remove_others(*current)
        return
    part = f'{{"type":"thinking","thinking":[{{"type":"text","text":{quote_text(text)}}}]}}'
    if content is not None and content.is_list:
        one.untag()
        _add_element(one, content, part)
        return
    shown = (
        one.message.tagged.rest
        if one.message.tagged is not None
        else str(content.value or "")
        if content is not None
        else ""
    )
    listed = f'[{part},{{"type":"text","text":{quote_text(shown)}}}]' if shown else f"[{part}]"
    one.set_content(listed)
    one.remove_others()


_WRITERS: Final[dict[HistoryForm, Callable[[_Writing], None]]] = {
    HistoryForm.DROP: _drop,
    HistoryForm.DETAILS: _write_details,
    HistoryForm.CONTENT_LIST: _write_content_list,
}
