"""Rounds whose players hold hands of their own: two users give the hands, as `settle` reads them.

A ruling is then a list of card records, one for each hand or box: its bets and its outcome. Bets
are named by their numbers; what was decided once the cards lay (a fold, a second stake, a split)
is in them. A stake that was laid by then is laid here, from the player's account. What is paid,
the settlement says.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, exists, insert, select

from tabletools.evidence.tables import Terms, terms_at
from tabletools.money import books, games, settling
from tabletools.money.books import Entry
from tabletools.money.games import RECORDS, Staked
from tabletools.rules.money import MAX_STAKE
from tabletools.settle.dealt import SHARED
from tabletools.settle.lines import CARDS
from tabletools.store.audit import Actor
from tabletools.store.errors import Refused
from tabletools.store.schema.books import postings
from tabletools.store.schema.play import bets, withdrawals

_STEP = "give the hands as `tabletool settle` reads them (docs/LEDGER.md)"
_RECORD = ("rules", "game", "variant", "bets", "outcome")
_BET = ("id", "player", "stake", "state", *games.SLIP_FIELDS)


class _Round(NamedTuple):
    """The round ruled on. by_id: the bets in play, by their numbers as text."""

    row: RowMapping
    terms: Terms
    by_id: dict[str, Staked]


def read(
    db: Connection, row: RowMapping, outcome: Mapping[str, object], by: tuple[Actor, int]
) -> Mapping[str, object]:
    """Return an outcome as it is kept; hands lay the stakes that came after the cards.

    by: the first of the two users, and the time. Raises Refused.
    """
    terms = terms_at(db, row["terms_id"])
    own = terms.game in CARDS - SHARED
    if RECORDS not in outcome:
        staked = settling.in_play(db, row["id"])
        if games.STAKES_BACK in outcome:
            _verify_back(outcome)
        is_shown = not games.pays_nobody(outcome)
        if own and is_shown and len({bet.account for bet in staked}) > 1:
            what = f"each player of {terms.game} has a hand of his own, and one hand was given"
            raise Refused("hands_needed", what, _STEP, "outcome")
        return outcome
    if not own or len(outcome) != 1:
        what = f"hands one by one are for {' '.join(sorted(CARDS - SHARED))}, and stand alone"
        raise Refused("hands_unexpected", what, "give the one outcome of the round", "outcome")
    _take_back_later(db, row, by)
    found = _Round(row, terms, {str(bet.id): bet for bet in settling.in_play(db, row["id"])})
    given = outcome[RECORDS]
    if not isinstance(given, list) or not given:
        raise Refused("wrong_type", "records is no list of card records", _STEP, "outcome")
    kept = [_record(db, found, record, by) for record in given]
    named = [bet["id"] for record in kept for bet in record["bets"]]
    missing = sorted(set(found.by_id) - set(named), key=int)
    if missing or len(named) != len(set(named)):
        twice = sorted({name for name in named if named.count(name) > 1}, key=int)
        what = f"every bet lies on one hand; on none: {missing[:5]}, on several: {twice[:5]}"
        raise Refused("hands_incomplete", what, "name each bet of the round once", "outcome")
    return {RECORDS: kept}


def _verify_back(outcome: Mapping[str, object]) -> None:
    why = outcome[games.STAKES_BACK]
    if len(outcome) != 1 or not isinstance(why, str) or not why.isprintable():
        what = f"{games.STAKES_BACK} stands alone, with its reason as a text"
        raise Refused("wrong_type", what, "say why the stakes come back", "outcome")


def _record(
    db: Connection, found: _Round, record: object, by: tuple[Actor, int]
) -> dict[str, Any]:
    """Return a card record as it is kept: its bets by number with their choice, its outcome."""
    given = _fields(record, _RECORD)
    for name in ("rules", "game", "variant"):
        if given.get(name) not in (None, getattr(found.terms, name)):
            what = f"the round is played by {name} {getattr(found.terms, name)}"
            raise Refused("other_game", what, "give the record of this round", name)
    told, outcome = given.get("bets"), given.get("outcome")
    if not isinstance(told, list) or not isinstance(outcome, dict):
        raise Refused("wrong_type", "a card record has a list of bets and an outcome", _STEP)
    listed = [_fields(bet, _BET) for bet in told]
    known = [bet for bet in listed if bet.get("id") in found.by_id]
    later = [bet for bet in listed if bet.get("id") not in found.by_id]
    whose = {str(found.by_id[bet["id"]].account) for bet in known}
    kept = [_known(found.by_id[bet["id"]], bet) for bet in known]
    kept += [_later(db, found, bet, whose, by) for bet in later]
    return {"bets": kept, "outcome": outcome}


def _known(bet: Staked, given: Mapping[str, Any]) -> dict[str, Any]:
    """A bet that lies: what the record says of it must be so; only the choice may be new."""
    lies = games.fields_of(bet)
    for name, value in given.items():
        if name == "choice" and lies.get(name) is None:
            continue
        if value is not None and value != lies.get(name):
            what = f"{name} of bet {bet.id} is {lies.get(name)!r}, the record has {value!r}"
            raise Refused("other_bet", what, "give the bet as it lies", name)
    choice = given.get("choice")
    return {"id": str(bet.id)} | ({} if choice is None else {"choice": choice})


def _later(
    db: Connection, found: _Round, given: Mapping[str, Any], whose: set[str], by: tuple[Actor, int]
) -> dict[str, Any]:
    """Lay a stake that came once the cards lay: a bet of one who plays on this hand."""
    player, cents = given.get("player"), given.get("stake")
    if player not in whose:
        what = f"player {player!r} has no bet on this hand, so lays no later stake there"
        raise Refused("no_such_player", what, "name the account of one whose bet lies", "player")
    if type(cents) is not int or not 1 <= cents <= MAX_STAKE:
        what = f"the stake is no whole number of cents from 1 to {MAX_STAKE}"
        raise Refused("stake_invalid", what, "give the stake in cents", "stake")
    user, now_ns = by
    key, table, account = found.row["id"], found.row["table_id"], int(player)
    house = settling.house_of(db, table, now_ns)
    balance = books.balance(db, account, lock=True)
    if balance < cents:
        what = f"player {player} laid {cents} once the cards lay, balance {balance} cents"
        raise Refused("not_enough_money", what, "pay in what lay on the table first", "stake")
    slip = games.slip_text({name: given.get(name) for name in games.SLIP_FIELDS if name in given})
    entry = Entry("bet", house.currency, table, key, user=user.user)
    posting = books.post(db, entry, {account: -cents, house.escrow: cents}, now_ns)
    values = {
        "table_id": table, "round_id": key, "account_id": account, "slip": slip,
        "stake_cents": cents, "standing": "valid", "placed_ns": now_ns, "posting_id": posting,
    }  # fmt: skip
    made = db.execute(insert(bets).values(**values).returning(bets.c.id)).scalar_one()
    bet = Staked(int(made), account, slip, cents, None)
    found.by_id[str(bet.id)] = bet
    return {"id": str(bet.id)}


def _take_back_later(db: Connection, row: RowMapping, by: tuple[Actor, int]) -> None:
    """Stakes an earlier ruling laid go back: the hands given now say anew which there were."""
    (user, now_ns), at = by, bets.c
    is_back = exists().where(withdrawals.c.bet_id == at.id)
    query = (
        select(bets)
        .join(postings, postings.c.id == at.posting_id)
        .where(at.round_id == row["id"], postings.c.user_id.is_not(None), ~is_back)
    )
    for bet in db.execute(query).mappings().all():
        settling.give_back(db, bet, "corrected", now_ns, user.user)


def _fields(value: object, known: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refused("wrong_type", "this is no object with named fields", _STEP, "outcome")
    for name in value:
        if name not in known:
            what = f"field {str(name)[:40]!r} is not known here"
            raise Refused("unknown_field", what, f"known are {' '.join(known)}", "outcome")
    return value
