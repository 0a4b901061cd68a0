"""The soak counts what went wrong, and its exit code says so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hil_tests.physics.class_runner import Tally, play_kind
from hil_tests.physics.kinds import WRONG, Judged, Kind
from hil_tests.physics.making import alone
from hil_tests.physics.spin_rounds import ANY_RIM
from hil_tests.soak import physics_soak
from hil_tests.soak import soak_run as soak
from hil_tests.thinned import share, thinned
from tableemulator import fault_catalogue
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools.replay import AGREES, replayed
from tablewire import codes, messages, roulette

SHORT = fault_catalogue.find("short_spin")
UNCONFIGURED = fault_catalogue.find("not_configured")
BUILT = soak.Built(Geometry("double"), "healthy", {"close_on_ball": 1})
OWN = soak.part("roulette")
RUN = soak.TableRun("sim", "roulette", BUILT, "1/0", 50)


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
    faults: tuple[int, ...] = ()
    circuits: float = 15.3
    ball_direction: int = 1
    rotor_direction: int = -1


def number(pocket: str, values: tuple[int, ...] = (2, 1, 1, 1, 1500, 1, -1), **truth) -> Played:
    """Return a spin that reported these values; pocket index 1 of the double-zero wheel is 2."""
    return Played(pocket, None, Ended(roulette.WHEEL_RESULT, values), **truth)


def void(reason: int, faults: tuple[int, ...] = ()) -> Played:
    """Return a spin that was void."""
    return Played("2", reason, Ended(messages.ROUND_VOID, (reason,)), faults)


@pytest.mark.parametrize(
    ("spin", "fault", "wrong"),
    [
        (number("2"), None, ""),
        (number("00", (37, 19, 1, 1, 1500, 1, -1)), None, ""),
        (number("14"), None, "number 2 at index 1, truly 14"),
        (number("2", (2, 2, 1, 1, 1500, 1, -1)), None, "number 2 at index 2, truly 2"),
        (number("14", (2, 2, 1, 1, 1500, 1, -1)), None, "number 2 at index 2, truly 14"),
        (number("2"), SHORT, "number 2 in spite of short_spin"),
        (number("2", circuits=14.9), None, "15.0 circuits, truly 14.90"),
        (number("2", (2, 1, 1, 1, 650, 1, -1), circuits=6.9), None, "6.5 circuits, truly 6.90"),
        (number("2", ball_direction=-1), None, "ball 1, rotor -1, truly -1, -1"),
    ],
)
def test_a_number_is_judged(spin, fault, wrong):
    """Only the true number of a healthy spin is right, and only with true evidence."""
    tally = soak.Tally()
    assert soak.judge(spin, fault, RUN, tally) == wrong
    assert (tally.numbers, tally.wrong_numbers) == (1, int(bool(wrong)))
    assert tally.passes(OWN) is (not wrong)


@pytest.mark.parametrize(
    ("spin", "fault", "wrong"),
    [
        (void(101), SHORT, ""),
        (void(401), SHORT, "short_spin gave 401"),
        (void(404, (502,)), UNCONFIGURED, ""),
        (void(404), UNCONFIGURED, "not_configured gave 404"),
    ],
)
def test_a_void_is_judged(spin, fault, wrong):
    """By reason and active fault; another code loses no money but is reported."""
    tally = soak.Tally()
    assert soak.judge(spin, fault, RUN, tally) == wrong
    assert tally.missed == ({wrong: 1} if wrong else {})
    assert tally.passes(OWN)
    if wrong:
        assert re.search(rf"1 x {wrong} \(\w+\), of 1$", soak.report(tally, 1.0, OWN))


def test_healthy_spins_that_are_void():
    """Counted apart for healthy and for worn sensor lines; as many may be as the part says."""
    tally = soak.Tally()
    assert soak.judge(void(103), None, RUN, tally) == "healthy spin void by 103"
    worn = replace(RUN, built=soak.Built(Geometry(), "worn", {"close_on_ball": 1}))
    soak.judge(void(codes.TILT), None, worn, tally)
    soak.judge(number("2"), None, RUN, tally)
    assert (tally.healthy, tally.healthy_voids) == (2, 1)
    assert (tally.worn, tally.worn_voids) == (1, 1)
    assert tally.passes(OWN)
    soak.judge(void(103), None, RUN, tally)
    assert not tally.passes(OWN)
    own = soak.Part(OWN.build, voids=0.001, worn_voids=0.02)
    assert soak.Tally(healthy=2000, healthy_voids=2).passes(own)
    assert not soak.Tally(healthy=1999, healthy_voids=2).passes(own)
    assert soak.Tally(healthy=999, healthy_voids=1).passes(own)
    assert soak.Tally(worn=100, worn_voids=2).passes(own)
    assert not soak.Tally(worn=100, worn_voids=3).passes(own)


def test_spins_are_shared_out_over_every_kind_of_table():
    """All spins are played, on tables of every kind, each with its own seed and places."""
    runs = soak.table_runs(1020, 9, "sim")
    assert [run.spins for run in runs] == [50] * 20 + [20]
    assert len({(r.built.setup.wheel, r.built.setup.pocket_sensor) for r in runs}) == 6
    assert {run.built.noise for run in runs} == {"healthy", "worn"}
    assert len({run.seed for run in runs}) == 21
    assert len({run.built.setup for run in runs}) == 21
    assert soak.table_runs(1020, 9, "sim") == runs


def test_a_hundred_spins_on_every_core(capsys):
    """No number is wrong, no healthy spin is void, every fault meets its code; exit code 0.

    A quarter of them by `make test`.
    """
    spins = str(share(100, 4))
    assert soak.main(["--spins", spins, "--seed", "2"]) == 0
    printed = capsys.readouterr().out
    assert re.search(rf"^ +{spins} spins in", printed, re.MULTILINE)
    assert re.search(r"^ +0 wrong numbers", printed, re.MULTILINE)
    assert "soak:" not in printed


def test_a_table_is_played_again(monkeypatch, capsys):
    """--table plays one of them in the same way."""
    monkeypatch.setattr(soak, "run", lambda runs, jobs: soak.Tally(spins=len(runs)))
    assert soak.main(["--spins", "500", "--table", "7"]) == 0
    assert " 1 spins in" in capsys.readouterr().out


def test_the_exit_code_says_whether_all_was_well(monkeypatch, capsys):
    """1 after a bad night, naming the table; 2 for a wrong option."""
    bad = soak.Tally(stalled=1, trouble=["that one"])
    monkeypatch.setattr(soak, "ProcessPoolExecutor", Here)
    monkeypatch.setattr(soak, "play", lambda run: bad)
    assert soak.main(["--spins", "2"]) == 1
    assert "soak: that one" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        soak.main(["--spins", "0"])
    assert ended.value.code == 2


class Here:
    """A pool that plays in this process."""

    def __init__(self, jobs: int) -> None:
        assert jobs >= 1

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *exc: object) -> None:
        return None

    map = staticmethod(map)


@pytest.mark.parametrize(
    ("limit", "counts", "passed"),
    [
        (0.0, {}, True),
        (0.0, {"wrong": 1}, False),
        (0.05, {"wrong": 5}, True),
        (0.05, {"wrong": 6}, False),
        (0.005, {"wrong": 1}, True),  # of a class with a limit one is never too many
        (1.0, {"stalled": 1}, False),
        (0.0, {"false void": 3}, True),
        (0.0, {"false void": 4}, False),
        (0.0, {"void": 100}, True),
    ],
)
def test_a_class_fails_above_its_limit(limit, counts, passed):
    """Of a hundred rounds, three of which may be void without a reason."""
    kind = Kind("money_wheel", "finger", lambda *_: Judged("right", ""), limit, voids=0.03)
    tally = Tally()
    tally.counts.update(counts, right=100 - sum(counts.values()))
    assert tally.passed(kind) is passed


def test_the_adversary_names_the_seed_and_trace_of_what_went_wrong(monkeypatch, tmp_path):
    """So that `draw` plays it again, and `tabletool replay` shows it: what was decided then."""
    every = {(kind.machine, kind.name): kind for kind in physics_soak.kinds(ANY_RIM)}
    for name in (
        ("roulette both", "healthy"),
        ("money_wheel, smooth", "finger"),
        ("card_shoe", "two, even"),
        ("draw_machine", "two touch"),
    ):
        original = every[name]

        def wrong(seed, make, original=original):
            return original.play(seed, make)._replace(verdict=WRONG)

        kind = Kind(*name, wrong)
        monkeypatch.setattr(physics_soak, "mkdtemp", lambda prefix: str(tmp_path))
        seed = f"5/{name[0]}/{name[1]}/0"
        [text] = play_kind(
            0, lambda _rim, kind=kind: iter([kind]), ANY_RIM, physics_soak.evidence, 5, 1
        ).wrong
        file = tmp_path / "1.trace"
        said = original.play(seed, alone).text
        assert text == f"wrong: seed {seed!r}: {said}; tabletool replay {file}"
        _trace, _run, verdict = replayed(file.read_bytes())
        assert verdict.word == AGREES


ROOT = Path(__file__).parents[1]
PROGRAMS = sorted(
    set(
        re.findall(
            r"(?:PYTHONPATH=([\w:]+) )?\$\(BIN\)/python -m (hil_tests[\w.]*)",
            (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", ""),
        )
    )
)


# As `python -m PROGRAM --help` for each of its words, in one process: they import much, the same.
HELP_OF_EACH = """
import runpy, sys
for program in sys.argv[1:]:
    sys.argv = [program, "--help"]
    try:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        print("status", end.code)
"""


@pytest.mark.parametrize("path", thinned(sorted({path for path, _ in PROGRAMS}), 3))
def test_the_programs_of_the_makefile_find_their_packages(path):
    """With the path that the Makefile gives them and no other."""
    programs = [program for with_path, program in PROGRAMS if with_path == path]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env |= {"PYTHONPATH": path} if path else {}
    command = [sys.executable, "-c", HELP_OF_EACH, *programs]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("status 0\n") == len(programs)
