"""Caribbean Stud: five cards each. hc2011 3:6, hc2023 3:5, gr2003 article 18 (rulebook 9.2)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, NamedTuple

from msgspec import Meta

from tabletools.rules.ante import ANTE, POKER_2011
from tabletools.rules.cards import Hand, Results, hand_of
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.decks import ONE
from tabletools.rules.game import Game, PrintedTable
from tabletools.rules.hands import AnyHand
from tabletools.rules.misdeal import MISDEAL, MaybeMisdealt, is_misdealt, verify_option
from tabletools.rules.stud import ARTICLES_2011, results_of, stud
from tabletools.rules.table_game import Cancelled, Table, TableGame, without_variants
from tabletools.rules.violation import RuleViolation, shown, within

GREEK = "gr2003"
_ARTICLES = {
    "hc2011": ARTICLES_2011,
    "hc2023": "3:5(1) 3:5(3) 3:5(7) 3:5(8) 3:5(7) 3:5(7) 3:5(8) 3:1(7)",
    GREEK: "§4 §5α §6β §6α(1) §6α(3) §6α(2) §7+§6α(1) §10β+§10γ",
}
"""As in `rules.stud.Articles`."""
PRINTED = {"hc2011": POKER_2011, GREEK: PrintedTable("§7", times={ANTE: (50, 100, 200)})}
"""Maxima by edition."""
GAMES: Mapping[str, Game] = {
    edition: stud("caribbean", edition, articles, PRINTED.get(edition))
    for edition, articles in _ARTICLES.items()
}
"""By edition."""

STUD_CARDS, DECK = 5, 52
WRONG_HAND = "gr2003 §10β"
"""A wrong number of cards to a player cancels all cards of that player (rulebook G-1)."""
WRONG_BANK = "gr2003 §10γ"
"""A wrong number of cards to the dealer himself cancels the cards of all players (G-2)."""
REMAINING = "gr2003 §4"
"""The dealer counts what remains after the deal (G-4); the text does not say what follows."""
OTHERS = "others"
"""Cards of other players; the record of a whole round contains them already."""
_Count = Annotated[int | None, Meta(extra_json_schema={"minimum": 0, "maximum": DECK})]


class Effect(NamedTuple):
    """void: players whose bets are all returned. article: the rule; "" if nothing happened."""

    void: frozenset[str]
    article: str


def misdealt(
    hands: Mapping[str, Sequence[str]],
    bank: Sequence[str],
    remaining: int | None = None,
    *,
    others: int = 0,
    count_voids: bool = False,
) -> Effect:
    """Return what gr2003 does to a round of stud, each hand and the bank as they were dealt.

    remaining: cards the dealer counted after the deal. others: cards dealt to players who are not
    in hands. count_voids: option of the table, as the text is silent: a count that is not 52 less
    those dealt cancels all hands; else it is refused. A void of the bank's hand takes precedence
    over those of the players.
    """
    if len(bank) != STUD_CARDS:
        return Effect(frozenset(hands), WRONG_BANK)
    wrong = frozenset(player for player, hand in hands.items() if len(hand) != STUD_CARDS)
    due = DECK - len(bank) - sum(map(len, hands.values())) - others
    if remaining is not None and remaining != due:
        if not count_voids:
            what = f"{remaining} cards remain of {due} ({REMAINING}); the text stops there"
            raise RuleViolation(DEAL_NOT_BY_RULE, what, "remaining")
        return Effect(frozenset(hands), REMAINING)
    return Effect(wrong, WRONG_HAND if wrong else "")


class StudOutcome(MaybeMisdealt, frozen=True, kw_only=True):
    """Caribbean Stud: two hands, and how many cards were counted."""

    HANDS: ClassVar = ("player", "bank")
    OF_BOX: ClassVar = ("player", "others")
    OF_BOTH: ClassVar = ("misdeal",)
    OF_OTHERS: ClassVar = (OTHERS,)
    DECKS: ClassVar = ONE

    player: AnyHand | None = None
    bank: AnyHand | None = None
    remaining: Annotated[_Count, Meta(description="gr2003: cards counted after the deal.")] = None
    others: Annotated[_Count, Meta(description="gr2003: cards of other players; left out: 0.")] = (
        None
    )

    @classmethod
    def of_others(
        cls, fields: Mapping[str, object], hands: Iterable[Hand]
    ) -> Mapping[str, object]:
        """Return how many cards the others have, where what remains was counted."""
        return {} if fields["remaining"] is None else {OTHERS: sum(map(len, hands))}


class StudTable(Table, frozen=True, kw_only=True):
    """Limits, and the effect of a wrong card count."""

    count_voids: Annotated[
        bool | None,
        Meta(description="gr2003: a wrong count of what remains voids; left out: refused."),
    ] = None


def _at_table(game: Game, table: StudTable) -> Game:
    """Return the game; raise RuleViolation at an option its edition does not have."""
    verify_option("count_voids", game, GREEK, is_chosen=table.count_voids)
    return game


def _cancellation(
    game: Game, outcome: StudOutcome, table: StudTable | None, hands: Sequence[Hand]
) -> Cancelled | None:
    """Return what cancels a round of Caribbean Stud, None if nothing does.

    gr2003 §4 and §10: the player's hand, the bank's, and what remained of the deck.
    """
    for name in ("remaining", OTHERS):
        count = getattr(outcome, name)
        if count is not None and (game.edition != GREEK or not 0 <= count <= DECK):
            what = f"0 to {DECK} cards are counted, on {GREEK} only"
            raise RuleViolation(DEAL_NOT_BY_RULE, f"{what}; found {shown(count)}", name)
    is_dealt_wrongly = is_misdealt(outcome, game, GREEK)
    player, bank = hands
    is_whole = len(player) == len(bank) == STUD_CARDS
    if not is_dealt_wrongly and not (is_whole and outcome.remaining is not None):
        return None
    voids = table is not None and table.count_voids is True
    dealt = {"player": player}
    others = (outcome.others or 0) + len(hand_of(outcome.burned or ""))
    misdeal = misdealt(dealt, bank, outcome.remaining, others=others, count_voids=voids)
    if is_dealt_wrongly and not misdeal.void:
        what = f"player and bank have {STUD_CARDS} cards each: no misdeal of {GREEK} §10"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, MISDEAL)
    return Cancelled(misdeal.article) if misdeal.article else None


def _results(game: Game, outcome: StudOutcome, table: StudTable | None) -> Results | Cancelled:
    """Return the results still possible; in gr2003 a fault cancels all cards (§10)."""
    with within("outcome"):
        outcome.verify_burned(game.edition)
        hands = outcome.hands()
        cancelled = _cancellation(game, outcome, table, hands)
        if cancelled is not None:
            return cancelled
        results = results_of(*hands, voided=outcome.void is not None)
        return frozenset() if outcome.void is not None and game.edition == GREEK else results


GAME = TableGame(
    name="caribbean",
    games=without_variants(GAMES),
    outcome=StudOutcome,
    table=StudTable,
    read_outcome=_results,
    example=(
        [{"id": "1", "bet": "ante", "stake": 500, "choice": "fold"}],
        {"player": "9H 7C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
    ),
    at_table=_at_table,
)
