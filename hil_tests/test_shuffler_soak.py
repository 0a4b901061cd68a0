"""The soak of the shuffler finds nothing wrong, and would find it."""

from __future__ import annotations

from collections import Counter

from hil_tests import shuffler_soak
from tablelogic.shuffler.shuffle import Shuffle


def wrong(found):
    return [name for name, number in found.items() if name.startswith("WRONG") and number]


def test_no_wrong_deck_is_verified():
    """Sixty random shuffles of three machines, half of them in trouble."""
    found = sum((shuffler_soak.machine(f"test/{n}", 20) for n in range(3)), start=Counter())
    assert found["shuffles"] == 60
    assert wrong(found) == []
    assert found["healthy"] > 15
    assert found["healthy refused"] == 0
    assert found["verified"] < 60


def test_the_soak_sees_a_count_that_is_not_compared(monkeypatch):
    """A role that believes any count: the soak says so."""

    def believe(shuffle):
        shuffle.in_pass = False
        shuffle.passes += 1
        return 0

    monkeypatch.setattr(Shuffle, "end_pass", believe)
    found = sum((shuffler_soak.machine(f"test/{n}", 20) for n in range(2)), start=Counter())
    assert wrong(found)
