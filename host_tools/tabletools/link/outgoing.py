"""What waits to be sent to a table, and in which order. Without I/O.

Acknowledgements go first: a table that waits for one opens no round. Each frame is built and
sealed only when it is sent, because the counters of a session rise in the order of the line.
"""

from collections import deque
from dataclasses import dataclass

from tablewire.codec import Frame, first_bad, out_of_range
from tablewire.messages import ACKNOWLEDGE
from tablewire.sender import Sender


@dataclass(eq=False)
class Order:
    """A command. counter: under which it was sent; 0 while it waits, or if it is never sent.

    sender: to the table, boot and session it is for; it is sent to no other.
    """

    ident: int
    values: tuple[int | bytes, ...]
    round: int
    sender: Sender
    counter: int = 0


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
