"""What the host of a table holds of it in memory between transactions, as typed values.

Only the host that leases the table writes what is in here, so nothing of it is read again. What
other programs may change is `SharedFacts`, read in the first statement of every transaction.
"""

from bisect import insort
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from tabletools.evidence.records import RecordId
from tabletools.evidence.rounds import BELIEVED, PENDING, RUNNING
from tabletools.evidence.tables import Terms
from tabletools.roles import Played, Record
from tabletools.table.game_rounds import SlipGame, is_by_slip
from tabletools.table.open_stakes import OpenStakes
from tabletools.table.slips import StoredBet

VALID, REFERRED = "valid", "referred"


ClockReading = tuple[int | None, int | None, int | None]
"""What the clock of a device shows: boot, ms and uncertainty in ms; None where it is unknown."""
Bars = tuple[str | None, RecordId | None]
"""What keeps the rounds of a device from being settled: its stop, and a record not to be read."""


class SharedFacts(NamedTuple):
    """What programs without the lease may change, as it is when a transaction begins."""

    token: int
    """Of the lease in force."""
    device: int | None
    """The present controller of the table."""
    name: str
    currency: str
    is_enabled: bool
    terms: int | None
    """Row of the terms in force, None for a table without terms."""
    stop: str | None
    """Why the device is stopped, by an alarm."""
    unread: RecordId | None
    """The first record that this release cannot read, and that counts."""
    unread_text: str | None
    """Text of its alarm."""
    clock_alarm: int | None
    """The newest alarm of a step of the host's clock that no user has acknowledged."""
    play_end: tuple[str, int] | None
    """Kind and bound of the announcement of the end of play that is in force."""
    has_active_alarm: bool
    """Whether the cause of an alarm of the table is not known to be over."""

    @property
    def bars(self) -> Bars:
        """What keeps the rounds of the device from being settled."""
        return self.stop, self.unread

    @property
    def stopped(self) -> str | None:
        """Why no bet opens and nothing settles, None if nothing forbids it."""
        return self.stop or self.unread_text


class TableAccounts(NamedTuple):
    """The accounts of a table."""

    escrow: int
    """Open stakes."""
    bank: int
    """Receives what is lost and pays what is won; for a poker room the rake: what is lost and not
    won."""
    currency: str


class RecordRow(NamedTuple):
    """A stored record: its row, and its place in the order of the device."""

    id: int
    place: RecordId


class OpenBet(NamedTuple):
    """A bet in play."""

    staked: StoredBet
    is_own: bool
    """Placed in this round, not carried over from an earlier one."""
    standing: str
    """VALID, or REFERRED to two users."""
    clock: ClockReading = (None, None, None)
    """When it was placed."""
    is_ruled_valid: bool = False
    """Two users ruled that a referred bet counts."""

    @property
    def counts(self) -> bool:
        """Whether the result of the round settles it."""
        return self.standing == VALID or self.is_ruled_valid


class Round(msgspec.Struct, kw_only=True):
    """A round that is being played, or waits for its result, its settlement or a ruling."""

    id: int
    device: int
    number: int
    """As the device counts."""
    table: int | None
    terms: int | None
    """Row of the terms that it opened under."""
    opened: RecordRow | None = None
    closed: RecordRow | None = None
    ended: RecordRow | None = None
    opening: Record | None = None
    """The decoded round_opened."""
    close_payload: str | None = None
    """Payload of the bets_closed as stored."""
    ending: Record | None = None
    """The decoded record that ended it."""
    end_type: int | None = None
    """Its number on the wire."""
    end_payload: str = ""
    """Its payload as stored."""
    verdict: str = RUNNING
    settled: int = 0
    """Generation of the settlement in force, 0 before the first."""
    outcome: Mapping[str, Any] | None = None
    """Of a valid end, as `settle` reads it; None while there is none."""
    is_void: bool = False
    bets: dict[int, OpenBet] = {}
    """Bets that were not withdrawn, by number."""
    returned: list[tuple[int, int]] = []
    """Bets that were withdrawn or changed while they were open: number and time, UTC ns."""

    @property
    def is_over(self) -> bool:
        """Whether a record closed or ended it."""
        return self.closed is not None or self.ended is not None

    def give_back(self, bet: int, at_ns: int) -> None:
        """Remove a bet that was withdrawn or changed while it was open."""
        del self.bets[bet]
        insort(self.returned, (bet, at_ns))

    def in_play(self) -> list[StoredBet]:
        """Return the bets that the result settles, in their order."""
        return [bet.staked for _, bet in sorted(self.bets.items()) if bet.counts]

    @property
    def is_pending(self) -> bool:
        """Whether something of it is still to come: a verdict, a settlement or a ruling."""
        if self.settled:
            return False
        is_valid = self.verdict == BELIEVED and self.outcome is not None
        return is_valid or self.verdict == PENDING or bool(self.bets)


