"""Permissions: every action of the API and the roles that may take it."""

from tabletools.store.schema.people import AUDITOR, CASHIER, DEALER, SUPERVISOR, TECHNICIAN

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
    "tables.enable": BOSS,
    "tables.order": FLOOR | MENDERS,
    "tables.void_round": BOSS,
    "tables.clear_fault": MENDERS,
    "devices.see": FLOOR_AND_BACK,
    "devices.check": MENDERS,
    "devices.release": BOSS,
    "rounds.see": EVERYBODY,
    "rounds.rule": FLOOR,
    "bets.see": FLOOR | BOOKS,
    "bets.rule": FLOOR,
    "late_bets.see": BOOKS,
    "accounts.see": FLOOR | BOOKS | CASH_DESK,
    "accounts.open": CASH_DESK,
    "accounts.deposit": CASH_DESK,
    "accounts.pay_out": CASH_DESK,
    "payouts.release": BOSS,
    "sessions.see": FLOOR | BOOKS | CASH_DESK,
    "sessions.open": FLOOR,
    "sessions.close": FLOOR,
    "alarms.see": EVERYBODY,
    "alarms.acknowledge": MENDERS,
    "sinks.see": FLOOR_AND_BACK,
    "users.see": BOOKS,
    "users.change": BOSS,
    "audit.see": BOOKS,
}


def may(role: str, action: str) -> bool:
    """Whether a role may take an action."""
    return role in PERMISSIONS[action]
