"""A sign-on for one decision: what its ID token proves, now and later.

The nonce of the sign-on is a digest of the decision and of a key that is made for it. The
provider signs the nonce with who signed on and when, so its token vouches for the key, and the key
signs the rows of the decision (`signatures`). Who has the ledger can verify all of it, except that
the recorded key of the provider was its own: that takes a copy of what it published.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
MOST_AGE_S = 900
"""Of a sign-on when its decision is written: 600 to sign on, 120 to decide, 60 for each clock."""
_DOMAIN = "tablewire sign-on 1"
_NS = 1_000_000_000


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored of a sign-on, in the row by which its key is added."""

    issuer: str
    client: str
    subject: str
    """Number of the user at the provider."""
    token: str
    """The ID token as the provider signed it."""
    key: dict[str, Any]
    """The provider's public key that verifies it (RFC 7517)."""
    decision: str
    """What is decided: JSON; a PIN or password in it is a digest under a secret salt."""


def nonce_of(public_key: bytes, decision: str) -> str:
    """Return the nonce that binds a sign-on to a key and to a decision."""
    facts = {"is": _DOMAIN, "public": public_key.hex(), "decision": decision}
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")


def stored(proof: Proof) -> Any:
    """Return a sign-on as it is stored, for JSON."""
    return msgspec.to_builtins(proof)


def read(facts: Mapping[str, Any]) -> Proof:
    """Return a sign-on from what is stored of it. Raises ValueError."""
    return msgspec.convert(facts, Proof)


def problem(proof: Proof, public_key: bytes, at_ns: int) -> str | None:
    """Return what is wrong with a sign-on, None if it proves its key.

    at_ns: when the key was added.
    """
    try:
        keys = KeySet.import_key_set({"keys": [proof.key]})
        claims = jwt.decode(proof.token, keys, algorithms=ALGORITHMS).claims
        expected = {
            "iss": proof.issuer,
            "sub": proof.subject,
            "nonce": nonce_of(public_key, proof.decision),
        }
        audience, signed_on_s = claims["aud"], float(claims["auth_time"])
    except (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return f"the ID token is not signed by the recorded key: {error or type(error).__name__}"
    for name, value in expected.items():
        if claims.get(name) != value:
            return f"the {name} of the ID token does not match"
    if proof.client not in (audience if isinstance(audience, list) else [audience]):
        return "the ID token is for another client"
    if not abs(at_ns / _NS - signed_on_s) <= MOST_AGE_S:
        return f"the user signed on at another time than {MOST_AGE_S} s around the decision"
    return None
