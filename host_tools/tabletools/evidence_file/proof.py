"""What proves the rows of an evidence file: digests, trees, checkpoints, signatures.

Written again from LEDGER.md (The chain, Checkpoints, Signatures) without the code that writes: so
a mistake in one is found by the other, and a regulator can write the same in another language.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tabletools import hash_tree
from tabletools.authority import DECISIONS, KEY_ADDED
from tabletools.evidence_file.layout import CHANGING, COLUMNS, Row
from tabletools.evidence_file.reading import Contents, Stored, TreeCheckpoint

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
        checkpoint = each.checkpoint
        where = f"checkpoint of entry {checkpoint.seq}"
        if not is_signed(key, each.signature, _canonical(msgspec.structs.asdict(checkpoint))):
            yield f"{where}: the key of the host did not sign it"
        if checkpoint.store != contents.header.ledger:
            yield f"{where}: of another ledger"
        if checkpoint.seq <= newest:
            yield f"{where}: not in order"
        newest = checkpoint.seq


def _canonical(facts: Mapping[str, object]) -> bytes:
    """Return what is signed of facts: JSON in ASCII, its keys sorted, without spaces."""
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode("ascii")


# --- entries and their rows ----------------------------------------------------------------------


def entry_digest(part: Stored) -> bytes:
    """Return the digest of an entry. Raises ValueError."""
    entry = part.entry
    text = ascii((entry.seq, entry.at_ns, entry.rows)).encode("ascii")
    return sha256(bytes.fromhex(entry.previous) + text).digest()


def entry_problems(contents: Contents) -> Iterator[str]:
    """Yield what is wrong with the entries: their order, their proofs, and their rows."""
    signed = {each.checkpoint.seq: each.checkpoint for each in contents.checkpoints}
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
    part: Stored, digest: bytes, signed: Mapping[int, TreeCheckpoint]
) -> Iterator[str]:
    """Yield why the path of an entry does not lead to a signed root."""
    if part.proof is None:
        return
    checkpoint = signed.get(part.proof.checkpoint)
    if checkpoint is None:
        yield f"its checkpoint {part.proof.checkpoint} is not in the file"
        return
    first = checkpoint.seq - checkpoint.entries + 1
    try:
        steps = [bytes.fromhex(step) for step in part.proof.path]
        root = hash_tree.root_from(digest, part.proof.place, checkpoint.entries, steps).hex()
        is_in = root == checkpoint.root and first + part.proof.place == part.entry.seq
    except (ValueError, OverflowError):
        is_in = False
    if not is_in:
        yield f"is not what checkpoint {part.proof.checkpoint} signed"


def _row_problems(part: Stored) -> Iterator[str]:
    try:
        groups = msgspec.json.decode(part.entry.rows, type=dict[str, msgspec.Raw])
        for name, rows in part.rows.items():
            if name not in groups or not rows:
                yield f"{name}: rows that the entry did not write"
            elif name in CHANGING:
                changed = msgspec.json.decode(groups[name], type=list[_Changed])
                yield from _changing_problems(name, rows, changed)
            else:
                appended = msgspec.json.decode(groups[name], type=_Appended)
                yield from _appended_problems(name, rows, appended)
        afters = {str(row[2]) for row in part.rows.get("signatures", ())} - {"0"}
        if part.heads.keys() != afters:
            yield "digests of other entries than its decisions were signed after"
    except (ValueError, TypeError, AttributeError, RecursionError):
        yield "cannot be read"


class _ListedKeys(msgspec.Struct, frozen=True):
    """Keys of rows that are not consecutive numbers."""

    each: list[list[int | str]]


class _Appended(msgspec.Struct, frozen=True):
    """What an entry wrote of an append-only table."""

    keys: tuple[int, int] | _ListedKeys
    """The first and the last, if all between are of the entry as well."""
    digest: str
    """Over all of these rows."""


class _Changed(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A row that an entry wrote of a table whose rows may change."""

    key: list[int | str]
    digest: str | None
    """Of the row; None for one that the entry deleted."""
    before: str | None
    """Digest of the row as the entry found it, None for a new row."""


