"""The soak of the draw machine finds nothing wrong, and would find it."""

from __future__ import annotations

from collections import Counter

from hil_tests import ball_soak, faults
from hil_tests.emulators.draw_machine.faults import FAULTS
from tablelogic.draw_machine.draw import Draw
from tablelogic.draw_machine.witness import Witness


def wrong(found):
    return [name for name, number in found.items() if "WRONG" in name and number]


def played(machines):
    return sum((ball_soak.machine(f"test/{n}", 12) for n in range(machines)), start=Counter())


def test_no_wrong_number_is_told():
    """Four dozen draws of four machines, half of them in trouble."""
    found = played(4)
    assert found["draws"] == 48
    assert wrong(found) == []
    assert found["healthy void"] == 0
    assert found["faults"] > 15
    assert found["replay agrees"] > 40


def test_the_soak_sees_readers_that_are_not_compared(monkeypatch):
    """A role that believes the tube's reader alone, with many smudged balls: the soak says so."""
    smudged = faults.find("misread", FAULTS)
    monkeypatch.setattr(ball_soak, "FAULTS", (smudged, smudged))
    judge = Draw.judge

    def believe(draw, now_ms):
        draw.readings[0] = draw.readings[1]
        return judge(draw, now_ms)

    monkeypatch.setattr(Draw, "judge", believe)
    assert wrong(played(2))


def test_the_soak_sees_a_second_ball_that_is_let_pass(monkeypatch):
    """A role that takes whatever is wrong with a ball for nothing."""
    monkeypatch.setattr(Witness, "fail", lambda *_: None)
    assert wrong(played(3))
