"""Permissions: every action of the API and the roles that may take it.

What moves money, decides or orders is declared in `tabletools.authority` and checked there again.
"""

from tabletools import authority
from tabletools.authority import ACTS, AUDITOR, CASHIER, DEALER, SUPERVISOR, TECHNICIAN

FLOOR_AND_BACK = frozenset((DEALER, SUPERVISOR, TECHNICIAN, AUDITOR))
EVERYBODY = FLOOR_AND_BACK | {CASHIER}
FLOOR = frozenset((DEALER, SUPERVISOR))
BOSS = frozenset((SUPERVISOR,))
BOOKS = frozenset((SUPERVISOR, AUDITOR))
CASH_DESK = frozenset((SUPERVISOR, CASHIER))

MENDERS = frozenset((SUPERVISOR, TECHNICIAN))

PERMISSIONS: dict[str, frozenset[str]] = {
    "tables.see": EVERYBODY,
    "tables.close_bets": FLOOR,
    "tables.call": FLOOR,
    "tables.end_play": FLOOR,
    "tables.deal": FLOOR,
    "tables.pass_dice": FLOOR,
    "tables.enable": BOSS,
    "tables.order": ACTS[authority.ORDER].roles,
    "tables.void_round": ACTS[authority.VOID].roles,
    "tables.clear_fault": ACTS[authority.CLEAR_FAULT].roles,
    "devices.see": FLOOR_AND_BACK,
    "devices.check": MENDERS,
    "devices.release": BOSS,
    "trays.correct": ACTS[authority.TRAY].roles,
    "offers.see": FLOOR_AND_BACK,
    "offers.decide": ACTS[authority.OFFER].roles,
    "rounds.see": EVERYBODY,
    "rounds.rule": ACTS[authority.RULING].roles,
    "rounds.deal": ACTS[authority.DEAL].roles,
    "bets.see": FLOOR | BOOKS,
    "bets.rule": ACTS[authority.BET_RULING].roles,
    "late_bets.see": BOOKS,
    "accounts.see": FLOOR | BOOKS | CASH_DESK,
    "accounts.open": CASH_DESK,
    "accounts.pin": ACTS[authority.PIN].roles,
    "accounts.deposit": ACTS[authority.DEPOSIT].roles,
    "accounts.pay_out": ACTS[authority.PAYOUT].roles,
    "accounts.adjust": ACTS[authority.ADJUSTMENT].roles,
    "takings.see": BOOKS,
    "desk.see": BOOKS | CASH_DESK,
    "desk.transfer": ACTS[authority.TRANSFER].roles,
    "desk.close": ACTS[authority.DAY_CLOSE].roles,
    "wallet.see": BOOKS | CASH_DESK,
    "wallet.retry": ACTS[authority.WALLET_RETRY].roles,
    "wallet.close": ACTS[authority.WALLET_CLOSE].roles,
    "payouts.release": ACTS[authority.PAYOUT_RELEASE].roles,
    "sessions.see": FLOOR | BOOKS | CASH_DESK,
    "sessions.open": ACTS[authority.SEAT].roles,
    "sessions.close": FLOOR,
    "alarms.see": EVERYBODY,
    "alarms.acknowledge": MENDERS,
    "rules.see": FLOOR_AND_BACK,
    "rules.change": BOSS,
    "sinks.see": FLOOR_AND_BACK,
    "users.see": BOOKS,
    "users.change": ACTS[authority.USER_CHANGE].roles,
    "audit.see": BOOKS,
}


SIGNED = frozenset(
    (
        *("tables.order", "tables.void_round", "tables.clear_fault"),
        *("rounds.rule", "rounds.deal", "bets.rule"),
        *("accounts.open", "accounts.pin"),
        *("accounts.deposit", "accounts.pay_out", "accounts.adjust", "payouts.release"),
        *("desk.transfer", "desk.close", "users.change"),
        *("offers.decide", "trays.correct", "wallet.retry", "wallet.close"),
    )
)
"""Actions of which the audit log has a row that the user signs (`authority.DECISIONS`)."""


def may(role: str, action: str) -> bool:
    """Whether a role may take an action."""
    return role in PERMISSIONS[action]
