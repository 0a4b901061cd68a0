"""From the record that ended a round to its outcome, as `tabletools.settle` reads it.

A role adds its record to OUTCOMES. One without a line settles nothing by itself: two named users
say what the round came to.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tablespec import names
from tablewire.dice_tray import DICE_RESULT
from tablewire.draw_machine import DRAW_RESULT
from tablewire.messages import ROUND_VOID, WHEEL_RESULT
from tablewire.money_wheel import MONEY_WHEEL_RESULT

Outcome = dict[str, object]

_POCKETS = dict(names.POCKET)
_REASONS = dict(names.REASON)
_DICE = tuple(f"die_{place}" for place in range(1, 7))


# Balls drawn and in the machine of Keno: its order means nothing, and is not in the record.
_KENO = (20, 80)


def _drawn(told: Mapping[str, Any]) -> Outcome | None:
    """Return the numbers of Keno; None for Bingo, where the last ball has to be known."""
    if (told["drawn"], told["balls"]) != _KENO:
        return None
    bits = int.from_bytes(bytes.fromhex(told["numbers"]), "little")
    return {"drawn": [number for number in range(1, 91) if bits >> (number - 1) & 1]}


# Message id: outcome from the fields by name, with values as on the wire.
OUTCOMES: dict[int, Callable[[Mapping[str, Any]], Outcome | None]] = {
    WHEEL_RESULT: lambda told: {"pocket": _POCKETS[told["pocket"]]},
    MONEY_WHEEL_RESULT: lambda told: {"pays": told["pays"]},
    DICE_RESULT: lambda told: {"dice": [told[die] for die in _DICE if told[die]]},
    DRAW_RESULT: _drawn,
    ROUND_VOID: lambda told: {"void": _REASONS.get(told["reason"], str(told["reason"]))},
}


def outcome_of(ident: int, payload: Mapping[str, Any]) -> Outcome | None:
    """Return what a record came to, None if it settles nothing by itself."""
    made = OUTCOMES.get(ident)
    return None if made is None else made(payload)
