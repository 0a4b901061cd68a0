"""Settlement: from bets and an outcome to one line per bet about what happens to its stake.

`settlement` is the core; `json_lines` and `schema` are the JSON Lines interface to every game of
`tabletools.games`; `boxes`, `dealt`, `card_round` and `shoe_round` make whole card rounds of what
a table reported. Nothing here knows a game by name.
"""

from tabletools.settle.settlement import (
    Settlement,
    Totals,
    Unbalanced,
    settle,
    settle_round,
    totals,
    verify_balance,
    verify_pool,
    verify_round,
)

__all__ = [
    "Settlement",
    "Totals",
    "Unbalanced",
    "settle",
    "settle_round",
    "totals",
    "verify_balance",
    "verify_pool",
    "verify_round",
]
