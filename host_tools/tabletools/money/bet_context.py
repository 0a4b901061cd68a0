"""The state of a table that bet requests are checked against; read once for a batch of requests.

Works on an open transaction that holds the lease of the table. Writes nothing.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, bindparam, exists, select

from tabletools.evidence import alarms, rounds
from tabletools.evidence import tables as casino
from tabletools.evidence.device_clock import Reading
from tabletools.evidence.maintenance import WALK_COMMAND
from tabletools.evidence.tables import Terms
from tabletools.money import bet_windows, games, settling
from tabletools.money.games import StoredBet
from tabletools.money.open_bets import KnownBets
from tabletools.money.settling import TableAccounts
from tabletools.rules.money import MAX_STAKE
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.books import accounts
from tabletools.store.schema.people import sessions
from tabletools.store.schema.play import bets, tables, withdrawals

VALID, REFERRED = "valid", "referred"
ReadClock = Callable[[], Reading | None]
"""Returns what the clock of a table shows now, None if that is unknown."""
# Built once: building such a query takes longer than executing it.
_TABLE = select(tables).where(tables.c.id == bindparam("table"))
_PLAYERS = (
    select(accounts.c.id, accounts.c.balance_cents)
    .where(
        accounts.c.id.in_(bindparam("players", expanding=True)),
        accounts.c.kind == "player",
        accounts.c.currency == bindparam("currency"),
    )
    .order_by(accounts.c.id)
    .with_for_update()
)
_SESSIONS = select(sessions).where(sessions.c.id.in_(bindparam("sessions", expanding=True)))
# Editions in which a user may still rule that a late stake counts (hc2023 1:1(4), READING-6).
_RULED = ("hc2023",)
_PLACE = re.compile(r"bets\[(\d+)\]")


class BetRequest(NamedTuple):
    """A requested bet. account: of the player. slip: bet, numbers, index, on, choice.

    key: of the request. round: the row it is for, None for the current one. replaces: a bet of
    the same player that is withdrawn when this one is accepted.
    """

    account: int
    slip: Mapping[str, object]
    stake_cents: int
    key: str
    round: int | None = None
    replaces: int | None = None
    session: int | None = None
    terminal: str | None = None


class Slip(NamedTuple):
    """Bets of one request, under one key; each is accepted or refused on its own.

    account: the player of all bets. bets: each without a key and without a bet to replace.
    """

    account: int
    key: str
    bets: tuple[BetRequest, ...]


class OpenBet(NamedTuple):
    """A bet in play."""

    staked: StoredBet
    is_own: bool  # placed in this round, not carried over from an earlier one
    standing: str


class Saved(NamedTuple):
    """A player's balance, cents, and bets in play by number."""

    account: int
    cents: int
    open: dict[int, OpenBet]


