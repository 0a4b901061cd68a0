"""The house: takes bets while the table says they are open, settles what the table decided.

It believes a number only if the table has sealed it, for the round that is open, after its bets
were closed and with no fault standing. Knows records and rules; no port, no wheel.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tabletools.decode import Record
from tabletools.errors import ToolError
from tabletools.play.books import Books
from tabletools.play.players import Bet
from tabletools.rules.refusal import Refusal
from tabletools.seals import SHOWN
from tabletools.settle import Settlement
from tabletools.settle.lines import GAMES, settle_record

MINIMUM_CENTS = 500
LATE_ARTICLE = "hc2023 1:1(4)"


@dataclass(frozen=True)
class Felt:
    """What is played at a table. round: the fields of a round as the settlement reads it, without
    bets and outcome; with the limits of the table. results: outcome by type of the table's
    record. void: outcome of a void. article: bets are those offered here.
    """

    round: Record
    results: Mapping[str, Callable[[Record], Record]]
    article: str
    void: Callable[[Record], Record] = lambda record: {"void": record["reason"]}


class Refused(Exception):
    """A bet that is not taken. article: the rule it would break."""

    def __init__(self, what: str, article: str) -> None:
        super().__init__(what)
        self.article = article


@dataclass
class Settled:
    """One settled round. round: as given to the settlement, JSON-ready."""

    round: Record
    bets: list[Bet]
    lines: list[Settlement]


@dataclass
class House:
    """One table's bets. felt: what is played. on_settled: called with every settled round.

    on_cloth: the bets of the round, or those a void left for the next spin. round: the open one.
    """

    felt: Felt
    on_settled: Callable[[Settled], None]
    books: Books = field(default_factory=Books)
    on_cloth: list[Bet] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.round: int | None = None
        self._closed_by: str | None = None
        self._faults: set[int] = set()
        self._next_id = 1

    def take(self, record: Record) -> None:
        """Act on one record of the table."""
        kind = record["type"]
        if kind == "round_opened":
            self._verify_opening(record)
            self.round, self._closed_by = record["round"], None
        elif kind == "bets_closed" and record["round"] == self.round:
            self._closed_by = record["cause"]
        elif kind in self.felt.results:
            self._verify_result(record)
            self._settle(self.felt.results[kind](record))
        elif kind == "round_void" and record["round"] == self.round:
            self._settle(self.felt.void(record))
        elif kind == "fault_raised":
            self._faults.add(record["code"])
        elif kind == "fault_cleared":
            self._faults.discard(record["code"])

    def place(self, bet: Bet) -> Bet:
        """Take a bet; returns it with its id. Raises Refused."""
        if self.round is None:
            raise Refused("no round is open", LATE_ARTICLE)
        if self._closed_by is not None:
            cause = self._closed_by.replace("_", " ")
            raise Refused(f"no more bets: closed by {cause}", LATE_ARTICLE)
        taken = {"id": str(self._next_id), **bet}
        try:
            self._verify_bets([*self.on_cloth, taken])
        except Refusal as refusal:
            raise Refused(refusal.message, self.felt.article) from refusal
        self._next_id += 1
        self.on_cloth.append(taken)
        self.books.lay(taken["player"], taken["stake"])
        return taken

    def _verify_bets(self, bets: list[Bet]) -> None:
        """Raise Refusal unless the table takes these bets together."""
        placing = {**self.felt.round, "bets": bets, "outcome": {"void": "placing"}}
        GAMES[self.felt.round["game"]].read_round(placing)

    def _verify_opening(self, record: Record) -> None:
        if self.round is not None:
            raise ToolError(
                f"round {record['round']} opened and round {self.round} never ended",
                limit="every round ends in one result or one void; only a void lets bets stand",
                cause="the end of the round was lost",
                step="settle its bets by hand from the table's records, then start anew",
            )

    def _verify_result(self, record: Record) -> None:
        told = record["round"]
        proven = record["authenticated"]
        if told != self.round or self._closed_by is None or self._faults or not proven:
            raise ToolError(
                f"the {record['type']} of round {told} cannot be believed",
                limit=f"round open {self.round}, closed by {self._closed_by}, "
                f"faults {sorted(self._faults)}, {SHOWN[record['seal']]}",
                cause="the table broke the order of a round, or frames were lost or forged",
                step="keep the bytes: tabletool emulate TABLE --out FILE",
            )

    def _settle(self, outcome: Record) -> None:
        bets, self.round = self.on_cloth, None
        settled = {**self.felt.round, "bets": bets, "outcome": outcome}
        # Limits were verified where the bets were laid; what a void left is not laid anew.
        table = {key: value for key, value in settled.pop("table").items() if key != "minimum"}
        if table:
            settled["table"] = table
        lines = settle_record(settled)
        self.books.settle(lines, {bet["id"]: bet["player"] for bet in bets})
        left = {line.id: line for line in lines if line.live}
        self.on_cloth = [
            {**bet, "stake": left[bet["id"]].live, "state": left[bet["id"]].state}
            for bet in bets
            if bet["id"] in left
        ]
        self.on_settled(Settled(settled, bets, lines))
