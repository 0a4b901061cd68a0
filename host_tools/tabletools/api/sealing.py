"""What authenticates a user beyond the password: the key that signs, and the MAC of a session.

The private key of a user is sealed with the password, by argon2id with a salt of its own. While a
user is logged in it is also sealed with the token of the session, so every host of a database can
sign for the user who presents the token, after a restart too, and none without it. The MAC is by
a key that is in no database (`pit.host_keys`).
"""

import base64
import hashlib
import hmac
import json
import secrets

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

SALT_BYTES = 16
_NONCE_BYTES = 12
_MOST_PASSWORD = 200


class SealBroken(Exception):
    """A sealed key that the secret does not open."""


def new_private() -> Ed25519PrivateKey:
    """Return a new key of a user."""
    return Ed25519PrivateKey.generate()


def password_secret(password: str, salt: bytes, cost: tuple[int, int, int]) -> bytes:
    """Return what seals a key with a password. cost: of argon2id: passes, KiB, lanes."""
    passes, memory_kib, lanes = cost
    text = password[: _MOST_PASSWORD + 1].encode()
    return hash_secret_raw(text, salt, passes, memory_kib, lanes, 32, Type.ID)


def token_secret(token: str) -> bytes:
    """Return what seals a key with the token of a session, of which the database has the hash."""
    return hmac.new(token.encode(), b"signing key", hashlib.sha256).digest()


def seal(private: Ed25519PrivateKey, secret: bytes) -> bytes:
    """Seal a private key: nonce, then ChaCha20-Poly1305 bound to the public key."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    public = private.public_key().public_bytes_raw()
    return nonce + ChaCha20Poly1305(secret).encrypt(nonce, private.private_bytes_raw(), public)


def unseal(sealed: bytes, secret: bytes, public: bytes) -> Ed25519PrivateKey:
    """Return the private key of a public one. Raises SealBroken."""
    nonce, text = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    try:
        raw = ChaCha20Poly1305(secret).decrypt(nonce, text, public)
    except (InvalidTag, ValueError) as error:
        raise SealBroken from error
    private = Ed25519PrivateKey.from_private_bytes(raw)
    if private.public_key().public_bytes_raw() != public:
        raise SealBroken
    return private


def seal_text(text: str, secret: bytes) -> str:
    """Seal a text for a place where others could change it, such as a cookie; ASCII."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed = nonce + ChaCha20Poly1305(secret).encrypt(nonce, text.encode(), None)
    return base64.urlsafe_b64encode(sealed).decode("ascii")


def unseal_text(sealed: str, secret: bytes) -> str:
    """Return a sealed text. Raises SealBroken."""
    try:
        raw = base64.urlsafe_b64decode(sealed.encode("ascii"))
        text = ChaCha20Poly1305(secret).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], None)
    except (InvalidTag, ValueError) as error:
        raise SealBroken from error
    return text.decode()


def session_mac(
    key: bytes, token_hash: bytes, expires_ns: int, *rights: int | str | None
) -> bytes:
    """Return the MAC of a session.

    rights: user and role, or account, table and terminal: what its token gives a right to.
    """
    facts = ["tablewire session 1", token_hash.hex(), expires_ns, *rights]
    text = json.dumps(facts, separators=(",", ":"))
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).digest()
