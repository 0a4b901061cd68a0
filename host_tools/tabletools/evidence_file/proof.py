"""What proves the rows of an evidence file: digests, trees, checkpoints, signatures.

Written again from LEDGER.md (The chain, Checkpoints, Signatures) without the code that writes: so
a mistake in one is found by the other, and a regulator can write the same in another language.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tabletools import hash_tree
from tabletools.authority import DECISIONS, KEY_ADDED
from tabletools.evidence_file.layout import CHANGING, COLUMNS, Row
from tabletools.evidence_file.reading import Contents, SignedCheckpoint, Stored

_CHECKPOINT = {"store": str, "seq": int, "digest": str, "at_ns": int, "entries": int, "root": str}
_DECISION = "tablewire decision 1"
_BEGINNING = bytes(32)


def is_signed(key: Ed25519PublicKey, signature: str, data: bytes) -> bool:
    """Whether a key signed data. signature: hex."""
    try:
        key.verify(bytes.fromhex(signature), data)
    except (InvalidSignature, ValueError):
        return False
    return True


def key_of(text: str) -> Ed25519PublicKey:
    """Return a public key. text: hex. Raises ValueError."""
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(text))


# --- checkpoints ---------------------------------------------------------------------------------


def checkpoint_problems(contents: Contents, key: Ed25519PublicKey) -> Iterator[str]:
    """Yield what is wrong with the checkpoints."""
    newest = 0
    for each in contents.checkpoints:
        facts = each.checkpoint
        if {name: type(value) for name, value in facts.items()} != _CHECKPOINT:
            yield "a checkpoint has other fields"
            continue
        where = f"checkpoint of entry {facts['seq']}"
        signed = json.dumps(facts, sort_keys=True, separators=(",", ":")).encode("ascii")
        if not is_signed(key, each.signature, signed):
            yield f"{where}: the key of the host did not sign it"
        if facts["store"] != contents.header.ledger:
            yield f"{where}: of another ledger"
        if int(facts["seq"]) <= newest:
            yield f"{where}: not in order"
        newest = int(facts["seq"])


# --- entries and their rows ----------------------------------------------------------------------


def entry_digest(part: Stored) -> bytes:
    """Return the digest of an entry. Raises ValueError."""
    entry = part.entry
    text = ascii((entry.seq, entry.at_ns, entry.rows)).encode("ascii")
    return sha256(bytes.fromhex(entry.previous) + text).digest()


def entry_problems(contents: Contents) -> Iterator[str]:
    """Yield what is wrong with the entries: their order, their proofs, and their rows."""
    signed = {each.checkpoint.get("seq"): each for each in contents.checkpoints}
    seq, before = 0, b""
    for part in contents.parts:
        where = f"entry {part.entry.seq} (line {part.line})"
        try:
            digest = entry_digest(part)
        except ValueError:
            yield f"{where}: its digest before is not one"
            continue
        if not seq < part.entry.seq <= contents.header.newest:
            yield f"{where}: not in order, or later than the file says"
        if part.entry.seq == seq + 1 and seq and bytes.fromhex(part.entry.previous) != before:
            yield f"{where}: does not follow entry {seq}"
        seq, before = part.entry.seq, digest
        yield from (f"{where}: {text}" for text in _path_problems(part, digest, signed))
        yield from (f"{where}: {text}" for text in _row_problems(part))


def _path_problems(
    part: Stored, digest: bytes, signed: Mapping[Any, SignedCheckpoint]
) -> Iterator[str]:
    """Yield why the path of an entry does not lead to a signed root."""
    if part.proof is None:
        return
    line = signed.get(part.proof.checkpoint)
    if line is None:
        yield f"its checkpoint {part.proof.checkpoint} is not in the file"
        return
    facts = line.checkpoint
    try:
        steps = [bytes.fromhex(step) for step in part.proof.path]
        count, last = int(facts["entries"]), int(facts["seq"])
        root = hash_tree.root_from(digest, part.proof.place, count, steps).hex()
        is_in = root == facts["root"] and last - count + 1 + part.proof.place == part.entry.seq
    except (ValueError, KeyError, OverflowError):
        is_in = False
    if not is_in:
        yield f"is not what checkpoint {part.proof.checkpoint} signed"


def _row_problems(part: Stored) -> Iterator[str]:
    try:
        groups = json.loads(part.entry.rows)
        for name, rows in part.rows.items():
            if name not in groups or not rows:
                yield f"{name}: rows that the entry did not write"
            elif name in CHANGING:
                yield from _changing_problems(name, rows, groups[name])
            else:
                yield from _appended_problems(name, rows, groups[name])
        afters = {str(row[2]) for row in part.rows.get("signatures", ())} - {"0"}
        if part.heads.keys() != afters:
            yield "digests of other entries than its decisions were signed after"
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        yield "cannot be read"


def _appended_problems(name: str, rows: Sequence[Row], group: Mapping[str, Any]) -> Iterator[str]:
    count = COLUMNS[name][0]
    if [row[:count] for row in rows] != _unpacked(group["keys"], len(rows)):
        yield f"{name}: other rows than it wrote"
    elif row_digest(rows) != group["digest"]:
        yield f"{name} {rows[0][0]}{_more(rows)}: not as written"


def _changing_problems(name: str, rows: Sequence[Row], group: Sequence[Any]) -> Iterator[str]:
    count = COLUMNS[name][0]
    written = {tuple(key): now for key, now, _ in group}
    for row in rows:
        if written.pop(row[:count], None) != row_digest([row]):
            yield f"{name} {row[0]}: not as written"


def _more(rows: Sequence[Row]) -> str:
    return f" and {len(rows) - 1} more" if len(rows) > 1 else ""


def row_digest(rows: Sequence[Row]) -> str:
    """Return the digest over rows; NULLs at the end of a row are left out."""
    texts = []
    for row in rows:
        end = len(row)
        while end and row[end - 1] is None:
            end -= 1
        texts.append(ascii(row[:end]))
    return sha256("".join(texts).encode("ascii")).hexdigest()


def _unpacked(keys: Any, count: int) -> list[Row]:
    """Return the keys in an entry; none where there are not as many, to be no work for nothing."""
    if isinstance(keys, dict):
        return [tuple(key) for key in keys["each"]]
    first, last = keys
    if last - first + 1 != count:
        return []
    return [(key,) for key in range(first, last + 1)]


# --- decisions of users --------------------------------------------------------------------------


class Decisions(NamedTuple):
    """Decisions in a file. signed: rows of the audit log by number; unsigned: of them, as text."""

    problems: list[str]
    signed: frozenset[int]
    unsigned: list[str]


def decisions(contents: Contents) -> Decisions:
    """Return which decisions their users signed."""
    notes = {row[0]: row for part in contents.parts for row in part.rows.get("audit_log", ())}
    by_row = {
        row[0]: (row, part) for part in contents.parts for row in part.rows.get("signatures", ())
    }
    keys = dict(_keys(notes, by_row.keys()))
    problems, signed, unsigned = list[str](), set[int](), list[str]()
    for seq, note in sorted(notes.items()):
        where = f"audit_log {seq} ({note[4]} by {note[3]})"
        if seq not in by_row:
            if note[4] in DECISIONS:
                unsigned.append(where)
            continue
        row, part = by_row[seq]
        if _is_decided(note, row, part, keys):
            signed.add(seq)
        else:
            problems.append(f"{where}: the key of the user did not sign it")
    problems += [f"signatures {seq}: of no row" for seq in sorted(by_row.keys() - notes.keys())]
    return Decisions(problems, frozenset(signed), unsigned)


def _keys(notes: Mapping[int, Row], signed: Any) -> Iterator[tuple[int, tuple[int, str]]]:
    """Yield the keys that users added: number, user and public part."""
    for seq, note in notes.items():
        if note[4] == KEY_ADDED and seq in signed:
            detail = json.loads(note[6])
            yield detail["key"], (note[2], detail["public"])


def _is_decided(note: Row, row: Row, part: Stored, keys: Mapping[int, tuple[int, str]]) -> bool:
    """Whether the user of a row of the audit log signed it, after the entry that it names."""
    _, key, after, signature = row
    user, public = keys.get(key, (None, ""))
    if user is None or user != note[2] or not 0 <= after < part.entry.seq:
        return False
    head = _BEGINNING.hex() if after == 0 else part.heads.get(str(after))
    if head is None or (after == part.entry.seq - 1 and head != part.entry.previous):
        return False
    names = ("seq", "at_ns", "user", "who", "action", "subject", "detail")
    facts = dict(zip(names, note, strict=True))
    facts |= {"is": _DECISION, "entry": after, "digest": head}
    signed = json.dumps(facts, sort_keys=True, separators=(",", ":")).encode("ascii")
    try:
        return is_signed(key_of(public), signature.hex(), signed)
    except (ValueError, AttributeError):
        return False
