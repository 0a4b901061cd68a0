"""Passwords: argon2id, never stored or logged; a generated one must be changed at first login."""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tabletools.pit.host_context import TableUnavailable
from tabletools.store import LedgerRejection

SHORTEST, LONGEST = 10, 200
AT_ONCE, WAITING = 2, 8
# Begins the hash of a password that is good for one login, to choose another; the number of the
# user who asked for it follows if another one agreed: "once 17 $argon2id$...".
_ONCE = "once "
# Without letters and digits that are easily confused.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class Passwords:
    """Creates and checks hashes; few at a time, because each takes 64 MiB."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._room = threading.Semaphore(AT_ONCE)
        self._queue = threading.Semaphore(WAITING)
        # Checked for an unknown name, so that the answer takes as long.
        self._unknown_user = self._hasher.hash(secrets.token_hex(16))

    def hashed(
        self, password: str, name: str, *, once: bool = False, asked_by: int | None = None
    ) -> str:
        """Return the hash to store for a new password. Raises LedgerRejection for a weak one.

        asked_by: see `asked_by`.
        """
        if not SHORTEST <= len(password) <= LONGEST or not password.isprintable():
            what = f"a password has {SHORTEST} to {LONGEST} printable characters"
            raise LedgerRejection("password_poor", what, "choose a longer one", "password")
        if name.lower() in password.lower() or len(set(password)) < 5:
            what = "the password contains the name, or too few different characters"
            raise LedgerRejection("password_poor", what, "choose another one", "password")
        asked = "" if asked_by is None else f"{asked_by} "
        with self._room:
            return (_ONCE + asked if once else "") + self._hasher.hash(password)

    def fits(self, kept: str | None, password: str) -> bool:
        """Whether a password matches the stored hash; takes as long without one.

        Raises TableUnavailable while too many wait.
        """
        with self._turn():
            try:
                found = kept.rpartition(" ")[2] if kept else self._unknown_user
                self._hasher.verify(found, password[: LONGEST + 1])
            except (VerificationError, InvalidHashError):
                return False
        return kept is not None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for a turn, so that a flood of logins delays no bets."""
        if not self._queue.acquire(blocking=False):
            raise TableUnavailable("busy", "too many logins at once", "try again in a moment")
        try:
            with self._room:
                yield
        finally:
            self._queue.release()


def is_once(kept: str | None) -> bool:
    """Whether a password has to be changed before anything else."""
    return bool(kept) and str(kept).startswith(_ONCE)


def asked_by(kept: str | None) -> int | None:
    """Return the user who asked for a first password and has read it, if another one agreed.

    None: no second user has to see another one chosen.
    """
    number = (kept or "").removeprefix(_ONCE).partition(" ")[0]
    return int(number) if is_once(kept) and number.isdecimal() else None


def made_up() -> str:
    """Return a random password for the first login: 80 bits, easy to type."""
    letters = [secrets.choice(_LETTERS) for _ in range(16)]
    return "-".join("".join(letters[at : at + 4]) for at in range(0, 16, 4))
