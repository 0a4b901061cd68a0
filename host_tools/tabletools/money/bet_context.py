"""What is known at a table while requests for bets are answered: read once for all of them.

Works on an open transaction that holds the lease of the table. Nothing is written here.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, bindparam, exists, select

from tabletools.evidence import alarms, rounds
from tabletools.evidence import tables as casino
from tabletools.evidence.device_clock import Reading
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
"""Tells what the clock of a table shows now, None if that is unknown."""
# Made once: to make such a query takes longer than to carry it out.
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
# Editions in which a person may still say that a late stake counts (hc2023 1:1(4), READING-6).
_RULED = ("hc2023",)


class BetRequest(NamedTuple):
    """A bet asked for. account: of the player. slip: bet, numbers, index, on, choice.

    key: of the request. round: the row it is for, None for the present one. replaces: a bet of
    the same player that is taken back for it.
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
    """Bets of one request, under one key; each is taken or refused by itself.

    account: of the player of all. wishes: without a key and a bet to replace of their own.
    """

    account: int
    key: str
    wishes: tuple[BetRequest, ...]


class OpenBet(NamedTuple):
    """A bet that lies."""

    staked: StoredBet
    is_own: bool  # laid in this round, not carried on
    standing: str


class BetContext:
    """One table, in one transaction. standing: VALID while bets are open, else REFERRED or None.

    why: why bets are not open, empty when they are. reading: reads the table's clock, None for a
    table that has none; bets are closed while it is unknown or what is known is stale.
    device_time: that, as a row keeps it. clock_alarm: of a step of the host's clock nobody saw.
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
        shown = None if reading is None else reading()
        self._is_stale = reading is not None and (shown is None or not shown.is_fresh)
        self.device_time = {
            "device_boot": shown and shown.boot,
            "device_ms": shown and shown.uptime_ms,
            "uncertainty_ms": shown and shown.uncertainty_ms,
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
        # By account, then by bet. Games BY_SLIP: only those that may be taken back for others.
        self._laid: dict[int, dict[int, OpenBet]] = {}
        self._known: KnownBets | None = None  # of games BY_SLIP
        self._sessions: dict[int, RowMapping] = {}
        self._terms: Terms | None = None
        self._house: TableAccounts | None = None

    @property
    def terms(self) -> Terms:
        """What the present round is played by."""
        if self._terms is None:
            assert self.round is not None
            self._terms = casino.terms_at(self.db, self.round["terms_id"])
        return self._terms

    @property
    def house(self) -> TableAccounts:
        """The accounts of the table."""
        known = self._known
        if self._house is None and known is not None:
            self._house = known.house
        if self._house is None:
            self._house = settling.table_accounts(self.db, self.table, self.now_ns)
        if known is not None:
            known.house = self._house
        return self._house

    def load(
        self, wanted: Iterable[int], used: Iterable[int | None], named: Iterable[int | None] = ()
    ) -> None:
        """Read and lock what these players have here, their sessions, and the bets named."""
        players = sorted(set(wanted))
        given = {"players": players, "currency": self.row["currency"]}
        self.balances = {int(key): int(cents) for key, cents in self.db.execute(_PLAYERS, given)}
        opened = {number for number in used if number is not None}
        if opened:
            found = self.db.execute(_SESSIONS, {"sessions": sorted(opened)}).mappings()
            self._sessions = {row["id"]: row for row in found}
        if self.round is not None:
            self._load_bets(players, {bet for bet in named if bet is not None})

    def standing(self, wish: BetRequest) -> str:
        """Return VALID or, late where a person may rule, REFERRED. Raises LedgerRejection."""
        key = None if self.round is None else self.round["id"]
        if key is None or (wish.round is not None and wish.round != key):
            what = f"round {wish.round} is not the one being played, that is {key}"
            step = "place the bet in the current round"
            raise LedgerRejection("other_round" if key else "no_round", what, step, "round")
        if not self.why:
            return VALID
        if self.is_late and self.terms.rules in _RULED and not wish.replaces:
            return REFERRED
        what = f"bets are closed at this table: {self.why}"
        raise LedgerRejection("no_more_bets", what, "wait for the next round")

    @property
    def is_late(self) -> bool:
        """Whether no-more-bets fell and the round has not ended: a bet now is a late one."""
        found = self.round
        return (
            found is not None
            and found["closed"] is not None
            and found["ended"] is None
            and found["settled"] == 0
            and self.state.cause == "bets_closed"
        )

    def lay(self, wish: BetRequest, slip: str, number: int, standing: str) -> OpenBet | None:
        """Place a bet where later ones see it; returns the replaced one. Raises LedgerRejection.

        slip: its text. number: of the request; the bet has none yet, so that no other request of
        the transaction takes it back.
        """
        cents, account = wish.stake_cents, wish.account
        if type(cents) is not int or not 1 <= cents <= MAX_STAKE:
            what = f"the stake is no whole number of cents from 1 to {MAX_STAKE}"
            raise LedgerRejection("stake_invalid", what, "give the stake in cents", "stake")
        if account not in self.balances:
            what = f"account {account} is no player's in {self.row['currency']}"
            raise LedgerRejection("no_such_player", what, "open an account first", "player")
        self._verify_session(wish)
        old = None if wish.replaces is None else self.own(account, wish.replaces)
        left = self.balances[account] + (old.staked.stake if old else 0)
        if left < cents:
            what = f"stake {cents}, balance {left} cents"
            raise LedgerRejection("not_enough_money", what, "pay in, or stake less", "stake")
        new = OpenBet(StoredBet(-1 - number, account, slip, cents, None), False, standing)
        self._measure(wish, new, old)
        self.balances[account] = left - cents
        if old is not None:
            del self._laid[account][old.staked.id]
        return old

    def lift(self, laid: OpenBet) -> None:
        """Take a bet away that its player has here."""
        del self._laid[laid.staked.account][laid.staked.id]
        if self._known is not None:
            self._known.lift(laid.staked)

    def own(self, account: int, bet: int) -> OpenBet:
        """Return a bet that this player may take back. Raises LedgerRejection."""
        laid = self._laid.get(account, {}).get(bet)
        if laid is None:
            what = f"bet {bet} does not belong to this player in the current round"
            raise LedgerRejection("no_such_bet", what, "list the bets first", "bet")
        if not laid.is_own or laid.standing != VALID:
            what = f"bet {bet} {'came late' if laid.is_own else 'stays from an earlier round'}"
            raise LedgerRejection("bet_stands", what, "it cannot be withdrawn", "bet")
        return laid

    def _why_closed(self, *, is_overdue: bool) -> str:
        if not self.state.bets_open:
            return self.state.cause
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
        key, found = self.round["id"], self._ledger.before()
        if not isinstance(found, KnownBets) or found.round != key:
            found = KnownBets.read(self.db, key, self.terms)
        self._ledger.leave(found)
        return found

    def _add(self, laid: OpenBet) -> None:
        self._laid.setdefault(laid.staked.account, {})[laid.staked.id] = laid

    def _measure(self, wish: BetRequest, new: OpenBet, old: OpenBet | None) -> None:
        """Raise LedgerRejection unless the table accepts a bet beside those that lie.

        Then it lies.
        """
        if self._known is None:
            games.verify_bets(self.terms, [*self._beside(wish), new.staked])
            self._add(new)
        else:
            self._known.lay(new.staked, None if old is None else old.staked)

    def _beside(self, wish: BetRequest) -> list[StoredBet]:
        """The bets that a new one is measured with."""
        is_own = self.terms.game in games.BY_PLAYER
        whose = [self._laid.get(wish.account, {})] if is_own else self._laid.values()
        all_laid = (laid for bets in whose for laid in bets.values())
        return [laid.staked for laid in all_laid if laid.staked.id != wish.replaces]

    def _verify_session(self, wish: BetRequest) -> None:
        if wish.session is None:
            return
        row: Any = self._sessions.get(wish.session)
        is_his = row is not None and row["account_id"] == wish.account
        if not is_his or row["closed_ns"] is not None:
            what = f"session {wish.session} is not an open one of this player"
            raise LedgerRejection(
                "session_closed", what, "open a session at the terminal", "session"
            )
