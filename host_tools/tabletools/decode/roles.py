"""What the heartbeats of each role count: circuits, revolutions, cards, balls."""

from tabletools.decode.counts import count_of

# Role -> name of what it counts; None: nothing.
COUNTED = {
    "roulette": "circuit",
    "money_wheel": "revolution",
    "dice_tray": None,
    "shuffler": None,
    "draw_machine": "ball",
    "card_shoe": "card",
}


def counted(number: int, role: str | None, *, turns: bool = False) -> str:
    """Return the count of a heartbeat in the words of its role; "" if it counts nothing.

    turns: something was seen to turn; without a role it is circuits then.
    """
    noun = COUNTED.get(role or "", "circuit" if turns else "")
    if noun is None:
        return ""
    return count_of(number, noun) if noun else f"{number} counted"
