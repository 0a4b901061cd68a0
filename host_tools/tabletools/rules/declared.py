"""Values declared once: a class defines how JSON is read, how it is refused, and the JSON Schema.

msgspec reads the JSON: strict (5.0 and true are no integers), null is the same as left out, an
unknown field is refused.
"""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from tabletools.rules.codes.fields import INVALID_TEXT, MISSING_FIELD, UNKNOWN_FIELD, WRONG_TYPE
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.violation import RuleViolation, shown, within

MAX_TEXT = 200
"""Longest text in a field, characters."""
_MOST_NAMES = 30
"""Most names of fields a message lists."""

Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
Stake = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MAX_STAKE})]
"""Cents; `rules.money.verify_stake` checks the range."""
T = TypeVar("T")


class Declared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """An object with known fields only; an optional field that is left out is None.

    It is read from JSON, so it is in no reference cycle and the garbage collector need not track
    it.
    """


D = TypeVar("D", bound=msgspec.Struct)


def read(kind: type[T], value: object) -> T:
    """Return a JSON value as the declared type; raise RuleViolation at the first error."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        _verify(inspect.type_info(kind), value, "")
        raise


def replaced(value: D, **fields: object) -> D:
    """Return a copy with other fields; they are not read, so they must have the declared types."""
    return msgspec.structs.replace(value, **fields)


def field_type(kind: type[Any], name: str) -> type[Any]:
    """Return the declared type of a field, or of the items of its list."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    [declared] = [field.type for field in info.fields if field.name == name]
    if isinstance(declared, inspect.UnionType):  # or None
        [declared] = [each for each in declared.types if not isinstance(each, inspect.NoneType)]
    if isinstance(declared, inspect.VarTupleType):
        declared = declared.item_type
    assert isinstance(declared, inspect.StructType)
    return declared.cls


def verify_names(names_read: Iterable[str], known: Collection[str]) -> None:
    """Raise RuleViolation at the first name of a field that is not known."""
    for name in names_read:
        if name not in known:
            names = " ".join(islice(known, _MOST_NAMES))
            raise RuleViolation(UNKNOWN_FIELD, f"field {shown(name)} is not known; known: {names}")


def needed(value: T | None, name: str) -> T:
    """Return a required value; raise RuleViolation if it is None. name: of its field."""
    if value is None:
        raise RuleViolation(MISSING_FIELD, f"{name} is missing", name)
    return value


def _verify(kind: inspect.Type, value: object, name: str) -> None:
    """Raise RuleViolation if a value is not of a type. name: of its field."""
    match kind:
        case inspect.Metadata():
            _verify(kind.type, value, name)
        case inspect.UnionType():
            _verify_union(kind, value, name)
        case inspect.StructType():
            _verify_object(kind, value)
        case inspect.DictType():
            _verify_items(kind, value, name)
        case inspect.ListType() | inspect.VarTupleType():
            if not isinstance(value, list | tuple):
                raise _wrong("a list", value, name)
            for place, item in enumerate(value):
                with within(f"[{place}]"):
                    _verify(kind.item_type, item, f"{name}[{place}]")
        case inspect.StrType():
            _verify_text(value, name)
        case inspect.IntType() if type(value) is not int:
            raise _wrong("an integer", value, name)
        case inspect.BoolType() if type(value) is not bool:
            raise _wrong("true or false", value, name)


def _wrong(needed: str, value: object, name: str) -> RuleViolation:
    what = f"{name} must be {needed}" if name else f"{needed} is needed"
    return RuleViolation(WRONG_TYPE, f"{what}, found {shown(value)}")


def _verify_text(value: object, name: str) -> None:
    if not isinstance(value, str):
        raise _wrong("text", value, name)
    if not 1 <= len(value) <= MAX_TEXT:
        what = f"{name} has {len(value)} characters; allowed: 1 to {MAX_TEXT}"
        raise RuleViolation(INVALID_TEXT, what)


def _verify_union(kind: inspect.UnionType, value: object, name: str) -> None:
    """Refuse a value that fits none of the types as the type of the same form would."""
    if value is None and kind.includes_none:
        return
    others = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
    forms = [each for each in others if isinstance(value, _form(each))]
    if len(others) > 1 and not forms:
        raise _wrong(" or ".join(_FORMS[_form(each)] for each in others), value, name)
    _verify((forms or others)[0], value, name)


_FORMS = {int: "an integer", str: "text", bool: "true or false", list: "a list", dict: "an object"}


def _form(kind: inspect.Type) -> type:
    match kind:
        case inspect.Metadata():
            return _form(kind.type)
        case inspect.IntType():
            return int
        case inspect.StrType():
            return str
        case inspect.BoolType():
            return bool
        case inspect.ListType() | inspect.VarTupleType():
            return list
    return dict


def _verify_object(kind: inspect.StructType, value: object) -> None:
    if isinstance(value, msgspec.Struct):
        return  # it was read before
    if not isinstance(value, dict):
        raise RuleViolation(WRONG_TYPE, f"an object is needed, found {shown(value)}")
    if kind.forbid_unknown_fields:
        verify_names(value, [field.name for field in kind.fields])
    for field in kind.fields:
        content = value.get(field.name)
        with within(field.name):
            if content is not None:
                _verify(field.type, content, field.name)
            elif field.required:
                how = "null" if field.name in value else "missing"
                raise RuleViolation(MISSING_FIELD, f"{field.name} is {how}")


def _verify_items(kind: inspect.DictType, value: object, name: str) -> None:
    if not isinstance(value, dict):
        raise _wrong("an object", value, name)
    for key, item in value.items():
        with within(key):
            if item is None and not isinstance(kind.value_type, inspect.UnionType):
                raise RuleViolation(MISSING_FIELD, f"{key} is null")
            _verify(kind.value_type, item, key)
