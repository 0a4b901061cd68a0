"""Settlement: bets and an outcome become lines of what happens to each stake.

`settlement` is the core and knows no game; `records`, `table_game` and the modules of the games
read rounds; `lines` and `schema` are the JSON Lines surface.
"""

from tabletools.settle.settlement import (
    Settlement,
    Totals,
    Unbalanced,
    can_settle,
    settle_round,
    totals,
    verify_balance,
    verify_round,
)

__all__ = [
    "Settlement",
    "Totals",
    "Unbalanced",
    "can_settle",
    "settle_round",
    "totals",
    "verify_balance",
    "verify_round",
]
