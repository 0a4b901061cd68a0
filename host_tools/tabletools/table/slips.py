"""Slips of bets: as they are stored, and as records of their game. Works on values alone."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from tabletools.evidence.tables import Terms
from tabletools.games import GAMES
from tabletools.rules.codes.fields import UNKNOWN_FIELD, WRONG_TYPE
from tabletools.rules.declared import Declared, field_type, read, replaced
from tabletools.rules.records import ChipsOn
from tabletools.rules.violation import RuleViolation, within
from tabletools.settle.json_lines import BOX_GAMES
from tabletools.settle.strict_json import verify_unicode
from tabletools.store.errors import LedgerRejection

_MOST_SLIP = 2000
"""Characters of the longest slip."""
MOST_SLIPS = 4096
"""Size of the cache of parsed slips, and of those that are compiled."""
BOX, MOST_BOXES = "box", 20
"""The box that a bet is placed on, from 1 on, where each player has hands of his own."""
GAME_FIELDS = ("bet", "numbers", "index", "on", "choice", "games", "groups", "ways")
SLIP_FIELDS = (*GAME_FIELDS, BOX)
TERMINALS = "terminals"
"""Limits of terminals, see `rules.limit_exceptions`."""


class StoredBet(NamedTuple):
    """A bet in play. slip: its JSON. is_carried: its stake stayed in play in an earlier round."""

    id: int
    account: int
    slip: str
    stake: int
    state: str | None
    is_carried: bool = False


def slip_text(slip: Mapping[str, object]) -> str:
    """Return a slip as it is stored: the given fields, in a fixed order.

    Raises LedgerRejection.
    """
    for name in slip:
        if name not in SLIP_FIELDS:
            step = f"a slip has {' '.join(SLIP_FIELDS)}"
            raise LedgerRejection(
                "unknown_field", f"field {str(name)[:40]!r} is not known", step, "slip"
            )
    fields = {name: slip[name] for name in SLIP_FIELDS if slip.get(name) is not None}
    try:
        text = json.dumps(fields, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise LedgerRejection(
            "wrong_type", f"no JSON: {error}", "send plain values", "slip"
        ) from error
    if len(text) > _MOST_SLIP:
        what = f"the slip is longer than {_MOST_SLIP} characters"
        raise LedgerRejection("invalid_text", what, "", "slip")
    return text


def with_stack(slip: str, cents: int) -> str:
    """Return the slip of a player of the poker room who has that much on the table."""
    return _with(slip, "stack", cents)


def at_terminal(terms: Terms, slip: str) -> str:
    """Return the slip of a bet placed at a terminal, where terminals have limits of their own."""
    return _with(slip, "terminal", True) if terms.limits.get(TERMINALS) is not None else slip


def _with(slip: str, name: str, value: object) -> str:
    return json.dumps({**json.loads(slip), name: value}, separators=(",", ":"))


def bets_of_call(terms: Terms, call: Mapping[str, object], cents: int) -> list[ChipsOn]:
    """Return the slips that a call bet stands for, with their stakes. Raises LedgerRejection.

    call: its name, and number and sides of neighbours. cents: of all its chips.
    """
    bets_of = GAMES[terms.game].announced
    if bets_of is None:
        having = " ".join(name for name, game in GAMES.items() if game.announced)
        what = f"{terms.game} has no call bets, they are of {having}"
        raise LedgerRejection("bet_not_offered", what, "place the bets one by one", "call")
    try:
        verify_unicode(dict(call), "")
        accepted: Any = terms.limits.get("call_bets") or ()
        fields = {**call, "id": "0", "stake": cents}
        return bets_of(terms.rules, terms.variant, fields, accepted)
    except RuleViolation as refusal:
        raise LedgerRejection(*refusal.parts) from refusal


def box_of(slip: str) -> int | None:
    """Return the box that a slip names, None if it names none."""
    box: int | None = json.loads(slip).get(BOX) if f'"{BOX}"' in slip else None
    return box


def by_box(bets: Sequence[StoredBet]) -> list[list[StoredBet]]:
    """Return bets that are measured together: each box is a chance of its own (1:1(6)).

    Those that name none are measured together, as they may all come to be on one.
    """
    boxes: dict[int | None, list[StoredBet]] = {}
    for bet in bets:
        boxes.setdefault(box_of(bet.slip), []).append(bet)
    return list(boxes.values())


def slips_of(terms: Terms, bets: Sequence[StoredBet]) -> list[Declared]:
    """Return the bets as records of their game. Raises RuleViolation."""
    slips = []
    for place, bet in enumerate(bets):
        with within(f"bets[{place}]"):
            slips.append(with_slip(terms, bet))
    return slips


def with_slip(terms: Terms, bet: StoredBet) -> Declared:
    """Return a bet as a record of its game. Raises RuleViolation."""
    # Some games have no state and refuse the field.
    state = {} if bet.state is None else {"state": bet.state}
    fields = {"id": str(bet.id), "player": str(bet.account), "stake": bet.stake, **state}
    return replaced(_slip(terms.game, bet.slip), **fields)


@lru_cache(MOST_SLIPS)
def _slip(game: str, slip: str) -> Declared:
    """Return a slip as a record of its game, with a placeholder id and a stake of 1 cent.

    Raises RuleViolation.
    """
    fields = json.loads(slip)
    verify_unicode(fields, "")
    if (box := fields.pop(BOX, None)) is not None:
        _verify_box(game, box)
    record: Declared = read(
        field_type(GAMES[game].record, "bets"), {"id": "0", "player": "0", "stake": 1, **fields}
    )
    return record


def _verify_box(game: str, box: object) -> None:
    """Raise RuleViolation unless a bet of this game may name this box."""
    if game not in BOX_GAMES:
        what = f"{game} has no boxes, they are of {' '.join(BOX_GAMES)}"
        raise RuleViolation(UNKNOWN_FIELD, what, BOX)
    if type(box) is not int or not 1 <= box <= MOST_BOXES:
        what = f"{BOX} is not the number of a box, from 1 to {MOST_BOXES}"
        raise RuleViolation(WRONG_TYPE, what, BOX)
