"""Punto Banco, hc2011 and hc2023 3:3, and Baccarat, de-live (rulebook 9.9).

Ace 1, 2 to 9 as printed, 10 and pictures 0; only the last digit counts. The drawing rules are the
same in all three documents (READING-44, READING-45).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tabletools.rules.cards import RANKS, Hand, Results, card_kind
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.game import Choice, Game, Kind, PrintedTable, State
from tabletools.rules.money import Odds
from tabletools.rules.selection import On, OneOf
from tabletools.rules.verdict import Verdict, lose, push, win
from tabletools.rules.violation import RuleViolation

COMMISSION: Odds = (19, 20)
"""5 % of the win on the bank; edge 1.0579 % with 8 decks."""
EVEN: Odds = (1, 1)
HALF: Odds = (1, 2)
"""Straight: the bank wins with 5; edge of the bank 0.9328 % with 8 decks."""
DE_LIVE = "de-live"
TIE_PAYS, PAIR_PAYS = 8, 11
SUPER_PAYS = (150, 215, 225, 200, 120, 110, 45, 45, 80, 80)
"""Winnings per stake of the Super Egalité, by points (hc2023 3:3(5))."""

_BANK_DRAWS = (
    range(10),
    range(10),
    range(10),
    (0, 1, 2, 3, 4, 5, 6, 7, 9),
    range(2, 8),
    range(4, 8),
    (6, 7),
    (),
)
"""By the bank's points: the third cards of the punto on which it draws."""


class Result(NamedTuple):
    """Points of both hands, and whether their first two cards are of one rank."""

    punto: int
    banco: int
    punto_pair: bool
    banco_pair: bool


def value(card: str) -> int:
    """Return the points of a card."""
    rank = card[0]
    return 1 if rank == "A" else int(rank) if rank.isdigit() else 0


def points(hand: Sequence[str]) -> int:
    """Return the points of a hand, 0 to 9."""
    return sum(map(value, hand)) % 10


def _next(punto: Hand, banco: Hand) -> str | None:
    """Return who is dealt the next card, None if the hands are complete."""
    if len(punto) < 2 or len(banco) < 2:
        return "punto" if len(punto) == len(banco) else "banco"
    if len(banco) == 3:
        return None
    bank = points(banco)
    if len(punto) == 2:
        if max(points(punto), bank) >= 8:
            return None
        return "punto" if points(punto) <= 5 else "banco" if bank <= 5 else None
    return "banco" if bank <= 7 and value(punto[2]) in _BANK_DRAWS[bank] else None


def still_to_come(punto: Hand, banco: Hand) -> str | None:
    """Return who is dealt the next card, None if the hands are complete.

    Raises RuleViolation if the cards could not have been dealt so.
    """
    dealt: dict[str, Hand] = {"punto": (), "banco": ()}
    hands = {"punto": punto, "banco": banco}
    while (who := _next(dealt["punto"], dealt["banco"])) is not None:
        if len(dealt[who]) == len(hands[who]):
            break
        dealt[who] = hands[who][: len(dealt[who]) + 1]
    if dealt != hands:
        what = f"after {len(dealt['punto'])} and {len(dealt['banco'])} cards, "
        what += f"{who or 'no one'} is dealt the next one"
        raise RuleViolation(DEAL_NOT_BY_RULE, what)
    return who


def results_of(punto: Hand, banco: Hand, *, voided: bool) -> Results:
    """Return the results still possible; raise RuleViolation at cards no rule deals.

    voided: a fault ended the round; else the hands must be complete. While the punto has less than
    two cards nothing is decided: any result can still come.
    """
    who = still_to_come(punto, banco)
    if who is None:
        pairs = (hand[0][0] == hand[1][0] for hand in (punto, banco))
        return frozenset([Result(points(punto), points(banco), *pairs)])
    if not voided:
        raise RuleViolation(DEAL_INCOMPLETE, f"{who} is dealt another card")
    if len(punto) < 2:
        return frozenset()
    more = [
        ((*punto, rank), banco) if who == "punto" else (punto, (*banco, rank)) for rank in RANKS
    ]
    return frozenset().union(*(results_of(*hands, voided=True) for hands in more))


class Terms(NamedTuple):
    """The differences: names of the bets, what a win of the bank pays, and articles."""

    punto: str
    banco: str
    tie: str
    pays: str
    pushes: str
    void: str
    straight: bool


