"""Verify a database: the chain, every balance, every settlement computed again, the evidence.

Reads one state, changes nothing and reports problems as text. The work is split into pieces that
several processes can share.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DBAPIError

from tabletools.evidence import tags
from tabletools.evidence import verify as verify_evidence
from tabletools.link import Keys
from tabletools.money import adjustments, wallet_transfers
from tabletools.store import chain as chains
from tabletools.store import chain_verify, processes, shape, signatures
from tabletools.store.chain_verify import Contents, Segment
from tabletools.store.errors import StoreError
from tabletools.store.ranges import ranges, ranges_of, row_counts
from tabletools.store.schema.base import APPEND_ONLY
from tabletools.store.schema.books import ledger_lines, outbox, postings
from tabletools.store.schema.chain import chain
from tabletools.store.schema.evidence import frames, second_readings, traces
from tabletools.store.schema.people import audit_log
from tabletools.store.schema.play import bets, rounds, settlements
from tabletools.table import (
    verify_decisions,
    verify_pictures,
    verify_play_end,
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
    """Part of the work. kind: see run_piece. first, last: entries of the chain or keys of rows.

    segment: all entries, for the last piece; since: contents before them, if not the beginning.
    """

    kind: str
    first: int = 0
    last: int = 0
    segment: Segment | None = None
    since: Contents | None = None


class Scope(NamedTuple):
    """What is verified. has_keys: tags and traces too; reads_pictures: every picture is read.

    since: a verified state from which it goes on.
    """

    has_keys: bool = False
    reads_pictures: bool = False
    since: "Verified | None" = None


class Verified(NamedTuple):
    """A sound state of a ledger. seq, digest: of its newest entry; contents: up to there."""

    seq: int
    digest: str
    contents: Contents


@dataclass
class Report:
    """Rows by table, and the problems found. replays: number of traces by verdict. pictures: of
    those read again, by what came of it. state: what was verified, if it was read to the end.

    counts: empty if a table or a column is missing: then nothing else was verified.
    missing: keys that are not in the keyring, with the number of tags that need them.
    """

    counts: dict[str, int] = field(default_factory=dict)
    replays: Counter[str] = field(default_factory=Counter)
    pictures: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    state: Verified | None = None

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
        self.state = done.state or self.state


class Done(NamedTuple):
    """The result of a piece. replays, pictures, missing: see Report."""

    piece: Piece
    problems: list[str]
    segment: Segment | None = None
    replays: Sequence[str] = ()
    pictures: Sequence[str] = ()
    missing: Mapping[str, int] = {}
    state: Verified | None = None


def check(
    db: Connection,
    keys: Keys | None = None,
    *,
    reads_pictures: bool = False,
    since: Verified | None = None,
) -> Report:
    """Verify everything in an open transaction.

    keys: with them every tag is verified and every trace replayed. reads_pictures: the dice in
    every kept picture are read again. since: only what was written after that state; of older
    rows, only those that may change are compared with it.
    """
    scope = Scope(keys is not None, reads_pictures, since)
    return _check(scope, lambda pieces: (work(db, piece, scope, keys) for piece in pieces))


def check_in_processes(
    place: str,
    workers: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
    keys: Keys | None = None,
    *,
    reads_pictures: bool = False,
    since: Verified | None = None,
) -> Report:
    """Verify everything in several processes. progress: called with pieces done and their number.

    keys, reads_pictures, since: see check. Raises StoreError.
    """
    scope = Scope(keys is not None, reads_pictures, since)
    with processes.Processes(
        place, workers, lambda db, piece: work(db, piece, scope, keys)
    ) as pool:
        return _check(scope, pool.map, progress)


def _check(
    scope: Scope,
    work_on: Callable[[list[Piece]], Iterator[Any]],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Do every piece: the chain, then all that its entries wrote, then the rows.

    work_on: yields the results of pieces, in any order; see `work`.
    """
    report: Report
    [(report, entries)] = work_on([Piece("plan")])
    if not report.counts or report.problems:
        return report
    since = scope.since
    whole, segments = Segment(is_whole=since is None), dict[int, Segment]()
    for number, done in enumerate(work_on(entries), 1):
        report.add(done)
        segments[done.piece.first] = done.segment
        progress(number, 2 * len(entries) + 1)
    for first in sorted(segments):
        whole.extend(segments[first])
    [planned] = work_on([Piece("touched", segment=None if since is None else whole)])
    total = len(entries) + len(planned) + 1
    for number, done in enumerate(work_on(planned), len(entries) + 1):
        report.add(done)
        progress(number, total)
    contents = None if since is None else since.contents
    [last] = work_on([Piece("rows", segment=whole, since=contents)])
    report.add(last)
    progress(total, total)
    return report


