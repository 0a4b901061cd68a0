"""A settlement as a ledger stores it, settled again: what each bet was paid, and by what.

Rows come from a database or from an evidence file; they need the columns of their tables only.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tabletools.shadow import (
    Impossible,
    Record,
    Verdict,
    bank_poker,
    blackjack,
    jackpots,
    judge,
    play_of,
)
from tabletools.shadow.play import without_nulls
from tabletools.shadow.playing_cards import DECKS, count, hand
from tabletools.shadow.verdict import Cents, void

Row = Any
"""Has the columns of its tables as attributes."""


class Difference(NamedTuple):
    """A difference between the ledger and the shadow. where: round, and bet or account."""

    where: str
    paid: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.where}: the ledger has {self.paid}; the shadow {self.wanted}"


def line_differences(where: str, line: Row, wanted: Verdict) -> Iterator[Difference]:
    """Compare what a bet was paid, and by which paragraphs."""
    bet = f"{where}, bet {line.id} ({line.slip}, {line.stake_cents} cents)"
    had = Verdict._make([*(getattr(line, name) for name in PAID), wanted.paragraphs])
    if had != wanted or line.settled_cents != line.stake_cents:
        yield Difference(bet, _verdict_text(had), _verdict_text(wanted))
    stored = _paragraphs_of(line.rule)
    if stored != wanted.paragraphs:
        yield Difference(
            f"{bet}, paragraphs", ", ".join(stored), f"has {', '.join(wanted.paragraphs)}"
        )


RULED = "ruled"
"""What stands in place of a paragraph where two users returned the stakes."""
PAID = ("outcome", "win_cents", "back_cents", "live_cents", "lost_cents", "state")


def settle_again(row: Row, lines: Sequence[Row], levels: dict[str, int]) -> list[Verdict]:
    """Return the verdicts on the bets of a settlement. Raises Unjudged and Impossible."""
    outcome = json.loads(row.outcome)
    if outcome.get("stakes_back") is not None:
        return [void(line.stake_cents).by(RULED) for line in lines]
    if outcome.get("boxes") is not None:
        verdicts = _by_box(row, lines, outcome)
    else:
        verdicts = _judge(row, [bet_of(line) for line in lines], outcome, levels)
    if not row.is_void or row.void_policy != "refund":
        return verdicts
    return [
        void(line.stake_cents).by(*verdict.paragraphs)
        if line.carried_from is None and verdict.outcome == "stand"
        else verdict
        for line, verdict in zip(lines, verdicts, strict=True)
    ]


def meters_after(row: Row, lines: Sequence[Row], levels: dict[str, int]) -> dict[str, Cents]:
    """Return the meters of a jackpot after a round; none is below zero.

    levels: before it, cents by name; {} for other games. Raises Unjudged and Impossible.
    """
    outcome = json.loads(row.outcome)
    if not levels or outcome.get("stakes_back") is not None:
        return dict(levels)
    record = record_of(row, [bet_of(line) for line in lines], outcome, levels)
    return {name: max(0, cents) for name, cents in jackpots.settle(play_of(record))[1].items()}


class _Box(NamedTuple):
    """A box of a card table, its fields as docs/SETTLE.md has them; None: left out."""

    cards: Any
    bets: Sequence[str] | None
    decisions: Mapping[str, str] | None
    switched: bool | None
    misdeal: str | None
    holder: str | None

    @property
    def card_count(self) -> int:
        """How many cards it has, in a game without splits."""
        return len((self.cards or "").split())


def _by_box(row: Row, lines: Sequence[Row], outcome: Record) -> list[Verdict]:
    """Judge each box separately, with the cards of the table and the choices of its players."""
    boxes = {
        name: _Box._make(map(box.get, _Box._fields)) for name, box in outcome["boxes"].items()
    }
    _verify_cards(row, outcome, boxes.values())
    by_id = {str(line.id): line for line in lines}
    judged: dict[str, Verdict] = {}
    for name, box in boxes.items():
        on_box = [by_id[key] for key in box.bets or ()]
        decisions = box.decisions or {}
        if not decisions.keys() <= {str(line.account_id) for line in on_box}:
            raise Impossible(f"a decision of one who has no bet on box {name}")
        some = [bet_of(line, decisions.get(str(line.account_id))) for line in on_box]
        verdicts = _judge(row, some, _hand(row, outcome, boxes, name))
        for line, verdict in zip(on_box, verdicts, strict=True):
            if judged.setdefault(str(line.id), verdict) is not verdict:
                raise Impossible(f"bet {line.id} is on two boxes, or twice on {name}")
    if judged.keys() != by_id.keys():
        raise Impossible("not every bet is on a box")
    return [judged[key] for key in by_id]


def _hand(row: Row, outcome: Record, boxes: Mapping[str, _Box], name: str) -> Record:
    """Return the outcome of one box: its own cards, and those of the table."""
    box = boxes[name]
    own: dict[str, Any] = {"switched": box.switched, "misdeal": box.misdeal, "holder": box.holder}
    if row.game == "blackjack":
        others = (each for other, each in boxes.items() if other != name)
        own["others_play"] = any(blackjack.is_in_play(each.cards) for each in others)
    if outcome.get("remaining") is not None:
        own["others"] = sum(each.card_count for each in boxes.values()) - box.card_count
    shared = {name: value for name, value in outcome.items() if name not in ("boxes", "decks")}
    return {**shared, **without_nulls(own), "player": box.cards}


def _verify_cards(row: Row, outcome: Record, boxes: Iterable[_Box]) -> None:
    """Raise Impossible if a card was dealt or burned more often than it is in the decks."""
    most = 1 if row.game in bank_poker.GAMES else DECKS
    table = json.loads(row.options).get("decks")
    decks = outcome.get("decks") or table or most
    if not 0 < decks <= most or (table or decks) != decks:
        raise Impossible(f"{decks} decks")
    texts = [outcome.get("bank"), outcome.get("board"), outcome.get("burned")]
    for box in boxes:
        cards = box.cards or []
        rows = [cards] if isinstance(cards, str) else cards
        texts += [one for each in rows for one in ([each] if isinstance(each, str) else each)]
    count([hand(text) for text in texts], decks)


def _judge(
    row: Row, some: list[Record], outcome: Record, levels: dict[str, int] | None = None
) -> list[Verdict]:
    return judge(record_of(row, some, outcome, levels))


def record_of(
    row: Row, some: list[Record], outcome: Record, levels: dict[str, int] | None
) -> Record:
    """Return a round as docs/SETTLE.md has it. some: of its bets; levels: of its meters."""
    table = {**json.loads(row.options), **json.loads(row.limits)}
    terms_ = {"game": row.game, "rules": row.rules, "variant": row.variant}
    return {**terms_, "bets": some, "outcome": outcome, "table": table, "meters": levels}


def bet_of(line: Row, choice: str | None = None) -> Record:
    """Return a bet as docs/SETTLE.md has it. choice: what its player decided, None: nothing."""
    own = {"id": str(line.id), "player": str(line.account_id), "stake": line.stake_cents}
    decided = {} if choice is None else {"choice": choice}
    return {**json.loads(line.slip), **own, "state": line.state_before, **decided}


_VOID, _CLOSED_BY_VOID, _BETS_STILL_OPEN = 0x13, 6, (1, 2, 255)
"""Of PROTOCOL.md: round_void; the cause of a bets_closed that the void itself made; its phases
before no more bets: closed, bets_open, unknown. A void of a later boot does not know its phase."""


def undone(
    where: str, row: Row, lines: Sequence[Row], frames: Mapping[int, Row]
) -> Iterator[Difference]:
    """Check that nothing was returned by a table's void after no more bets, unless by its terms.

    frames: those that opened, closed and ended the round, by their rows. Terms that do not say
    which codes return stakes are of a release that returned all.
    """
    automatic = json.loads(row.options).get("automatic_voids")
    if row.first_user is not None or not lines or automatic is None or row.ended is None:
        return
    records = {key: (one.type, json.loads(one.payload)) for key, one in frames.items()}
    kind, void_ = records[row.ended]
    if kind != _VOID or void_["reason"] in automatic:
        return
    closing = records.get(row.closed)
    is_closed = closing is not None and closing[1]["cause"] != _CLOSED_BY_VOID
    is_restarted = row.opened is not None and frames[row.opened].boot != frames[row.ended].boot
    if is_closed or is_restarted or void_["phase"] not in _BETS_STILL_OPEN:
        cents = sum(line.stake_cents for line in lines)
        yield Difference(
            where, f"returned {cents} cents by code {void_['reason']}", "waits for two users"
        )


def _verdict_text(verdict: Verdict) -> str:
    names = ("won", "back", "in play", "lost")
    sums = [f"{cents} {name}" for name, cents in zip(names, verdict[1:5], strict=True) if cents]
    state = [f"state {verdict.state}"] if verdict.state else []
    return ", ".join([verdict.outcome, *sums, *state])


def _paragraphs_of(citation: str) -> tuple[str, ...]:
    """Return the paragraphs of a stored citation: `hc2011 3:2(21) pays 6:5, 3:2(4)`."""
    edition, _, rest = citation.partition(" ")
    names = [part.split(" pays ")[0] for part in rest.split(", ")]
    return tuple(dict.fromkeys(f"{edition} {name}" for name in names)) if rest else (citation,)
