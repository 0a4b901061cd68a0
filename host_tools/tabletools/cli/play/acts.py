"""The acts of `tabletool play`, one for each role. A further role is a module and a line here."""

from collections.abc import Callable
from dataclasses import dataclass

from tabletools.cli.play import cards, dice, draw, roulette, shoe, wheel
from tabletools.cli.play.stage import Stage
from tabletools.play import Game


@dataclass(frozen=True)
class Act:
    """One role. words: what the reader is to see. play: plays it and returns its game."""

    role: str
    words: tuple[str, ...]
    play: Callable[[Stage], Game]


ACTS = (
    Act("roulette", roulette.WORDS, roulette.play),
    Act("money_wheel", wheel.WORDS, wheel.play),
    Act("dice", dice.WORDS, dice.play),
    Act("shuffler", cards.WORDS, cards.play),
    Act("card_shoe", shoe.WORDS, shoe.play),
    Act("draw_machine", draw.WORDS, draw.play),
)
