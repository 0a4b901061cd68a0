"""The flash of an emulated board in a file, so that the board outlives the process that plays it.

A tar archive of the board's files. It is replaced whole, in one step, before anything that the
board sent after a change is passed on: whenever the process is killed, the file holds what a power
cut at that moment would have left on the board. It holds the board's key, so its mode is 0600.
"""

from __future__ import annotations

import fcntl
import io
import os
import re
import stat
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Self

_ROOT = "/"
_FOLDER, _NAME = "flash", re.compile(r"flash/[a-z_]{1,20}\.\d{1,3}")
"""A board has one folder; every file in it is named for what it holds, and numbered."""
MOST_BYTES = 2 * 1024 * 1024
"""The largest flash of a board."""


class FlashFileError(Exception):
    """The file cannot be used. step: what to do."""

    def __init__(self, what: str, step: str) -> None:
        super().__init__(what)
        self.step = step


class FlashFile:
    """One file, held against other boards while it is open. Raises FlashFileError.

    files: what it held when it was opened, by the board's path; empty for a new board.
    """

    def __init__(self, path: Path) -> None:
        self._path = Path(os.path.realpath(path))
        try:
            self._held = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            what = f"cannot open the flash: {(error.strerror or str(error)).lower()}"
            raise FlashFileError(what, "name a file in a folder you own") from error
        try:
            if not stat.S_ISREG(os.fstat(self._held).st_mode):
                raise FlashFileError("the flash is not a regular file", "name a file")
            self._hold()
            with open(self._held, "rb", closefd=False) as stream:
                self.files = _unpack(stream.read(2 * MOST_BYTES))
        except BaseException:
            os.close(self._held)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._held)

    def save(self, files: Mapping[str, bytes]) -> None:
        """Put these files in the place of those it held; until then the old ones are unchanged.

        Raises FlashFileError.
        """
        fresh = self._path.with_name(f".{self._path.name}.{os.getpid()}.new")
        held = None
        try:
            held = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
            fcntl.flock(held, fcntl.LOCK_EX)
            with open(held, "wb", closefd=False) as stream:
                stream.write(_pack(files))
            os.replace(fresh, self._path)
        except OSError as error:
            if held is not None:
                os.close(held)
                fresh.unlink()
            what = f"cannot write the flash: {(error.strerror or str(error)).lower()}"
            raise FlashFileError(what, "free space on its disk, or name another file") from error
        os.close(self._held)
        self._held = held

    def _hold(self) -> None:
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_ours = False
        else:
            # One that was replaced between its opening and its lock is held by nobody.
            is_ours = os.path.samestat(os.fstat(self._held), os.stat(self._path))
        if not is_ours:
            step = "end that table first, or name another file"
            raise FlashFileError("another emulated table runs on this flash", step)


def _pack(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name.removeprefix(_ROOT))
            entry.size, entry.mode = len(data), 0o600
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def _unpack(data: bytes) -> dict[str, bytes]:
    """Return the files of an archive; other people may have made it. Raises FlashFileError."""
    if not data:
        return {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            entries = [entry for entry in archive if not _is_folder(entry)]
            files = {_ROOT + entry.name: _content(archive, entry) for entry in entries}
    except (tarfile.TarError, ValueError, OverflowError, EOFError) as error:
        step = "name a file that `tabletool emulate --flash` made, or a new one"
        raise FlashFileError("this is not the flash of an emulated table", step) from error
    return files


def _is_folder(entry: tarfile.TarInfo) -> bool:
    return entry.isdir() and entry.name == _FOLDER


def _content(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    """Return the content of a file. Raises ValueError for what no board has."""
    content = archive.extractfile(entry) if entry.isreg() and not entry.issparse() else None
    if content is None or not _NAME.fullmatch(entry.name) or entry.size > MOST_BYTES:
        raise ValueError(entry.name)
    data = content.read()
    if len(data) != entry.size:
        raise ValueError(f"{entry.name} is cut off")
    return data
