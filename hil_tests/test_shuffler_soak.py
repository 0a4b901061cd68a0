"""The soak of the shuffler finds nothing wrong, and would find it."""

from __future__ import annotations

from hil_tests.soak import soak_run
from tablelogic.shuffler.shuffle import Shuffle


def played(machines):
    tally = soak_run.Tally()
    for run in soak_run.table_runs(20 * machines, 1, "sim", "shuffler", per_table=20):
        tally.add(soak_run.play(run))
    return tally


def test_no_wrong_deck_is_verified():
    """Sixty random shuffles of three machines, half of them in trouble."""
    tally = played(3)
    assert tally.spins == 60
    assert tally.passes(soak_run.part("shuffler"))
    assert tally.wrong_numbers == 0
    assert tally.healthy > 15
    assert tally.healthy_voids == 0
    assert tally.numbers < 60


def test_the_soak_sees_a_count_that_is_not_compared(monkeypatch):
    """A role that believes any count: the soak says so."""

    def believe(shuffle):
        shuffle.in_pass = False
        shuffle.passes += 1
        return shuffle.passes == shuffle._passes

    monkeypatch.setattr(Shuffle, "end_pass", believe)
    assert played(2).wrong_numbers
