"""What waits to be sent to a table, and in which order. Without I/O.

Acknowledgements go first: a table that waits for one opens no round. Each frame is built and
sealed only when it is sent, because the counters of a session rise in the order of the line.
"""

from collections import deque
from dataclasses import dataclass

from tablespec.names import NAMES
from tabletools.capture import TO_TABLE
from tabletools.link.frame_log import FrameLog
from tablewire.codec import Frame, first_bad, out_of_range
from tablewire.messages import ACKNOWLEDGE, SET_KEY, UNKNOWN_U16
from tablewire.sender import Sender


@dataclass(eq=False)
class Order:
    """A command."""

    ident: int
    values: tuple[int | bytes, ...]
    round: int
    sender: Sender  # to the table, boot and session it is for; it is sent to no other
    counter: int = 0  # under which it was sent; 0 while it waits, or if it is never sent


class Outgoing:
    """Acknowledgements and commands that wait."""

    def __init__(self) -> None:
        self._records: dict[tuple[int, int, int, int], None] = {}
        self._orders: deque[Order] = deque()

    def clear(self) -> None:
        """Drop all: the port changed. A table repeats what was not acknowledged."""
        self._records.clear()
        self._orders.clear()

    def acknowledge(self, frame: Frame) -> None:
        """Queue an acknowledgement; only once, however often the record is repeated meanwhile."""
        self._records[frame.device, frame.boot, frame.counter, frame.round] = None

    def put(self, order: Order) -> None:
        """Queue a command. Raises FrameError("range")."""
        bad = first_bad(order.ident, order.values)
        if bad >= 0:
            raise out_of_range(order.ident, bad, order.values[bad])  # type: ignore[arg-type]
        self._orders.append(order)

    def take(self, speaker: Sender | None) -> Order | None:
        """Return what is sent now, if anything. speaker: to the table that listens."""
        while self._records:
            name = next(iter(self._records))
            del self._records[name]
            device, boot, counter, number = name
            sender = speaker or Sender(device, boot)
            # Another table may have a record of that boot and counter.
            if sender.device == device:
                return Order(ACKNOWLEDGE, (boot, counter), number, sender)
        while self._orders:
            order = self._orders.popleft()
            if order.sender is speaker:
                return order
        return None


class Transmitter:
    """Builds the frames to a table, each with the uptime of the newest frame of the table."""

    def __init__(self, log: FrameLog) -> None:
        # The present, in seconds; set by the owner before it has frames built.
        self.now_s = 0.0
        self._log = log
        self._first = b""  # frames that are sent before all that waits
        self._waiting = Outgoing()
        self._echo: tuple[int, float] | None = None  # uptime of the newest live frame, and when

    def restart(self) -> None:
        """Drop what was for another port."""
        self._first, self._echo = b"", None
        self._waiting.clear()

    def drop_waiting(self) -> None:
        """Drop acknowledgements and commands: the table follows another host."""
        self._waiting.clear()

    def note_live(self, frame: Frame) -> None:
        """Note the newest frame of the table, received now."""
        self._echo = frame.uptime_ms, self.now_s

    def acknowledge(self, frame: Frame) -> None:
        """Queue an acknowledgement."""
        self._waiting.acknowledge(frame)

    def put(self, order: Order) -> None:
        """Queue a command. Raises FrameError("range")."""
        self._waiting.put(order)

    def send_first(self, sender: Sender, ident: int, values: tuple[int | bytes, ...]) -> None:
        """Build a frame now that is sent before all that waits."""
        self._first += self._built(sender, ident, values, 0)

    def take(self, most: int, speaker: Sender | None, *, is_changing: bool) -> bytes:
        """Return the frames to send now; the last one is begun before `most` bytes are full.

        speaker: to the table that listens. is_changing: only what is sent first, because between
        two sessions it is unknown under which one a frame would be read.
        """
        data, self._first = self._first, b""
        while len(data) < most and not is_changing:
            order = self._waiting.take(speaker)
            if order is None:
                break
            data += self._built(order.sender, order.ident, order.values, order.round)
            order.counter = order.sender.counter
        return data

    def _built(
        self, sender: Sender, ident: int, values: tuple[int | bytes, ...], number: int
    ) -> bytes:
        sender.round = number
        sender.echo, sender.echo_ms = 0, UNKNOWN_U16
        if self._echo is not None and sender.device:
            uptime_ms, received_at_s = self._echo
            sender.echo = uptime_ms
            sender.echo_ms = min(max(int((self.now_s - received_at_s) * 1000), 0), UNKNOWN_U16)
        wire = sender.build(ident, values)
        # The log is shown with errors, and no key is ever shown.
        self._log.add(self.now_s, TO_TABLE, b"" if ident == SET_KEY else wire, NAMES[ident])
        return wire
