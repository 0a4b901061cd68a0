"""What tables attested of their programs, each answer kept beside the release it was to match.

Works on an open transaction of the inbox.
"""

import sqlite3
from typing import NamedTuple

from tabletools.inbox import state
from tabletools.inbox.state import Alarm
from tabletools.release import Manifest, digest
from tablewire.codec import Frame

MATCH, MISMATCH, ROLLBACK, NO_ANSWER = "match", "mismatch", "rollback", "no_answer"


class Attested(NamedTuple):
    """What came of one question. answer: of type attestation, None if there was none.

    nonce: of the question. seal: how far the answer is to be trusted.
    """

    device: int
    boot: int
    nonce: bytes
    answer: Frame | None
    seal: str | None


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


def judged(manifest: Manifest, found: Attested, before: int) -> tuple[str, str]:
    """Return the outcome, and in words what is wrong. before: the highest release it matched."""
    wanted = f"release {manifest.release} ({manifest.version})"
    if found.answer is None:
        return NO_ANSWER, f"it did not attest {wanted}"
    _, told_digest, files, size, release = found.answer.values
    if (told_digest, release) != (digest(manifest, found.nonce), manifest.release):
        count = f"{files} files, {size} bytes, release {release}"
        signed = f"{len(manifest.files)} files, {sum(f.size for f in manifest.files)} bytes"
        return MISMATCH, f"its program is not {wanted}: {count} instead of {signed}"
    if manifest.release < before:
        return ROLLBACK, f"it went back to {wanted}: release {before} ran here before"
    return MATCH, ""
