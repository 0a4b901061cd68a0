"""The balls of a draw, put together from their records and held against the result."""

import json
import sqlite3

from tablewire.draw_machine import BALL_DRAWN

Row = dict[str, int | str]


def problem(db: sqlite3.Connection, device: int, number: int, end: Row) -> str:
    """What speaks against the balls of a draw, "" if nothing does. end: of its draw_result."""
    order = of_round(db, device, number)
    due = int(end["drawn"])
    if len(order) < due or None in order[:due]:
        return f"not all of its {due} balls are here"
    bits = int.from_bytes(bytes.fromhex(str(end["numbers"])), "little")
    counted = [ball for ball in order[:due] if ball is not None]
    if len(set(counted)) != due or sum(1 << (ball - 1) for ball in counted) != bits:
        return "its balls are not those told at the end"
    return ""


def of_round(db: sqlite3.Connection, device: int, number: int) -> list[int | None]:
    """The numbers of a draw by their places, None for one that is not here."""
    rows = db.execute(
        "SELECT payload FROM records WHERE device = ? AND round = ? AND type = ?",
        (device, number, BALL_DRAWN),
    )
    told = {row["place"]: row["number"] for row in (json.loads(payload) for (payload,) in rows)}
    return [told.get(place) for place in range(1, max(told, default=0) + 1)]
