"""The traces of the last ten rounds: a ring of files, sent to the host in chunks.

File "trace.N" contains the trace of a round whose number ends in N, sealed (tablewire.trace_file).
It is written once, after the round, while no ball runs, a piece in 80 ms: the 27.4 KB of a trace
with a picture take 3.1 s on the slowest flash, and the watchdog waits for 4. No round opens until
then. A torn one counts as absent. No decision depends on it.
"""

from tablewire.compat import const
from tablewire.config import ROLE
from tablewire.messages import FINGERPRINTS
from tablewire.trace_file import seal

from . import version

if -0:  # for mypy
    from tablelogic.core.engine import Engine
    from tabletypes import Flash, Steps, Sure

    from .sight import Sight
    from .store import Store
    from .trace_chunks import TraceChunks
    from .transmitter import Transmitter

_FILES = const(10)


class Traces:
    """engine: engine.Engine, the recorder; flash: see hal; store, transmitter: of the table."""

    def __init__(
        self, engine: "Engine", flash: "Flash", store: "Store", transmitter: "Transmitter"
    ) -> None:
        self._engine = engine
        self._flash = flash
        self._store = store
        self._transmitter = transmitter
        # Trace_chunks.TraceChunks of the round fetched last.
        self._fetched: "Sure[TraceChunks]" = None
        self._pieces: "Steps | None" = None  # an iterator that writes the rest of the newest one
        self._asked: "tuple[int, int] | None" = None  # number and offset to be sent then

    def save(self, sight: "Sight | None") -> None:
        """Write the next piece of the trace of the round that ended (engine.done) to flash, once.

        sight: of a table with one.
        """
        pieces, self._pieces = self._pieces or self._begun(sight), None
        self._engine.done = False  # if the flash refuses it, too
        if next(pieces, self) is not self:
            self._pieces, self._engine.done = pieces, True
        elif self._asked is not None:
            asked, self._asked = self._asked, None
            self.send(*asked)

    def _begun(self, sight: "Sight | None") -> "Steps":
        engine = self._engine
        self._fetched = None
        trace = engine.trace
        firmware = (version.MAJOR, version.MINOR, version.PATCH)
        schema = FINGERPRINTS[self._store.config[ROLE]]
        identity = (self._store.serial, self._store.boot, engine.round, schema)
        end = seal(trace.buf, trace.length, firmware, identity)
        picture = sight.sealed(trace.buf, end) if sight is not None else b""
        return self._flash.pieces(_name(engine.round), (memoryview(trace.buf)[:end], picture))

    def is_read(self, number: int, offset: int) -> bool:
        """Whether to send this chunk takes one read, not one of the whole trace before it."""
        return offset > 0 and self._fetched is not None and self._fetched.is_of(number)

    def send(self, number: int, offset: int) -> None:
        """Send a chunk of a round's trace; with a total of 0 when there is none.

        While one is written, once it is.
        """
        if self._pieces is not None:
            self._asked = number, offset
            return
        if not self.is_read(number, offset):
            from .trace_chunks import TraceChunks  # few hosts fetch one

            store, name = self._store, _name(number)
            self._fetched = TraceChunks(self._flash, store.serial, self._transmitter, name, number)
        self._fetched.send(offset)


def _name(number: int) -> str:
    return "trace.%d" % (number % _FILES)
