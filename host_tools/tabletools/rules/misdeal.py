"""Misdealt rounds: `misdeal` next to the hands of a record says that they were dealt wrongly.

Without it a wrong number of cards is assumed to be a typing error and refused; with it the edition
decides whose stakes are returned, and where it is silent an option of the table. gr2003 rules on
the number of cards (§10), de-live on interruptions (Bac 2.1.8, BJ 2.1.5); both are silent on the
rest, which needs a ruling (rulebook chapter 2). Holland Casino mentions only a shuffler's fault
(3:1(7), `rules.cards`).
"""

from typing import Annotated

from msgspec import Meta

from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.decks import DeckTable
from tabletools.rules.declared import Text
from tabletools.rules.game import Game
from tabletools.rules.hands import Dealt
from tabletools.rules.records import NEEDS_RULING, OUTCOME_NOT_ONE
from tabletools.rules.table_game import Cancelled
from tabletools.rules.violation import RuleViolation

LIVE = "de-live"
MISDEAL = "misdeal"


class MaybeMisdealt(Dealt, frozen=True, kw_only=True):
    """Hands that may have been dealt wrongly."""

    misdeal: Annotated[
        Text | None,
        Meta(description="What was dealt wrongly, in words; the hands are as dealt."),
    ] = None

    def may_lack_hands(self) -> bool:
        """Whether hands may be missing."""
        return self.void is not None or self.misdeal is not None


class LiveTable(DeckTable, frozen=True, kw_only=True):
    """Limits, decks, and the effect of a misdeal."""

    misdeal_voids: Annotated[
        bool | None,
        Meta(description="de-live: a misdeal counts as interruption; left out: refused."),
    ] = None


def live_at(game: Game, table: LiveTable) -> Game:
    """Return the game; raise RuleViolation at an option its edition does not have."""
    verify_option("misdeal_voids", game, LIVE, is_chosen=table.misdeal_voids)
    return game


def of_live(
    game: Game, outcome: MaybeMisdealt, table: LiveTable | None, article: str
) -> Cancelled | None:
    """Return what cancels a round of a live game, None if nothing does. Raises RuleViolation.

    article: on interruptions: all payments and games are invalid, those decided and paid too
    (L-1, READING-20). de-live is silent on misdeals: refused, unless by an option of the table a
    misdeal counts as an interruption.
    """
    if not is_misdealt(outcome, game, LIVE):
        return None
    if table is None or table.misdeal_voids is not True:
        what = f"cards were dealt wrongly; {article} covers interruptions only"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, MISDEAL)
    return Cancelled(article)


def is_misdealt(outcome: MaybeMisdealt, game: Game, edition: str) -> bool:
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


def verify_option(name: str, game: Game, edition: str, *, is_chosen: bool | None) -> None:
    """Raise RuleViolation if an option is chosen that the edition of the game does not have."""
    if is_chosen and game.edition != edition:
        what = f"{name} is an option of {edition}, not of {game.edition}"
        raise RuleViolation(LIMITS_INVALID, what, name)
