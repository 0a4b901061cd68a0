"""The poker room of a pit: stakes held for a hand, pots, the rake on its account. By hand.

oostende2011 3.10: an uncalled bet is in no pot; 3.11: the rake, 1 in 20, by chips of EUR 1.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from host_tools.tests.pit import FULL, Pit
from host_tools.tests.test_chain import owned
from tabletools.evidence import Terms
from tabletools.shadow import ledger as shadow
from tabletools.store import LedgerRejection, Store, books
from tabletools.store.schema.books import accounts
from tabletools.table import verify_rounds
from tabletools.table.verify import check
from tablewire import codes
from tablewire.messages import ROUND_VOID
from tablewire.shuffler import CARD_ROUND_ENDED

LIMITS = {"minimum": 2000, "maximum": 50_000}
ROOM = Terms(
    "poker_room",
    "oostende2011",
    "holdem",
    LIMITS,
    {"rake": [1, 20], "chip": 100, "big_blind": 200},
)
BOARD = "2C 7S TD JC 4H"
ACES, KINGS, NINES = "AH AD", "KH KD", "9H 9D"


class Room(Pit):
    """A pit of one poker table with four players."""

    def __init__(self, place, terms=ROOM):
        super().__init__(place, terms=terms)
        self.cleo, self.dan = (self.player(name) for name in ("cleo", "dan"))
        self.players = [self.ada, self.ben, self.cleo, self.dan]

    def deal(self, number, *held):
        """A hand for which the players hold that much, in cents."""
        self.open(number, "shuffler")
        for player, cents in zip(self.players, held, strict=False):
            self.place(player, "hand", cents)
        self.close(number)
        self.say(CARD_ROUND_ENDED, (5000,), number)

    def end_hand(self, number, put_in, folded=(), mucked=(), **more):
        """Two users say what each player put in, who passed, and what was shown; by place."""
        named = [str(player) for player in self.players]
        outcome = {
            "put_in": {
                player: cents for player, cents in zip(named, put_in, strict=False) if cents
            },
            "folded": [named[place] for place in folded],
            **({"mucked": [named[place] for place in mucked]} if mucked else {}),
            "order": named[: len(put_in)],
            **more,
        }
        if "hands" in more:
            outcome["hands"] = {named[place]: hand for place, hand in more["hands"].items()}
        return self.rule(number, outcome, preview=self.preview(number, outcome).digest)

    def money(self):
        return [self.balance(player) - FULL for player in self.players]

    def of(self, kind):
        with self.ledger.read() as db:
            account = books.find_account(db, kind, f"table {self.table}", "EUR")
            return 0 if account is None else books.balance(db, account)


def verify(pit):
    with pit.ledger.read() as db:
        assert check(db).problems == []
        assert sum(db.execute(select(accounts.c.balance_cents)).scalars()) == 0
        report = shadow.check(db)
        assert (report.differences, report.unjudged) == ([], {})


@pytest.fixture
def room(ledger_place):
    """A table; every test ends with a sound ledger."""
    new_room = Room(ledger_place)
    yield new_room
    verify(new_room)
    new_room.ledger.close()


def test_a_hand_moves_the_pots_and_the_rake(room):
    """Pots 15,700 (cleo, aces) and 30,000 (ada, kings), raked 785 and 1,500."""
    room.deal(1, 20_000, 30_000, 5000, 10_000)
    assert room.money() == [-20_000, -30_000, -5000, -10_000]
    hands = {0: KINGS, 1: NINES, 2: ACES}
    assert room.end_hand(1, [20_000, 20_000, 5000, 700], [3], board=BOARD, hands=hands) == 1
    assert room.money() == [8500, -20_000, 9915, -700]
    assert (room.of("rake"), room.of("house"), room.of("escrow")) == (2285, 0, 0)


def test_uncalled_money_comes_back_and_is_not_raked(room):
    """ada goes to 30,000, ben folds with 10,000 in: a pot of 20,000, rake 1,000."""
    room.deal(1, 30_000, 30_000)
    room.end_hand(1, [30_000, 10_000], [1], board="2C 7S TD")
    assert room.money()[:2] == [9000, -10_000]
    assert room.of("rake") == 1000


def test_a_side_pot_is_not_won_by_who_is_not_in_it(room):
    """cleo holds 2,000 and goes all-in; ada and ben have 20,000 in, ada folds, ben mucks.

    The main pot of 6,000 less 300 is cleo's, the side pot of 36,000 less 1,800 ben's, who had it
    alone when ada folded: he has 34,200 of 20,000. Entered as two folds it is refused.
    """
    room.deal(1, 20_000, 20_000, 2000)
    with pytest.raises(LedgerRejection, match="who passed last had it alone"):
        room.end_hand(1, [20_000, 20_000, 2000], [0, 1], board=BOARD, hands={2: ACES})
    room.end_hand(1, [20_000, 20_000, 2000], [0], [1], board=BOARD, hands={2: ACES})
    assert room.money()[:3] == [-20_000, 14_200, 3700]
    assert room.of("rake") == 2100


def test_verify_names_a_win_that_nobody_matched(tmp_path):
    """ben and ada have 20,000 in and pass to cleo's 2,000. Written are 37,900 for cleo, which with
    the rake of 2,100 is all that they lost; but they matched only 2,000 of each."""
    pit = Room(tmp_path / "ledger")
    pit.deal(1, 20_000, 20_000, 2000)
    pit.end_hand(1, [20_000, 20_000, 2000], [0], [1], board=BOARD, hands={2: ACES})
    cleo = pit.cleo
    pit.ledger.close()
    with owned(tmp_path / "ledger") as db:
        whose = "WHERE bet_id = (SELECT id FROM bets WHERE account_id = ?)"
        lost = "UPDATE settlements SET outcome = 'lose', win_cents = 0, back_cents = 0,"
        db.execute(f"{lost} lost_cents = 20000 {whose}", [pit.ben])
        db.execute(f"UPDATE settlements SET win_cents = 37900 {whose}", [cleo])
    store = Store.open_any(tmp_path / "ledger")
    with store.read() as db:
        problems = " ".join(verify_rounds.problems(db, 1, 1))
    store.close()
    assert "wins 37900 and matched 4000 of the others" in problems


def test_a_correction_takes_pots_and_rake_back(room):
    """The hands were mixed up; then no hand counts."""
    room.deal(1, 10_000, 10_000)
    room.end_hand(1, [4000, 4000], board=BOARD, hands={0: ACES, 1: KINGS})
    assert room.money()[:2] == [3600, -4000]
    assert room.end_hand(1, [4000, 4000], board=BOARD, hands={0: KINGS, 1: ACES}) == 2
    assert room.money()[:2] == [-4000, 3600]
    assert room.of("rake") == 400
    assert room.rule(1, {"misdeal": "first_card_flashed", "acted": 0}) == 3
    assert room.money() == [0, 0, 0, 0]
    assert room.rule(1, {"stakes_back": "a marked deck"}) == 4
    assert room.money() == [0, 0, 0, 0]
    assert room.of("rake") == 0


def test_actions_are_verified(room):
    """The small blind folds: ada has 100 of it, before the flop there is no rake."""
    preflop = [
        {"player": str(room.ben), "action": "small_blind", "amount": 100},
        {"player": str(room.ada), "action": "big_blind", "amount": 200},
        {"player": str(room.ben), "action": "fold"},
    ]
    room.deal(1, 10_000, 10_000)
    order = [str(room.ben), str(room.ada)]
    with pytest.raises(LedgerRejection, match="come to 200"):
        room.end_hand(1, [300, 100], [1], actions={"preflop": preflop}, order=order)
    room.end_hand(1, [200, 100], [1], actions={"preflop": preflop}, order=order)
    assert room.money()[:2] == [100, -100]


def test_a_void_of_a_hand(room):
    """Before no more bets the table's void returns all; afterwards two users decide."""
    tilt = (codes.TILT, 1, 255, 65535, 0, 0, 65535, 65535)
    room.open(1, "shuffler")
    room.place(room.ada, "hand", 5000)
    room.say(ROUND_VOID, tilt, 1)
    assert room.money()[0] == 0
    room.open(2, "shuffler")
    room.place(room.ada, "hand", 5000)
    room.place(room.ben, "hand", 5000)
    room.close(2)
    room.say(ROUND_VOID, tilt, 2)
    assert room.money()[0] == -5000
    room.rule(2, {"void": "tilt"})
    assert room.money() == [0, 0, 0, 0]


