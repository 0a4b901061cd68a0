"""What a role is: the terms a round is checked against, and what a role derives from them.

A message that a role describes is a struct: the fields that its text, its validity or its outcome
need, with the names and units of tablespec; None is unknown. `text` is its contents as one line.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import msgspec

from tablespec.names import NAMES
from tabletools.rules.dealing import Decision, Outcome

Record = Mapping[str, Any]
"""What `frame_record.record` makes of a frame."""
VOID = "round_void"
"""Type of the record that ends a round of any role without a result."""

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


class Played(NamedTuple):
    """What is played at a table."""

    game: str | None
    """None where no terms are known."""
    rules: str = ""
    options: Mapping[str, Any] = {}
    """Its `table`."""
    variant: str | None = None
    dice_reading: str = ""
    """Who reads the dice of a tray, one of its POLICIES; empty where that is not known."""
    has_host_camera: bool = False
    """The host reads them with a camera of its own, not in the table's pictures."""


class Demand(NamedTuple):
    """The values that terms allow for a key of the configuration."""

    key: str
    low: int
    high: int
    source: str
    """Article or reason."""
    never: int | None = None
    """A value between them with which the machine is for no stakes, whatever is played."""

    def misfit(self, value: int) -> str:
        """Return what does not fit about a value, with what was expected; "" if it fits."""
        if self.low <= value <= self.high and value != self.never:
            return ""
        return f"{self.key} is {value}, expected {self._limits()} ({self.source})"

    def _limits(self) -> str:
        if self.never is not None:
            fit = (str(value) for value in range(self.low, self.high + 1) if value != self.never)
            return " or ".join(fit)
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


class ByHand(NamedTuple):
    """Facts of a card round that no record contains.

    box, boxes: which of how many hands of Casino War or Black Jack. decisions: of all boxes of
    Black Jack. dealt: the hands, where no shoe reads them.
    """

    box: int = 1
    boxes: int = 1
    decisions: Sequence[Decision] | None = None
    dealt: Mapping[str, object] | None = None


NOT_BY_HAND = ByHand()
Demands = Callable[[Played], list[Demand]]
Objections = Callable[[Played, Opened | None, Record, Sequence[Record]], Iterator[str]]
OutcomeOf = Callable[[Played, Record, Sequence[Record]], Outcome]
DealtOutcome = Callable[[Played, Record, Sequence[Record], ByHand], Outcome]


Measured = Callable[[int, int], str]
"""What a table measured when it raised a fault, from value and limit on the wire; "": nothing."""
_FLAGS = (0, 1)


def measured_in(unit: str) -> Measured:
    """Return the text of a measurement in a unit: "measured 415 cards, limit 416 cards".

    The value and limit of a contact are flags, and say nothing; 0 cards or 1 card do.
    """

    def text(value: int, limit: int) -> str:
        if value in _FLAGS and limit in _FLAGS and unit != "cards":
            return ""
        return f"measured {value} {unit}" + (f", limit {limit} {unit}" if limit else "")

    return text


class UndecidedError(ValueError):
    """The records of a round do not determine its outcome: people rule."""


class IncompleteError(UndecidedError):
    """Records of a round are missing, or contradict each other."""


class SelfTest(NamedTuple):
    """What a technician does while the table watches its sensors."""

    instruction: str
    watch_ms: int


class Wear(NamedTuple):
    """A field of a result that shows how a machine wears."""

    field: str
    unit: str
    meaning: str
    is_offset: bool = False
    """Whether it is measured from zero, not compared with what it was."""


def _nowhere(_variant: str, _outcome: Mapping[str, Any]) -> tuple[str, Sequence[str]]:
    return "", ()


class Printed(NamedTuple):
    """How results are printed on cloth and wheel."""

    colour: Callable[[str], str]
    """What a result is printed on: "red", "black" or "green"."""
    orders: Mapping[str, Sequence[str]]
    """The results round the wheel, clockwise, by the layout in a round_opened."""


class Audited(NamedTuple):
    """Machines each of whose places is as likely as any other."""

    column: str
    """Of a file with results: what fell."""
    labels: Mapping[str, tuple[str, ...]]
    """By the name of a machine, in the order round the wheel, clockwise."""
    machine: Callable[[int | None], str | None]
    """Which of them it is by the layout of the newest round (None: no round yet)."""
    codes: Callable[[Mapping[str, Any]], bytes]
    """The outcomes of a stored result, one byte each."""
    label: Callable[[int], str]
    """The label of such a byte on that machine."""
    is_round: bool = True
    """Whether neighbours in `labels` are neighbours on the machine."""
    settled: Callable[[str, Mapping[str, Any]], tuple[str, Sequence[str]]] = _nowhere
    """The machine of a variant of the game, and the labels in an outcome as it was settled; none
    where that does not say what fell, or is none of the game."""


class Deals(NamedTuple):
    """Draws or shoes of a machine, oldest first."""

    machine: str
    """Its name in tabletools.audit."""
    rows: list[list[str]]
    """Balls of each draw, or cards of each shoe that is over; without a shoe, of each round."""
    is_in_order: bool = True
    """Whether the order of a row is that in which it was drawn or dealt."""
    decks: int = 0
    is_shoe: bool = False


