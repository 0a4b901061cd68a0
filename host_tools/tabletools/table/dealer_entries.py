"""What the dealer of a card round entered, and whether the cards of its shoe settle it.

Two entries: the layout, which bet is on which box, before the first card; and the hands, what the
boxes decided. What no card shows rests on the dealer, so it must be entered before the card that
it could profit from, by the clock of the table, and pay no more than the terms allow one user.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, convert
from sqlalchemy import Connection, insert, select

from tabletools.evidence.tables import Terms
from tabletools.roles import Opened, Record, kind_of, shoe_round
from tabletools.rules.dealing import Decision, Outcome
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation
from tabletools.settle.boxes import BOXES
from tabletools.settle.dealer_record import DealerRecord, agreed
from tabletools.settle.json_lines import BOX_GAMES
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.play import bets, dealer_entries
from tabletools.table import game_rounds
from tabletools.table.clock_proof import why_unproved
from tabletools.table.slips import StoredBet
from tabletools.table.state import ClockReading
from tabletools.table.terms import dealer_limit

LAYOUT, HANDS = "layout", "hands"
_LIVE = "de-live"
_NO_LAYOUT = "its boxes were not entered before the first card"
_NO_HANDS = "its dealer has not entered what the boxes decided"


class Hands(Struct):
    """What the dealer of a round entered of its hands."""

    outcome: dict[str, Any]
    """As in `boxes`."""
    decisions: list[Decision] | None

    @property
    def boxes(self) -> Iterable[Mapping[str, Any]]:
        """Its boxes, each with its bets."""
        boxes: Mapping[str, Mapping[str, Any]] = self.outcome[BOXES]
        return boxes.values()


class _Card(Struct):
    type: str
    boot: int
    uptime_ms: int
    use: str = ""


class Entry(NamedTuple):
    """An entry of a round."""

    content: Mapping[str, Any]
    user: int | None
    at_ns: int
    clock: ClockReading
    """What the clock of the table showed."""


class Lack(NamedTuple):
    """What a round lacks until it settles."""

    code: str
    """no_more_bets, layout, hands, end_of_deal or two_users."""
    text: str


Entries = Mapping[str, Entry]
"""By kind."""


def of_round(db: Connection, key: int) -> dict[str, Entry]:
    """Return the entries of a round by kind."""
    rows = db.execute(select(dealer_entries).where(dealer_entries.c.round_id == key))
    return {
        row.kind: Entry(
            json.loads(row.content),
            row.user_id,
            row.at_ns,
            (row.device_boot, row.device_ms, row.uncertainty_ms),
        )
        for row in rows
    }


def put(db: Connection, key: int, kind: str, entry: Entry) -> None:
    """Store an entry of a round."""
    boot, shown_ms, uncertainty_ms = entry.clock
    values = {
        "round_id": key,
        "kind": kind,
        "content": json.dumps(entry.content),
        "user_id": entry.user,
        "at_ns": entry.at_ns,
        "device_boot": boot,
        "device_ms": shown_ms,
        "uncertainty_ms": uncertainty_ms,
    }
    db.execute(insert(dealer_entries).values(**values))


def may_decide(game: str | None, ended: Record) -> bool:
    """Whether a round can be settled by its shoe and what its dealer entered."""
    return game in BOX_GAMES and kind_of(ended) == shoe_round.ENDED


def staked_of(db: Connection, entries: Entries) -> list[StoredBet]:
    """Return the bets that the entries name, in their order."""
    numbers = [int(number) for number in _bet_names(entries[HANDS])]
    col = bets.c
    columns = (col.id, col.account_id, col.slip, col.stake_cents, col.state)
    query = select(*columns, col.carried_from.is_not(None)).where(col.id.in_(numbers))
    return [StoredBet(*row) for row in db.execute(query.order_by(col.id))]


def outcome_of(
    terms: Terms,
    entries: Entries,
    ended: tuple[Record, Sequence[Record]],
    staked: Sequence[StoredBet],
) -> Outcome:
    """Return the outcome of a round on which its dealer and its shoe agree.

    ended: the record that ended it, and all of the round. staked: the bets in play. Raises
    RuleViolation with the reason why two users rule.
    """
    if LAYOUT not in entries or HANDS not in entries:
        raise RuleViolation(NEEDS_RULING, _NO_HANDS if LAYOUT in entries else _NO_LAYOUT)
    hands, records = entries[HANDS], ended[1]
    cards = shoe_round.shoe_cards(*ended)
    if cards is None or not cards.dealt:
        raise RuleViolation(NEEDS_RULING, "no shoe reported cards of this round")
    record = convert(hands.content, Hands)
    entered = DealerRecord(record.outcome, record.decisions)
    result = agreed(terms.game, entered, cards, hole_card=terms.rules == _LIVE)
    dealt = dealt_in_round(records)
    _verify_early(entries[LAYOUT], dealt[0], "which bet is on which box")
    if _rests_on_dealer(entries):
        deadline = dealt[len(dealt) - result.drawn] if result.drawn else ended[0]
        _verify_early(hands, deadline, "a stake or a decision that no card shows")
    if sorted(_bet_names(hands)) != sorted(str(bet.id) for bet in staked):
        what = "the bets in play are not those on the boxes: one came late, or was ruled on"
        raise RuleViolation(NEEDS_RULING, what)
    _verify_limit(terms, staked, result.outcome)
    return result.outcome


def lacks(
    terms: Terms,
    entries: Entries,
    ended: tuple[Record | None, Sequence[Record]],
    staked: Sequence[StoredBet],
) -> list[Lack]:
    """Return what a round with closed bets lacks until it settles by itself, in its order."""
    ending, records = ended
    lacking = []
    if ending is not None and not may_decide(terms.game, ending):
        return [two_users("no shoe reported the end of the deal")]
    if LAYOUT not in entries:
        if ending is not None or dealt_in_round(records):
            return [two_users(_NO_LAYOUT)]
        lacking.append(Lack(LAYOUT, "which bet is on which box, before the first card"))
    if HANDS not in entries:
        what = "what the boxes decided, and stakes placed after the deal"
        lacking.append(Lack(HANDS, what))
    if ending is None:
        return [*lacking, Lack("end_of_deal", "the end of the deal")]
    if lacking:
        return lacking
    try:
        outcome_of(terms, entries, (ending, records), staked)
    except RuleViolation as refusal:
        return [two_users(refusal.what)]
    return []


def two_users(why: str) -> Lack:
    """Return that a round does not settle by itself."""
    return Lack("two_users", f"two users rule on it: {why}")


def dealt_in_round(records: Sequence[Record]) -> list[Record]:
    """Return the records of the cards dealt in a round."""
    cards = (each for each in records if kind_of(each) == shoe_round.CARD)
    return [each for each in cards if convert(each, _Card).use == "round"]


def _bet_names(hands: Entry) -> list[str]:
    boxes = convert(hands.content, Hands).boxes
    return [number for box in boxes for number in box["bets"]]


def _rests_on_dealer(entries: Entries) -> bool:
    """Whether the hands have a stake that came after the layout, or a choice."""
    boxes = convert(entries[HANDS].content, Hands).boxes
    before = {number for named in entries[LAYOUT].content[BOXES].values() for number in named}
    return bool({*_bet_names(entries[HANDS])} - before) or any(
        box.get(name) for box in boxes for name in ("decisions", "switched")
    )


def _verify_early(entry: Entry, record: Record, what: str) -> None:
    """Raise RuleViolation unless an entry was made before a record of the table."""
    card = convert(record, _Card)
    if why_unproved(entry.clock, card.boot, card.uptime_ms):
        kind = "the end of the deal" if card.type == shoe_round.ENDED else "the card after it"
        raise RuleViolation(NEEDS_RULING, f"nothing proves that {what} was entered before {kind}")


def _verify_limit(terms: Terms, staked: Sequence[StoredBet], outcome: Outcome) -> None:
    """Raise RuleViolation if the round wins more than one dealer may enter, or cannot settle."""
    try:
        lines = game_rounds.settled(terms, staked, outcome, is_void=False).lines
    except LedgerRejection as refused:
        raise RuleViolation(NEEDS_RULING, refused.what, refused.where) from refused
    won, limit = sum(line.win for line in lines), dealer_limit(terms)
    if won > limit:
        what = f"its players win {won} cents; by the hands that one dealer entered {limit} at most"
        raise RuleViolation(NEEDS_RULING, what)


def verify_round(terms: Terms, opening: Record | None) -> None:
    """Raise LedgerRejection unless a dealer may enter hands of a round."""
    step = "two users rule on the round"
    if terms.game not in BOX_GAMES:
        what = f"a dealer enters hands of {' '.join(BOX_GAMES)}; this round is {terms.game}"
        raise LedgerRejection("hands_unexpected", what, step, "round")
    if opening is None or Opened.of_record(opening).layout != "shoe":
        what = "no shoe reads the cards of this round"
        raise LedgerRejection("no_reader", what, step, "round")
