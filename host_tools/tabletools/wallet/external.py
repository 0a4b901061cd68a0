"""The external wallet of a host: debits before bets, and what it has to be sent after them.

Debits run on a few threads, so that neither a table nor a request waits for the wallet; what is
beyond their room is refused. One thread of one host at a time delivers payments, collections and
reversals, each under its key until the wallet confirms it. While the wallet does not answer as it
should, no bet of its players is accepted.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from tabletools.evidence import alarms
from tabletools.evidence.alarms import AlarmCause
from tabletools.money import gaming_day, outbox_queries, wallet_transfers
from tabletools.money.wallet_transfers import QUEUED, REQUESTED, REVERSING, Transfer
from tabletools.store import Connection, Store, StoreError
from tabletools.store.clock import NS
from tabletools.wallet import Standing, messages
from tabletools.wallet.http_wallet import HttpWallet
from tabletools.wallet.messages import DONE, REFUSED, UNKNOWN, UNSENT, Answer, Entry

POLL_S = 0.5
PAUSE_FIRST_S, PAUSE_LONGEST_S = 0.5, 30.0
DEBITS_AT_ONCE, MOST_DEBITS = 16, 256
"""Debits on their way, and with those that wait for a thread."""
MOST_WAIT_S = 3.0
"""A debit that waited longer for a thread is not requested any more."""
DOUBT_S = 60.0
"""A stake that was not decided within this time is reversed: its host died, or waits forever."""
_BATCH = 16
"""Movements delivered between two looks at the ledger."""

Say = Callable[[str, dict[str, object]], None]


class Request(NamedTuple):
    """A movement to be delivered, as it is requested of the wallet."""

    kind: str
    transfer: Transfer


class ExternalWallet:
    """One wallet of one host. connect: makes a connection to it, one for each thread.

    lanes: threads for debits, and for deliveries; 0: all runs on the caller's thread.
    """

    is_external = True

    def __init__(
        self,
        ledger: Store,
        connect: Callable[[], HttpWallet],
        *,
        day_ends_hour: int,
        lanes: int = DEBITS_AT_ONCE,
        say: Say = lambda event, facts: None,
    ) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        """Requests by kind and outcome, for the metrics."""
        self._ledger = ledger
        self._connect = connect
        self._day_ends_hour = day_ends_hour
        self._say = say
        self._own = threading.local()
        self._clients: list[HttpWallet] = []
        self._counting = threading.Lock()
        self._debits = ThreadPoolExecutor(lanes, "debit") if lanes else None
        self._deliveries = ThreadPoolExecutor(lanes, "wallet delivery") if lanes else None
        self._room = threading.BoundedSemaphore(MOST_DEBITS)
        self._linked: set[int] = set()
        self._balances: dict[int, int] = {}
        self._down = "it was not asked yet"
        self._is_alarmed: bool | None = None  # None: an earlier run may have left an alarm
        self._pause, self._next_look = PAUSE_FIRST_S, 0.0
        self._again: dict[int, tuple[float, float]] = {}  # transfer: when it is tried, last pause
        self._doubts: dict[int, float] = {}  # stake: since when it is not decided
        self._lock = outbox_queries.SinkLock(ledger, "wallet")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="wallet", daemon=True)

    # --- for bets --------------------------------------------------------------------------------

    def has(self, account: int) -> bool:
        """Whether a player's money is in the wallet. Raises StoreError."""
        if account in self._linked:
            return True
        with self._ledger.read() as db:
            is_linked = wallet_transfers.is_linked(db, account)
        if is_linked:
            self._linked.add(account)
        return is_linked

    def trouble(self) -> str:
        """Return why nothing is debited now, empty if it is."""
        return f"the wallet does not work: {self._down}" if self._down else ""

    def day(self, now_ns: int) -> str:
        """Return the gaming day of a moment."""
        return gaming_day.day_of(now_ns, self._day_ends_hour).isoformat()

    def balance_cents(self, account: int) -> int | None:
        """Return what the wallet last said that a player has."""
        return self._balances.get(account)

    def standing(self) -> Standing:
        """Return its state. Raises StoreError."""
        with self._ledger.read() as db:
            return Standing(not self._down, dict(self.requests), wallet_transfers.counts(db))

    def statement(self, day: str) -> Iterator[Entry]:
        """Yield the movements of a day, over a connection of its own; see `Wallet`."""
        client = self._connect()
        try:
            yield from client.statement(day)
        finally:
            client.close()

    def debit(self, stake: Transfer, then: Callable[[Answer], None]) -> None:
        """Debit a stake; see `Wallet`."""
        if self._debits is None:
            self._debit(stake, then, self._now())
        elif not self._room.acquire(blocking=False):
            self._decide(stake, Answer(UNSENT, f"{MOST_DEBITS} debits wait already"), then)
        else:
            try:
                done = self._debits.submit(self._debit, stake, then, self._now())
            except RuntimeError:
                self._room.release()
                self._decide(stake, Answer(UNSENT, "the host ends"), then)
            else:
                done.add_done_callback(lambda _: self._room.release())

    def _debit(self, stake: Transfer, then: Callable[[Answer], None], since: float) -> None:
        if self._now() - since > MOST_WAIT_S:
            answer = Answer(UNSENT, f"the debit waited for more than {MOST_WAIT_S:g} s")
        else:
            answer = self._send(Request(messages.DEBIT, stake))
        self._decide(stake, answer, then)

    def _decide(self, stake: Transfer, answer: Answer, then: Callable[[Answer], None]) -> None:
        """Note what came of a debit; on a failure of the ledger `DOUBT_S` does it."""

        def write(db: Connection) -> None:
            if answer.outcome == UNKNOWN:
                wallet_transfers.undo_stakes(db, [stake.id], answer.why)
            else:
                now_ns = self._ledger.clock.wall_ns()
                wallet_transfers.refuse_stake(db, stake.id, answer.why, now_ns)

        try:
            if answer.outcome != DONE:
                self._ledger.run(write)
        except StoreError as error:
            self._say("wallet_ledger_failed", {"why": str(error)})
        finally:
            then(answer)

    # --- deliveries ------------------------------------------------------------------------------

    def start(self) -> None:
        """Start to deliver."""
        self._thread.start()

    def stop(self) -> None:
        """End; what is on its way is decided by its keys when a host runs again."""
        self._stop.set()
        while self._thread.is_alive():
            for client in list(self._clients):
                client.cut()
            self._thread.join(0.1)
        self._lock.release()
        for pool in (self._debits, self._deliveries):
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)
        for client in list(self._clients):
            client.close()

    def run_once(self, now: float) -> int:
        """Look after the wallet and deliver what is due; returns how many were confirmed.

        now: monotonic, seconds. Raises StoreError.
        """
        self._look(now)
        if not self._lock.take():
            return 0
        self._give_up_doubts(now)
        now_ns = self._ledger.clock.wall_ns()
        with self._ledger.read() as db:
            is_swept = wallet_transfers.has_swept_all(db)
        if not is_swept:
            self._ledger.run(lambda db: wallet_transfers.sweep(db, self.day(now_ns), now_ns))
        if self._down:
            return 0
        with self._ledger.read() as db:
            waiting = wallet_transfers.in_states(db, QUEUED, REVERSING)
        self._again = {one.id: self._again[one.id] for one in waiting if one.id in self._again}
        due = [one for one in waiting if self._again.get(one.id, (now, 0.0))[0] <= now]
        return self._deliver([_request_of(one) for one in due[:_BATCH]], now)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                is_busy = self.run_once(self._now()) > 0
            except Exception as error:  # of the ledger or of this program: it tries again
                is_busy = False
                self._say("wallet_failed", {"why": f"{type(error).__name__}: {error}"})
            if not is_busy:
                self._stop.wait(POLL_S)

    def _look(self, now: float) -> None:
        """See whether a wallet that was down works again, and keep the alarm."""
        if self._down and now >= self._next_look:
            self._down = self._client().trouble()
            if self._down:
                self._next_look = now + self._pause
                self._pause = min(2 * self._pause, PAUSE_LONGEST_S)
                self._raise()
        if not self._down:
            self._pause = PAUSE_FIRST_S
            if self._is_alarmed is not False:
                now_ns = self._ledger.clock.wall_ns()
                self._ledger.run(lambda db: alarms.clear(db, now_ns, [alarms.WALLET_DOWN]))
                self._say("wallet_up", {})
                self._is_alarmed = False

    def _raise(self) -> None:
        if self._is_alarmed:
            return
        now_ns, text = self._ledger.clock.wall_ns(), self.trouble()[:500]
        cause = AlarmCause(alarms.WALLET_DOWN, text, None)
        self._ledger.run(lambda db: alarms.raise_once(db, cause, now_ns))
        self._say("wallet_down", {"why": self._down})
        self._is_alarmed = True

    def _give_up_doubts(self, now: float) -> None:
        """Reverse stakes that no host decided in time, by the monotonic clock."""
        with self._ledger.read() as db:
            requested = [one.id for one in wallet_transfers.in_states(db, REQUESTED)]
        self._doubts = {one: self._doubts.get(one, now) for one in requested}
        over = [one for one, since in self._doubts.items() if now - since >= DOUBT_S]
        if over:
            why = "no host decided it in time"
            self._ledger.run(lambda db: wallet_transfers.undo_stakes(db, over, why))

    def _deliver(self, requests: Sequence[Request], now: float) -> int:
        """Send movements and note what came of them; returns how many were confirmed."""
        if not requests:
            return 0
        send = map if self._deliveries is None else self._deliveries.map
        answers = list(send(self._send, requests))
        self._ledger.at("wallet_answered")
        now_ns = self._ledger.clock.wall_ns()

        def write(db: Connection) -> None:
            for request, answer in zip(requests, answers, strict=True):
                if answer.outcome == DONE:
                    wallet_transfers.finish(db, request.transfer, now_ns)
                elif answer.outcome == REFUSED:
                    wallet_transfers.hold(db, request.transfer, answer.why, now_ns)
                else:
                    wallet_transfers.fail(db, request.transfer, answer.why, now_ns)

        self._ledger.run(write)
        for request, answer in zip(requests, answers, strict=True):
            if answer.outcome == UNKNOWN:
                pause = self._again.get(request.transfer.id, (0.0, PAUSE_FIRST_S / 2))[1]
                pause = min(2 * pause, PAUSE_LONGEST_S)
                self._again[request.transfer.id] = now + pause, pause
        return sum(answer.outcome == DONE for answer in answers)

    def _send(self, request: Request) -> Answer:
        """Request a movement; any failure to do so says nothing of what the wallet did."""
        self._ledger.at("wallet_sends")
        try:
            answer = self._client().move(request.kind, request.transfer)
        except Exception as error:
            answer = Answer(UNKNOWN, f"{type(error).__name__}: {error}")
        self._ledger.at("wallet_sent")
        with self._counting:
            self.requests[request.kind, answer.outcome] += 1
        self._down = answer.why if answer.outcome == UNKNOWN else ""
        if answer.balance_cents is not None:
            self._balances[request.transfer.account] = answer.balance_cents
        return answer

    def _client(self) -> HttpWallet:
        if not hasattr(self._own, "client"):
            self._own.client = self._connect()
            self._clients.append(self._own.client)
        client: HttpWallet = self._own.client
        return client

    def _now(self) -> float:
        return self._ledger.clock.mono_ns() / NS


def _request_of(transfer: Transfer) -> Request:
    if transfer.state == REVERSING:
        return Request(messages.REVERSAL, transfer)
    return Request(messages.DEBIT if transfer.is_debit else messages.CREDIT, transfer)
