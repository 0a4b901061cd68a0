"""Answers about machines, trays of dice and offers of a centre. Times are RFC 3339."""

from tabletools.api.answers import Answer, Json, Number, Time


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


class OfferDecided(Answer):
    """Who decided: taken or declined."""

    decision: str
    who: str
    at: Time
    reason: str


class Offer(Answer):
    """What a centre offers. kind: firmware or configuration. target: what it is for. state: open,
    taken, declined, withdrawn, expired or replaced. is_withdrawn: also after it was taken."""

    number: int
    kind: str
    name: str
    target: str
    digest: str
    made_at: Time
    until_at: Time
    state: str
    is_withdrawn: bool
    decided: OfferDecided | None


class Offers(Answer):
    """Offers, newest first. is_read: whether this host has a centre. refused: file and why."""

    is_read: bool
    offers: list[Offer]
    refused: list[Json]


class TrayCorrection(Answer):
    """Who set the floor of a tray by hand."""

    by: str
    reason: str
    at: Time


class Tray(Answer):
    """The tray that the host's own camera above a table sees. version: 1 as calibrated, and one
    more with each correction. digest: SHA-256 of the file in force, calibrated: of the one that
    was calibrated. floor: corners in order, right and down, px of the picture. side_px: of a die.
    corrected: null where the floor is as calibrated."""

    table: int
    version: int
    digest: str
    calibrated: str
    width: int
    height: int
    floor: list[list[int]]
    side_px: float
    corrected: TrayCorrection | None
