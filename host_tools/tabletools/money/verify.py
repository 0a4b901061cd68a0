"""Is the database sound? The chain, every balance, every settlement derived again, evidence.

Reads one state of it and changes nothing; says in words what does not hold. The work is cut into
pieces, which several processes may share.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection, func, select, text

from tabletools.evidence import tags
from tabletools.evidence import verify as verify_evidence
from tabletools.link import Keys
from tabletools.money import verify_rounds, verify_traces
from tabletools.store import chain, chain_verify, processes
from tabletools.store.chain_verify import Walked
from tabletools.store.schema.books import ledger_lines, outbox, postings
from tabletools.store.schema.evidence import frames, traces
from tabletools.store.schema.people import audit_log
from tabletools.store.schema.play import bets, rounds, settlements

_BALANCES = """
SELECT a.id, a.kind, a.name, a.balance_cents, coalesce(sum(l.amount_cents), 0) AS found
FROM accounts a LEFT JOIN ledger_lines l ON l.account_id = a.id
GROUP BY a.id, a.kind, a.name, a.balance_cents
HAVING a.balance_cents <> coalesce(sum(l.amount_cents), 0) ORDER BY a.id
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


_PIECE = 500
"""Entries, frames or rounds that are looked at together."""
_REPLAYS = 50
"""Traces that are replayed together, for some seconds."""
_TAGS = {f"tags of {table.name}": table for table in tags.TABLES}


class Piece(NamedTuple):
    """Part of the work. kind: see look. first, last: entries of the chain, or keys of rows."""

    kind: str
    first: int = 0
    last: int = 0
    walked: Walked | None = None


@dataclass
class Report:
    """What was looked at, by table, and what is wrong. replays: traces by what came of them.

    missing: keys that are not in the keyring, with how many tags they would verify.
    """

    counts: dict[str, int] = field(default_factory=dict)
    replays: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def add(self, done: "Done") -> None:
        """Take what came of a piece."""
        self.problems += done.problems
        self.replays.update(done.replays)
        self.missing.update(done.missing)


class Done(NamedTuple):
    """What came of a piece. replays, missing: see Report."""

    piece: Piece
    problems: list[str]
    walked: Walked | None = None
    replays: Sequence[str] = ()
    missing: Mapping[str, int] = {}


def check(db: Connection, keys: Keys | None = None) -> Report:
    """Look at everything, on an open transaction.

    keys: with them every tag is verified and every trace replayed.
    """
    report, walked = Report(counts(db)), Walked()
    for piece in pieces(db, has_keys=keys is not None):
        done = look(db, piece, keys)
        if done.walked is not None:
            walked.follow(done.walked)
        report.add(done)
    report.add(look(db, Piece("standing", walked=walked)))
    return report


def check_in_processes(
    place: str,
    workers: int,
    tell: Callable[[int, int], None] = lambda done, all_: None,
    keys: Keys | None = None,
) -> Report:
    """Look at everything in so many processes. tell: called with pieces done, and all.

    keys: see check. Raises StoreError.
    """

    def job(db: Connection, piece: Piece) -> Done | tuple[dict[str, int], list[Piece]]:
        if piece.kind == "plan":
            return counts(db), list(pieces(db, has_keys=keys is not None))
        return look(db, piece, keys)

    with processes.Processes(place, workers, job) as at_work:
        [(found, wanted)] = at_work.map([Piece("plan")])
        report, walks = Report(found), dict[int, Walked]()
        for number, done in enumerate(at_work.map(wanted), 1):
            report.add(done)
            if done.walked is not None:
                walks[done.piece.first] = done.walked
            tell(number, len(wanted) + 1)
        walked = Walked()
        for first in sorted(walks):
            walked.follow(walks[first])
        [last] = at_work.map([Piece("standing", walked=walked)])
        report.add(last)
        tell(len(wanted) + 1, len(wanted) + 1)
    return report


def counts(db: Connection) -> dict[str, int]:
    """Return how many rows there are, by table."""
    return {
        table.name: int(db.execute(select(func.count()).select_from(table)).scalar_one())
        for table in _COUNTED
    }


def pieces(db: Connection, *, has_keys: bool = False) -> Iterator[Piece]:
    """Yield the work to be done before what stands is compared with the chain."""
    yield Piece("sums")
    wanted = [("rounds", rounds, _PIECE), ("frames", frames, _PIECE)]
    if has_keys:
        wanted += [("replays", traces, _REPLAYS)]
        wanted += [(kind, table, _PIECE) for kind, table in _TAGS.items()]
    for kind, table, step in wanted:
        last = db.execute(select(func.max(table.c.id))).scalar() or 0
        for first in range(1, last + 1, step):
            yield Piece(kind, first, first + step - 1)
    newest = chain.head(db).seq
    for first in range(1, newest + 1, _PIECE):
        yield Piece("chain", first, min(first + _PIECE - 1, newest))


def look(db: Connection, piece: Piece, keys: Keys | None = None) -> Done:
    """Do one piece. keys: for tags. Its kind: sums, rounds, frames, chain, replays, one of _TAGS,
    or standing, the last one, which takes what came of all of the chain.
    """
    kind, first, last, walked = piece
    if kind == "chain":
        found = chain_verify.walk(db, first, last)
        problems, found.problems = found.problems, []
        return Done(piece, problems, found)
    if kind == "standing":
        assert walked is not None
        return Done(Piece(kind), list(chain_verify.standing(db, walked)))
    if kind == "replays":
        judged = verify_traces.judge_all([*verify_traces.jobs(db, first, last)])
        told_of = [text for found in judged for text in found.problems]
        return Done(piece, told_of, replays=[found.word for found in judged])
    if kind in _TAGS:
        assert keys is not None
        checked = tags.check(db, _TAGS[kind], first, last, keys)
        return Done(piece, checked.problems, missing=checked.missing)
    told: Iterator[str]
    if kind == "rounds":
        told = verify_rounds.problems(db, first, last)
    elif kind == "frames":
        told = verify_evidence.problems(db, first, last)
    else:
        told = _sums(db)
    return Done(piece, list(told))


def _sums(db: Connection) -> Iterator[str]:
    yield from _money(db)
    yield from verify_rounds.stray(db)
    yield from verify_evidence.places(db)


def _money(db: Connection) -> Iterator[str]:
    for key, kind, name, kept, found in db.execute(text(_BALANCES)):
        yield f"account {key} ({kind} {name}): balance {kept}, its lines add up to {found}"
    for key, found in db.execute(text(_POSTINGS)):
        yield f"posting {key}: its lines add up to {found}, not to 0"
    for key, currency, other in db.execute(text(_CURRENCIES)):
        yield f"posting {key} in {currency} has a line in {other}"
