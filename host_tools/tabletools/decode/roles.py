"""What the heartbeats of each role count: circuits, revolutions, cards, balls."""

# Role -> what one of its count is called; None: it counts nothing.
COUNTED = {
    "roulette": "circuit",
    "money_wheel": "revolution",
    "dice_tray": None,
    "shuffler": None,
    "draw_machine": "ball",
    "card_shoe": "card",
}


def counted(number: int, role: str | None, *, turns: bool = False) -> str:
    """Return what a heartbeat counted, in the words of its role; "" when that counts nothing.

    turns: something was seen to turn; without a role it is circuits then.
    """
    noun = COUNTED.get(role or "", "circuit" if turns else "")
    if noun is None:
        return ""
    return f"{number} {noun}{'' if number == 1 else 's'}" if noun else f"{number} counted"
