"""HMAC-SHA256 (RFC 2104), HKDF (RFC 5869), the keys of a session and the tags of its frames.

Runs on the device: hashlib there has no copy(), so a pad is hashed again for each sum; on CPython
the state after the pad is stored and copied (0.6 us instead of 1.5). Knows no port and no store.
"""

import struct
from hashlib import sha256

from .codec import CRC_BYTES, TAG_BYTES, Frame, FrameError
from .compat import const, same_bytes

KEY_BYTES = const(32)
NONCE_BYTES = const(8)
_BLOCK = const(64)
_HAS_COPY = hasattr(sha256(), "copy")
# A new hash that has hashed a pad, from the value returned by _state.
_fresh: type = type(sha256()).copy if _HAS_COPY else sha256  # type: ignore[assignment]
_SEALED = -TAG_BYTES - CRC_BYTES  # end of what a tag covers


class Mac:
    """HMAC-SHA256 under one key of any length."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        if len(key) > _BLOCK:
            key = sha256(key).digest()
        self._inner = _state(_pad(key, 0x36))
        self._outer = _state(_pad(key, 0x5C))

    def digest(self, data: "bytes | bytearray | memoryview") -> bytes:
        """The 32 bytes over data."""
        inner = _fresh(self._inner)
        inner.update(data)
        outer = _fresh(self._outer)
        outer.update(inner.digest())
        return outer.digest()

    def verify(self, frame: Frame, body: "bytes | bytearray") -> None:
        """Raise FrameError unless the frame's tag seals the body, header to CRC.

        The comparison takes the same time for any wrong tag. The signature is that of
        codec.parse's verify.
        """
        tag = frame.tag
        if tag is None:
            raise FrameError("unauthenticated", "no tag")
        # As in digest: one call less per frame.
        inner = _fresh(self._inner)
        inner.update(body[:_SEALED])
        outer = _fresh(self._outer)
        outer.update(inner.digest())
        if not same_bytes(outer.digest()[:TAG_BYTES], tag):
            raise FrameError("tag", "not of this key, session and direction")


def extract(salt: bytes, secret: bytes) -> bytes:
    """HKDF-Extract with SHA-256: 32 bytes from a secret that may be long, or not uniform."""
    return Mac(salt).digest(secret)


def expand(secret: bytes, info: bytes, length: int = KEY_BYTES) -> bytes:
    """HKDF-Expand with SHA-256: a key for the use named by info, from the result of extract()."""
    mac = Mac(secret)
    block = out = b""
    count = 0
    while len(out) < length:
        count += 1
        block = mac.digest(block + info + bytes([count]))
        out += block
    return out[:length]


class Session:
    """The two directions of one session between a device and its host.

    key: the device's, 32 bytes; boot: of this session; nonces: 8 bytes, fresh from each end.
    table: seals what the table sends; host: what the host sends.
    """

    __slots__ = ("_context", "_host", "_secret", "table")

    def __init__(
        self, key: bytes, device: int, boot: int, host_nonce: bytes, device_nonce: bytes
    ) -> None:
        self._context = struct.pack("<II", device, boot)
        self._secret = extract(host_nonce + device_nonce, key)
        self.table = self._mac(b"tablewire 1 table")
        self._host: "Mac | None" = None

    @property
    def host(self) -> Mac:
        # Created on first use: a session that is offered and never started needs none.
        if self._host is None:
            self._host = self._mac(b"tablewire 1 host")
        return self._host

    def _mac(self, label: bytes) -> Mac:
        return Mac(expand(self._secret, label + self._context))


def _pad(key: bytes, filler: int) -> bytearray:
    padded = bytearray(_BLOCK)
    for place in range(_BLOCK):
        padded[place] = filler ^ (key[place] if place < len(key) else 0)
    return padded


def _state(pad: bytearray) -> object:
    return sha256(pad) if _HAS_COPY else pad
