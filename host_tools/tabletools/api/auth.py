"""Authentication: logins, sessions of users and of players at terminals.

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
_KNOWN_MOST = 10_000


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


class Player(NamedTuple):
    """A player at a terminal, by the token of the terminal's session."""

    session: int
    account: int
    table: int
    terminal: str | None
    expires_ns: int


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
        self._players: dict[
            bytes, Player
        ] = {}  # the ledger knows whether the session is still open
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

    # --- players at terminals --------------------------------------------------------------------

    def seat(self, account: int, table: int, terminal: str, who: Actor) -> tuple[str, int]:
        """Open a player's session at a terminal.

        Returns token and number. Raises LedgerRejection.
        """
        now_ns = self._ledger.clock.wall_ns()
        with self._ledger.read() as db:
            before = people_queries.sessions_of(db, account=account)
            if people_queries.player(db, account) is None:
                what = f"account {account} is not a player account"
                raise LedgerRejection("no_such_player", what, "open an account first", "account")
        for row in before:
            if row.expires_ns <= now_ns:
                people.close_session(self._ledger, row.id, "expired", who)
        token = secrets.token_urlsafe(32)
        expires = now_ns + self._settings.session_hours * 3600 * NS
        opening = people.Opening(hashed(token), expires, None, account, table, terminal)
        return token, people.open_session(self._ledger, opening, who)

    def player(self, token: str, *, is_known_enough: bool = False) -> Player:
        """Return the player at the terminal with this token. Raises AuthError.

        is_known_enough: the caller's transaction will check whether the session is still open.
        """
        player = self.known_player(token) if is_known_enough else None
        if player is None:
            player = self._look_up(hashed(token))
        if self._ledger.clock.wall_ns() >= player.expires_ns:
            raise _no_session()
        return player

    def known_player(self, token: str) -> Player | None:
        """Return the player as last read, None if never read or expired.

        The ledger checks whether the session is still open when a bet is placed.
        """
        player = self._players.get(hashed(token))
        is_over = player is not None and self._ledger.clock.wall_ns() >= player.expires_ns
        return None if is_over else player

    def forget(self, session: int) -> None:
        """Forget a closed session."""
        self._players = {d: each for d, each in self._players.items() if each.session != session}

    def _look_up(self, digest: bytes) -> Player:
        with self._ledger.read() as db:
            row = people.session_of(db, digest)
        if row is None or row.account_id is None or row.table_id is None:
            raise _no_session()
        player = Player(row.id, row.account_id, row.table_id, row.terminal, row.expires_ns)
        if len(self._players) >= _KNOWN_MOST:
            self._players.clear()
        self._players[digest] = player
        return player


def _login_failed() -> AuthError:
    return AuthError(401, "login_failed", "name or password is wrong", "try again")


def _no_session() -> AuthError:
    what = "the terminal has no open session with this token"
    return AuthError(401, "no_session", what, "have a session opened for the player")
