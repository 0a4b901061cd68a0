"""A card table with a shoe that reads: Punto Banco settled from the cards it reported."""

from typing import Any

from hil_tests.emulators.card_shoe.model import ShoeSetup
from hil_tests.emulators.card_shoe.operator import Deal
from tabletools.cli.play.stage import MINIMUM_CENTS, Act, Evening
from tabletools.evidence import Terms
from tabletools.play.players import Bet, always

BETS: tuple[Bet, ...] = (
    {"player": "Ada", "bet": "banco", "stake": 2000},
    {"player": "Ben", "bet": "punto", "stake": 1000},
    {"player": "Cleo", "bet": "egalite", "stake": 500},
)


def perform(evening: Evening, _table: Any) -> None:
    """Play a round that is not void."""

    def differs(deal: Deal) -> str:
        if deal.reason is not None or not evening.settled:
            return ""
        told = sorted(f"{evening.told('punto')} {evening.told('banco')}".split())
        is_told = told == sorted(deal.cards)
        return "" if is_told else f"the shoe reported {told}, the cards dealt were {deal.true}"

    evening.until_it_counts(differs)


ACT = Act(
    "card_shoe",
    (
        "A card table with a shoe that reads its cards: each is reported once it is on the table,",
        "and the round is settled from them.",
    ),
    ShoeSetup(),
    Terms("punto_banco", "hc2023", None, {"minimum": MINIMUM_CENTS}, void_policy="stand"),
    always(BETS),
    perform,
)
