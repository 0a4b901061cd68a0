"""Files with money or evidence: mode 0600 from the first byte, never overwritten unless forced."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Self

from tabletools.errors import ToolError, cannot_write

_MODE = 0o600


def opener(path: str, flags: int) -> int:
    """Opener for open(): a file it creates has mode 0600, whatever the umask."""
    return os.open(path, flags, _MODE)


def create(file: Path) -> None:
    """Create an empty file if there is none, before SQLite opens it.

    SQLite would create it readable for all; -wal, -shm and -journal get the mode of the database.
    If the file cannot be created, SQLite reports why.
    """
    with suppress(OSError):
        os.close(opener(str(file), os.O_WRONLY | os.O_CREAT | os.O_EXCL))


@contextmanager
def appearing(file: Path, mode: int = _MODE, *, replaces: bool = False) -> Iterator[IO[bytes]]:
    """Write a file, which appears whole at the end, and on the medium.

    replaces: an older file of that name, which a full disk leaves unchanged. Raises OSError;
    without replaces FileExistsError for a name that is in use, whose file is unchanged.
    """
    # A link is followed: the file it points to is replaced, not the link.
    target = Path(os.path.realpath(file)) if replaces else file
    fresh = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if replaces:
                os.replace(fresh, target)
            else:
                _give_name(fresh, target, mode)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        if error.filename == str(fresh):
            error.filename = str(file)
        raise


def write_whole(file: Path, data: bytes, mode: int = _MODE) -> None:
    """Write a file, or replace it, in one step: see `appearing`. Raises OSError."""
    with appearing(file, mode, replaces=True) as stream:
        stream.write(data)


def _give_name(fresh: Path, file: Path, mode: int) -> None:
    """Give a file a name that nothing has. Raises OSError."""
    try:
        os.link(fresh, file)
    except FileExistsError:
        raise
    except OSError:  # a medium without links, such as a memory stick: the name is claimed first
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        os.replace(fresh, file)


def verify_free(file: Path, *, force: bool) -> None:
    """Raise ToolError for an existing file that would be overwritten."""
    if not force and file.is_file():
        raise ToolError(
            "the file already exists and was left unchanged",
            where=str(file),
            step="name another file, or replace this one with --force",
        )


def keep(file: Path, data: bytes, *, force: bool = False) -> None:
    """Write a file named after its content, and create its folder. Raises ToolError.

    If it already exists with another content, it is not changed unless force is set.
    """
    try:
        if not force and file.exists() and file.read_bytes() != data:
            raise ToolError(
                "another file of that name exists and was left unchanged",
                where=str(file),
                step="name another folder",
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, data)
    except OSError as error:
        raise cannot_write("the file", error, file, "name a folder you own") from error


class NewFile:
    """A text file that a command creates. Raises ToolError.

    It appears under its name with the first write, which appears completely; until then an
    existing file of that name is unchanged. An existing file is refused at once, unless force is
    set. whole: an existing file is replaced when the last write is complete, so that a full disk
    costs no old file; not for a recording without an end, which a power cut may end. A device or
    a pipe is written to directly.
    """

    def __init__(self, file: Path, *, force: bool = False, whole: bool = False) -> None:
        self._named = file
        self._force = force
        # A link is followed: the file it points to is replaced, not the link.
        self._target = Path(os.path.realpath(file))
        self._fresh: Path | None = None  # where the text is until it appears
        self._replaces = whole and self._target.is_file()
        self._failed = False
        self._is_empty = True
        if not file.is_relative_to("/dev") and (self._target.is_file() or not file.exists()):
            self._verify_free()
            self._fresh = self._target.with_name(f".{self._target.name}.{os.getpid()}.new")
        place = self._fresh or file
        try:
            self._stream = open(place, "w", encoding="utf-8", opener=opener)  # noqa: SIM115
        except OSError as error:
            raise self._unwritable(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def write(self, text: str) -> None:
        """Write text."""
        try:
            self._stream.write(text)
            self._is_empty = False
            if self._fresh is not None and not self._replaces:
                self._appear(self._fresh)
        except OSError as error:
            raise self._unwritable(error) from error

    def flush(self) -> None:
        """Flush what was written to the system."""
        try:
            self._stream.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Close it; a file without any write is removed. May be called twice."""
        try:
            with self._stream:
                is_whole = self._replaces and not self._failed and not self._is_empty
                if self._fresh is not None and is_whole:
                    self._appear(self._fresh)
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            if self._fresh is not None:
                self._fresh.unlink(missing_ok=True)

    def _appear(self, fresh: Path) -> None:
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._verify_free()
        os.replace(fresh, self._target)
        self._fresh = None

    def _verify_free(self) -> None:
        if self._target.exists():
            verify_free(self._named, force=self._force)

    def _unwritable(self, error: OSError) -> ToolError:
        self._failed = True
        return cannot_write("the file", error, self._named, "name a file in a folder you own")
