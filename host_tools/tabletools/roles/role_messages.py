"""Records as values with text: what the messages of every role have in common.

A message that a role describes is a struct: the fields that its text, its validity or its outcome
need, with the names and units of tablespec; None is unknown. `text` is its contents as one line.
"""

from collections.abc import Mapping
from typing import Any, Self

import msgspec

Record = Mapping[str, Any]
"""A decoded record, see tabletools.decode."""

WAY = {
    "clockwise": "clockwise",
    "counter_clockwise": "counter-clockwise",
    None: "direction unknown",
}


class Message(msgspec.Struct, frozen=True):
    """A message of a table. Fields beyond those named here are ignored."""

    @classmethod
    def of_record(cls, record: Record) -> Self:
        """Return the message that a decoded record has."""
        return msgspec.convert(record, cls)

    def text(self) -> str:
        """Its contents, without its header."""
        raise NotImplementedError


class Origin(msgspec.Struct, frozen=True):
    """Which message a record is, and of which role; None: of an unknown one."""

    type: str
    role: str | None


def kind_of(record: Record) -> str:
    """Return the type of a record."""
    kind: str = record["type"]
    return kind


class RoundEnd(Message, frozen=True):
    """The record that ended a round. code, reason: of a void, None if unknown."""

    type: str
    code: int | None = None
    reason: str | None = None


class Opened(Message, frozen=True):
    """A round_opened: with what it is played, and how much of it the terms ask for."""

    layout: str
    requirement: int | None


class BallRun(Message, frozen=True):
    """The run of a ball, of a result and of a void."""

    circuits_centi: int | None
    ball_direction: str | None
    rotor_direction: str | None
    rotor_drpm: int | None = None
    last_lap_ms: int | None = None

    def run(self) -> str:
        """Circuits, directions, rotor and last lap."""
        centi, lap = self.circuits_centi, self.last_lap_ms
        circuits = "circuits unknown" if centi is None else f"{centi / 100:.2f} circuits"
        last = "last lap unknown" if lap is None else f"last lap {lap / 1000:.2f} s"
        turning = rotor(self.rotor_drpm, self.rotor_direction)
        return f"{circuits}, ball {WAY[self.ball_direction]}, {turning}, {last}"


def rotor(speed_drpm: int | None, direction: str | None) -> str:
    """Speed and direction of the rotor: "rotor 14.2 rpm clockwise"."""
    text = "unknown speed" if speed_drpm is None else f"{speed_drpm / 10:.1f} rpm"
    return f"rotor {text} {WAY[direction]}"


def count_of(number: int, noun: str) -> str:
    """Return "1 card", "2 cards". noun: in the singular."""
    plural = "dice" if noun == "die" else f"{noun}es" if noun[-1:] in "sh" else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def seconds(span_ms: int | None) -> str:
    """Return a span in seconds: "1.25 s"."""
    return "unknown" if span_ms is None else f"{span_ms / 1000:.2f} s"


def or_unknown(value: object) -> str:
    """Return a value as text."""
    return "unknown" if value is None else str(value)
