"""Commands to a table and the outcome of each: sent, repeated, answered, refused or given up.

The only place that matches a command with its answer. A refusal names the command by its counter.
Any other answer comes from the device and boot the command went to, was made after everything
received before the command, and repeats the values that ANSWERS names. Without I/O; time is
injected.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from tabletools.link.link_states import ONLINE
from tabletools.link.outgoing import Order
from tabletools.link.session import Session
from tablewire import card_shoe, draw_machine, shuffler
from tablewire import messages as m
from tablewire.codec import Frame, UnreadFrame
from tablewire.codes import FIRMWARE_MISMATCH
from tablewire.config import ROLE

AGAIN_S = 0.5
TRIES = 6

ANSWERED = "answered"
REFUSED = "refused"
SILENT = "silent"  # the last repeat was not answered in time
LOST = "lost"  # the link, or the table at its other end, changed


class Answer(NamedTuple):
    """A message that reports that a command was carried out."""

    type: int
    repeats: int = 0  # how many of its first values are those of the command
    first: int | None = None  # its first value, None for any


ANSWERS: dict[int, tuple[Answer, ...]] = {
    m.GET_CONFIGURATION: (Answer(m.CONFIGURATION, 1),),
    m.SET_CONFIGURATION: (Answer(m.CONFIGURATION, 2),),
    m.FACTORY_CONFIGURATION: (Answer(m.CONFIGURATION, first=ROLE),),
    m.OPEN_BETS: (Answer(m.ROUND_OPENED),),
    m.CLOSE_BETS: (Answer(m.BETS_CLOSED),),
    m.VOID_ROUND: (Answer(m.ROUND_VOID),),
    m.CLEAR_FAULT: (Answer(m.FAULT_CLEARED, 1),),
    m.MAINTENANCE: (Answer(m.MAINTENANCE_CHANGED, 1),),
    m.LOCK: (Answer(m.FAULT_RAISED, first=FIRMWARE_MISMATCH),),
    m.ATTEST: (Answer(m.ATTESTATION, 1),),
    m.FETCH_TRACE: (Answer(m.TRACE_CHUNK, 2),),
    m.OFFER_KEY: (Answer(m.KEY_ANSWER, 1),),
    m.CONFIRM_KEY: (Answer(m.KEY_CHANGED, 1),),
    shuffler.END_ROUND: (Answer(shuffler.CARD_ROUND_ENDED),),
    shuffler.DECLARE_REPLACEMENT: (Answer(shuffler.SHOE_CHANGED),),
    card_shoe.END_CARDS: (Answer(card_shoe.CARDS_ENDED),),
    card_shoe.LOAD_SHOE: (
        Answer(card_shoe.SHOE_REPORT),
        Answer(m.FAULT_RAISED, first=card_shoe.SHOE_SHORT),
        Answer(m.FAULT_RAISED, first=card_shoe.SHOE_LONG),
    ),
    draw_machine.END_DRAW: (Answer(draw_machine.DRAW_RESULT),),
    draw_machine.DECLARE_BALLS: (Answer(draw_machine.BALLS_COUNTED),),
}


@dataclass(frozen=True)
class Request:
    """A command and how long to wait for its answer."""

    ident: int
    values: tuple[int | bytes, ...] = ()
    round: int = 0
    again_s: float = AGAIN_S  # pause before it is repeated
    tries: int = TRIES  # how often it is sent in all
    # Whether a frame is the answer, for a command that ANSWERS does not list; called in the order
    # of the line with every frame made after the command.
    ends: Callable[[Frame], bool] | None = None


@dataclass(eq=False)
class Exchange:
    """A request and its outcome."""

    request: Request
    device: int | None  # the table it is for
    outcome: str | None = None  # ANSWERED, REFUSED, SILENT or LOST; None while it is open
    answer: Frame | None = None  # the frame that answered or refused it
    # Each with the newest counter at that time.
    _sent: list[tuple[Order, int]] = field(default_factory=list)
    _again_at_s: float = 0.0

    @property
    def cause(self) -> int | None:
        """Why the table refused it, REFUSAL_..., None if it did not."""
        if self.answer is None or self.outcome != REFUSED:
            return None
        cause: int = self.answer.values[2]
        return cause

    @property
    def is_of_newer_key(self) -> bool:
        """Whether the table's firmware is older than the configuration key that was requested.

        Such a table does what it would do with the factory value of that key.
        """
        if self.answer is None or self.cause != m.REFUSAL_UNKNOWN_KEY:
            return False
        value, _low, high = self.answer.values[3:6]
        return bool(value > high)

    @property
    def is_spent(self) -> bool:
        """Whether it was sent as often as allowed."""
        return len(self._sent) >= self.request.tries

    def advance(self, session: Session, now_s: float) -> None:
        """Send it when it is due; give it up after the last try."""
        present = session.present
        if present is not None and self.device not in (None, present[0]):
            self.outcome = LOST
        elif self._sent and now_s < self._again_at_s:
            return
        elif self.is_spent:
            self.outcome = SILENT
        elif present is not None and session.states.presence is ONLINE:
            request = self.request
            order = session.command(request.ident, request.values, request.round)
            self._sent.append((order, session.newest))
            self.device, self._again_at_s = present[0], now_s + request.again_s

    def take(self, frame: Frame) -> bool:
        """Check a frame; return whether it ended this."""
        is_refusal = frame.type == m.REFUSAL
        if is_refusal:
            is_end = self._is_refused_by(frame)
        else:
            is_end = self._is_later(frame) and self._is_answered_by(frame)
        if is_end:
            self.outcome, self.answer = REFUSED if is_refusal else ANSWERED, frame
        return is_end

    def _is_refused_by(self, frame: Frame) -> bool:
        command, counter = frame.values[:2]
        return command == self.request.ident and any(
            order.counter == counter and _is_from(frame, order) for order, _ in self._sent
        )

    def _is_later(self, frame: Frame) -> bool:
        """Whether it was made after what was received before one of the commands.

        An earlier record may be repeated at any time.
        """
        return any(
            _is_from(frame, order) and frame.counter > newest for order, newest in self._sent
        )

    def _is_answered_by(self, frame: Frame) -> bool:
        request = self.request
        if request.ends is not None:
            return request.ends(frame)
        return any(
            frame.type == answer.type
            and frame.values[: answer.repeats] == request.values[: answer.repeats]
            and answer.first in (None, frame.values[0])
            for answer in ANSWERS.get(request.ident, ())
        )


class Conversation:
    """The requests to the table at the other end of a session.

    Commands of one type are sent one at a time: the next when the one before has ended. So an
    answer cannot be taken for that of a later command. Commands of other types do not wait.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: list[Exchange] = []

    @property
    def is_busy(self) -> bool:
        """Whether an exchange is open."""
        return bool(self._open)

    def ask(self, request: Request) -> Exchange:
        """Queue a request to the present table; a later tick sends it when its turn has come."""
        present = self._session.present
        exchange = Exchange(request, None if present is None else present[0])
        self._open.append(exchange)
        return exchange

    def forget(self, exchange: Exchange) -> None:
        """End an exchange as lost: its answer is no longer wanted."""
        if exchange in self._open:
            self._open.remove(exchange)
            exchange.outcome = LOST

    def drop(self) -> None:
        """End every exchange as lost."""
        for exchange in [*self._open]:
            self.forget(exchange)

    def tick(self, now_s: float) -> None:
        """Send what is due and give up what was not answered. now_s: of the clock of the link."""
        types = set()
        for exchange in [*self._open]:
            if exchange.request.ident not in types:
                types.add(exchange.request.ident)
                exchange.advance(self._session, now_s)
        self._open = [exchange for exchange in self._open if exchange.outcome is None]

    def take(self, frame: Frame) -> Exchange | None:
        """Return the exchange that a frame ends, None if it ends none."""
        if isinstance(frame, UnreadFrame):
            return None  # a frame that this release cannot read is not an answer
        for exchange in self._open:
            if exchange.take(frame):
                self._open.remove(exchange)
                return exchange
        return None


def _is_from(frame: Frame, order: Order) -> bool:
    return (frame.device, frame.boot) == (order.sender.device, order.sender.boot)
