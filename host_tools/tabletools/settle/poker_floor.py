"""What the floor of the poker room decides, as records: the button, cards seen, a chip race."""

from collections.abc import Callable, Mapping

from tabletools.rules.cards import hand_of
from tabletools.rules.codes.outcomes import CARDS_INVALID, DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.poker_room import floor
from tabletools.rules.refusal import Refusal, within
from tabletools.settle.amounts import KEY
from tabletools.settle.records import Round
from tabletools.settle.strict_json import Fields


def _read_button(fields: Fields, _table: Fields) -> Round:
    """Where button and blinds go next (2.8)."""
    with within("outcome"):
        outcome = Fields(fields.need("outcome"), (*floor.Positions._fields, "seats"))
        last = floor.Positions(*(outcome.integer(name) for name in floor.Positions._fields))
        seats = outcome.integers("seats")
        if len(set(seats)) < 2:
            raise Refusal(DEAL_INCOMPLETE, "a hand has two players or more", "seats")
    return Round([], KEY, {"positions": floor.next_positions(last, seats)._asdict()})


def _read_exposed(fields: Fields, _table: Fields) -> Round:
    """What becomes of cards that were seen in the deal (2.19, 2.20)."""
    with within("outcome"):
        outcome = Fields(fields.need("outcome"), ("flashed", "boxed", "decisive", "acted"))
        flashed = outcome.optional_integer("flashed") or 0
        boxed = outcome.optional_integer("boxed") or 0
        decisive = outcome.optional_boolean("decisive") or False
        if min(flashed, boxed) < 0 or flashed + boxed < 1 or (decisive and not flashed):
            raise Refusal(DEAL_INCOMPLETE, "one card at least was flashed or boxed", "flashed")
        found = floor.exposed(flashed, boxed, decisive=decisive)
        acted = outcome.optional_integer("acted") or 0
        if found.misdeal and acted >= floor.ACTED:
            what = f"{acted} players have acted: there is no misdeal any more, the floor rules"
            raise Refusal(DEAL_NOT_BY_RULE, what, "acted")
    return Round([], KEY, {"exposed": found._asdict()})


def _one_card(text: str) -> str:
    cards = hand_of(text)
    if len(cards) != 1:
        raise Refusal(CARDS_INVALID, "each player gets one card")
    return cards[0]


def _read_chip_race(fields: Fields, table: Fields) -> Round:
    """What the odd chips become (2.2)."""
    big = table.integer("chip")
    with within("outcome"):
        outcome = Fields(fields.need("outcome"), ("odd", "cards", "whole"))
        given = Fields(outcome.need("odd"))
        odd = {player: given.integer(player) for player in given.names()}
        if big < 1 or not all(0 <= cents < big for cents in odd.values()):
            what = f"odd chips are worth less than the bigger one, {big}: exchange the others"
            raise Refusal(LIMITS_INVALID, what, "odd")
        drawn, whole = Fields(outcome.need("cards")), outcome.texts("whole")
        cards = {}
        for player in odd:
            if odd[player] and player not in whole:
                with within(f"cards.{player}"):
                    cards[player] = _one_card(drawn.text(player))
    return Round([], KEY, {"chips": floor.chip_race(odd, cards, big, whole)})


FLOOR: Mapping[str, Callable[[Fields, Fields], Round]] = {
    "button": _read_button,
    "chip_race": _read_chip_race,
    "exposed": _read_exposed,
}
"""By variant."""
