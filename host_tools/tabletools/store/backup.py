"""Backups: one file with one state of the ledger, made while the ledger is in use.

SQLite by its online backup, PostgreSQL by pg_dump in its custom format. A backup is verified when
it is made, and restored only to an empty place.
"""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from tabletools import private_file
from tabletools.store.database import Store
from tabletools.store.engine import SQLITE, engine_of, url_of
from tabletools.store.errors import TARGET_FAILS, StoreError, explain_errors
from tabletools.store.migrate import revision_of

_PART = ".part"
_INSTALL = "install PostgreSQL's client programs: apt install postgresql-client"


def backup(place: str, file: Path) -> None:
    """Write a backup of a ledger to a new file. Raises StoreError."""
    if file.exists():
        raise StoreError("the file already exists", "", "name another file", str(file))
    Store.open_existing(place, reads=True).close()
    url = url_of(place)
    part = file.with_name(file.name + _PART)
    _create_again(part)
    try:
        if url.get_backend_name() == SQLITE:
            _copy(Path(str(url.database)), part)
        else:
            _run("pg_dump", url, "--format=custom", "--no-owner", f"--file={part}")
        with part.open("rb") as part_file:
            os.fsync(part_file.fileno())
        part.rename(file)  # so a file of that name is a complete backup
    finally:
        part.unlink(missing_ok=True)


def restore(file: Path, place: str) -> None:
    """Restore a ledger from a backup, where none exists. Raises StoreError."""
    if not file.is_file():
        raise StoreError(
            "there is no backup", "the name does not match", "check the name", str(file)
        )
    if not file.stat().st_size:
        cause = "its copy was interrupted, or its disk was full"
        raise StoreError("the backup is empty", cause, "use another backup", str(file))
    url = url_of(place)
    if url.get_backend_name() == SQLITE:
        target = Path(str(url.database))
        _verify_free(target)
        part = target.with_name(target.name + _PART)
        _create_again(part)
        try:
            _copy(file, part)
            _verify_ledger(part, file)
            _verify_free(target)  # a host may have been started meanwhile
            part.rename(target)
        finally:
            part.unlink(missing_ok=True)
    else:
        _verify_empty(place)
        words = ("--exit-on-error", "--single-transaction", "--no-owner", str(file))
        _run("pg_restore", url, *words)
    Store.open(place).close()


def _verify_free(target: Path) -> None:
    """Raise StoreError where a ledger is, or where one left a log: it would be added to this."""
    if target.exists():
        raise StoreError("the file already exists", "", "name another file")
    for end in ("-wal", "-shm", "-journal"):
        left = target.with_name(target.name + end)
        if left.exists():
            raise StoreError(
                f"there is {left.name}, of another ledger of this name",
                "its host runs, or was killed, and its file was moved away without it",
                "stop the host, and move it to where that file is; or restore to another name",
            )


def _create_again(part: Path) -> None:
    """Make an empty private file; a partial one of an interrupted backup is deleted."""
    try:
        part.unlink(missing_ok=True)
        os.close(private_file.opener(str(part), os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except OSError as error:
        what = f"cannot write the file: {(error.strerror or str(error)).lower()}"
        cause = "its folder does not exist, or you have no right to it"
        file = str(part).removesuffix(_PART)
        raise StoreError(what, cause, "name a file in a folder you own", file) from error


@contextmanager
def _naming(source: Path, target: Path) -> Iterator[None]:
    """Name the file that an error is of: only what is written can lack space or rights.

    target: beside the file that is wanted, with .part at the end of its name.
    """
    try:
        yield
    except StoreError as error:
        error.where = str(source)
        if error.what.partition(":")[0] in TARGET_FAILS:
            error.where = str(target).removesuffix(_PART)
            error.step = "free space there, or name a file on another disk; none was left"
        raise


def _copy(source: Path, target: Path) -> None:
    with _naming(source, target), explain_errors():
        old: Any = engine_of(source, reads=True).raw_connection().driver_connection
        with closing(old), closing(sqlite3.connect(target)) as new:
            old.backup(new)
            new.execute("PRAGMA journal_mode=DELETE")  # one file, without a journal beside it
            [verdict] = new.execute("PRAGMA integrity_check").fetchone()
    if verdict != "ok":
        step = "keep both files for the auditor"
        raise StoreError(f"the copy of {source} is damaged: {verdict}", "the disk failed", step)


def _verify_empty(place: str) -> None:
    if _has_ledger(place):
        raise StoreError("a ledger already exists", "", "name an empty database")


def _verify_ledger(part: Path, file: Path) -> None:
    """Raise StoreError if the copy of a backup has no ledger: to open it would make one."""
    if not _has_ledger(str(part)):
        cause = "it is a database of another program"
        raise StoreError(f"there is no ledger in {file}", cause, "use another backup")


def _has_ledger(place: str) -> bool:
    ledger = Store.open_any(place)
    try:
        with ledger.read() as db:
            return revision_of(db) is not None
    finally:
        ledger.close()


def _run(name: str, url: URL, *words: str) -> None:
    program = _program(name)
    # The password goes by the environment: every user can read a command line.
    environment = dict(os.environ)
    if url.password is not None:
        environment["PGPASSWORD"] = str(url.password)
    plain = url.set(drivername="postgresql", password=None).render_as_string()
    done = subprocess.run(
        [program, f"--dbname={plain}", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        raise StoreError(f"{name} failed: {reason}", "see above", "correct it and try again")


def _program(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        known = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        program = str(known[-1]) if known else None
    if program is None:
        raise StoreError(f"{name} is not installed", "it is not installed", _INSTALL)
    return program
