from thinkwire.dialects.core import fields
from thinkwire.dialects.core.parts import FieldSpec, Kind
from thinkwire.wire.json_tree import read


def test_each_field_is_named_after_its_kind() -> None:
    named = {name: field for name, field in vars(fields).items() if isinstance(field, FieldSpec)}
    assert named
    assert all(field == FieldSpec(Kind[name]) for name, field in named.items())


def test_a_member_that_an_open_shape_does_not_name_is_unknown() -> None:
    root = read('{"a":1,"b":2}', fields.open_shape({"a": fields.TEXT}))
    assert [child.label for child in root.children] == [fields.TEXT, fields.OTHER]


def test_a_member_that_a_shape_of_reasoning_does_not_name_is_reasoning() -> None:
    root = read('{"a":1,"b":2}', fields.reasoning_shape({"a": fields.TEXT}))
    assert [child.label for child in root.children] == [fields.TEXT, fields.REASONING]
