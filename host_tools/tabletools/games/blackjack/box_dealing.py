"""How a shoe deals Black Jack: to the boxes and the bank, then as each box decides."""

from tabletools.games.blackjack.blackjack_record import OTHERS_PLAY
from tabletools.games.blackjack.hands import is_in_play
from tabletools.rules.cards import Hand
from tabletools.rules.codes.outcomes import ACTION_NOT_LEGAL, DEAL_INCOMPLETE
from tabletools.rules.dealing import CARD, DOUBLE, SPLIT, STAND, Boxes, Outcome
from tabletools.rules.violation import RuleViolation, shown


def bank_begins(hole_card: bool) -> int:
    """Return how many cards the bank has before the boxes decide; on de-live two (BJ 3.4)."""
    return 2 if hole_card else 1


def outcomes(dealt: Hand, asked: Boxes) -> list[Outcome]:
    """Deal one card to each box, one to the bank, a second to each box; then as decided.

    The cards that remain are the bank's (hc2023 3:2(6)).
    """
    boxes, decisions = asked.number, asked.decisions
    if decisions is None:
        what = "decisions of the Black Jack boxes are missing, so the cards cannot be assigned"
        raise RuleViolation(DEAL_INCOMPLETE, what)
    at_once = bank_begins(asked.hole_card)
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
    hands_of_boxes: list[Outcome] = [{"player": _text(own), "bank": bank} for own in hands]
    for box, each in enumerate(hands_of_boxes):
        if any(playing[:box] + playing[box + 1 :]) and not rest:
            each[OTHERS_PLAY] = True
    return hands_of_boxes


def _text(hands: list[list[str]]) -> str | list[str]:
    texts = [" ".join(hand) for hand in hands]
    return texts[0] if len(texts) == 1 else texts
