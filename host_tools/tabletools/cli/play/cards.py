"""A card table with a shuffler: a round of Punto Banco, and one in which the shuffler fails."""

from typing import Any

from hil_tests import session
from hil_tests.emulators.shuffler.model import ShufflerSetup
from hil_tests.emulators.shuffler.operator import CardPlan
from hil_tests.faults import find
from tabletools.cli.play.stage import Stage, verify
from tabletools.decode import Record
from tabletools.play import Felt, Game
from tabletools.play.house import MINIMUM_CENTS
from tabletools.play.players import Bet
from tabletools.settle.card_round import outcome_of

WORDS = (
    "A card table: the shoe is released once a shuffle has counted right. Then a round of Punto",
    "Banco, and one in which a card jams the shuffler: bets won or lost by then stay so, every",
    "other stake comes back. Cards are entered by the croupier; the table knows none.",
)
SETUP = ShufflerSetup()
BETS: tuple[Bet, ...] = (
    {"player": "Ada", "bet": "punto", "stake": 2000},
    {"player": "Ben", "bet": "banco", "stake": 1000},
    {"player": "Ben", "bet": "banco_pair", "stake": 500},
    {"player": "Cleo", "bet": "punto_pair", "stake": 500},
)
# Cards as dealt: a natural nine; two kings, and a third card still to come.
WHOLE = {"punto": "4H 5D", "banco": "5C 2D"}
BROKEN = {"punto": "KH KD", "banco": "5C 2D"}
FAULT = "jam_in"


def play(stage: Stage) -> Game:
    """Play both rounds."""
    dealt: dict[str, object] = {}

    def outcome(record: Record) -> Record:
        return outcome_of(record, dealt)

    base = {"rules": "hc2023", "game": "punto_banco", "table": {"minimum": MINIMUM_CENTS}}
    felt = Felt(base, {"card_round_ended": outcome}, "hc2023 3:3(3)", outcome)
    game = Game(felt, lambda: [dict(bet) for bet in BETS], stage.screen, keys=stage.keys)
    fault = find(FAULT, session.catalogue_of(SETUP))

    def deal(cards: dict[str, str]) -> Any:
        def enter(_table: Any) -> None:
            dealt.update(cards)
            told = ", ".join(f"{hand} {text}" for hand, text in cards.items())
            stage.screen.say(f"{'':14}the croupier deals: {told}", style="bold")

        return enter

    def healthy(plan: CardPlan) -> None:
        plan.dealing = deal(WHOLE)

    def broken(plan: CardPlan) -> None:
        plan.dealing = deal(BROKEN)
        fault.inject(plan)

    with stage.table(SETUP, game) as table:
        for inject, reason in ((healthy, None), (broken, fault.reason)):
            played = table.spin(inject)
            what = f"the round ended by {played.reason}, {reason} was provoked"
            verify(played.ended.round, "" if played.reason == reason else what)
    return game
