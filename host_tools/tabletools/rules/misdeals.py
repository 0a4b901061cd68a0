"""Misdealt rounds as records: `misdeal` next to the hands states that they were dealt wrongly.

Without it a wrong number of cards is assumed to be a typing error and refused; with it the edition
decides whose stakes are returned (rules.misdeal), and where it is silent an option of the table.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from tabletools.rules import misdeal
from tabletools.rules.cards import Hand, hand_of
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.decks import ONE, DeckTable
from tabletools.rules.declared import Text
from tabletools.rules.game import Game
from tabletools.rules.hands import AnyHand, Dealt
from tabletools.rules.records import NEEDS_RULING, OUTCOME_NOT_ONE
from tabletools.rules.table_game import Cancelled, Table
from tabletools.rules.violation import RuleViolation, shown, within

GREEK, LIVE = "gr2003", "de-live"
MISDEAL = "misdeal"
OTHERS = "others"
"""Cards of other players; the record of a whole round contains them already."""
_Count = Annotated[int | None, Meta(extra_json_schema={"minimum": 0, "maximum": misdeal.DECK})]


class MaybeMisdealt(Dealt, frozen=True, kw_only=True):
    """Hands that may have been dealt wrongly."""

    misdeal: Annotated[
        Text | None,
        Meta(description="What was dealt wrongly, in words; the hands are as dealt."),
    ] = None

    def may_lack_hands(self) -> bool:
        """Whether hands may be missing."""
        return self.void is not None or self.misdeal is not None


class StudOutcome(MaybeMisdealt, frozen=True, kw_only=True):
    """Caribbean Stud: two hands, and how many cards were counted."""

    HANDS: ClassVar = ("player", "bank")
    OF_BOX: ClassVar = ("player", "others")
    OF_BOTH: ClassVar = ("misdeal",)
    DECKS: ClassVar = ONE

    player: AnyHand | None = None
    bank: AnyHand | None = None
    remaining: Annotated[_Count, Meta(description="gr2003: cards counted after the deal.")] = None
    others: Annotated[_Count, Meta(description="gr2003: cards of other players; left out: 0.")] = (
        None
    )


class StudTable(Table, frozen=True, kw_only=True):
    """Limits, and the effect of a wrong card count."""

    count_voids: Annotated[
        bool | None,
        Meta(description="gr2003: a wrong count of what remains voids; left out: refused."),
    ] = None


class LiveTable(DeckTable, frozen=True, kw_only=True):
    """Limits, decks, and the effect of a misdeal."""

    misdeal_voids: Annotated[
        bool | None,
        Meta(description="de-live: a misdeal counts as interruption; left out: refused."),
    ] = None


def stud_at(game: Game, table: StudTable) -> Game:
    """Return the game; raise RuleViolation at an option its edition does not have."""
    _verify_option("count_voids", game, GREEK, is_chosen=table.count_voids)
    return game


def live_at(game: Game, table: LiveTable) -> Game:
    """Return the game; raise RuleViolation at an option its edition does not have."""
    _verify_option("misdeal_voids", game, LIVE, is_chosen=table.misdeal_voids)
    return game


def of_stud(
    game: Game, outcome: StudOutcome, table: StudTable | None, hands: Sequence[Hand]
) -> Cancelled | None:
    """Return what cancels a round of Caribbean Stud, None if nothing does.

    gr2003 §4 and §10: the player's hand, the bank's, and what remained of the deck.
    """
    for name in ("remaining", OTHERS):
        count = getattr(outcome, name)
        if count is not None and (game.edition != GREEK or not 0 <= count <= misdeal.DECK):
            what = f"0 to {misdeal.DECK} cards are counted, on {GREEK} only"
            raise RuleViolation(DEAL_NOT_BY_RULE, f"{what}; found {shown(count)}", name)
    is_misdealt = _is_misdealt(outcome, game, GREEK)
    player, bank = hands
    is_whole = len(player) == len(bank) == misdeal.STUD_CARDS
    if not is_misdealt and not (is_whole and outcome.remaining is not None):
        return None
    voids = table is not None and table.count_voids is True
    dealt = {"player": player}
    others = (outcome.others or 0) + len(hand_of(outcome.burned or ""))
    found = misdeal.stud(dealt, bank, outcome.remaining, others=others, count_voids=voids)
    if is_misdealt and not found.void:
        what = f"player and bank have {misdeal.STUD_CARDS} cards each: no misdeal of {GREEK} §10"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, MISDEAL)
    return Cancelled(found.article) if found.article else None


def of_live(game: Game, outcome: MaybeMisdealt, table: LiveTable | None) -> Cancelled | None:
    """Return what cancels a round of a live game, None if nothing does.

    de-live is silent on misdeals.
    """
    if not _is_misdealt(outcome, game, LIVE):
        return None
    voids = table is not None and table.misdeal_voids is True
    with within(MISDEAL):
        found = misdeal.live(game.name, (), interrupted=False, misdeal_voids=voids)
    return Cancelled(found.article)


def _is_misdealt(outcome: MaybeMisdealt, game: Game, edition: str) -> bool:
    """Return whether a misdeal is given.

    Raises RuleViolation where the edition does not rule on it.
    """
    if outcome.misdeal is None:
        return False
    if game.edition != edition:
        what = f"{game.edition} does not cover misdeals, 3:1(7) covers shufflers only"
        raise RuleViolation(NEEDS_RULING, what, MISDEAL)
    if outcome.void is not None:
        raise RuleViolation(
            OUTCOME_NOT_ONE, "a round is void or was dealt wrongly, both are given"
        )
    return True


def _verify_option(name: str, game: Game, edition: str, *, is_chosen: bool | None) -> None:
    if is_chosen and game.edition != edition:
        what = f"{name} is an option of {edition}, not of {game.edition}"
        raise RuleViolation(LIMITS_INVALID, what, name)
