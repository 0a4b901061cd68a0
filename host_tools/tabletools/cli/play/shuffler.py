"""A card table with a shuffler: a round of Punto Banco, and one in which the shuffler fails."""

from typing import Any

from tableemulator import play_session
from tableemulator.fault_catalogue import find
from tableemulator.machines.shuffler.physical_shuffler import ShufflerSetup
from tableemulator.machines.shuffler.shuffler_dealer import CardPlan
from tabletools.cli.play.stage import MINIMUM_CENTS, Act, Performance
from tabletools.decode import Record
from tabletools.evidence import Terms
from tabletools.play.players import Bet, always, bet
from tabletools.roles.shuffler import outcome_of

BETS: tuple[Bet, ...] = (
    bet("Ada", "punto", 2000),
    bet("Ben", "banco", 1000),
    bet("Ben", "banco_pair", 500),
    bet("Cleo", "punto_pair", 500),
)
# Cards as dealt: a natural nine; two kings, and a third card still to come.
WHOLE = {"punto": "4H 5D", "banco": "5C 2D"}
BROKEN = {"punto": "KH KD", "banco": "5C 2D"}
FAULT = "jam_in"
_SETUP = ShufflerSetup()


def perform(performance: Performance, table: Any) -> None:
    """Play both rounds."""
    fault = find(FAULT, play_session.catalogue_of(_SETUP))

    def deal(cards: dict[str, str]) -> Any:
        def enter(_table: Any) -> None:
            performance.dealt = cards
            reported = ", ".join(f"{hand} {text}" for hand, text in cards.items())
            performance.stage.screen.say(f"{'':14}the croupier deals: {reported}", style="bold")

        return enter

    def healthy(plan: CardPlan) -> None:
        plan.dealing = deal(WHOLE)

    def broken(plan: CardPlan) -> None:
        plan.dealing = deal(BROKEN)
        fault.inject(plan)

    for inject, reason in ((healthy, None), (broken, fault.reason)):
        played = table.spin(inject)
        what = f"the round ended by {played.reason}, {reason} was provoked"
        performance.verify_report(played, "" if played.reason == reason else what)


def ruled(performance: Performance, record: Record) -> dict[str, object]:
    """Enter, as two users, the cards dealt when the round ended."""
    return outcome_of(record, performance.dealt)


ACT = Act(
    "shuffler",
    (
        "A card table: the shoe is released once a shuffle has counted right. Then a round of",
        "Punto Banco, and one in which a card jams the shuffler: bets won or lost by then stay",
        "so, every other stake is returned. The table knows no cards: two users enter them.",
    ),
    _SETUP,
    Terms("punto_banco", "hc2023", None, {"minimum": MINIMUM_CENTS}),
    always(BETS),
    perform,
    ruled,
)
