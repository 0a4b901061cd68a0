"""Authentication: logins and sessions of users. Players at terminals: `seats`.

Only hashes of tokens are stored. A user is read at every request, so a change of role takes effect
at once. A session ends by the wall clock of the ledger, or sooner by this host's monotonic one.
"""

import hashlib
import hmac
import secrets
from typing import Any, NamedTuple

from tabletools.api import sealing
from tabletools.api.passwords import Lane, Passwords, asked_by, is_once
from tabletools.api.throttle import Throttle
from tabletools.money import people_queries
from tabletools.pit import host_keys
from tabletools.pit.settings import Settings
from tabletools.store import Actor, LedgerRejection, Store, audit, people, user_keys
from tabletools.store.clock import NS
from tabletools.store.people import NamedUser
from tabletools.store.signatures import OnceSigner, Signer
from tabletools.store.user_keys import PrivateKey, SealedKey

MINUTE_NS = 60 * NS


class AuthError(Exception):
    """A request without a login, or without the right to it. status: 401, 403, or 429 for more
    than a login may have. where: what of the request it is about, empty without any."""

    def __init__(self, status: int, code: str, what: str, step: str, where: str = "") -> None:
        super().__init__(what)
        self.status = status
        self.code = code
        self.what = what
        self.step = step
        self.where = where


class Decision(NamedTuple):
    """A request that decides. body: its JSON as parsed."""

    method: str
    path: str
    key: str
    """Idempotency-Key, empty without one."""
    body: Any


class SignOns(NamedTuple):
    """The names of the sign-ons that came with a request, empty without (`decision_proofs`)."""

    decision: Decision
    first: str
    second: str


class Person(NamedTuple):
    """A logged-in user."""

    user: int
    name: str
    role: str
    session: int
    must_change: bool
    """The password, before anything else."""
    needs_second: bool
    """To change it, a supervisor who did not ask for it has to agree."""
    has_password: bool = True
    """False: an identity provider knows the user, who has no key."""
    signer: Signer | OnceSigner | None = None
    """The key of the user, None before the first password of the user's own; of a user of an
    identity provider that of one decision."""
    sign_ons: SignOns | None = None
    """Those that came with the request."""

    @property
    def source(self) -> str:
        """The source of password attempts within a login."""
        return f"user {self.user}"

    @property
    def actor(self) -> Actor:
        """The user as named in the audit log, with the key at hand."""
        return Actor(self.name, self.user, self.signer)


