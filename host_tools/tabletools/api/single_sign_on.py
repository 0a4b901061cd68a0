"""Single sign-on: a login by an identity provider, beside users with a password here.

A login is bound to the browser that began it by a sealed cookie, which any host of the database
opens, and is good once. Who logs in so has no password here and therefore no key: a decision that
is signed (`roles.SIGNED`) is refused, or takes a sign-on of its own (`decision_proofs`) if the
house lets its provider decide.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tabletools.api import sealing
from tabletools.api.auth import Auth, AuthError, Decision, Person
from tabletools.api.decision_proofs import Decider, DecisionProofs, Place
from tabletools.api.identity_provider import (
    Answer,
    Client,
    Proofs,
    Provider,
    ProviderUnavailable,
    TokenRefused,
    is_safe,
)
from tabletools.authority import ROLES
from tabletools.errors import ToolError
from tabletools.pit.settings import Settings
from tabletools.store import Actor, LedgerRejection, Store, people
from tabletools.store.clock import NS
from tabletools.store.people import NamedUser, Subject

LOGIN_S = 600
"""Within which a login has to be completed."""
_MOST_NAME = 100
_MOST_SUBJECT = 255
"""OpenID Connect Core 1.0, 2."""
_AT_ONCE = 4
"""Logins that wait for the provider; more are refused, so that they take no other threads."""


class Begun(NamedTuple):
    """A login that was begun. address: where the browser goes; cookie: what it keeps meanwhile."""

    address: str
    cookie: str
    decision: str = ""
    """The sign-on for one decision, empty: a login."""


def roles_of(settings: Settings) -> Mapping[str, str]:
    """Return the role of each group. Raises ToolError."""
    roles: dict[str, str] = {}
    for text in settings.oidc_roles:
        group, _, role = (part.strip() for part in text.rpartition("="))
        if not group or role not in ROLES or group in roles:
            what = f"{text!r} is not GROUP=ROLE, or its group has a role already"
            raise ToolError(what, where="oidc_roles", step=f"roles are {' '.join(ROLES)}")
        roles[group] = role
    return roles


def verify(settings: Settings) -> None:
    """Raise ToolError for settings of a provider that cannot work."""
    roles = roles_of(settings)
    if not settings.oidc_issuer:
        return
    for name in ("oidc_issuer", "oidc_redirect"):
        if not is_safe(getattr(settings, name)):
            what = f"{getattr(settings, name)!r} is not an https address"
            raise ToolError(what, where=name, step="write it as the provider knows it")
    if not settings.oidc_client or not roles:
        name = "oidc_roles" if settings.oidc_client else "oidc_client"
        raise ToolError(f"{name} is missing", where=name, step="docs/SERVE.md has an example")


class SingleSignOn:
    """The logins of one host by its provider."""

    def __init__(self, ledger: Store, settings: Settings, auth: Auth) -> None:
        self._ledger = ledger
        self._settings = settings
        self._auth = auth
        self._roles = roles_of(settings)
        self._secret = auth.derived_key(b"single sign-on")
        self._used: dict[str, int] = {}  # states of completed logins: until when they are valid
        self._newest_s: dict[Subject, float] = {}  # when each user gave credentials last
        self.decisions = DecisionProofs()
        self._turn = threading.Lock()
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        secret, ca = settings.oidc_secret_file, settings.oidc_ca
        client = Client(
            settings.oidc_issuer,
            settings.oidc_client,
            Path(secret).read_text(encoding="utf-8").strip() if secret else "",
            settings.oidc_redirect,
        )
        self._provider = Provider(client, Path(ca) if ca else None, self._now_s)

    @property
    def is_on(self) -> bool:
        """Whether the host has a provider."""
        return bool(self._settings.oidc_issuer)

    @property
    def decides(self) -> bool:
        """Whether users of the provider decide by signing on once more."""
        return self.is_on and self._settings.oidc_decides

    def begin(self) -> Begun:
        """Begin a login. Raises AuthError."""
        return self._begun(secrets.token_urlsafe(32))

    def begin_decision(self, decision: Decision, decider: Decider, place: Place) -> Begun:
        """Begin a sign-on for one decision. Raises AuthError."""
        name, nonce = self.decisions.begin(decision, decider, place, self._mono_s())
        return self._begun(nonce, name)

    def _begun(self, nonce: str, decision: str = "") -> Begun:
        state, verifier = (secrets.token_urlsafe(32) for _ in range(2))
        proofs = Proofs(state, nonce, verifier, self._now_s(), decision)
        challenge = hashlib.sha256(proofs.verifier.encode("ascii")).digest()
        text = base64.urlsafe_b64encode(challenge).decode("ascii").rstrip("=")
        with self._place():
            address = self._provider.login_address(proofs, text)
        return Begun(address, sealing.seal_text(json.dumps(proofs), self._secret), decision)

    def finish(self, cookie: str, answer: Mapping[str, str]) -> tuple[str, Person] | None:
        """Complete a login or a sign-on for one decision.

        Returns the token of the session and the user, None for a decision. cookie: of the start.
        answer: the query with which the provider sent the browser back. Raises AuthError,
        LedgerRejection.
        """
        proofs = self._open(cookie)
        try:
            proved, user = self._user(proofs, answer)
            if proofs is None or not proofs.decision:
                return self._auth.enter(user)
            self._prove(proofs.decision, proved, user)
        except (AuthError, LedgerRejection) as error:
            if proofs is not None and proofs.decision:
                self.decisions.refuse(proofs.decision, error.code)
            raise
        return None

    def _user(self, proofs: Proofs | None, answer: Mapping[str, str]) -> tuple[Answer, NamedUser]:
        """Return what the provider proved, and the user. Raises AuthError, LedgerRejection."""
        state = answer.get("state", "").encode()
        if proofs is None or not hmac.compare_digest(state, proofs.state.encode()):
            what = "this is not the answer to a login that this browser began within 10 minutes"
            raise _refusal("sign_on_expired", what, "begin again")
        if answer.get("iss", self._settings.oidc_issuer) != self._settings.oidc_issuer:
            raise _refusal("sign_on_invalid", "the answer is of another issuer", "begin again")
        if "code" not in answer:
            why = answer.get("error", "no code")[:100]
            raise _refusal("sign_on_declined", f"the provider declined: {why}", "begin again")
        self._use(proofs)
        named = (self._settings.oidc_name_claim, self._settings.oidc_groups_claim)
        with self._place():
            proved = self._provider.answer(answer["code"], proofs, named)
        name, role = self._name(proved.claims), self._role(proved.claims)
        subject = self._subject(proved.claims)
        self._note_time(subject, proved.claims["auth_time"], is_decision=bool(proofs.decision))
        return proved, people.sign_on(self._ledger, name, role, subject)

    def _prove(self, decision: str, proved: Answer, user: NamedUser) -> None:
        """Note that a user signed on for a decision. Raises AuthError."""
        proof = {
            "issuer": self._settings.oidc_issuer,
            "client": self._settings.oidc_client,
            "subject": proved.claims["sub"],
            "token": proved.token,
            "key": proved.key,
        }
        self.decisions.prove(decision, Actor(user.name, user.id), proof, self._mono_s())

    def use(self, name: str, decision: Decision, decider: Decider, place: Place) -> Actor:
        """Return the user whom a sign-on proves for a decision, once. Raises AuthError."""
        return self.decisions.use(name, decision, decider, place, self._mono_s())

    def progress(self, name: str, session: int) -> tuple[str, str]:
        """Return how far a sign-on of a login is (`DecisionProofs.seen_by`)."""
        return self.decisions.seen_by(name, session, self._mono_s())

    def _note_time(self, subject: Subject, signed_on_s: float, *, is_decision: bool) -> None:
        """Note when a user gave credentials. Raises AuthError for a decision without new ones.

        By the provider's clock alone: the difference of two clocks cannot hide an older sign-on.
        """
        with self._turn:
            newest_s = self._newest_s.get(subject, 0.0)
            if is_decision and signed_on_s <= newest_s:
                what = "the provider did not ask for credentials again (auth_time is not newer)"
                raise _refusal("sign_on_invalid", what, "sign on again with your credentials")
            self._newest_s[subject] = max(newest_s, signed_on_s)

    def _subject(self, claims: Mapping[str, Any]) -> Subject:
        number = claims.get("sub")
        if not isinstance(number, str) or not 1 <= len(number) <= _MOST_SUBJECT:
            what = f"the provider gives this user no sub of 1 to {_MOST_SUBJECT} characters"
            raise _refusal(
                "sign_on_invalid", what, "have the provider set up as the standard says"
            )
        return Subject(self._settings.oidc_issuer, number)

    def _name(self, claims: Mapping[str, Any]) -> str:
        claim = self._settings.oidc_name_claim
        name = claims.get(claim)
        if not isinstance(name, str) or not 1 <= len(name) <= _MOST_NAME:
            what = f"the provider gives this user no {claim} of 1 to {_MOST_NAME} characters"
            raise _refusal("sign_on_invalid", what, "set oidc_name_claim to one that it names")
        return name

    def _role(self, claims: Mapping[str, Any]) -> str:
        groups = claims.get(self._settings.oidc_groups_claim)
        named = groups if isinstance(groups, list) else [groups]
        roles = {
            self._roles[group]
            for group in named
            if isinstance(group, str) and group in self._roles
        }
        if len(roles) == 1:
            return roles.pop()
        what = (
            "the groups of this user have more than one role"
            if roles
            else ("no group of this user has a role here")
        )
        raise _refusal("no_role", what, "have the groups changed at the provider")

    def _use(self, proofs: Proofs) -> None:
        """Note that a login is completed: its answer is good once, at this host too."""
        now_s = self._now_s()
        with self._turn:
            self._used = {state: end for state, end in self._used.items() if end > now_s}
            if proofs.state in self._used:
                raise _refusal("sign_on_expired", "this login was completed before", "begin again")
            self._used[proofs.state] = proofs.began_s + LOGIN_S

    def _place(self) -> "_Place":
        return _Place(self._places)

    def _open(self, cookie: str) -> Proofs | None:
        """Return what a login is bound to, None for a cookie that is damaged or too old."""
        try:
            proofs = Proofs(*json.loads(sealing.unseal_text(cookie, self._secret)))
        except sealing.SealBroken:
            return None
        return proofs if self._now_s() < proofs.began_s + LOGIN_S else None

    def _now_s(self) -> int:
        return self._ledger.clock.wall_ns() // NS

    def _mono_s(self) -> int:
        return self._ledger.clock.mono_ns() // NS


class _Place:
    """A place among the logins that wait for the provider; its failures as refusals."""

    def __init__(self, places: threading.BoundedSemaphore) -> None:
        self._places = places

    def __enter__(self) -> None:
        if not self._places.acquire(blocking=False):
            what = "too many logins wait for the identity provider"
            raise AuthError(429, "sign_on_busy", what, "try again in a few seconds")

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._places.release()
        if isinstance(error, ProviderUnavailable):
            step = "log in with a password, or try again later"
            raise AuthError(503, "sign_on_unavailable", str(error), step) from error
        if isinstance(error, TokenRefused):
            raise _refusal("sign_on_invalid", str(error), "begin again") from error


def _refusal(code: str, what: str, step: str) -> AuthError:
    return AuthError(403, code, what, step)
