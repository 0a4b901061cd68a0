"""The next key of a device, from an X25519 agreement that the present key authenticates.

Both ends compute the same: the host with a library, the device with tablewire.x25519.
"""

import struct

from .compat import const
from .seal import expand, extract

PROOF_BYTES = const(16)


def agreed(
    key: bytes, shared: bytes, device: int, number: int, host_public: bytes, table_public: bytes
) -> "tuple[bytes, bytes, bytes]":
    """Return the next key, the proof of the table, the proof of the host.

    key: the present one; shared: result of X25519; number: of the next key.
    """
    secret = extract(key, shared)
    context = struct.pack("<II", device, number) + host_public + table_public
    return (
        expand(secret, b"tablewire 1 next key" + context),
        expand(secret, b"tablewire 1 table proof" + context, PROOF_BYTES),
        expand(secret, b"tablewire 1 host proof" + context, PROOF_BYTES),
    )
