"""Settle rounds of card games for tests: bets of player p, each of STAKE unless stated."""

import pytest

from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record

STAKE = 100


def lines(game, outcome, *bets, edition="hc2023", **more):
    """The settlements of a round; every cent of each stake is somewhere."""
    record = {
        "rules": edition,
        "game": game,
        "bets": [
            {"id": str(i), "player": "p", "stake": STAKE, **bet} for i, bet in enumerate(bets)
        ],
        "outcome": outcome,
        **more,
    }
    settled = settle_record(record)
    assert all(line.stake == line.back + line.live + line.lost for line in settled)
    return settled


def refused(game, outcome, *bets, **more):
    """The refusal of a round."""
    with pytest.raises(RuleViolation) as error:
        lines(game, outcome, *bets, **more)
    return error.value
