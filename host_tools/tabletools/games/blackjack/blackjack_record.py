"""Black Jack rounds as records: one box, `{"player":"5H 6C TD","bank":"KD 7S"}`.

A hand that was split is a list of hands; Switch has two hands, each of which may be such a list.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from tabletools.games.blackjack.blackjack_editions import NEEDS, at_table
from tabletools.games.blackjack.hands import Deal, is_in_play
from tabletools.games.blackjack.stakes import MOST_HANDS
from tabletools.rules.cards import Hand, hand_of
from tabletools.rules.codes.fields import WRONG_TYPE
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.decks import decks_at, verify_cards
from tabletools.rules.declared import Text
from tabletools.rules.game import Game
from tabletools.rules.hands import AnyHand
from tabletools.rules.misdeal import LiveTable, MaybeMisdealt, live_at, of_live
from tabletools.rules.records import OUTCOME_NOT_ONE, Schema
from tabletools.rules.table_game import Cancelled
from tabletools.rules.violation import RuleViolation, within

INTERRUPTED = "de-live BJ 2.1.5"
OTHERS_PLAY = "others_play"
"""The field that says whether another box is in play."""
_SUPER_MATCH = "super_match"
"""The bet that only Switch has."""
_Split = Annotated[tuple[AnyHand, ...], Meta(extra_json_schema={"minItems": 1})]


class BlackjackHands(MaybeMisdealt, frozen=True, kw_only=True):
    """A box and the bank."""

    HANDS: ClassVar = ("player", "bank")
    OF_BOX: ClassVar = ("player", "switched", "holder", OTHERS_PLAY)
    OF_OTHERS: ClassVar = (OTHERS_PLAY,)

    player: Annotated[
        AnyHand | tuple[AnyHand | _Split, ...] | None,
        Meta(
            description="The box: a hand as dealt, a list of those it was split into, two at "
            "Switch.",
            extra_json_schema={"minItems": 1},
        ),
    ] = None
    bank: Annotated[AnyHand | None, Meta(description="The bank, as dealt.")] = None
    switched: Annotated[
        bool | None,
        Meta(description="Switch: the second cards were exchanged; left out: no."),
    ] = None

    holder: Annotated[
        Text | None,
        Meta(description="The player who holds the box and decides; left out: not known."),
    ] = None

    others_play: Annotated[
        bool | None,
        Meta(description="Another box has a hand up to 21, so the bank draws; left out: no."),
    ] = None

    @classmethod
    def of_others(
        cls, _fields: Mapping[str, object], hands: Iterable[Hand]
    ) -> Mapping[str, object]:
        """Return whether another box is in play."""
        return {OTHERS_PLAY: any(map(is_in_play, hands))}


class BlackjackTable(LiveTable, frozen=True, kw_only=True):
    """Limits and options."""

    bank_wins_ties: Annotated[
        bool | None,
        Meta(description="The bank wins equal points of 17 to 20; left out: no."),
    ] = None
    natural_push: Annotated[
        bool | None,
        Meta(description="Casino21: two Black Jacks push; left out: the bank wins."),
    ] = None
    five_cards: Annotated[
        bool | None,
        Meta(description="Casino21: bonus of five cards up to 21; left out: no."),
    ] = None
    terminal: Annotated[
        bool | None, Meta(description="hc2023: one split, no 777 bonus; left out: no.")
    ] = None
    one_card_on_aces: Annotated[
        bool | None, Meta(description="de-live: one card to a split ace; left out: any.")
    ] = None
    color_jack_by_color: Annotated[
        bool | None, Meta(description="BJ+: one colour is enough; left out: one suit.")
    ] = None


def _group(texts: str | Sequence[Any], where: str) -> tuple[Hand, ...]:
    """Return the hands of one text, or of the texts of a split hand."""
    if isinstance(texts, str):
        with within(where):
            return (hand_of(texts),)
    hands = []
    for place, text in enumerate(texts):
        with within(f"{where}[{place}]"):
            if not isinstance(text, str):
                raise RuleViolation(WRONG_TYPE, "a hand must be text, found a list")
            hands.append(hand_of(text))
    return tuple(hands)


def _groups(outcome: BlackjackHands, game: Game) -> tuple[tuple[Hand, ...], ...]:
    texts = outcome.player
    if texts is None:
        return ()
    if _SUPER_MATCH not in game.kinds:
        groups: Sequence[tuple[Hand, ...]] = (_group(texts, "player"),)
    else:
        parts = (texts,) if isinstance(texts, str) else texts
        groups = [_group(part, f"player[{place}]") for place, part in enumerate(parts)]
        if len(groups) != 2 and not outcome.may_lack_hands():
            raise RuleViolation(DEAL_INCOMPLETE, "at Switch a box has two hands", "player")
    hands = sum(map(len, groups))
    if hands > MOST_HANDS or not all(groups):
        what = f"a box has 1 to {MOST_HANDS} hands, found {hands}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "player")
    return tuple(groups)


def deal_of(game: Game, outcome: BlackjackHands, table: BlackjackTable | None) -> Deal | Cancelled:
    decks = decks_at(game.name, outcome.DECKS, table)
    with within("outcome"):
        outcome.verify_burned(game.edition)
        groups = _groups(outcome, game)
        if not outcome.may_lack_hands() and (not groups or outcome.bank is None):
            raise RuleViolation(OUTCOME_NOT_ONE, "without a void, player and bank are needed")
        switched = outcome.switched or False
        if switched and _SUPER_MATCH not in game.kinds:
            raise RuleViolation(DEAL_NOT_BY_RULE, "cards are exchanged at Switch only", "switched")
        with within("bank"):
            drawn = hand_of(outcome.bank or "")
        verify_cards(outcome.places(), outcome.DECKS, decks)
        cancelled = of_live(game, outcome, table, INTERRUPTED)
        is_void = outcome.void is not None
        others_play = outcome.others_play or False
        return cancelled or Deal(groups, drawn, switched, is_void, others_play, outcome.holder)


def game_at(game: Game, table: BlackjackTable) -> Game:
    live_at(game, table)
    chosen = [name for name in NEEDS if getattr(table, name)]
    return at_table(game, chosen) if chosen else game


HAND_NUMBER: Schema = {
    "type": ["array", "null"],
    "items": {"type": "integer", "minimum": 1, "maximum": MOST_HANDS},
    "maxItems": 1,
    "description": "Number of the hand: those dealt, then those split off; left out: 1, of a "
    "split 2.",
}
