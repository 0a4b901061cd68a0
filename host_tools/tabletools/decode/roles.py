"""Which role a table plays, and what its heartbeats count: circuits, revolutions, cards, balls."""

from tabletools.decode.records import Record

# Role -> what one of its count is called; None: it counts nothing.
COUNTED = {
    "roulette": "circuit",
    "money_wheel": "revolution",
    "dice_tray": None,
    "shuffler": None,
    "draw_machine": "ball",
    "card_shoe": "card",
}
# What a round is played with -> the role that plays it.
PLAYS = {
    "single": "roulette",
    "double": "roulette",
    "segments_52": "money_wheel",
    "segments_54": "money_wheel",
    "dice": "dice_tray",
    "cards": "shuffler",
    "balls": "draw_machine",
    "shoe": "card_shoe",
}


class Roles:
    """The roles of the tables whose records come by, in the order they were told."""

    def __init__(self) -> None:
        self._of: dict[int, str] = {}

    def mark(self, record: Record) -> Record:
        """Return the record; a heartbeat with the role of its table, None while not known."""
        if record["type"] == "identity" and record["role"]:
            self._of[record["device"]] = record["role"]
        elif record["type"] == "round_opened" and record["wheel"] in PLAYS:
            self._of[record["device"]] = PLAYS[record["wheel"]]
        elif record["type"] == "heartbeat":
            return {**record, "role": self._of.get(record["device"])}
        return record


def counted(number: int, role: str | None, *, turns: bool = False) -> str:
    """Return what a heartbeat counted, in the words of its role; "" when that counts nothing.

    turns: something was seen to turn; without a role it is circuits then.
    """
    noun = COUNTED.get(role or "", "circuit" if turns else "")
    if noun is None:
        return ""
    return f"{number} {noun}{'' if number == 1 else 's'}" if noun else f"{number} counted"
