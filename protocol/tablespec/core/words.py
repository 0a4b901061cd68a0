"""What a role adds to the core."""

from dataclasses import dataclass

from tablespec.core.controller_keys import Key, Order
from tablespec.core.core_reasons import Reason
from tablespec.core.field_shapes import Message
from tablespec.field_types import Names

Enums = tuple[tuple[str, Names], ...]


@dataclass(frozen=True)
class RoleWords:
    """One role. number: as in the configuration, 0 for words that are not a role.

    name: of the role, and of its module in tablewire. end: message that ends a round which is not
    void, "" for none. enums: enumerations that only its device uses. adds: values it adds to an
    enumeration of the core: WHEEL, PHASE, CLOSE_CAUSE. inputs: its names for the inputs of a
    board, see INPUT in the core, and for inputs without a pin. key_lists: name of a list, names
    of its keys in order. labels: fields of the core, each with the role's own word for it, which
    records in JSON have beside the field.
    """

    number: int
    name: str
    messages: tuple[Message, ...]
    end: str
    reasons: tuple[Reason, ...] = ()
    keys: tuple[Key, ...] = ()
    orders: tuple[Order, ...] = ()
    enums: Enums = ()
    adds: Enums = ()
    inputs: Names = ()
    key_lists: tuple[tuple[str, tuple[str, ...]], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
