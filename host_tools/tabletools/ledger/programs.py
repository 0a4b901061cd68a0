"""What tables attested of their programs, each answer kept beside the release it was to match."""

from sqlalchemy import Connection, func, insert, select

from tabletools.inbox.programs import MATCH, Attested, judged
from tabletools.ledger import alarms, evidence
from tabletools.ledger.alarms import Found
from tabletools.ledger.schema.evidence import attestations
from tabletools.release import Manifest

STEP = (
    "bets stay closed: inspect the table, flash the release (`tabletool flash`) and restart it;"
    " it is asked again once its stop is released"
)


def keep(db: Connection, table: int, manifest: Manifest, found: Attested, now_ns: int) -> str:
    """Judge and keep an answer; anything but a match stops the device. Returns the outcome."""
    at = attestations.c
    matched = select(func.max(at.wanted)).where(at.device == found.device, at.outcome == MATCH)
    outcome, text = judged(manifest, found, int(db.execute(matched).scalar_one() or 0))
    _, digest, files, size, told = found.answer.values if found.answer else (None,) * 5
    values = {
        "device": found.device, "boot": found.boot, "at_ns": now_ns, "outcome": outcome,
        "wanted": manifest.release, "version": manifest.version, "files": files, "bytes": size,
        "told": told, "digest": digest, "seal": found.seal,
    }  # fmt: skip
    db.execute(insert(attestations).values(**values))
    evidence.note_device(db, found.device, now_ns, attestation=outcome, attested_ns=now_ns)
    if outcome != MATCH:
        text += f"; {STEP}"
        alarms.stop(db, Found(alarms.PROGRAM, text, found.device, table), now_ns)
    return outcome
