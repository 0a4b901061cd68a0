"""The files an emulated table leaves behind."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from hil_tests.emulators.core.harness import Harness, Played
from tabletools.errors import ToolError


def keep_trace(folder: Path, table: Harness, played: Played) -> None:
    """Write what the controller keeps of the round; one the power ended has nothing."""
    ended = played.ended
    data = table.controller.trace(ended.round)
    if data is not None:
        path = folder / f"{ended.device}-{ended.round}.trace"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise _unwritable(path, error) from error


@contextmanager
def written(path: Path | None) -> Iterator[TextIO | None]:
    if path is None:
        yield None
        return
    try:
        stream = path.open("w", encoding="ascii")
    except OSError as error:
        raise _unwritable(path, error) from error
    with stream:
        yield stream


def _unwritable(path: Path, error: OSError) -> ToolError:
    what = f"cannot write the file: {(error.strerror or str(error)).lower()}"
    return ToolError(what, where=str(path), step="name a file in a folder you own")
