"""The common part of the acts of `tabletool play`: a pit with a ledger, and one table at a time.

Time is virtual. The host of the table is that of `tabletool serve`, and the ledger is SQLite in a
temporary folder.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from tableemulator.chips import device_of
from tableemulator.machines import Setup
from tableemulator.virtual_pit import HostedTable, Line, Never, VirtualClock, hosted
from tablespec.names import NAMES
from tabletools.authenticity import LABELS, NONE, VERIFIED
from tabletools.decode import Record, head_of
from tabletools.errors import ToolError
from tabletools.evidence import Terms, rounds, voids
from tabletools.evidence.rounds import PENDING, UNEXPECTED, RoundRow
from tabletools.keys import Key
from tabletools.money import cash, play_queries
from tabletools.pit.host_context import HostContext
from tabletools.pit.pit import Pit, Seat
from tabletools.pit.second_reader import Inline
from tabletools.pit.settings import Settings, TableSettings
from tabletools.play.players import Bet
from tabletools.play.screen import Screen
from tabletools.play.settled import Settled, Sums, sums_of
from tabletools.rules.money import euros
from tabletools.store import Actor, LedgerRejection, Store, books, people
from tabletools.table import betting, rulings
from tabletools.table.betting import BetReceipt, BetRequest
from tabletools.table.verify import check
from tablewire.messages import ROUND_ENDS

MINIMUM_CENTS = 500
LATE_ARTICLE = "hc2023 1:1(4)"
_CHIPS_CENTS = 1_000_000  # the start balance of each player
_HOUSE = Actor("house")
_READY_WITHIN_US = 60_000_000
_JUDGED_WITHIN_US = 90_000_000  # a picture that does not come holds the round after a minute
_ENDS = frozenset(NAMES[ident] for ident in ROUND_ENDS)


@dataclass(frozen=True)
class Act:
    """One role."""

    role: str
    words: tuple[str, ...]
    """Lines for the reader, before it begins."""
    setup: Setup
    """Of the machine."""
    terms: Terms
    """What is played at it."""
    players: Callable[[int], Callable[[], list[Bet]]]
    """Returns, for a seed, a function that returns the bets of the next round."""
    perform: Callable[["Performance", Any], None]
    """Plays it."""
    ruled: Callable[["Performance", Record], dict[str, object]] | None = None
    """The outcome that two users rule of a round whose record leaves it open; None: no ruling."""
    late_in: int = 0
    """Number of the round with a bet after no more bets, 0 for none."""
    changed: Mapping[str, int] = field(default_factory=dict)
    """Keys of the controller's configuration that differ from the setup's."""


class Stage:
    """The pit of one run. seed: the same one gives the same run. spins: of roulette."""

    def __init__(self, screen: Screen, seed: int, spins: int, key: Key) -> None:
        self.screen = screen
        self.seed = seed
        self.spins = spins
        self.settled: list[Settled] = []
        self._key = key
        self._clock = VirtualClock()
        self._line = Line()
        self._chips = count(1)
        self._open = ExitStack()
        folder = self._open.enter_context(TemporaryDirectory())
        self.ledger = Store.open(Path(folder) / "play.ledger", clock=self._clock)
        self._open.callback(self.ledger.close)
        self.users = [
            Actor(name, people.create_user(self.ledger, name, role, None, _HOUSE))
            for name, role in (("Sue", "supervisor"), ("Dan", "dealer"))
        ]

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def play(self, act: Act) -> None:
        """Play an act, with the books of its table at the end. Raises ToolError."""
        with self._performance(act) as performance:
            performance.wait_until_ready()
            act.perform(performance, performance.hosted.table)
            performance.close()

    @contextmanager
    def _performance(self, act: Act) -> "Iterator[Performance]":
        chip, terms = next(self._chips), act.terms
        self._line.close()
        table = TableSettings(
            act.role.replace("_", " "),
            "the table of the act",
            device_of(chip),
            terms.game,
            terms.rules,
            terms.variant or "",
            void_policy=terms.void_policy,
            limits=terms.limits,
            dice_reading=terms.dice_reading or "",
            options={voids.AUTOMATIC: [*voids.OF_THE_GAME], **terms.options},
        )
        keys = {self._key.number: self._key.secret}
        performance: Performance | None = None

        def on_record(_table: int, record: Record) -> None:
            if performance is not None:
                performance.take(record)

        context = HostContext(
            self.ledger,
            lambda _device: keys,
            "play",
            opener=lambda _url: self._line,
            say=self._show_trouble,
            on_record=on_record,
            readers=Inline(),
        )
        pit = Pit(context, Settings(tables=(table,)), over=Never())
        [seat] = pit.seats.values()
        with hosted(
            act.setup,
            self.seed,
            seat.host,
            self._line,
            self._clock,
            chip=chip,
            key=(self._key.number, self._key.secret),
            changed=dict(act.changed),
        ) as played:
            performance = Performance(self, act, seat, played)
            yield performance
            seat.host.leave()
            if played.table.errors:
                what = "the program on the board wrote: " + played.table.errors[0].strip()
                raise ToolError(what, where=f"seed {self.seed}", step="report the seed")

    def _show_trouble(self, event: str, facts: dict[str, object]) -> None:
        """Show log entries of the host that report trouble."""
        if event in ("tampered", "ledger_failed", "defect", "link_clock_step"):
            self.screen.say(f"{event}: {facts}", style="bold red")

    def verify(self) -> None:
        """Raise ToolError unless the ledger of the run is sound."""
        with self.ledger.read() as db:
            problems = check(db).problems
        if problems:
            cause = "a defect of the settlement"
            raise ToolError("the books do not balance", cause=cause, details=problems[:10])


class Performance:
    """One act being played: its display, and its bettors. settled: its rounds."""

    def __init__(self, stage: Stage, act: Act, seat: Seat, hosted: HostedTable) -> None:
        self.settled: list[Settled] = []
        self.dealt: dict[str, str] = {}  # hands of a card table, as the croupier deals them
        self.hosted = hosted
        self.stage = stage
        self._act = act
        self._seat = seat
        self._next_bets = act.players(stage.seed)
        self._keys = (f"{act.role} {number}" for number in count(1))
        self._accounts: dict[str, int] = {}
        self._table = seat.place.table
        self._newest = 0  # row of the newest round shown as settled
        self._ended = 0  # number of the newest round whose end was shown

    # --- playing ---------------------------------------------------------------------------------

    def until_it_counts(
        self,
        differs: Callable[[Any], str],
        tries: int = 8,
        true_outcome: Callable[[Any], dict[str, object]] | None = None,
    ) -> None:
        """Play rounds until one decided every bet on the cloth: a void leaves them there.

        differs: how the result differs from the table's report, "" if it does not. true_outcome:
        what two users rule where the host does not confirm the result.
        """
        for _ in range(tries):
            played = self.hosted.table.spin()
            number = played.ended.round
            self.hosted.table.wait(
                lambda number=number: self._round(number).verdict != PENDING,
                _JUDGED_WITHIN_US,
                "have its result judged",
            )
            if self._round(number).verdict == UNEXPECTED and true_outcome is not None:
                self._rule(true_outcome(played), "the dice as they lay", self._round(number).id)
            self._show_settlements()
            self.verify_report(played, differs(played))
            if self.settled and not self.in_play_cents:
                return

    def verify_report(self, played: Any, what: str) -> None:
        """Raise ToolError if the table's report and what happened differ. what: how, "" if not."""
        if what:
            cause, step = "a defect of the firmware", "report the seed"
            raise ToolError(what, where=f"round {played.ended.round}", cause=cause, step=step)

    @property
    def in_play_cents(self) -> int:
        """Stakes that wait for another round."""
        return sum(sums.live for sums in sums_of(self.settled).values())

    def outcome(self, name: str) -> Any:
        """Return a field of the outcome of the newest settled round, None before any."""
        return self.settled[-1].outcome.get(name) if self.settled else None

    def wait_until_ready(self) -> None:
        """Wait until the next round may open its bets: the host must know the configuration."""
        host = self._seat.host

        def is_ready() -> bool:
            return host.attendance is not None and host.attendance.is_ready

        self.hosted.table.wait(is_ready, _READY_WITHIN_US, "report its configuration")

    # --- what the table says ---------------------------------------------------------------------

    def take(self, record: Record) -> None:
        """Follow a record that the host has stored."""
        self.stage.screen.frame(record)
        head = head_of(record)
        if head.type in _ENDS:
            self._ended = head.round
        if head.type == "round_opened":
            self._bet()
        elif head.type == "bets_closed" and head.round == self._act.late_in:
            self._bet_late()
        elif self._act.ruled is not None and head.type in ("card_round_ended", "round_void"):
            self._rule(self._act.ruled(self, record), "the cards as dealt")
        self._show_settlements()

    def _bet(self) -> None:
        """Place the bets of all players, unless bets of a void round are still on the cloth."""
        with self.stage.ledger.read() as db:
            state = play_queries.present(db, self._table, self.stage.ledger.clock.wall_ns())
            open_bets = play_queries.bet_rows(db, state.round) if state.round else []
        if open_bets:
            self.stage.screen.stands([bet["stake_cents"] for bet in open_bets])
        elif not state.bets_open:
            self.stage.screen.say(f"no bets in this round: {state.cause}", style="italic")
        else:
            for bet in self._next_bets():
                self._place(bet)

    def _bet_late(self) -> None:
        bet = self._next_bets()[0]
        receipt = self._place(bet, is_late=True)
        if receipt is None:
            return
        lease = self._seat.host.attended()
        reason = "after no more bets"
        ruling = rulings.BetRuling(receipt.bet, False, self.stage.users, reason, next(self._keys))
        rulings.rule_bet(self.stage.ledger, lease, ruling)
        decided = "two users rule it invalid, the stake is returned"
        self.stage.screen.late(bet, decided, LATE_ARTICLE)

    def _place(self, bet: Bet, *, is_late: bool = False) -> BetReceipt | None:
        host, ledger = self._seat.host, self.stage.ledger
        account = self._account(bet.player)
        request = BetRequest(account, bet.slip, bet.stake_cents, next(self._keys))
        try:
            receipt = betting.place(ledger, host.attended(), request, reading=host.reading)
        except LedgerRejection as refused:
            self.stage.screen.refuse(bet, refused.what)
            return None
        if not is_late:
            self.stage.screen.accept(bet)
        return receipt

    def _account(self, player: str) -> int:
        if player not in self._accounts:
            ledger = self.stage.ledger
            number = f"{self._act.role}-{player}".upper().replace("_", "-")
            account = self._accounts[player] = cash.open_account(ledger, number, player)
            key = f"{self._act.role} {player}"
            cash.deposit(ledger, account, _CHIPS_CENTS, key, _HOUSE)
        return self._accounts[player]

    def _round(self, number: int) -> RoundRow:
        """Return a round by the number the table gave it."""
        with self.stage.ledger.read() as db:
            row = rounds.find(db, self._seat.place.device, number)
        assert row is not None
        return row

    def _rule(self, outcome: dict[str, object], reason: str, key: int | None = None) -> None:
        """Two users rule on a round. key: of its row, None for the newest."""
        if key is None:
            with self.stage.ledger.read() as db:
                now_ns = self.stage.ledger.clock.wall_ns()
                key = play_queries.present(db, self._table, now_ns).round
            assert key is not None
        ruling = rulings.Ruling(
            outcome,
            self.stage.users,
            reason,
            0,
            f"round {key}",
            evidence="camera above the table",
        )
        rulings.rule_round(self.stage.ledger, self._seat.host.attended(), key, ruling)

    def _show_settlements(self) -> None:
        with self.stage.ledger.read() as db:
            keys = play_queries.settled_after(db, self._table, self._newest)
            rows = [play_queries.round_whole(db, key) for key in keys]
        for key, row in zip(keys, rows, strict=True):
            assert row is not None
            if row["number"] > self._ended:
                return  # its end was stored, and is shown next
            self._newest = key
            options = self._act.terms.options
            settled = msgspec.convert({**row, "options": options}, Settled)
            if settled.bets:
                self.settled.append(settled)
                self.stage.screen.settle(settled)

    # --- the end ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Show the books. Raises ToolError if they do not balance."""
        self._show_settlements()
        sums = sums_of(self.settled)
        self.stage.settled += self.settled
        with self.stage.ledger.read() as db:
            name = f"table {self._table}"
            house = books.find_account(db, books.HOUSE, name, self._seat.place.currency)
            bank = 0 if house is None else books.balance(db, house)
        self.stage.screen.books(sums, bank)
        total = Sums()
        for each in sums.values():
            total = total.plus(each)
        is_balanced = total.is_balanced and bank == -total.net
        for line in self._summary(total, is_balanced=is_balanced):
            self.stage.screen.say(line, style="bold")
        if not is_balanced:
            raise ToolError("the books do not balance", cause="a defect of the settlement")

    def _summary(self, total: Sums, *, is_balanced: bool) -> Iterator[str]:
        outcomes = [settled.outcome for settled in self.settled]
        voids = Counter(str(outcome["void"]) for outcome in outcomes if "void" in outcome)
        why = ", ".join(f"{number} {name}" for name, number in voids.items())
        decided = len(outcomes) - voids.total()
        yield f"rounds: {decided} settled, {voids.total()} void" + (f" ({why})" if why else "")
        host, bets = self._seat.host, sum(len(settled.bets) for settled in self.settled)
        assert host.link is not None
        session = host.link.session
        trust = LABELS[NONE if session.trust.session is None else VERIFIED]
        yield (
            f"link: {session.frames} frames, {session.skipped} skipped, {session.missed} missed; "
            f"{host.tally.records} durable records stored, then acknowledged; all {trust}"
        )
        yield (
            f"{'balanced' if is_balanced else 'NOT BALANCED'}: {euros(total.staked)} staked = "
            f"{euros(total.returned)} returned + {euros(total.lost)} kept, {bets} bets"
        )
