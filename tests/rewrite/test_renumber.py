"""Numbers close the gaps of what falls out, make room for what is added, and count documents that come and go."""

import pytest

from thinkwire.dialects.core.parts import CountOf, Extent, ItemKey, Update
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.rewrite.versioned import Version
from thinkwire.wire.json_tree import Shape, decode, encode, read
from thinkwire.wire.splice import Edits, splice

TABLE = Shape(members={"index": None, "number": None})


def document(index: int, number: int) -> Update:
    """A document about an item, with its own number among all documents."""
    root = read(f'{{"index":{index},"number":{number}}}', TABLE)
    update = Update(root, Extent.DELTA, ItemKey("items", index))
    for node, count_of, space in zip(root.children, (CountOf.ITEMS, CountOf.DOCUMENTS), ("items", "all"), strict=True):
        update.counters.append((count_of, space, node))
    return update


def text_of(update: Update, edits: Edits) -> str:
    return decode(splice(encode(update.node.text), edits.spans()))


def renumbered(numbers: Renumberer, index: int, number: int) -> str:
    update, edits = document(index, number), Edits()
    numbers.renumber([update], edits)
    return text_of(update, edits)


@pytest.fixture
def numbers() -> Renumberer:
    return Renumberer(Version())


def test_later_numbers_close_the_gap_of_what_fell_out(numbers: Renumberer) -> None:
    numbers.remove_item(ItemKey("items", 1))
    numbers.drop_document([document(1, 5)])
    assert renumbered(numbers, 0, 4) == '{"index":0,"number":3}'
    assert renumbered(numbers, 2, 6) == '{"index":1,"number":5}'
    assert numbers.is_removed(ItemKey("items", 1))
    assert not numbers.is_removed(ItemKey("others", 1))


def test_an_item_that_begins_under_a_removed_number_counts_again(numbers: Renumberer) -> None:
    numbers.remove_item(ItemKey("items", 1))
    numbers.forget_item(ItemKey("items", 1))
    assert renumbered(numbers, 2, 0) == '{"index":2,"number":0}'


def test_inserted_items_shift_those_after_them(numbers: Renumberer) -> None:
    assert numbers.insert(ItemKey("items", 1), before=True) == ItemKey("items", 1)
    assert numbers.insert(ItemKey("items", 1), before=False) == ItemKey("items", 3)
    assert [numbers.current(ItemKey("items", number)) for number in range(3)] == [0, 2, 4]
    assert numbers.insert(ItemKey("items", "a"), before=True) == ItemKey("items", "a")


def test_an_added_document_takes_the_number_of_the_one_that_came(numbers: Renumberer) -> None:
    came = document(0, 7)
    numbers.note([came])
    added, edits = document(0, 0), Edits()
    numbers.renumber_added([added], edits, items=True)
    assert text_of(added, edits) == '{"index":0,"number":7}'
    assert renumbered(numbers, 0, 7) == '{"index":0,"number":8}'
    numbers.end()
    last, edits = document(0, 0), Edits()
    numbers.renumber_added([last], edits, items=True)
    assert text_of(last, edits) == '{"index":0,"number":9}'


def test_a_space_that_begins_anew_has_no_gaps(numbers: Renumberer) -> None:
    numbers.remove_item(ItemKey("items", 0))
    numbers.reset("items")
    assert renumbered(numbers, 1, 0) == '{"index":1,"number":0}'
