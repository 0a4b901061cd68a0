"""From a round's cards, in the order a shoe dealt them, to the outcome `tabletool settle` reads.

Each game deals in a fixed order. One card too many or too few is refused, never dropped or
guessed: every later card would be assigned to the wrong hand. A misdeal needs a ruling.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tabletools.rules.blackjack.hands import is_in_play
from tabletools.rules.cards import Hand, hand_of, level
from tabletools.rules.codes.outcomes import ACTION_NOT_LEGAL, DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.hands import OTHERS_PLAY
from tabletools.rules.punto_banco import still_to_come
from tabletools.rules.violation import RuleViolation, shown

Outcome = dict[str, object]
CARD, DOUBLE, SPLIT, STAND = "card", "double", "split", "stand"
"""Decisions of a box of Black Jack: another card, the last one, split, stand."""
Decision = tuple[int, int, str]
"""Box from 1, hand of that box from 1, and its decision."""


def outcomes(
    game: str,
    cards: Sequence[str],
    boxes: int = 1,
    decisions: Sequence[Decision] | None = None,
    *,
    hole_card: bool = False,
) -> list[Outcome]:
    """Return the outcome of each box dealt to, in order; a single one where all share it.

    boxes: hands dealt to besides the bank's (Casino War, Black Jack). decisions: of the boxes of
    Black Jack, in the order they were made. hole_card: the bank's second card is dealt before
    them, as on de-live (BJ 3.4). Raises RuleViolation at cards the game does not deal.
    """
    dealt = hand_of(" ".join(cards))
    if game == "blackjack":
        if decisions is None:
            what = "decisions of the Black Jack boxes are missing, so the cards cannot be assigned"
            raise RuleViolation(DEAL_INCOMPLETE, what)
        return _blackjack(dealt, boxes, decisions, 2 if hole_card else 1)
    if game == "casino_war":
        _verify_count(dealt, boxes + 1, f"one card to each of {boxes} boxes and one to the bank")
        return [{"player": card, "bank": dealt[-1]} for card in dealt[:-1]]
    if game not in _SHARED:
        what = f"no order of dealing is known for {shown(game)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, f"{what}, only for {' '.join((*_SHARED, *_BOXES))}")
    return [_SHARED[game](dealt)]


_BOXES = ("casino_war", "blackjack")


def round_of(
    game: str,
    cards: Sequence[str],
    boxes: int | None = None,
    decisions: Sequence[Decision] | None = None,
    *,
    hole_card: bool = False,
) -> Outcome:
    """Return the record of a card round as in `boxes`: bank and boxes, by number from 1.

    boxes: how many were dealt to; None: derived from the cards in Casino War, 1 in Black Jack.
    The rest as for `outcomes`. Raises RuleViolation at cards the game does not deal.
    """
    if game not in _BOXES:
        what = f"no record says whose cards are whose in {shown(game)}"
        raise RuleViolation(DEAL_INCOMPLETE, what)
    many = boxes or (max(1, len(cards) - 1) if game == "casino_war" else 1)
    found = outcomes(game, cards, many, decisions, hole_card=hole_card)
    hands = {str(place): {"cards": each["player"]} for place, each in enumerate(found, 1)}
    return {"bank": found[0]["bank"], "boxes": hands}


def _verify_count(dealt: Hand, due: int, what: str) -> None:
    if len(dealt) != due:
        code = DEAL_INCOMPLETE if len(dealt) < due else DEAL_NOT_BY_RULE
        raise RuleViolation(code, f"{due} cards are dealt, {what}; the shoe dealt {len(dealt)}")


def so_far(game: str, cards: Sequence[str]) -> Outcome:
    """Return the hands dealt when a round is broken off, of a game all share; a hand may be empty.

    Raises RuleViolation at cards the game does not deal.
    """
    dealt = hand_of(" ".join(cards))
    if game in _POINTS:
        hands, _ = _in_turn(dealt)
        return {
            name: " ".join(hand) for name, hand in zip(_POINTS[game], hands, strict=True) if hand
        }
    if game == "high_low" and len(dealt) <= len(_ONE_EACH):
        return dict(zip(_ONE_EACH, dealt, strict=False))
    if game == "red_dog" and len(dealt) <= _RED_DOG_MOST:
        return {"cards": " ".join(dealt)} if dealt else {}
    what = f"{len(dealt)} cards were dealt, which is not a deal of {shown(game)} to all players"
    raise RuleViolation(DEAL_NOT_BY_RULE, what)


_POINTS = {"punto_banco": ("punto", "banco"), "baccarat": ("player", "banker")}
"""Names of the two hands of games by points."""
_ONE_EACH = ("communal", "bank")
_RED_DOG_MOST = 3


def _in_turn(dealt: Hand) -> tuple[tuple[Hand, Hand], str | None]:
    """Deal Punto Banco: one card each in turn, then by the drawing rules.

    Also returns who is next.
    """
    hands: dict[str, Hand] = {"punto": (), "banco": ()}
    for place, card in enumerate(dealt):
        who = still_to_come(hands["punto"], hands["banco"])
        if who is None:
            what = f"after {place} cards no one is dealt another, the shoe dealt {len(dealt)}"
            raise RuleViolation(DEAL_NOT_BY_RULE, what)
        hands[who] = (*hands[who], card)
    found = hands["punto"], hands["banco"]
    return found, still_to_come(*found)


def _points(game: str, dealt: Hand) -> Outcome:
    hands, who = _in_turn(dealt)
    if who is not None:
        what = f"after {len(dealt)} cards {who} is dealt another, and the shoe dealt none"
        raise RuleViolation(DEAL_INCOMPLETE, what)
    return dict(zip(_POINTS[game], map(" ".join, hands), strict=True))


def _high_low(dealt: Hand) -> Outcome:
    _verify_count(dealt, 2, "the communal one and the bank's (hc2011 3:3(7))")
    return dict(zip(_ONE_EACH, dealt, strict=True))


def _red_dog(dealt: Hand) -> Outcome:
    """hc2011 3:4(4): consecutive cards end the round, otherwise a third card follows."""
    apart = abs(level(dealt[0]) - level(dealt[1])) if len(dealt) > 1 else 0
    due = 2 if apart == 1 else 3
    _verify_count(dealt, due, "two, and a third unless they are consecutive (hc2011 3:4)")
    return {"cards": " ".join(dealt)}


_SHARED: Mapping[str, Callable[[Hand], Outcome]] = {
    **{game: partial(_points, game) for game in _POINTS},
    "high_low": _high_low,
    "red_dog": _red_dog,
}
SHARED = frozenset(_SHARED)
"""Games in which all players bet on the same hands."""


def _blackjack(
    dealt: Hand, boxes: int, decisions: Sequence[Decision], at_once: int
) -> list[Outcome]:
    """Deal one card to each box, one to the bank, a second to each box; then as decided.

    at_once: cards the bank has before the decisions. The remaining cards are the bank's
    (hc2023 3:2(6)).
    """
    opening = 2 * boxes + at_once
    if len(dealt) < opening:
        what = f"two cards to each of {boxes} boxes, {at_once} to the bank; there are {len(dealt)}"
        raise RuleViolation(DEAL_INCOMPLETE, what)
    hands = [[[dealt[box], dealt[boxes + 1 + box]]] for box in range(boxes)]
    rest = list(dealt[opening:])
    for box, number, act in decisions:
        if not 1 <= box <= boxes or not 1 <= number <= len(hands[box - 1]):
            raise RuleViolation(ACTION_NOT_LEGAL, f"box {box} has no hand {number} to {act}")
        hand = hands[box - 1][number - 1]
        if act == SPLIT and len(hand) == 2:
            hands[box - 1].append([hand.pop()])
        elif act in (CARD, DOUBLE):
            if not rest:
                what = f"box {box} took a card, but the shoe dealt only {len(dealt)}"
                raise RuleViolation(DEAL_INCOMPLETE, what)
            hand.append(rest.pop(0))
        elif act != STAND:
            what = f"box {box} decided {shown(act)} on {len(hand)} cards"
            raise RuleViolation(ACTION_NOT_LEGAL, what)
    bank = " ".join((dealt[boxes], *dealt[2 * boxes + 1 : opening], *rest))
    playing = [any(map(is_in_play, own)) for own in hands]
    found: list[Outcome] = [{"player": _text(own), "bank": bank} for own in hands]
    for box, each in enumerate(found):
        if any(playing[:box] + playing[box + 1 :]) and not rest:
            each[OTHERS_PLAY] = True
    return found


def _text(hands: list[list[str]]) -> str | list[str]:
    texts = [" ".join(hand) for hand in hands]
    return texts[0] if len(texts) == 1 else texts