def test_a_player_holds_what_he_has(room):
    """By chips, within the limits, once, with money that is there; a bet never folds."""
    room.open(1, "shuffler")
    for cents, slip, what in (
        (1900, {}, "below the minimum"),
        (50_100, {}, "above the maximum"),
        (2050, {}, "not a multiple of the smallest chip"),
        (5000, {"choice": "fold"}, "says in folded"),
    ):
        with pytest.raises(LedgerRejection, match=what):
            room.place(room.ada, "hand", cents, **slip)
    first = room.place(room.ada, "hand", 5000).bet
    with pytest.raises(LedgerRejection, match="one bet"):
        room.place(room.ada, "hand", 5000)
    room.place(room.ada, "hand", 50_000, replaces=first)
    assert room.balance(room.ada) == 50_000
    room.close(1)
    with pytest.raises(LedgerRejection, match="bets are closed"):
        room.place(room.ben, "hand", 5000)
    room.say(CARD_ROUND_ENDED, (5000,), 1)
    room.rule(1, {"void": "one player"})


def test_a_stack_stays_on_the_table(room):
    """oostende2011 3.9, 3.12, 3.13, 3.16: by hand 1 ada has 95.000 less nothing, ben is out.

    100,000 less the rake of 5,000 is ada's: above the maximum of 50,000, it stays as it is. cleo
    has 500 of 2,000 left, below the minimum, and may add up to the maximum. Two hours later ada
    buys in.
    """
    room.deal(1, 50_000, 50_000, 2000)
    hands = {0: ACES, 1: KINGS}
    room.end_hand(1, [50_000, 50_000, 1500], [2], board=BOARD, hands=hands)
    stack = room.balance(room.ada) - (FULL - 50_000)
    room.open(2, "shuffler")
    for player, cents, what in (
        (room.ada, 50_000, "no chips are taken off"),
        (room.ada, stack + 100, "above the maximum buy-in"),
        (room.cleo, 400, "no chips are taken off"),
        (room.cleo, 50_100, "above the maximum buy-in"),
        (room.ben, 1900, "below the minimum buy-in"),
    ):
        with pytest.raises(LedgerRejection, match=what):
            room.place(player, "hand", cents)
    room.place(room.ada, "hand", stack)
    added = room.place(room.cleo, "hand", 2500).bet
    room.place(room.cleo, "hand", 500, replaces=added)
    room.place(room.ben, "hand", 2000)
    room.close(2)
    room.say(CARD_ROUND_ENDED, (5000,), 2)
    room.rule(2, {"void": "end of the night"})


