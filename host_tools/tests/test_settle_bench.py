"""The benchmark measures what it states."""

import runpy
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1] / "bench" / "settle_bench.py"


def test_figures_have_name_value_unit_target_and_verdict():
    """A small run gives each figure with a verdict that follows from value and target."""
    figures = runpy.run_path(str(BENCH))["figures"](bets=100)
    assert len(figures) == 2 * (4 + 2 * 12)
    assert len({figure["name"] for figure in figures}) == len(figures)
    for ratio, rate in zip(figures[::2], figures[1::2], strict=True):
        assert set(ratio) == set(rate) == {"name", "value", "unit", "target", "verdict"}
        assert rate["verdict"] == "reported"
        assert ratio["unit"] == "times"
        most = float(ratio["target"].removeprefix("<= "))
        assert ratio["value"] == most or ratio["verdict"] == (
            "met" if ratio["value"] < most else "short"
        )
