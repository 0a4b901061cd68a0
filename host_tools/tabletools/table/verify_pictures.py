"""Verify the kept pictures of throws: each is the one of its result, and reads as it was read."""

from binascii import crc32
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from tabletools.decode.stored_frames import assembled
from tabletools.evidence import second_readings
from tabletools.evidence.rounds import BELIEVED
from tabletools.evidence.second_readings import Awaited, Reading
from tabletools.replay import TraceError
from tabletools.replay.parsed_trace import contents
from tabletools.store.schema.evidence import traces
from tabletools.store.schema.play import rounds
from tabletools.throw_reading import RELEASE, is_photographed, read, unlike_kept

SAME, DIFFERENT = "as before", "read differently"
OTHER_RELEASE = "of another release"
NOT_ALONE = "with an empty tray or second camera"
"""Read with what the ledger does not have, so it cannot be read like that again."""
REFUSED, ACCEPTED_NOW = "refused", "refused then, accepted now"
"""Not accepted, for whatever reason: nothing was paid by it. Some were given up, not read."""


class Judged(NamedTuple):
    """word: what came of reading it again, "" if it was not. problem: "" if there is none."""

    word: str
    problem: str


def judge_range(db: Connection, first: int, last: int, *, reads: bool) -> Iterator[Judged]:
    """Yield what is found of the throws whose rounds are in a range of keys.

    reads: read the pictures again; else the CRC-32 of each is compared with the record alone.
    """
    query = second_readings.results().add_columns(traces.c.raw)
    query = query.where(rounds.c.id.between(first, last)).order_by(rounds.c.id)
    for row in db.execute(query).all():
        reading = second_readings.of_round(db, row.id)
        data = b"" if row.raw is None else assembled(bytes(row.raw))
        where = f"round {row.id} (device {row.device} number {row.number})"
        if row.verdict == BELIEVED and (problem := _problem(row, data, reading)):
            yield Judged("", f"{where}: {problem}")
        elif reads and reading is not None and data:
            one = _read_again(second_readings.to_read(db, row), data, reading)
            yield one._replace(problem=one.problem and f"{where}: {one.problem}")


def _problem(row: Row[Any], data: bytes, reading: Reading | None) -> str:
    """Return what is wrong with the pictures of an accepted result, "" for nothing."""
    if reading is None or not is_photographed(reading):
        return _unlike(row, data, reading)
    # The table's own picture is evidence beside it: it may be missing, not another one.
    crc = second_readings.picture_crc(row.payload)
    one = Awaited(row.id, row.device, row.number, row.trace, True, 0, crc, row.made_ns)
    return unlike_kept(one, reading) or _unlike(row, data, None)


def _unlike(row: Row[Any], data: bytes, reading: Reading | None) -> str:
    """Return how a picture is not the one of the result, "" if it is, or none had to be kept."""
    try:
        picture = contents(data).frame if data else None
    except TraceError as error:
        return f"its picture cannot be read: {error.what}"
    if picture is None:
        was_read = reading is not None and not reading.reason
        return "the picture that the host read is not kept" if was_read else ""
    crc, wanted = crc32(picture), second_readings.picture_crc(row.payload)
    if crc == wanted:
        return ""
    return f"its picture has the CRC-32 0x{crc:08X}, the table read one of 0x{wanted:08X}"


def _read_again(one: Awaited, data: bytes, reading: Reading) -> Judged:
    if reading.release != RELEASE:
        return Judged(OTHER_RELEASE, "")
    if reading.referred or reading.second_picture:
        return Judged(NOT_ALONE, "")
    again = read(data, one, None)
    if reading.reason:
        return Judged(REFUSED if again.reason else ACCEPTED_NOW, "")
    if again.reason:
        return Judged(DIFFERENT, f"read again its dice are refused: {again.reason}")
    if [*again.dice] == [*reading.dice]:
        return Judged(SAME, "")
    new, old = (" ".join(map(str, each.dice)) for each in (again, reading))
    return Judged(DIFFERENT, f"read again its dice are {new}, they were kept as {old}")
