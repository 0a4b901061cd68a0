"""The events of an estate as Parquet files, for DuckDB and others: each event in one file.

A file is named by its first number in the stream. One that was written but not noted, because the
reader was killed between, is written again under the same name.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import Connection

from tabletools.estate import events
from tabletools.estate.reader import Arrived

EVERY_S = 600.0
"""Between files, unless more than `most` events come meanwhile."""
_SCHEMA = pa.schema(
    [
        ("number", pa.int64()),
        ("site", pa.string()),
        ("pit", pa.string()),
        ("table", pa.int64()),
        ("id", pa.string()),
        ("type", pa.string()),
        ("time", pa.timestamp("us", tz="UTC")),
        ("sequence", pa.int64()),
        ("event", pa.string()),
    ]
)


class ParquetFiles:
    """Writes what it takes into a folder. event: the CloudEvent as it was sent."""

    name = "parquet"
    most = 20_000

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def take(self, _db: Connection, batch: Sequence[Arrived]) -> None:
        """Write a file of these messages, on the disk before it has its name."""
        file = self._folder / f"events-{batch[0].number:020d}.parquet"
        part = file.with_suffix(".part")
        rows = [row for row in map(_row, batch) if row is not None]
        columns = {name: [row[name] for row in rows] for name in _SCHEMA.names}
        pq.write_table(pa.table(columns, schema=_SCHEMA), part, compression="zstd")
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(file)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _row(one: Arrived) -> dict[str, object] | None:
    """Return an event as a row; None for what is no event: the tables of the centre have it."""
    try:
        event = one.event()
    except events.NotAnEvent:
        return None
    names = ("site", "pit", "table", "id", "type", "sequence")
    return {name: getattr(event, name) for name in names} | {
        "number": one.number,
        "time": event.at_ns // 1000,
        "event": one.payload.decode(),
    }
