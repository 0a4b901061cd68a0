"""Replay traces with the logic of the device and compare the result with what was settled.

A job is plain data, so that any processor can run it: here, or on a cluster.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, and_, exists, func, select, update

from tablespec.names import KEY_NAMES
from tabletools import roles
from tabletools.decode.stored_frames import assembled
from tabletools.evidence import round_records
from tabletools.replay import DISAGREES, OtherRelease, Trace, TraceError, compared, replayed
from tabletools.roles import Played
from tabletools.store.schema.evidence import frames, traces
from tabletools.store.schema.play import round_settlements, rounds, tables, terms

NOT_REPLAYED = "of another release"
"""Verdict besides those of replay: such a trace is not replayed here."""


class Job(NamedTuple):
    """A trace and what it is compared with. number: of its row. raw: the frames that carried it.

    ended: type and values of the record that ended the round, None if there is none. played: the
    terms by which bets of the round were settled; without a game where none were. table: its
    name, its number where the name is not there, "" for a device of no table.
    """

    number: int
    device: int
    round: int
    raw: bytes
    ended: tuple[int, tuple[int | bytes, ...]] | None
    played: Played
    table: str = ""

    @property
    def name(self) -> str:
        """Where the trace is from, in words."""
        table = f"table {self.table}, " if self.table else ""
        return f"trace {self.number} ({table}device {self.device} round {self.round})"


class Judged(NamedTuple):
    """The result of a job.

    word: verdict of replay, or NOT_REPLAYED. problems: failed comparisons.
    """

    word: str
    problems: list[str]


def jobs(db: Connection, first: int, last: int) -> Iterator[Job]:
    """Yield the traces whose rows are in a range of keys."""
    trace_col, round_col = traces.c, rounds.c
    round_columns = (round_col.id.label("round_id"), round_col.terms_id, round_col.table_id)
    query = select(traces, *round_columns, tables.c.name.label("table_name"))
    query = query.outerjoin(
        rounds, and_(round_col.device == trace_col.device, round_col.number == trace_col.round)
    ).outerjoin(tables, tables.c.id == round_col.table_id)
    query = query.where(trace_col.id.between(first, last), trace_col.bytes > 0).order_by(
        trace_col.id
    )
    for row in db.execute(query).all():
        ended = round_records.end_of(db, row.device, row.round)
        table = row.table_name or str(row.table_id or "")
        yield Job(row.id, row.device, row.round, row.raw, ended, _game_of(db, row), table)


def _game_of(db: Connection, row: Row[Any]) -> Played:
    col = round_settlements.c
    has_bets = exists().where(col.round_id == row.round_id, col.bets > 0)
    if row.terms_id is None or not db.execute(select(has_bets)).scalar_one():
        return Played(None)
    return round_records.played(db, row.terms_id)


def span(db: Connection) -> tuple[int, int]:
    """Return the oldest and the newest row of a trace, 0 for both without one."""
    oldest, newest = db.execute(select(func.min(traces.c.id), func.max(traces.c.id))).one()
    return oldest or 0, newest or 0


def alone(db: Connection) -> int:
    """Return how many traces have no record that they are compared with: it ended no round, as in
    test mode, or is in another archive."""
    trace_col, round_col = traces.c, rounds.c
    is_round = and_(round_col.device == trace_col.device, round_col.number == trace_col.round)
    query = select(func.count()).select_from(traces).outerjoin(rounds, is_round)
    query = query.outerjoin(frames, frames.c.id == round_col.ended)
    return int(db.execute(query.where(trace_col.bytes > 0, frames.c.id.is_(None))).scalar_one())


def forget_lost_terms(db: Connection) -> int:
    """Make rounds whose terms are not in this copy of a ledger rounds without terms.

    Returns how many: their configuration is not compared with what was played.
    """
    is_lost = rounds.c.terms_id.not_in(select(terms.c.id))
    return db.execute(update(rounds).where(is_lost).values(terms_id=None)).rowcount


def judge_all(some: Sequence[Job]) -> list[Judged]:
    """Replay several traces, one after the other."""
    return [judge(job) for job in some]


def judge(job: Job) -> Judged:
    """Replay a trace, and compare the result with record and terms."""
    try:
        trace, _, verdict = replayed(assembled(bytes(job.raw)))
    except OtherRelease:
        return Judged(NOT_REPLAYED, [])
    except TraceError as error:
        return _judgement(job, DISAGREES, [f"{error.what}: {error.cause}"])
    if job.ended is not None:
        verdict = compared(trace, verdict, job.ended)
    problems = list(verdict.differences) if verdict.word == DISAGREES else []
    if (trace.device, trace.round) != (job.device, job.round):
        problems.append(f"it is of device {trace.device}, round {trace.round}")
    if job.played.game is not None:
        problems += roles.misfits(job.played, [], _configuration(trace))
    return _judgement(job, DISAGREES if problems else verdict.word, problems)


def _configuration(trace: Trace) -> dict[str, int]:
    return {name: trace.config[number] for number, name in enumerate(KEY_NAMES, 1)}


def _judgement(job: Job, word: str, problems: list[str]) -> Judged:
    return Judged(word, [f"{job.name}: {text}" for text in problems])