def test_what_was_put_in_is_always_given(room):
    """Without it whole stakes would be in the pot."""
    room.deal(1, 10_000, 10_000)
    named = {str(room.ada): ACES, str(room.ben): KINGS}
    with pytest.raises(LedgerRejection, match="what they put in is missing"):
        room.preview(1, {"board": BOARD, "hands": named})
    room.rule(1, {"void": "test"})


HANDS = st.tuples(
    st.lists(st.integers(1, 50), min_size=2, max_size=4),
    st.permutations([ACES, KINGS, NINES, "3H 3D"]),
    st.sets(st.integers(0, 3), max_size=2),
    st.booleans(),
)


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(HANDS, min_size=1, max_size=4))
def test_every_cent_is_somewhere(empty_ledger, played):
    """Random hands, each corrected or not: players and rake have what players had."""
    pit, stacks = Room(empty_ledger()), [0] * 4
    for number, (units, cards, folded, is_again) in enumerate(played, 1):
        many = len(units)
        held = [max(5000, stack) for stack in stacks[:many]]
        if any(pit.balance(who) < each for who, each in zip(pit.players, held, strict=False)):
            break
        had = [pit.balance(player) for player in pit.players]
        pit.deal(number, *held)
        out = [place for place in folded if place < many]
        out = out[: many - 1]
        hands = {place: cards[place] for place in range(many) if place not in out}
        put_in = [100 * unit for unit in units]
        pit.end_hand(number, put_in, mucked=out, board=BOARD, hands=hands)
        if is_again:
            pit.end_hand(number, put_in[::-1], mucked=out, board=BOARD, hands=hands)
        stacks[:many] = [
            each + pit.balance(who) - before
            for each, who, before in zip(held, pit.players, had, strict=False)
        ]
        assert sum(pit.money()) + pit.of("rake") == 0
        assert pit.of("rake") >= 0
        assert (pit.of("escrow"), pit.of("house")) == (0, 0)
    verify(pit)
    pit.ledger.close()
