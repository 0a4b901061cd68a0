"""Results as they are printed: white on the colour of their place, and in the order of a wheel."""

from rich.text import Text

from tabletools.roles import Printed

_STYLES = {
    "green": "bold white on dark_green",
    "red": "bold white on red3",
    "black": "bold white on grey19",
}


def number_text(number: str, printed: Printed) -> Text:
    """The number, four columns wide, in the colours of the cloth."""
    return Text(f" {number:>2} ", _STYLES[printed.colour(number)])


def wheel_strip(printed: Printed, layout: str, number: str, neighbours: int) -> Text:
    """The number in brackets among its neighbours on the wheel, this many on each side."""
    order = printed.orders[layout]
    place = order.index(number)
    strip = Text()
    for step in range(-neighbours, neighbours + 1):
        text = number_text(order[(place + step) % len(order)], printed)
        if step == 0:
            strip.append("▐", "bold").append_text(text).append("▌", "bold")
        else:
            text.stylize("dim")
            strip.append_text(text)
    return strip
