"""One session at a table: bytes come in, players bet, the house settles, the reader looks on."""

from collections import Counter
from collections.abc import Callable

from tabletools import decode
from tabletools.decode import Record
from tabletools.link import Keys, Notice, OnceStore, Received, Session
from tabletools.play.books import Books
from tabletools.play.house import Felt, House, Refused, Settled
from tabletools.play.players import Bet
from tabletools.play.screen import Screen
from tabletools.rules.money import euros
from tabletools.seals import NONE, SHOWN, VERIFIED
from tablewire.codec import Frame
from tablewire.messages import OPEN_BETS


class Game:
    """Follows one table through the link's own session.

    wishes: the bets everybody asks for. late_in: the round somebody bets late in, 0 for none.
    settled: every settled round, oldest first. stored: durable records kept and acknowledged.
    """

    def __init__(
        self,
        felt: Felt,
        wishes: Callable[[], list[Bet]],
        screen: Screen,
        *,
        keys: Keys,
        late_in: int = 0,
    ) -> None:
        self.settled: list[Settled] = []
        self.stored: list[Frame] = []
        self.session = Session(OnceStore(self.stored.append), keys=keys)
        self.house = House(felt, self._settled)
        self._wishes = wishes
        self._screen = screen
        self._late_in = late_in
        self._newest = 0

    def hello(self) -> bytes:
        """The link is there: what the host says first."""
        self.session.connected(0.0)
        return self.session.outgoing()

    def command(self, ident: int, values: tuple[int, ...] = ()) -> bytes:
        """Order something of the table, in its newest round: what to send now."""
        self.session.command(ident, values, 0 if ident == OPEN_BETS else self._newest)
        return self.session.outgoing()

    @property
    def books(self) -> Books:
        """The books of the house."""
        return self.house.books

    def hear(self, t_us: int, data: bytes) -> bytes:
        """Take bytes of the table at a time; returns what the host answers."""
        now = t_us / 1_000_000
        for event in [*self.session.receive(data, now), *self.session.tick(now)]:
            if isinstance(event, Received):
                self._take(decode.record(event.frame, event.seal))
            elif isinstance(event, Notice):
                if event.error:
                    self._screen.say(f"link {event.kind}: {event.text}", style="bold red")
                elif event.kind == "online":
                    self._screen.say(event.text, style="bold")
            else:
                self._screen.say(decode.line(decode.skipped(event.skip)), style="bold red")
        return self.session.outgoing()

    def _take(self, record: Record) -> None:
        self._newest = record["round"]
        self._screen.frame(record)
        self.house.take(record)
        if record["type"] == "round_opened":
            self._bet()
        elif record["type"] == "bets_closed" and record["round"] == self._late_in:
            self._bet_late()

    def _bet(self) -> None:
        """Everybody bets, unless bets of a void spin still lie on the cloth."""
        if self.house.on_cloth:
            self._screen.stands(self.house.on_cloth)
            return
        for bet in self._wishes():
            self._place(bet)

    def _bet_late(self) -> None:
        self._place(self._wishes()[0])

    def _place(self, bet: Bet) -> None:
        try:
            self._screen.taken(self.house.place(bet))
        except Refused as refused:
            self._screen.refused(bet, str(refused), refused.article)

    def _settled(self, settled: Settled) -> None:
        self.settled.append(settled)
        self._screen.settled(settled)

    def summary(self) -> list[str]:
        """The closing lines: rounds, link, money."""
        outcomes = [settled.round["outcome"] for settled in self.settled]
        voids = Counter(outcome["void"] for outcome in outcomes if "void" in outcome)
        numbers = len(outcomes) - voids.total()
        why = ", ".join(f"{count} {name}" for name, count in voids.items())
        session, total = self.session, self.books.total()
        trust = SHOWN[NONE if session.trust.session is None else VERIFIED]
        balanced = "balanced" if self.books.balances else "NOT BALANCED"
        return [
            f"rounds: {numbers} settled, {voids.total()} void" + (f" ({why})" if why else ""),
            f"link: {session.frames} frames, {session.skipped} skipped, {session.missed} missed; "
            f"{len(self.stored)} durable records stored, then acknowledged; all {trust}",
            f"{balanced}: {euros(total.staked)} staked = {euros(total.returned)} returned "
            f"+ {euros(total.kept)} kept, {self.books.bets} bets",
        ]
