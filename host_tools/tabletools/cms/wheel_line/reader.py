"""From lines to what a wheel did: a round opened, no more bets, a number, a void, a doubt.

Acts only on edges of (spin counter, state), so repeats change nothing. A number counts after the
whole sequence place bets, ball in rim, no more bets, winning number, received live, and only if
two lines agree on it; anything else is reported. Knows no port, no ledger; time is injected.
"""

from collections import Counter
from typing import NamedTuple

from tabletools.cms.wheel_line import status_line as w
from tabletools.cms.wheel_line.status_line import DamagedLine, Number, Status, parse

OPENED, CLOSED, RESULT, VOID, DOUBT, WARNING = (
    "opened",
    "closed",
    "result",
    "void",
    "doubt",
    "warning",
)
# A line comes every 500 ms. After a silence the first ones are old: hundreds may come at once.
SILENT_MS = 2_000
LIVE_MS = 250  # lines closer than this to the one before are part of such a burst
_AGREEING = 2  # lines that have to report the same number
CALM = 3  # lines in a row that must not be
DEBOUNCE_MS = {w.REMOVED_OR_SPEED: 5_000, w.FAILED: 3_000}
_TEXTS = {
    w.SS2: {
        1: "the ball was removed or is not sensed",
        2: "the ball runs with the rotor",
        4: "a sensor, the motor or an encoder failed",
        8: "the launch failed",
    },
    w.MERCURY: {
        1: "the rotor is outside its limits of speed",
        2: "the ball runs with the rotor",
        4: "a sensor in the rim failed",
        8: "the game is void, or the ball too slow",
    },
}
VOIDING = w.SAME_WAY | w.FAILED
_AFTER = {  # state: those before it, in the same round
    w.BALL_IN_RIM: {w.PLACE_BETS},
    w.NO_MORE_BETS: {w.BALL_IN_RIM},
    w.WINNING_NUMBER: {w.NO_MORE_BETS},
}


class Happened(NamedTuple):
    """An action of the wheel. lines: those that report it, as received."""

    kind: str
    text: str = ""
    number: str = ""
    lines: tuple[str, ...] = ()


