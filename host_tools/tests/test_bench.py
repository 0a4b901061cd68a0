"""The bench: every module gives figures, the table is readable, allocations are none."""

import json
from pathlib import Path

import pytest

from hil_tests.controller import program

BENCH = Path(__file__).resolve().parents[1] / "bench"
KEYS = {"name", "value", "unit", "target", "verdict"}


@pytest.fixture
def bench(monkeypatch):
    """The bench modules, as run.py imports them."""
    monkeypatch.syspath_prepend(str(BENCH))
    import decode_bench
    import rig_bench
    import run

    return {"decode": decode_bench, "rig": rig_bench, "run": run}


def test_decode_figures(bench):
    """Both decoders find every frame; the last figure compares their rates."""
    ours, theirs, ratio = bench["decode"].figures(frames=300)
    assert set(ours) == set(theirs) == set(ratio) == KEYS
    assert ratio["value"] == pytest.approx(ours["value"] / theirs["value"], abs=0.01)
    assert ratio["verdict"] == ("met" if ratio["value"] >= 3 else "short")


def test_streams_are_of_like_size(bench):
    """Messages of 20 and 22 bytes, in frames of 49 and 34: the larger frames are ours."""
    decode = bench["decode"]
    assert len(decode.our_stream(10)) == 490
    assert len(decode.their_stream(10)) == 340


def test_the_role_allocates_nothing(bench):
    """The shipped role follows rotor and ball, and frames are sent, without an allocation."""
    assert bench["rig"].allocated(program()) == (0, 0)


def test_a_figure_is_one_line(bench):
    """Name, value, unit, target and verdict in columns; no target of its own leaves a gap."""
    figure = {"name": "decoded", "value": 271828, "unit": "frames/s", "target": 100000}
    line = bench["run"].line({**figure, "verdict": "met"})
    assert line.split() == "decoded 271 828 frames/s target >= 100 000 met".split()
    line = bench["run"].line({**figure, "target": None, "verdict": "reported"})
    assert line.split() == "decoded 271 828 frames/s reported".split()


def test_figures_are_kept(bench, monkeypatch, tmp_path, capsys):
    """--json writes machine and figures, each with its module, as they were printed."""
    figure = {"name": "n", "value": 1, "unit": "u", "target": "<= 2", "verdict": "met"}
    monkeypatch.setattr(bench["rig"], "figures", lambda: [figure])
    assert bench["run"].main(["rig_bench", "--json", str(tmp_path / "figures.json")]) == 0
    kept = json.loads((tmp_path / "figures.json").read_text())
    assert kept["figures"] == [{"module": "rig_bench", **figure}]
    assert set(kept["machine"]) == {"python", "system", "processors"}
    assert capsys.readouterr().out.splitlines()[1].split() == "n 1 u target <= 2 met".split()


def test_an_unknown_module_is_refused(bench, capsys):
    """The message names those there are."""
    with pytest.raises(SystemExit):
        bench["run"].main(["dice_bench"])
    assert "no module 'dice_bench'; there are decode_bench" in capsys.readouterr().err
