"""A night of a whole pit: what has to hold holds; the same seed is the same night."""

import json
from collections import Counter

import pytest

from hil_tests.night import __main__ as program
from hil_tests.night.far_ends import ManagementSystem
from hil_tests.night.healthy import HealthyRounds
from hil_tests.night.line import NightLine, NightPort, Weather
from hil_tests.night.night_roles import ROLES
from hil_tests.night.world import Night
from hil_tests.thinned import IS_SOAK, share, soaked, thinned
from tableemulator import fault_catalogue, play_session
from tableemulator.machines.core.harness import END_WITHIN_US, TableStalled
from tabletools import roles
from tabletools.link import PortError
from tablewire import codes, dice_tray, roulette

FEW = ("R1", "W1")
"""Tables of a night that is a sample: each is a VM, and most of the time is theirs."""


@pytest.mark.parametrize(
    ("seed", "tables", "seconds"),
    [("1", ("R1", "W1"), 285), ("2", ("C1", "S1", "K1"), 285), *soaked([("6", ("D1",), 120)])],
)
def test_ten_minutes_with_faults_of_every_part(seed, tables, seconds):
    """Every role; lines, tables, hosts, disk, clocks, sinks. A dice tray costs most by far.

    Some players bet on numbers already known, and an attacker without a key is on the lines.
    A sixth of it by `make test`, all by `make soak`.
    """
    night = Night(seed, tables=tables)
    night.play(share(seconds, 6))
    assert any("settled" in line for line in night.log)
    assert any("bets at" in line for line in night.log)
    if share(seconds, 6) > 60:
        assert any("is killed" in line or "freezes" in line for line in night.log)


def test_a_night_may_end_before_it_is_calm():
    """Every event is delivered, and an alarm of the last second has a cause."""
    night = Night("6", tables=("C1", "S1", "K1", "R1"))
    night.play(7)
    assert any("alarm link_stale" in line for line in night.log)


def log_of(seed, tables, seconds):
    night = Night(seed, tables=tables)
    night.play(seconds)
    return "\n".join(night.log)


def test_the_same_seed_is_the_same_night():
    """Byte for byte, and another seed is another; by `make soak` at tables of all roles."""
    tables = tuple(ROLES) if IS_SOAK else FEW
    first, second = (log_of("7", tables, 7) for _ in range(2))
    assert first == second
    assert first != log_of("8", tables, 7)


@pytest.mark.parametrize(
    ("name", "fault", "seconds"),
    [("K1", "stands_in_gate", 25), ("R1", "second_ball", 12), ("W1", "never_stopped", 25)],
)
def test_a_table_given_up_in_the_middle_of_a_round_is_cleared(name, fault, seconds):
    """Balls lie outside, a second one is in the wheel, the wheel turns; then all is well."""
    setup = ROLES[name].setup
    with play_session.emulated_table(setup, 1) as table:
        table.end_within_us = seconds * 1_000_000
        with pytest.raises(TableStalled, match="did not end the round"):
            play_session.play(table, fault_catalogue.find(fault, play_session.catalogue_of(setup)))
        table.end_within_us = END_WITHIN_US
        table.cut_power()
        table.repair()
        assert play_session.play(table, None).reason is None


def test_a_quiet_night_has_no_alarm_and_no_ruling():
    """Without a fault nobody has to look at anything, and late bets alone are refused."""
    night = Night("3", is_quiet=True, tables=FEW)
    night.play(share(120, 6))
    assert [alarm for alarm in night.alarms if not alarm.startswith("late_bet: ")] == []
    assert any("0 rulings, 0 releases" in line for line in night.log)


@pytest.mark.parametrize("seed", thinned(["11", "12", "13"], 3))
def test_dishonest_staff_change_nothing_alone(seed):
    """Four, each with an own login, and hands at the tables: every act is refused or harmless.

    One seed in three by `make test`.
    """
    night = Night(seed, is_quiet=True, tables=("R1", "S1"), is_dishonest=True)
    night.play(share(600, 20))
    [facts] = [line for line in night.log if "dishonest staff: " in line]
    assert "_rights" not in facts
    assert any("Mal: seat: " in line for line in night.log)


