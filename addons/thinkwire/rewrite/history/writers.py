"""Writes the reasoning of one message in the form that a provider takes; all other carriers of it go."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from thinkwire.dialects.core.parts import Part
from thinkwire.dialects.core.tag_families import Family
from thinkwire.dialects.history.base import Conversation, Thought
from thinkwire.dialects.history.provider_forms import HistoryForm
from thinkwire.rewrite.history.message import AssistantMessage
from thinkwire.rewrite.plan import Opaque
from thinkwire.rewrite.removal import remove_reasoning
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text

__all__ = ["write"]


@dataclass(slots=True)
class _Writing:
    """One message that is being written."""

    said: AssistantMessage
    text: str
    """What to write; empty where there is nothing."""
    thought: Thought | None
    """What is remembered, where that is what is written."""
    fill: str | None
    """The text of a message that has calls and no reasoning, where one is asked for."""
    edits: Edits

    def remove_others(self, *kept: Node) -> None:
        """Take out all carriers but these."""
        parts = [part for part in self.said.update.parts if not any(part.node is node for node in kept)]
        remove_reasoning(replace(self.said.update, parts=parts), Opaque.DROP, self.edits)

    def untag(self) -> None:
        """Leave of a tagged text what follows the thought."""
        if self.said.tagged is not None and self.said.visible is not None:
            self.edits.replace(self.said.visible, quote_text(self.said.tagged[1]))

    def add_member(self, name: str, json_text: str) -> None:
        role = self.said.node.child("role")
        assert role is not None  # it is what makes the message the assistant's
        self.edits.insert_after(role, name, json_text)


def write(
    said: AssistantMessage,
    form: HistoryForm,
    conversation: Conversation,
    remembered: Thought | None,
    fill: str | None,
    family: Family,
    edits: Edits,
) -> None:
    """Collect the edits that leave the message's reasoning in one form."""
    text = remembered.text if remembered is not None else said.text
    if not said.has_readable_content and form is not HistoryForm.DROP:
        return  # nobody knows what it means
    wants_fill = fill if not text and said.has_calls else None
    one = _Writing(said, text, remembered, wants_fill, edits)
    if form is HistoryForm.INLINE:
        _write_tags(one, family)
    elif member := conversation.forms[form]:
        _write_member(one, member)
    else:
        _WRITERS[form](one)


def _drop(one: _Writing) -> None:
    one.remove_others()
    one.untag()
    content = one.said.content
    if one.said.parts and not one.said.has_calls and (content is None or content.raw == "null"):
        if content is None:
            one.add_member("content", '""')
        else:
            one.edits.replace(content, '""')


def _write_member(one: _Writing, name: str) -> None:
    """As a text member of that name; the text that is there keeps its spelling."""
    standing = next((part.node for part in one.said.parts if _is_member(part, one.said.node, name)), None)
    winner = one.said.named[0].node if one.said.named and one.thought is None else None
    if not one.text and one.fill is None:
        _remove_placeholders(one, standing)
        return
    one.untag()
    raw = winner.raw if winner is not None else quote_text(one.text if one.text else one.fill or "")
    if standing is not None:
        if standing.raw != raw:
            one.edits.replace(standing, raw)
        one.remove_others(standing)
    elif winner is not None and winner.parent is one.said.node:
        one.edits.rename(winner, name)
        one.remove_others(winner)
    else:
        one.add_member(name, raw)
        one.remove_others()


def _is_member(part: Part, message: Node, name: str) -> bool:
    return part.node.parent is message and part.node.key == name


def _remove_placeholders(one: _Writing, standing: Node | None) -> None:
    """Members that say nothing, under names that were not asked for."""
    for part in one.said.parts:
        if part.node is not standing and part.node.is_empty and part.node.parent is one.said.node:
            one.edits.remove(part.node)


