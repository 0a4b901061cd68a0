"""Every fault of the shuffler is met by its number, locks the shoe, voids the round, and mends."""

from __future__ import annotations

import pytest

from hil_tests.emulators.core.faults import Fault
from hil_tests.emulators.shuffler.faults import FAULTS as ALL
from hil_tests.emulators.shuffler.model import CardShuffler
from hil_tests.shuffler_night import Night, configuration
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


def a_night(fault: Fault) -> Night:
    """A table with a verified deck."""
    changed = configuration(**fault.changed)
    night = Night(CardShuffler(deck(), fault.name), changed, start_us=START_US)
    verify(night)
    assert night.standing() == set()
    return night


def verify(night: Night) -> None:
    for _ in range(2 if night.role._opened[1] == 2 else 1):
        night.shuffle()


def first_fault(night: Night, since: int) -> tuple[int, ...]:
    return next(t.values for t in night.told[since:] if t.name == "fault_raised")


def mend(night: Night) -> None:
    """Put right whatever it was: cards counted, plugs in, gates clean."""
    if night.talker is not None:
        night.talker.unplugged, night.talker.error = False, 0
    night.shuffler.light = dict.fromkeys(night.shuffler.light, 1.0)
    night.run(night.shuffler.clear(night.now_us, deck()) + 35_000_000)


def test_the_lists_are_equal() -> None:
    """A fault for each code of the shuffler, and no other."""
    assert {fault.code for fault in FAULTS} == {reason.number for reason in REASONS}
    assert len(BY_NAME) == len(FAULTS)
    assert {r.number for r in REASONS if r.kind == "fault"} == set(words.STANDING)


@LOCKING
def test_a_fault_locks_the_shoe(fault: Fault) -> None:
    """Its code first, then a shoe_changed with it, then no round opens."""
    night = a_night(fault)
    since = len(night.told)
    night.provoke(fault)
    assert first_fault(night, since)[0] == fault.code
    locked = [t.values for t in night.told[since:] if t.name == "shoe_changed"]
    assert locked[0] == (words.SHOE_LOCKED, fault.code, 0)
    assert night.play_round() == m.REFUSAL_FAULT_STANDING
    refused = [t.values for t in night.told[since:] if t.name == "shuffle_done"]
    assert all(values[5] == words.VERDICT_REFUSED for values in refused)


@EVERY
def test_a_fault_voids_the_round(fault: Fault) -> None:
    """While cards are dealt, with the code of what happened (a power cut is told by the app)."""
    night = a_night(fault)
    assert night.role.open_bets(0) == 0
    night.role.close_bets(m.CLOSE_CAUSE_COMMAND, 0)
    since = len(night.told)
    night.provoke(fault)
    voids = [t.values[0] for t in night.told[since:] if t.name == "round_void"]
    assert voids == ([] if fault.code == words.NOT_VERIFIED else [fault.code])
    assert night.order(words.END_ROUND) == m.REFUSAL_WRONG_PHASE


@LOCKING
def test_a_fault_is_cleared_as_its_code_says(fault: Fault) -> None:
    """By a verified shuffle; where the deck is suspect, only after a declared replacement."""
    night = a_night(fault)
    night.provoke(fault)
    mend(night)
    assert fault.code in night.standing()
    verify(night)
    if fault.code in DECK:
        assert night.standing() == {fault.code}
        night.declare(words.REPLACEMENT_DECK)
        assert night.standing() == {words.NOT_VERIFIED}
        verify(night)
    assert night.standing() == set()
    assert night.of("shoe_changed")[-1] == (words.SHOE_UNLOCKED, 0, 0)
    assert night.play_round() == 0


@LOCKING
def test_a_manual_shoe_is_played_from_at_once(fault: Fault) -> None:
    """Whatever stands; the broken machine is not listened to until a shuffler is declared."""
    night = a_night(fault)
    night.provoke(fault)
    night.declare(words.REPLACEMENT_MANUAL_SHOE)
    assert night.of("shoe_changed")[-1] == (words.SHOE_REPLACED, 0, words.REPLACEMENT_MANUAL_SHOE)
    assert night.play_round() == 0
    night.declare(words.REPLACEMENT_SHUFFLER)
    assert words.NOT_VERIFIED in night.standing()
    assert night.play_round() == m.REFUSAL_FAULT_STANDING


@pytest.mark.parametrize("name", ["dust_in", "dust_out"])
def test_dust_is_warned_of_before_it_locks(name: str) -> None:
    """gate_worn comes first, and names the gate; nothing was counted wrong until then."""
    night = a_night(BY_NAME[name])
    since = len(night.told)
    night.provoke(BY_NAME[name])
    told = [t for t in night.told[since:] if t.name in ("gate_worn", "fault_raised")]
    assert told[0].name == "gate_worn"
    assert told[1].values[:2] == (words.GATE_DIRTY, told[0].values[0])
    assert told[0].values[0] == {"dust_in": 12, "dust_out": 13}[name]
    assert told[0].at_us < told[1].at_us
