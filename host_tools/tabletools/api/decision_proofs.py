"""Sign-ons for one decision each: what they are about, until they are used once.

They live in the memory of one host, to which the browser returns. A sign-on proves exactly the
request that it was begun for (method, path, Idempotency-Key, body), for the user who is logged in,
as first or as second of two. Whatever else is sent with it, it is used up. Times are seconds of a
clock that only rises.
"""

import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from tabletools.api.auth import AuthError, Decision
from tabletools.api.sealing import new_private
from tabletools.store import Actor, sign_on_proof
from tabletools.store.sign_on_proof import Proof
from tabletools.store.signatures import OnceSigner
from tabletools.store.user_keys import PrivateKey

Place = Literal["first", "second"]
"""Whether the user who is logged in signs on, or the other one."""
SIGN_ON_S = 600
"""Within which the user signs on."""
USE_S = 120
"""Within which what was proved is decided, from the sign-on on."""
MOST_OF_LOGIN = 4
"""Sign-ons of one login in progress; a new one replaces the oldest."""
HIDDEN = frozenset(("pin", "password"))
"""Fields of decisions that are not stored as sent."""


class Decider(NamedTuple):
    """The login that sends a decision."""

    session: int
    user: int
    name: str


@dataclass
class Waiting:
    """A sign-on in progress. state, verifier: of the code flow."""

    decision: Decision
    decider: Decider
    place: Place
    salt: bytes
    private: PrivateKey
    text: str
    """The decision as the nonce binds it."""
    began_s: int
    actor: Actor | None = None
    """Who signed on, with the key that the sign-on proves."""
    until_s: int = 0
    """Until when it may be used, from the sign-on on."""
    refusal: str = ""
    """Code of a sign-on that was refused."""


class DecisionProofs:
    """The sign-ons in progress of one host. Threads may share it."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}
        self._turn = threading.Lock()

    def begin(
        self, decision: Decision, decider: Decider, place: Place, now_s: int
    ) -> tuple[str, str]:
        """Return the name of a new sign-on and its nonce."""
        salt, private = secrets.token_bytes(32), new_private()
        text = described(decision, decider, place, salt)
        nonce = sign_on_proof.nonce_of(private.public_key().public_bytes_raw(), text)
        waiting = Waiting(decision, decider, place, salt, private, text, now_s)
        name = secrets.token_urlsafe(32)
        with self._turn:
            self._drop_old(now_s)
            mine = [
                each
                for each, other in self._waiting.items()
                if other.decider.session == decider.session
            ]
            for each in mine[: max(0, len(mine) + 1 - MOST_OF_LOGIN)]:
                del self._waiting[each]
            self._waiting[name] = waiting
        return name, nonce

    def prove(self, name: str, user: Actor, proof: Mapping[str, Any], now_s: int) -> None:
        """Note who signed on. proof: of `sign_on_proof.Proof` all but the decision."""
        with self._turn:
            waiting = self._waiting.get(name)
            if waiting is None or waiting.actor is not None:
                what = "the host no longer knows what this sign-on is for"
                raise AuthError(403, "sign_on_expired", what, "begin again")
            if (user.user == waiting.decider.user) != (waiting.place == "first"):
                waiting.refusal = "sign_on_other_user"
                what = (
                    f"{user.name} signed on, but {waiting.decider.name} decides"
                    if waiting.place == "first"
                    else f"{user.name} is logged in and cannot be the second user as well"
                )
                raise AuthError(403, "sign_on_other_user", what, "begin again as the other user")
            whole = Proof(**proof, decision=waiting.text)
            waiting.actor = user._replace(signer=OnceSigner(waiting.private, whole))
            waiting.until_s = now_s + USE_S

    def refuse(self, name: str, code: str) -> None:
        """Note why a sign-on was refused, for the page that waits for it."""
        with self._turn:
            if (waiting := self._waiting.get(name)) is not None and waiting.actor is None:
                waiting.refusal = code

    def seen_by(self, name: str, session: int, now_s: int) -> tuple[str, str]:
        """Return how far a sign-on of a login is: waiting, proved, refused or gone.

        With the name of the user or the code of the refusal.
        """
        with self._turn:
            self._drop_old(now_s)
            waiting = self._waiting.get(name)
        if waiting is None or waiting.decider.session != session:
            return "gone", ""
        if waiting.actor is not None:
            return "proved", waiting.actor.name
        return ("refused", waiting.refusal) if waiting.refusal else ("waiting", "")

    def use(
        self, name: str, decision: Decision, decider: Decider, place: Place, now_s: int
    ) -> Actor:
        """Return the user whom a sign-on proves, once. Raises AuthError."""
        with self._turn:
            self._drop_old(now_s)
            waiting = self._waiting.pop(name, None)
        if waiting is None or waiting.actor is None or now_s >= waiting.until_s:
            what = "this sign-on was used, is not complete, or is older than two minutes"
            raise AuthError(403, "sign_on_expired", what, "sign on again for this decision")
        if (
            waiting.decider != decider
            or waiting.place != place
            or not hmac.compare_digest(
                described(decision, decider, place, waiting.salt).encode(), waiting.text.encode()
            )
        ):
            what = "this sign-on was for another decision, another value or another user"
            raise AuthError(403, "sign_on_mismatch", what, "sign on again for this decision")
        return waiting.actor

    def _drop_old(self, now_s: int) -> None:
        self._waiting = {
            name: each
            for name, each in self._waiting.items()
            if now_s < (each.until_s or each.began_s + SIGN_ON_S)
        }


def described(decision: Decision, decider: Decider, place: Place, salt: bytes) -> str:
    """Return what a sign-on is about, as JSON. salt: of the digests of PINs and passwords."""
    facts = decision._asdict() | {
        "body": _without_secrets(decision.body, salt),
        "sent_by": decider.name,
        "user": decider.user,
        "place": place,
    }
    return json.dumps(facts, sort_keys=True, separators=(",", ":"))


def _without_secrets(value: Any, salt: bytes) -> Any:
    if isinstance(value, list):
        return [_without_secrets(each, salt) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _digest(each, salt) if name in HIDDEN else _without_secrets(each, salt)
        for name, each in value.items()
    }


def _digest(value: Any, salt: bytes) -> str:
    text = json.dumps(value, sort_keys=True)
    return f"hidden {hmac.new(salt, text.encode('ascii'), hashlib.sha256).hexdigest()}"