def _side(own: str, terms: Terms) -> Kind:
    """Return the bet on a hand: more points win, equal points are neither won nor lost."""
    odds: tuple[Odds, ...] = (EVEN,) * 10
    if own == "banco":
        odds = (*(EVEN,) * 5, HALF, *(EVEN,) * 4) if terms.straight else (COMMISSION,) * 10
    paid, lost, pushed = [win(o, terms.pays) for o in odds], lose(terms.pays), push(terms.pushes)

    def decide(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
        assert isinstance(result, Result)
        if result.punto == result.banco:
            return pushed
        mine, other = result.punto, result.banco
        if own == "banco":
            mine, other = other, mine
        return paid[mine] if mine > other else lost

    return card_kind(decide, terms.void, unit=max(den for _, den in odds))


def _tie(terms: Terms) -> Kind:
    """Return the bet on equal points: 8:1, edge 14.3596 % with 8 decks."""
    paid, lost = win((TIE_PAYS, 1), terms.pays), lose(terms.pays)

    def decide(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
        assert isinstance(result, Result)
        return paid if result.punto == result.banco else lost

    return card_kind(decide, terms.void)


def _pair(name: str, void_article: str) -> Kind:
    """Return the bet on two first cards of one rank: 11:1, edge 10.3614 % with 8 decks."""
    rule = "hc2023 3:3(4)"
    paid, lost = win((PAIR_PAYS, 1), rule), lose(rule)

    def decide(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
        return paid if getattr(result, name) else lost

    return card_kind(decide, void_article)


def _super_tie(void_article: str) -> Kind:
    """Return the bet on a tie of given points: 45:1 to 225:1."""
    rule = "hc2023 3:3(5)"
    paid, lost = [win((odds, 1), rule) for odds in SUPER_PAYS], lose(rule)

    def decide(on: On, _state: State, _choice: Choice, result: object) -> Verdict:
        assert isinstance(result, Result)
        return paid[result.punto] if (result.punto,) == on and result.banco in on else lost

    needed = "the points of both hands, from 0 to 9, as [6]"
    return card_kind(decide, void_article, OneOf(needed, tuple((n,) for n in range(10))))


def _kinds(terms: Terms) -> dict[str, Kind]:
    return {
        terms.punto: _side("punto", terms),
        terms.banco: _side("banco", terms),
        terms.tie: _tie(terms),
    }


def tie_maximum(maxima: Mapping[str, int]) -> dict[str, int]:
    """Return the highest maximum of égalité: a tenth of punto and banco (3:3(6))."""
    sides = [maxima[row] for row in ("punto", "banco") if row in maxima]
    return {"egalite": min(sides) // 10} if sides else {}


def _terms(edition: str, pays: str, pushes: str, *, straight: bool) -> Terms:
    pays, pushes, void = (f"{edition} {article}" for article in (pays, pushes, "3:1(7)"))
    return Terms("punto", "banco", "egalite", pays, pushes, void, straight)


def _game_2011(*, straight: bool) -> Game:
    kinds = _kinds(_terms("hc2011", "3:3(1)", "3:3(3)", straight=straight))
    printed = PrintedTable("3:3(6)")
    return Game(
        "punto_banco", "hc2011", kinds, tuple(kinds), "hc2011 3:3(1)", printed, caps=tie_maximum
    )


def _game_2023() -> Game:
    terms = _terms("hc2023", "3:3(3)", "3:3(3)", straight=True)
    kinds = {
        **_kinds(terms),
        "punto_pair": _pair("punto_pair", terms.void),
        "banco_pair": _pair("banco_pair", terms.void),
        "super_egalite": _super_tie(terms.void),
    }
    return Game("punto_banco", "hc2023", kinds, tuple(kinds), "hc2023 3:3(3)")


def _game_live() -> Game:
    pays, pushes, void = (f"de-live Bac {article}" for article in ("2.2", "2.1.5", "2.1.8"))
    kinds = _kinds(Terms("player", "banker", "tie", pays, pushes, void, straight=False))
    printed = PrintedTable("Bac 2.1.7")
    return Game("baccarat", DE_LIVE, kinds, tuple(kinds), "de-live Bac 2.1.1", printed)


GAMES: Mapping[tuple[str, str | None], Game] = {
    ("hc2011", "commission"): _game_2011(straight=False),
    ("hc2011", "straight"): _game_2011(straight=True),
    ("hc2023", "straight"): _game_2023(),
}
BACCARAT: Mapping[tuple[str, str | None], Game] = {(DE_LIVE, None): _game_live()}
"""By edition and variant."""


def outcome_of(game: Game, punto: Hand, banco: Hand, *, voided: bool) -> Results:
    """Return the results still possible; raise RuleViolation at cards no rule deals.

    de-live Bac 2.1.8: after an interruption all payments and games are invalid, also those that a
    shuffler's fault would leave decided (READING-20).
    """
    found = results_of(punto, banco, voided=voided)
    return frozenset() if voided and game.edition == DE_LIVE else found