def _write_tags(one: _Writing, family: Family) -> None:
    """In front of the text, between the tags of a family."""
    text = one.text if one.text else one.fill
    if text is None:
        _remove_placeholders(one, None)
        return
    rest = one.said.tagged[1] if one.said.tagged is not None else None
    visible = one.said.visible
    value = str(visible.value) if visible is not None else ""
    others = [part for part in one.said.parts if part.is_meaningful]
    if rest is not None and not others and value.lstrip().startswith(family.opens):
        return  # it is what is wanted already
    tagged = f"{family.opens}\n{text.strip('\n')}\n{family.closes}\n\n{value if rest is None else rest}"
    if visible is not None:
        one.edits.replace(visible, quote_text(tagged))
        one.remove_others()
    else:
        _add_text(one, tagged)


def _add_text(one: _Writing, text: str) -> None:
    """Into a message that has no text."""
    content = one.said.content
    element = f'{{"type":"text","text":{quote_text(text)}}}'
    if content is None:
        one.add_member("content", quote_text(text))
        one.remove_others()
    elif not content.is_list:
        one.edits.replace(content, quote_text(text))
        one.remove_others()
    else:
        _add_element(one, content, element)


def _add_element(one: _Writing, content: Node, element: str) -> None:
    """In front of a list of content; in the place of a thought where it begins with one."""
    thoughts = [part.node for part in one.said.parts if part.node.parent is content]
    if thoughts:
        one.edits.replace(thoughts[0], element)
        one.remove_others(thoughts[0])
        return
    if content.children:
        one.edits.insert_before(content.children[0], element)
    else:
        one.edits.replace(content, f"[{element}]")
    one.remove_others()


def _write_details(one: _Writing) -> None:
    """As `reasoning_details`, which stay as they came where there are any."""
    details = next((part.node for part in one.said.parts if part.node.key == "reasoning_details"), None)
    if details is not None and not details.is_empty:
        one.untag()
        one.remove_others(details)
        return
    text = one.text if one.text else one.fill
    if text is None and not (one.thought is not None and one.thought.blocks):
        _remove_placeholders(one, None)
        return
    written = one.thought.blocks[0][1] if one.thought is not None and one.thought.blocks else _details(one, text or "")
    one.untag()
    if details is not None:
        one.edits.replace(details, written)
        one.remove_others(details)
    else:
        one.add_member("reasoning_details", written)
        one.remove_others()


def _details(one: _Writing, text: str) -> str:
    """Details made of blocks with their signatures, or of a text."""
    blocks = [block for block in one.said.blocks if block.child("thinking") is not None] if one.thought is None else []
    elements = []
    for index, block in enumerate(blocks):
        thinking, signature = block.child("thinking"), block.child("signature")
        if thinking is not None and thinking.is_string:
            signed = f',"signature":{signature.raw}' if signature is not None and not signature.is_empty else ""
            elements.append(f'{{"type":"reasoning.text","index":{index},"text":{thinking.raw}{signed}}}')
    return f"[{','.join(elements)}]" if elements else f'[{{"type":"reasoning.text","text":{quote_text(text)}}}]'


def _write_content_list(one: _Writing) -> None:
    """As a part of the content, which becomes a list where it is a text."""
    content = one.said.content
    standing = [part.node for part in one.said.parts if part.node.parent is content and content is not None]
    text = one.text if one.text else one.fill
    if text is None or standing:
        _remove_placeholders(one, None)
        if standing:
            one.untag()
            one.remove_others(*standing)
        return
    part = f'{{"type":"thinking","thinking":[{{"type":"text","text":{quote_text(text)}}}]}}'
    if content is not None and content.is_list:
        one.untag()
        _add_element(one, content, part)
        return
    shown = (
        one.said.tagged[1] if one.said.tagged is not None else str(content.value or "") if content is not None else ""
    )
    listed = f'[{part},{{"type":"text","text":{quote_text(shown)}}}]' if shown else f"[{part}]"
    if content is None:
        one.add_member("content", listed)
    else:
        one.edits.replace(content, listed)
    one.remove_others()


_WRITERS: Final[dict[HistoryForm, Callable[[_Writing], None]]] = {
    HistoryForm.DROP: _drop,
    HistoryForm.DETAILS: _write_details,
    HistoryForm.CONTENT_LIST: _write_content_list,
}
