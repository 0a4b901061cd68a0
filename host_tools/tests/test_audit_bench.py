"""The benches of the audit and of the start give figures that can be judged."""

import importlib.util
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.mark.parametrize(
    ("name", "options", "units"),
    [
        ("audit_bench", {"rows": 30_000}, ["times", "rows/s", "s"]),
        ("start_bench", {"turns": 1}, ["times", "times", "s"]),
    ],
)
def test_the_figures_are_a_ratio_and_what_it_is_made_of(name, options, units):
    """The first is compared with a program that is not ours."""
    spec = importlib.util.spec_from_file_location(name, BENCH / f"{name}.py")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    figures = bench.figures(**options)
    assert [figure["unit"] for figure in figures] == units
    assert figures[0]["verdict"] in ("met", "short")
    assert all(figure["value"] > 0 for figure in figures)
