"""Events as the centre reads them: the subject says from where, typed data what happened.

A site is another house's computer: what is too long, too large or of another site is refused.
"""

from datetime import datetime
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

_MOST = 2**53
_LONGEST = 1000
_MOST_NS = 2**63 - 1
_MOST_CENTS = 10**14
"""Of one round or bet: a thousand of them are not above 2^53."""
Cents = Annotated[int, Meta(ge=0, le=_MOST_CENTS)]
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Whole = Annotated[int, Meta(ge=-_MOST, le=_MOST)]
# PostgreSQL stores no NUL in a text.
Text = Annotated[str, Meta(max_length=_LONGEST, pattern=r"\A[^\x00]*\Z")]


class NotAnEvent(Exception):
    """A message that is no event of its subject."""


class Described(msgspec.Struct):
    """See catalogue.EVENTS, as for each of these."""

    name: Text
    currency: Text
    game: Text
    rules: Text
    variant: Text
    zone: Text
    wheel_model: Text
    ball_batch: Text


class DealerChanged(msgspec.Struct):
    dealer: Text | None


class Opened(msgspec.Struct):
    number: Whole
    bets_open: bool


class Closed(msgspec.Struct):
    number: Whole


class Settled(msgspec.Struct):
    device: Count
    number: Whole
    generation: Count
    void: bool
    win_cents: Cents
    back_cents: Cents
    lost_cents: Cents
    outcome: dict[Text, Any] = {}


class Late(msgspec.Struct):
    late: Count
    stake_cents: Cents
    code: Text


class Raised(msgspec.Struct):
    alarm: Count
    kind: Text
    text: Text
    priority: Count = 0


class Changed(msgspec.Struct):
    alarm: Count
    kind: Text


class Identified(msgspec.Struct):
    device: Count
    role: Text
    board: Text
    firmware: Text


class Attested(msgspec.Struct):
    device: Count
    outcome: Text
    release: Count
    version: Text
    reported: Count | None


class OfferDecided(msgspec.Struct):
    digest: Text
    number: Count
    kind: Text
    name: Text
    target: Text
    decision: Text
    user: Text
    reason: Text


class DayClosed(msgspec.Struct):
    day: Text
    place: Text
    currency: Text
    expected_cents: Whole
    counted_cents: Count
    users: Annotated[list[Text], Meta(min_length=2, max_length=2)]
    reason: Text


KINDS: dict[str, type[msgspec.Struct]] = {
    "tablewire.table.described": Described,
    "tablewire.dealer.changed": DealerChanged,
    "tablewire.round.opened": Opened,
    "tablewire.bets.closed": Closed,
    "tablewire.round.settled": Settled,
    "tablewire.round.corrected": Settled,
    "tablewire.bet.late": Late,
    "tablewire.alarm.raised": Raised,
    "tablewire.alarm.cleared": Changed,
    "tablewire.alarm.acknowledged": Changed,
    "tablewire.device.identified": Identified,
    "tablewire.device.attested": Attested,
    "tablewire.offer.decided": OfferDecided,
    "tablewire.day.closed": DayClosed,
}
"""The types that the figures of the centre follow from; others pass."""


class _Envelope(msgspec.Struct):
    id: Text
    type: Text
    time: datetime
    sequence: Annotated[str, Meta(pattern=r"\A[0-9]{20}\Z")]
    site: Text
    pit: Text
    data: msgspec.Raw
    table: Count | None = None


class EstateEvent(NamedTuple):
    """One event. sequence: rises within a table. data: typed, None for a type of no figure."""

    site: str
    pit: str
    table: int | None
    id: str
    type: str
    sequence: int
    at_ns: int
    data: msgspec.Struct | None


def read(subject: str, payload: bytes) -> EstateEvent:
    """Return the event in a message. Raises NotAnEvent."""
    try:
        payload.decode()  # also what is skipped
        one = msgspec.json.decode(payload, type=_Envelope)
        kind = KINDS.get(one.type)
        data = None if kind is None else msgspec.json.decode(one.data, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise NotAnEvent(str(error)[:_LONGEST]) from error
    branch = "house" if one.table is None else f"table.{one.table}"
    name = one.type.removeprefix("tablewire.")
    if subject != f"tablewire.{one.site}.{one.pit}.{branch}.{name}":
        raise NotAnEvent(f"it says that it is from {one.site} {one.pit} {branch}"[:_LONGEST])
    if one.time.tzinfo is None:
        raise NotAnEvent("its time has no zone")
    sequence = int(one.sequence)
    if sequence > 2**63 - 1:
        raise NotAnEvent("its sequence is above 63 bits")
    at_ns = int(one.time.timestamp()) * 10**9 + one.time.microsecond * 1000
    if not 0 <= at_ns <= _MOST_NS:
        raise NotAnEvent("its time is before 1970 or after 2262")
    return EstateEvent(one.site, one.pit, one.table, one.id, one.type, sequence, at_ns, data)
