"""Gaming days: each begins and ends at an hour of local time, which a house sets."""

from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from tabletools.store.clock import NS
from tabletools.store.errors import LedgerRejection


class Span(NamedTuple):
    """A stretch of time: from `first_ns` up to, not including, `end_ns`, UTC."""

    first_ns: int
    end_ns: int


def end_ns(now_ns: int, hour: int) -> int:
    """Return when the gaming day ends that a moment is in. Times: UTC in nanoseconds."""
    return _begins_ns(day_of(now_ns, hour) + timedelta(days=1), hour)


def day_of(now_ns: int, hour: int) -> date:
    """Return the gaming day of a moment: the date on which it began."""
    now = datetime.fromtimestamp(now_ns // NS)
    return now.date() if now.hour >= hour else now.date() - timedelta(days=1)


def chosen(day: date | None, now_ns: int, hour: int, *, back: int = 0) -> date:
    """Return the day that is asked for; None: so many before the present one.

    Raises LedgerRejection.
    """
    day = day or day_of(now_ns, hour) - timedelta(days=back)
    if not date(2000, 1, 1) <= day <= date(2200, 1, 1):
        what = f"there is no gaming day {day}"
        raise LedgerRejection("no_such_day", what, "choose one from 2000-01-01 on", "day")
    return day


def span(day: date, hour: int, days: int = 1) -> Span:
    """Return when gaming days began and end. A day on which clocks change has 23 or 25 hours."""
    return Span(_begins_ns(day, hour), _begins_ns(day + timedelta(days=days), hour))


def _begins_ns(day: date, hour: int) -> int:
    return int(datetime.combine(day, time(hour)).astimezone().timestamp()) * NS
