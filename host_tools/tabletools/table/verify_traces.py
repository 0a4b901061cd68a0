"""Replay traces with the logic of the device and compare the result with what was settled.

A job is plain data, so that any processor can run it: here, or on a cluster.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, and_, exists, func, select

from tablespec.names import KEY_NAMES
from tabletools import roles
from tabletools.decode.stored_frames import assembled
from tabletools.evidence import round_records
from tabletools.replay import DISAGREES, OtherRelease, Trace, TraceError, compared, replayed
from tabletools.roles import Played
from tabletools.store.schema.evidence import traces
from tabletools.store.schema.play import round_settlements, rounds

NOT_REPLAYED = "of another release"
"""Verdict besides those of replay: such a trace is not replayed here."""


class Job(NamedTuple):
    """A trace and what it is compared with. number: of its row. raw: the frames that carried it.

    ended: type and values of the record that ended the round, None if there is none. played: the
    terms by which bets of the round were settled; without a game where none were.
    """

    number: int
    device: int
    round: int
    raw: bytes
    ended: tuple[int, tuple[int | bytes, ...]] | None
    played: Played


class Judged(NamedTuple):
    """The result of a job.

    word: verdict of replay, or NOT_REPLAYED. problems: failed comparisons.
    """

    word: str
    problems: list[str]


def jobs(db: Connection, first: int, last: int) -> Iterator[Job]:
    """Yield the traces whose rows are in a range of keys."""
    trace_col, round_col = traces.c, rounds.c
    query = select(traces, rounds.c.id.label("round_id"), round_col.terms_id)
    query = query.outerjoin(
        rounds, and_(round_col.device == trace_col.device, round_col.number == trace_col.round)
    )
    query = query.where(trace_col.id.between(first, last), trace_col.bytes > 0).order_by(
        trace_col.id
    )
    for row in db.execute(query).all():
        ended = round_records.end_of(db, row.device, row.round)
        yield Job(row.id, row.device, row.round, row.raw, ended, _game_of(db, row))


def _game_of(db: Connection, row: Row[Any]) -> Played:
    col = round_settlements.c
    has_bets = exists().where(col.round_id == row.round_id, col.bets > 0)
    if row.terms_id is None or not db.execute(select(has_bets)).scalar_one():
        return Played(None)
    return round_records.played(db, row.terms_id)


def last(db: Connection) -> int:
    """Return the newest row of a trace."""
    return int(db.execute(select(func.max(traces.c.id))).scalar() or 0)


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
    where = f"trace {job.number} (device {job.device} round {job.round})"
    return Judged(word, [f"{where}: {text}" for text in problems])
