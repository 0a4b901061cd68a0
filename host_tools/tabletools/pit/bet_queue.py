"""The queue of one table where bets are placed: those that arrive together share a transaction.

Each is answered separately. If the transaction fails, none of them was booked; if that was not
the database's or the table's fault, each is tried again alone, so that one fails no other.
"""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from tabletools.pit.host import TableHost
from tabletools.pit.host_context import HostContext, TableUnavailable
from tabletools.store import LedgerRejection, LostLease, StoreError
from tabletools.table import betting
from tabletools.table.betting import BetReceipt, BetRequest, CallRequest, Slip, SlipReceipt

_OF_ALL = (LedgerRejection, StoreError, TableUnavailable)
MOST = 250
"""Most bets of one transaction; the last slip in it may exceed it."""


class _QueuedRequest(NamedTuple):
    wanted: BetRequest | Slip | CallRequest
    answer: "Future[Any]"

    @property
    def bets(self) -> int:
        """How many bets the request contains."""
        return len(self.wanted.bets) if isinstance(self.wanted, Slip) else 1


class BetQueue:
    """Takes requests from any thread and places them in a separate one."""

    def __init__(self, context: HostContext, host: TableHost) -> None:
        self._context = context
        self._host = host
        self._queue: SimpleQueue[_QueuedRequest | None] = SimpleQueue()
        name = f"counter {host.place.name}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start to accept bets."""
        self._thread.start()

    def stop(self) -> None:
        """Place what waits, then end."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def place(self, request: BetRequest) -> "Future[BetReceipt]":
        """Request a bet; the future raises LedgerRejection, TableUnavailable or StoreError."""
        return self._put(request)

    def place_slip(self, slip: Slip | CallRequest) -> "Future[SlipReceipt]":
        """Request the bets of a slip.

        The future raises LedgerRejection, TableUnavailable or StoreError.
        """
        return self._put(slip)

    def _put(self, wanted: BetRequest | Slip | CallRequest) -> "Future[Any]":
        answer: Future[Any] = Future()
        self._queue.put(_QueuedRequest(wanted, answer))
        return answer

    def withdraw(self, account: int, bet: int, key: str) -> BetReceipt:
        """Withdraw a bet. Raises LedgerRejection, TableUnavailable, StoreError."""
        self._host.precedence.give_way()
        lease = self._host.attended()
        try:
            return betting.withdraw(
                self._context.ledger, lease, account, bet, key, reading=self._host.reading
            )
        except LostLease as error:
            self._host.lost(error)
            raise

    def _run(self) -> None:
        is_over = False
        while not is_over:
            queued, is_over = self._collect()
            while queued:
                # The same key twice is a repeated request: it is answered after the first.
                now: list[_QueuedRequest] = []
                keys: set[str] = set()
                bets = 0
                for each in queued:
                    if each.wanted.key not in keys and bets < MOST:
                        keys.add(each.wanted.key)
                        now.append(each)
                        bets += each.bets
                placed = set(map(id, now))
                queued = [each for each in queued if id(each) not in placed]
                self.write([each for each in now if each.answer.set_running_or_notify_cancel()])

    def _collect(self) -> tuple[list[_QueuedRequest], bool]:
        """Wait for a request, and a little longer for more; returns whether this was the last."""
        first = self._queue.get()
        if first is None:
            return [], True
        queued, until = [first], time.monotonic() + self._context.batch_ms / 1000
        while len(queued) < MOST:
            left = until - time.monotonic()
            try:
                more = self._queue.get(timeout=left) if left > 0 else self._queue.get_nowait()
            except Empty:
                break
            if more is None:
                return queued, True
            queued.append(more)
        return queued, False

    def write(self, queued: Sequence[_QueuedRequest]) -> None:
        """Place bets in one transaction and answer each request."""
        if not queued:
            return
        tally = self._host.tally
        tally.batches += 1
        try:
            self._host.precedence.give_way()
            lease = self._host.attended()
            wanted = [each.wanted for each in queued]
            answers = betting.place_all(
                self._context.ledger, lease, wanted, reading=self._host.reading
            )
        except BaseException as error:
            if isinstance(error, LostLease):
                self._host.lost(error)
            if len(queued) > 1 and not isinstance(error, _OF_ALL):
                for each in queued:  # a defect of this program that one of them meets
                    self.write([each])
                return
            tally.bets_unanswered += sum(each.bets for each in queued)
            for each in queued:
                each.answer.set_exception(error)
            return
        for each, answer in zip(queued, answers, strict=True):
            for one in answer.bets if isinstance(answer, SlipReceipt) else (answer,):
                if isinstance(one, LedgerRejection):
                    tally.refuse(one.code)
                else:
                    tally.bets_taken += not one.is_repeat
            if isinstance(answer, LedgerRejection):
                each.answer.set_exception(answer)
            else:
                each.answer.set_result(answer)
