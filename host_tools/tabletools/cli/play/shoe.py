"""A card table with a shoe that reads: a round of Punto Banco settled from the cards it told."""

from hil_tests.emulators.card_shoe.model import ShoeSetup
from hil_tests.emulators.card_shoe.operator import Deal
from tabletools import decode
from tabletools.cli.play.stage import Stage, until_it_counts
from tabletools.decode import Record
from tabletools.play import Felt, Game
from tabletools.play.house import MINIMUM_CENTS
from tabletools.play.players import Bet
from tabletools.roles import Played
from tabletools.seals import VERIFIED
from tabletools.settle.shoe_round import cards_of
from tabletools.told import outcome_of

WORDS = (
    "A card table with a shoe that reads its cards: each is told once it lies on the table, and",
    "the round is settled from them.",
)
BASE: Record = {"rules": "hc2023", "game": "punto_banco", "table": {"minimum": MINIMUM_CENTS}}
BETS: tuple[Bet, ...] = (
    {"player": "Ada", "bet": "banco", "stake": 2000},
    {"player": "Ben", "bet": "punto", "stake": 1000},
    {"player": "Cleo", "bet": "egalite", "stake": 500},
)


def play(stage: Stage) -> Game:
    """Play a round that counts."""

    def dealt(ended: Record) -> list[Record]:
        frames = (frame for frame in game.stored if frame.round == ended["round"])
        return [decode.record(frame, VERIFIED) for frame in frames]

    def outcome(ended: Record) -> Record:
        return outcome_of(Played("punto_banco", "hc2023"), ended, dealt(ended))

    def differs(deal: Deal) -> str:
        if deal.reason is not None:
            return ""
        ended = decode.record(deal.ended, VERIFIED)
        told = cards_of(ended, dealt(ended))
        is_told = told == list(deal.cards)
        return "" if is_told else f"the shoe told {told}, dealt were {deal.true}"

    felt = Felt(BASE, {"cards_ended": outcome}, "hc2023 3:3(3)")
    game = Game(felt, lambda: [dict(bet) for bet in BETS], stage.screen, keys=stage.keys)
    with stage.table(ShoeSetup(), game) as table:
        until_it_counts(table, game, differs)
    return game
