"""Keno and Bingo in the ledger: forms and cards sold, settled by the draw. By hand."""

import pytest

from host_tools.tests import machines
from host_tools.tests.test_ledger_cards import Table as Cards
from host_tools.tests.test_ledger_rulings import Table as Counted
from tabletools.evidence import Terms
from tabletools.store import LedgerRejection
from tabletools.table.unsettled_stakes import end_stakes
from tabletools.table.verify import check
from tablewire import codes
from tablewire.messages import PHASE_BETS_OPEN

KENO = Terms(
    "keno", "hc2023", None, {"minimum": 100}, {"pays": {"2": {"2": 12}, "1": {"1": [5, 2]}}}
)
BINGO = Terms("bingo", "hc2023", "80", {"price": 200}, {"pattern": "row", "prize": 50_001})
FIRST = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
OTHER = [[21, 2, 3, 4], [5, 6, 7, 28], [9, 10, 31, 12], [13, 34, 15, 16]]
WON = [4, 3, 77, 2, 1]


class Machine(Counted, Cards):
    """A pit of one draw machine."""

    def draw(self, number, balls, of, *bets, lost=None):
        """A round with bets; a ball at the place lost is reported after the others."""
        self.open(number)
        for account, bet, on, cents in bets:
            self.place(account, bet, cents, on=on)
        self.close(number)
        late = None
        for place, record in enumerate(machines.drawn(balls, of)):
            if place == lost:
                late = self.frame(*record, number)
            else:
                self.say(*record, number)
        return late


@pytest.fixture
def make_machine(ledger_place):
    """A machine by terms; every test ends with a sound ledger."""
    tables = []

    def table(terms):
        tables.append(Machine(ledger_place, terms=terms))
        return tables[0]

    yield table
    with tables[0].ledger.read() as db:
        assert check(db).problems == []
    tables[0].ledger.close()


def test_keno(make_machine):
    """Two of two pay 12 for the EUR 10 of the form, which is spent; a miss is lost."""
    pit = make_machine(KENO)
    forms = (pit.ada, "numbers", [2, 40], 1000), (pit.ben, "numbers", [1], 200)
    pit.draw(1, list(range(40, 1, -2)), 80, *forms)
    assert pit.money() == (11_000, -200)
    assert pit.generations() == [f'{{"drawn": {list(range(2, 41, 2))}}}']


def test_a_series_is_paid_draw_by_draw(make_machine):
    """Three games at EUR 2: spent, hit at 5:2, then void and played after that: EUR 5 won of 6."""
    pit = make_machine(KENO)
    hit, miss = list(range(1, 21)), list(range(21, 41))
    pit.open(1)
    pit.place(pit.ada, "numbers", 600, on=[1], games=3)
    for cents, games, code in (
        (500, 3, "stake_not_divisible"),
        (2100, 21, "selection_invalid"),
        (150, 3, "below_minimum"),
    ):
        with pytest.raises(LedgerRejection) as caught:
            pit.place(pit.ben, "numbers", cents, on=[1], games=games)
        assert caught.value.code == code
    pit.close(1)
    for record in machines.drawn(miss, 80):
        pit.say(*record, 1)
    assert (pit.money(), pit.open_stakes()) == ((-600, 0), [(1, "plays_on", 400)])
    pit.draw(2, hit, 80)
    assert (pit.money(), pit.open_stakes()) == ((-100, 0), [(2, "plays_on", 200)])
    pit.open(3)
    pit.end(3)
    assert pit.open_stakes() == [(3, "plays_on", 200)]
    pit.draw(4, miss, 80)
    assert (pit.money(), pit.open_stakes()) == ((-100, 0), [])


def test_a_series_that_no_draw_will_end(make_machine):
    """The machine is sold after one of four games: two users give back the other three."""
    pit = make_machine(KENO)
    pit.open(1)
    pit.place(pit.ada, "numbers", 800, on=[1], games=4)
    pit.close(1)
    for record in machines.drawn(list(range(21, 41)), 80):
        pit.say(*record, 1)
    assert end_stakes(pit.ledger, pit.lease, pit.both, "sold", "a")[1] == 600
    assert (pit.money(), pit.open_stakes()) == ((-200, 0), [])


