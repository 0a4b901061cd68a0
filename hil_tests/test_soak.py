"""The soak counts what went wrong, and its exit code says so."""

from dataclasses import dataclass, replace

import pytest

from hil_tests import faults, soak
from tablewire import codes, messages

ORDER = ("0", "32", "15")


@dataclass
class Ended:
    """The frame that ended a round, as far as the soak reads it."""

    type: int
    values: tuple[int, ...]


@dataclass
class Played:
    """A spin, as far as the soak reads it."""

    pocket: str | None
    reason: int | None
    ended: Ended
    fault: str | None = None


def number(pocket: str, index: int) -> Played:
    return Played(pocket, None, Ended(messages.WHEEL_RESULT, (0, index)))


def void(reason: int) -> Played:
    return Played("15", reason, Ended(messages.ROUND_VOID, (reason,)))


SHORT = faults.BY_NAME["short_spin"]


@pytest.mark.parametrize(
    ("spin", "fault", "wrong", "counts"),
    [
        (number("32", 1), None, "", (1, 0, 0)),
        (number("32", 2), None, "number 15, truly 32, fault None", (1, 1, 0)),
        (number("32", 1), SHORT, "number 32, truly 32, fault None", (1, 1, 0)),
        (void(codes.SHORT_SPIN), SHORT, "", (0, 0, 0)),
        (void(codes.NO_POCKET), None, "healthy spin void by 103", (0, 0, 1)),
    ],
)
def test_a_spin_is_judged(spin, fault, wrong, counts):
    """Only the true number of a healthy spin, or a void of a faulty one, is right."""
    tally = soak.Tally()
    assert soak.judge(spin, fault, ORDER, tally) == wrong
    assert (tally.numbers, tally.wrong_numbers, tally.wrong_voids) == counts
    assert tally.passed is (not wrong)


def test_another_code_is_told_but_no_failure():
    """A void by another reason than expected loses no money; it is reported."""
    tally = soak.Tally()
    assert soak.judge(void(codes.TILT), SHORT, ORDER, tally) == ""
    assert tally.passed
    assert "1 x short_spin gave 401 (tilt)" in soak.report(tally, 1.0)


def test_few_wrong_voids_are_allowed():
    """The share of healthy spins lost to a void stays within one in a thousand."""
    assert soak.Tally(healthy=1000, wrong_voids=1).passed
    assert not soak.Tally(healthy=999, wrong_voids=1).passed


def test_spins_are_shared_out_over_every_kind_of_table():
    """All spins are played, on both wheels with each sensor, each table with its own seed."""
    evenings = soak.evenings(320, 9, "sim")
    assert sum(evening.spins for evening in evenings) == 320
    assert len({(evening.wheel, evening.sensor) for evening in evenings}) == 6
    assert len({evening.seed for evening in evenings}) == len(evenings) == 7


def test_an_evening_can_be_played_again():
    """The same evening gives the same counts; the decisions alone play it in a moment."""
    evening = replace(soak.evenings(8, 3, "sim")[0])
    first = soak.play(evening)
    assert first == soak.play(evening)
    assert (first.spins, first.trouble) == (8, [])


def test_the_exit_code_says_whether_all_was_well(monkeypatch, capsys):
    """0 with the figures after a good night, 1 after a bad one, 2 for a wrong option."""
    monkeypatch.setattr(soak, "ProcessPoolExecutor", Here)
    assert soak.main(["--spins", "2", "--rig", "sim"]) == 0
    assert "2 spins in" in capsys.readouterr().out
    monkeypatch.setattr(soak, "play", lambda evening: soak.Tally(stalled=1, trouble=["that one"]))
    assert soak.main(["--spins", "2", "--rig", "sim"]) == 1
    assert "soak: that one" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        soak.main(["--spins", "0"])
    assert ended.value.code == 2


class Here:
    """A pool that plays in this process."""

    def __init__(self, jobs):
        assert jobs >= 1

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    map = staticmethod(map)
