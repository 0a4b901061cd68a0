"""The fault catalogue is complete and says what it means."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from tableemulator import fault_catalogue, play_session
from tableemulator.machines import every_emulator
from tableemulator.machines.roulette.roulette_faults import FAULTS
from tablespec.reasons import REASONS


def test_every_reason_has_a_fault_and_every_fault_a_reason() -> None:
    """The numbers in the catalogues are the numbers of the fault table, none more, none less."""
    codes = {fault.code for fault in fault_catalogue.CATALOGUE}
    assert codes == {reason.number for reason in REASONS}
    assert {fault.reason or fault.code for fault in fault_catalogue.CATALOGUE} <= {
        reason.number for reason in REASONS
    }


def test_names_are_unique() -> None:
    """A name stands for one fault of a role."""
    for each in every_emulator():
        assert len({fault.name for fault in each.faults}) == len(each.faults)


def test_a_fault_is_found_by_its_name_or_by_the_reasons_name() -> None:
    """ball_with_rotor is the reason, wrong_direction what the croupier did."""
    assert fault_catalogue.find("ball_with_rotor").name == "wrong_direction"
    assert fault_catalogue.find("tilt").code == 401
    for reason in REASONS:
        assert fault_catalogue.find(reason.name).code == reason.number
    with pytest.raises(KeyError):
        fault_catalogue.find("earthquake")


def test_mixed_spins_are_drawn_by_the_seed() -> None:
    """Healthy and faulty ones, the same for the same seed."""
    drawn = list(islice(play_session.drawn(play_session.MIXED, 1, FAULTS), 200))
    assert drawn == list(islice(play_session.drawn(play_session.MIXED, 1, FAULTS), 200))
    healthy = drawn.count(None)
    assert 90 <= healthy <= 150
    assert len(set(drawn)) > 20


def test_only_a_fault_bends_a_plan() -> None:
    """Without a name each spin is healthy, with one each spin has it."""
    assert list(islice(play_session.drawn(None, 1, FAULTS), 3)) == [None] * 3
    assert {f.name for f in islice(play_session.drawn("tilt", 1, FAULTS), 3) if f} == {"tilt"}
    assert fault_catalogue.draw(random.Random(0), FAULTS) in (None, *FAULTS)
