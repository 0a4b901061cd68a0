"""One line of a wheel: `*X;S;GGG;NN;W;RRR;D` and the bare number, as bytes. No port, no clock.

A line matches the pattern completely, or it is damaged; nothing is guessed from a damaged line.
There is no checksum and no authentication: a number is not proved by having been read.
"""

import re
from typing import NamedTuple

# Dialects by neutral names; one that was never tried on a device is a guess.
SS2, MERCURY = "ss2", "mercury"
DIALECTS = (SS2, MERCURY)

BEFORE_START, PLACE_BETS, BALL_IN_RIM, NO_MORE_BETS, WINNING_NUMBER, CLOSED, OUT = range(1, 8)
NO_NUMBER = "  "
# Warnings, added up. Both dialects: 2 the ball runs with the rotor, 4 a sensor or the motor.
REMOVED_OR_SPEED, SAME_WAY, SENSOR, FAILED = 1, 2, 4, 8
SPINS = 256
MOST_BYTES = 64  # a longer run without an end of line is noise

_STATUS = re.compile(rb"\*X;([1-7]);([0-9]{3});([ 0-9]{2});([0-9A-F]);([0-9]{3});([01])")
# As printed: ` 0` and `00` are two pockets, and 38 is the triple zero.
NUMBERS = frozenset([*(f"{n:2d}" for n in range(37)), "00", "38"])


class DamagedLine(ValueError):
    """A line that is not valid. raw: its bytes."""

    def __init__(self, raw: bytes, why: str) -> None:
        super().__init__(f"{why}: {raw[:MOST_BYTES]!r}")
        self.raw = raw


class Status(NamedTuple):
    """A status line. number: of the last spin that had one, two characters as sent."""

    state: int
    spin: int
    number: str
    warnings: int
    speed_drpm: int
    is_counter_clockwise: bool


class Number(NamedTuple):
    """The bare line, sent once when the number is found."""

    number: str


def parse(line: bytes) -> Status | Number:
    """Read a line without its CR LF. Raises DamagedLine."""
    if len(line) == 2:
        return Number(_number(line, line))
    fields = _STATUS.fullmatch(line)
    if fields is None:
        raise DamagedLine(line, "no status line")
    state, spin, number, warnings, speed, way = fields.groups()
    if not 1 <= int(spin) <= SPINS:
        raise DamagedLine(line, f"spin counter {int(spin)}, 1 to {SPINS} allowed")
    text = NO_NUMBER if number == b"  " else _number(number, line)
    return Status(int(state), int(spin), text, int(warnings, 16), int(speed), way == b"1")


def build(status: Status) -> bytes:
    """Return a status line with its end."""
    text = (
        f"*X;{status.state};{status.spin:03d};{status.number:>2};{status.warnings:X};"
        f"{status.speed_drpm:03d};{int(status.is_counter_clockwise)}\r\n"
    )
    return text.encode("ascii")


def build_number(number: str) -> bytes:
    """Return the bare line of a number."""
    return f"{number:>2}\r\n".encode("ascii")


def cut(data: bytes) -> tuple[list[bytes], bytes]:
    """Return complete lines without their ends, and the start of the next one.

    A single CR or LF stays in its line, which is then damaged. So is a rest that is too long.
    """
    *lines, rest = data.split(b"\r\n")
    if len(rest) > MOST_BYTES:
        lines.append(rest)
        rest = b""
    return lines, rest


def _number(digits: bytes, line: bytes) -> str:
    text = digits.decode("ascii", "replace")
    if text not in NUMBERS:
        raise DamagedLine(line, f"no winning number {text!r}")
    return text
