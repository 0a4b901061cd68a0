"""Passwords, and PINs of players: argon2id, never stored or logged.

A generated password must be changed at first login.
"""

import secrets
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tabletools.api import sealing
from tabletools.pit.host_context import TableUnavailable
from tabletools.store import LedgerRejection

SHORTEST, LONGEST = 10, 200
STRANGERS, STRANGERS_SHARE = 8, 2
"""Attempts to log in that are in the lane, and those of one source."""
STAFF, STAFF_SHARE = 32, 16
"""Passwords of signed-in users in the lane, and those of one user."""
PLAYERS, PLAYERS_SHARE = 16, 2
"""PINs of players in the lane, and those of one account."""
# Begins the hash of a password that is good for one login, to choose another; the number of the
# user who asked for it follows if another one agreed: "once 17 $argon2id$...".
_ONCE = "once "
# Without letters and digits that are easily confused.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class Lane:
    """Password checks that wait for each other: one at a time, a limited number of places.

    A flood in one lane takes no place in another.
    """

    def __init__(self, places: int, share: int) -> None:
        """share: places of one source at most."""
        self.turn = threading.Lock()
        self._places = places
        self._share = share
        self._used: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def place(self, source: str, *, is_suspect: bool = False) -> Iterator[None]:
        """Hold a place in the lane. Raises TableUnavailable when there is none.

        is_suspect: the source failed lately; half of the places are for others.
        """
        most = self._places // 2 if is_suspect else self._places
        with self._lock:
            if self._used.total() >= most or self._used[source] >= self._share:
                raise TableUnavailable("busy", "too many logins at once", "try again in a moment")
            self._used[source] += 1
        try:
            yield
        finally:
            with self._lock:
                self._used[source] -= 1
                self._used += Counter()  # without sources that have none


class Passwords:
    """Creates and checks hashes, one at a time in each lane, because each takes 64 MiB."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self.strangers = Lane(STRANGERS, STRANGERS_SHARE)
        self.staff = Lane(STAFF, STAFF_SHARE)
        self.players = Lane(PLAYERS, PLAYERS_SHARE)
        self._hasher = hasher or PasswordHasher()
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
        with self.staff.turn:
            return (_ONCE + asked if once else "") + self._hasher.hash(password)

    def pin_hash(self, pin: str) -> str:
        """Return the hash to store for the new PIN of a player, which `pins.verify` accepts."""
        with self.players.turn:
            return self._hasher.hash(pin)

    def fits(self, password_hash: str | None, password: str, lane: Lane) -> bool:
        """Whether a password matches the stored hash; takes as long without one.

        lane: in which the caller holds a place.
        """
        with lane.turn:
            try:
                stored = password_hash.rpartition(" ")[2] if password_hash else self._unknown_user
                self._hasher.verify(stored, password[: LONGEST + 1])
            except (VerificationError, InvalidHashError):
                return False
        return password_hash is not None

    def secret(self, password: str, salt: bytes, lane: Lane) -> bytes:
        """Return what seals the key of a user; it takes as long as a hash.

        lane: in which the caller holds a place.
        """
        hasher = self._hasher
        cost = (hasher.time_cost, hasher.memory_cost, hasher.parallelism)
        with lane.turn:
            return sealing.password_secret(password, salt, cost)


def is_once(password_hash: str | None) -> bool:
    """Whether a password has to be changed before anything else."""
    return bool(password_hash) and str(password_hash).startswith(_ONCE)


def asked_by(password_hash: str | None) -> int | None:
    """Return the user who asked for a first password and has read it, if another one agreed.

    None: no second user has to see another one chosen.
    """
    number = (password_hash or "").removeprefix(_ONCE).partition(" ")[0]
    return int(number) if is_once(password_hash) and number.isdecimal() else None


def made_up(*names: str) -> str:
    """Return a random password for the first login of these users: 78 bits for one, easy to type.

    It has no letter that a name begins with, so it contains none of the names.
    """
    initials = {name.lower()[:1] for name in names}
    usable = [letter for letter in _LETTERS if letter not in initials]
    letters = [secrets.choice(usable) for _ in range(16)]
    return "-".join("".join(letters[first : first + 4]) for first in range(0, 16, 4))