def _appended_problems(name: str, rows: Sequence[Row], written: _Appended) -> Iterator[str]:
    count = COLUMNS[name][0]
    if [row[:count] for row in rows] != _unpack(written.keys, len(rows)):
        yield f"{name}: other rows than it wrote"
    elif row_digest(rows) != written.digest:
        yield f"{name} {rows[0][0]}{_more(rows)}: not as written"


def _changing_problems(
    name: str, rows: Sequence[Row], changed: Sequence[_Changed]
) -> Iterator[str]:
    count = COLUMNS[name][0]
    written: dict[Row, str | None] = {tuple(each.key): each.digest for each in changed}
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


def _unpack(keys: tuple[int, int] | _ListedKeys, count: int) -> list[Row]:
    """Return the keys in an entry; none where there are not as many, to be no work for nothing."""
    if isinstance(keys, _ListedKeys):
        return [tuple(key) for key in keys.each]
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
    by_sign_on: Sequence[str] = ()
    """Of the signed, those with a key that an identity provider vouches for, as text."""


class _Note(NamedTuple):
    """A row of the audit log, by the names under which it is signed. detail: its JSON."""

    seq: int
    at_ns: int
    user: int | None
    who: str
    action: str
    subject: str
    detail: str


class _Signature(NamedTuple):
    """The signature of a row of the audit log. after: entry of the chain that it names."""

    seq: int
    key: int
    after: int
    signature: bytes


class _AddedKey(msgspec.Struct, frozen=True):
    """Detail of the row by which a user added a key: its number and its public part, in hex.

    sign_on: what an identity provider says of a key for one decision.
    """

    key: int
    public: str
    sign_on: dict[str, Any] | None = None


def decisions(contents: Contents) -> Decisions:
    """Return which decisions their users signed."""
    notes, signatures = dict[int, _Note](), dict[int, tuple[_Signature, Stored]]()
    for part in contents.parts:
        notes |= {row[0]: _Note(*row) for row in part.rows.get("audit_log", ())}
        signatures |= {row[0]: (_Signature(*row), part) for row in part.rows.get("signatures", ())}
    keys = dict(_keys(notes.values(), signatures))
    problems, signed, unsigned, by_sign_on = list[str](), set[int](), list[str](), list[str]()
    for seq, note in sorted(notes.items()):
        where = f"audit_log {seq} ({note.action} by {note.who})"
        if seq not in signatures:
            if note.action in DECISIONS:
                unsigned.append(where)
        elif _is_decided(note, *signatures[seq], keys):
            signed.add(seq)
            if (issuer := keys[signatures[seq][0].key].issuer) and note.action != KEY_ADDED:
                by_sign_on.append(f"{where}: that {issuer} let its user sign on for it")
        else:
            problems.append(f"{where}: the key of the user did not sign it")
    problems += [
        f"signatures {seq}: of no row" for seq in sorted(signatures.keys() - notes.keys())
    ]
    return Decisions(problems, frozenset(signed), unsigned, by_sign_on)


class _Key(NamedTuple):
    """A key that a user added. issuer: the identity provider of one for one decision."""

    user: int | None
    public: str
    issuer: str = ""


def _keys(notes: Iterable[_Note], signed: Collection[int]) -> Iterator[tuple[int, _Key]]:
    """Yield the keys that users added, by number."""
    for note in notes:
        if note.action == KEY_ADDED and note.seq in signed:
            added = msgspec.json.decode(note.detail, type=_AddedKey)
            issuer = "" if added.sign_on is None else str(added.sign_on.get("issuer"))
            yield added.key, _Key(note.user, added.public, issuer)


def _is_decided(
    note: _Note,
    signature: _Signature,
    part: Stored,
    keys: Mapping[int, _Key],
) -> bool:
    """Whether the user of a row of the audit log signed it, after the entry that it names.

    part: the entry with the signature. keys: by number.
    """
    user, public, _ = keys.get(signature.key, _Key(None, ""))
    after = signature.after
    if user is None or user != note.user or not 0 <= after < part.entry.seq:
        return False
    head = _BEGINNING.hex() if after == 0 else part.heads.get(str(after))
    if head is None or (after == part.entry.seq - 1 and head != part.entry.previous):
        return False
    facts = note._asdict() | {"is": _DECISION, "entry": after, "digest": head}
    try:
        return is_signed(key_of(public), signature.signature.hex(), _canonical(facts))
    except (ValueError, AttributeError):
        return False
