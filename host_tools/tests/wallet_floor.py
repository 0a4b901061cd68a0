"""A table whose players have their money in an emulated wallet, on one thread, for tests.

`Line` stands for the connection: what goes wrong on it is chosen request by request, and the host
can die before and after each. `WalletFloor` is table, queue of bets and wallet.
"""

from concurrent.futures import Future
from types import SimpleNamespace

from sqlalchemy import select

from host_tools.tests.pit import Pit
from tableemulator.wallet import WalletBook
from tabletools.money import wallet_transfers
from tabletools.pit.bet_queue import BetQueue, _QueuedRequest
from tabletools.pit.host_context import HostStats
from tabletools.pit.precedence import Precedence
from tabletools.store import Actor, Store
from tabletools.store.books import balance
from tabletools.store.schema.books import accounts
from tabletools.wallet import messages
from tabletools.wallet.external import PAUSE_LONGEST_S, ExternalWallet
from tabletools.wallet.messages import Answer

BEGAN = 50_000
"""What each player has at the wallet, cents."""
LOST = ("lost_before", "lost_after", "late", "wrong_key", "wrong_amount")


class Killed(BaseException):
    """The host died here."""


class Line:
    """The way to a wallet. next: what happens to each request in turn, nothing once it is empty.

    lost_before, lost_after: no answer, and the wallet did not carry it out, or did; late: it does
    once `arrive` is called; twice: it was delivered twice; killed_before, killed_after: the host
    dies; closes: no more bets, before the answer comes.
    """

    def __init__(self, book, close_bets):
        self.book = book
        self.next = []
        self.late = []
        self.is_down = False
        self._close_bets = close_bets

    def move(self, kind, transfer):
        """Request a movement, as HttpWallet."""
        request = messages.request_of(kind, transfer)
        event = self.next.pop(0) if self.next else ""
        if self.is_down or event == "lost_before":
            return Answer(messages.UNKNOWN, "no answer")
        if event == "killed_before":
            raise Killed
        if event == "late":
            self.late.append(request)
            return Answer(messages.UNKNOWN, "no answer in time")
        answer = self.book.answer(request)
        if event == "killed_after":
            raise Killed
        if event == "lost_after":
            return Answer(messages.UNKNOWN, "connection reset")
        if event == "twice":
            answer = self.book.answer(request)
        if event == "wrong_key":
            answer = answer | {"key": "0" * 32}
        if event == "wrong_amount":
            answer = answer | {"cents": request["cents"] + 1}
        if event == "closes":
            self._close_bets()
        return messages.answer_of(messages.body_of(answer), request)

    def arrive(self):
        """What was late arrives at the wallet now."""
        while self.late:
            self.book.answer(self.late.pop(0))

    def cut(self):
        """Nothing is on its way."""

    def close(self):
        """Nothing is open."""

    def trouble(self):
        """As HttpWallet."""
        return "no answer" if self.is_down else ""


class WalletFloor:
    """One table, two players with EUR 500.00 each at the wallet and nothing here."""

    def __init__(self, place):
        self.place = place
        self.book = WalletBook()
        self.pit = Pit(place)
        self.line = Line(self.book, self.close_bets)
        self.numbers = {}
        for account, name in ((self.pit.ada, "ADA"), (self.pit.ben, "BEN")):
            cents = self.pit.balance(account)
            self.book.open(name, BEGAN - cents)  # `link` sends what the player has here
            self.numbers[account] = name
            wallet_transfers.link(self.pit.ledger, account, Actor("command line"))
        self.round, self.now = 0, 0.0
        self.begin()
        self.deliver()

    def close_bets(self):
        """No more bets, while the wallet takes its time."""
        self.pit.close(self.round)

    def begin(self):
        """A host runs: its memory is empty."""
        pit = self.pit
        self.wallet = ExternalWallet(pit.ledger, lambda: self.line, day_ends_hour=6, lanes=0)
        self.tally = HostStats()
        host = SimpleNamespace(
            place=SimpleNamespace(name="R1"),
            tally=self.tally,
            precedence=Precedence(),
            attended=lambda: self.pit.lease,
            lost=lambda error: None,
            reading=pit.reading,
        )
        context = SimpleNamespace(ledger=pit.ledger, batch_ms=0, wallet=self.wallet)
        self.queue = BetQueue(context, host)

    def kill_at(self, step, count=0):
        """Have the host die at a step of a write or a request: at the first, or one after it."""
        left = [count]

        def at(here):
            if here == step:
                left[0] -= 1
            if left[0] < 0:
                raise Killed

        self.pit.ledger.at = at

    def restart(self):
        """The host dies and begins again; the wallet goes on."""
        self.pit.ledger.at = lambda step: None
        self.close()
        self.pit.ledger = Store.open(self.place, clock=self.pit.clock)
        self.pit.clock.pass_ms(11_000)  # the lease of the host that died ends
        self.pit.attach(f"host {self.pit.clock.mono}")
        self.begin()

    def deliver(self, looks=2):
        """The wallet's thread runs, each time after its longest pause; the table stands still."""
        for _ in range(looks):
            self.wallet.run_once(self.now)
            self.now += PAUSE_LONGEST_S + 1

    def close(self):
        """End wallet and ledger."""
        self.wallet.stop()
        self.pit.ledger.close()

    def look(self):
        """The wallet's thread asks a wallet that was down whether it works again, no more."""
        self.now += PAUSE_LONGEST_S + 1
        self.wallet._look(self.now)

    def settle(self):
        """The wallet works again, and everything is delivered, also what no host decided."""
        self.line.next, self.line.is_down = [], False
        self.line.arrive()
        self.deliver(8)

    def ask(self, request):
        """Request a bet; returns the answer, or the exception of it."""
        future = Future()
        self.queue._queue.put(_QueuedRequest(request, future))
        try:
            self.serve()
        except Killed:
            return Killed()
        return future.exception() or future.result()

    def serve(self):
        """The thread of the bets runs until nothing waits."""
        while not self.queue._queue.empty():
            self.queue.answer([self.queue._queue.get()])

    def bet(self, account, bet, cents, **more):
        """Request a bet with a new key."""
        return self.ask(self.pit.request(account, bet, cents, **more))

    def at_wallet(self, account):
        """What a player has at the wallet."""
        return self.book.balances[self.numbers[account]]

    def here(self, account):
        """What of it the ledger still has."""
        with self.pit.ledger.read() as db:
            return balance(db, account)

    def states(self):
        """How many transfers are in each state that is open."""
        with self.pit.ledger.read() as db:
            return {state: n for state, n in wallet_transfers.counts(db).items() if n}

    def held_cents(self, account):
        """What the wallet refused to collect from a player."""
        with self.pit.ledger.read() as db:
            held = wallet_transfers.in_states(db, wallet_transfers.HELD)
        return sum(one.cents for one in held if one.account == account)

    def in_wallet_accounts(self):
        """The sum of the wallet accounts of the ledger: what went there, less what came."""
        with self.pit.ledger.read() as db:
            query = select(accounts.c.balance_cents).where(accounts.c.kind == "wallet")
            return sum(db.execute(query).scalars())
