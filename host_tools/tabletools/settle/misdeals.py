"""Rounds dealt wrongly, as records: `misdeal` beside the hands says that they were so dealt.

Without it a wrong number of cards is taken for a slip of the pen and refused; with it the edition
decides whose stakes come back (rules.misdeal), and where it is silent an option of the table.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tabletools.rules import misdeal
from tabletools.rules.cards import Hand
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.game import Game
from tabletools.rules.refusal import Refusal, shown, within
from tabletools.settle.records import NEEDS_RULING, OUTCOME_NOT_ONE
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_schema import TEXT_OR_NULL, Schema, boolean

GREEK, LIVE = "gr2003", "de-live"
MISDEAL = "misdeal"


class Cancelled(NamedTuple):
    """An outcome that gives every stake of its round back. article: by what."""

    article: str


class Misdeals(NamedTuple):
    """What a game adds to its records.

    schema: fields of the outcome beside hands and void. options: of the table. article: by which
    all stakes come back, "" if by none, from outcome, table, game and hands.
    """

    schema: Mapping[str, Schema]
    options: Mapping[str, Schema]
    article: Callable[[Fields, Fields, Game, Sequence[Hand]], str]

    def cancelled(
        self, round_fields: Fields, outcome: Fields, game: Game, hands: Sequence[Hand]
    ) -> Cancelled | None:
        """Return what a misdeal does to a round, None if nothing."""
        table = round_fields.get("table")
        if table is None and all(outcome.get(name) is None for name in self.schema):
            return None  # most rounds: nothing of it is said
        found = self.article(outcome, Fields(table or {}), game, hands)
        return Cancelled(found) if found else None


def _is_told(outcome: Fields, game: Game, edition: str) -> bool:
    """Return whether a misdeal is told; raise Refusal where the edition does not rule on it."""
    if outcome.optional_text(MISDEAL) is None:
        return False
    if game.edition != edition:
        what = f"{game.edition} says nothing of misdeals, 3:1(7) speaks of shufflers alone"
        raise Refusal(NEEDS_RULING, what, MISDEAL)
    if outcome.optional_text("void") is not None:
        raise Refusal(OUTCOME_NOT_ONE, "a round is void or was dealt wrongly, both are given")
    return True


def _option(table: Fields, name: str, game: Game, edition: str) -> bool:
    """Return whether a table has an option; raise Refusal where its edition has none."""
    chosen = table.optional_boolean(name) or False
    if chosen and game.edition != edition:
        what = f"{name} is an option of {edition}, not of {game.edition}"
        raise Refusal(LIMITS_INVALID, what, f"table.{name}")
    return chosen


def _count(outcome: Fields, name: str, game: Game) -> int | None:
    """Return how many cards were counted, of gr2003 alone."""
    count = outcome.optional_integer(name)
    if count is not None and (game.edition != GREEK or not 0 <= count <= misdeal.DECK):
        what = f"0 to {misdeal.DECK} cards are counted, on {GREEK} only; given is {shown(count)}"
        raise Refusal(DEAL_NOT_BY_RULE, what, name)
    return count


def _stud(outcome: Fields, table: Fields, game: Game, hands: Sequence[Hand]) -> str:
    """gr2003 §4 and §10: the player's hand, the bank's, and what remained of the deck."""
    voids = _option(table, "count_voids", game, GREEK)
    remaining, others = (_count(outcome, name, game) for name in ("remaining", "others"))
    is_told = _is_told(outcome, game, GREEK)
    player, bank = hands
    is_whole = len(player) == len(bank) == misdeal.STUD_CARDS
    if not is_told and not (is_whole and remaining is not None):
        return ""
    found = misdeal.stud(
        {"player": player}, bank, remaining, others=others or 0, count_voids=voids
    )
    if is_told and not found.void:
        what = f"player and bank have {misdeal.STUD_CARDS} cards each: no misdeal of {GREEK} §10"
        raise Refusal(DEAL_NOT_BY_RULE, what, MISDEAL)
    return found.article


def _live(outcome: Fields, table: Fields, game: Game, _hands: Sequence[Hand]) -> str:
    """de-live is silent on cards dealt wrongly."""
    voids = _option(table, "misdeal_voids", game, LIVE)
    if not _is_told(outcome, game, LIVE):
        return ""
    with within(MISDEAL):
        return misdeal.live(game.name, (), interrupted=False, misdeal_voids=voids).article


_CARDS: Schema = {"type": ["integer", "null"], "minimum": 0, "maximum": misdeal.DECK}
_TOLD: Schema = {
    **TEXT_OR_NULL,
    "description": "What was dealt wrongly, in words; the hands are as they lay.",
}
STUD = Misdeals(
    {
        MISDEAL: _TOLD,
        "remaining": {**_CARDS, "description": "gr2003: cards counted after the deal."},
        "others": {**_CARDS, "description": "gr2003: cards of other players; left out: 0."},
    },
    {"count_voids": boolean("gr2003: a wrong count of what remains voids; left out: refused.")},
    _stud,
)
LIVE_GAME = Misdeals(
    {MISDEAL: _TOLD},
    {"misdeal_voids": boolean("de-live: a misdeal counts as interruption; left out: refused.")},
    _live,
)
