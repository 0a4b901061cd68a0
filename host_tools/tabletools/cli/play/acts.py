"""The acts of `tabletool play`, one per role. A new role is a module and a line here."""

from tabletools.cli.play import cards, dice, draw, roulette, shoe, wheel

ACTS = (roulette.ACT, wheel.ACT, dice.ACT, cards.ACT, shoe.ACT, draw.ACT)
