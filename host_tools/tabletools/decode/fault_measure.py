"""What a table measured when it raised a fault, as text.

The wire has two numbers, value and limit; what they are follows from the fault, as the firmware
raises it. The faults of a role are in tabletools.roles. Of a contact that opened, a program that
stopped or a card that was not read they measure nothing.
"""

from collections.abc import Mapping

from tabletools import roles
from tabletools.roles.role import Measured, measured_in

_OF_EVERY_ROLE: Mapping[str, Measured] = {
    **dict.fromkeys(("sensor_implausible", "edges_lost"), measured_in("edges")),
    "journal_full": measured_in("records"),
    "sensor_stuck": measured_in("us"),
    "memory_short": lambda _value, limit: f"{limit} bytes missing",
    "task_stopped": lambda _value, limit: f"{limit} times",
    "firmware_rollback": lambda value, limit: f"release {value}, the newest was {limit}",
}


def measure_text(fault: str, value: int, limit: int) -> str:
    """Return ", measured 415 cards, limit 416 cards"; empty where nothing was measured."""
    measured = _OF_EVERY_ROLE.get(fault) or roles.measures().get(fault)
    text = "" if measured is None else measured(value, limit)
    return f", {text}" if text else ""
