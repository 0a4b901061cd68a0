"""Draws of a ball-draw machine: their records as text, and the outcome they give.

The result of a draw has its numbers as a set; their order is that of the ball_drawn records
before it. Both must agree, or there is no outcome. Knows no bet and no game.
"""

from collections.abc import Iterable
from typing import Any

from tabletools.decode.records import Record


class DrawError(ValueError):
    """The records of a draw do not give one outcome."""


def numbers(record: Record) -> list[int]:
    """Return the numbers of a draw_result, from low to high: bit k is number k + 1."""
    bits = bytes.fromhex(record["numbers"])
    return [at + 1 for at in range(len(bits) * 8) if bits[at >> 3] >> (at & 7) & 1]


def outcome(records: Iterable[Record]) -> dict[str, list[int] | str]:
    """Return the outcome of Keno and Bingo for `tabletool settle`: drawn in order, or the void.

    records: those of one round, decoded, possibly with repeats. Raises DrawError when its end or a
    ball_drawn is missing, or they contradict each other.
    """
    balls: dict[int, int] = {}
    ends: list[Record] = []
    for record in records:
        if record["type"] == "ball_drawn":
            if balls.setdefault(record["place"], record["number"]) != record["number"]:
                raise DrawError(
                    f"two numbers were reported for ball {record['place']} of the draw"
                )
        elif record["type"] in ("draw_result", "round_void"):
            ends.append(record)
    if not ends:
        raise DrawError("the draw has not ended, or the record of its end is missing")
    if len({_end(record) for record in ends}) > 1:
        raise DrawError("the draw ended twice, with different results")
    end = ends[0]
    if end["type"] == "round_void":
        return {"void": f"{end['code']} {end['reason']}"}
    order = [balls.get(place, 0) for place in range(1, end["drawn"] + 1)]
    if 0 in order:
        raise DrawError(f"ball {order.index(0) + 1} of {end['drawn']} was not reported")
    if sorted(order) != numbers(end):
        raise DrawError("the balls reported one by one differ from the result")
    return {"drawn": order}


def _end(record: Record) -> tuple[Any, ...]:
    return record["type"], record.get("numbers"), record.get("drawn"), record.get("code")


def reader(record: Record) -> str:
    """What a reader reported."""
    number = record["number"]
    reading = {None: "silent", 0: "a ball it could not read"}.get(number, f"ball {number}")
    of = f" of set {record['ball_set']}" if record["ball_set"] else ""
    return f"reader at the {record['reader']}: {reading}{of}, reading {record['readings']}"


def result(record: Record) -> str:
    """How a draw ended."""
    after = record["shown"] - record["drawn"]
    more = f", {after} after the call" if after else ""
    text = " ".join(str(number) for number in numbers(record))
    return f"{record['drawn']} of {record['balls']} by {record['ended_by']}{more}: {text}"


def stopped(record: Record) -> str:
    """What was known when a draw became void."""
    read = [_shown(record[f"{at}_reading"]) for at in ("exit", "tube")]
    text = f"{record['code']} {record['reason']} after {record['drawn']} balls"
    inside = _shown(record["inside"])
    return f"{text}, read {read[0]} at the exit, {read[1]} at the tube, {inside} inside"


def _shown(value: int | None) -> str:
    return "unknown" if value is None else str(value)
