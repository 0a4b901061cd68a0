"""The fault catalogue of the shuffler: what happens to the machine, and the code it must show.

Each is physics: a card, a roller, a beam, a plug. The healthy deck before it is verified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hil_tests.emulators.shuffler.model import GATE_IN, GATE_OUT, LID, Trouble
from tablewire import shuffler as words

Night = Any
Provoke = Callable[[Night], None]


@dataclass(frozen=True)
class Fault:
    """One fault. where: what is tampered with. provoke: lets it happen, in the time it takes.

    code: the first one raised. changed: configuration it needs. needs_round: only shows in one.
    """

    name: str
    code: int
    where: str
    what: str
    provoke: Provoke
    changed: dict[str, int] = field(default_factory=dict)
    needs_round: bool = False


def _strikes(**trouble: object) -> Provoke:
    def provoke(night: Night) -> None:
        night.shuffle(Trouble(**trouble), wait_ms=40_000)  # type: ignore[arg-type]

    return provoke


def _dust(gate: int) -> Provoke:
    """Months of it were just not too much; this deck brings the rest."""

    def provoke(night: Night) -> None:
        night.shuffler.light[gate] = 0.55
        night.shuffle(Trouble(dust={gate: 0.05}), wait_ms=40_000)

    return provoke


def _missing(night: Night) -> None:
    night.shuffler.deck.pop(17)
    night.shuffle()


def _extra(night: Night) -> None:
    night.shuffler.deck.append("joker")
    night.shuffle()


def _idle_lid(night: Night) -> None:
    night.shuffler.set_input(night.now_us + 1_000, LID, 1)
    night.run(night.now_us + 1_000_000)


def _lost_between(night: Night) -> None:
    night.shuffle()
    night.shuffler.deck.pop()
    night.shuffle()


def _one_pass_only(night: Night) -> None:
    night.shuffle(wait_ms=40_000)


def _unplugged(night: Night) -> None:
    assert night.talker is not None
    night.talker.unplugged = True
    night.run(night.now_us + 3_000_000)


def _says_error(night: Night) -> None:
    assert night.talker is not None
    night.talker.error = 42
    night.run(night.now_us + 1_000_000)


def _power_cut(night: Night) -> None:
    night.shuffler.shuffle(night.now_us)
    night.run(night.now_us + 5_000_000)
    night.switch_on()
    night.run(night.now_us + 1_000_000)


def _replaced(night: Night) -> None:
    night.declare(words.REPLACEMENT_SHUFFLER)


_TWO = {"passes": 2}
_SERIAL = {"serial_shuffler": 1}

FAULTS: tuple[Fault, ...] = (
    Fault("missing_card", words.COUNT_SHORT, "deck", "a card lies on the floor", _missing),
    Fault("extra_card", words.COUNT_LONG, "deck", "a joker was left in the deck", _extra),
    Fault(
        "stuck_pair", words.GATES_DISAGREE, "deck",
        "two cards stick together going in, and come out apart", _strikes(place=20, overlap=0.85),
    ),
    Fault(
        "double_feed", words.DOUBLE_FEED, "feed roller",
        "draws two cards at once", _strikes(place=9, overlap=0.4),
    ),
    Fault(
        "worn_roller", words.DOUBLE_FEED, "feed roller",
        "slips on a card, which passes slowly", _strikes(place=30, slip=1.8),
    ),
    Fault(
        "jam_in", words.JAM_IN, "gate in", "a card stands in it", _strikes(place=12, jam=GATE_IN)
    ),
    Fault(
        "jam_inside", words.JAM_INSIDE, "machine",
        "a card stands across the slots", _strikes(place=25, inside=True),
    ),
    Fault(
        "jam_out", words.JAM_OUT, "gate out",
        "a card stands in it", _strikes(place=40, jam=GATE_OUT),
    ),
    Fault(
        "motor_blocked", words.MOTOR_STALLED, "motor",
        "a clip blocks the rollers", _strikes(place=5, blocked=True),
    ),
    Fault(
        "lid_lifted", words.LID_OPEN, "lid",
        "somebody opens it while it shuffles", _strikes(place=33, lifted=True),
    ),
    Fault("lid_idle", words.LID_OPEN, "lid", "opened with the deck inside", _idle_lid),
    Fault(
        "dust_in", words.GATE_DIRTY, "gate in",
        "dust takes its light away card by card", _dust(GATE_IN),
    ),
    Fault(
        "dust_out", words.GATE_DIRTY, "gate out",
        "dust takes its light away card by card", _dust(GATE_OUT),
    ),
    Fault(
        "power_gone", words.UNFINISHED, "shuffler",
        "its plug is drawn before the first card", _strikes(place=0, dies=True),
    ),
    Fault(
        "second_pass_missing", words.UNFINISHED, "croupier",
        "forgets the second pass", _one_pass_only, _TWO,
    ),
    Fault(
        "unplugged", words.SHUFFLER_LINK_LOST, "serial line",
        "its plug is drawn", _unplugged, _SERIAL,
    ),
    Fault(
        "lost_between_passes", words.PASSES_DISAGREE, "croupier",
        "drops a card between the two passes", _lost_between, _TWO,
    ),
    Fault(
        "fault_line", words.SHUFFLER_FAILED, "shuffler",
        "it raises its own fault line", _strikes(place=3, failed=True),
    ),
    Fault(
        "error_said", words.SHUFFLER_FAILED, "serial line",
        "it says that it failed", _says_error, _SERIAL,
    ),
    Fault(
        "torn_card", words.FOREIGN_PASSAGE, "deck",
        "two fifths of a card pass", _strikes(place=14, torn=0.4),
    ),
    Fault(
        "power_cut", words.NOT_VERIFIED, "controller",
        "its power fails while the machine shuffles", _power_cut,
    ),
    Fault(
        "replaced", words.SHUFFLER_REPLACED, "host",
        "another shuffler is declared while cards are dealt", _replaced, needs_round=True,
    ),
)  # fmt: skip

BY_NAME = {fault.name: fault for fault in FAULTS}
