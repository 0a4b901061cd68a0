"""The benchmark measures what it states."""

import runpy
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1] / "bench" / "settle_bench.py"


def test_figures_have_name_value_unit_target_and_verdict():
    """A small run gives each figure with a verdict that follows from value and target."""
    figures = runpy.run_path(str(BENCH))["figures"](bets=100)
    assert len(figures) == 5 + 3 * 12
    assert len({figure["name"] for figure in figures}) == len(figures)
    for figure in figures:
        assert set(figure) == {"name", "value", "unit", "target", "verdict"}
        if figure["target"] is None:
            assert figure["verdict"] == "reported"
        else:
            assert figure["verdict"] == ("met" if figure["value"] >= figure["target"] else "short")
