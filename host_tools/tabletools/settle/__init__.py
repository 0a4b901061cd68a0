"""Settlement: from bets and an outcome to one line per bet about what happens to its stake.

`settlement` is the core and knows no game; `records`, `table_game` and the modules of the games
read rounds; `lines` and `schema` are the JSON Lines interface.
"""

from tabletools.settle.settlement import (
    Settlement,
    Totals,
    Unbalanced,
    settle_round,
    totals,
    verify_balance,
    verify_round,
)

__all__ = [
    "Settlement",
    "Totals",
    "Unbalanced",
    "settle_round",
    "totals",
    "verify_balance",
    "verify_round",
]
