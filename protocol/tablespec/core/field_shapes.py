"""The building blocks of messages: the record of a message and shapes that fields share."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Literal

from construct import Int8ul, Int16ul, Struct, Validator

from tablespec.core import core_names
from tablespec.field_types import FieldFacts, Ranged, choice, number, raw

U32 = 0xFFFFFFFF
I32_LOW, I32_HIGH = -(2**31), 2**31 - 1
KEY_NUMBERS = 2**31 - 1  # keys of one device are numbered from 1
MAX_MS = 2**29 - 1  # half of the device's microsecond clock range, in its wrap arithmetic


@dataclass(frozen=True)
class Message:
    """One message: wire id, name, sender, whether it is durable, payload, meaning."""

    id: int
    name: str
    sender: Literal["table", "host"]
    durable: bool
    payload: Struct
    meaning: str

    def facts(self) -> list[tuple[str, FieldFacts]]:
        """The payload's fields in wire order as (name, facts)."""
        return [(field.name, field.subcon.facts) for field in self.payload.subcons]


def speed(meaning: str = "rotor speed") -> Ranged:
    return number("H", "0.1 rpm", 0, 20000, meaning, unknown=0xFFFF)


def direction(what: str) -> Ranged:
    return choice(
        "b", core_names.DIRECTION, f"direction of the {what}, seen from above", unknown=0
    )


def host_name(meaning: str) -> Ranged:
    return raw(16, "ASCII, zero-padded", f"name of the host {meaning}")


class OpenChoice(Ranged):
    """An enumeration to which every role adds values; complete once all roles are loaded."""

    def __init__(self, code: str, enum: str, meaning: str, unknown: int | None = None) -> None:
        Validator.__init__(self, {"B": Int8ul, "H": Int16ul}[code])
        self._open = (code, enum, meaning, unknown)

    @cached_property
    def facts(self) -> FieldFacts:  # type: ignore[override]
        code, enum, meaning, unknown = self._open
        whole = getattr(import_module("tablespec.names"), enum)
        return choice(code, whole, meaning, unknown=unknown).facts


def concerned() -> Ranged:
    return number("B", "", 1, 63, "input concerned; its name is that of the role", unknown=255)


def phase(meaning: str) -> Ranged:
    return OpenChoice("B", "PHASE", meaning)


def reason(meaning: str, *, unknown: int | None = None) -> Ranged:
    return OpenChoice("H", "REASON", meaning, unknown)


def circuits(*, unknown: int | None = None) -> Ranged:
    meaning = "circuits measured between the rim sensors, a lower bound of the true number"
    return number("H", "0.01 circuit", 0, 60000, meaning, unknown=unknown)


def last_lap() -> Ranged:
    return number("H", "ms", 0, 60000, "last full lap of the ball", unknown=0xFFFF)


def key() -> Ranged:
    return number("B", "", 0, 255, "configuration key; the device refuses one it does not know")


def value(meaning: str) -> Ranged:
    return number("i", "as the key says", I32_LOW, I32_HIGH, meaning)
