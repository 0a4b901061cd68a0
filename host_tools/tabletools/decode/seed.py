"""Finds the major version of a sender whose frames all fail their CRC, from the CRC itself.

A CRC-32 register can be run backwards: from the sum at the end of a body over its bytes to the
register it started with, the seed of the sender's major version. The seeds of all versions are
known (PROTOCOL.md), and no other is believed: a line that damages every frame alike, by seven data
bits or a translation, gives each the same seed too, because a CRC is linear.
"""

import zlib

from tabletools.capture import LikelyCause, LineWatch, without_zeros
from tablewire.cobs import unstuff
from tablewire.messages import SEED

_POLYNOMIAL = 0xEDB88320
_MASK = 0xFFFFFFFF
# Number of distinct frames that must agree on a seed.
AGREEING = 3
_VERSIONS = range(256)
SEEDS = {zlib.crc32(f"tablewire {version}".encode()): version for version in _VERSIONS}
"""The major version of each seed."""


def _tables() -> tuple[list[int], list[int]]:
    forward = []
    for index in range(256):
        for _ in range(8):
            index = (index >> 1) ^ (_POLYNOMIAL if index & 1 else 0)
        forward.append(index)
    by_top = [0] * 256
    for index, entry in enumerate(forward):
        by_top[entry >> 24] = index
    return forward, by_top


_FORWARD, _BY_TOP = _tables()


def implied_seed(body: bytes) -> int:
    """Return the seed with which the last four bytes of `body` are the CRC-32 of those before."""
    state = int.from_bytes(body[-4:], "little") ^ _MASK
    for byte in reversed(body[:-4]):
        index = _BY_TOP[state >> 24]
        state = ((state ^ _FORWARD[index]) << 8 | index ^ byte) & _MASK
    return state ^ _MASK


class SeedWatch:
    """Collects frames refused for their CRC; reports when they agree on another version."""

    def __init__(self, seed: int = SEED) -> None:
        self._seed = seed
        self._sums: dict[int, set[bytes]] = {}

    def look(self, stuffed: bytes) -> str | None:
        """Take one refused frame with its delimiter; returns the diagnosis once it is certain."""
        body = unstuff(stuffed[:-1])
        if body is None or len(body) < 5:
            return None
        seed = implied_seed(bytes(body))
        if seed == self._seed or seed not in SEEDS:
            return None
        sums = self._sums.setdefault(seed, set())
        if len(sums) < AGREEING:
            sums.add(bytes(body[-4:]))
        if len(sums) < AGREEING:
            return None
        theirs, ours = f"0x{seed:08X}", f"0x{self._seed:08X}"
        return f"the sender uses another wire: its CRC has seed {theirs}, here {ours}"


class SkipWatch:
    """Finds out why frames are refused: another version of the wire, or what the line does."""

    def __init__(self, seed: int = SEED) -> None:
        self._seed = seed
        self._seeds = SeedWatch(seed)
        self._line = LineWatch(seed)

    def look(self, reason: str, data: bytes) -> LikelyCause | None:
        """Take skipped bytes with their delimiter; returns the cause once it is certain.

        reason: as in Skip.
        """
        if reason == "overlong":
            return without_zeros(data, self._seed)
        if reason == "crc" and (text := self._seeds.look(data)) is not None:
            return LikelyCause(text, "update firmware or host so that both run one release")
        return self._line.look(data) if reason in ("crc", "cobs") else None
