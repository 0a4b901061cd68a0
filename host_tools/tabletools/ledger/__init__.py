"""The ledger: evidence, rounds, bets, money; on SQLite or PostgreSQL, each operation whole."""

from tabletools.ledger.audit import Actor
from tabletools.ledger.base import Lease, Ledger, verify_there
from tabletools.ledger.betting import Taken, Wish, place, place_all, withdraw
from tabletools.ledger.cash import deposit, open_account, pay_out
from tabletools.ledger.clock import Clock, SystemClock
from tabletools.ledger.errors import LedgerError, LostLease, Refused
from tabletools.ledger.intake import Intake
from tabletools.ledger.rulings import rule_bet, rule_round
from tabletools.ledger.tables import (
    State,
    Terms,
    change_table,
    change_terms,
    claim,
    create_table,
    let_go,
    renew,
)

__all__ = [
    "Actor",
    "Clock",
    "Intake",
    "Lease",
    "Ledger",
    "LedgerError",
    "LostLease",
    "Refused",
    "State",
    "SystemClock",
    "Taken",
    "Terms",
    "Wish",
    "change_table",
    "change_terms",
    "claim",
    "create_table",
    "deposit",
    "let_go",
    "open_account",
    "pay_out",
    "place",
    "place_all",
    "renew",
    "rule_bet",
    "rule_round",
    "verify_there",
    "withdraw",
]
