"""What tables attested of their programs, each answer kept beside the release it was to match.

Works on an open transaction of the inbox.
"""

import sqlite3

from tabletools.evidence.programs import MATCH, MISMATCH, NO_ANSWER, ROLLBACK, Attested, judged
from tabletools.inbox import state
from tabletools.inbox.state import Alarm
from tabletools.release import Manifest

__all__ = ["MATCH", "MISMATCH", "NO_ANSWER", "ROLLBACK", "Attested", "highest", "judged", "keep"]


def highest(db: sqlite3.Connection, device: int) -> int:
    """The highest release a table ever matched here, 0 for none."""
    row = db.execute(
        "SELECT max(wanted) FROM attestations WHERE device = ? AND outcome = ?", (device, MATCH)
    ).fetchone()
    return int(row[0] or 0)


def keep(
    db: sqlite3.Connection, manifest: Manifest, found: Attested, now_ns: int
) -> tuple[str, list[Alarm]]:
    """Judge and keep an answer; anything but a match stops the table. Returns the outcome."""
    outcome, text = judged(manifest, found, highest(db, found.device))
    told = (None,) * 4 if found.answer is None else found.answer.values[1:]
    db.execute(
        "INSERT INTO attestations (device, boot, at_ns, outcome, wanted, version, digest, files,"
        " bytes, told, authentication) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            found.device, found.boot, now_ns, outcome, manifest.release, manifest.version, *told,
            found.seal,
        ),
    )  # fmt: skip
    if outcome == MATCH:
        return outcome, []
    return outcome, [state.stopping(db, state.PROGRAM, text, found.device, now_ns)]
