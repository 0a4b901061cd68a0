"""What can be wrong with the file of an inbox, as shown to the user."""

import sqlite3

_CAUSES = {
    sqlite3.SQLITE_FULL: (
        "the inbox is full",
        "no space is left on its disk",
        "make room on the disk, then start again: the table repeats what is missing",
    ),
    sqlite3.SQLITE_BUSY: (
        "the inbox is locked",
        "another program is writing to it",
        "end the other program, or give each table a file of its own",
    ),
    sqlite3.SQLITE_READONLY: (
        "the inbox is read-only",
        "no right to write the file or its folder",
        "name a file in a folder you own",
    ),
    sqlite3.SQLITE_NOTADB: (
        "this is not an inbox",
        "the file is no SQLite database",
        "name another file; this one was left as it is",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the inbox cannot be opened",
        "the folder does not exist, or the name is that of a folder",
        "check the name",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "the inbox is damaged",
        "the disk failed, or another program wrote to the file",
        "keep the file for the auditor and start a new one",
    ),
    sqlite3.SQLITE_IOERR: (
        "the inbox cannot be written or read",
        "the disk failed or refuses to take more",
        "check disk and quota, then start again: the table repeats what is missing",
    ),
}
_CAUSES[sqlite3.SQLITE_LOCKED] = _CAUSES[sqlite3.SQLITE_BUSY]
_CAUSES[sqlite3.SQLITE_PERM] = _CAUSES[sqlite3.SQLITE_READONLY]


class InboxError(Exception):
    """The file cannot be used. what, cause, step: as shown to the user."""

    def __init__(self, what: str, cause: str, step: str) -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause
        self.step = step


def explained(error: sqlite3.Error) -> InboxError | None:
    """SQLite's error as one of the file; None when it is a defect of this program."""
    code = getattr(error, "sqlite_errorcode", None)
    found = None if code is None else _CAUSES.get(code & 0xFF)
    if found is None:
        return None
    what, cause, step = found
    return InboxError(f"{what}: {error}", cause, step)
