"""The state of a table that bet requests are checked against; read once for a batch of requests.

Works on an open transaction that holds the lease of the table. Writes nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select, text

from tabletools.evidence.device_clock import Reading
from tabletools.evidence.maintenance import WALK_COMMAND
from tabletools.evidence.tables import Terms
from tabletools.games import POKER_ROOM
from tabletools.rules.money import MAX_STAKE
from tabletools.store.clock import MS
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.people import sessions
from tabletools.table import bet_windows, game_rounds, play_end, settling, slips
from tabletools.table.open_stakes import OpenStakes
from tabletools.table.shell import Turn
from tabletools.table.slips import StoredBet
from tabletools.table.state import REFERRED, VALID, ClockReading, OpenBet, Round, TableAccounts

ReadClock = Callable[[], Reading | None]
"""Returns what the clock of a table shows now, None if that is unknown."""
# Built once: building such a query takes longer than executing it.
_SESSIONS = select(sessions.c.id, sessions.c.account_id, sessions.c.closed_ns).where(
    sessions.c.id.in_(bindparam("sessions", expanding=True))
)
_HOUR_NS = 3600 * 1000 * MS
_LAST_HAND = text("""
SELECT s.win_cents + s.back_cents, rs.at_ns FROM bets b
JOIN rounds r ON r.id = b.round_id
JOIN settlements s ON s.bet_id = b.id AND s.generation = r.settled
JOIN round_settlements rs ON rs.round_id = r.id AND rs.generation = r.settled
WHERE b.table_id = :table AND b.account_id = :account ORDER BY b.id DESC LIMIT 1
""")
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


class CallRequest(NamedTuple):
    """An announced bundle of bets of roulette; all of them are accepted, or none.

    request: slip: call, and number and sides of neighbours; the stake is of all chips.
    """

    request: BetRequest

    @property
    def key(self) -> str:
        """Of the request."""
        return self.request.key

    @property
    def account(self) -> int:
        """Of the player."""
        return self.request.account


class Saved(NamedTuple):
    """A player's balance, cents, and bets in play by number."""

    account: int
    cents: int
    open: dict[int, OpenBet]


