"""`tabletool trial`: a wheel of unknown behaviour beside an independent witness of its numbers."""

import io
import json
import random
from functools import partial
from types import SimpleNamespace

import pytest

from hil_tests.thinned import soak_only
from host_tools.tests.diagnosed import Floor, spin
from tableemulator.machines.roulette.ball_rim import draw_rim
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools.cli import roulette_recorder
from tabletools.cli.main import run
from tabletools.diag.report import FAILED
from tabletools.errors import USER, ToolError
from tabletools.keys import Key, Keyring
from tabletools.trial import findings
from tabletools.trial.findings import Ended, share, spread
from tabletools.trial.readings import Reading, paired, readings_of
from tablewire import codes, roulette

DEVICE, KEY = 1382865454, (1, bytes(range(100, 132)))
ROUND_US, STEP_US = 55_000_000, 200_000
SPINS, CAUGHT, WRONG = 12, 3, 6
DOME_PIN, DOME_SPIN = 10, 8


# --- the other reader ---------------------------------------------------------------------------


def test_a_file_of_numbers():
    """Comments and empty lines are none; 00 and - are entries; a time needs its zone."""
    text = "# shift 1\n17\n\n00\n-\n"
    assert readings_of(text, "f") == [Reading("17"), Reading("00"), Reading("-")]
    for separator in ",;":
        (timed,) = readings_of(f"\ufeff1970-01-01T01:00:05+01:00{separator}3\r\n", "f")
        assert timed == Reading("3", 5.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("17\n37\n", "line 2: '37' is not 0 to 36"),
        ("017", "'017'"),
        ("2026-11-29T20:15:02,17", "no time zone"),
        ("noon,17", "is not a time"),
        ("17\n2026-11-29T20:15:02Z,17", "some lines have a time"),
        ("١٧", "is not 0 to 36"),
    ],
)
def test_a_line_that_is_no_number(text, words):
    """The line, what is wrong with it, and what is accepted."""
    with pytest.raises(ToolError, match=words):
        readings_of(text, "f")


def test_entries_are_paired_by_order_or_by_time():
    """The nearest round within a minute, each once; what is left over is of no round."""
    first, second, third = Reading("1"), Reading("2"), Reading("3")
    assert paired([first], [0, 50]) == ([first, None], [])
    assert paired([first, second, third], [0, 50]) == ([first, second], [third])
    timed = [Reading("1", 104.0), Reading("2", 155.0), Reading("3", 400.0)]
    assert paired(timed, [100.0, 150.0, 300.0]) == ([timed[0], timed[1], None], [timed[2]])
    both = [Reading("1", 101.0), Reading("2", 102.0)]
    assert paired(both, [100.0]) == ([both[0]], [both[1]])


# --- what it shows ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (Wilson), to four places.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_a_share(count, total, low, high):
    """As published."""
    result = share(count, total)
    assert result.low == pytest.approx(low, abs=5e-5)
    assert result.high == pytest.approx(high, abs=5e-5)


def test_the_interval_of_a_spread_holds_the_truth():
    """95 % of 200 samples of 40: at least 89 % of means and 85 % of deviations, by resampling."""
    rng = random.Random(7)
    held = [0, 0]
    for _ in range(200):
        result = spread([rng.gauss(1500, 60) for _ in range(40)])
        held[0] += result.mean_95[0] <= 1500 <= result.mean_95[1]
        held[1] += result.deviation_95[0] <= 60 <= result.deviation_95[1]
    assert held[0] >= 178
    assert held[1] >= 170
    assert spread([1.0] * 4) is None


def test_agreement_voids_and_false_voids():
    """By hand: equal, different, false void, true void, a number of the table alone, no entry."""
    ended = [
        Ended(1, "17", None),
        Ended(2, "5", None),
        Ended(3, None, roulette.SHORT_SPIN),
        Ended(4, None, roulette.SHORT_SPIN),
        Ended(5, "0", None),
        Ended(6, "1", None),
    ]
    pairs = [Reading(n) for n in ("17", "10", "3", "-", "-")] + [None]
    result = findings.compare(ended, pairs, 2)
    assert (result["agree"].count, result["agree"].total) == (1, 2)
    assert result["differ"] == ((2, "5", "10"),)
    assert result["voids"] == ((roulette.SHORT_SPIN, 2, 1),)
    assert (result["false_voids"].count, result["false_voids"].total) == (1, 3)
    assert result["alone"] == ((5, "0"),)
    assert (result["unread"], result["unmatched"], result["shift"]) == (1, 2, 0)


