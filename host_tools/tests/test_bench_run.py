"""`make bench` finds every bench by its name, shows its figures and keeps them."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench"
FIGURES = """
def figures():
    return [
        {"name": "bets", "value": 1200000, "unit": "bets/s", "target": 1000000, "verdict": "met"},
        {"name": "spin", "value": 0.07, "unit": "s", "target": "<= 0.05", "verdict": "short"},
        {"name": "frames", "value": 5, "unit": "/s", "target": None, "verdict": "reported"},
    ]
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return the bench runner, pointed at a folder with one bench of known figures."""
    spec = importlib.util.spec_from_file_location("bench_run", BENCH / "run.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bench_run", module)  # its measuring is sent to a process
    spec.loader.exec_module(module)
    (tmp_path / "known_bench.py").write_text(FIGURES)
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return module


def test_figures_are_shown_and_kept(run, tmp_path, capfd):
    """Each figure has one line, a missed target is named, the file holds the same figures."""
    file = tmp_path / "figures.json"
    run.main(["--json", str(file)])
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith("machine ")
    assert lines[2].split() == ["bets", "1,200,000", "bets/s", "1,000,000", "met"]
    assert lines[4].split() == ["frames", "5", "/s", "reported"]
    assert lines[5] == "below target here: spin"
    assert lines[6] == "measured in 0 s: known 0"
    saved = json.loads(file.read_text())
    assert [figure["name"] for figure in saved["figures"]] == ["bets", "spin", "frames"]
    assert saved["cores"] >= 1


def test_the_data_folder_of_a_bench_ends_with_it(run, monkeypatch, tmp_path):
    """What runs afterwards has the folder it had before."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    run.main(["--only", "known"])
    assert os.environ["XDG_DATA_HOME"] == str(tmp_path)


def test_every_bench_in_the_folder_can_be_run():
    """A file that discovery would take has the function it calls."""
    benches = sorted(BENCH.glob("*_bench.py"))
    assert benches
    for path in benches:
        assert "\ndef figures(" in path.read_text(encoding="utf-8"), path.name


def test_one_file_is_chosen_by_its_name(run, tmp_path, capfd):
    """The others are not even imported."""
    (tmp_path / "broken_bench.py").write_text("raise RuntimeError\n")
    run.main(["--only", "known"])
    assert "1,200,000" in capfd.readouterr().out


def test_an_unknown_name_is_refused_with_those_there_are(run, capfd):
    """Nothing is measured."""
    with pytest.raises(SystemExit, match="2"):
        run.main(["--only", "rigs"])
    error = capfd.readouterr().err
    assert "there is no bench 'rigs'; choose one of: known" in error


def test_every_bench_can_be_chosen(run, monkeypatch):
    """By the name of its file without the ending."""
    monkeypatch.setattr(run, "HERE", BENCH)
    files = [path.name for path in BENCH.glob("*_bench.py")]
    assert run.names() == sorted(name.removesuffix("_bench.py") for name in files)
    assert {"decode", "rig", "heap"} <= set(run.names())