def work(db: Connection, piece: Piece, scope: Scope, keys: Keys | None) -> Any:
    """Do a piece. plan: a report and the pieces of the chain; touched: pieces of what it wrote."""
    if piece.kind == "plan":
        return plan(db, scope)
    if piece.kind == "touched":
        return list(pieces(db, scope, piece.segment))
    return run_piece(db, piece, keys)


def plan(db: Connection, scope: Scope = Scope()) -> tuple[Report, list[Piece]]:  # noqa: B008
    """Return an empty report and the pieces of the chain; none if tables are missing."""
    if missing := list(shape.missing(db)):
        return Report(problems=missing), []
    report = Report(row_counts(db, _COUNTED))
    start = 1  # the first entry has this number and follows none
    if scope.since is not None:
        problem = _mismatch(db, scope.since)
        if problem:
            return Report(report.counts, problems=[problem]), []
        start = scope.since.seq + 1
    entries = []
    for first, last in ranges(db, chain.c.seq, _PIECE, start if scope.since else None):
        entries.append(Piece("chain", min(start, first), last))
        start = last + 1
    return report, entries


def _mismatch(db: Connection, since: Verified) -> str:
    """Return how the chain differs from a verified state, if it does."""
    digest = chains.digest_at(db, since.seq)
    if digest is None:
        return f"chain: it was verified up to entry {since.seq}, which is missing"
    if digest != since.digest:
        return f"chain: entry {since.seq} is not the one that was verified"
    return ""


def pieces(db: Connection, scope: Scope, entries: Segment | None) -> Iterator[Piece]:
    """Yield the pieces to be done before the rows are compared with the whole chain.

    entries: of the chain; with a verified state in the scope only what they wrote is verified.
    """
    for kind in _SUMS:
        yield Piece(kind)
    pictures = _READ_PICTURES if scope.reads_pictures else "pictures"
    wanted = [("signatures", audit_log.c.seq, _PIECE), ("frames", frames.c.id, _PIECE)]
    if scope.has_keys:
        wanted += [("replays", traces.c.id, _REPLAYS)]
        wanted += [(kind, table.c.id, _PIECE) for kind, table in _TAGS.items()]
    if scope.since is None or entries is None:
        wanted += [("rounds", rounds.c.id, _PIECE), (pictures, rounds.c.id, _PICTURES)]
        for kind, key, step in wanted:
            yield from (Piece(kind, *keys) for keys in ranges(db, key, step))
        return
    for kind, key, step in wanted:
        least = entries.lowest.get(key.table.name)
        if key.table.name not in APPEND_ONLY:
            least = min(
                (number for (number,) in entries.newest.get(key.table.name, ())), default=None
            )
        if least is not None:
            yield from (Piece(kind, *keys) for keys in ranges(db, key, step, least))
    touched = _touched_rounds(db, entries)
    for kind, step in (("rounds", _PIECE), (pictures, _PICTURES)):
        yield from (Piece(kind, *keys) for keys in ranges_of(touched, step))


def _touched_rounds(db: Connection, entries: Segment) -> set[int]:
    """Return the rounds that entries wrote or may judge otherwise, and those not yet settled."""
    keys = {number for (number,) in entries.newest.get(rounds.name, ())}
    keys.update(db.execute(select(rounds.c.id).where(rounds.c.settled == 0)).scalars())
    for number, round_key in (
        (bets.c.id, bets.c.round_id),
        (postings.c.id, postings.c.round_id),
        (second_readings.c.round_id, second_readings.c.round_id),
    ):
        least = entries.lowest.get(number.table.name)
        if least is not None:
            keys.update(db.execute(select(round_key).distinct().where(number >= least)).scalars())
    keys.discard(None)
    return keys


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
    kind, first, last, segment, _ = piece
    if kind == "chain":
        entries = chain_verify.check_entries(db, first, last)
        problems, entries.problems = entries.problems, []
        return Done(piece, problems, entries)
    if kind == "rows":
        assert segment is not None
        problems, contents = chain_verify.check_rows(db, segment, piece.since)
        newest = chains.head(db)
        state = Verified(newest.seq, newest.digest.hex(), contents)
        return Done(Piece(kind), problems, state=state)
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
    "external wallet": wallet_transfers.problems,
    "ends of play": verify_play_end.problems,
    "keys of users": signatures.stray,
    "triggers": shape.triggers,
}
"""What is verified in one piece, by its kind."""
