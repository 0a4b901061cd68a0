"""Roulette numbers as printed: white on red, on black or on green, and in wheel order."""

from rich.text import Text

from tabletools.games.roulette.layout import RED_NUMBERS

# The customary orders, read clockwise from the pocket of 0 (rulebook 3.1).
ORDERS = {
    "single": (
        "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28"
        " 12 35 3 26"
    ).split(),
    "double": (
        "0 2 14 35 23 4 16 33 21 6 18 31 19 8 12 29 25 10 27 00 1 13 36 24 3 15 34 22 5 17 32 20 7"
        " 11 30 26 9 28"
    ).split(),
}
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
