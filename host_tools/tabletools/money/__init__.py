"""Money of the pit: accounts, bets, settlements and rulings, in the same store as the evidence."""

from tabletools.money.betting import (
    BetReceipt,
    BetRequest,
    Slip,
    SlipReceipt,
    place,
    place_all,
    withdraw,
)
from tabletools.money.cash import deposit, open_account, pay_out
from tabletools.money.rulings import BetRuling, Ruling, rule_bet, rule_round
from tabletools.money.terms import change_table, change_terms, create_table

__all__ = [
    "BetReceipt",
    "BetRequest",
    "BetRuling",
    "Ruling",
    "Slip",
    "SlipReceipt",
    "change_table",
    "change_terms",
    "create_table",
    "deposit",
    "open_account",
    "pay_out",
    "place",
    "place_all",
    "rule_bet",
    "rule_round",
    "withdraw",
]
