"""The counter of one table, where bets are placed: those that come together share a transaction.

Each is answered by itself. Whatever fails, none of them was booked.
"""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import NamedTuple

from tabletools import money
from tabletools.money import Taken, Wish
from tabletools.pit.duty import Duty
from tabletools.pit.host import TableHost
from tabletools.store import LostLease, Refused

MOST = 1000
"""Bets of one transaction."""


class _Asked(NamedTuple):
    wish: Wish
    answer: "Future[Taken]"


class Counter:
    """Takes wishes from any thread and places them in its own."""

    def __init__(self, duty: Duty, host: TableHost) -> None:
        self._duty = duty
        self._host = host
        self._queue: SimpleQueue[_Asked | None] = SimpleQueue()
        name = f"counter {host.place.name}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to take bets."""
        self._thread.start()

    def stop(self) -> None:
        """Place what waits, then end."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def place(self, wish: Wish) -> "Future[Taken]":
        """Ask for a bet; the future raises Refused, Unattended or StoreError."""
        answer: Future[Taken] = Future()
        self._queue.put(_Asked(wish, answer))
        return answer

    def withdraw(self, account: int, bet: int, key: str) -> Taken:
        """Take a bet back. Raises Refused, Unattended, StoreError."""
        lease = self._host.attended()
        try:
            return money.withdraw(
                self._duty.ledger, lease, account, bet, key, reading=self._host.reading
            )
        except LostLease as error:
            self._host.lost(error)
            raise

    def _run(self) -> None:
        is_over = False
        while not is_over:
            asked, is_over = self._collect()
            while asked:
                # The same key twice is one request sent again: it is answered after the first.
                now: list[_Asked] = []
                keys: set[str] = set()
                for each in asked:
                    if each.wish.key not in keys and len(now) < MOST:
                        keys.add(each.wish.key)
                        now.append(each)
                taken = set(map(id, now))
                asked = [each for each in asked if id(each) not in taken]
                self.write([each for each in now if each.answer.set_running_or_notify_cancel()])

    def _collect(self) -> tuple[list[_Asked], bool]:
        """Wait for a wish, and a little longer for more; whether this was the last."""
        first = self._queue.get()
        if first is None:
            return [], True
        asked, until = [first], time.monotonic() + self._duty.batch_ms / 1000
        while len(asked) < MOST:
            left = until - time.monotonic()
            try:
                more = self._queue.get(timeout=left) if left > 0 else self._queue.get_nowait()
            except Empty:
                break
            if more is None:
                return asked, True
            asked.append(more)
        return asked, False

    def write(self, asked: Sequence[_Asked]) -> None:
        """Place wishes in one transaction and answer each."""
        if not asked:
            return
        tally = self._host.tally
        tally.batches += 1
        try:
            lease = self._host.attended()
            wishes = [each.wish for each in asked]
            answers = money.place_all(self._duty.ledger, lease, wishes, reading=self._host.reading)
        except BaseException as error:
            if isinstance(error, LostLease):
                self._host.lost(error)
            tally.bets_unanswered += len(asked)
            for each in asked:
                each.answer.set_exception(error)
            return
        for each, answer in zip(asked, answers, strict=True):
            if isinstance(answer, Refused):
                tally.refuse(answer.code)
                each.answer.set_exception(answer)
            else:
                tally.bets_taken += not answer.is_repeat
                each.answer.set_result(answer)
