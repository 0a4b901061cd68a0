"""The bench of bets over HTTP: every bet is accepted, else there is no figure."""

from pathlib import Path

from hil_tests.thinned import soak_only
from host_tools.tests.conftest import DATABASES

BENCH = Path(__file__).resolve().parents[1] / "bench"


@soak_only
def test_figures_of_both_databases(monkeypatch):
    """Six figures for each database, and how a bet grows with those that are open."""
    monkeypatch.syspath_prepend(str(BENCH))
    import bets_bench

    short = {"TERMINALS": 2, "WARM_S": 0.05, "ALONE": 5, "TURNS": 1, "WINDOWS": 1, "LEAST": 10}
    for name, value in short.items():
        monkeypatch.setattr(bets_bench, name, value)
    figures = bets_bench.figures(seconds=0.2, bets=50)
    assert len(figures) == 1 + 6 * len(DATABASES)
    for figure in figures:
        assert set(figure) == {"name", "value", "unit", "target", "verdict"}
        assert figure["value"] > 0