def test_a_wrong_number_is_found(monkeypatch, capsys):
    """A host that pays another pocket than the ball rests in; the command to play it again."""
    honest = roles.outcome_of

    def wrong(*words):
        result = dict(honest(*words))
        if "pocket" in result:
            result["pocket"] = "0" if result["pocket"] != "0" else "1"
        return result

    monkeypatch.setattr(roles, "outcome_of", wrong)
    assert program.main(["--seed", "2", "--hours", "0.05", "--tables", "R1"]) == 1
    error = capsys.readouterr().err
    assert "BROKEN: settled_as_it_fell: round " in error
    assert "again: make night SEED=2 HOURS=0.05 TABLES=R1" in error


def event(ident, sequence, table=1):
    return json.dumps({"id": ident, "sequence": sequence, "table": table}).encode()


def test_an_end_of_a_sink_reports_what_comes_out_of_order_or_again():
    """An acknowledged event may come again only where something explains it."""
    explained = [False]
    system = ManagementSystem("broker", "1", lambda _since_us: explained[0])
    for ident, sequence, table in (("a", "1", 1), ("c", "3", 1), ("b", "2", 2)):
        system.take(event(ident, sequence, table))
    system.take(event("a", "1"))  # not acknowledged yet
    assert (system.problems, system.repeats) == ([], 1)
    system.answered("c", 5)
    explained[0] = True
    system.take(event("c", "3"))
    assert system.problems == []
    explained[0] = False
    system.take(event("c", "3"))
    system.take(event("d", "2"))
    assert system.problems == [
        "broker: event c came again for no reason",
        "broker: event d, 2, came after 3",
    ]


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


@pytest.mark.parametrize(
    ("rounds", "voids", "passed"),
    [(30, 0, True), (30, 1, True), (30, 2, False), (300, 3, True), (300, 4, False)],
)
def test_a_table_that_voids_healthy_rounds_fails(rounds, voids, passed):
    """One in a hundred, and one in a short night; what people, hosts and lines did is none."""
    healthy = HealthyRounds()
    for number in range(rounds):
        healthy.note(roulette.SHORT_SPIN if number < voids else None)
    for reason in (codes.TILT, codes.LINK_TAMPERED):
        healthy.note(reason)
    assert healthy.rounds == rounds
    assert healthy.passed is passed
    assert str(healthy).startswith(f"{voids} of {rounds} healthy rounds void (limit 1%)")
    assert str(healthy).endswith(f": {voids} short_spin") is (voids > 0)


def test_a_round_that_the_sensors_of_a_healthy_table_cannot_prove_is_not_counted():
    """Dice that hit one plate together: printed, but no fault of the table."""
    healthy = HealthyRounds()
    healthy.note(dice_tray.WALL_MISSED, "hits_together")
    healthy.note(dice_tray.WALL_MISSED)
    other = HealthyRounds()
    other.note(dice_tray.WALL_MISSED, "hits_together")
    healthy.add(other)
    assert (healthy.rounds, healthy.voids.total()) == (1, 1)
    assert str(healthy).endswith("1 wall_missed; not counted: 2 hits_together")


def test_false_voids_of_all_nights_count(monkeypatch, capsys):
    """One of each of two nights; the exit code is 1, and each table has a line."""

    def play(night, _seconds):
        night.log += ["1.0 night: all well"] * 2
        night.healthy = {"R1": HealthyRounds(40, Counter({roulette.BALL_STUCK: 1}))}

    monkeypatch.setattr(Night, "play", play)
    words = ["--seed", "2", "--hours", "0.1", "--tables", "R1"]
    assert program.main(words) == 0
    assert program.main([*words, "--nights", "2"]) == 1
    assert "R1: 2 of 80 healthy rounds void (limit 1%): 2 ball_stuck" in capsys.readouterr().out
