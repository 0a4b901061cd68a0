"""Verify a database: the chain, every balance, every settlement computed again, the evidence.

Reads one state, changes nothing and reports problems as text. The work is split into pieces that
several processes can share.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DBAPIError

from tabletools.evidence import tags
from tabletools.evidence import verify as verify_evidence
from tabletools.link import Keys
from tabletools.money import adjustments
from tabletools.store import chain_verify, processes, shape, signatures
from tabletools.store.chain_verify import Segment
from tabletools.store.errors import StoreError
from tabletools.store.ranges import ranges
from tabletools.store.schema.books import ledger_lines, outbox, postings
from tabletools.store.schema.chain import chain
from tabletools.store.schema.evidence import frames, traces
from tabletools.store.schema.people import audit_log
from tabletools.store.schema.play import bets, rounds, settlements
from tabletools.table import (
    verify_decisions,
    verify_pictures,
    verify_rounds,
    verify_traces,
)

_BALANCES = """
SELECT a.id, a.kind, a.name, a.balance_cents, coalesce(sum(l.amount_cents), 0) AS found
FROM accounts a LEFT JOIN ledger_lines l ON l.account_id = a.id
GROUP BY a.id, a.kind, a.name, a.balance_cents
HAVING a.balance_cents <> coalesce(sum(l.amount_cents), 0) ORDER BY a.id
"""
_METERS = """
SELECT m.id, m.name, m.posting_id, m.after FROM (
  SELECT a.id, a.name, l.posting_id,
    sum(l.amount_cents) OVER (PARTITION BY a.id ORDER BY l.posting_id) AS after
  FROM accounts a JOIN ledger_lines l ON l.account_id = a.id WHERE a.kind = 'meter'
) m WHERE m.after < 0 ORDER BY m.id, m.posting_id
"""
_POSTINGS = """
SELECT posting_id, sum(amount_cents) FROM ledger_lines
GROUP BY posting_id HAVING sum(amount_cents) <> 0 ORDER BY posting_id
"""
_CURRENCIES = """
SELECT p.id, p.currency, a.currency FROM postings p
JOIN ledger_lines l ON l.posting_id = p.id JOIN accounts a ON a.id = l.account_id
WHERE a.currency <> p.currency ORDER BY p.id
"""
_COUNTED = (frames, rounds, bets, settlements, postings, ledger_lines, outbox, audit_log)


_LONGEST = 120
"""Most characters shown of the reason why a row cannot be read."""
_PIECE = 500
"""Most entries, frames or rounds in a piece."""
_REPLAYS = 50
"""Most traces in a piece; one takes some seconds."""
_PICTURES = 100
"""Most rounds in a piece whose pictures are read again; one takes some 50 ms."""
_READ_PICTURES = "pictures read again"
_TAGS = {f"tags of {table.name}": table for table in tags.TABLES}


class Piece(NamedTuple):
    """Part of the work. kind: see run_piece. first, last: entries of the chain or keys of rows."""

    kind: str
    first: int = 0
    last: int = 0
    segment: Segment | None = None


@dataclass
class Report:
    """Rows by table, and the problems found. replays: number of traces by verdict. pictures: of
    those read again, by what came of it.

    counts: empty if a table or a column is missing: then nothing else was verified.
    missing: keys that are not in the keyring, with the number of tags that need them.
    """

    counts: dict[str, int] = field(default_factory=dict)
    replays: Counter[str] = field(default_factory=Counter)
    pictures: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    def add(self, done: "Done") -> None:
        """Add the result of a piece."""
        self.problems += done.problems
        self.replays.update(done.replays)
        self.pictures.update(done.pictures)
        self.missing.update(done.missing)


class Done(NamedTuple):
    """The result of a piece. replays, pictures, missing: see Report."""

    piece: Piece
    problems: list[str]
    segment: Segment | None = None
    replays: Sequence[str] = ()
    pictures: Sequence[str] = ()
    missing: Mapping[str, int] = {}


def check(db: Connection, keys: Keys | None = None, *, reads_pictures: bool = False) -> Report:
    """Verify everything in an open transaction.

    keys: with them every tag is verified and every trace replayed. reads_pictures: the dice in
    every kept picture are read again.
    """
    report, planned = plan(db, has_keys=keys is not None, reads_pictures=reads_pictures)
    if not planned:
        return report
    whole = Segment()
    for piece in planned:
        done = run_piece(db, piece, keys)
        if done.segment is not None:
            whole.extend(done.segment)
        report.add(done)
    report.add(run_piece(db, Piece("rows", segment=whole)))
    return report


def check_in_processes(
    place: str,
    workers: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
    keys: Keys | None = None,
    *,
    reads_pictures: bool = False,
) -> Report:
    """Verify everything in several processes. progress: called with pieces done and their number.

    keys, reads_pictures: see check. Raises StoreError.
    """

    def job(db: Connection, piece: Piece) -> Done | tuple[Report, list[Piece]]:
        if piece.kind == "plan":
            return plan(db, has_keys=keys is not None, reads_pictures=reads_pictures)
        return run_piece(db, piece, keys)

    with processes.Processes(place, workers, job) as pool:
        report: Report
        [(report, planned)] = pool.map([Piece("plan")])
        if not planned:
            return report
        segments = dict[int, Segment]()
        for number, done in enumerate(pool.map(planned), 1):
            report.add(done)
            if done.segment is not None:
                segments[done.piece.first] = done.segment
            progress(number, len(planned) + 1)
        whole = Segment()
        for first in sorted(segments):
            whole.extend(segments[first])
        [last] = pool.map([Piece("rows", segment=whole)])
        report.add(last)
        progress(len(planned) + 1, len(planned) + 1)
    return report


def plan(
    db: Connection, *, has_keys: bool = False, reads_pictures: bool = False
) -> tuple[Report, list[Piece]]:
    """Return an empty report and the pieces; if tables are missing, a report and no pieces."""
    if missing := list(shape.missing(db)):
        return Report(problems=missing), []
    planned = pieces(db, has_keys=has_keys, reads_pictures=reads_pictures)
    return Report(counts(db)), list(planned)


def counts(db: Connection) -> dict[str, int]:
    """Return how many rows there are, by table."""
    return {
        table.name: int(db.execute(select(func.count()).select_from(table)).scalar_one())
        for table in _COUNTED
    }


def pieces(db: Connection, *, has_keys: bool, reads_pictures: bool) -> Iterator[Piece]:
    """Yield the pieces to be done before the rows are compared with the whole chain."""
    for kind in _SUMS:
        yield Piece(kind)
    for first, last in ranges(db, audit_log.c.seq, _PIECE):
        yield Piece("signatures", first, last)
    wanted = [("rounds", rounds, _PIECE), ("frames", frames, _PIECE)]
    if reads_pictures:
        wanted += [(_READ_PICTURES, rounds, _PICTURES)]
    else:
        wanted += [("pictures", rounds, _PIECE)]
    if has_keys:
        wanted += [("replays", traces, _REPLAYS)]
        wanted += [(kind, table, _PIECE) for kind, table in _TAGS.items()]
    for kind, table, step in wanted:
        yield from (Piece(kind, *keys) for keys in ranges(db, table.c.id, step))
    start = 1  # the first entry has this number and follows none
    for first, last in ranges(db, chain.c.seq, _PIECE):
        yield Piece("chain", min(start, first), last)
        start = last + 1


def run_piece(db: Connection, piece: Piece, keys: Keys | None = None) -> Done:
    """Do one piece. keys: for tags. kind: signatures, rounds, frames, pictures, _READ_PICTURES,
    chain, replays, one of _SUMS or _TAGS, or rows, the last one, which compares the rows with the
    whole chain.

    A value that cannot be read is a problem of its row, not an error of this program.
    """
    try:
        return _run(db, piece, keys)
    except Exception as error:
        if piece.kind in ("chain", "rows") or not _is_of_rows(error):
            raise
        first, last = piece.first, piece.last
        if first == last:
            where = f"{piece.kind} {first}" if first else piece.kind
            why = " ".join(str(error).split())[:_LONGEST]
            return Done(piece, [f"{where}: cannot be verified: {type(error).__name__}: {why}"])
    middle = (first + last) // 2
    one = run_piece(db, piece._replace(last=middle), keys)
    other = run_piece(db, piece._replace(first=middle + 1), keys)
    return Done(
        piece,
        [*one.problems, *other.problems],
        replays=[*one.replays, *other.replays],
        pictures=[*one.pictures, *other.pictures],
        missing=Counter(one.missing) + Counter(other.missing),
    )


def _is_of_rows(error: Exception) -> bool:
    """Whether the content of the rows may cause an error: not the database or this machine."""
    if isinstance(error, DBAPIError):
        return chain_verify.is_unreadable_text(error)
    return not isinstance(error, (StoreError, MemoryError, OSError))


def _run(db: Connection, piece: Piece, keys: Keys | None) -> Done:
    kind, first, last, segment = piece
    if kind == "chain":
        entries = chain_verify.check_entries(db, first, last)
        problems, entries.problems = entries.problems, []
        return Done(piece, problems, entries)
    if kind == "rows":
        assert segment is not None
        return Done(Piece(kind), list(chain_verify.check_rows(db, segment)))
    if kind == "replays":
        judged = verify_traces.judge_all([*verify_traces.jobs(db, first, last)])
        problems = [text for entries in judged for text in entries.problems]
        return Done(piece, problems, replays=[entries.word for entries in judged])
    if kind in ("pictures", _READ_PICTURES):
        reads = kind == _READ_PICTURES
        pictures = list(verify_pictures.judge_range(db, first, last, reads=reads))
        problems = [one.problem for one in pictures if one.problem]
        return Done(piece, problems, pictures=[one.word for one in pictures if one.word])
    if kind in _TAGS:
        assert keys is not None
        checked = tags.check(db, _TAGS[kind], first, last, keys)
        return Done(piece, checked.problems, missing=checked.missing)
    if kind == "signatures":
        return Done(piece, list(signatures.problems(db, first, last)))
    if kind == "rounds":
        return Done(piece, list(verify_rounds.problems(db, first, last)))
    if kind == "frames":
        return Done(piece, list(verify_evidence.problems(db, first, last)))
    return Done(piece, list(_SUMS[kind](db)))


def _money(db: Connection) -> Iterator[str]:
    for key, kind, name, stored, cents in db.execute(text(_BALANCES)):
        yield f"account {key} ({kind} {name}): balance {stored}, its lines add up to {cents}"
    for key, name, posting, after in db.execute(text(_METERS)):
        yield f"account {key} (meter {name}) is at {after} after posting {posting}: it paid twice"
    for key, cents in db.execute(text(_POSTINGS)):
        yield f"posting {key}: its lines add up to {cents}, not to 0"
    for key, currency, other in db.execute(text(_CURRENCIES)):
        yield f"posting {key} in {currency} has a line in {other}"


_SUMS = {
    "balances": _money,
    "adjustments": adjustments.problems,
    "settlements of no round": verify_rounds.stray,
    "places of frames": verify_evidence.places,
    "decisions": verify_decisions.problems,
    "keys of users": signatures.stray,
    "triggers": shape.triggers,
}
"""What is verified in one piece, by its kind."""
