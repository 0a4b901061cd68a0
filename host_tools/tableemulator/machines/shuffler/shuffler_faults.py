"""What happens to a shuffler while cards are dealt, and the code the table must report.

Each is physics: a card, a roller, a beam, a plug. The deck before it was healthy and verified. A
machine with a serial line, or with two passes, has faults of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tableemulator.machines.core import fault_actions as common
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.core.harness import Act
from tableemulator.machines.shuffler.physical_shuffler import (
    GATE_IN,
    GATE_OUT,
    LID,
    ShufflerSetup,
    Trouble,
)
from tableemulator.machines.shuffler.shuffler_dealer import CardPlan
from tablewire import codes
from tablewire import shuffler as words

Inject = Callable[[CardPlan], None]


def _while_dealing(act: Act) -> Inject:
    """Return what has something happen while cards are dealt, in the time it takes."""

    def inject(plan: CardPlan) -> None:
        plan.provoke = act

    return inject


def _strikes(**trouble: object) -> Inject:
    def provoke(table: Any) -> None:
        table.shuffle(Trouble(**trouble), wait_ms=40_000)  # type: ignore[arg-type]

    return _while_dealing(provoke)


def _dust(gate: int) -> Inject:
    """Months of it were just not too much; this deck brings the rest."""

    def provoke(table: Any) -> None:
        table.shuffler.light[gate] = 0.55
        table.shuffle(Trouble(dust={gate: 0.05}), wait_ms=40_000)

    return _while_dealing(provoke)


def _missing(table: Any) -> None:
    table.shuffler.deck.pop(17)
    table.shuffle()


def _extra(table: Any) -> None:
    table.shuffler.deck.append("joker")
    table.shuffle()


def _idle_lid(table: Any) -> None:
    table.shuffler.set_input(table.now_us + 1_000, LID, 1)
    table.run(table.now_us + 1_000_000)


def _lost_between(table: Any) -> None:
    table.shuffle()
    table.shuffler.deck.pop()
    table.shuffle()


def _one_pass_only(table: Any) -> None:
    table.shuffle(wait_ms=40_000)


def _unplug(table: Any) -> None:
    assert table.talker is not None
    table.talker.unplugged = True
    table.run(table.now_us + 3_000_000)


def _says_error(table: Any) -> None:
    assert table.talker is not None
    table.talker.error = 42
    table.run(table.now_us + 1_000_000)


def _power_cut(table: Any) -> None:
    table.shuffler.shuffle(table.now_us)
    table.run(table.now_us + 5_000_000)
    table.switch_on()
    table.run(table.now_us + 1_000_000)


def _replace(table: Any) -> None:
    table.declare(words.REPLACEMENT_SHUFFLER)


def _called_off(table: Any) -> None:
    table.order_void()
    table.run(table.now_us + 1_000_000)


_TWO = {"passes": 2}
_SERIAL = {"serial_shuffler": 1}

FAULTS: tuple[Fault, ...] = (
    replace(common.CALLED_OFF, inject=_while_dealing(_called_off)),
    Fault(
        "missing_card", words.COUNT_SHORT, "deck",
        "a card lies on the floor", _while_dealing(_missing),
    ),
    Fault(
        "extra_card", words.COUNT_LONG, "deck",
        "a joker was left in the deck", _while_dealing(_extra),
    ),
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
        "jam_in", words.JAM_IN, "gate in", "a card is stuck in it", _strikes(place=12, jam=GATE_IN)
    ),
    Fault(
        "jam_inside", words.JAM_INSIDE, "machine",
        "a card is stuck across the slots", _strikes(place=25, inside=True),
    ),
    Fault(
        "jam_out", words.JAM_OUT, "gate out",
        "a card is stuck in it", _strikes(place=40, jam=GATE_OUT),
    ),
    Fault(
        "motor_blocked", words.MOTOR_STALLED, "motor",
        "a clip blocks the rollers", _strikes(place=5, blocked=True),
    ),
    Fault(
        "lid_lifted", words.LID_OPEN, "lid",
        "someone opens it while it shuffles", _strikes(place=33, lifted=True),
    ),
    Fault(
        "lid_idle", words.LID_OPEN, "lid", "opened with the deck inside", _while_dealing(_idle_lid)
    ),
    Fault(
        "dust_in", words.GATE_DIRTY, "gate in",
        "dust dims its light card by card", _dust(GATE_IN),
    ),
    Fault(
        "dust_out", words.GATE_DIRTY, "gate out",
        "dust dims its light card by card", _dust(GATE_OUT),
    ),
    Fault(
        "power_gone", words.UNFINISHED, "shuffler",
        "it is unplugged before the first card", _strikes(place=0, dies=True),
    ),
    Fault(
        "second_pass_missing", words.UNFINISHED, "croupier",
        "forgets the second pass", _while_dealing(_one_pass_only), changed=_TWO,
    ),
    Fault(
        "unplugged", words.SHUFFLER_LINK_LOST, "serial line",
        "it is unplugged", _while_dealing(_unplug), changed=_SERIAL,
    ),
    Fault(
        "lost_between_passes", words.PASSES_DISAGREE, "croupier",
        "drops a card between the two passes", _while_dealing(_lost_between), changed=_TWO,
    ),
    Fault(
        "fault_line", words.SHUFFLER_FAILED, "shuffler",
        "it raises its own fault line", _strikes(place=3, failed=True),
    ),
    Fault(
        "error_said", words.SHUFFLER_FAILED, "serial line",
        "it says that it failed", _while_dealing(_says_error), changed=_SERIAL,
    ),
    Fault(
        "torn_card", words.FOREIGN_PASSAGE, "deck",
        "two fifths of a card pass", _strikes(place=14, torn=0.4),
    ),
    Fault(
        "power_cut", words.NOT_VERIFIED, "controller",
        "its power fails while the machine shuffles", _while_dealing(_power_cut),
        void_code=codes.SYSTEM_INTERRUPTION,  # it ends the round before anything is reported
    ),
    Fault(
        "replaced", words.SHUFFLER_REPLACED, "host",
        "another shuffler is declared while cards are dealt", _while_dealing(_replace),
    ),
)  # fmt: skip


# The others that need no configuration need sensors, which a machine with a serial line has not.
_ANY_MACHINE = ("replaced",)


def fits(setup: ShufflerSetup, fault: Fault) -> bool:
    """Tell whether a fault can happen at a machine built so."""
    if fault.name == "croupier_void":
        return True
    if fault.changed:
        return fault.changed == setup.changed
    return setup.passes == 1 and (not setup.is_serial or fault.name in _ANY_MACHINE)
