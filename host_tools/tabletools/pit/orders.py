"""Orders that users give to a table through this host: open a round, no more bets, load the shoe.

An order is given from any thread. The thread of the table sends it once and gets the answer. No
order is repeated automatically: the user who gave it sees that it was not answered.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import NamedTuple

from tablespec.field_types import FieldFacts
from tablespec.message_list import BY_ID
from tabletools.link import ONLINE, SILENT, Conversation, Exchange, Request, Session
from tabletools.pit.host_context import TableUnavailable
from tabletools.roles import every_role
from tabletools.store import Actor, LedgerRejection
from tablewire.codec import Frame

ANSWER_S = 3.0
"""How long to wait for an answer."""


_OF_EVERY_ROLE = ("open_bets", "close_bets", "void_round", "clear_fault")
_NUMBERS = {message.name: number for number, message in BY_ID.items() if message.sender == "host"}
COMMANDS: dict[str, int] = {
    name: _NUMBERS[name]
    for name in (*_OF_EVERY_ROLE, *(order for role in every_role() for order in role.orders))
}
"""The command of each order."""


class Correction(NamedTuple):
    """What a void after no more bets requires: two users, a reason, and the evidence."""

    users: Sequence[Actor]
    reason: str
    evidence: str


class Order(NamedTuple):
    """An order to a table for a round. values: fields of its command, words or numbers."""

    name: str
    values: Mapping[str, int | str]
    number: int
    correction: Correction | None = None


def fields_of(order: str) -> list[tuple[str, FieldFacts]]:
    """Return the fields of an order's command. Raises KeyError for an unknown order."""
    return BY_ID[COMMANDS[order]].facts()


def values_of(order: str, said: Mapping[str, int | str]) -> tuple[int, ...]:
    """Return the values of an order as sent.

    Raises LedgerRejection for an unknown order or value.
    """
    if order not in COMMANDS:
        what, step = f"there is no order {order!r}", f"one of: {', '.join(COMMANDS)}"
        raise LedgerRejection("field_invalid", what, step, "order")
    fields = fields_of(order)
    surplus = sorted(set(said) - {name for name, _ in fields})
    if surplus:
        step = f"leave it out; {order} accepts: {', '.join(n for n, _ in fields) or 'nothing'}"
        raise LedgerRejection(
            "field_unknown", f"{order} has no field {surplus[0]}", step, surplus[0]
        )
    return tuple(_value(name, facts, said.get(name)) for name, facts in fields)


def _value(name: str, facts: FieldFacts, said: int | str | None) -> int:
    names = {word: value for value, word in facts.names}
    if said is None and facts.unknown is not None:
        return facts.unknown
    if names and said in names:
        return names[str(said)]
    allowed = set(names.values()) if names else range(facts.low, facts.high + 1)
    if isinstance(said, int) and said in allowed:
        return said
    is_short = names and len(names) <= 5
    limit = ", ".join(names) if is_short else f"a whole number, {facts.low} to {facts.high}"
    what = f"{name} is missing" if said is None else f"{name} cannot be {said!r}"
    raise LedgerRejection("field_invalid", what, f"give {limit}", name)


class _OrderFields(NamedTuple):
    request: Request
    answer: "Future[Frame]"


class Orders:
    """The pending orders of one table, each until it is answered."""

    def __init__(self) -> None:
        self._new: SimpleQueue[_OrderFields] = SimpleQueue()
        self._open: dict[Exchange, Future[Frame]] = {}
        self._session: Session | None = None
        self._conversation: Conversation | None = None

    def begin(self, session: Session) -> None:
        """Send orders in this session from now on."""
        self._session, self._conversation = session, Conversation(session)

    def give(self, order: str, values: tuple[int, ...], number: int) -> "Future[Frame]":
        """Queue an order for a round; the future returns the frame that answers it.

        From any thread. It raises TableUnavailable if the table cannot receive it or does not
        answer. Cancel it to give up: an order that was not sent yet is then dropped.
        """
        answer: Future[Frame] = Future()
        request = Request(COMMANDS[order], values, number, again_s=ANSWER_S, tries=1)
        self._new.put(_OrderFields(request, answer))
        return answer

    def tick(self, now_s: float) -> None:
        """Send pending orders. now_s: of the clock of the link."""
        session, conversation = self._session, self._conversation
        if session is None or conversation is None:
            return
        while (order := self._next()) is not None:
            if session.state == ONLINE:
                self._open[conversation.ask(order.request)] = order.answer
            else:
                _fail(order.answer, f"the table is {session.state}")
        for exchange in [each for each, answer in self._open.items() if answer.cancelled()]:
            conversation.forget(exchange)
        conversation.tick(now_s)
        self._report()

    def take(self, frame: Frame) -> None:
        """Check whether a frame answers one of them."""
        if self._conversation is not None:
            self._conversation.take(frame)
            self._report()

    def drop(self, why: str) -> None:
        """Fail all orders: the table is gone."""
        self._session = self._conversation = None
        for answer in self._open.values():
            _fail(answer, why)
        self._open.clear()
        while (order := self._next()) is not None:
            _fail(order.answer, why)

    def _report(self) -> None:
        """Complete each order that has ended with its answer, or the reason without one."""
        for exchange in [each for each in self._open if each.outcome is not None]:
            answer = self._open.pop(exchange)
            if exchange.answer is None:
                is_silent = exchange.outcome == SILENT
                _fail(answer, "it did not answer" if is_silent else "another table answers")
            elif answer.set_running_or_notify_cancel():
                answer.set_result(exchange.answer)

    def _next(self) -> _OrderFields | None:
        """The next order that was not cancelled."""
        while True:
            try:
                order = self._new.get_nowait()
            except Empty:
                return None
            if not order.answer.cancelled():
                return order


def _fail(answer: "Future[Frame]", why: str) -> None:
    if answer.set_running_or_notify_cancel():
        step = "see what the table shows before the order is given again"
        what = f"the order was not answered: {why}"
        answer.set_exception(TableUnavailable("table_silent", what, step))
