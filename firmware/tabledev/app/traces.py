"""The traces of the last ten rounds: a ring of files, and their way to the host in chunks.

File "trace.N" holds the trace of a round whose number ends in N, sealed (tablewire.trace_file).
It is written once, after the round, while no ball runs; a torn one counts as absent. No decision
depends on it, and none waits for it.
"""

import struct

from tablewire.compat import const
from tablewire.config import ROLE
from tablewire.crc import RESIDUE, crc32
from tablewire.messages import FINGERPRINTS, TRACE_CHUNK
from tablewire.trace_file import HEAD, HEAD_BYTES, MAGIC, seal

from . import version

_KEPT = const(10)
CHUNK_BYTES = const(192)


class Traces:
    """engine: engine.Engine, whose traces these are; flash: see hal; store, post: of the table."""

    def __init__(self, engine: object, flash: object, store: object, post: object) -> None:
        self._engine = engine
        self._flash = flash
        self._store = store
        self._post = post
        self._found = 0  # round looked for last
        self._total = 0  # bytes of its trace, 0 when there is none

    def save(self, sight: object) -> None:
        """Write the trace of the round that ended to flash, once. sight: of a table with one."""
        engine = self._engine
        if not engine.done:
            return
        engine.done = False
        self._found = 0
        trace = engine.trace
        firmware = (version.MAJOR, version.MINOR, version.PATCH)
        schema = FINGERPRINTS[self._store.config[ROLE]]
        identity = (self._store.serial, self._store.boot, engine.round, schema)
        end = seal(trace.buf, trace.length, firmware, identity)
        if sight is not None:
            sight.keep(_name(engine.round), trace.buf, end)
        else:
            self._flash.write(_name(engine.round), memoryview(trace.buf)[:end])

    def send(self, number: int, offset: int) -> None:
        """Send a chunk of a round's trace; with a total of 0 when there is none."""
        if not offset or number != self._found:
            self._found = number
            self._total = self._size(number)
        data = b""
        if offset < self._total:
            data = self._flash.part(_name(number), offset, CHUNK_BYTES)
        self._post.ephemeral(TRACE_CHUNK, [number, offset, self._total, data])

    def _size(self, number: int) -> int:
        # In parts, for a whole trace is more than the heap has to spare.
        name = _name(number)
        crc = total = 0
        while True:
            data = self._flash.part(name, total, CHUNK_BYTES)
            if not total and not self._is_of(number, data):
                return 0
            if not data:
                return total if crc == RESIDUE else 0
            crc = crc32(data, crc)
            total += len(data)

    def _is_of(self, number: int, data: bytes) -> bool:
        if len(data) < HEAD_BYTES:
            return False
        head = struct.unpack_from(HEAD, data, 0)
        return head[0] == MAGIC and head[5] == self._store.serial and head[7] == number


def _name(number: int) -> str:
    return "trace.%d" % (number % _KEPT)
