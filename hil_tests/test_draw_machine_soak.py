"""The soak of the draw machine finds nothing wrong, and would find it."""

from __future__ import annotations

from hil_tests.soak import soak_run
from tableemulator import fault_catalogue, play_session
from tableemulator.machines.draw_machine.physical_draw import DrawSetup
from tablelogic.draw_machine.draw import Draw
from tablelogic.draw_machine.witness import Witness


def played(machines):
    tally = soak_run.Tally()
    for run in soak_run.table_runs(12 * machines, 8, "sim", "draw_machine", per_table=12):
        tally.add(soak_run.play(run))
    return tally


def test_no_wrong_number_is_reported():
    """Four dozen draws of four machines, many of them in trouble."""
    tally = played(4)
    assert tally.spins == 48
    assert tally.passes(soak_run.part("draw_machine"))
    assert (tally.wrong_numbers, tally.healthy_voids) == (0, 0)
    assert sum(tally.faulty.values()) > 15
    assert tally.replayed > 40


def test_the_soak_sees_readers_that_are_not_compared(monkeypatch):
    """A role that believes the tube's reader alone, with many smudged balls: the soak says so."""
    smudged = fault_catalogue.find("misread", play_session.catalogue_of(DrawSetup()))
    monkeypatch.setattr(play_session, "catalogue_of", lambda setup: (smudged,))
    judge = Draw.judge

    def believe(draw, now_ms):
        draw.readings[0] = draw.readings[1]
        return judge(draw, now_ms)

    monkeypatch.setattr(Draw, "judge", believe)
    assert played(2).wrong_numbers


def test_the_soak_sees_a_second_ball_that_is_let_pass(monkeypatch):
    """A role that takes whatever is wrong with a ball for nothing."""
    monkeypatch.setattr(Witness, "fail", lambda *_: None)
    assert played(3).wrong_numbers
