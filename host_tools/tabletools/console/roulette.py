"""Roulette numbers as printed: white on red, on black or on green, and in wheel order."""

from rich.text import Text

from tabletools.games.roulette.layout import ORDERS, RED_NUMBERS

_GREEN, _RED, _BLACK = "bold white on dark_green", "bold white on red3", "bold white on grey19"


def number_text(number: str) -> Text:
    """The number, four columns wide, in the colours of the cloth."""
    colour = _RED if int(number) in RED_NUMBERS else _BLACK
    return Text(f" {number:>2} ", _GREEN if number in ("0", "00") else colour)


def wheel_strip(wheel: str, number: str, neighbours: int) -> Text:
    """The number in brackets among its neighbours on the wheel, this many on each side."""
    order = ORDERS[wheel]
    place = order.index(number)
    strip = Text()
    for step in range(-neighbours, neighbours + 1):
        text = number_text(order[(place + step) % len(order)])
        if step == 0:
            strip.append("▐", "bold").append_text(text).append("▌", "bold")
        else:
            text.stylize("dim")
            strip.append_text(text)
    return strip
