"""A sink that is a file: one event per line, on the disk before it counts, rotated by size.

A partial last line after a power cut is cut off at the start: its event was never counted as
delivered, so it is written again. One that was written but not counted is found by its id.
"""

import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path

from tabletools.cms.outgoing_event import OutgoingEvent
from tabletools.cms.sinks import RETRY_S, DeliveryResult
from tabletools.money.outbox_queries import TableState

ROTATE_BYTES = 64 * 1024 * 1024
MOST = 500
"""Events written at once."""
_PIECE = 1 << 16
"""Bytes read at once to find the end of the last whole line."""
_LONG_EVENT = 2048
"""Bytes: more than most events have."""


class FileSink:
    """A file of JSON Lines; full ones are renamed to NAME.000001 and so on."""

    in_waves = False
    most = MOST
    retry_s: Sequence[float] = RETRY_S
    is_patient = True

    def __init__(self, file: Path, *, name: str = "", rotate_bytes: int = ROTATE_BYTES) -> None:
        self.name = name or f"file:{file.resolve()}"
        self._path = file
        self._rotate_bytes = rotate_bytes
        self._file: int | None = None
        self._size = 0
        self._recent: set[str] = set()

    def send(self, events: Sequence[OutgoingEvent]) -> DeliveryResult:
        """Append events and wait until they are on the disk."""
        try:
            file = self._open()
            new = [event for event in events if event.id not in self._recent]
            data = b"".join(event.body + b"\n" for event in new)
            if self._size and self._size + len(data) > self._rotate_bytes:
                file = self._rotate()
            self._append(file, data)
        except OSError as error:
            self.close()
            return DeliveryResult(down=f"{self._path}: {error.strerror or error}")
        self._recent = {event.id for event in events}
        return DeliveryResult([event.number for event in events])

    def tick(self, states: Sequence[TableState] | None) -> str:
        """Nothing to do."""
        return ""

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _append(self, file: int, data: bytes) -> None:
        written = 0
        try:
            while written < len(data):
                written += os.write(file, data[written:])
            os.fsync(file)
        except OSError:
            os.ftruncate(file, self._size)  # half a line is worse than none
            raise
        self._size += len(data)

    def _open(self) -> int:
        """Return the file, opened if it is not. Raises OSError."""
        if self._file is not None:
            return self._file
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
        self._file = file
        _sync_folder(self._path.parent)
        self._size = _cut_partial_line(file)
        full = self._full_files()
        self._recent = _ids(self._path)
        if full:
            self._recent |= _ids(full[-1])
        return file

    def _rotate(self) -> int:
        """Rename the file, which is full, and return a new one. Raises OSError."""
        self.close()
        full = self._full_files()
        number = int(full[-1].suffix[1:]) + 1 if full else 1
        target = self._path.with_name(f"{self._path.name}.{number:06d}")
        if target.exists():
            raise OSError(errno.EEXIST, f"{target.name} is in the way")
        self._path.rename(target)
        return self._open()

    def _full_files(self) -> list[Path]:
        """Return the files that were full, oldest first."""
        paths = self._path.parent.glob(f"{self._path.name}.*")
        return sorted(path for path in paths if path.suffix[1:].isdigit())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cut_partial_line(file: int) -> int:
    """Cut off a partial last line; returns the size of the file."""
    size = end = os.fstat(file).st_size
    while end:
        begin = max(0, end - _PIECE)
        newline = os.pread(file, end - begin, begin).rfind(b"\n")
        if newline >= 0:
            end = begin + newline + 1
            break
        end = begin
    if end < size:
        os.ftruncate(file, end)
        os.fsync(file)
    return end


def _ids(path: Path) -> set[str]:
    """Return the ids of the last lines: events that may have been written but not counted."""
    ids: list[str] = []
    with path.open("rb") as lines:
        lines.seek(max(0, path.stat().st_size - MOST * _LONG_EVENT))
        for line in lines.readlines()[-MOST:]:
            try:
                ids.append(str(json.loads(line)["id"]))
            except (ValueError, KeyError, TypeError):
                continue  # cut by the seek above, or not ours
    return set(ids)