class BetContext:
    """One table, in one transaction. standing: VALID while bets are open, else REFERRED or None.

    why: why bets are not open, empty when they are. reading: reads the table's clock, None for a
    table without one; bets are closed while the time is unknown or the last frame is too old.
    clock: that time, as a bet stores it. clock_alarm: an unacknowledged step of the host's
    clock.
    """

    def __init__(
        self, turn: Turn, reading: "ReadClock | None" = None, *, refers: bool = True
    ) -> None:
        """refers: whether a bet that comes late may be one that users rule on."""
        self.turn = turn
        self._refers = refers
        self.db: Connection = turn.db
        self.table = turn.table
        self.now_ns = turn.now_ns
        reading_now = None if reading is None else reading()
        self._is_stale = reading is not None and (reading_now is None or not reading_now.is_fresh)
        self.clock: ClockReading = (None, None, None)
        if reading_now is not None:
            self.clock = reading_now.boot, reading_now.uptime_ms, reading_now.uncertainty_ms
        self.clock_alarm = turn.shared.clock_alarm
        self.round: Round | None = turn.state.round
        self.opened_ns: int | None = None
        if self.round is not None:
            self.opened_ns = turn.store.open_for_ns(self.table, self.round.id)
        self.why = self._closing_cause(is_overdue=turn.store.bets_overdue(self.table))
        self.balances = dict(turn.batch.balances)
        """Cents by account; they go down with each bet that is placed."""
        # By account, then by bet. For games BY_SLIP only the bets that may be replaced.
        self._open: dict[int, dict[int, OpenBet]] = {}
        self._open_sessions: dict[int, int] = {}
        """Account by row of the session."""

    @property
    def terms(self) -> Terms:
        """The terms of the current round."""
        assert self.round is not None
        assert self.round.terms is not None
        return self.turn.state.terms[self.round.terms]

    @property
    def accounts(self) -> TableAccounts:
        """The accounts of the table."""
        return settling.accounts_of(self.turn)

    @property
    def _stakes(self) -> OpenStakes | None:
        """The stakes of the round, None for a game whose bets are not measured one by one."""
        return self.turn.state.stakes

    def load(
        self, players: Iterable[int], used: Iterable[int | None], named: Iterable[int | None] = ()
    ) -> None:
        """Read the sessions and the named bets of these players."""
        opened = {number for number in used if number is not None}
        if opened:
            rows = self.db.execute(_SESSIONS, {"sessions": sorted(opened)})
            self._open_sessions = {
                key: account for key, account, closed_ns in rows if closed_ns is None
            }
        if self.round is not None:
            self._load_bets(set(players), {bet for bet in named if bet is not None})

    def standing(self, request: BetRequest) -> str:
        """Return VALID or, if late where a user may rule, REFERRED. Raises LedgerRejection."""
        key = None if self.round is None else self.round.id
        if key is None or (request.round is not None and request.round != key):
            what = f"round {request.round} is not the one being played, that is {key}"
            step = "place the bet in the current round"
            raise LedgerRejection("other_round" if key else "no_round", what, step, "round")
        if not self.why:
            return VALID
        is_ruled = self._refers and self.terms.rules in _RULED and not request.replaces
        if self.is_late and is_ruled:
            return REFERRED
        if self.why == bet_windows.NO_WALK:
            what = f"no passed walk proves that the wheel of table {self.turn.shared.name}"
            what += f" (device {self.turn.shared.device}) is mounted and configured correctly"
            step = f"wait; a technician has to walk round it: {WALK_COMMAND}"
            raise LedgerRejection(bet_windows.NO_WALK, what, step)
        if self.why == bet_windows.CONFIGURATION:
            name, device = self.turn.shared.name, self.turn.shared.device
            what = f"the controller of table {name} (device {device})"
            what += " is not configured as the terms require, or was not read since it started"
            step = "wait; a technician has to correct the value that the alarm names"
            raise LedgerRejection(bet_windows.CONFIGURATION, what, step)
        if over := self._play_over():
            raise play_end.refusal(self.turn, over)
        what = f"bets are closed at this table: {self.why}"
        raise LedgerRejection("no_more_bets", what, "wait for the next round")

    def _play_over(self) -> str:
        """Why no later round opens bets; empty if one may, or while this one is being played."""
        assert self.round is not None
        if self.why in play_end.OVER.values():
            return self.why
        is_over = self.round.ended is not None or self.round.settled > 0
        return play_end.why_over(self.turn) if is_over else ""

    @property
    def is_late(self) -> bool:
        """Whether bets are closed and the round has not ended: a bet placed now is late."""
        current = self.round
        return (
            current is not None
            and current.closed is not None
            and current.ended is None
            and current.settled == 0
            and self.turn.state.cause == "bets_closed"
        )

    def at_table(self, request: BetRequest, slip: str) -> str:
        """Return a slip with what the table knows of it: whether it came from a terminal, and of
        the poker room the last stack of its player.

        Who stays away until the hour is full and another one has passed buys in again
        (oostende2011 3.13).
        """
        account = request.account
        if request.terminal is not None:
            slip = slips.at_terminal(self.terms, slip)
        if self.terms.game != POKER_ROOM:
            return slip
        last_hand = self.db.execute(_LAST_HAND, {"table": self.table, "account": account}).first()
        if last_hand is None:
            return slip
        stack, at_ns = last_hand
        until_ns = (at_ns // _HOUR_NS + 2) * _HOUR_NS
        return slips.with_stack(slip, stack) if stack and self.now_ns < until_ns else slip

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
            what = f"account {account} is not a player account in {self.turn.shared.currency}"
            raise LedgerRejection("no_such_player", what, "open an account first", "player")
        self._verify_session(request)
        old = None if request.replaces is None else self.withdrawable(account, request.replaces)
        left = self.balances[account] + (old.staked.stake if old else 0)
        if left < cents:
            what = f"stake {cents}, balance {left} cents"
            raise LedgerRejection("not_enough_money", what, "pay in, or stake less", "stake")
        new = OpenBet(StoredBet(-1 - number, account, slip, cents, None), False, standing)
        if self._stakes is None:
            self._add(new)
        else:
            self._stakes.add_bet(new.staked, None if old is None else old.staked)
        self.balances[account] = left - cents
        if old is not None:
            del self._open[account][old.staked.id]
        return old

    def fund(self, account: int, cents: int) -> None:
        """Add money that a player's wallet has paid for bets; negative cents remove it again."""
        if account in self.balances:
            self.balances[account] += cents

    def snapshot(self, account: int) -> Saved:
        """Return what is known of a player, to go back to it."""
        return Saved(account, self.balances.get(account, 0), dict(self._open.get(account, {})))

    def go_back(self, saved: Saved) -> None:
        """Forget what was added for a player since."""
        self.balances[saved.account] = saved.cents
        self._open[saved.account] = saved.open

    def take_back(self, placed: Iterable[tuple[BetRequest, str]]) -> None:
        """Count new bets no longer towards the limits. placed: each with the text of its slip."""
        if self._stakes is None:
            return
        for request, slip in placed:
            self._stakes.remove_bet(StoredBet(0, request.account, slip, request.stake_cents, None))

    def objection(self, account: int) -> tuple[LedgerRejection, int] | None:
        """Return why the table does not accept the bets in play together, and the bet that is
        named, 0 if none is; None if it does."""
        if self._stakes is not None:
            return None
        others = game_rounds.measured_with(self.terms, account)
        # The player's own come last, so that a refusal names one of them.
        whose = sorted(self._open if others is None else others, key=account.__eq__)
        bets = [self._open.get(each, {}) for each in whose]
        for together in slips.by_box([bet.staked for own in bets for bet in own.values()]):
            try:
                game_rounds.verify_bets(self.terms, together)
            except LedgerRejection as refused:
                place = _PLACE.match(refused.where)
                return refused, together[int(place[1])].id if place else 0
        return None

    def remove(self, open_bet: OpenBet) -> None:
        """Remove a bet of this table's current round."""
        del self._open[open_bet.staked.account][open_bet.staked.id]
        if self._stakes is not None:
            self._stakes.remove_bet(open_bet.staked)

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

    def _closing_cause(self, *, is_overdue: bool) -> str:
        state, shared = self.turn.state, self.turn.shared
        if not state.bets_open:
            return state.cause
        if self.round is not None and self.round.is_over:
            return bet_windows.RECORDED_CLOSED
        if not shared.is_enabled:
            return "table_disabled"
        if shared.device is None or shared.stopped is not None:
            return "stopped"
        if self.opened_ns is None:
            return "not_live"
        if self._is_stale:
            return bet_windows.LINK_STALE
        return "maximum_time" if is_overdue else ""

    def _load_bets(self, players: set[int], named: set[int]) -> None:
        assert self.round is not None
        for number, bet in self._measured_with(players) if self._stakes is None else ():
            self._open.setdefault(bet.staked.account, {})[number] = bet
        for number in named if self._stakes is not None else ():
            if (named_bet := self.round.bets.get(number)) is not None:
                self._add(named_bet)

    def _measured_with(self, players: set[int]) -> Iterator[tuple[int, OpenBet]]:
        """Yield the bets in play that are measured with those of some players."""
        assert self.round is not None
        if not self.round.bets:
            return
        whose: set[int] | None = set()
        for account in players:
            others = game_rounds.measured_with(self.terms, account)
            whose = None if others is None or whose is None else whose | others
        for number, bet in self.round.bets.items():
            if whose is None or bet.staked.account in whose:
                yield number, bet

    def _add(self, open_bet: OpenBet) -> None:
        self._open.setdefault(open_bet.staked.account, {})[open_bet.staked.id] = open_bet

    def _verify_session(self, request: BetRequest) -> None:
        if request.session is None:
            return
        if self._open_sessions.get(request.session) != request.account:
            what = f"session {request.session} is not an open one of this player"
            raise LedgerRejection(
                "session_closed", what, "open a session at the terminal", "session"
            )
