"""One digest over every file on the flash, in small steps; loaded when a host requests it.

Frozen modules and the interpreter itself are not files and are not covered. And a malicious
program can send the digest of files it does not run: SECURITY.md.
"""

import hashlib
import os
import struct

from tablewire.compat import const
from tablewire.messages import ATTESTATION

from .version import RELEASE

if -0:  # for mypy
    from collections.abc import Iterator

    from tabletypes import Steps

    from .transmitter import Transmitter

_DATA = "/flash/"
_IS_FOLDER = const(0x4000)  # type in os.ilistdir
_PIECE_BYTES = const(512)
# Read and hashed in one step of 80 ms: a few milliseconds on a board.
_PIECES = const(8)


def is_data(name: str) -> bool:
    """Whether a file in /flash is data of the controller: a number as extension, not a program."""
    return "." in name and name.split(".")[-1].isdigit()


def paths(folder: str = "/") -> "Iterator[str]":
    """Yield the path of every file below a folder, in the order of the paths' bytes."""
    entries = os.ilistdir(folder[:-1] or "/")
    # A folder is sorted with the "/" that follows it in the paths of its files.
    for name in sorted(entry[0] + "/" if entry[1] & _IS_FOLDER else entry[0] for entry in entries):
        if name[-1] == "/":
            yield from paths(folder + name)
        elif folder != _DATA or not is_data(name):
            yield folder + name


def attest(transmitter: "Transmitter", nonce: bytes, most: int) -> "Steps":
    """Yield after each step; the last one sends the attestation of the first `most` files."""
    buf = memoryview(bytearray(_PIECE_BYTES))
    total = hashlib.sha256(nonce)
    files = size = 0
    for path in paths():
        if files == most:
            break
        one = hashlib.sha256()
        length = pieces = 0
        with open(path, "rb") as file:
            while True:
                count = file.readinto(buf)
                if not count:
                    break
                one.update(buf[:count])
                length += count
                pieces += 1
                if not pieces % _PIECES:
                    yield
        name = path.encode()
        total.update(struct.pack("<H", len(name)))
        total.update(name)
        total.update(struct.pack("<I", length))
        total.update(one.digest())
        files += 1
        size += length
        yield
    transmitter.send_volatile(ATTESTATION, [nonce, total.digest(), files, size, RELEASE])
