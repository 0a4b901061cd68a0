"""Target of the status line of wheels: whatever the cable says, no number counts that must not.

An input: a byte for the dialect, then what comes on the line. A line that begins with a byte below
16 comes that many times 200 ms after the one before, any other after 500 ms.
"""

from __future__ import annotations

from hil_tests.fuzz.input_search import Target
from hil_tests.fuzz.mutate import mutate
from tabletools.cms.wheel_line import status_line as w
from tabletools.cms.wheel_line.reader import (
    CLOSED,
    DOUBT,
    OPENED,
    RESULT,
    VOID,
    Happened,
    WheelReader,
)

WATCHED = (
    "host_tools/tabletools/cms/wheel_line/status_line.py",
    "host_tools/tabletools/cms/wheel_line/reader.py",
)
STEP_MS, USUAL_MS = 200, 500


def check(data: bytes) -> None:
    """Rounds open, close and end in that order, a number has two lines, each line is read once."""
    reader = WheelReader(w.DIALECTS[data[0] % 2 if data else 0])
    lines, rest = w.cut(data[1:])
    is_long = any(len(one) >= w.MOST_BYTES for one in (*lines, rest))  # noise is cut as it comes
    assert is_long or pieces(data[1:]) == (lines, rest)
    now_ms, stands = 0, ""
    for raw in lines:
        step_ms = USUAL_MS
        if raw[:1] and raw[0] < 16:
            step_ms, raw = raw[0] * STEP_MS, raw[1:]
        now_ms += step_ms
        for event in reader.feed(raw, now_ms):
            stands = follow(stands, event)
        whole(raw)
    assert reader.lines_read + reader.damaged == len(lines)
    for event in reader.quiet(now_ms + 60_000):
        stands = follow(stands, event)
    assert stands == "", "a silent wheel leaves a round running"


def follow(stands: str, event: Happened) -> str:
    """What stands after something happened: no round, one open, one closed."""
    if event.kind == OPENED:
        assert stands == "", "a round opened within a round"
        return OPENED
    if event.kind == CLOSED:
        assert stands == OPENED, "no more bets without place bets"
        return CLOSED
    if event.kind == RESULT:
        assert stands == CLOSED, "a number before no more bets"
        assert event.number in w.NUMBERS, "no number of a wheel"
        said = [number_in(line) for line in event.lines]
        assert said.count(event.number) >= 2, "fewer than two lines say so"
        assert set(said) <= {event.number, w.NO_NUMBER}, "lines differ"
    if event.kind in (RESULT, VOID, DOUBT):
        assert stands != "", f"{event.kind} of no round"
        return ""
    return stands


def number_in(line: str) -> str:
    """The number a line tells of this round; none before the wheel knows one."""
    message = w.parse(line.encode("ascii"))
    if isinstance(message, w.Number):
        return message.number
    return message.number if message.state == w.WINNING_NUMBER else w.NO_NUMBER


def whole(raw: bytes) -> None:
    """A line that can be read is written again as it was."""
    try:
        message = w.parse(raw)
    except w.DamagedLine:
        return
    rebuilt = w.build_number(message.number) if isinstance(message, w.Number) else w.build(message)
    assert rebuilt == raw + b"\r\n"


def pieces(data: bytes) -> tuple[list[bytes], bytes]:
    """The lines when every byte comes by itself."""
    parts: list[bytes] = []
    rest = b""
    for offset in range(len(data)):
        lines, rest = w.cut(rest + data[offset : offset + 1])
        parts += lines
    return parts, rest


def seeds() -> list[bytes]:
    """A round that counts, one that ends by a warning, one of each other way."""
    states = (1, 2, 2, 3, 4, 5, 5, 6)
    calm = b"".join(line(6, 1) for _ in range(3))
    played = b"".join(line(state, 1, "17" if state == 5 else "  ") for state in states)
    bare = b"".join(line(state, 1) for state in states[:5]) + b"17\r\n" + line(5, 1, "17")
    warned = line(2, 1) + line(3, 1) + line(3, 1, warnings=2)
    burst = b"".join(b"\x0b" * (n == 0) + line(2, 1)[:-2] + b"\r\n\x00" for n in range(5))
    return [
        bytes([dialect]) + calm + what
        for dialect in (0, 1)
        for what in (b"", played, played * 2, bare, warned, burst + played)
    ]


def line(state: int, spin: int, number: str = "  ", warnings: int = 0) -> bytes:
    """A status line with its end."""
    return w.build(w.Status(state, spin, number, warnings, 150, False))


TARGETS = (Target("wheelline", check, seeds, mutate, WATCHED),)