class Attempt(NamedTuple):
    """A user who gave the right password."""

    user: int
    name: str
    role: str
    password_hash: str
    key: SealedKey | None
    """None with a first-login password: the key comes with the user's own. A new one is not stored
    yet."""

    @property
    def actor(self) -> Actor:
        """The user, with the key if it is stored."""
        key = self.key
        has_key = key is not None and key.number is not None
        signer = Signer(key.number, key.private) if key and has_key and key.number else None
        return Actor(self.name, self.user, signer)


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
        self._session_key = host_keys.session_key(settings, ledger)
        self._used: dict[int, int] = {}  # session: monotonic time of its last use
        self.throttle = Throttle(settings.lock_after, settings.lock_minutes * MINUTE_NS)

    # --- users -----------------------------------------------------------------------------------

    def checked(self, name: str, password: str, source: str) -> Attempt:
        """Return the user with the password that a signed-in user gives.

        source: of that user. Raises AuthError, TableUnavailable.
        """
        with self.passwords.staff.place(source):
            return self._judge(name, password, source, self.passwords.staff)

    def login(self, name: str, password: str, address: str) -> tuple[str, Person]:
        """Open a session; returns its token and the user. Raises AuthError, TableUnavailable."""
        lane = self.passwords.strangers
        is_suspect = self.throttle.is_suspect(address, self._ledger.clock.wall_ns())
        with lane.place(address, is_suspect=is_suspect):
            user = self._judge(name, password, address, lane)
        return self._open_session(user.actor, user.role, user.password_hash, user.key)

    def enter(self, user: NamedUser) -> tuple[str, Person]:
        """Open a session for a user whom an identity provider knows; see `login`."""
        who, now_ns = Actor(user.name, user.id), self._ledger.clock.wall_ns()
        subject = f"user {user.id}"
        self._ledger.run(lambda db: audit.note(db, who, "login", subject, now_ns, by="sign-on"))
        return self._open_session(who, user.role, None, None)

    def _open_session(
        self, who: Actor, role: str, password_hash: str | None, key: SealedKey | None
    ) -> tuple[str, Person]:
        """Open a session; returns its token and the user. Raises AuthError.

        password_hash: that the password was compared with, None without one.
        """
        token = secrets.token_urlsafe(32)
        digest = hashed(token)
        expires = self._ledger.clock.wall_ns() + self._settings.session_hours * 3600 * NS
        opening = people.Opening(
            digest,
            expires,
            who.user,
            password_hash=password_hash,
            mac=self.mac(digest, expires, who.user, role),
            sealed_key=None if key is None else self._sealed_for(token, key),
            new_key=key if key is not None and key.number is None else None,
        )
        try:
            people.open_session(self._ledger, opening, who)
        except LedgerRejection as changed:
            raise _login_failure() from changed
        return token, self.person(token)

    def with_key(self, user: Attempt, password: str) -> Actor:
        """Return a user who can sign; a first key is stored at once.

        Of decisions at the same time one stores it, and the others sign with that.
        """
        if user.key is None or user.key.number is not None:
            return user.actor
        try:
            return people.add_key(self._ledger, user.actor, user.key, user.password_hash)
        except LedgerRejection:
            key = self._key(user.user, password, self.passwords.staff)
            if key.number is None:
                raise
            return user._replace(key=key).actor

    def derived_key(self, purpose: bytes) -> bytes:
        """Return a key of 32 bytes that only the hosts of this database have."""
        return hmac.new(self._session_key, purpose, hashlib.sha256).digest()

    def mac(self, digest: bytes, expires_ns: int, *rights: int | str | None) -> bytes:
        """Return the MAC of a session by the hash of its token (`sealing.session_mac`)."""
        return sealing.session_mac(self._session_key, digest, expires_ns, *rights)

    @staticmethod
    def _sealed_for(token: str, key: SealedKey) -> bytes:
        return sealing.seal(key.private, sealing.token_secret(token))

    def _judge(self, name: str, password: str, source: str, lane: Lane) -> Attempt:
        """Judge an attempt when its turn comes. lane: in which the caller holds a place."""
        with self.throttle.turn(source, name):
            ledger, now_ns = self._ledger, self._ledger.clock.wall_ns()
            with ledger.read() as db:
                row = people.find_user(db, name)
            actor = Actor("nobody") if row is None else Actor(row.name, row.id)
            # Only enabled users may log in; the answer to any other name is the same, known or
            # not.
            user = row if row is not None and row.is_enabled and row.password_hash else None
            self._verify_not_locked(source, name, actor, now_ns)
            password_hash = None if user is None else user.password_hash
            is_right = self.passwords.fits(password_hash, password, lane)
            if user is None or not is_right:
                self.throttle.fail(source, name, now_ns)
                self._note("login_failed", name, actor, source)
                raise _login_failure()
            self.throttle.succeed(source, name)
        ledger.run(lambda db: audit.note(db, actor, "login", f"user {actor.user}", now_ns))
        stored_hash = str(password_hash)
        key = None if is_once(stored_hash) else self._key(user.id, password, lane)
        return Attempt(user.id, user.name, user.role, stored_hash, key)

    def _key(self, user: int, password: str, lane: Lane) -> SealedKey:
        """Return the key of a user, unsealed with the password; a new one if there is none.

        Raises AuthError for one that the password does not unseal: it was not changed here.
        """
        with self._ledger.read() as db:
            stored = user_keys.present(db, user)
        if stored is None:
            return self._seal(sealing.new_private(), password, lane)
        secret = self.passwords.secret(password, stored.salt, lane)
        try:
            private = sealing.unseal(stored.sealed_key, secret, stored.public_key)
        except sealing.SealBroken:
            what = "the key of this user does not belong to the password"
            step = "have the password reset, and `tabletool ledger verify` run: the database was"
            raise AuthError(401, "key_damaged", what, f"{step} changed by hand") from None
        return SealedKey(private, stored.salt, stored.sealed_key, stored.number)

    def _seal(
        self,
        private: PrivateKey,
        password: str,
        lane: Lane,
        number: int | None = None,
    ) -> SealedKey:
        """Seal a key with a password. number: of its row, None for a new one."""
        salt = secrets.token_bytes(sealing.SALT_BYTES)
        secret = self.passwords.secret(password, salt, lane)
        return SealedKey(private, salt, sealing.seal(private, secret), number)

    def _verify_not_locked(self, source: str, name: str, actor: Actor, now_ns: int) -> None:
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
        if row is None or not row.is_enabled or not self._is_genuine(row, token):
            raise AuthError(401, "not_logged_in", "this login has ended", "log in again")
        password_hash = row.password_hash
        person = Person(
            row.user_id,
            row.name,
            row.role,
            row.id,
            must_change=is_once(password_hash),
            needs_second=asked_by(password_hash) is not None,
            has_password=password_hash is not None,
            signer=_signer(row, token),
        )
        wall_ns, mono_ns = self._ledger.clock.wall_ns(), self._ledger.clock.mono_ns()
        used = self._used.get(person.session, mono_ns)
        if wall_ns >= row.expires_ns or mono_ns - used > self._idle_ns:
            self.logout(person, "expired")
            raise AuthError(401, "not_logged_in", "this login has ended", "log in again")
        self._used[person.session] = mono_ns if is_use else used
        return person

    def _is_genuine(self, row: people_queries.Login, token: str) -> bool:
        """Whether a host of this database opened a session, and nothing of it was changed."""
        mac = self.mac(hashed(token), row.expires_ns, row.user_id, row.role)
        return hmac.compare_digest(mac, row.mac or b"")

    @property
    def _idle_ns(self) -> int:
        return self._settings.idle_minutes * MINUTE_NS

    def logout(self, who: Person, cause: str = "logout") -> None:
        """End a session."""
        self._used.pop(who.session, None)
        people.close_session(self._ledger, who.session, cause, who.actor)

    def change_password(
        self, who: Person, token: str, old: str, new: str, second: Actor | None
    ) -> None:
        """Change the password; other sessions end. Raises AuthError, LedgerRejection.

        The key stays the same, and is sealed with the new password. token: of the session. second:
        the supervisor who sees the user choose it, where one is needed.
        """
        user = self.checked(who.name, old, who.source)
        was = user.password_hash
        if new == old:
            raise LedgerRejection(
                "password_poor", "it is the old one", "choose another", "password"
            )
        password_hash = self.passwords.hashed(new, who.name)
        private, number = (user.key.private, user.key.number) if user.key else (None, None)
        key = self._seal(private or sealing.new_private(), new, self.passwords.staff, number)
        sealed = self._sealed_for(token, key)
        change = people.PasswordChange(was, password_hash, asked_by(was), key, sealed)
        people.change_own_password(self._ledger, who.actor, change, second, keeps=who.session)

    def note_refused(self, code: str, source: str) -> None:
        """Note a login by an identity provider that was refused. source: address it came from."""
        self._note("login_failed", f"sign-on: {code}", Actor("nobody"), source)

    def _note(self, action: str, name: str, actor: Actor, source: str) -> None:
        """Note a failed login in the audit log, unless too many failed within an hour."""
        now_ns, short_name = self._ledger.clock.wall_ns(), name[:40]
        omitted = self.throttle.room(now_ns)
        if omitted is None:
            return
        detail = {"name": short_name, "source": source} | ({"omitted": omitted} if omitted else {})
        self._ledger.run(lambda db: audit.note(db, actor, action, "login", now_ns, **detail))


def _signer(row: people_queries.Login, token: str) -> Signer | None:
    """Return the key of a session's user, unsealed with its token; None if it does not open."""
    if row.sealed_key is None or row.key is None or row.public_key is None:
        return None
    secret = sealing.token_secret(token)
    try:
        return Signer(row.key, sealing.unseal(row.sealed_key, secret, row.public_key))
    except sealing.SealBroken:
        return None


def _login_failure() -> AuthError:
    return AuthError(401, "login_failed", "name or password is wrong", "try again")
