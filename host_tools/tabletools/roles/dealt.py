"""From a round's cards, in the order a shoe dealt them, to the outcome `tabletool settle` reads.

How each game deals is in its module (`rules.dealing`).
"""

from collections.abc import Sequence

from tabletools.games import GAMES
from tabletools.rules.cards import hand_of
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.dealing import BoxDeal, Boxes, Decision, Outcome, SharedDeal
from tabletools.rules.violation import RuleViolation, shown


def _dealing(game: str) -> SharedDeal | BoxDeal | None:
    return GAMES[game].dealing if game in GAMES else None


def outcomes(
    game: str,
    cards: Sequence[str],
    boxes: int = 1,
    decisions: Sequence[Decision] | None = None,
    *,
    hole_card: bool = False,
) -> list[Outcome]:
    """Return the outcome of each box dealt to, in order; a single one where all share it.

    boxes: hands dealt to besides the bank's, in games with boxes. decisions: of the boxes, in the
    order they were made. hole_card: the bank's second card is dealt before them, as on de-live
    (BJ 3.4). Raises RuleViolation at cards the game does not deal.
    """
    dealt, dealing = hand_of(" ".join(cards)), _dealing(game)
    if dealing is None:
        known = " ".join(name for name, each in GAMES.items() if each.dealing)
        what = f"no order of dealing is known for {shown(game)}, only for {known}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what)
    if isinstance(dealing, SharedDeal):
        return [dealing.outcome(dealt)]
    return dealing.outcomes(dealt, Boxes(boxes, decisions, hole_card))


def round_of(
    game: str,
    cards: Sequence[str],
    boxes: int | None = None,
    decisions: Sequence[Decision] | None = None,
    *,
    hole_card: bool = False,
) -> Outcome:
    """Return the record of a card round as in `boxes`: bank and boxes, by number from 1.

    boxes: how many were dealt to; None: as the game has it by the number of cards. The rest as for
    `outcomes`. Raises RuleViolation at cards the game does not deal.
    """
    dealing = _dealing(game)
    if not isinstance(dealing, BoxDeal):
        what = f"no record says whose cards are whose in {shown(game)}"
        raise RuleViolation(DEAL_INCOMPLETE, what)
    many = boxes or dealing.number(len(cards))
    box_hands = outcomes(game, cards, many, decisions, hole_card=hole_card)
    hands = {str(place): {"cards": each["player"]} for place, each in enumerate(box_hands, 1)}
    return {"bank": box_hands[0]["bank"], "boxes": hands}


def so_far(game: str, cards: Sequence[str]) -> Outcome:
    """Return the hands dealt when a round is broken off, of a game all share; a hand may be empty.

    Raises RuleViolation at cards the game does not deal.
    """
    dealt, dealing = hand_of(" ".join(cards)), _dealing(game)
    hands = dealing.so_far(dealt) if isinstance(dealing, SharedDeal) else None
    if hands is None:
        what = (
            f"{len(dealt)} cards were dealt, which is not a deal of {shown(game)} to all players"
        )
        raise RuleViolation(DEAL_NOT_BY_RULE, what)
    return hands