class BetContext:
    """One table, in one transaction. standing: VALID while bets are open, else REFERRED or None.

    why: why bets are not open, empty when they are. reading: reads the table's clock, None for a
    table without one; bets are closed while the time is unknown or the last frame is too old.
    device_time: that time, as stored in a row. clock_alarm: an unacknowledged step of the host's
    clock.
    """

    def __init__(
        self,
        ledger: Store,
        db: Connection,
        table: int,
        reading: "ReadClock | None" = None,
    ) -> None:
        self.db = db
        self.table = table
        self._ledger = ledger
        self.now_ns = ledger.clock.wall_ns()
        live = None if reading is None else reading()
        self._is_stale = reading is not None and (live is None or not live.is_fresh)
        self.device_time = {
            "device_boot": live and live.boot,
            "device_ms": live and live.uptime_ms,
            "uncertainty_ms": live and live.uncertainty_ms,
        }
        self.clock_alarm = alarms.unseen(db, alarms.CLOCK_STEP)
        self.state = casino.state_of(db, table)
        self.round: RowMapping | None = None
        if self.state.round is not None:
            self.round = rounds.by_key(db, self.state.round)
        self.row = db.execute(_TABLE, {"table": table}).mappings().one()
        self.opened_ns: int | None = None
        if self.round is not None:
            self.opened_ns = ledger.open_for_ns(table, self.round["id"])
        self.why = self._why_closed(is_overdue=ledger.bets_overdue(table))
        self.balances: dict[int, int] = {}
        # By account, then by bet. For games BY_SLIP only the bets that may be replaced.
        self._open: dict[int, dict[int, OpenBet]] = {}
        self._known: KnownBets | None = None  # of games BY_SLIP
        self._sessions: dict[int, RowMapping] = {}
        self._terms: Terms | None = None
        self._accounts: TableAccounts | None = None

    @property
    def terms(self) -> Terms:
        """The terms of the current round."""
        if self._terms is None:
            assert self.round is not None
            self._terms = casino.terms_at(self.db, self.round["terms_id"])
        return self._terms

    @property
    def accounts(self) -> TableAccounts:
        """The accounts of the table."""
        known = self._known
        if self._accounts is None and known is not None:
            self._accounts = known.accounts
        if self._accounts is None:
            self._accounts = settling.table_accounts(self.db, self.table, self.now_ns)
        if known is not None:
            known.accounts = self._accounts
        return self._accounts

    def load(
        self, wanted: Iterable[int], used: Iterable[int | None], named: Iterable[int | None] = ()
    ) -> None:
        """Read and lock the accounts, the sessions and the named bets of these players."""
        players = sorted(set(wanted))
        bound = {"players": players, "currency": self.row["currency"]}
        self.balances = {int(key): int(cents) for key, cents in self.db.execute(_PLAYERS, bound)}
        opened = {number for number in used if number is not None}
        if opened:
            rows = self.db.execute(_SESSIONS, {"sessions": sorted(opened)}).mappings()
            self._sessions = {row["id"]: row for row in rows}
        if self.round is not None:
            self._load_bets(players, {bet for bet in named if bet is not None})

    def standing(self, request: BetRequest) -> str:
        """Return VALID or, if late where a user may rule, REFERRED. Raises LedgerRejection."""
        key = None if self.round is None else self.round["id"]
        if key is None or (request.round is not None and request.round != key):
            what = f"round {request.round} is not the one being played, that is {key}"
            step = "place the bet in the current round"
            raise LedgerRejection("other_round" if key else "no_round", what, step, "round")
        if not self.why:
            return VALID
        if self.is_late and self.terms.rules in _RULED and not request.replaces:
            return REFERRED
        if self.why == bet_windows.NO_WALK:
            what = f"no passed walk proves that the wheel of table {self.row['name']}"
            what += f" (device {self.row['device']}) is mounted and configured correctly"
            step = f"wait; a technician has to walk round it: {WALK_COMMAND}"
            raise LedgerRejection(bet_windows.NO_WALK, what, step)
        if self.why == bet_windows.CONFIGURATION:
            what = f"the controller of table {self.row['name']} (device {self.row['device']})"
            what += " is not configured as the terms require, or was not read since it started"
            step = "wait; a technician has to correct the value that the alarm names"
            raise LedgerRejection(bet_windows.CONFIGURATION, what, step)
        what = f"bets are closed at this table: {self.why}"
        raise LedgerRejection("no_more_bets", what, "wait for the next round")

    @property
    def is_late(self) -> bool:
        """Whether bets are closed and the round has not ended: a bet placed now is late."""
        round_ = self.round
        return (
            round_ is not None
            and round_["closed"] is not None
            and round_["ended"] is None
            and round_["settled"] == 0
            and self.state.cause == "bets_closed"
        )

    def place(self, request: BetRequest, slip: str, number: int, standing: str) -> OpenBet | None:
        """Add a bet, so that others are checked with it; returns the replaced one.

        Of games whose bets are not measured one by one, `objection` says whether it may stay.

        slip: its text. number: of the request. The bet has no number yet, so no other request of
        the transaction can withdraw it. Raises LedgerRejection.
        """
        cents, account = request.stake_cents, request.account
        if type(cents) is not int or not 1 <= cents <= MAX_STAKE:
            what = f"the stake is not a whole number of cents from 1 to {MAX_STAKE}"
            raise LedgerRejection("stake_invalid", what, "give the stake in cents", "stake")
        if account not in self.balances:
            what = f"account {account} is not a player account in {self.row['currency']}"
            raise LedgerRejection("no_such_player", what, "open an account first", "player")
        self._verify_session(request)
        old = None if request.replaces is None else self.withdrawable(account, request.replaces)
        left = self.balances[account] + (old.staked.stake if old else 0)
        if left < cents:
            what = f"stake {cents}, balance {left} cents"
            raise LedgerRejection("not_enough_money", what, "pay in, or stake less", "stake")
        new = OpenBet(StoredBet(-1 - number, account, slip, cents, None), False, standing)
        if self._known is None:
            self._add(new)
        else:
            self._known.add_bet(new.staked, None if old is None else old.staked)
        self.balances[account] = left - cents
        if old is not None:
            del self._open[account][old.staked.id]
        return old

    def saved(self, account: int) -> Saved:
        """Return what is known of a player, to go back to it."""
        return Saved(account, self.balances.get(account, 0), dict(self._open.get(account, {})))

    def go_back(self, saved: Saved) -> None:
        """Forget what was added for a player since."""
        self.balances[saved.account] = saved.cents
        self._open[saved.account] = saved.open

    def objection(self, account: int) -> tuple[LedgerRejection, int] | None:
        """Return why the table does not accept the bets in play together, and the bet that is
        named, 0 if none is; None if it does."""
        if self._known is not None:
            return None
        is_own = self.terms.game in games.BY_PLAYER
        whose = [self._open.get(account, {})] if is_own else self._open.values()
        together = [open_bet.staked for bets in whose for open_bet in bets.values()]
        try:
            games.verify_bets(self.terms, together)
        except LedgerRejection as refused:
            place = _PLACE.match(refused.where)
            return refused, together[int(place[1])].id if place else 0
        return None

    def remove(self, open_bet: OpenBet) -> None:
        """Remove a bet of this table's current round."""
        del self._open[open_bet.staked.account][open_bet.staked.id]
        if self._known is not None:
            self._known.remove_bet(open_bet.staked)

    def withdrawable(self, account: int, bet: int) -> OpenBet:
        """Return a bet that this player may withdraw. Raises LedgerRejection."""
        open_bet = self._open.get(account, {}).get(bet)
        if open_bet is None:
            what = f"bet {bet} does not belong to this player in the current round"
            raise LedgerRejection("no_such_bet", what, "list the bets first", "bet")
        if not open_bet.is_own or open_bet.standing != VALID:
            what = f"bet {bet} {'came late' if open_bet.is_own else 'stays from an earlier round'}"
            raise LedgerRejection("bet_stands", what, "it cannot be withdrawn", "bet")
        return open_bet

    def _why_closed(self, *, is_overdue: bool) -> str:
        if not self.state.bets_open:
            return self.state.cause
        round_ = self.round
        if round_ is not None and (round_["closed"] is not None or round_["ended"] is not None):
            return bet_windows.RECORDED_CLOSED
        if not self.row["enabled"]:
            return "table_disabled"
        device = self.row["device"]
        if device is None or alarms.stopped(self.db, device) is not None:
            return "stopped"
        if self.opened_ns is None:
            return "not_live"
        if self._is_stale:
            return bet_windows.LINK_STALE
        return "maximum_time" if is_overdue else ""

    def _load_bets(self, players: list[int], named: set[int]) -> None:
        assert self.round is not None
        game, at = self.terms.game, bets.c
        if game in games.BY_SLIP:
            self._known = self._known_bets()
            if not named:
                return
        is_back = exists().where(withdrawals.c.bet_id == at.id)
        query = select(
            at.id, at.account_id, at.slip, at.stake_cents, at.state, at.carried_from, at.standing
        ).where(at.round_id == self.round["id"], ~is_back)
        if game in games.BY_SLIP:
            query = query.where(at.id.in_(named))
        elif game in games.BY_PLAYER:
            query = query.where(at.account_id.in_(players))
        for row in self.db.execute(query.order_by(at.id)):
            self._add(OpenBet(StoredBet(*row[:5]), row.carried_from is None, row.standing))

    def _known_bets(self) -> KnownBets:
        assert self.round is not None
        key, known = self.round["id"], self._ledger.before()
        if not isinstance(known, KnownBets) or known.round != key:
            known = KnownBets.read(self.db, key, self.terms)
        self._ledger.leave(known)
        return known

    def _add(self, open_bet: OpenBet) -> None:
        self._open.setdefault(open_bet.staked.account, {})[open_bet.staked.id] = open_bet

    def _verify_session(self, request: BetRequest) -> None:
        if request.session is None:
            return
        row: Any = self._sessions.get(request.session)
        is_his = row is not None and row["account_id"] == request.account
        if not is_his or row["closed_ns"] is not None:
            what = f"session {request.session} is not an open one of this player"
            raise LedgerRejection(
                "session_closed", what, "open a session at the terminal", "session"
            )
