"""Nonces of the host: the answer of a table is fresh if it repeats one."""

import os
import time
from hashlib import sha256
from itertools import count

from tablewire.seal import NONCE_BYTES

_counted = count()


def fresh_nonce() -> bytes:
    """Return eight unpredictable bytes.

    Clock, process and a count are hashed in, so they differ even if the random source returns
    constants.
    """
    parts = os.urandom(32), time.time_ns(), os.getpid(), next(_counted)
    return sha256(repr(parts).encode()).digest()[:NONCE_BYTES]
