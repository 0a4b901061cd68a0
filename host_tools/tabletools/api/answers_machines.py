"""Answers about the maintenance of machines. Times are RFC 3339."""

from tabletools.api.answers import Answer, Number, Time


class DailyCheck(Answer):
    """A check before opening: each item ok or bad; by: name of the user who made it."""

    at: Time
    device: Number
    by: str
    level: str
    magnet: str
    ball: str
    parts: str
    note: str


class MissingWalk(Answer):
    """A roulette wheel that must not open: why no walk proves how it is mounted."""

    device: Number
    reason: str


class DailyChecks(Answer):
    """Checks, newest first, and the tables' wheels that must not open today."""

    checks: list[DailyCheck]
    missing_walks: list[MissingWalk]
