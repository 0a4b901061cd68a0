"""The bench of the ledger runs, small, and gives its figures."""

import importlib.util
from pathlib import Path

from hil_tests.thinned import soak_only
from host_tools.tests.conftest import DATABASES

FILE = Path(__file__).parents[1] / "bench" / "ledger_bench.py"


@soak_only
def test_the_bench_measures_both_databases():
    """Six figures for each database, each with a value above 0."""
    spec = importlib.util.spec_from_file_location("ledger_bench", FILE)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    bench.PLAYERS = 4
    figures = bench.figures(bets=40)
    assert len(figures) == 6 * len(DATABASES)
    assert all(figure["value"] > 0 for figure in figures)
    assert next(f["target"] for f in figures if "times its rows" in f["name"]) == "<= 20"
