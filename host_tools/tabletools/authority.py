"""Who may do what with money, a round or a machine: one table, checked where it happens.

The functions of the ledger that move money ask `tabletools.store.people`, which knows the users,
by this table; a route or a command only says who acts. A program without a user is the
administrator of the host: the ledger's own commands and the host itself.
"""

from collections.abc import Mapping
from typing import NamedTuple

DEALER, SUPERVISOR, CASHIER = "dealer", "supervisor", "cashier"
TECHNICIAN, AUDITOR = "technician", "auditor"
ROLES = (DEALER, SUPERVISOR, CASHIER, TECHNICIAN, AUDITOR)
_FLOOR = frozenset((DEALER, SUPERVISOR))
_DESK = frozenset((SUPERVISOR, CASHIER))
_WORKSHOP = frozenset((SUPERVISOR, TECHNICIAN))
_BOSS = frozenset((SUPERVISOR,))
_DAY_CENTS = 10_000_000
"""EUR 100,000: what hc2023 1:1(14) lets a house delay as a payout."""

_ROUND_CENTS = 1_000_000
"""EUR 10,000: what hc2023 1:1(8) lets a player stake on a chance."""


class Act(NamedTuple):
    """One row of the table. Where two users are needed, one of them is a supervisor."""

    roles: frozenset[str]
    """Who may do it."""
    second: frozenset[str] = frozenset()
    """Roles of either of two users who do it together; empty: one user is enough."""
    alone_cents: Mapping[str, int] = {}
    """What one user of a role may move alone in 24 hours; above it two users are needed. Where it
    is empty and `second` is not, two users are always needed; `payout` has its limit by player in
    the settings of the host. Of `deal` it is what the players of one round win, and the terms of a
    table may set less."""
    together_cents: int | None = None
    """What a user may move in 24 hours, with whichever second user; nothing above it."""
    needs_player: bool = False
    """Whether the player has to be there and proves it with the PIN of the account."""


DEPOSIT, PAYOUT, RULING, BET_RULING = "deposit", "payout", "ruling", "bet_ruling"
VOID, SEAT, PIN, DEAL = "void", "seat", "pin", "deal"
USER_CHANGE, ORDER, CLEAR_FAULT = "user_change", "order", "clear_fault"
STAKES_END, PAYOUT_RELEASE, ADJUSTMENT = "stakes_end", "payout_release", "adjustment"
KEY_ADDED = "key_added"
TRANSFER, DAY_CLOSE, OFFER = "transfer", "day_close", "offer"
TRAY = "tray"
WALLET_RETRY, WALLET_CLOSE = "wallet_retry", "wallet_close"
DECISIONS: Mapping[str, str] = {
    "deposit": DEPOSIT,
    "payout": PAYOUT,
    "payment_confirmed": PAYOUT,
    "payout_held": PAYOUT,
    "payout_released": PAYOUT_RELEASE,
    "payout_declined": PAYOUT_RELEASE,
    "round_ruled": RULING,
    "round_resettled": RULING,
    "ruling_declined": RULING,
    "bet_ruled": BET_RULING,
    "stakes_ended": STAKES_END,
    "adjusted": ADJUSTMENT,
    "filled": TRANSFER,
    "credited": TRANSFER,
    "day_closed": DAY_CLOSE,
    "wallet_retried": WALLET_RETRY,
    "wallet_closed": WALLET_CLOSE,
    "ordered": ORDER,
    "offer_taken": OFFER,
    "offer_declined": OFFER,
    "tray_corrected": TRAY,
    "pin_set": PIN,
    "layout_entered": DEAL,
    "hands_entered": DEAL,
    "user_created": USER_CHANGE,
    "user_changed": USER_CHANGE,
    KEY_ADDED: USER_CHANGE,
}
"""What the audit log calls what users decide, and the act of each. A user signs every such row."""
ACTS: Mapping[str, Act] = {
    DEPOSIT: Act(_DESK, _DESK, {CASHIER: _DAY_CENTS, SUPERVISOR: _DAY_CENTS}),
    PAYOUT: Act(_DESK, _FLOOR | _DESK),
    PAYOUT_RELEASE: Act(_BOSS),
    RULING: Act(_FLOOR, _FLOOR),
    BET_RULING: Act(_FLOOR, _FLOOR),
    STAKES_END: Act(_FLOOR, _FLOOR),
    ADJUSTMENT: Act(_FLOOR, _FLOOR, together_cents=_DAY_CENTS),
    VOID: Act(_BOSS, _FLOOR),
    SEAT: Act(_FLOOR, needs_player=True),
    PIN: Act(_DESK, _DESK),
    DEAL: Act(_FLOOR, _FLOOR, {DEALER: _ROUND_CENTS, SUPERVISOR: _ROUND_CENTS}),
    USER_CHANGE: Act(_BOSS, _BOSS),
    ORDER: Act(_FLOOR | _WORKSHOP),
    CLEAR_FAULT: Act(_WORKSHOP),
    TRANSFER: Act(_DESK, _DESK),
    DAY_CLOSE: Act(_DESK, _DESK),
    OFFER: Act(_WORKSHOP),
    TRAY: Act(_WORKSHOP),
    WALLET_RETRY: Act(_DESK),
    WALLET_CLOSE: Act(_DESK, _DESK),
}
"""Every act by its name."""
