"""Whether something was accepted before a record of the table, by the clock of the table.

It is proved if that clock was known when it was accepted, and the latest value that the clock can
have had is before the time of the record, in the same boot.
"""

from tabletools.link.freshness import signed_ms
from tabletools.table.state import ClockReading

NOT_BEFORE, NO_READING, OTHER_BOOT = "not_before", "no_reading", "other_boot"


def why_unproved(clock: ClockReading, boot: int, uptime_ms: int) -> str:
    """Return why nothing proves that a reading is before a record, empty if it is proved.

    boot, uptime_ms: of the record.
    """
    own_boot, shown_ms, uncertainty_ms = clock
    if own_boot is None or shown_ms is None or uncertainty_ms is None:
        return NO_READING
    if own_boot != boot:
        return OTHER_BOOT
    is_before = signed_ms(shown_ms + uncertainty_ms - uptime_ms) < 0
    return "" if is_before else NOT_BEFORE
