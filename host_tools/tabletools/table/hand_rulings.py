"""Card rounds in which each player holds a hand: two users enter the one record of the round.

The record is that of `settle.boxes`: bank, board and boxes, each with its cards, the numbers of
the bets on it and the decisions. A stake placed after the deal (a double, a second stake) is a
`later` stake of its box. It is placed here, from the account of a player with a bet on that box,
and its number joins the others in the stored record. The settlement computes what is paid.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, exists, insert, select

from tabletools.evidence import round_records
from tabletools.evidence.tables import terms_at
from tabletools.games import POKER_ROOM
from tabletools.roles import Record, shoe_round
from tabletools.rules.dealing import Decision, ShoeCards
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.violation import RuleViolation
from tabletools.settle import boxes
from tabletools.settle.boxes import BOXES, is_card_round
from tabletools.settle.json_lines import BOX_GAMES, CARDS
from tabletools.settle.strict_json import verify_unicode
from tabletools.store import books
from tabletools.store.audit import Actor
from tabletools.store.books import Entry
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.books import postings
from tabletools.store.schema.play import bets, withdrawals
from tabletools.table import game_rounds, settling, slips
from tabletools.table.shell import Turn
from tabletools.table.slips import StoredBet
from tabletools.table.state import VALID, OpenBet, Round

LATER = "later"
"""The field of a box for stakes placed after the deal; the stored record has none."""
_WHOLE_HAND = ("put_in", "misdeal", "void")
"""What ends a hand of the poker room: one of these."""
_NONE = ShoeCards([], [])
_STEP = "give bank, board and boxes as docs/LEDGER.md says"
_STAKE = ("player", "stake", *slips.GAME_FIELDS)


def read(
    turn: Turn, ruled: Round, outcome: Mapping[str, object], user: Actor
) -> Mapping[str, object]:
    """Return an outcome as it is stored; stakes placed after the deal are placed here.

    user: the first of the two. Raises LedgerRejection.
    """
    assert ruled.terms is not None
    try:
        verify_unicode(outcome, "outcome")
    except RuleViolation as refusal:
        raise LedgerRejection(*refusal.parts) from refusal
    game = turn.terms_at(ruled.terms).game
    has_boxes = game in BOX_GAMES
    if not is_card_round(outcome):
        _verify_no_boxes(game, outcome, has_boxes=has_boxes)
        return outcome
    if not has_boxes:
        what = f"boxes are of {' '.join(BOX_GAMES)}; this round is {game}"
        step = "give the one outcome of the round"
        raise LedgerRejection("hands_unexpected", what, step, "outcome")
    _refund_later(turn, ruled, user)
    whose = {str(bet.id): bet.account for bet in ruled.in_play()}
    boxes_by_name = outcome[BOXES]
    if not isinstance(boxes_by_name, dict):
        what = "boxes is not an object of boxes by name"
        raise LedgerRejection("wrong_type", what, _STEP, f"outcome.{BOXES}")
    stored = {}
    for name, box in boxes_by_name.items():
        place = f"outcome.{BOXES}.{name}"
        named, later = _bets_of_box(place, box)
        players = {whose[bet] for bet in named if isinstance(bet, str) and bet in whose}
        numbers = [
            _place_later(turn, ruled, (f"{place}.{LATER}[{number}]", stake), players, user)
            for number, stake in enumerate(later)
        ]
        fields = {field: value for field, value in box.items() if field != LATER}
        stored[name] = {**fields, "bets": [*named, *map(str, numbers)]}
    return {**outcome, BOXES: stored}


def shoe_cards(db: Connection, ruled: Round) -> ShoeCards:
    """Return the cards that the shoe of a round read; none if it reported none.

    Raises LedgerRejection unless all cards that were dealt are known.
    """
    if ruled.ending is None or ruled.end_type is None:
        return _NONE
    records: Sequence[Record] = [ruled.ending]
    if ruled.end_type in round_records.OF_PARTS:
        records = round_records.all_of(db, ruled.device, ruled.number)
    try:
        return shoe_round.shoe_cards(ruled.ending, records) or _NONE
    except RuleViolation as refusal:
        step = "enter the hands as they are on the table"
        raise LedgerRejection(refusal.code.name, refusal.what, step, "round") from refusal


def differences(db: Connection, ruled: Round, outcome: Mapping[str, Any]) -> list[str]:
    """Return where the cards of an outcome contradict what its shoe read."""
    assert ruled.terms is not None
    game = terms_at(db, ruled.terms).game
    if game not in CARDS or game_rounds.has_no_result(outcome):
        return []
    try:
        cards = shoe_cards(db, ruled)
    except LedgerRejection as refused:
        return [refused.what]
    return boxes.differences(CARDS[game].outcome, outcome, cards) if cards.dealt else []


def record_from_shoe(
    db: Connection,
    ruled: Round,
    many: int | None = None,
    decisions: Sequence[Decision] | None = None,
) -> tuple[ShoeCards, dict[str, object] | None, str]:
    """Return the cards a shoe read, the record they make (None if they make none), and why not.

    many: number of boxes dealt to. decisions: of Black Jack, in their order. Raises
    LedgerRejection.
    """
    if ruled.terms is None:
        raise LedgerRejection(
            "no_such_round", "no terms are known of the round", "choose another", "round"
        )
    cards = shoe_cards(db, ruled)
    if not cards.dealt:
        return cards, None, "no shoe reported cards of this round"
    try:
        played = round_records.played(db, ruled.terms)
        return cards, shoe_round.card_round_from_shoe(played, cards, many, decisions), ""
    except RuleViolation as refusal:
        return cards, None, refusal.what


def _verify_no_boxes(game: str, outcome: Mapping[str, object], *, has_boxes: bool) -> None:
    """Raise LedgerRejection unless an outcome without boxes is one for this game."""
    if game_rounds.STAKES_BACK in outcome:
        _verify_back(outcome)
    elif game == POKER_ROOM and not any(outcome.get(name) for name in _WHOLE_HAND):
        what = "players hold their stakes for a hand, but what they put in is missing"
        step = "give put_in, folded and order as docs/LEDGER.md says, or void"
        raise LedgerRejection("hands_needed", what, step, "outcome.put_in")
    if has_boxes and not game_rounds.has_no_result(outcome):
        what = f"each player of {game} holds a hand, and one hand was given"
        raise LedgerRejection("hands_needed", what, _STEP, "outcome")


def _verify_back(outcome: Mapping[str, object]) -> None:
    why = outcome[game_rounds.STAKES_BACK]
    if len(outcome) != 1 or not isinstance(why, str) or not why.isprintable():
        what = f"{game_rounds.STAKES_BACK} must be the only field, with its reason as a text"
        raise LedgerRejection(
            "wrong_type", what, "give the reason why the stakes are returned", "outcome"
        )


def _bets_of_box(place: str, box: object) -> tuple[list[object], list[object]]:
    """Return the numbers of the bets of a box as given, and its later stakes.

    place: where the box is in the request. Raises LedgerRejection.
    """
    if not isinstance(box, dict):
        raise LedgerRejection("wrong_type", "a box is an object with named fields", _STEP, place)
    named, later = box.get("bets", []), box.get(LATER) or []
    for name, value in (("bets", named), (LATER, later)):
        if not isinstance(value, list):
            raise LedgerRejection("wrong_type", f"{name} is not a list", _STEP, f"{place}.{name}")
    return named, later


def _place_later(
    turn: Turn, ruled: Round, said: tuple[str, object], players: Collection[int], user: Actor
) -> int:
    """Place a stake that came after the deal, of a player with a bet on this box; returns its bet.

    said: its place, and what was given.
    """
    account, cents, slip = _later_stake(*said, players)
    db, key, now_ns = turn.db, ruled.id, turn.now_ns
    house = settling.accounts_of(turn)
    balance = books.balance(db, account, lock=True)
    if balance < cents:
        what = f"player {account} placed {cents} after the deal, balance {balance} cents"
        step = "pay in what was on the table first"
        raise LedgerRejection("not_enough_money", what, step, f"{said[0]}.stake")
    entry = Entry("bet", house.currency, turn.table, key, user=user.user)
    posting = books.post(db, entry, {account: -cents, house.escrow: cents}, now_ns)
    values = {
        "table_id": turn.table,
        "round_id": key,
        "account_id": account,
        "slip": slip,
        "stake_cents": cents,
        "standing": VALID,
        "placed_ns": now_ns,
        "posting_id": posting,
    }
    number = int(db.execute(insert(bets).values(**values).returning(bets.c.id)).scalar_one())
    staked = StoredBet(number, account, slip, cents, None)
    ruled.bets[number] = OpenBet(staked, is_own=True, standing=VALID)
    return number


def _later_stake(place: str, stake: object, players: Collection[int]) -> tuple[int, int, str]:
    """Return account, cents and slip of a later stake. Raises LedgerRejection."""
    fields = _fields(place, stake, _STAKE)
    player, cents = fields.get("player"), fields.get("stake")
    if not isinstance(player, str) or player not in map(str, players):
        what = f"player {str(player)[:40]!r} has no bet on this box, so has no later stake there"
        step = "name the account of a player with a bet on it"
        raise LedgerRejection("no_such_player", what, step, f"{place}.player")
    if type(cents) is not int or not 1 <= cents <= MAX_STAKE:
        what = f"the stake is not a whole number of cents from 1 to {MAX_STAKE}"
        raise LedgerRejection("stake_invalid", what, "give the stake in cents", f"{place}.stake")
    slip = {name: fields.get(name) for name in slips.GAME_FIELDS if name in fields}
    return int(player), cents, slips.slip_text(slip)


def _refund_later(turn: Turn, ruled: Round, user: Actor) -> None:
    """Refund stakes that an earlier ruling placed: the new record states all of them again."""
    col = bets.c
    is_back = exists().where(withdrawals.c.bet_id == col.id)
    query = (
        select(col.id)
        .join(postings, postings.c.id == col.posting_id)
        .where(col.round_id == ruled.id, postings.c.user_id.is_not(None), ~is_back)
    )
    for number in turn.db.execute(query).scalars().all():
        settling.refund(turn, ruled, ruled.bets[number].staked, "corrected", user.user)


def _fields(place: str, value: object, known: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise LedgerRejection(
            "wrong_type", "this is not an object with named fields", _STEP, place
        )
    for name in value:
        if name not in known:
            what = f"field {str(name)[:40]!r} is unknown"
            raise LedgerRejection("unknown_field", what, f"known are {' '.join(known)}", place)
    return value
