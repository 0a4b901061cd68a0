"""Authentication: logins and sessions of users. Players at terminals: `seats`.

Only hashes of tokens are stored. A user is read at every request, so a change of role takes effect
at once. A session ends by the wall clock of the ledger, or sooner by this host's monotonic one.
"""

import hashlib
import hmac
import secrets
from typing import NamedTuple

from tabletools.api.passwords import Lane, Passwords, asked_by, is_once
from tabletools.api.throttle import Throttle
from tabletools.money import people_queries
from tabletools.pit.settings import Settings
from tabletools.store import Actor, LedgerRejection, Store, audit, people
from tabletools.store.clock import NS

MINUTE_NS = 60 * NS


class AuthError(Exception):
    """A request without a login, or without the right to it. status: 401, 403, or 429 for more
    than a login may have."""

    def __init__(self, status: int, code: str, what: str, step: str) -> None:
        super().__init__(what)
        self.status = status
        self.code = code
        self.what = what
        self.step = step


class Person(NamedTuple):
    """A logged-in user. must_change: the password, before anything else.

    needs_second: to change it, a supervisor who did not ask for it has to agree.
    """

    user: int
    name: str
    role: str
    session: int
    must_change: bool
    needs_second: bool

    @property
    def source(self) -> str:
        """The source of password attempts within a login."""
        return f"user {self.user}"

    @property
    def actor(self) -> Actor:
        """The user as named in the audit log."""
        return Actor(self.name, self.user)


def hashed(token: str) -> bytes:
    """Return the stored hash of a token."""
    return hashlib.sha256(token.encode()).digest()


def csrf_of(token: str) -> str:
    """Return the token that only pages of ours know."""
    return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()


class Auth:
    """Logins and sessions of one host."""

    def __init__(self, ledger: Store, settings: Settings, passwords: Passwords) -> None:
        self.passwords = passwords
        self._ledger = ledger
        self._settings = settings
        self._used: dict[int, int] = {}  # session: monotonic time of its last use
        self.throttle = Throttle(settings.lock_after, settings.lock_minutes * MINUTE_NS)

    # --- users -----------------------------------------------------------------------------------

    def checked(self, name: str, password: str, source: str) -> tuple[int, str]:
        """Return the number of a user with the password that a signed-in user gives.

        source: of that user. Returns the stored hash too. Raises AuthError, TableUnavailable.
        """
        with self.passwords.staff.place(source):
            return self._checked(name, password, source, self.passwords.staff)

    def login(self, name: str, password: str, address: str) -> tuple[str, Person]:
        """Open a session; returns its token and the user. Raises AuthError, TableUnavailable."""
        lane = self.passwords.strangers
        is_suspect = self.throttle.is_suspect(address, self._ledger.clock.wall_ns())
        with lane.place(address, is_suspect=is_suspect):
            user, password_hash = self._checked(name, password, address, lane)
        token = secrets.token_urlsafe(32)
        expires = self._ledger.clock.wall_ns() + self._settings.session_hours * 3600 * NS
        opening = people.Opening(hashed(token), expires, user, password_hash=password_hash)
        try:
            people.open_session(self._ledger, opening, Actor(name, user))
        except LedgerRejection as changed:
            raise _login_failed() from changed
        return token, self.person(token)

    def _checked(self, name: str, password: str, source: str, lane: Lane) -> tuple[int, str]:
        """Judge an attempt when its turn comes. lane: in which the caller holds a place."""
        with self.throttle.turn(source, name):
            ledger, now_ns = self._ledger, self._ledger.clock.wall_ns()
            with ledger.read() as db:
                row = people.find_user(db, name)
            actor = Actor("nobody") if row is None else Actor(row.name, row.id)
            # Only enabled users may log in; the answer to any other name is the same, known or
            # not.
            user = row if row is not None and row.is_enabled and row.password_hash else None
            self._verify_unlocked(source, name, actor, now_ns)
            password_hash = None if user is None else user.password_hash
            is_right = self.passwords.fits(password_hash, password, lane)
            if user is None or not is_right:
                self.throttle.fail(source, name, now_ns)
                self._note("login_failed", name, actor, source)
                raise _login_failed()
            self.throttle.succeed(source, name)
        ledger.run(lambda db: audit.note(db, actor, "login", f"user {actor.user}", now_ns))
        return user.id, str(password_hash)

    def _verify_unlocked(self, source: str, name: str, actor: Actor, now_ns: int) -> None:
        locked_ns = self.throttle.locked_ns(source, name, now_ns)
        if not locked_ns:
            return
        if self.throttle.is_new_lock(source, name):
            self._note("login_while_locked", name, actor, source)
        minutes = (locked_ns - now_ns) // MINUTE_NS + 1
        what = f"logins as this user are locked here for another {minutes} min"
        raise AuthError(401, "locked", what, "wait, or ask a supervisor for a new password")

    def person(self, token: str, *, is_use: bool = True) -> Person:
        """Return the user of a token.

        is_use: False for a page that only watches. Raises AuthError.
        """
        with self._ledger.read() as db:
            row = people_queries.signed_in(db, hashed(token))
        if row is None or not row.is_enabled:
            raise AuthError(401, "not_logged_in", "this login has ended", "log in again")
        password_hash = row.password_hash
        person = Person(
            row.user_id,
            row.name,
            row.role,
            row.id,
            must_change=is_once(password_hash),
            needs_second=asked_by(password_hash) is not None,
        )
        wall_ns, mono_ns = self._ledger.clock.wall_ns(), self._ledger.clock.mono_ns()
        used = self._used.get(person.session, mono_ns)
        if wall_ns >= row.expires_ns or mono_ns - used > self._idle_ns:
            self.logout(person, "expired")
            raise AuthError(401, "not_logged_in", "this login has ended", "log in again")
        self._used[person.session] = mono_ns if is_use else used
        return person

    @property
    def _idle_ns(self) -> int:
        return self._settings.idle_minutes * MINUTE_NS

    def logout(self, who: Person, cause: str = "logout") -> None:
        """End a session."""
        self._used.pop(who.session, None)
        people.close_session(self._ledger, who.session, cause, who.actor)

    def change_password(self, who: Person, old: str, new: str, second: Actor | None) -> None:
        """Change the password; other sessions end. Raises AuthError, LedgerRejection.

        second: the supervisor who sees the user choose it, where one is needed.
        """
        was = self.checked(who.name, old, who.source)[1]
        if new == old:
            raise LedgerRejection(
                "password_poor", "it is the old one", "choose another", "password"
            )
        change = people.PasswordChange(was, self.passwords.hashed(new, who.name), asked_by(was))
        people.change_own_password(self._ledger, who.actor, change, second, keeps=who.session)

    def _note(self, action: str, name: str, actor: Actor, source: str) -> None:
        """Note a failed login in the audit log, unless too many failed within an hour."""
        now_ns, short_name = self._ledger.clock.wall_ns(), name[:40]
        omitted = self.throttle.room(now_ns)
        if omitted is None:
            return
        detail = {"name": short_name, "source": source} | ({"omitted": omitted} if omitted else {})
        self._ledger.run(lambda db: audit.note(db, actor, action, "login", now_ns, **detail))


def _login_failed() -> AuthError:
    return AuthError(401, "login_failed", "name or password is wrong", "try again")
