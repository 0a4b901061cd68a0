"""Punto Banco, hc2011 and hc2023 3:3 (rulebook 9.9)."""

from collections.abc import Mapping
from typing import ClassVar

from tabletools.rules.cards import card_kind
from tabletools.rules.decks import ShoeTable
from tabletools.rules.game import Choice, Game, Kind, PrintedTable, State
from tabletools.rules.hands import Dealt, ThreeCards, reader_by_hands
from tabletools.rules.points import Result, Terms, deal_of, results_of, side_kinds
from tabletools.rules.selection import On, OneOf
from tabletools.rules.table_game import TableGame
from tabletools.rules.verdict import Verdict, lose, win

PAIR_PAYS = 11
SUPER_PAYS = (150, 215, 225, 200, 120, 110, 45, 45, 80, 80)
"""Winnings per stake of the Super Egalité, by points (hc2023 3:3(5))."""


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


def tie_maximum(maxima: Mapping[str, int]) -> dict[str, int]:
    """Return the highest maximum of égalité: a tenth of punto and banco (3:3(6))."""
    sides = [maxima[row] for row in ("punto", "banco") if row in maxima]
    return {"egalite": min(sides) // 10} if sides else {}


def _terms(edition: str, pays: str, pushes: str, *, straight: bool) -> Terms:
    pays, pushes, void = (f"{edition} {article}" for article in (pays, pushes, "3:1(7)"))
    return Terms("punto", "banco", "egalite", pays, pushes, void, straight)


def _game_2011(*, straight: bool) -> Game:
    kinds = side_kinds(_terms("hc2011", "3:3(1)", "3:3(3)", straight=straight))
    printed = PrintedTable("3:3(6)")
    return Game(
        "punto_banco", "hc2011", kinds, tuple(kinds), "hc2011 3:3(1)", printed, caps=tie_maximum
    )


def _game_2023() -> Game:
    terms = _terms("hc2023", "3:3(3)", "3:3(3)", straight=True)
    kinds = {
        **side_kinds(terms),
        "punto_pair": _pair("punto_pair", terms.void),
        "banco_pair": _pair("banco_pair", terms.void),
        "super_egalite": _super_tie(terms.void),
    }
    return Game("punto_banco", "hc2023", kinds, tuple(kinds), "hc2023 3:3(3)")


GAMES: Mapping[tuple[str, str | None], Game] = {
    ("hc2011", "commission"): _game_2011(straight=False),
    ("hc2011", "straight"): _game_2011(straight=True),
    ("hc2023", "straight"): _game_2023(),
}
"""By edition and variant."""


class PuntoHands(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("punto", "banco")
    punto: ThreeCards | None = None
    banco: ThreeCards | None = None


GAME = TableGame(
    name="punto_banco",
    measured="slip",
    dealing=deal_of("punto", "banco"),
    games=GAMES,
    outcome=PuntoHands,
    table=ShoeTable,
    read_outcome=reader_by_hands(results_of),
    example=(
        [{"id": "1", "bet": "punto", "stake": 500}],
        {"punto": "AH 7C", "banco": "KD 5S"},
    ),
)
