"""The bench of the way of a bet and a result runs, and its counts are those of the design."""

import importlib.util
from pathlib import Path

from tablewire.messages import ROLES

FILE = Path(__file__).parents[1] / "bench" / "path_bench.py"


def test_a_bet_and_a_result_take_no_more_statements_than_designed():
    """Statements, calls and the loaded start are deterministic, so what is reached stays so."""
    spec = importlib.util.spec_from_file_location("path_bench", FILE)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    figures = {figure["name"]: figure for figure in bench.figures(bets=300)}
    assert figures["a result with 2 bets: SQL"]["value"] <= 14
    assert figures["a bet: SQL"]["value"] <= 8
    assert figures["a result with 1 bet: calls"]["value"] <= 149
    assert figures["a result with 1 bet: files"]["value"] <= 26
    assert figures["a result with 1 bet: packages"]["value"] <= 9
    assert figures["the first bet after a start: SQL"]["value"] <= 8
    assert figures["a heartbeat that changes nothing: SQL"]["value"] == 0
    assert figures["the first bet after a start: rollbacks"]["value"] == 0
    assert figures["a start with 300 open bets, times its rows"]["target"] == "<= 4"
    assert figures["a start with 300 open bets"]["unit"] == "s of CPU"
    assert figures["tabletools.table"]["value"] > 1000
    assert figures["subscripts with a string in tabletools"]["value"] <= 285
    for role in ROLES:
        assert figures[f"{role}: named elsewhere"]["value"] <= 5, role