class Role(NamedTuple):
    """Everything the host knows of one role."""

    result: str
    """Type of the record of a result."""
    games: frozenset[str]
    """Those that are played on it."""
    demands: Demands
    """From the terms of a table: what its configuration has to be."""
    objections: Objections
    """Against a result: by the terms, its round_opened, its record and all of its round."""
    outcome: OutcomeOf | None = None
    """The outcome of a result as `tabletool settle` reads it; raises UndecidedError. None where
    cards decide."""
    dealt: DealtOutcome | None = None
    """The outcome of a round of cards, likewise; raises RuleViolation."""
    end: Callable[[Sequence[int]], str] = lambda values: " ".join(map(str, values))
    """A result in a few words, by its values on the wire."""
    listed: tuple[str, ...] = ()
    """Fields of a result that lists of rounds have."""
    listed_as: Callable[[Mapping[str, Any]], str] = lambda row: ", ".join(map(str, row.values()))
    """A result in such a list, by these fields and what is added to them."""
    parts: Callable[[Sequence[Record]], Mapping[str, object]] | None = None
    """What such lists have of the other records of a round."""
    displayed: Callable[[Record], str] | None = None
    """A result among the last ones on a display; None: it is not listed there by itself."""
    printed: Printed | None = None
    """How such a result is printed on cloth and wheel; None: without a colour."""
    wear: tuple[Wear, ...] = ()
    """Fields of a result that show how the machine wears."""
    is_whole: bool = True
    """Whether a result is in one record; else the others of its round complete it."""
    settles_s: int = 10
    """Time from the record that ends a round within which it is settled as a rule. What waits
    longer needs a person."""
    run_ms: Callable[[str], int] | None = None
    """How long the machine ran from the first sign of the ball to a result, by its payload as
    stored; None: that is not known of it."""
    audited: Audited | None = None
    """How its outcomes are counted for audits; None: its places are not equally likely."""
    deals_of: Callable[[Sequence[Record]], Deals | None] | None = None
    """Of all its records in order, the ends of rounds with `outcome`: what was drawn or dealt, for
    audits. None from it: nothing that can be audited."""
    messages: Mapping[str, type[Message]] = {}
    """Its messages with a text, by name."""
    layouts: Mapping[str, tuple[str, str]] = {}
    """What a round is played with, by the layout in its round_opened: a text with a place for the
    requirement, and the noun of the requirement."""
    counts: str = ""
    """Noun of what a heartbeat counts as `circuits`; empty: nothing."""
    betting_phases: tuple[int, ...] = ()
    """Its phases in which bets may be open."""
    running_phase: int | None = None
    """Its phase in which a ball may run with bets open, or closed already."""
    is_count_required: bool = False
    """Whether the requirement of a round is a number of these."""
    live: Mapping[str, tuple[str, tuple[str, ...]]] = {}
    """What the machine reports besides the round, for displays: the record, its name there, its
    fields."""
    deals: Mapping[str, Callable[[Record], tuple[int | None, str]]] = {}
    """Reports of what a round is made of: the record; its place, None for no round, and text."""
    measures: Mapping[str, Measured] = {}
    """What its faults measure, by name; one that is missing here measures nothing."""
    awaiting: tuple[int, ...] = ()
    """Faults by which the machine waits for its cards or balls to be declared, as after every
    start: nothing failed, and nothing is left to acknowledge once they are."""
    self_test: SelfTest = SelfTest("Move every sensor by hand.", 30_000)
    factory: Mapping[int, int] = {}
    """Values of the configuration, by key, that a host sets where no file says another."""
    orders: tuple[str, ...] = ()
    """The commands of a dealer that only this role has."""
    walked: tuple[str, ...] = ()
    """The configuration keys that a walk round the machine proves (`tabletool diag --calibrate
    pockets`); empty where commissioning asks for none."""
    untraced: str = ""
    """What its traces lack, so that they prove nothing once they are cut; empty: room only."""

    @property
    def number(self) -> int:
        """Type of the record of a result on the wire."""
        return next(number for number, name in NAMES.items() if name == self.result)


def option_demand(played: Played, option: str, key: str) -> list[Demand]:
    """Return the demand that a key has the value of an option of the table, if it is set."""
    value = played.options.get(option)
    if not isinstance(value, int) or isinstance(value, bool):
        return []
    return [Demand(key, value, value, f"the table's option {option}")]


def layout_objection(opened: Opened | None, expected: str, what: str) -> Iterator[str]:
    """Yield the objection to a round that opened with another layout."""
    if opened is not None and opened.layout != expected:
        yield f"it opened with layout {opened.layout}, {what} needs {expected}"


def requirement_objection(opened: Opened | None, least: int, what: str) -> Iterator[str]:
    """Yield the objection to a round that opened with a lower requirement than the rules have."""
    if opened is not None and not (opened.requirement or 0) >= least:
        yield f"it opened requiring {opened.requirement}, {what} requires {least}"


def least_of(played: Played, opened: Opened | None, least: int) -> int:
    """Return the least that counts: of the rules, or of the round where no terms are known."""
    if played.game is not None:
        return least
    return (opened.requirement or 0) if opened else 0
