"""A night of a whole pit: what has to hold holds; the same seed is the same night."""

import pytest

from hil_tests.night import __main__ as program
from hil_tests.night.line import NightLine, NightPort, Weather
from hil_tests.night.sinks import NightSink
from hil_tests.night.world import Night
from tabletools import told
from tabletools.cms.events import Letter
from tabletools.link import PortError

FEW = ("R1", "W1")
"""Tables of a night of the tests: each is a VM of its own, and most of the time is theirs."""


def test_ten_minutes_with_faults_of_every_part():
    """Lines, tables, hosts, disk, clocks, sinks; players who bet on numbers already known."""
    night = Night("1", tables=FEW)
    night.play(600)
    assert sum("settled: " in line for line in night.log) > 20
    assert any("is killed" in line or "freezes" in line for line in night.log)
    assert any(": line " in line for line in night.log)


def test_the_same_seed_is_the_same_night():
    """Byte for byte, and another seed is another."""
    nights = [Night(seed, tables=FEW) for seed in ("7", "7", "8")]
    for night in nights:
        night.play(60)
    first, second, other = ("\n".join(night.log) for night in nights)
    assert first == second
    assert first != other


def test_a_quiet_night_has_no_alarm_and_no_ruling():
    """Without a fault nobody has to look at anything, and late bets alone are refused."""
    night = Night("3", is_quiet=True, tables=FEW)
    night.play(120)
    assert [alarm for alarm in night.alarms if not alarm.startswith("late_bet: ")] == []
    assert any("0 rulings, 0 releases" in line for line in night.log)


def test_a_wrong_number_is_found(monkeypatch, capsys):
    """A host that pays another pocket than the ball lies in; the command to play it again."""
    honest = told.outcome_of

    def wrong(*words):
        found = dict(honest(*words))
        if "pocket" in found:
            found["pocket"] = "0" if found["pocket"] != "0" else "1"
        return found

    monkeypatch.setattr(told, "outcome_of", wrong)
    assert program.main(["--seed", "2", "--hours", "0.05"]) == 1
    error = capsys.readouterr().err
    assert "BROKEN: round " in error
    assert "again: make night SEED=2 HOURS=0.05" in error


def letter(number, ident, table=1):
    return Letter(number, ident, "t", table, b"", 0)


def test_a_sink_tells_events_out_of_order_and_counts_repeats():
    sink = NightSink("broker", "1")
    sink._random.random = lambda: 1.0
    sink.send([letter(1, "a"), letter(3, "c"), letter(1, "a")])
    assert (sink.problems, sink.repeats) == ([], 1)
    sink.send([letter(2, "b"), letter(2, "d", table=2)])
    assert sink.problems == ["broker: event 2 after 3"]


def test_a_line_has_one_owner_and_keeps_the_order():
    """Late frames stay in order; a cut line carries nothing and opens nowhere."""
    now = [0]
    line = NightLine("R1", "1", lambda: now[0])
    port = NightPort(line, "host a")
    with pytest.raises(PortError):
        NightPort(line, "host b")
    line.weather = Weather(late_us=1000)
    line.put("<", b"".join(bytes([n]) + b"\0" for n in range(1, 50)))
    now[0] = 1000
    assert port.read(1000) == b"".join(bytes([n]) + b"\0" for n in range(1, 50))
    line.weather = Weather(is_cut=True)
    with pytest.raises(OSError, match="cut"):
        port.read(10)
    port.close()
    with pytest.raises(PortError):
        NightPort(line, "host b")
