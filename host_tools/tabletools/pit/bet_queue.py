"""The queue of one table where bets are placed: those that arrive together share a transaction.

Each is answered separately. If the transaction fails, none of them was booked; if that was not
the database's or the table's fault, each is tried again alone, so that one fails no other.

A request of a player whose money is in an external wallet passes twice: it is judged and its stake
written, the wallet debits that on a thread of its own, and what was debited comes back to be
placed, or is answered. So this thread never waits for a wallet.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from tabletools.pit.host import TableHost
from tabletools.pit.host_context import HostContext, TableUnavailable
from tabletools.store import LedgerRejection, LostLease, StoreError
from tabletools.table import betting
from tabletools.table.betting import (
    Answer,
    BetReceipt,
    BetRequest,
    CallRequest,
    Reservation,
    Slip,
    SlipReceipt,
)
from tabletools.wallet import Answer as WalletAnswer
from tabletools.wallet import Transfer
from tabletools.wallet.messages import DONE, INSUFFICIENT, REFUSED

_OF_ALL = (LedgerRejection, StoreError, TableUnavailable)
MOST = 250
"""Most bets of one transaction; the last slip in it may exceed it."""


class _QueuedRequest(NamedTuple):
    """debit: what came of debiting its stake, None before that."""

    wanted: BetRequest | Slip | CallRequest
    answer: "Future[Any]"
    debit: "_Debit | None" = None

    @property
    def bets(self) -> int:
        """How many bets the request contains."""
        return len(self.wanted.bets) if isinstance(self.wanted, Slip) else 1


class _Debit(NamedTuple):
    """What an external wallet said to the stake of a request; None: none had to be debited."""

    stake: Transfer | None
    said: WalletAnswer | None


class BetQueue:
    """Takes requests from any thread and places them in a separate one."""

    def __init__(self, context: HostContext, host: TableHost) -> None:
        self._context = context
        self._host = host
        self._queue: SimpleQueue[_QueuedRequest | None] = SimpleQueue()
        self._at_wallet: dict[str, list[_QueuedRequest]] = {}
        """By key of a request that the wallet has: the same request, repeated meanwhile."""
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
                self.answer(now)

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

    def answer(self, queued: Sequence[_QueuedRequest]) -> None:
        """Answer requests with different keys, or pass their stakes to the wallet."""
        new: list[_QueuedRequest] = []
        for each in queued:
            if each.debit is None and each.wanted.key in self._at_wallet:
                self._at_wallet[each.wanted.key].append(each)
            elif each.debit is None and each.answer.set_running_or_notify_cancel():
                new.append(each)
        self._finish([each for each in queued if each.debit is not None])
        for_wallet = set(map(id, filter(self._is_for_wallet, new)))
        self.write([one for one in new if id(one) not in for_wallet and not one.answer.done()])
        self._reserve([one for one in new if id(one) in for_wallet])

    def write(self, queued: Sequence[_QueuedRequest]) -> None:
        """Place bets in one transaction and answer each request."""
        if not queued:
            return
        tally = self._host.tally
        tally.batches += 1
        stakes = {
            each.wanted.key: each.debit.stake
            for each in queued
            if each.debit is not None and each.debit.stake is not None
        }
        try:
            self._host.precedence.give_way()
            lease = self._host.attended()
            wanted = [each.wanted for each in queued]
            answers = betting.place_all(
                self._context.ledger, lease, wanted, reading=self._host.reading, stakes=stakes
            )
        except BaseException as error:
            self._fail(queued, error, self.write)
            return
        for each, answer in zip(queued, answers, strict=True):
            self._give(each, answer)

    # --- an external wallet ----------------------------------------------------------------------

    def _is_for_wallet(self, queued: _QueuedRequest) -> bool:
        """Whether an external wallet has the money of a request; answered if that is unknown."""
        try:
            return self._context.wallet.has(queued.wanted.account)
        except StoreError as error:
            self._fail([queued], error)
            return False

    def _reserve(self, queued: Sequence[_QueuedRequest]) -> None:
        """Judge requests of players of the wallet, and have their stakes debited."""
        if not queued:
            return
        wallet, ledger = self._context.wallet, self._context.ledger
        wanted = [each.wanted for each in queued]
        trouble = wallet.trouble()
        answers: Sequence[betting.Answer | Reservation | None]
        try:
            self._host.precedence.give_way()
            lease = self._host.attended()
            if trouble:
                answers = betting.answered_all(ledger, lease, wanted)
            else:
                day, reading = wallet.day(ledger.clock.wall_ns()), self._host.reading
                answers = betting.reserve_all(ledger, lease, wanted, day, reading=reading)
        except BaseException as error:
            self._fail(queued, error, self._reserve)
            return
        for each, answer in zip(queued, answers, strict=True):
            if answer is None:
                step = "wait until the wallet works again"
                self._fail([each], TableUnavailable("wallet_down", trouble, step))
            elif not isinstance(answer, Reservation):
                self._give(each, answer)
            else:
                self._debit(each, answer)

    def _debit(self, queued: _QueuedRequest, reservation: Reservation) -> None:
        """Have the stake of a request debited; it comes back to the queue."""
        self._at_wallet[queued.wanted.key] = []
        stake = reservation.stake

        def come_back(said: WalletAnswer | None) -> None:
            self._queue.put(queued._replace(debit=_Debit(stake, said)))

        if stake is None:
            come_back(None)
        else:
            self._context.wallet.debit(stake, come_back)

    def _finish(self, debited: Sequence[_QueuedRequest]) -> None:
        """Place the bets whose stakes were debited, refuse the others, then go on with repeats."""
        paid: list[_QueuedRequest] = []
        for each in debited:
            assert each.debit is not None
            said = each.debit.said
            if said is None or said.outcome == DONE:
                paid.append(each)
            elif said.outcome == REFUSED:
                self._give(each, _refusal_of(said))
            else:
                what = f"the wallet did not confirm the stake: {said.why}"
                step = "place the bet again; what was debited without a bet is paid back"
                self._fail([each], TableUnavailable("wallet_uncertain", what, step))
        self.write(paid)
        for each in debited:
            for repeated in self._at_wallet.pop(each.wanted.key, ()):
                self._queue.put(repeated)

    # --- answers ---------------------------------------------------------------------------------

    def _fail(
        self,
        queued: Sequence[_QueuedRequest],
        error: BaseException,
        again: Callable[[Sequence[_QueuedRequest]], None] | None = None,
    ) -> None:
        """Answer requests of which none was booked. again: tries one alone."""
        if isinstance(error, LostLease):
            self._host.lost(error)
        if again is not None and len(queued) > 1 and not isinstance(error, _OF_ALL):
            for each in queued:  # a defect of this program that one of them meets
                again([each])
            return
        self._host.tally.bets_unanswered += sum(each.bets for each in queued)
        for each in queued:
            each.answer.set_exception(error)

    def _give(self, queued: _QueuedRequest, answer: Answer) -> None:
        tally = self._host.tally
        for one in answer.bets if isinstance(answer, SlipReceipt) else (answer,):
            if isinstance(one, LedgerRejection):
                tally.refuse(one.code)
            else:
                tally.bets_taken += not one.is_repeat
        if isinstance(answer, LedgerRejection):
            queued.answer.set_exception(answer)
        else:
            queued.answer.set_result(answer)


def _refusal_of(said: WalletAnswer) -> LedgerRejection:
    if said.code == INSUFFICIENT:
        what = "the player's wallet has not enough money for this stake"
        return LedgerRejection("not_enough_money", what, "pay in, or stake less", "stake")
    what = f"the player's wallet does not pay the stake: {said.why}"
    return LedgerRejection("wallet_refused", what, "ask at the cash desk", "player")
