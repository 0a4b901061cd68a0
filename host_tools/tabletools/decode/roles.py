"""What the heartbeats of each role count: circuits, revolutions, cards, balls."""

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
    return f"{number} {noun}{'' if number == 1 else 's'}" if noun else f"{number} counted"
