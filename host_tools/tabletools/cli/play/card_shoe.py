"""A card table with a shoe that reads: Punto Banco settled from the cards it reported."""

from typing import Any

from tableemulator.machines.card_shoe.physical_shoe import ShoeSetup
from tableemulator.machines.card_shoe.shoe_dealer import Deal
from tabletools.cli.play.stage import MINIMUM_CENTS, Act, Performance
from tabletools.evidence import Terms
from tabletools.play.players import Bet, always, bet

BETS: tuple[Bet, ...] = (
    bet("Ada", "banco", 2000),
    bet("Ben", "punto", 1000),
    bet("Cleo", "egalite", 500),
)


def perform(performance: Performance, _table: Any) -> None:
    """Play a round that is not void."""

    def differs(deal: Deal) -> str:
        if deal.reason is not None or not performance.settled:
            return ""
        reported = sorted(f"{performance.outcome('punto')} {performance.outcome('banco')}".split())
        agrees = reported == sorted(deal.cards)
        return "" if agrees else f"the shoe reported {reported}, the cards dealt were {deal.true}"

    performance.until_it_counts(differs)


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
