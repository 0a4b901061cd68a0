"""What people tell a table through this host: open a round, no more bets, what the shoe holds.

An order is given from any thread; the thread of the table sends it, once, and hears what the
table makes of it. Nothing is sent again by itself: who gave it sees that it was not answered.
"""

from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import NamedTuple

from tablespec.fields import FieldFacts
from tablespec.messages import BY_ID
from tabletools.link import NotOnline, Session
from tabletools.link.outgoing import Order as Command
from tabletools.pit.duty import Unattended
from tabletools.store import Refused
from tablewire import card_shoe, draw_machine, shuffler
from tablewire import messages as m
from tablewire.codec import Frame

ANSWER_S = 3.0
"""How long an answer is waited for."""
_MOST_OPEN = 16


class Word(NamedTuple):
    """One order. ident: of its command; done: types of the records that say it was obeyed."""

    ident: int
    done: tuple[int, ...]

    @property
    def fields(self) -> list[tuple[str, FieldFacts]]:
        """What is said with it."""
        return BY_ID[self.ident].facts()


WORDS: dict[str, Word] = {
    "open_bets": Word(m.OPEN_BETS, (m.ROUND_OPENED,)),
    "close_bets": Word(m.CLOSE_BETS, (m.BETS_CLOSED,)),
    "void_round": Word(m.VOID_ROUND, (m.ROUND_VOID,)),
    "end_round": Word(shuffler.END_ROUND, (shuffler.CARD_ROUND_ENDED,)),
    "end_cards": Word(card_shoe.END_CARDS, (card_shoe.CARDS_ENDED,)),
    "end_draw": Word(draw_machine.END_DRAW, (draw_machine.DRAW_RESULT,)),
    "load_shoe": Word(card_shoe.LOAD_SHOE, (card_shoe.SHOE_TOLD,)),
    "declare_replacement": Word(shuffler.DECLARE_REPLACEMENT, (shuffler.SHOE_CHANGED,)),
    "declare_balls": Word(draw_machine.DECLARE_BALLS, (draw_machine.BALLS_COUNTED,)),
    "clear_fault": Word(m.CLEAR_FAULT, (m.FAULT_CLEARED,)),
}


def values_of(order: str, said: Mapping[str, int | str]) -> tuple[int, ...]:
    """The values of an order as they go out. Raises Refused for an order or value unknown."""
    if order not in WORDS:
        what, step = f"there is no order {order!r}", f"one of: {', '.join(WORDS)}"
        raise Refused("field_invalid", what, step, "order")
    fields = WORDS[order].fields
    surplus = sorted(set(said) - {name for name, _ in fields})
    if surplus:
        step = f"leave it out; {order} takes: {', '.join(n for n, _ in fields) or 'nothing'}"
        raise Refused("field_unknown", f"{order} takes no {surplus[0]}", step, surplus[0])
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
    raise Refused("field_invalid", what, f"give {limit}", name)


class _Given(NamedTuple):
    word: Word
    values: tuple[int, ...]
    number: int
    answer: "Future[Frame]"
    sent: list[tuple[Command, tuple[int, int]]]  # with boot and counter of the newest frame then


class Orders:
    """The orders of one table on their way, each until it was answered."""

    def __init__(self) -> None:
        self._new: SimpleQueue[_Given] = SimpleQueue()
        self._open: deque[_Given] = deque(maxlen=_MOST_OPEN)  # those never answered fall out

    def give(self, order: str, values: tuple[int, ...], number: int) -> "Future[Frame]":
        """Have an order sent for a round; the future gives the frame that answers it.

        From any thread. It raises Unattended if the table is not there to hear it.
        """
        answer: Future[Frame] = Future()
        self._new.put(_Given(WORDS[order], values, number, answer, []))
        return answer

    def tick(self, session: Session) -> None:
        """Send what was given."""
        while (given := self._next()) is not None:
            present = session.present
            try:
                sent = session.command(given.word.ident, given.values, given.number)
            except NotOnline as error:
                _not_there(given, str(error))
                continue
            assert present is not None
            given.sent.append((sent, (present[1], session.newest)))
            self._open.append(given)

    def take(self, frame: Frame) -> None:
        """Look whether a frame answers one of them."""
        for given in self._open:
            if self._answers(given, frame):
                self._open.remove(given)
                given.answer.set_result(frame)
                return

    def drop(self, why: str) -> None:
        """The table is gone: none of them will be answered."""
        while self._open:
            _not_there(self._open.popleft(), why)
        while (given := self._next()) is not None:
            _not_there(given, why)

    def _next(self) -> _Given | None:
        """The next one that is still wanted."""
        while True:
            try:
                given = self._new.get_nowait()
            except Empty:
                return None
            if given.answer.set_running_or_notify_cancel():
                return given

    @staticmethod
    def _answers(given: _Given, frame: Frame) -> bool:
        [(sent, after)] = given.sent
        if frame.type == m.REFUSAL:
            return tuple(frame.values[:2]) == (given.word.ident, sent.counter)
        # A record from before the order may be repeated any time.
        return frame.type in given.word.done and (frame.boot, frame.counter) > after


def _not_there(given: _Given, why: str) -> None:
    step = "see what the table shows, then give the order again"
    given.answer.set_exception(Unattended("table_silent", f"the order was not heard: {why}", step))