@pytest.mark.parametrize("lost", [1, 2])
def test_a_missing_line_is_named(lost):
    """The entries agree again when moved; entries at random have no such shift."""
    rng = random.Random(3)
    numbers = [str(rng.randrange(37)) for _ in range(40)]
    ended = [Ended(k, number, None) for k, number in enumerate(numbers)]
    moved = [*map(Reading, numbers[lost:]), *[None] * lost]
    assert findings.compare(ended, moved, 0)["shift"] == -lost
    noise = [Reading(str(rng.randrange(37))) for _ in numbers]
    assert findings.compare(ended, noise, 0)["shift"] == 0


def test_rounds_of_before_a_sensor_moved_are_left_out():
    """A law of two mountings is none: only rounds with the present places count."""

    def trace(angle):
        config = [0] * (max(roulette.RIM_ANGLES) + 1)
        config[roulette.RIM_ANGLES[0]] = angle
        return SimpleNamespace(config=tuple(config))

    rounds = [(trace(90_000), 1), (trace(120_000), 2), (trace(120_000), 3)]
    assert [spin for _, spin in findings.of_present_places(rounds)] == [2, 3]
    assert findings.of_present_places([]) == []


# --- at a wheel ---------------------------------------------------------------------------------


class Witness:
    """Writes down where the ball of the model lies; does not know what the table reports."""

    def __init__(self, file):
        self._file, self._spins = file, 0
        file.write_text("")

    def moved(self, table):
        """A round is over: its number; then the next spin, on a rim that only the model knows."""
        table._croupier._rim = draw_rim(random.Random(5), 0.12)
        if self._spins:
            ball = table.ball
            number = table.geometry.order[ball.pocket] if ball.at_rest else "-"
            if self._spins == WRONG:
                number = "0" if number != "0" else "1"
            with open(self._file, "a", encoding="utf-8") as file:
                file.write(f"{number}\n")
        self._spins += 1
        spin(table)
        if self._spins == CAUGHT:
            table.schedule(table.now_us + 14_000_000, lambda t: t.wheel.take_away(t.ball))
        if self._spins == DOME_SPIN:
            for after_us, level in ((14_000_000, 1), (14_500_000, 0)):
                table.schedule(table.now_us + after_us, partial(_dome, level=level))


def _dome(table, level):
    table.model.sensors.note([table.now_us, "pin", DOME_PIN, level])


@soak_only
def test_a_trial_beside_a_witness(tmp_path, monkeypatch, capsys):
    """Twelve spins: a wrong entry differs, a caught ball is a void that both have, the dome is a
    void although the ball fell; the last lap is what the model's balls make; then it goes on."""
    keys, db, numbers = tmp_path / "keys.json", tmp_path / "trial.db", tmp_path / "numbers.txt"
    Keyring(keys).add(DEVICE, Key(*KEY))
    witness = Witness(numbers)
    with Floor(
        Geometry("single"), moved=witness.moved, every_us=ROUND_US, step_us=STEP_US, key=KEY
    ) as floor:
        monkeypatch.setattr(roulette_recorder, "Link", floor._link)
        words = ["trial", floor.url, "--db", str(db), "--numbers", str(numbers), "--json"]
        words += ["--keys", str(keys)]
        assert run([*words, "--spins", str(SPINS)]) == FAILED
        result = json.loads(capsys.readouterr().out)
        ended_us = floor._table.now_us
        assert run([*words[:-3], *words[-2:], "--spins", "1"]) == FAILED
        text = capsys.readouterr().out
        assert floor._table.now_us < ended_us + ROUND_US
        typed = tmp_path / "typed.txt"
        monkeypatch.setattr("sys.stdin", io.StringIO("17\n99\n\n-\n"))
        words[words.index(str(numbers))] = str(typed)
        run([*words, "--type", "--spins", "3"])
        said = capsys.readouterr()
    assert typed.read_text() == "17\n-\n"
    assert "not stored: '99' is not 0 to 36" in said.err
    assert json.loads(said.out)["unread"] == SPINS - 2
    assert result["rounds"] == SPINS
    assert [row[0] for row in result["differ"]] == [WRONG]
    assert result["agree"]["total"] - result["agree"]["count"] == 1
    voids = {code: (count, false) for code, count, false in result["voids"]}
    assert voids.pop(codes.DOME_OPEN) == (1, 1)
    assert list(voids.values()) == [(1, 0)]
    assert result["law"]["steady"]["low"] <= result["law"]["steady"]["value"]
    drop = result["spreads"]["last whole lap at a sensor, ms"]
    assert 1000 < drop["mean_95"][0] < drop["mean"] < drop["mean_95"][1] < 2000
    rest, fall = (result["spreads"][f"{name} to number, ms"] for name in ("rest", "drop noticed"))
    assert 2400 < rest["mean"] < fall["mean"]
    assert result["keys"] == []
    assert "at least 30" in result["no_keys"]
    assert f"round {WRONG}: table " in text
    assert "402 dome_open: 1 void, 1 of them false" in text


