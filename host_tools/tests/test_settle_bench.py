"""The benchmark measures what it states."""

import runpy
from pathlib import Path
from types import SimpleNamespace

from tabletools.games import roulette
from tabletools.rules import settlement

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
        sign, limit = ratio["target"].split()
        is_met = (ratio["value"] < float(limit)) == (sign == "<=")
        assert ratio["value"] == float(limit) or ratio["verdict"] == ("met" if is_met else "short")


def test_the_plain_loop_builds_the_lines_of_the_settlement():
    """What is compared does the same work: every bet and outcome, stakes divided too."""
    bench = SimpleNamespace(**runpy.run_path(str(BENCH)))
    rules = roulette.rules_of("hc2023", "french")
    placed = [roulette.accept(rules, slip) for slip in bench.mixed_slips(rules, 400, seed=2)]
    kinds = (
        (placed, range(-1, len(rules.wheel.pockets))),
        (bench.mixed_dice_bets(100, seed=2), range(-1, 56)),
        (bench.mixed_card_bets(100, seed=2), bench.card_outcomes()),
    )
    results = set()
    for bets, outcomes in kinds:
        plain = bench.plain_bets(bets, outcomes)
        for place, outcome in enumerate(outcomes):
            lines = bench.plain_lines(plain, place)
            assert lines == settlement.settle_round(bets, outcome)
            results |= {line.outcome for line in lines}
    assert results == {"win", "lose", "push", "half", "prison", "stand", "void"}
