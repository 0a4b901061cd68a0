"""What is known of the boots of the tables heard: newest counter, clock; in memory and a row."""

import sqlite3
from dataclasses import dataclass, field

from tabletools.evidence.device_clock import Estimate, HostClock, UptimeClock
from tabletools.inbox import state
from tabletools.inbox.state import Alarm
from tablewire.codec import Frame

_MS = 1_000_000
_WRAP_NS = (1 << 32) * _MS


@dataclass
class Boot:
    """One boot of one table. kept: as the row had it, zero_ns and uncertainty_ns, or None.

    fell_ns: when a live frame of it came after one of a higher boot, None for never.
    """

    newest: int = 0
    reordered: int = 0
    kept: Estimate | None = None
    clock: UptimeClock = field(default_factory=UptimeClock)
    fell_ns: int | None = None


def load(db: sqlite3.Connection, name: tuple[int, int]) -> Boot:
    """A boot as it was left, or a new one. name: device, boot."""
    row = db.execute(
        "SELECT newest, reordered, zero_ns, uncertainty_ns, fell_ns FROM boots"
        " WHERE device = ? AND boot = ?",
        name,
    ).fetchone()
    if row is None:
        return Boot()
    newest, reordered, zero_ns, uncertainty_ns, fell_ns = row
    kept = None if zero_ns is None else Estimate(zero_ns, uncertainty_ns)
    return Boot(newest, reordered, kept, fell_ns=fell_ns)


def enter(db: sqlite3.Connection, frame: Frame, boot: Boot, now_ns: int) -> Alarm | None:
    """Keep the boot of a live frame, in an open transaction; an alarm if it fell.

    Boots of a table only rise. If a higher one is known, a copy of its flash or a forgery answers.
    """
    name = (frame.device, frame.boot)
    row = db.execute("SELECT max(boot) FROM boots WHERE device = ? AND boot > ?", name).fetchone()
    boot.fell_ns = None if row[0] is None else now_ns
    save(db, name, boot, boot.newest, now_ns)
    if row[0] is None:
        return None
    text = f"a live frame of boot {frame.boot} after boot {row[0]}"
    return state.alarm_for(db, state.BOOT_FELL, text, frame, now_ns)[1]


def save(
    db: sqlite3.Connection, name: tuple[int, int], boot: Boot, newest: int, now_ns: int
) -> None:
    """Write the row of a boot, in an open transaction. newest: highest counter by now."""
    zero_ns = boot.kept and boot.kept.at_ns
    uncertainty_ns = boot.kept and boot.kept.uncertainty_ns
    drift = round(boot.clock.drift_ppm * 1000)
    db.execute(
        "INSERT INTO boots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (device, boot) DO UPDATE SET fell_ns = excluded.fell_ns,"
        " newest = excluded.newest, reordered = excluded.reordered, zero_ns = excluded.zero_ns,"
        " uncertainty_ns = excluded.uncertainty_ns, drift_ppb = excluded.drift_ppb",
        (*name, now_ns, newest, boot.reordered, zero_ns, uncertainty_ns, drift, boot.fell_ns),
    )


def mapped(boot: Boot, host: HostClock, uptime_ms: int, now_ns: int) -> Estimate | None:
    """UTC of an uptime; from an earlier run's estimate if this one heard nothing of the boot."""
    found = boot.clock.at(uptime_ms)
    if found is not None:
        at_ns = host.utc(found.at_ns)
        boot.kept = Estimate(at_ns - uptime_ms * _MS, found.uncertainty_ns)
        return Estimate(at_ns, found.uncertainty_ns)
    if boot.kept is None:
        return None
    at_ns = boot.kept.at_ns + uptime_ms * _MS
    if at_ns - boot.kept.uncertainty_ns > now_ns:
        at_ns -= _WRAP_NS  # made before the uptime wrapped
    return Estimate(at_ns, boot.kept.uncertainty_ns)