class PlainWitness:
    """A wheel drawn at random, turned by a croupier; every number is written down."""

    def __init__(self, file, seed):
        self.rim = draw_rim(random.Random(seed))
        self._file, self._spins = file, 0
        file.write_text("")

    def moved(self, table):
        """A round is over: its number; then the next spin."""
        table._croupier._rim = self.rim
        if self._spins:
            number = table.geometry.order[table.ball.pocket] if table.ball.at_rest else "-"
            with open(self._file, "a", encoding="utf-8") as file:
                file.write(f"{number}\n")
        self._spins += 1
        spin(table)


@soak_only
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_a_trial_proposes_the_keys_of_an_unknown_wheel(tmp_path, monkeypatch, capsys, seed):
    """Forty spins of a wheel drawn at random. Every number agrees. The drag that it measures is
    that of real wheels (physical_wheel.py: 0.101 to 0.140 turns/s2), the roughness that of the
    rim, and of the keys the last lap is below every one seen."""
    keys, numbers = tmp_path / "keys.json", tmp_path / "numbers.txt"
    Keyring(keys).add(DEVICE, Key(*KEY))
    witness = PlainWitness(numbers, seed)
    with Floor(
        Geometry("single"), moved=witness.moved, every_us=ROUND_US, step_us=STEP_US, key=KEY
    ) as floor:
        monkeypatch.setattr(roulette_recorder, "Link", floor._link)
        words = ["trial", floor.url, "--db", str(tmp_path / "trial.db"), "--numbers", str(numbers)]
        assert run([*words, "--keys", str(keys), "--spins", "40", "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
    assert result["agree"]["count"] == result["agree"]["total"] >= 38
    law, proposed = result["law"], {name: new for name, _, new in result["keys"]}
    assert 0.101 <= law["steady"]["value"] <= 0.140
    assert law["roughness"]["low"] <= 1.3 * witness.rim.roughness
    assert law["roughness"]["high"] >= witness.rim.roughness
    assert proposed["lap_steady"] == round(law["steady"]["value"] * 10_000)
    drop = result["spreads"]["last whole lap at a sensor, ms"]
    assert 1000 <= proposed["drop_lap_ms"] < drop["mean"] - 2 * drop["deviation"]
    assert 200 <= proposed["rim_roughness"] <= 300


def test_a_ledger_of_a_pit_is_refused(tmp_path, pit, ledger_place, capsys):
    """A trial bets nothing: it does not write into a database with tables and terms."""
    numbers = tmp_path / "numbers.txt"
    numbers.write_text("17\n")
    assert run(["trial", "floor", "--db", str(ledger_place), "--numbers", str(numbers)]) == USER
    assert "the ledger of a pit" in capsys.readouterr().err


def test_a_file_that_is_missing_shows_before_the_spins(tmp_path, capsys):
    """And no database is made for it."""
    db = tmp_path / "trial.db"
    words = ["trial", "floor", "--db", str(db), "--numbers", str(tmp_path / "none.txt")]
    assert run(words) == USER
    assert "cannot read the file" in capsys.readouterr().err
    assert not db.exists()
