"""Values declared once: from a class follow how it is read from JSON, how it is refused and its
schema.

The reading is msgspec's: strict (5.0 and true are no integers), null is the same as left out, an
unknown field is refused.
"""

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, inspect

from tabletools.rules.codes.fields import INVALID_TEXT, MISSING_FIELD, UNKNOWN_FIELD, WRONG_TYPE
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.refusal import Refusal, shown

MAX_TEXT = 200
"""Longest text in a field, characters."""
_MOST_NAMES = 30
"""Names of fields a message lists."""

Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
Stake = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MAX_STAKE})]
"""Cents; `rules.money.verify_stake` says what is none."""
T = TypeVar("T")


class Declared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object of which every field is known; fields that may be left out are None then."""


def read(kind: type[T], value: object) -> T:
    """Return a JSON value as the declared type; raise Refusal at the first thing wrong."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        refusal = _fault(inspect.type_info(kind), value, "", "")
        if refusal is None:
            raise
        raise refusal from None


def needed(value: T | None, name: str) -> T:
    """Return a value that has to be there; raise Refusal if it is None. name: its field."""
    if value is None:
        raise Refusal(MISSING_FIELD, f"{name} is missing", name)
    return value


def _fault(kind: inspect.Type, value: object, name: str, where: str) -> Refusal | None:
    """Return why a value is none of this type, None if it is one. name: of the field."""
    match kind:
        case inspect.Metadata():
            return _fault(kind.type, value, name, where)
        case inspect.UnionType():
            return _fault_of_union(kind, value, name, where)
        case inspect.StructType():
            return _fault_of_object(kind, value, where)
        case inspect.DictType():
            return _fault_of_items(kind, value, name, where)
        case inspect.ListType() | inspect.VarTupleType():
            if not isinstance(value, list | tuple):
                return _wrong("a list", value, name, where)
            found = (
                _fault(kind.item_type, item, f"{name}[{place}]", f"{where}[{place}]")
                for place, item in enumerate(value)
            )
            return next(filter(None, found), None)
        case inspect.StrType():
            return _fault_of_text(value, name, where)
        case inspect.IntType():
            return None if type(value) is int else _wrong("an integer", value, name, where)
        case inspect.BoolType():
            return None if type(value) is bool else _wrong("true or false", value, name, where)
    return None


def _wrong(needed: str, value: object, name: str, where: str) -> Refusal:
    what = f"{name} must be {needed}" if name else f"{needed} is needed"
    return Refusal(WRONG_TYPE, f"{what}, given is {shown(value)}", where)


def _fault_of_text(value: object, name: str, where: str) -> Refusal | None:
    if not isinstance(value, str):
        return _wrong("text", value, name, where)
    if 1 <= len(value) <= MAX_TEXT:
        return None
    what = f"{name} has {len(value)} characters, allowed are 1 to {MAX_TEXT}"
    return Refusal(INVALID_TEXT, what, where)


def _fault_of_union(
    kind: inspect.UnionType, value: object, name: str, where: str
) -> Refusal | None:
    """One type or none, or several: then a list is looked into, for there is one kind of list."""
    if value is None and kind.includes_none:
        return None
    others = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
    for other in others:
        is_list = isinstance(other, inspect.ListType | inspect.VarTupleType)
        if len(others) == 1 or (is_list and isinstance(value, list)):
            return _fault(other, value, name, where)
    if any(_fault(other, value, name, where) is None for other in others):
        return None
    return _wrong(" or ".join(map(_word, others)), value, name, where)


def _word(kind: inspect.Type) -> str:
    words = {inspect.IntType: "an integer", inspect.StrType: "text", inspect.BoolType: "a boolean"}
    return words.get(type(kind), "a list")


def _fault_of_object(kind: inspect.StructType, value: object, where: str) -> Refusal | None:
    if not isinstance(value, dict):
        return Refusal(WRONG_TYPE, f"an object is needed, given is {shown(value)}", where)
    known = [field.name for field in kind.fields]
    for key in value:
        if key not in known:
            names = " ".join(known[:_MOST_NAMES])
            what = f"field {shown(key)} is not known, known are: {names}"
            return Refusal(UNKNOWN_FIELD, what, where)
    for field in kind.fields:
        inner = f"{where}.{field.name}" if where else field.name
        given = value.get(field.name)
        if given is None and field.required:
            how = "null" if field.name in value else "missing"
            return Refusal(MISSING_FIELD, f"{field.name} is {how}", inner)
        if given is not None and (fault := _fault(field.type, given, field.name, inner)):
            return fault
    return None


def _fault_of_items(
    kind: inspect.DictType, value: object, name: str, where: str
) -> Refusal | None:
    if not isinstance(value, dict):
        return Refusal(WRONG_TYPE, f"{name} must be an object, given is {shown(value)}", where)
    for key, item in value.items():
        inner = f"{where}.{key}"
        if item is None and not isinstance(kind.value_type, inspect.UnionType):
            return Refusal(MISSING_FIELD, f"{key} is null", inner)
        fault = _fault(kind.key_type, key, "the name", where) or _fault(
            kind.value_type, item, key, inner
        )
        if fault:
            return fault
    return None
