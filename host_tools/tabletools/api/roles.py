"""Who may do what: every action of the API and the roles that may take it."""

DEALER, SUPERVISOR, TECHNICIAN, AUDITOR = "dealer", "supervisor", "technician", "auditor"
EVERYBODY = frozenset((DEALER, SUPERVISOR, TECHNICIAN, AUDITOR))
FLOOR = frozenset((DEALER, SUPERVISOR))
BOSS = frozenset((SUPERVISOR,))
BOOKS = frozenset((SUPERVISOR, AUDITOR))

MENDERS = frozenset((SUPERVISOR, TECHNICIAN))

PERMISSIONS: dict[str, frozenset[str]] = {
    "tables.see": EVERYBODY,
    "tables.close_bets": FLOOR,
    "tables.enable": BOSS,
    "tables.order": FLOOR | MENDERS,
    "tables.void_round": BOSS,
    "tables.clear_fault": MENDERS,
    "devices.see": EVERYBODY,
    "devices.check": MENDERS,
    "devices.release": BOSS,
    "rounds.see": EVERYBODY,
    "rounds.rule": FLOOR,
    "bets.see": FLOOR | BOOKS,
    "bets.rule": FLOOR,
    "late_bets.see": BOOKS,
    "accounts.see": FLOOR | BOOKS,
    "accounts.open": BOSS,
    "accounts.deposit": BOSS,
    "accounts.pay_out": BOSS,
    "sessions.see": FLOOR | BOOKS,
    "sessions.open": FLOOR,
    "sessions.close": FLOOR,
    "alarms.see": EVERYBODY,
    "alarms.acknowledge": MENDERS,
    "sinks.see": EVERYBODY,
    "users.see": BOOKS,
    "users.change": BOSS,
    "audit.see": BOOKS,
}


def may(role: str, action: str) -> bool:
    """Whether a role may take an action."""
    return role in PERMISSIONS[action]