class Fault(NamedTuple):
    """A fault that was raised or cleared."""

    counter: int
    code: int
    is_raised: bool


class TableState(msgspec.Struct, kw_only=True):
    """One table under one lease."""

    table: int
    token: int
    """Of the lease under which this was read."""
    device: int | None
    """Whose rounds, gaps and faults are here: the controller of the table."""
    bets_open: bool
    cause: str
    """Why bets are not open, or what opened them."""
    since_ns: int
    round_id: int | None
    """The newest round of the table."""
    newest_number: int
    """Highest number of a round of the device, 0 before any."""
    has_live_stakes: bool
    """Whether stakes of a settled round stay in play and joined no later round yet."""
    gap: RecordId | None
    """The first missing counter of the device."""
    bars: Bars
    """Stop and unread record of the device; another program that ends one judges rounds too."""
    rounds: dict[int, Round]
    """Of the device or the table: those that are pending, and the newest. By row."""
    faults: dict[int, list[Fault]] = {}
    """Of the device, by boot; a boot is read when it is needed first."""
    sessions: dict[tuple[int, bytes, bytes], int] = {}
    """Rows of the sessions that verified records, by boot and nonces; read when needed."""
    terms: dict[int, Terms] = {}
    """By row; never changed there."""
    played: dict[int, Played] = {}
    """What is played by them, by row; derived when needed."""
    slip_games: dict[int, SlipGame] = {}
    """Compiled bets of games BY_SLIP, by row of the terms."""
    accounts: dict[tuple[str, str], TableAccounts] = {}
    """By currency and kind of the bank; read when needed."""
    stakes: OpenStakes | None = None
    """Stakes of the newest round by player and chance, of a game BY_SLIP; read when needed."""

    @property
    def round(self) -> Round | None:
        """The newest round of the table."""
        return None if self.round_id is None else self.rounds.get(self.round_id)

    @property
    def has_gap(self) -> bool:
        """Whether a counter of the device is missing; an unread record counts as one."""
        return self.gap is not None or self.bars[1] is not None

    def renew_stakes(self) -> None:
        """Measure the stakes of the newest round again: it begins, or stakes were carried in."""
        current = self.round
        self.stakes = None
        if current is not None and current.terms is not None:
            terms = self.terms[current.terms]
            if is_by_slip(terms):
                staked = (bet.staked for bet in current.bets.values())
                game = self.slip_games.setdefault(current.terms, SlipGame(terms))
                self.stakes = OpenStakes.of(current.id, game, staked)

    def of_device(self, device: int) -> list[Round]:
        """Return the rounds of a device in its order."""
        rounds = [each for each in self.rounds.values() if each.device == device]
        return rounds if len(rounds) < 2 else sorted(rounds, key=lambda each: each.number)

    def forget_past(self) -> None:
        """Drop the rounds of which nothing is to come."""
        past = [key for key, each in self.rounds.items() if not self._belongs(each)]
        for key in past:
            del self.rounds[key]

    def _belongs(self, each: Round) -> bool:
        is_newest = each.device == self.device and each.number == self.newest_number
        return each.is_pending or is_newest or each.id == self.round_id

    def is_held(self, later: Round) -> bool:
        """Whether stakes of an earlier round of the device may still join a round.

        So that is not settled before, and a void of it is not judged before.
        """
        earlier = (each for each in self.of_device(later.device) if each.number < later.number)
        return any(map(self._may_carry, earlier))

    def _may_carry(self, each: Round) -> bool:
        """Whether a round has stakes and is pending or due: they may stay in play for the next."""
        is_pending = each.verdict == PENDING and not each.settled
        return bool(each.bets) and (is_pending or self._is_due(each))

    def _is_due(self, each: Round) -> bool:
        """Whether the outcome of a round is known, and this table is to settle it."""
        is_valid = each.verdict == BELIEVED and each.outcome is not None
        return is_valid and each.table == self.table and not each.settled

    def next_due(self, device: int) -> Round | None:
        """Return the first round of a device that is to be settled now: due, and not held."""
        is_held = False
        for each in self.of_device(device):
            if not is_held and self._is_due(each):
                return each
            is_held = is_held or self._may_carry(each)
        return None

    def unended_before(self, key: int) -> int | None:
        """Return the newest round of the table before one that has stakes and is not settled."""
        keys = (
            each.id
            for each in self.rounds.values()
            if each.table == self.table and each.id < key and not each.settled and each.bets
        )
        return max(keys, default=None)
