"""Stored evidence as lines: each row of a listing is a struct with a text."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tabletools import decode
from tabletools.roles import of_result, role

Row = Mapping[str, Any]


class _Line(msgspec.Struct):
    """A row of evidence.listing; its names are those of `--json`."""

    def text(self) -> str:
        raise NotImplementedError


class SecondReading(msgspec.Struct):
    """What the host read in the picture of a throw."""

    reason: str | None
    dice: list[int] | None

    def text(self) -> str:
        """Dice, or why there are none."""
        return f" (host: {self.reason or ' '.join(map(str, self.dice or []))})"


class Round(_Line):
    """A round, with its result or the reason of its void."""

    device: int
    round: int
    verdict: str
    end: str | None
    opened: str | None
    closed: str | None
    ended: str | None
    took_ms: int | None
    when_made: str | None = msgspec.field(name="made")
    uncertainty_ms: float | None
    settleable: bool
    authentication: str | None
    trace_bytes: int | None
    code: int | None
    reason: str | None
    dice: list[int] | None
    read_by: str | None
    second_reading: SecondReading | None

    def line(self, row: Row) -> str:
        """The round as a line. row: itself, with what its role lists of a result."""
        took = "" if self.took_ms is None else f", took {self.took_ms / 1000:.1f} s"
        when = self.ended or self.closed or self.opened or "time unknown"
        when_made = ""
        if self.when_made is not None:
            when_made = f", made {self.when_made[11:]} +-{self.uncertainty_ms:.0f} ms"
        trust = "settleable" if self.settleable else f"not to be settled ({self._distrust()})"
        place = f"table {self.device}  round {self.round:<6}"
        trace = ", trace kept" if self.trace_bytes else ""
        return f"{when}  {place} {self._end(row)}{when_made}{took}, {trust}{trace}"

    def _end(self, row: Row) -> str:
        if self.end is None:
            return "running" if self.closed is None else "no more bets"
        if self.end == "dice_result":
            return self._dice()
        name = of_result(self.end)
        return f"void {self.code} {self.reason}" if name is None else role(name).listed_as(row)

    def _dice(self) -> str:
        """The dice of a result and who read them."""
        dice = " ".join(map(str, self.dice or []))
        if self.read_by == "host":
            return f"{dice} (read by the host alone)"
        if self.second_reading is not None:
            return (dice or "dice left to the host") + self.second_reading.text()
        if not dice:
            return "dice left to the host, which has not read them"
        return f"{dice} (read by the table alone)"

    def _distrust(self) -> str:
        parts = [] if self.verdict == "believed" else [self.verdict]
        if self.authentication not in (None, "verified"):
            is_open = self.authentication == "none"
            parts.append("not authenticated" if is_open else "tag unverified")
        return ", ".join(parts) or "void, in test mode, or the table is stopped"


class _Record(_Line):
    device: int
    boot: int
    counter: int
    type: str
    when_made: str | None = msgspec.field(name="made")
    received: str | None
    authentication: str | None
    key_number: int | None
    raw: str

    def line(self, row: Row) -> str:
        """The record as lines. row: itself, decoded."""
        when_made = self.when_made or "time unknown"
        by_key = "" if self.key_number is None else f" by key {self.key_number}"
        name = f"device {self.device} boot {self.boot} counter {self.counter}"
        more = f"{name}, made {when_made}, {self.authentication}{by_key}"
        text = decode.describe(dict(row))
        return f"{self.received}  {self.type:<14} {text}\n    {more}\n    {self.raw}"


class _Configuration(_Line):
    device: int
    values: dict[str, int | None]

    def text(self) -> str:
        known = [f"{name} {value}" for name, value in self.values.items() if value is not None]
        unknown = len(self.values) - len(known)
        missing = [f"{unknown} values not stored here"] if unknown else []
        words = "; ".join([*filter(None, [", ".join(known)]), *missing])
        return f"    configuration of device {self.device}: {words}"


class _Change(_Line):
    device: int
    key: str | int
    value: int
    previous: int
    cause: str
    author: str | None
    when_made: str | None = msgspec.field(name="made")
    received: str | None

    def text(self) -> str:
        who = f" ({self.author})" if self.author else ""
        text = f"{self.key} = {self.value}, was {self.previous}, by {self.cause}{who}"
        return f"{self.when_made or self.received}  table {self.device}  {text}"


class _Alarm(_Line):
    device: int | None
    time: str = msgspec.field(name="at")
    kind: str
    raw: str | None
    repeats: int | None
    message: str = msgspec.field(name="text")

    def text(self) -> str:
        again = f", {self.repeats} times again" if self.repeats else ""
        refused = f"\n    {self.raw}" if self.raw else ""
        whose = "host" if self.device is None else f"table {self.device}"
        return f"{self.time}  {whose}  {self.kind}: {self.message}{again}{refused}"


class _Attestation(_Line):
    device: int
    boot: int
    time: str = msgspec.field(name="at")
    outcome: str
    reported: int | None
    files: int | None
    wanted: int | None
    version: str | None

    def text(self) -> str:
        text = "no answer"
        if self.outcome != "no_answer":
            text = f"{self.outcome}, release {self.reported} reported, {self.files} files"
        wanted = f"release {self.wanted} ({self.version}) wanted"
        return f"{self.time}  table {self.device} boot {self.boot}  {wanted}: {text}"


class _Gap(_Line):
    device: int
    boot: int
    first: int
    last: int
    time: str = msgspec.field(name="seen")
    closed: str | None
    closed_by: str | None

    def text(self) -> str:
        state = "open" if self.closed is None else f"{self.closed_by} {self.closed}"
        span = f"{self.first}..{self.last}"
        return f"{self.time}  table {self.device} boot {self.boot}  counters {span}: {state}"


class _Table(_Line):
    device: int
    boot: int
    bets_open: bool | int
    cause: str | None
    stopped: str | None

    def text(self) -> str:
        bets = f"bets {'open' if self.bets_open else 'closed'} ({self.cause or 'no round yet'})"
        stop = f", STOPPED: {self.stopped}" if self.stopped else ""
        return f"table {self.device} boot {self.boot}: {bets}{stop}"


class _Step(_Line):
    device: int | None
    time: str = msgspec.field(name="at")
    step_ms: float

    def text(self) -> str:
        whose = "host clock" if self.device is None else f"table {self.device}"
        return f"{self.time}  {whose} stepped by {self.step_ms} ms"


def _line(kind: type[_Line]) -> Callable[[Row], str]:
    return lambda row: msgspec.convert(row, kind).text()


LINES: Mapping[str, Callable[[Row], str]] = {
    "round": lambda row: msgspec.convert(row, Round).line(row),
    "record": lambda row: msgspec.convert(row, _Record).line(row),
    "configuration": _line(_Configuration),
    "alarm": _line(_Alarm),
    "change": _line(_Change),
    "attestation": _line(_Attestation),
    "gap": _line(_Gap),
    "table": _line(_Table),
    "step": _line(_Step),
}
"""A line of each kind of row."""
