"""Measured values are within the range of their key, as `tabletool config check --list` has it."""

import pytest

from tabletools.diag import money_wheel as wheels
from tabletools.errors import ToolError
from tabletools.key_range import range_of, verify_ranges
from tablewire import config, money_wheel, roulette


def test_a_range_has_both_its_ends():
    """rim_roughness is 20 to 300, max_bet_ms 5,000 to 300,000: PROTOCOL.md."""
    allowed = range_of(roulette.RIM_ROUGHNESS)
    assert (19 in allowed, 20 in allowed, 300 in allowed, 301 in allowed) == (
        False,
        True,
        True,
        False,
    )
    assert [allowed.nearest(value) for value in (3, 20, 177, 300, 5000)] == [
        20,
        20,
        177,
        300,
        300,
    ]
    assert str(range_of(config.MAX_BET_MS)) == "5000..300000"


@pytest.mark.parametrize(("low", "high"), [(99, 2000), (2000, 3996)])
def test_a_flapper_beyond_the_range_of_its_keys_is_refused(low, high):
    """flapper_rest_raw and flapper_top_raw are 100 to 3995."""
    with pytest.raises(ToolError, match="the flapper reads") as refused:
        wheels.flapper(low, low, high)
    assert refused.value.limit == "100..3995"
    assert wheels.flapper(100, 100, 3995)[money_wheel.FLAPPER_TOP_RAW] == 3995


def test_a_measured_value_beyond_the_range_of_its_key_is_refused():
    """law_slack_percent is 1 to 30."""
    why = {"cause": "it was touched", "step": "spin again"}
    verify_ranges({money_wheel.LAW_SLACK_PERCENT: 30}, **why)
    with pytest.raises(ToolError, match="law_slack_percent would be 31") as refused:
        verify_ranges({money_wheel.LAW_SLACK_PERCENT: 31}, **why)
    error = refused.value
    assert (error.limit, error.cause, error.step) == ("1..30", "it was touched", "spin again")
