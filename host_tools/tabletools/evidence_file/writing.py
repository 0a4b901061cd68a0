"""Write an evidence file from a ledger: the entries of rounds, with what proves each of them."""

import hashlib
import itertools
import json
import os
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection, Table, func, select

from tabletools import hash_tree, private_file
from tabletools.authority import KEY_ADDED
from tabletools.errors import ToolError
from tabletools.evidence_file.layout import CHANGING, COLUMNS, DOMAIN, FORMAT, line_of
from tabletools.store import chain as chains
from tabletools.store import chain_find, checkpoint
from tabletools.store.chain import Key
from tabletools.store.chain_verify import Entry, rows_by_key
from tabletools.store.checkpoint import Checkpoint
from tabletools.store.errors import StoreError
from tabletools.store.schema.books import adjustments, postings
from tabletools.store.schema.chain import chain, key_names
from tabletools.store.schema.evidence import frames, line_sessions, second_readings, traces
from tabletools.store.schema.people import audit_log, signatures
from tabletools.store.schema.play import (
    bets,
    dealer_entries,
    late_refusals,
    referrals,
    results,
    round_settlements,
    rounds,
    rulings,
    tables,
    terms,
    withdrawals,
)

_KEYS_PER_QUERY = 500
_TOGETHER = {
    "round_settlements": ("settlements",),
    "adjustments": ("postings", "ledger_lines"),
}
"""Tables without a time of their own, whose rows are written with those of another."""
_MOST_READ = 200
"""Entries read after those of a round for the last one that wrote the row of the round."""

Show = Callable[[int, int], None]


class Wanted(NamedTuple):
    """What to write. rounds: keys; name: of the table. day: YYYY-MM-DD, None for one round."""

    table: int
    name: str
    rounds: Sequence[tuple[int, int, int]]
    """Key, device, and number as the device counts."""
    day: str | None


class Written(NamedTuple):
    """What was written. unsigned: entries that no checkpoint with a tree has."""

    rounds: int
    entries: int
    unsigned: int


class Signing(NamedTuple):
    """The key of the host, and the file of its checkpoints, which may be missing."""

    key: Ed25519PrivateKey
    checkpoints: Path


# --- what to write -------------------------------------------------------------------------------


def find_table(db: Connection, text: str) -> tuple[int, str]:
    """Return number and name of a table by either. Raises StoreError."""
    col = tables.c
    query = select(col.id, col.name).where(col.name == text)
    row = db.execute(query).one_or_none()
    if row is None and text.isascii() and text.isdigit() and len(text) < 19:
        row = db.execute(select(col.id, col.name).where(col.id == int(text))).one_or_none()
    if row is None:
        names = ", ".join(db.execute(select(col.name).order_by(col.id).limit(20)).scalars())
        step = f"the tables are {names}" if names else "it has no table"
        raise StoreError(f"there is no table {text[:80]!r}", "it has another name", step)
    return int(row.id), str(row.name)


def round_of(db: Connection, table: int, number: int) -> list[tuple[int, int, int]]:
    """Return the rounds of a table with a number, one for each controller that it had."""
    col = rounds.c
    query = select(col.id, col.device, col.number).where(
        col.table_id == table, col.number == number
    )
    return [(row[0], row[1], row[2]) for row in db.execute(query.order_by(col.id))]


def rounds_of_day(db: Connection, table: int, start_ns: int, end_ns: int) -> list[Any]:
    """Return the rounds of a table that opened in a time."""
    col, first = rounds.c, frames.c
    query = (
        select(col.id, col.device, col.number)
        .join(frames, first.id == func.coalesce(col.opened, col.closed, col.ended))
        .where(col.table_id == table, first.received_ns >= start_ns, first.received_ns < end_ns)
    )
    return [(row[0], row[1], row[2]) for row in db.execute(query.order_by(col.id))]


# --- the entries of rounds -----------------------------------------------------------------------


@dataclass
class _Part:
    """An entry of the chain, and which tables of it are wanted."""

    entry: Entry
    groups: Mapping[str, Any]
    """What the entry wrote, by table."""
    tables: set[str] = field(default_factory=set)


