"""A round to settle, read once from its record."""

from typing import Any, NamedTuple

from tabletools.shadow.announced import entered
from tabletools.shadow.verdict import Record


class Bet(NamedTuple):
    """A bet, its fields as docs/SETTLE.md has them; None: left out."""

    stake: int
    kind: str
    """`bet` in the record; as `id` and `player`, empty if it is left out."""
    id: str
    player: str
    on: Any
    numbers: list[str] | None
    place: int | None
    """`index` in the record."""
    choice: str | None
    state: str | None
    games: int | None
    groups: Any
    ways: Any
    round: Any


class Outcome(NamedTuple):
    """What came, of whichever game; the fields are those of docs/SETTLE.md, None: left out."""

    void: Any = None
    misdeal: Any = None
    # Wheels, dice and balls.
    pocket: str | None = None
    pays: int | None = None
    mark: str | None = None
    jackpot: int | None = None
    dice: Any = None
    drawn: Any = None
    # Cards.
    player: Any = None
    bank: Any = None
    board: str | None = None
    banker: str | None = None
    punto: str | None = None
    banco: str | None = None
    communal: str | None = None
    cards: str | None = None
    burned: str | None = None
    burned_first: int | None = None
    others: int | None = None
    others_play: bool | None = None
    remaining: int | None = None
    switched: bool | None = None
    # Jackpots and the poker room, most of them by bet or player.
    hands: Any = None
    won: Any = None
    folded: Any = None
    times_ms: Any = None
    growth: Any = None
    tables: Any = None
    order: Any = None
    put_in: Any = None
    mucked: Any = None
    holder: Any = None
    actions: Any = None


class Play(NamedTuple):
    """A round. table: the options and limits of its table; meters: before it, by name."""

    game: str
    rules: str
    variant: str | None
    bets: list[Bet]
    outcome: Outcome
    table: Record
    meters: Record
    round: Any


def play_of(record: Record) -> Play:
    """Read a round; raises one of GARBLED at a record of another shape."""
    whole = without_nulls(record)
    outcome = whole["outcome"]
    return Play(
        whole["game"],
        whole["rules"],
        whole.get("variant"),
        [_bet(fields) for fields in (*whole["bets"], *entered(whole))],
        Outcome(**{name: outcome[name] for name in Outcome._fields if name in outcome}),
        whole.get("table", {}),
        whole.get("meters", {}),
        whole.get("round"),
    )


def _bet(fields: Record) -> Bet:
    return Bet(
        stake=fields["stake"],
        kind=fields.get("bet") or "",
        id=fields.get("id") or "",
        player=fields.get("player") or "",
        on=fields.get("on"),
        numbers=fields.get("numbers"),
        place=fields.get("index"),
        choice=fields.get("choice"),
        state=fields.get("state"),
        games=fields.get("games"),
        groups=fields.get("groups"),
        ways=fields.get("ways"),
        round=fields.get("round"),
    )


def without_nulls(fields: Record) -> Record:
    """Return the fields that are not null; null is the same as left out."""
    return {
        name: without_nulls(value) if isinstance(value, dict) else value
        for name, value in fields.items()
        if value is not None
    }
