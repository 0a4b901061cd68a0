"""What tables attested of their programs, each answer stored with the release it had to match."""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, select

from tabletools.evidence import alarms
from tabletools.evidence.alarms import AlarmCause
from tabletools.release import Manifest, digest
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema.evidence import attestations
from tabletools.table import frames
from tablewire.codec import Frame

MATCH, MISMATCH, ROLLBACK, NO_ANSWER = "match", "mismatch", "rollback", "no_answer"
STEP = (
    "bets stay closed: inspect the table, flash the release (`tabletool flash`) and restart it;"
    " it is attested again once its stop is released"
)


class Attested(NamedTuple):
    """The result of one request. answer: of type attestation, None if there was none.

    nonce: of the request. seal: how far the answer is authenticated.
    """

    device: int
    boot: int
    nonce: bytes
    answer: Frame | None
    seal: str | None


def note_identity(
    db: Connection, table: int, device: int, facts: Mapping[str, object], now_ns: int
) -> None:
    """Note what a controller says of itself: role, board, firmware."""
    frames.note_device(db, device, now_ns, **facts)
    name, kind = f"device-{device}-{now_ns}", "tablewire.device.identified"
    event = OutboxEvent(name, kind, f"device/{device}", {"device": device, **facts}, table)
    enqueue(db, event, now_ns)


def keep(
    db: Connection, table: int, manifest: Manifest, attestation: Attested, now_ns: int
) -> str:
    """Judge and store an answer; anything but a match stops the device. Returns the outcome."""
    col = attestations.c
    matched = select(func.max(col.wanted)).where(
        col.device == attestation.device, col.outcome == MATCH
    )
    outcome, text = judge(manifest, attestation, int(db.execute(matched).scalar_one() or 0))
    _, reported, files, size, release_number = (
        attestation.answer.values if attestation.answer else (None,) * 5
    )
    values = {
        "device": attestation.device,
        "boot": attestation.boot,
        "at_ns": now_ns,
        "outcome": outcome,
        "wanted": manifest.release,
        "version": manifest.version,
        "files": files,
        "bytes": size,
        "reported": release_number,
        "digest": reported,
        "seal": attestation.seal,
    }
    number = db.execute(insert(attestations).values(**values).returning(col.id)).scalar_one()
    data = {"attestation": number, "release": manifest.release}
    data |= {name: values[name] for name in ("device", "outcome", "version", "reported")}
    subject, kind = f"device/{attestation.device}", "tablewire.device.attested"
    enqueue(db, OutboxEvent(f"attestation-{number}", kind, subject, data, table), now_ns)
    frames.note_device(db, attestation.device, now_ns, attestation=outcome, attested_ns=now_ns)
    if outcome != MATCH:
        text += f"; {STEP}"
        alarms.stop(db, AlarmCause(alarms.PROGRAM, text, attestation.device, table), now_ns)
    return outcome


def judge(manifest: Manifest, attestation: Attested, before: int) -> tuple[str, str]:
    """Return the outcome, and what is wrong as text. before: the highest release it matched."""
    wanted = f"release {manifest.release} ({manifest.version})"
    if attestation.answer is None:
        return NO_ANSWER, f"it did not attest {wanted}"
    _, reported_digest, files, size, release = attestation.answer.values
    if (reported_digest, release) != (digest(manifest, attestation.nonce), manifest.release):
        count = f"{files} files, {size} bytes, release {release}"
        signed = f"{len(manifest.files)} files, {sum(f.size for f in manifest.files)} bytes"
        return MISMATCH, f"its program is not {wanted}: {count} instead of {signed}"
    if manifest.release < before:
        return ROLLBACK, f"it went back to {wanted}: release {before} ran before"
    return MATCH, ""