NOT_TAKEN = [
    ([1], 50, "below_minimum"),
    ([1], 150, "not_a_multiple"),
    ([1, 2, 3], 100, "bet_not_offered"),
    ([2, 1], 100, "selection_invalid"),
    ([1, 1], 100, "selection_invalid"),
    ([81], 100, "selection_invalid"),
]


def test_a_form_that_is_not_taken(make_machine):
    """A bet that no draw could settle, or none could pay, is refused when it is placed."""
    pit = make_machine(KENO)
    pit.open(1)
    for on, cents, code in NOT_TAKEN:
        with pytest.raises(LedgerRejection) as caught:
            pit.place(pit.ada, "numbers", cents, on=on)
        assert (caught.value.code, pit.money()) == (code, (0, 0))


def test_bingo(make_machine):
    """The fifth ball completes the first row of Ada's card; Ben's has none."""
    pit = make_machine(BINGO)
    cards = (pit.ada, "card", FIRST, 200), (pit.ben, "card", OTHER, 200)
    pit.draw(1, WON, 80, *cards)
    assert pit.money() == (49_801, -200)


def test_bingo_waits_for_a_ball_and_goes_by_the_order(make_machine):
    """The same balls in another order would have no winner with the last one."""
    pit = make_machine(BINGO)
    late = pit.draw(1, WON, 80, (pit.ada, "card", FIRST, 200), lost=1)
    assert pit.money() == (-200, 0)
    pit.receive(late)
    assert pit.money() == (49_801, 0)
    assert pit.alarms() == []


@pytest.mark.parametrize("round_up", [True, False])
def test_a_prize_two_players_share(make_machine, round_up):
    """5:1(10): 50,001 by two is not a whole cent: 25,001 each by the option, or two users rule."""
    options = {**BINGO.options, "round_up": round_up}
    pit = make_machine(BINGO._replace(options=options))
    same = [[1, 2, 3, 4], *OTHER[1:]]
    pit.draw(1, WON, 80, (pit.ada, "card", FIRST, 200), (pit.ben, "card", same, 200))
    if round_up:
        assert pit.money() == (24_801, 24_801)
    else:
        assert pit.money() == (-200, -200)
        [(kind, text)] = pit.alarms()
        assert (kind, "does not divide by 2" in text) == ("unsettled", True)
        assert pit.rule(1, {"void": "prize"}) == 1
        assert pit.money() == (0, 0)


def test_two_cards_of_one_player_share_his_part(make_machine):
    """One player has it: the whole prize, 25,001 and 25,000 over his cards."""
    pit = make_machine(BINGO)
    same = [[1, 2, 3, 4], *OTHER[1:]]
    pit.draw(1, WON, 80, (pit.ada, "card", FIRST, 200), (pit.ada, "card", same, 200))
    assert pit.money() == (50_001 - 400, 0)


def test_a_false_call_stops_the_table(make_machine):
    """No card has the pattern: no bet is paid; two users enter the balls, then correct them."""
    pit = make_machine(BINGO)
    pit.draw(1, WON[:4], 80, (pit.ada, "card", FIRST, 200))
    [(kind, text)] = pit.alarms()
    assert (kind, "no card has the pattern yet" in text) == ("unsettled", True)
    assert pit.rule(1, {"drawn": WON}) == 1
    assert pit.money() == (49_801, 0)
    assert pit.rule(1, {"void": "cards mixed up"}) == 2
    assert pit.money() == (0, 0)


def test_a_draw_nobody_bought_a_card_for_and_one_that_is_void(make_machine):
    """Neither stops the table; the void gives the price back."""
    pit = make_machine(BINGO)
    pit.draw(1, WON, 80)
    pit.open(2)
    pit.place(pit.ada, "card", 200, on=FIRST)
    pit.say(*machines.void(codes.TILT, PHASE_BETS_OPEN), 2)
    assert (pit.money(), pit.alarms()) == ((0, 0), [])


def test_a_card_that_is_not_sold(make_machine):
    """Another price, or a card of no such form."""
    pit = make_machine(BINGO)
    pit.open(1)
    for cents, on in ((100, FIRST), (400, FIRST), (200, FIRST[:3])):
        with pytest.raises(LedgerRejection):
            pit.place(pit.ada, "card", cents, on=on)
    assert pit.money() == (0, 0)
