"""What a table measured when it raised a fault, with its unit.

The wire has two numbers, value and limit; what they are follows from the fault, as the firmware
raises it. Of a contact that opened, a program that stopped or a card that was not read they
measure nothing.
"""

from collections.abc import Mapping

_UNITS: Mapping[str, str] = {
    **dict.fromkeys(("sensor_implausible", "edges_lost"), "edges"),
    "journal_full": "records",
    **dict.fromkeys(("sensor_stuck", "double_feed", "foreign_passage"), "us"),
    **dict.fromkeys(("reader_link_lost", "shuffler_link_lost"), "ms"),
    **dict.fromkeys(("motor_stalled", "flapper_lost", "blower_stalled", "two_cards"), "of 4095"),
    **dict.fromkeys(("balls_missing", "balls_extra"), "balls"),
    **dict.fromkeys(
        (
            "count_short",
            "count_long",
            "gates_disagree",
            "unfinished",
            "jam_inside",
            "shoe_short",
            "shoe_long",
            "cut_card_reached",
            "card_unread",
            "cards_unreported",
        ),
        "cards",
    ),
    **dict.fromkeys(("gate_dirty", "foreign_card"), "%"),
}
_CAMERA = ("camera_covered", "camera_moved", "camera_dark", "camera_stopped")
_FLAGS = (0, 1)


def measure_text(fault: str, value: int, limit: int) -> str:
    """Return ", measured 415 cards, limit 416 cards"; empty where nothing was measured."""
    if fault == "memory_short":
        return f", {limit} bytes missing"
    if fault == "task_stopped":
        return f", {limit} times"
    if fault == "firmware_rollback":
        return f", release {value}, the newest was {limit}"
    if fault in _CAMERA:
        return f", grey level {value} of 255, moved by {limit} px"
    unit = _UNITS.get(fault)
    if unit is None or (value in _FLAGS and limit in _FLAGS and unit != "cards"):
        return ""
    return f", measured {value} {unit}" + (f", limit {limit} {unit}" if limit else "")
