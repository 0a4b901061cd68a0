"""HMAC-SHA256 (RFC 2104), the keys of a session and the tags of its frames.

Runs on the device: hashlib there has no copy(), so a pad is hashed anew for each sum; on CPython
the state behind the pad is kept and copied (0.6 us instead of 1.5). Knows no port and no store.
"""

import struct
from hashlib import sha256

from .codec import CRC_BYTES, TAG_BYTES, Frame, FrameError
from .compat import const, same_bytes

KEY_BYTES = const(32)
NONCE_BYTES = const(8)
_BLOCK = const(64)
_HAS_COPY = hasattr(sha256(), "copy")
# A new hash that has taken a pad, from what _kept gave for it.
_fresh: type = type(sha256()).copy if _HAS_COPY else sha256  # type: ignore[assignment]
_SEALED = -TAG_BYTES - CRC_BYTES  # end of what a tag covers


class Mac:
    """HMAC-SHA256 under one key of any length."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        if len(key) > _BLOCK:
            key = sha256(key).digest()
        self._inner = _kept(_pad(key, 0x36))
        self._outer = _kept(_pad(key, 0x5C))

    def digest(self, data: "bytes | bytearray | memoryview") -> bytes:
        """The 32 bytes over data."""
        inner = _fresh(self._inner)
        inner.update(data)
        outer = _fresh(self._outer)
        outer.update(inner.digest())
        return outer.digest()

    def verify(self, frame: Frame, body: "bytes | bytearray") -> None:
        """Raises FrameError unless the frame's tag seals the body, header to CRC.

        The comparison takes the same time for any wrong tag. Of the shape codec.parse asks for.
        """
        if frame.tag is None:
            raise FrameError("unauthenticated", "no tag")
        if not same_bytes(self.digest(body[:_SEALED])[:TAG_BYTES], frame.tag):
            raise FrameError("tag", "not of this key, session and direction")


class Session:
    """The two directions of one session between a device and its host.

    key: the device's, 32 bytes; boot: of this session; nonces: 8 bytes, fresh from each end.
    table: seals what the table sends; host: what the host sends.
    """

    __slots__ = ("_host", "_secret", "table")

    def __init__(
        self, key: bytes, device: int, boot: int, host_nonce: bytes, device_nonce: bytes
    ) -> None:
        name = (b"tablewire session 1", device, boot, host_nonce, device_nonce)
        self._secret = Mac(Mac(key).digest(struct.pack("<19sII8s8s", *name)))
        self.table = Mac(self._secret.digest(b"table"))
        self._host: "Mac | None" = None

    @property
    def host(self) -> Mac:
        # Made when first asked for: a session that is offered and never started needs none.
        if self._host is None:
            self._host = Mac(self._secret.digest(b"host"))
        return self._host

    def mask(self, counter: int, key: bytes) -> bytes:
        """A key of 32 bytes as set_key carries it in the host's frame `counter`, and back."""
        pad = self.host.digest(struct.pack("<4sI", b"wrap", counter))
        return bytes([pad[place] ^ key[place] for place in range(KEY_BYTES)])


def _pad(key: bytes, filler: int) -> bytearray:
    padded = bytearray(_BLOCK)
    for place in range(_BLOCK):
        padded[place] = filler ^ (key[place] if place < len(key) else 0)
    return padded


def _kept(pad: bytearray) -> object:
    return sha256(pad) if _HAS_COPY else pad
