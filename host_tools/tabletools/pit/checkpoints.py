"""Checkpoints of a running host, signed at an interval and appended to a file."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tabletools import private_file, release
from tabletools.errors import ToolError
from tabletools.pit.settings import Settings
from tabletools.store import Store, StoreError, checkpoint

Say = Callable[[str, dict[str, object]], None]


def signing(settings: Settings) -> release.SigningKey | None:
    """Return the key that signs checkpoints, None if the host signs none. Raises ToolError."""
    if not settings.checkpoint_key and not settings.checkpoint_file:
        return None
    if not settings.checkpoint_key or not settings.checkpoint_file:
        step = "give both, or neither"
        raise ToolError("checkpoint_key and checkpoint_file go together", step=step)
    try:
        return release.read_private(Path(settings.checkpoint_key))
    except release.ReleaseError as error:
        raise ToolError(error.what, where="checkpoint_key", step=error.step) from error
    except OSError as error:
        what = f"cannot open the file: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=f"checkpoint_key, {settings.checkpoint_key}") from error


def append(ledger: Store, key: release.SigningKey, file: Path) -> None:
    """Append a checkpoint of the newest entry to a file. Raises StoreError, OSError."""
    with ledger.read() as db:
        line = checkpoint.sign(db, key, ledger.clock.wall_ns())
    with open(file, "a", encoding="ascii", opener=private_file.opener) as stream:
        stream.write(line + "\n")
        stream.flush()
        os.fsync(stream.fileno())


_LINE = 4096
"""Longest line of a checkpoint, bytes."""


def newest(settings: Settings) -> checkpoint.Checkpoint | None:
    """Return the newest checkpoint this host signed, None if none can be read."""
    key = signing(settings)
    if key is None:
        return None
    try:
        with open(settings.checkpoint_file, "rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(stream.tell() - _LINE, 0))
            lines = stream.read(_LINE).decode("ascii", "replace").splitlines()
        return checkpoint.parse(lines[-1], key.public_key()) if lines else None
    except (OSError, StoreError):
        return None


@contextmanager
def checkpointing(ledger: Store, settings: Settings, say: Say) -> Iterator[None]:
    """Sign checkpoints while a host runs, and one when it stops. Raises ToolError."""
    key = signing(settings)
    if key is None:
        yield
        return
    file, over = Path(settings.checkpoint_file), threading.Event()

    def add() -> None:
        try:
            append(ledger, key, file)
        except (StoreError, OSError) as error:
            say("checkpoint_failed", {"why": str(error)})

    def run() -> None:
        while not over.wait(settings.checkpoint_s):
            add()

    thread = threading.Thread(target=run, name="checkpoints", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        add()
