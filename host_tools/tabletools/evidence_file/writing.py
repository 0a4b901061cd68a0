"""Write an evidence file from a ledger: the entries of rounds, with what proves each of them."""

import hashlib
import itertools
import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection, Table, func, select

from tabletools import hash_tree, private_file
from tabletools.authority import KEY_ADDED
from tabletools.errors import ToolError
from tabletools.evidence_file.layout import CHANGING, DOMAIN, FORMAT, line_of
from tabletools.store import chain as chains
from tabletools.store import chain_find, checkpoint
from tabletools.store.chain import Key
from tabletools.store.chain_find import Part
from tabletools.store.chain_verify import rows_by_key
from tabletools.store.checkpoint import Checkpoint
from tabletools.store.errors import StoreError
from tabletools.store.schema.books import accounts, adjustments, ledger_lines, postings
from tabletools.store.schema.chain import chain, key_names, value_columns
from tabletools.store.schema.evidence import alarms, frames, line_sessions, second_readings, traces
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

_JACKPOT = "jackpot"
_KEYS_PER_QUERY = 500
_TOGETHER = {
    "round_settlements": ("settlements",),
    "adjustments": ("postings", "ledger_lines"),
    "postings": ("ledger_lines",),
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


class _Collected:
    """The entries of rounds, by number, and which tables of each are wanted."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._entries = chain_find.Entries(db)
        self.tables: dict[int, set[str]] = {}
        self.meters: dict[int, set[int]] = {}
        """Accounts of meters, by entry."""

    def part(self, seq: int) -> Part:
        """Return an entry that is wanted."""
        part = self._entries.part(seq)
        assert part is not None
        return part

    def add(self, row: "_Row") -> None:
        """Want the group of rows in which a row was written."""
        part = self._entries.of_row(row.table.name, row.key, row.at_ns)
        if part is None:
            name = f"{row.table.name} {', '.join(map(str, row.key))}"
            raise StoreError(
                f"the entry of {name} is not near its time in the chain",
                "the clock of the host was set back, or another program changed the database",
                "run `tabletool ledger verify`; nothing was written",
            )
        self._want(part, row.table.name, *row.more)

    def _want(self, part: Part, *tables: str) -> None:
        own = self.tables.setdefault(part.entry.seq, set())
        own.update(set(tables) & part.groups.keys())

    def add_decisions(self) -> None:
        """Want what the audit log has in these entries: who decided what they wrote."""
        for seq in self.tables:
            self._want(self.part(seq), "audit_log", "signatures")

    def add_round(self, key: int) -> None:
        """Want the last entry that wrote the row of a round."""
        last = max(self.tables, default=0)
        later = range(last + 1, last + 1 + _MOST_READ)
        self._add_newest(rounds, key, (*sorted(self.tables, reverse=True), *later))

    def add_alarms(self, keys: Sequence[int], at_ns: int) -> None:
        """Want the last entries that wrote the rows of alarms. at_ns: of the first of them."""
        first = self._entries.first_at(at_ns)
        wrote = chain.c.rows.like(f'%"{alarms.name}":%')
        query = select(chain.c.seq).where(chain.c.seq >= first, wrote)
        seqs = self._db.execute(query.order_by(chain.c.seq.desc())).scalars().all()
        for key in keys:
            self._add_newest(alarms, key, seqs)

    def add_meter(self, account: int, wrote: Iterator["_Row"]) -> None:
        """Want a meter as the first entry left it that wrote it, of those with these rows."""
        for row in wrote:
            part = self._entries.of_row(row.table.name, row.key, row.at_ns)
            if part is not None and _writes_account(part, account):
                self._want(part, accounts.name)
                self.meters.setdefault(part.entry.seq, set()).add(account)
                return
        raise StoreError(
            f"account {account}: no entry of the chain has what this meter held",
            "another program changed the database, or its disk failed",
            "run `tabletool ledger verify`; nothing was written",
        )

    def _add_newest(self, table: Table, key: int, seqs: Iterable[int]) -> None:
        """Want the first of some entries that wrote a row as it is now."""
        [(_, row)] = rows_by_key(self._db, table.name, [(key,)])
        digest = chains.digest_of([row])
        for seq in seqs:
            part = self._entries.part(seq)
            if part is None:
                break
            if any(each[:2] == [[key], digest] for each in part.groups.get(table.name, ())):
                self._want(part, table.name)
                return
        raise StoreError(
            f"{table.name} {key}: no entry of the chain has its row as it is",
            "another program changed the database, or its disk failed",
            "run `tabletool ledger verify`; nothing was written",
        )


def _writes_account(part: Part, account: int) -> bool:
    return any(key == [account] for key, _, _ in part.groups.get(accounts.name, ()))


class _Row(NamedTuple):
    """A row that belongs to a round. more: tables of the same entry, if it wrote any of theirs."""

    table: Table
    key: Key
    at_ns: int
    more: tuple[str, ...] = ()


def _collect(db: Connection, wanted: Wanted, show: Show) -> _Collected:
    collected = _Collected(db)
    for start in range(0, len(wanted.rounds), _KEYS_PER_QUERY):
        some = wanted.rounds[start : start + _KEYS_PER_QUERY]
        rows = _rows_by_round(db, some)
        for place, (key, _, _) in enumerate(some, start + 1):
            for row in rows[key]:
                collected.add(row)
            collected.add_round(key)
            show(place, len(wanted.rounds))
    keys = [key for key, _, _ in wanted.rounds]
    _add_declined(db, collected, keys)
    _add_alarms(db, collected, keys)
    _add_meters(db, collected, wanted.table, keys)
    collected.add_decisions()
    _add_keys(db, collected)
    return collected


def _rows_by_round(
    db: Connection, wanted: Sequence[tuple[int, int, int]]
) -> dict[int, list[_Row]]:
    """Return what belongs to some rounds. wanted: key, device and number of each."""
    rows: dict[int, list[_Row]] = {key: [] for key, _, _ in wanted}
    for device in {device for _, device, _ in wanted}:
        keys = {number: key for key, owner, number in wanted if owner == device}
        for number, row in _records(db, device, list(keys)):
            rows[keys[number]].append(row)
    for key, row in _money(db, list(rows)):
        rows[key].append(row)
    return rows


def _records(db: Connection, device: int, numbers: Sequence[int]) -> Iterator[tuple[int, _Row]]:
    """Yield the frames of rounds of a device, their sessions and traces, each with its round."""
    times_ns: dict[int, int] = {}
    for table in (frames, traces):
        col = table.c
        query = select(col.round, col.id, col.received_ns, col.line_session_id)
        of_rounds = query.where(col.device == device, col.round.in_(numbers)).order_by(col.id)
        for number, key, at_ns, session in db.execute(of_rounds).all():
            yield number, _Row(table, (key,), at_ns)
            if session is not None:
                if session not in times_ns:
                    began = select(line_sessions.c.at_ns).where(line_sessions.c.id == session)
                    times_ns[session] = db.execute(began).scalar_one()
                yield number, _Row(line_sessions, (session,), times_ns[session])


def _money(db: Connection, keys: Sequence[int]) -> Iterator[tuple[int, _Row]]:
    """Yield terms, results, bets, settlements, decisions and postings, each with its round."""
    played = select(rounds.c.id, terms.c.id, terms.c.at_ns)
    joined = played.join(terms, rounds.c.terms_id == terms.c.id)
    for key, number, at_ns in db.execute(joined.where(rounds.c.id.in_(keys))).all():
        yield key, _Row(terms, (number,), at_ns)
    for table, time in (
        (results, "at_ns"),
        (second_readings, "at_ns"),
        (dealer_entries, "at_ns"),
        (bets, "placed_ns"),
        (late_refusals, "at_ns"),
        (referrals, "at_ns"),
        (round_settlements, "at_ns"),
        (adjustments, "at_ns"),
        (postings, "at_ns"),
    ):
        names = (*key_names(table), "round_id", time)
        query = select(*(table.c[name].label(f"c{k}") for k, name in enumerate(names)))
        for row in db.execute(query.where(table.c.round_id.in_(keys))).all():
            yield row[-2], _Row(table, tuple(row[:-2]), row[-1], _TOGETHER.get(table.name, ()))
    for table in (withdrawals, rulings):
        of_bets = select(bets.c.round_id, table.c.bet_id, table.c.at_ns)
        joined = of_bets.join(bets, bets.c.id == table.c.bet_id)
        for key, bet, at_ns in db.execute(joined.where(bets.c.round_id.in_(keys))).all():
            yield key, _Row(table, (bet,), at_ns)


def _add_declined(db: Connection, collected: _Collected, keys: Sequence[int]) -> None:
    """Add what the audit log has of rounds beside the entries that changed them."""
    col = audit_log.c
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        subjects = [f"round {key}" for key in keys[start : start + _KEYS_PER_QUERY]]
        query = select(col.seq, col.at_ns).where(col.subject.in_(subjects))
        for row in db.execute(query).all():
            collected.add(_Row(audit_log, (row.seq,), row.at_ns))


def _add_alarms(db: Connection, collected: _Collected, keys: Sequence[int]) -> None:
    """Add the alarms of rounds, as they are now."""
    col, raised = alarms.c, list[tuple[int, int]]()
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        some = keys[start : start + _KEYS_PER_QUERY]
        query = select(col.at_ns, col.id).where(col.round_id.in_(some))
        raised += [(row.at_ns, row.id) for row in db.execute(query)]
    if raised:
        collected.add_alarms([key for _, key in raised], min(raised)[0])


def _add_meters(db: Connection, collected: _Collected, table: int, keys: Sequence[int]) -> None:
    """Add what the meters of jackpots held when rounds were settled."""
    col, known = round_settlements.c, dict[int, list[int]]()
    query = (
        select(col.round_id, col.generation, col.posting_id, col.at_ns, rounds.c.terms_id)
        .join(rounds, rounds.c.id == col.round_id)
        .join(terms, terms.c.id == rounds.c.terms_id)
        .where(terms.c.game == _JACKPOT)
        .order_by(col.posting_id)
    )
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        some = col.round_id.in_(keys[start : start + _KEYS_PER_QUERY])
        for row in db.execute(query.where(some)).all():
            if row.terms_id not in known:
                known[row.terms_id] = _meters_of(db, table, row.terms_id)
            settlement = _Row(round_settlements, (row.round_id, row.generation), row.at_ns)
            for account in known[row.terms_id]:
                earlier = _wrote_meter(db, account, row.posting_id)
                collected.add_meter(account, itertools.chain((settlement,), earlier))


def _meters_of(db: Connection, table: int, terms_id: int) -> list[int]:
    """Return the accounts of the meters of a jackpot."""
    col = terms.c
    played = db.execute(
        select(col.rules, col.variant, col.options, tables.c.currency)
        .join(tables, tables.c.id == col.table_id)
        .where(col.id == terms_id)
    ).one()
    linked = json.loads(played.options).get("linked")
    owner = f"table {table}" if linked is None else f"linked {linked}"
    named = accounts.c.name.startswith(
        f"{owner} ({played.rules} {played.variant}): ", autoescape=True
    )
    query = select(accounts.c.id).where(
        accounts.c.kind == "meter", accounts.c.currency == played.currency, named
    )
    return list(db.execute(query.order_by(accounts.c.id)).scalars())


def _wrote_meter(db: Connection, account: int, posting: int) -> Iterator[_Row]:
    """Yield the last posting before another that changed a meter, or the terms that made it."""
    line, col = ledger_lines.c, postings.c
    query = (
        select(col.id, col.at_ns)
        .join(ledger_lines, line.posting_id == col.id)
        .where(line.account_id == account, line.posting_id < posting)
        .order_by(line.posting_id.desc())
        .limit(1)
    )
    for last in db.execute(query):
        yield _Row(postings, (last.id,), last.at_ns)
        return
    created = select(terms.c.id, terms.c.at_ns).join(
        accounts, accounts.c.created_ns == terms.c.at_ns
    )
    for row in db.execute(created.where(accounts.c.id == account)):
        yield _Row(terms, (row.id,), row.at_ns)


def _add_keys(db: Connection, collected: _Collected) -> None:
    """Add the rows by which users added the keys that signed, each signed by its own key."""
    seqs = {
        key[0]
        for seq, tables in collected.tables.items()
        if "signatures" in tables
        for key in chains.appended(collected.part(seq).groups["signatures"]).keys
    }
    if not seqs:
        return
    col = audit_log.c
    query = select(col.seq, col.at_ns, col.detail).where(col.action == KEY_ADDED)
    added = {json.loads(row.detail)["key"]: row for row in db.execute(query)}
    for key in _signers(db, sorted(seqs)):
        if (row := added.get(key)) is not None:
            collected.add(_Row(audit_log, (row.seq,), row.at_ns, ("signatures",)))


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


def _line_of_part(
    db: Connection, wanted: "_Wanted", proof: Mapping[str, Any] | None, meters: "_Meters"
) -> Any:
    part = wanted.part
    rows = {
        name: meters.rows(part, wanted.meters) if name == accounts.name else _rows(db, part, name)
        for name in wanted.tables
    }
    entry = {name: value for name, value in part.entry._asdict().items() if name != "digest"}
    entry["previous"] = part.entry.previous.hex()
    # After which entry a decision was signed is in its row.
    afters = {int(row[2]) for row in rows.get("signatures", ())}
    heads = {str(seq): chains.digest_at(db, seq) for seq in sorted(afters) if seq}
    return {"entry": entry, "rows": rows, "proof": proof, "heads": heads}


def _rows(db: Connection, part: Part, name: str) -> Sequence[tuple[Any, ...]]:
    """Return the rows of a table in an entry. Raises StoreError where they are not as written."""
    group = part.groups[name]
    if name in CHANGING:
        stored = {
            key: (row, chains.digest_of([row])) for key, row in _stored_rows(db, name, group)
        }
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


class _Meters:
    """The accounts of meters as entries left them: their balances follow from their lines."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._sums: dict[int, tuple[int, int]] = {}  # by account: last posting, cents up to it

    def rows(self, part: Part, meters: Collection[int]) -> list[tuple[Any, ...]]:
        """Return the rows of some accounts; entries in rising order. Raises StoreError."""
        written = {key: now for [key], now, _ in part.groups[accounts.name] if key in meters}
        own = part.groups.get(postings.name)
        last = max(chains.appended(own).keys)[0] if own else 0
        place, rows = value_columns(accounts).index("balance_cents"), []
        stored = dict(rows_by_key(self._db, accounts.name, [(key,) for key in written]))
        for key, now in written.items():
            row = stored[(key,)]
            rows.append((*row[:place], self._balance(key, last), *row[place + 1 :]))
            if chains.digest_of(rows[-1:]) != now:
                raise StoreError(
                    f"account {key}: its lines do not add up to what entry {part.entry.seq} wrote",
                    "another program changed the database, or its disk failed",
                    "run `tabletool ledger verify`; nothing was written",
                )
        return rows

    def _balance(self, account: int, last: int) -> int:
        start, cents = self._sums.get(account, (0, 0))
        line = ledger_lines.c
        query = select(func.coalesce(func.sum(line.amount_cents), 0)).where(
            line.account_id == account, line.posting_id > start, line.posting_id <= last
        )
        cents += int(self._db.execute(query).scalar_one())
        self._sums[account] = max(start, last), cents
        return cents


def _stored_rows(db: Connection, name: str, group: Any) -> Iterator[tuple[Key, Any]]:
    yield from rows_by_key(db, name, [tuple(key) for key, _, _ in group])


class _Wanted(NamedTuple):
    """An entry, and the tables of it that go into the file."""

    part: Part
    tables: Sequence[str]
    meters: Collection[int] = ()
    """Accounts of meters in it."""


class _Content(NamedTuple):
    """What goes into a file. signed: lines of checkpoints; proofs: by entry."""

    parts: Mapping[int, _Wanted]
    signed: Sequence[Any]
    proofs: Mapping[int, Any]


def _content(db: Connection, wanted: Wanted, signing: Signing, show: Show) -> _Content:
    collected = _collect(db, wanted, show)
    parts = {
        seq: _Wanted(collected.part(seq), sorted(tables), collected.meters.get(seq, ()))
        for seq, tables in sorted(collected.tables.items())
    }
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
    meters = _Meters(db)
    parts = (
        _line_of_part(db, part, content.proofs.get(seq), meters)
        for seq, part in content.parts.items()
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
    try:
        with private_file.appearing(file) as stream:
            stream.writelines(_lines(db, wanted, content, signing.key, now_ns))
    except FileExistsError:
        what, step = "there is such a file already", "name another; it was left unchanged"
        raise ToolError(what, where=str(file), step=step) from None
    unsigned = len(content.parts.keys() - content.proofs.keys())
    return Written(len(wanted.rounds), len(content.parts), unsigned)
