"""Checkpoints of a running host: signed at an interval, appended to a file, sent to every sink.

They need no setting: the key is made at the first start, and key and file are beside the ledger
(`host_keys.beside`). Whoever can write there could sign others, so each is also an event.
"""

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tabletools import private_file, release
from tabletools.background import in_background
from tabletools.errors import ToolError
from tabletools.pit.host_keys import beside
from tabletools.pit.settings import Settings
from tabletools.store import Connection, Store, StoreError, checkpoint
from tabletools.store.outbox import OutboxEvent, enqueue

Say = Callable[[str, dict[str, object]], None]
EVENT = "tablewire.ledger.checkpoint"
KEY, PUBLIC, FILE = ".checkpoint.key", ".checkpoint.pub", ".checkpoints"
"""Endings of the private key, the public one, and the checkpoints, beside a ledger."""
_LINE = 4096
"""Longest line of a checkpoint, bytes."""


def verify(settings: Settings) -> None:
    """Raise ToolError for a key in the settings that cannot sign."""
    if settings.checkpoint_key:
        _read(Path(settings.checkpoint_key))


def signing_key(settings: Settings, ledger: Store) -> release.SigningKey:
    """Return the key that signs checkpoints; the one beside the ledger is made if it is missing.

    Raises ToolError.
    """
    if settings.checkpoint_key:
        return _read(Path(settings.checkpoint_key))
    file, public = (beside(ledger.place, ending) for ending in (KEY, PUBLIC))
    try:
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            release.make_keys(file)
    except (OSError, release.ReleaseError) as error:
        if not file.exists():  # else another host of this machine made it meanwhile
            what = f"cannot make the key of checkpoints: {error}"
            step = "name one with checkpoint_key, made by `tabletool release keygen`"
            raise ToolError(what, where=str(file), step=step) from error
    key = _read(file)
    with suppress(OSError, release.ReleaseError):  # a power cut may come between the two files
        if not public.exists():
            release.write_public(key, public)
    return key


def _read(file: Path) -> release.SigningKey:
    try:
        return release.read_private(file)
    except release.ReleaseError as error:
        raise ToolError(error.what, where="checkpoint_key", step=error.step) from error
    except OSError as error:
        what = f"cannot open the file: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=f"checkpoint_key, {file}") from error


def file_of(settings: Settings, ledger: Store) -> Path:
    """Return the file that checkpoints are added to."""
    named = settings.checkpoint_file
    return Path(named) if named else beside(ledger.place, FILE)


def free_name(file: Path) -> Path:
    """Return the name that a file of checkpoints is moved to: the first number that is free."""
    names = (file.with_name(f"{file.name}.{number}") for number in itertools.count(1))
    return next(name for name in names if not name.exists())


def set_aside(file: Path) -> Path | None:
    """Move a file of checkpoints to a free name; returns that, None if there is no file.

    Raises OSError.
    """
    return file.rename(free_name(file)) if file.exists() else None


def append(ledger: Store, key: release.SigningKey, file: Path, after: int) -> int:
    """Publish a checkpoint and append it to a file; returns its entry.

    after: the entry of the checkpoint before, 0 for the first. Raises StoreError, OSError.
    """
    line = publish(ledger, key, after)
    with open(file, "a", encoding="ascii", opener=private_file.opener) as stream:
        stream.write(line + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    return checkpoint.parse(line, key.public_key()).seq


def publish(ledger: Store, key: release.SigningKey, after: int) -> str:
    """Sign the newest entry, and send the line to every sink; returns it. Raises StoreError."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> str:
        line = checkpoint.sign(db, key, now_ns, after)
        entry = checkpoint.parse(line, key.public_key()).seq
        public_key = key.public_key().public_bytes_raw().hex()
        data = {"entry": entry, "line": line, "public_key": public_key}
        name = f"checkpoint-{entry}-{public_key[:8]}"
        enqueue(db, OutboxEvent(name, EVENT, f"entry/{entry}", data), now_ns)
        return line

    return ledger.run(write)


def newest(settings: Settings, ledger: Store) -> checkpoint.Checkpoint | None:
    """Return the newest checkpoint this host signed, None if none can be read."""
    try:
        with open(file_of(settings, ledger), "rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(stream.tell() - _LINE, 0))
            lines = stream.read(_LINE).decode("ascii", "replace").splitlines()
        public = signing_key(settings, ledger).public_key()
        return checkpoint.parse(lines[-1], public) if lines else None
    except (OSError, StoreError):
        return None


@contextmanager
def checkpointing(ledger: Store, settings: Settings, say: Say) -> Iterator[None]:
    """Sign checkpoints while a host runs, and one when it stops. Raises ToolError.

    None is signed while nothing but the event of the one before was written. A file whose last
    line this key did not sign is set aside: its key was replaced, or a power cut tore the line.
    """
    key, file = signing_key(settings, ledger), file_of(settings, ledger)
    if file.exists() and newest(settings, ledger) is None:
        try:
            say("checkpoints_set_aside", {"file": str(set_aside(file))})
        except OSError as error:
            say("checkpoint_failed", {"why": str(error)})
    before = newest(settings, ledger)
    with ledger.read() as db:  # a ledger that was copied back ends before what was signed
        signed = [0 if before is None else min(before.seq, checkpoint.head_seq(db))]

    def add() -> None:
        try:
            with ledger.read() as db:
                if checkpoint.is_idle(db, signed[0]):
                    return
            signed[0] = append(ledger, key, file, signed[0])
        except (StoreError, OSError) as error:
            say("checkpoint_failed", {"why": str(error)})

    def run(over: threading.Event) -> None:
        while not over.wait(settings.checkpoint_s):
            add()

    try:
        with in_background(run, "checkpoints"):
            yield
    finally:
        add()
