"""An identity provider by OpenID Connect: its addresses and keys, and who an ID token is about.

OpenID Connect Core 1.0, 3.1 (code flow) with PKCE (RFC 7636, S256), Discovery 1.0, RFC 9207. A
token is never accepted unsigned or by a shared secret, and only of a login that has just happened.
"""

import base64
import json
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from tabletools.store.sign_on_proof import ALGORITHMS
from tabletools.web_endpoint import Endpoint, Unreachable

LEEWAY_S = 60
"""By which the clocks of the provider and of this host may differ."""
_FRESH_S = 2
"""By which credentials may seem older than the login for which they were given."""
_AGE_S = 600
"""max_age of a request: for it a token has `auth_time`, which is verified here. With 0 a provider
that compares it after the login too (Canaille) asks for credentials for ever."""
_TIMEOUT_S = 5.0
"""Of a whole answer of the provider."""
_MOST_BYTES = 256 * 1024
_KEYS_S = 60
"""Keys are read again for an unknown one, at most so often."""
_SIGNING_KINDS = ("RSA", "EC", "OKP")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class ProviderUnavailable(Exception):
    """The provider does not answer, or not as the standard says."""


class TokenRefused(Exception):
    """What the provider answered proves no login."""


class Client(NamedTuple):
    """This host at the provider. secret: empty for a public client."""

    issuer: str
    number: str
    secret: str
    redirect: str


class Proofs(NamedTuple):
    """What one login is bound to. began_s: when it was begun, seconds since 1970."""

    state: str
    nonce: str
    verifier: str
    began_s: int
    decision: str = ""
    """The sign-on for one decision (`decision_proofs`), empty: a login."""


class Answer(NamedTuple):
    """A login that the provider proved. key: its public key that signed the token."""

    claims: Mapping[str, Any]
    token: str
    key: Mapping[str, Any]


def is_safe(address: str) -> bool:
    """Whether an address is https, or on this machine."""
    parts = urlsplit(address)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )


