"""What to do about the checks that failed: the cause follows from the code and the value.

A code names a rule that was broken. At a table that plays, 105 is a second ball; forty closed
switches of a wheel with 37 pockets are a connector. No port, no table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tabletools.diag.check import FAIL, Check
from tabletools.explain import BY_NUMBER

_EVERY_SWITCH = 40  # of five registers
_REGISTER = 8
_POCKET = "array: pocket after the index"
_SUPPLY, _CHIP = "table: supply", "table: temperature of the chip"
_LOOPS = ("tilt: level", "dome: level")
_ENDS_RAW = (64, 4031)  # of 4095: a wire that is cut or at ground reads beyond
# What stops the most comes first: supplies, the line, loops, then single sensors.
_ORDER = (1006, 1007, 1001, 1002, 401, 402)


@dataclass(frozen=True)
class Advice:
    """Why a check failed, and what to do. source: of what it is about; equal ones are one step."""

    cause: str
    remedy: str
    source: str


@dataclass(frozen=True)
class Step:
    """One thing to do, for all the checks that it is the remedy of."""

    advice: Advice
    checks: tuple[Check, ...]


def advice_of(check: Check, checks: Sequence[Check]) -> Advice | None:
    """Return the advice on a check that failed among others, None where nothing is known of it."""
    reason = BY_NUMBER.get(check.code or 0)
    by_value = _of_value(check, checks)
    if by_value is not None:
        return by_value
    if reason is None:
        return None
    sensor = check.name.split(":")[0]
    return Advice(reason.cause, reason.remedy, f"{sensor} {reason.number}")


def first_steps(checks: Sequence[Check]) -> list[Step]:
    """Return what to do about the failures, in the order in which to do it."""
    steps: dict[str, Step] = {}
    for check in checks:
        advice = advice_of(check, checks) if check.verdict == FAIL else None
        if advice is None:
            continue
        same = steps[advice.source].checks if advice.source in steps else ()
        steps[advice.source] = Step(advice, (*same, check))
    return sorted(steps.values(), key=_rank)


def _rank(step: Step) -> int:
    ranks = [_ORDER.index(check.code) for check in step.checks if check.code in _ORDER]
    return min(ranks, default=len(_ORDER))


def _of_value(check: Check, checks: Sequence[Check]) -> Advice | None:
    value, name = check.value, check.name
    if value is None:
        return None
    if name == "array: switches closed":
        return _of_array(value, _closing_checks(checks))
    if check.code in (401, 402):
        return _of_loops(check, checks)
    if name.endswith(": pulses") and check.low is not None and value < check.low:
        return _of_line(check)
    if name in (_SUPPLY, _CHIP):
        return _of_board(check)
    # A motor or a blower that rests reads 0 too; a flapper never does.
    is_at_end = value > _ENDS_RAW[1] or (value < _ENDS_RAW[0] and name.startswith("flapper"))
    if name.endswith(" reading") and is_at_end:
        return _of_converter(check)
    return None


def _closing_checks(checks: Sequence[Check]) -> list[int]:
    return [each.value for each in checks if each.name == _POCKET and each.value is not None]


def _of_array(count: int, closed: Sequence[int]) -> Advice:
    source = "array"
    if count >= _EVERY_SWITCH:
        return Advice(
            "Every bit of the pocket array reads closed: no wheel has 40 balls. Its connector J5"
            " is open, its data line is at ground, or its registers have no supply.",
            "Plug in J5, measure 3.3 V at the registers and follow the check of WIRING.md,"
            " section 7. Without an array set pocket_sensor = 2: for displays only.",
            source,
        )
    registers = {pocket // _REGISTER for pocket in closed}
    if count % _REGISTER == 0 and count == _REGISTER * len(registers) > 0:
        names = ", ".join(str(register + 1) for register in sorted(registers))
        return Advice(
            f"Whole registers read closed: {names}. Such a register has no supply, or the chain"
            " to it is broken.",
            f"Check supply and chain (QH to SER) of register {names}: WIRING.md, section 7.",
            source,
        )
    places = ", ".join(map(str, closed)) or "unknown"
    what = "Two switches are closed" if count == 2 else f"{count} switches are closed"
    return Advice(
        f"{what}, pockets {places} after the index: more balls than one, or a switch that does"
        " not open.",
        "Take every ball out of the wheel and run the command again. A pocket that still reads"
        " closed has a stuck switch, a magnet beside it or a dirty window.",
        source,
    )


def _of_loops(check: Check, checks: Sequence[Check]) -> Advice | None:
    open_loops = {each.name for each in checks if each.verdict == FAIL and each.name in _LOOPS}
    if len(open_loops) == len(_LOOPS):
        return Advice(
            "The loops of tilt and dome are both open: that is one missing supply or plug rather"
            " than two contacts.",
            "Switch the 24 V supply on and check its fuse, then plug in J7. A table without them:"
            " tilt_fitted = 0, dome_fitted = 0.",
            "24 V",
        )
    reason = BY_NUMBER[check.code or 0]
    key = {401: "tilt_fitted", 402: "dome_fitted"}[reason.number]
    remedy = f"{reason.remedy} A table without it: {key} = 0."
    return Advice(reason.cause, remedy, str(reason.number))


def _of_line(check: Check) -> Advice | None:
    sensor, value = check.name.removesuffix(": pulses"), check.value
    if value:
        return Advice(
            f"{sensor} switched {value} times where {check.low} were due: it misses some.",
            f"Set gap, aim and place of {sensor}, clean it, and run the same test again.",
            f"{sensor} line",
        )
    if "line on" in check.note:
        return Advice(
            f"{sensor} did not switch and its line is on all the time: at ground, or the sensor"
            " has something before it.",
            f"Unplug {sensor}: a line that stays below 0.4 V is short-circuited between plug and"
            " pin; one that rises to 3.3 V has a sensor that detects something, or dirt.",
            f"{sensor} line",
        )
    return Advice(
        f"{sensor} did not switch and its line is off all the time: unplugged, without supply,"
        " too far away, or nothing passed it.",
        f"Check the plug and the supply of {sensor}, then pass before it what it detects: its line"
        " has to fall below 0.4 V.",
        f"{sensor} line",
    )


def _of_board(check: Check) -> Advice | None:
    reason, value = BY_NUMBER[check.code or 0], check.value or 0
    is_low = check.low is not None and value < check.low
    if check.name == _SUPPLY:
        cause = "too weak, overloaded, or its wire too long" if is_low else "set too high"
        return Advice(
            f"The board measures {value} mV of {check.limits()}: the 5 V supply is {cause}.",
            "Measure J1-1 to J1-2 with everything plugged in: 4.75 to 5.25 V.",
            _SUPPLY,
        )
    remedy = "Warm the box above 0 C." if is_low else reason.remedy
    return Advice(reason.cause, remedy, _CHIP)


def _of_converter(check: Check) -> Advice | None:
    sensor, value = check.name.split(":")[0], check.value or 0
    end = "ground" if value < _ENDS_RAW[0] else "3.3 V"
    return Advice(
        f"{sensor} reads {value} of 4095, as its line does at {end}: a wire is cut or touches.",
        f"Check the three wires of {sensor} at J10 and its supply.",
        f"{sensor} line",
    )
