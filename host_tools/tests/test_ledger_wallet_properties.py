"""No cent is lost or doubled, whatever the wallet, the line to it and the host do, in any order.

What each player has in the end is computed here, from the bets that were answered and the outcomes
of the rounds in force: red pays 1:1, a number 35:1.
"""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from host_tools.tests.wallet_floor import BEGAN, LOST, Killed, WalletFloor
from tabletools.pit.host_context import TableUnavailable
from tabletools.store import LedgerRejection
from tabletools.table.betting import BetReceipt
from tabletools.table.verify import check

RED, BLACK = 12, 17  # a red and a black pocket
EVENTS = (*LOST, "twice", "closes", "killed_before", "killed_after")
POINTS = ("reserved", "posted", "kept", "before_commit", "committed", "settled")
BETS = (("red", {}), ("black", {}), ("straight", {"numbers": [str(BLACK)]}))
WHO = st.integers(0, 1)
STEPS = st.one_of(
    st.tuples(
        st.just("bet"), st.integers(0, 1), st.integers(0, 2), st.sampled_from((500, 20_000))
    ),
    st.tuples(st.just("change"), WHO, st.sampled_from((500, 1500))),
    st.tuples(st.just("withdraw"), WHO),
    st.tuples(st.just("end"), st.sampled_from((RED, BLACK, None))),
    st.tuples(st.just("rule"), st.sampled_from((RED, BLACK, None))),
    st.tuples(st.just("spend"), WHO),
    st.tuples(st.just("line"), st.sampled_from(EVENTS)),
    st.tuples(st.just("down"), st.booleans()),
    st.tuples(st.just("kill"), st.sampled_from(POINTS), st.integers(0, 2)),
    st.just(("deliver",)),
    st.just(("arrive",)),
)


def paid(kind, cents, pocket):
    """What a bet pays with its stake, by the odds on the layout. pocket None: void."""
    if pocket is None:
        return cents
    wins = {0: pocket == RED, 1: pocket == BLACK, 2: pocket == BLACK}[kind]
    return cents * (36 if kind == 2 else 2) if wins else 0


class Story:
    """A floor, and what its players are owed by hand."""

    def __init__(self, folder):
        self.floor = WalletFloor(str(Path(folder) / "ledger"))
        self.players = list(self.floor.numbers)
        self.spent = [0, 0]
        self.rounds = []  # of each: number, pocket in force (or "open"), bets
        self.begin_round()

    def begin_round(self):
        number = len(self.rounds) + 1
        self.floor.round = number
        self.survive(lambda: self.floor.pit.open(number))
        self.rounds.append({"number": number, "pocket": "open", "bets": {}})

    def survive(self, action):
        """Do something at the table; a host that dies in it, as often as it does, begins again."""
        while True:
            try:
                return action()
            except Killed:
                self.floor.restart()

    def ask(self, request):
        """Request a bet; after a death of the host the terminal repeats it."""
        answer = self.floor.ask(request)
        if isinstance(answer, Killed):
            self.floor.restart()
            self.floor.line.is_down = False
            self.floor.line.next = []
            answer = self.floor.ask(request)
        if isinstance(answer, BetReceipt):
            return answer
        assert isinstance(answer, (LedgerRejection, TableUnavailable)), answer
        return None

    def bet(self, who, kind, cents):
        if not self.floor.pit.ledger.has_opening(self.floor.pit.table):
            self.end(BLACK)  # a host that began again accepts bets from the next round on
        self.survive(self.floor.look)
        name, more = BETS[kind]
        receipt = self.ask(self.floor.pit.request(self.players[who], name, cents, **more))
        if receipt is not None:
            self.rounds[-1]["bets"][receipt.bet] = (who, kind, cents)

    def change(self, who, cents):
        own = [each for each in self.rounds[-1]["bets"].items() if each[1][0] == who]
        if own:
            number, (_, kind, _) = own[0]
            name, more = BETS[kind]
            request = self.floor.pit.request(
                self.players[who], name, cents, replaces=number, **more
            )
            receipt = self.ask(request)
            if receipt is not None:
                del self.rounds[-1]["bets"][number]
                self.rounds[-1]["bets"][receipt.bet] = (who, kind, cents)

    def withdraw(self, who):
        own = [number for number, bet in self.rounds[-1]["bets"].items() if bet[0] == who]
        if own:
            floor, key = self.floor, f"withdraw {own[0]}"
            try:
                self.survive(lambda: floor.queue.withdraw(self.players[who], own[0], key))
                del self.rounds[-1]["bets"][own[0]]
            except LedgerRejection:
                pass

    def end(self, pocket):
        pit, played = self.floor.pit, self.rounds[-1]
        self.survive(lambda: pit.close(played["number"]))
        is_early = not played["bets"]
        pocket = RED if pocket is None and not is_early else pocket
        self.survive(lambda: pit.end(played["number"], pocket))
        played["pocket"] = pocket
        self.begin_round()

    def rule(self, pocket):
        ended = [each for each in self.rounds if each["pocket"] != "open" and each["bets"]]
        if ended:
            played = ended[-1]
            void = {"void": "the ball was touched"}
            outcome = void if pocket is None else {"pocket": str(pocket)}
            key = next(self.floor.pit.keys)

            def decide():
                self.floor.pit.rule(played["number"], outcome, key=key, settled=generation)

            generation = played.get("generation", 1)
            self.survive(decide)
            played["pocket"], played["generation"] = pocket, generation + 1

    def spend(self, who):
        name = self.floor.numbers[self.players[who]]
        self.spent[who] += self.floor.book.balances[name]
        self.floor.book.balances[name] = 0

    def line(self, event):
        self.floor.line.next.append(event)

    def down(self, is_down):
        self.floor.line.is_down = is_down

    def kill(self, point, count):
        self.floor.kill_at(point, count)

    def deliver(self):
        self.survive(self.floor.deliver)

    def arrive(self):
        self.floor.line.arrive()

    def finish(self):
        """The wallet works, the host too: compare every account with the computed balance."""
        floor = self.floor
        floor.pit.ledger.at = lambda step: None
        floor.line.next = []
        if self.rounds[-1]["bets"]:
            self.end(BLACK)
        floor.settle()
        assert set(floor.states()) <= {"held"}
        for who, account in enumerate(self.players):
            due = BEGAN - self.spent[who]
            for played in self.rounds:
                for whose, kind, cents in played["bets"].values():
                    if whose == who:
                        due += paid(kind, cents, played["pocket"]) - cents
            assert floor.at_wallet(account) - floor.held_cents(account) == due
            assert floor.here(account) == 0
        with floor.pit.ledger.read() as db:
            assert check(db).problems == []
        floor.close()


@settings(max_examples=share(200, 40), deadline=None)
@given(st.lists(STEPS, min_size=8, max_size=40))
def test_no_cent_is_lost_or_doubled(steps):
    """Every account at the wallet is what the bets that were answered come to."""
    with tempfile.TemporaryDirectory() as folder:
        story = Story(folder)
        for name, *values in steps:
            getattr(story, name)(*values)
        story.finish()
