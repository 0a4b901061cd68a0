"""Every fault of the shuffler is met by its number, locks the shoe, voids the round, and mends."""

from __future__ import annotations

import pytest

from hil_tests.soak.shuffler_run import ShufflerRun, configuration
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.shuffler.physical_shuffler import CardShuffler
from tableemulator.machines.shuffler.shuffler_faults import FAULTS as ALL
from tablespec.roles.shuffler import REASONS
from tablewire import messages as m
from tablewire import shuffler as words

# Ten seconds before the device's clock wraps.
START_US = 2**30 - 10_000_000
# No shuffle alone clears these: they make the deck suspect.
DECK = {801, 802, 803, 813, 815}
VOIDS = {817}
FAULTS = [fault for fault in ALL if fault.name != "croupier_void"]  # the host's
BY_NAME = {fault.name: fault for fault in FAULTS}
EVERY = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
LOCKING = pytest.mark.parametrize(
    "fault", [f for f in FAULTS if f.code not in VOIDS], ids=lambda fault: fault.name
)


def deck() -> list[str]:
    return [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


def a_run(fault: Fault) -> ShufflerRun:
    """A table with a verified deck."""
    changed = configuration(**fault.changed)
    run = ShufflerRun(CardShuffler(deck(), fault.name), changed, start_us=START_US)
    verify(run)
    assert run.active_faults() == set()
    return run


def verify(run: ShufflerRun) -> None:
    for _ in range(2 if run.role._opened[1] == 2 else 1):
        run.shuffle()


def first_fault(run: ShufflerRun, since: int) -> tuple[int, ...]:
    return next(t.values for t in run.reported[since:] if t.name == "fault_raised")


def mend(run: ShufflerRun) -> None:
    """Put right whatever it was: cards counted, plugs in, gates clean."""
    if run.talker is not None:
        run.talker.unplugged, run.talker.error = False, 0
    run.shuffler.light = dict.fromkeys(run.shuffler.light, 1.0)
    run.run(run.shuffler.clear(run.now_us, deck()) + 35_000_000)


def test_the_lists_are_equal() -> None:
    """A fault for each code of the shuffler, and no other."""
    assert {fault.code for fault in FAULTS} == {reason.number for reason in REASONS}
    assert len(BY_NAME) == len(FAULTS)
    assert {r.number for r in REASONS if r.kind == "fault"} == set(words.FAULT_CODES)


@LOCKING
def test_a_fault_locks_the_shoe(fault: Fault) -> None:
    """Its code first, then a shoe_changed with it, then no round opens."""
    run = a_run(fault)
    since = len(run.reported)
    run.provoke(fault)
    assert first_fault(run, since)[0] == fault.code
    locked = [t.values for t in run.reported[since:] if t.name == "shoe_changed"]
    assert locked[0] == (words.SHOE_LOCKED, fault.code, 0)
    assert run.play_round() == m.REFUSAL_FAULT_ACTIVE
    refused = [t.values for t in run.reported[since:] if t.name == "shuffle_done"]
    assert all(values[5] == words.VERDICT_REFUSED for values in refused)


@EVERY
def test_a_fault_voids_the_round(fault: Fault) -> None:
    """While cards are dealt, with the code of what happened (the app reports a power cut)."""
    run = a_run(fault)
    assert run.role.open_bets(0) == 0
    run.role.close_bets(m.CLOSE_CAUSE_COMMAND, 0)
    since = len(run.reported)
    run.provoke(fault)
    voids = [t.values[0] for t in run.reported[since:] if t.name == "round_void"]
    assert voids == ([] if fault.code == words.NOT_VERIFIED else [fault.code])
    assert run.order(words.END_ROUND) == m.REFUSAL_WRONG_PHASE


@LOCKING
def test_a_fault_is_cleared_as_its_code_says(fault: Fault) -> None:
    """By a verified shuffle; where the deck is suspect, only after a declared replacement."""
    run = a_run(fault)
    run.provoke(fault)
    mend(run)
    assert fault.code in run.active_faults()
    verify(run)
    if fault.code in DECK:
        assert run.active_faults() == {fault.code}
        run.declare(words.REPLACEMENT_DECK)
        assert run.active_faults() == {words.NOT_VERIFIED}
        verify(run)
    assert run.active_faults() == set()
    assert run.records("shoe_changed")[-1] == (words.SHOE_UNLOCKED, 0, 0)
    assert run.play_round() == 0


@LOCKING
def test_a_manual_shoe_is_played_from_at_once(fault: Fault) -> None:
    """Whatever stands; the broken machine is not listened to until a shuffler is declared."""
    run = a_run(fault)
    run.provoke(fault)
    run.declare(words.REPLACEMENT_MANUAL_SHOE)
    assert run.records("shoe_changed")[-1] == (
        words.SHOE_REPLACED,
        0,
        words.REPLACEMENT_MANUAL_SHOE,
    )
    assert run.play_round() == 0
    run.declare(words.REPLACEMENT_SHUFFLER)
    assert words.NOT_VERIFIED in run.active_faults()
    assert run.play_round() == m.REFUSAL_FAULT_ACTIVE


@pytest.mark.parametrize("name", ["dust_in", "dust_out"])
def test_dust_is_warned_of_before_it_locks(name: str) -> None:
    """gate_worn comes first, and names the gate; nothing was counted wrong until then."""
    run = a_run(BY_NAME[name])
    since = len(run.reported)
    run.provoke(BY_NAME[name])
    reported = [t for t in run.reported[since:] if t.name in ("gate_worn", "fault_raised")]
    assert reported[0].name == "gate_worn"
    assert reported[1].values[:2] == (words.GATE_DIRTY, reported[0].values[0])
    assert reported[0].values[0] == {"dust_in": 1, "dust_out": 2}[name]
    assert reported[0].at_us < reported[1].at_us
