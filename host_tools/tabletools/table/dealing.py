"""The entries of the dealer of a card round, each one transaction: the layout, then the hands.

A round that has ended is settled with the entry of its hands if its shoe agrees; else the end of
the deal settles it. Nothing is entered twice, or after a settlement: then two users rule.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from tabletools import authority
from tabletools.evidence import round_records
from tabletools.evidence.rounds import BELIEVED
from tabletools.evidence.tables import Terms, terms_at
from tabletools.roles import shoe_round
from tabletools.rules.declared import read
from tabletools.rules.violation import RuleViolation
from tabletools.settle.boxes import BOXES
from tabletools.settle.json_lines import BOX_GAMES
from tabletools.store import audit, people, requests
from tabletools.store.audit import Actor
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.table import (
    dealer_entries,
    game_rounds,
    hand_rulings,
    judging,
    loading,
    settling,
    shell,
    slips,
)
from tabletools.table.bet_context import ReadClock
from tabletools.table.dealer_entries import HANDS, LAYOUT, Entry, Lack
from tabletools.table.shell import Turn
from tabletools.table.slips import StoredBet
from tabletools.table.state import ClockReading, Round

_RULE = "two users rule on the round"
_NOT_ENTERED = ("void", "misdeal", game_rounds.STAKES_BACK)
"""Fields of a record by which money moves against the cards: two users enter them."""


class EntryRequest(NamedTuple):
    """What a dealer enters of a round."""

    round: int
    user: Actor
    key: str
    """Of the request."""
    content: Mapping[str, Any]


class DealState(NamedTuple):
    """How far the deal of a round is."""

    layout: Mapping[str, Any] | None
    hands: Mapping[str, Any] | None
    settled: int
    """Generation of the settlement in force, 0 before the first."""
    lacks: Sequence[Lack]
    """What it lacks until it settles, in order."""


def enter_layout(
    ledger: Store, lease: Lease, request: EntryRequest, *, reading: ReadClock | None = None
) -> None:
    """Enter which bet is on which box, before the first card is dealt.

    content: `boxes`, the numbers of the bets by box. The same request again changes nothing.
    Raises LedgerRejection, LostLease, StoreError.
    """

    def write(turn: Turn, entered: Round) -> Mapping[str, Any]:
        records = round_records.all_of(turn.db, entered.device, entered.number)
        if dealer_entries.dealt_in_round(records):
            what = f"a card of round {entered.number} left the shoe before its boxes were entered"
            raise LedgerRejection("cards_dealt", what, _RULE, "round")
        assert entered.terms is not None
        return {BOXES: _layout(turn.terms_at(entered.terms), entered, request.content[BOXES])}

    _enter(ledger, lease, request, LAYOUT, reading, write)


def enter_hands(
    ledger: Store, lease: Lease, request: EntryRequest, *, reading: ReadClock | None = None
) -> int:
    """Enter what the boxes decided, and the stakes placed after the deal, which are placed here.

    content: `outcome`, the record of the round as two users would enter it without the bets, and
    `decisions` of Black Jack. Returns the generation in force, 0 while the round waits. The same
    request again changes nothing. Raises LedgerRejection, LostLease, StoreError.
    """

    def write(turn: Turn, entered: Round) -> Mapping[str, Any]:
        entries = dealer_entries.of_round(turn.db, entered.id)
        if LAYOUT not in entries:
            what = "the boxes of the round were not entered"
            step = "enter which bet is on which box, before the first card"
            raise LedgerRejection("layout_missing", what, step, "round")
        outcome = _with_bets(request.content["outcome"], entries[LAYOUT].content[BOXES])
        stored = hand_rulings.read(turn, entered, outcome, request.user)
        assert entered.terms is not None
        try:
            read(BOX_GAMES[turn.terms_at(entered.terms).game].outcome, stored)
        except RuleViolation as refusal:
            raise LedgerRejection(*refusal.parts) from refusal
        return {"outcome": stored, "decisions": request.content["decisions"]}

    return _enter(ledger, lease, request, HANDS, reading, write)


def deal_state(ledger: Store, round_key: int) -> DealState:
    """Return how far the deal of a round is. Raises LedgerRejection, StoreError."""
    with ledger.read() as db:
        dealt = loading.read_by_key(db, round_key)
        if dealt is None or dealt.terms is None:
            what = f"no table of this house played round {round_key}"
            raise LedgerRejection("no_such_round", what, "see the rounds of the table", "round")
        entries = dealer_entries.of_round(db, round_key)
        layout, hands = (
            entries[kind].content if kind in entries else None for kind in (LAYOUT, HANDS)
        )
        return DealState(layout, hands, dealt.settled, _lacks(db, dealt, entries))


def _lacks(db: Connection, dealt: Round, entries: Mapping[str, Entry]) -> Sequence[Lack]:
    assert dealt.terms is not None
    terms = terms_at(db, dealt.terms)
    if dealt.settled or terms.game not in BOX_GAMES:
        return ()
    try:
        dealer_entries.verify_round(terms, dealt.opening)
    except LedgerRejection as refusal:
        return [dealer_entries.two_users(refusal.what)]
    if dealt.closed is None and dealt.ended is None:
        return [Lack("no_more_bets", "no more bets")]
    records = round_records.all_of(db, dealt.device, dealt.number)
    return dealer_entries.lacks(terms, entries, (dealt.ending, records), dealt.in_play())


def _enter(
    ledger: Store,
    lease: Lease,
    request: EntryRequest,
    kind: str,
    reading: ReadClock | None,
    content_of: Callable[[Turn, Round], Mapping[str, Any]],
) -> int:
    """Store an entry, and settle the round if it lacked nothing else; returns its generation."""
    requests.verify_key(request.key)
    who = (request.user.name, request.user.user)
    digest = requests.digest_of({**request._asdict(), "user": who, "key": None})
    scope = f"{kind} {request.round}"

    def write(turn: Turn) -> int:
        db = turn.db
        people.verify_may(db, request.user, authority.DEAL)
        before = requests.answered(db, scope, request.key, digest)
        if before is not None:
            return int(before)
        entered = _round_of(turn, request.round)
        _verify_open(turn, entered, kind)
        clock = _clock_of(reading)
        content = content_of(turn, entered)
        entry = Entry(content, request.user.user, turn.now_ns, clock)
        dealer_entries.put(db, entered.id, kind, entry)
        subject = f"round {entered.id}"
        audit.note(db, request.user, f"{kind}_entered", subject, turn.now_ns, **content)
        _settle(turn, entered)
        requests.keep(db, scope, [(request.key, digest, entered.settled)], turn.now_ns)
        return entered.settled

    return shell.run(ledger, lease, write)


def _settle(turn: Turn, entered: Round) -> None:
    """Settle a round that has ended, if its dealer and its shoe agree."""
    if entered.verdict != BELIEVED or entered.outcome is not None:
        return
    records = round_records.all_of(turn.db, entered.device, entered.number)
    judging.raise_alarms(turn, entered.device, judging.keep_outcome(turn, entered, records))
    settling.settle_due(turn, entered.device)


def _clock_of(reading: ReadClock | None) -> ClockReading:
    """Return what the clock of the table shows; unknown where its frames are too old."""
    shown = None if reading is None else reading()
    if shown is None or not shown.is_fresh:
        return None, None, None
    return shown.boot, shown.uptime_ms, shown.uncertainty_ms


def _round_of(turn: Turn, key: int) -> Round:
    entered = judging.find_by_key(turn, key)
    if entered is None or entered.table != turn.table or entered.terms is None:
        what = f"round {key} is not a round of table {turn.table}"
        raise LedgerRejection("no_such_round", what, "see the rounds of the table", "round")
    turn.state.rounds[entered.id] = entered
    return entered


def _verify_open(turn: Turn, entered: Round, kind: str) -> None:
    """Raise LedgerRejection unless a dealer may enter this of a round now."""
    assert entered.terms is not None
    dealer_entries.verify_round(turn.terms_at(entered.terms), entered.opening)
    if entered.settled:
        what = f"round {entered.number} is settled; its dealer enters nothing more"
        raise LedgerRejection("round_settled", what, "two users correct it", "round")
    if entered.ending is not None and entered.ending["type"] != shoe_round.ENDED:
        what = f"round {entered.number} is void"
        raise LedgerRejection("round_void", what, _RULE, "round")
    if entered.closed is None:
        what = f"bets of round {entered.number} are not closed by the table"
        raise LedgerRejection("bets_open", what, "close the bets first", "round")
    if kind in dealer_entries.of_round(turn.db, entered.id):
        what = f"the {kind} of round {entered.number} was entered already"
        raise LedgerRejection("already_entered", what, _RULE, "round")


def _layout(
    terms: Terms, entered: Round, boxes: Mapping[str, Sequence[int]]
) -> dict[str, list[str]]:
    """Return the bets by box, verified. Raises LedgerRejection."""
    if sorted(boxes) != sorted(str(number) for number in range(1, len(boxes) + 1)):
        what = (
            f"boxes are numbered from 1 without a gap, found {' '.join(sorted(boxes)) or 'none'}"
        )
        raise LedgerRejection("boxes_unclear", what, "number the boxes dealt to", BOXES)
    named = [bet for bets in boxes.values() for bet in bets]
    in_play = [bet.id for bet in entered.in_play()]
    if sorted(named) != in_play:
        wrong = sorted({*named} ^ {*in_play}) or sorted({n for n in named if named.count(n) > 1})
        what = f"each bet in play is on one box: bet {wrong[0]} is not, is on two, or is none"
        raise LedgerRejection("boxes_unclear", what, "list every bet of the round once", BOXES)
    for name, bets in boxes.items():
        _verify_box(terms, [entered.bets[bet].staked for bet in bets], name)
    return {name: [str(bet) for bet in bets] for name, bets in boxes.items()}


def _verify_box(terms: Terms, staked: Sequence[StoredBet], name: str) -> None:
    """Raise LedgerRejection unless the table accepts the bets of a box together.

    A box is a chance of its own (1:1(6)); on hc2011 the maximum is that of the box (3:2(3)).
    A bet that names its box is on that one.
    """
    for bet in staked:
        box = slips.box_of(bet.slip)
        if box is not None and str(box) != name:
            what = f"bet {bet.id} was placed on box {box}"
            step = f"put it on box {box}, or let two users rule on the round"
            raise LedgerRejection("boxes_unclear", what, step, f"{BOXES}.{name}")
    try:
        game_rounds.verify_bets(terms, staked)
    except LedgerRejection as refusal:
        step = "put the bets on other boxes, or let two users rule on the round"
        raise LedgerRejection(refusal.code, refusal.what, step, f"{BOXES}.{name}") from refusal


def _with_bets(outcome: Mapping[str, Any], layout: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the bets of each box. Raises LedgerRejection."""
    for name in _NOT_ENTERED:
        if name in outcome:
            what = f"a dealer does not enter {name}: it moves money against the cards"
            raise LedgerRejection("unknown_field", what, _RULE, f"outcome.{name}")
    boxes = outcome.get(BOXES)
    if not isinstance(boxes, dict) or boxes.keys() != layout.keys():
        what = f"the hands are not those of boxes {' '.join(layout)}, which were entered before"
        step = "enter the hand of each box, {} for one without a decision"
        raise LedgerRejection("boxes_unclear", what, step, f"outcome.{BOXES}")
    for name, box in boxes.items():
        if not isinstance(box, dict) or "bets" in box:
            what = "a box has cards, decisions and later stakes; its bets are those of the layout"
            raise LedgerRejection(
                "boxes_unclear", what, "leave bets out", f"outcome.{BOXES}.{name}"
            )
    return {**outcome, BOXES: {name: {**box, "bets": layout[name]} for name, box in boxes.items()}}
