"""The fault catalogue is complete and says what it means."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from hil_tests import (
    ball_faults,
    big_wheel_faults,
    card_shoe_faults,
    faults,
    session,
    tray_faults,
)
from hil_tests.emulators.shuffler import faults as shuffler_faults
from tablespec.reasons import REASONS


def test_every_reason_has_a_fault_and_every_fault_a_reason() -> None:
    """The numbers in the catalogues are the numbers of the fault table, none more, none less."""
    everywhere = faults.FAULTS + big_wheel_faults.FAULTS + card_shoe_faults.FAULTS
    everywhere += tray_faults.FAULTS
    codes = {fault.code for fault in everywhere} | {f.code for f in shuffler_faults.FAULTS}
    codes |= {fault.code for fault in ball_faults.EVERY}
    assert codes == {reason.number for reason in REASONS}
    assert {fault.reason for fault in everywhere} <= {reason.number for reason in REASONS}


def test_names_are_unique() -> None:
    """A name stands for one fault."""
    assert len(faults.BY_NAME) == len(faults.FAULTS)


def test_a_fault_is_found_by_its_name_or_by_the_reasons_name() -> None:
    """ball_with_rotor is the reason, wrong_direction what the croupier did."""
    assert faults.find("ball_with_rotor").name == "wrong_direction"
    assert faults.find("tilt").code == 401
    for reason in REASONS:
        if 800 <= reason.number < 930:
            continue  # of a machine: hil_tests.shuffler_faults, hil_tests.ball_faults
        catalogue = faults.FAULTS + big_wheel_faults.FAULTS + card_shoe_faults.FAULTS
        catalogue += tray_faults.FAULTS
        assert faults.find(reason.name, catalogue).code == reason.number
    with pytest.raises(KeyError):
        faults.find("earthquake")


def test_mixed_spins_are_drawn_by_the_seed() -> None:
    """Healthy and faulty ones, the same for the same seed."""
    drawn = list(islice(session.drawn(session.MIXED, 1), 200))
    assert drawn == list(islice(session.drawn(session.MIXED, 1), 200))
    healthy = drawn.count(None)
    assert 90 <= healthy <= 150
    assert len(set(drawn)) > 20


def test_only_a_mishap_bends_a_plan() -> None:
    """Without a name each spin is healthy, with one each spin has it."""
    assert list(islice(session.drawn(None, 1), 3)) == [None] * 3
    assert {f.name for f in islice(session.drawn("tilt", 1), 3) if f} == {"tilt"}
    assert faults.draw(random.Random(0)) in (None, *faults.FAULTS)