class _Collected:
    """The entries of rounds, by number."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self.parts: dict[int, _Part] = {}
        self._known: dict[tuple[str, Key], int] = {}

    def add(self, table: Table, key: Key, at_ns: int, *more: str) -> None:
        """Want the group of rows in which a row was written. more: tables of the same entry, if
        it wrote any of theirs."""
        seq = self._known.get((table.name, key))
        if seq is None:
            entry = chain_find.entry_of(self._db, table.name, key, at_ns)
            if entry is None:
                name = f"{table.name} {', '.join(map(str, key))}"
                raise StoreError(
                    f"the entry of {name} is not near its time in the chain",
                    "the clock of the host was set back, or another program changed the database",
                    "run `tabletool ledger verify`; nothing was written",
                )
            seq = entry.seq
        part = self._part(seq)
        part.tables.update({table.name, *more} & part.groups.keys())

    def _part(self, seq: int) -> _Part:
        if seq not in self.parts:
            self.parts[seq] = _part_at(self._db, seq)
            for name, group in self.parts[seq].groups.items():
                if name in COLUMNS and name not in CHANGING:
                    self._known |= {(name, key): seq for key in chains.appended(group).keys}
        return self.parts[seq]

    def add_decisions(self) -> None:
        """Want what the audit log has in these entries: who decided what they wrote."""
        for part in self.parts.values():
            part.tables.update({"audit_log", "signatures"} & part.groups.keys())

    def add_round(self, key: int, start: int) -> None:
        """Want the last entry that wrote the row of a round. start: an entry before."""
        name = rounds.name
        [(_, row)] = rows_by_key(self._db, name, [(key,)])
        digest = chains.digest_of([row])
        later = select(chain.c.seq).where(chain.c.seq > max(self.parts, default=start))
        after = self._db.execute(later.order_by(chain.c.seq).limit(_MOST_READ)).scalars()
        for seq in [*sorted(self.parts, reverse=True), *after]:
            part = self.parts.get(seq) or _part_at(self._db, seq)
            if any(each[:2] == [[key], digest] for each in part.groups.get(name, ())):
                self._part(seq).tables.add(name)
                return
        raise StoreError(
            f"round {key}: no entry of the chain has its row as it is",
            "another program changed the database, or its disk failed",
            "run `tabletool ledger verify`; nothing was written",
        )


def _part_at(db: Connection, seq: int) -> _Part:
    query = select(*(chain.c[name] for name in Entry._fields)).where(chain.c.seq == seq)
    row = db.execute(query).one()
    entry = Entry(row[0], row[1], row[2], bytes(row[3]), bytes(row[4]))
    return _Part(entry, json.loads(entry.rows))


def _collect(db: Connection, wanted: Wanted, show: Show) -> _Collected:
    collected = _Collected(db)
    for place, (key, device, number) in enumerate(wanted.rounds, 1):
        _add_records(db, collected, device, number)
        _add_money(db, collected, key)
        collected.add_round(key, 0)
        show(place, len(wanted.rounds))
    _add_declined(db, collected, [key for key, _, _ in wanted.rounds])
    collected.add_decisions()
    _add_keys(db, collected)
    return collected


def _add_records(db: Connection, collected: _Collected, device: int, number: int) -> None:
    """Add the frames of a round, their sessions and its trace."""
    for table in (frames, traces):
        col = table.c
        query = select(col.id, col.received_ns, col.line_session_id)
        of_round = query.where(col.device == device, col.round == number).order_by(col.id)
        for row in db.execute(of_round).all():
            collected.add(table, (row.id,), row.received_ns)
            if row.line_session_id is not None:
                session = select(line_sessions.c.at_ns).where(
                    line_sessions.c.id == row.line_session_id
                )
                at_ns = db.execute(session).scalar_one()
                collected.add(line_sessions, (row.line_session_id,), at_ns)


def _add_money(db: Connection, collected: _Collected, key: int) -> None:
    """Add terms, result, bets, settlements, rulings, adjustments, and the postings of a round."""
    played = select(terms.c.id, terms.c.at_ns).join(rounds, rounds.c.terms_id == terms.c.id)
    for row in db.execute(played.where(rounds.c.id == key)).all():
        collected.add(terms, (row.id,), row.at_ns)
    for table, time in (
        (results, "at_ns"),
        (second_readings, "at_ns"),
        (dealer_entries, "at_ns"),
        (bets, "placed_ns"),
        (late_refusals, "at_ns"),
        (referrals, "at_ns"),
        (round_settlements, "at_ns"),
        (adjustments, "at_ns"),
    ):
        names = key_names(table)
        query = select(*(table.c[name] for name in names), table.c[time])
        for row in db.execute(query.where(table.c.round_id == key)).all():
            collected.add(table, tuple(row[:-1]), row[-1], *_TOGETHER.get(table.name, ()))
    own_bets = select(bets.c.id).where(bets.c.round_id == key).scalar_subquery()
    for table in (withdrawals, rulings):
        query = select(table.c.bet_id, table.c.at_ns).where(table.c.bet_id.in_(own_bets))
        for row in db.execute(query).all():
            collected.add(table, (row.bet_id,), row.at_ns)
    moved = select(postings.c.id, postings.c.at_ns).where(postings.c.round_id == key)
    for row in db.execute(moved).all():
        collected.add(postings, (row.id,), row.at_ns, "ledger_lines")


def _add_declined(db: Connection, collected: _Collected, keys: Sequence[int]) -> None:
    """Add what the audit log has of rounds beside the entries that changed them."""
    col = audit_log.c
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        subjects = [f"round {key}" for key in keys[start : start + _KEYS_PER_QUERY]]
        query = select(col.seq, col.at_ns).where(col.subject.in_(subjects))
        for row in db.execute(query).all():
            collected.add(audit_log, (row.seq,), row.at_ns)


def _add_keys(db: Connection, collected: _Collected) -> None:
    """Add the rows by which users added the keys that signed, each signed by its own key."""
    seqs = {
        key[0]
        for part in collected.parts.values()
        if "signatures" in part.tables
        for key in chains.appended(part.groups["signatures"]).keys
    }
    if not seqs:
        return
    col = audit_log.c
    query = select(col.seq, col.at_ns, col.detail).where(col.action == KEY_ADDED)
    added = {json.loads(row.detail)["key"]: row for row in db.execute(query)}
    for key in _signers(db, sorted(seqs)):
        if (row := added.get(key)) is not None:
            collected.add(audit_log, (row.seq,), row.at_ns, "signatures")


def _signers(db: Connection, seqs: Sequence[int]) -> set[int]:
    col, keys = signatures.c, set[int]()
    for start in range(0, len(seqs), _KEYS_PER_QUERY):
        some = seqs[start : start + _KEYS_PER_QUERY]
        keys.update(db.execute(select(col.user_key_id).where(col.audit_seq.in_(some))).scalars())
    return keys


# --- proofs --------------------------------------------------------------------------------------


class _Signed(NamedTuple):
    """A checkpoint of the host with a tree, and its line."""

    checkpoint: Checkpoint
    line: str


def _checkpoints(signing: Signing, seqs: Sequence[int]) -> Iterator[_Signed]:
    """Yield the checkpoints in a file whose trees have any of these entries, in rising order.

    Lines of another key, or torn by a power cut, prove nothing and are passed over.
    """
    if not signing.checkpoints.exists():
        return
    public = signing.key.public_key()
    with open(signing.checkpoints, encoding="ascii", errors="replace") as stream:
        for line in stream:
            try:
                each = checkpoint.parse(line, public)
            except StoreError:
                continue
            first = bisect_left(seqs, each.seq - each.entries + 1)
            if first < len(seqs) and seqs[first] <= each.seq:
                yield _Signed(each, line)


def _proofs(db: Connection, signing: Signing, seqs: Sequence[int]) -> Iterator[Any]:
    """Yield a line for each checkpoint that is needed, with the proofs of entries in its tree."""
    proved = set[int]()
    for signed in _checkpoints(signing, seqs):
        last, count = signed.checkpoint.seq, signed.checkpoint.entries
        first = last - count + 1
        own = [seq for seq in seqs if first <= seq <= last and seq not in proved]
        if not own:
            continue
        tree = hash_tree.levels(checkpoint.digests(db, first, last))
        if len(tree[0]) != count or tree[-1][0].hex() != signed.checkpoint.root:
            continue  # of another ledger, or this one was changed: `ledger verify` says so
        proved.update(own)
        paths = {
            seq: {
                "checkpoint": last,
                "place": seq - first,
                "path": [step.hex() for step in hash_tree.path(tree, seq - first)],
            }
            for seq in own
        }
        yield json.loads(signed.line), paths


def _line_of_part(db: Connection, part: _Part, proof: Mapping[str, Any] | None) -> Any:
    rows = {name: _rows(db, part, name) for name in sorted(part.tables)}
    entry = {name: value for name, value in part.entry._asdict().items() if name != "digest"}
    entry["previous"] = part.entry.previous.hex()
    # After which entry a decision was signed is in its row.
    afters = {int(row[2]) for row in rows.get("signatures", ())}
    heads = {str(seq): chains.digest_at(db, seq) for seq in sorted(afters) if seq}
    return {"entry": entry, "rows": rows, "proof": proof, "heads": heads}


def _rows(db: Connection, part: _Part, name: str) -> Sequence[tuple[Any, ...]]:
    """Return the rows of a table in an entry. Raises StoreError where they are not as written."""
    group = part.groups[name]
    if name in CHANGING:
        stored = {key: (row, chains.digest_of([row])) for key, row in _stored(db, name, group)}
        present = [(stored.get(tuple(key)), now) for key, now, _ in group]
        return [each[0] for each, now in present if each is not None and each[1] == now]
    written = chains.appended(group)
    by_key = dict(rows_by_key(db, name, written.keys))
    rows = [by_key[key] for key in written.keys if key in by_key]
    if len(rows) != len(written.keys) or chains.digest_of(rows) != written.digest:
        raise StoreError(
            f"{name}: rows are not as written in entry {part.entry.seq} of the chain",
            "another program changed the database, or its disk failed",
            "run `tabletool ledger verify`; nothing was written",
        )
    return rows


def _stored(db: Connection, name: str, group: Any) -> Iterator[tuple[Key, Any]]:
    yield from rows_by_key(db, name, [tuple(key) for key, _, _ in group])


class _Content(NamedTuple):
    """What goes into a file. signed: lines of checkpoints; proofs: by entry."""

    parts: Mapping[int, _Part]
    signed: Sequence[Any]
    proofs: Mapping[int, Any]


def _content(db: Connection, wanted: Wanted, signing: Signing, show: Show) -> _Content:
    parts = dict(sorted(_collect(db, wanted, show).parts.items()))
    signed = list(_proofs(db, signing, list(parts)))
    proofs = {seq: proof for _, paths in signed for seq, proof in paths.items()}
    return _Content(parts, [line for line, _ in signed], proofs)


def _lines(
    db: Connection, wanted: Wanted, content: _Content, key: Ed25519PrivateKey, now_ns: int
) -> Iterator[bytes]:
    """Yield the lines of a file, the last one with the signature over all before."""
    header = {
        "is": FORMAT,
        "ledger": checkpoint.ledger_of(db),
        "newest": checkpoint.head_seq(db),
        "at_ns": now_ns,
        "release": version("tablewire"),
        "public_key": key.public_key().public_bytes_raw().hex(),
        "table": wanted.table,
        "name": wanted.name,
        "day": wanted.day,
        "rounds": wanted.rounds,
    }
    parts = (
        _line_of_part(db, part, content.proofs.get(seq)) for seq, part in content.parts.items()
    )
    digest = hashlib.sha256()
    for line in map(line_of, itertools.chain((header,), content.signed, parts)):
        digest.update(line)
        yield line
    count = 1 + len(content.signed) + len(content.parts)
    yield line_of({"signature": key.sign(DOMAIN + digest.digest()).hex(), "lines": count})


def encoded(db: Connection, wanted: Wanted, signing: Signing, now_ns: int) -> bytes:
    """Return an evidence file. Raises StoreError, OSError."""
    content = _content(db, wanted, signing, lambda done, all_: None)
    return b"".join(_lines(db, wanted, content, signing.key, now_ns))


def write(
    db: Connection, wanted: Wanted, file: Path, signing: Signing, now_ns: int, show: Show
) -> Written:
    """Write a new file, which appears whole. Raises StoreError, ToolError, OSError.

    show: called with how many rounds were read, of how many.
    """
    content = _content(db, wanted, signing, show)
    fresh = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        with open(fresh, "xb", opener=private_file.opener) as stream:
            stream.writelines(_lines(db, wanted, content, signing.key, now_ns))
            stream.flush()
            os.fsync(stream.fileno())
        os.link(fresh, file)
    except FileExistsError:
        what, step = "there is such a file already", "name another; it was left unchanged"
        raise ToolError(what, where=str(file), step=step) from None
    finally:
        fresh.unlink(missing_ok=True)
    unsigned = len(content.parts.keys() - content.proofs.keys())
    return Written(len(wanted.rounds), len(content.parts), unsigned)