class WheelReader:
    """One wheel. damaged: lines refused, by reason; the last one is in `last_damaged`."""

    def __init__(self, dialect: str) -> None:
        if dialect not in w.DIALECTS:
            raise ValueError(f"dialect {dialect!r}: use {' or '.join(w.DIALECTS)}")
        self.lines_read = 0
        self.damaged = 0
        self.last_damaged = ""
        self.status: Status | None = None
        self._texts = _TEXTS[dialect]
        self._is_open = False  # a round runs that was received from its beginning
        self._is_closed = False  # and its bets are closed
        self._votes: Counter[str] = Counter()
        self._lines: list[str] = []
        self._result: tuple[int, str] | None = None  # spin and number of the round before
        self._others: Counter[str] = Counter()  # numbers of that spin since, if they differ
        self._at_ms: int | None = None
        self._calm = CALM
        self._since: dict[int, int] = {}  # warning: when it was first seen
        self._warned = 0  # warnings that were reported

    @property
    def is_live(self) -> bool:
        """Whether a valid line came in the last 2 s."""
        return self._at_ms is not None

    def feed(self, raw: bytes, now_ms: int) -> list[Happened]:
        """Take one line without its end; returns what the wheel did. now_ms: monotonic."""
        try:
            line = parse(raw)
        except DamagedLine as error:
            self.damaged += 1
            self.last_damaged = str(error)
            return []
        self.lines_read += 1
        events = self.quiet(now_ms)
        self._pace(line, now_ms)
        text = raw.decode("ascii")
        if isinstance(line, Number):
            if not self._is_closed:
                return events + self._compare(line.number)
            self._vote(line.number, text)
            return events + self._decide()
        return events + self._follow(line, text, now_ms)

    def quiet(self, now_ms: int) -> list[Happened]:
        """Check the time; call it also when nothing comes."""
        if self._at_ms is None or now_ms - self._at_ms <= SILENT_MS:
            return []
        self._calm = 0
        self._at_ms = None
        return self._lose("nothing was received for more than 2 s")

    def _pace(self, line: Status | Number, now_ms: int) -> None:
        """Count lines that come at the pace of a wheel, not all at once after a silence."""
        before, self._at_ms = self._at_ms, now_ms
        if isinstance(line, Status) and self._calm < CALM and before is not None:
            self._calm = self._calm + 1 if now_ms - before >= LIVE_MS else 0

    def _follow(self, now: Status, text: str, now_ms: int) -> list[Happened]:
        before, self.status = self.status, now
        events = self._warn(now, now_ms)
        if before is None:
            return events
        if now.state != before.state:
            events += self._edge(before, now, text)
        elif self._is_open and now.spin != before.spin:
            events += self._lose(f"spin counter {before.spin} became {now.spin}")
        if not self._is_closed:
            return events + self._compare(now.number)
        if now.state == w.WINNING_NUMBER:
            self._vote(now.number, text)
            events += self._decide()
        return events

    def _edge(self, before: Status, now: Status, text: str) -> list[Happened]:
        if now.state == w.PLACE_BETS:
            return self._open(text)
        if not self._is_open:
            return []
        if now.state in (w.BEFORE_START, w.CLOSED, w.OUT):
            return self._end(VOID, f"the wheel went from state {before.state} to {now.state}")
        if before.state not in _AFTER[now.state]:
            return self._lose(f"state {now.state} came after {before.state}")
        if now.spin not in (before.spin, before.spin % w.SPINS + 1):
            return self._lose(f"spin counter {before.spin} became {now.spin}")
        self._lines.append(text)
        if now.state == w.BALL_IN_RIM:
            self._warned &= ~VOIDING  # one that is still set now is of this spin
        if now.state == w.NO_MORE_BETS:
            self._is_closed = True
            return [Happened(CLOSED, lines=tuple(self._lines))]
        return []

    def _open(self, text: str) -> list[Happened]:
        events = self._lose("the next round began without a number")
        if self._calm < CALM:
            return events  # an old line: the ball may have been in the rim for long
        self._is_open, self._lines = True, [text]
        return [*events, Happened(OPENED, lines=(text,))]

    def _vote(self, number: str, text: str) -> None:
        if number != w.NO_NUMBER:
            self._votes[number] += 1
            self._lines.append(text)

    def _decide(self) -> list[Happened]:
        """Count the number if two lines agree, none differs, and the wheel reports it as won.

        A warning that voids a round once it is no flicker leaves the number in doubt before.
        """
        if len(self._votes) > 1:
            numbers = " and ".join(sorted(self._votes))
            return self._lose(f"lines differ on the number: {numbers}")
        is_won = self.status is not None and self.status.state == w.WINNING_NUMBER
        if not (self._is_closed and is_won and max(self._votes.values(), default=0) >= _AGREEING):
            return []
        [number] = self._votes
        if self.status is not None and self.status.warnings & VOIDING:
            return self._lose(f"the number {number} came with warning {self.status.warnings}")
        return self._end(RESULT, "", number)

    def _compare(self, number: str) -> list[Happened]:
        """Report that the wheel reports another number for the spin it reported before."""
        if self._result is None or self.status is None or self.status.spin != self._result[0]:
            return []
        spin, known = self._result
        if number in (known, w.NO_NUMBER):
            return []
        self._others[number] += 1
        if self._others[number] != _AGREEING:
            return []
        text = f"the wheel reports {number.strip()} as the number of spin {spin}"
        return [Happened(WARNING, f"{text}, after it reported {known.strip()}")]

    def _warn(self, now: Status, now_ms: int) -> list[Happened]:
        events: list[Happened] = []
        self._warned &= now.warnings
        for warning in (1, 2, 4, 8):
            if not now.warnings & warning:
                self._since.pop(warning, None)
                continue
            since = self._since.setdefault(warning, now_ms)
            if now_ms - since < DEBOUNCE_MS.get(warning, 0) or self._warned & warning:
                continue
            self._warned |= warning
            text = f"warning {warning}: {self._texts[warning]}"
            events.append(Happened(WARNING, text))
            if self._is_open and warning & VOIDING:
                events += self._end(VOID, text)
        return events

    def _lose(self, why: str) -> list[Happened]:
        """End the running round, if any, as one that the line does not decide."""
        return self._end(DOUBT, why) if self._is_open else []

    def _end(self, kind: str, text: str, number: str = "") -> list[Happened]:
        happened = Happened(kind, text, number, tuple(self._lines[-12:]))
        self._result = None
        if kind == RESULT and self.status is not None:
            self._result = self.status.spin, number
        self._is_open = self._is_closed = False
        self._votes.clear()
        self._others.clear()
        self._lines = []
        return [happened]