class Provider:
    """One provider; what it publishes is read on first use. Threads may share it."""

    def __init__(self, client: Client, authority: Path | None, now_s: Callable[[], int]) -> None:
        """authority: certificates trusted to be its own; None trusts those of this machine."""
        self._client = client
        self._authority = authority
        self._now_s = now_s
        self._turn = threading.Lock()
        self._published: Mapping[str, Any] = {}
        self._keys: KeySet | None = None
        self._keys_s = 0

    def login_address(self, proofs: Proofs, challenge: str) -> str:
        """Return where the browser goes to log in, each time with credentials.

        Raises ProviderUnavailable.
        """
        query = {
            "response_type": "code",
            "client_id": self._client.number,
            "redirect_uri": self._client.redirect,
            "scope": "openid profile email groups",
            "state": proofs.state,
            "nonce": proofs.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "max_age": str(_AGE_S),
            "prompt": "login",
        }
        address = self._address("authorization_endpoint")
        return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"

    def answer(self, code: str, proofs: Proofs, needed: Iterable[str] = ()) -> Answer:
        """Return the verified claims of the login that a code is for, and what proves them.

        needed: claims that the provider is asked for where its token is without them, as the
        standard has it answer. Raises ProviderUnavailable, TokenRefused.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._client.redirect,
            "client_id": self._client.number,
            "code_verifier": proofs.verifier,
        }
        answer = self._fetch(self._address("token_endpoint"), form)
        text = answer.get("id_token")
        if not isinstance(text, str):
            raise TokenRefused("the answer to the code has no ID token")
        signed = self._verify_signature(text)
        self._verify(signed.claims, proofs)
        missing = [name for name in needed if name not in signed.claims]
        more = self._user_info(answer, signed.claims.get("sub")) if missing else {}
        added = {name: more[name] for name in missing if name in more}
        return signed._replace(claims={**signed.claims, **added})

    def _user_info(self, answer: Mapping[str, Any], subject: object) -> Mapping[str, Any]:
        """Return what the provider says of a user beside the token; empty if it says nothing."""
        token = answer.get("access_token")
        if not isinstance(token, str) or not token.isascii() or not token.isprintable():
            return {}
        if "userinfo_endpoint" not in self._published:
            return {}
        claims = self._fetch(self._address("userinfo_endpoint"), bearer=token)
        if claims.get("sub") != subject:
            raise TokenRefused("what the provider says of the user is of another user")
        return claims

    def _verify_signature(self, text: str) -> Answer:
        """Return a token that a key of the provider signed."""
        for is_again in (False, True):
            keys = self._key_set(again=is_again)
            try:
                claims = jwt.decode(text, keys, algorithms=ALGORITHMS).claims
            except (JoseError, ValueError, TypeError, RecursionError) as error:
                why = str(error) or type(error).__name__
            else:
                return Answer(claims, text, _signing_key(text, keys))
        raise TokenRefused(f"the ID token is not signed by the provider: {why}")

    def _verify(self, claims: Mapping[str, Any], proofs: Proofs) -> None:
        now_s, audience = self._now_s(), claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        party = claims.get("azp", self._client.number)
        if claims.get("iss") != self._client.issuer:
            raise TokenRefused(f"the ID token is of another issuer: {claims.get('iss')!r}")
        if self._client.number not in audiences or party != self._client.number:
            raise TokenRefused(f"the ID token is for another client: {audience!r}, {party!r}")
        if len(audiences) > 1 and "azp" not in claims:
            raise TokenRefused("the ID token is for several clients and does not say which")
        if claims.get("nonce") != proofs.nonce:
            raise TokenRefused("the ID token is of another login: its nonce does not match")
        if _seconds(claims, "exp") <= now_s - LEEWAY_S:
            raise TokenRefused("the ID token has expired")
        if _seconds(claims, "iat") > now_s + LEEWAY_S:
            raise TokenRefused("the ID token is of the future: compare the clocks")
        if "nbf" in claims and _seconds(claims, "nbf") > now_s + LEEWAY_S:
            raise TokenRefused("the ID token is not valid yet: compare the clocks")
        # It has just issued the token: so far its clock is ahead of this one.
        ahead_s = max(-LEEWAY_S, min(_seconds(claims, "iat") - now_s, LEEWAY_S))
        if _seconds(claims, "auth_time") < proofs.began_s + ahead_s - _FRESH_S:
            raise TokenRefused("the provider did not ask for credentials again (auth_time)")

    # --- what the provider publishes -------------------------------------------------------------

    def _address(self, name: str) -> str:
        with self._turn:
            if not self._published:
                place = f"{self._client.issuer.rstrip('/')}/.well-known/openid-configuration"
                published = self._fetch(place)
                if published.get("issuer") != self._client.issuer:
                    what = f"{place} is of the issuer {published.get('issuer')!r}"
                    raise ProviderUnavailable(what)
                self._published = published
        address = self._published.get(name)
        if not isinstance(address, str) or not is_safe(address):
            raise ProviderUnavailable(f"its {name} is {address!r}, which is not https")
        return address

    def _key_set(self, *, again: bool) -> KeySet:
        address = self._address("jwks_uri")
        with self._turn:
            now_s = self._now_s()
            if self._keys is None or (again and now_s - self._keys_s >= _KEYS_S):
                listed = self._fetch(address).get("keys")
                keys = [key for key in listed or () if _may_sign(key)]
                try:
                    self._keys = KeySet.import_key_set({"keys": keys})
                except (JoseError, ValueError, TypeError, KeyError) as error:
                    raise ProviderUnavailable(f"its keys cannot be read: {error}") from error
                self._keys_s = now_s
            return self._keys

    def _fetch(
        self, address: str, form: Mapping[str, str] | None = None, *, bearer: str = ""
    ) -> Mapping[str, Any]:
        """Return a JSON object. No redirect is followed.

        form: sent with POST as this client. bearer: token for a user.
        """
        headers, body, host = {"Accept": "application/json"}, b"", urlsplit(address).hostname
        if bearer:
            headers |= {"Authorization": f"Bearer {bearer}"}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode(form).encode("ascii")
            if self._client.secret:
                headers["Authorization"] = f"Basic {self._basic()}"
        method = "GET" if form is None else "POST"
        try:
            endpoint = Endpoint(address, timeout_s=_TIMEOUT_S, authority=self._authority)
            with closing(endpoint):
                answer = endpoint.exchange(
                    method, endpoint.target, body, headers, most=_MOST_BYTES
                )
        except (OSError, Unreachable, ValueError) as error:
            raise ProviderUnavailable(f"{host} does not answer: {error}") from error
        if form is not None and 400 <= answer.status < 500:
            raise TokenRefused(f"the provider refuses the code: HTTP {answer.status}")
        if answer.status != 200:
            raise ProviderUnavailable(f"{host} answers with HTTP {answer.status}")
        try:
            content = json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise ProviderUnavailable(f"{host} answers without JSON") from error
        if not isinstance(content, dict):
            raise ProviderUnavailable(f"{host} answers without an object")
        return content

    def _basic(self) -> str:
        """RFC 6749, 2.3.1: both are encoded as form values first."""
        text = f"{quote(self._client.number, safe='')}:{quote(self._client.secret, safe='')}"
        return base64.b64encode(text.encode()).decode("ascii")


def _signing_key(text: str, keys: KeySet) -> Mapping[str, Any]:
    """Return the public key that signed a token, one of several."""
    for key in keys.keys:
        try:
            jwt.decode(text, key, algorithms=ALGORITHMS)
        except (JoseError, ValueError, TypeError):
            continue
        return dict(key.as_dict(private=False))
    raise TokenRefused("the key of the ID token is not published")


def _may_sign(key: object) -> bool:
    return isinstance(key, dict) and key.get("kty") in _SIGNING_KINDS and key.get("use") != "enc"


def _seconds(claims: Mapping[str, Any], name: str) -> float:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise TokenRefused(f"the ID token has no {name}")
    return value
