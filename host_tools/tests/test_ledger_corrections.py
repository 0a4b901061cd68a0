"""Corrections of rounds whose stakes played on: later rounds are settled again. Cents by hand."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from hil_tests.thinned import share
from host_tools.tests import machines
from host_tools.tests.pit import FRENCH, FULL, Pit
from host_tools.tests.test_ledger_cards import WAR
from host_tools.tests.test_ledger_draws import BINGO, FIRST, KENO, WON
from host_tools.tests.throws import faces
from tabletools.evidence import Terms
from tabletools.money import play_queries
from tabletools.money.adjustments import Adjustment, adjust
from tabletools.money.outbox_queries import due
from tabletools.money.play_queries import Search
from tabletools.shadow import ledger as shadows
from tabletools.store import LedgerRejection, Store
from tabletools.store.schema.books import accounts
from tabletools.store.schema.play import bets
from tabletools.table.rulings import BetRuling, rule_bet
from tabletools.table.unsettled_stakes import end_stakes
from tabletools.table.verify import check
from tablewire.dice_tray import DICE_RESULT, WHEEL_DICE
from tablewire.messages import ROUND_OPENED

PRISON = {"choice": "prison"}
DICEBALL = Terms("diceball", "hc2023", None, {"minimum": 500}, dice_reading="device")
BARBUT = Terms("barbut", "hc2023", None, {"minimum": 500}, dice_reading="device")


class Table(Pit):
    """A table at which rulings are previewed, as at the console."""

    def correct(self, number, outcome):
        """Two users preview a ruling and make it; returns the rounds that it settles."""
        preview = self.preview(number, outcome)
        self.rule(number, outcome, preview=preview.digest)
        after = {one.account: one.after_cents for one in preview.balances}
        assert all(self.balance(account) == cents for account, cents in after.items())
        return [each.number for each in preview.rounds]

    def escrow(self):
        """The open stakes, cents."""
        with self.ledger.read() as db:
            query = select(accounts.c.balance_cents).where(accounts.c.kind == "escrow")
            return db.execute(query).scalar_one()

    def shown(self):
        """Pockets in the list of rounds, oldest first."""
        with self.ledger.read() as db:
            rows = play_queries.round_rows(db, Search(most=200))
        return [row["outcome"].get("pocket") for row in reversed(rows)]

    def throw(self, number, dice, *placed):
        """A round of a dice tray."""
        self.say(ROUND_OPENED, (WHEEL_DICE, 2, 60_000), number)
        for account, bet, cents, *on in placed:
            self.place(account, bet, cents, **({"on": on[0]} if on else {}))
        self.close(number)
        self.say(DICE_RESULT, faces(*dice, frame=b"picture"), number)

    def sound(self):
        """`ledger verify` and the shadow agree with every line."""
        with self.ledger.read() as db:
            assert check(db).problems == []
            assert [str(each) for each in shadows.check(db).differences] == []


@pytest.fixture
def make_table(ledger_place):
    """A table by terms; every test ends with a sound ledger."""
    tables = []

    def table(terms=FRENCH):
        tables.append(Table(ledger_place, terms=terms))
        return tables[0]

    yield table
    tables[0].sound()
    tables[0].ledger.close()


def three_spins(table):
    """EUR 10 on red: zero imprisons it, a second zero costs half, red 1 frees the other half."""
    table.play(1, 0, (table.ada, "red", 1000, PRISON))
    table.play(2, 0, (table.ben, "black", 500))
    table.play(3, 1, (table.ben, "red", 500))
    assert table.money() == (-500, -250 + 500)


CHAIN = [
    # Spin 1 as corrected, what Ada and Ben have won then: Ben's bets are decided as before.
    ("2", -1000),  # black: lost, spins 2 and 3 have no stake of hers
    ("1", 1000),  # red: an even chance won
    ("0", -500),  # and back: imprisoned, half lost, half returned
    ("18", 1000),
    ("0", -500),
]


def test_a_chain_of_three_spins_is_corrected_and_corrected_back(make_table):
    """The first correction of each changes all three rounds, one without stakes in them only 1."""
    table = make_table()
    three_spins(table)
    seen = []
    for pocket, cents in CHAIN:
        seen.append(table.correct(1, {"pocket": pocket}))
        assert (table.money(), table.escrow()) == ((cents, 250), 0)
        table.sound()
    assert seen == [[1, 2, 3], [1], [1, 2, 3], [1, 2, 3], [1, 2, 3]]
    assert table.shown() == ["0", "0", "1"]


def test_the_second_spin_is_corrected(make_table):
    """Red in spin 2 frees the whole stake; black loses it; back to zero it is half lost again."""
    table = make_table()
    three_spins(table)
    for pocket, cents, bens in (("1", 0, -500), ("2", -1000, 500), ("0", -500, -250)):
        table.correct(2, {"pocket": pocket})
        assert (table.money(), table.escrow()) == ((cents, bens + 500), 0)


def test_a_chain_needs_a_preview_of_all_of_it(make_table):
    """What two users did not see is not settled; a chain that changed meanwhile neither."""
    table = make_table()
    three_spins(table)
    with pytest.raises(LedgerRejection, match="also settles round 2 3 again") as refused:
        table.rule(1, {"pocket": "2"})
    assert refused.value.code == "preview_needed"
    before = table.preview(1, {"pocket": "2"})
    table.correct(3, {"pocket": "3"})
    with pytest.raises(LedgerRejection, match="another effect"):
        table.rule(1, {"pocket": "2"}, preview=before.digest)
    assert table.money() == (-500, 250)


def test_a_chain_through_a_round_that_became_void(make_table):
    """Spin 2 void: Ada's stake waits for spin 3, which frees it; spin 1 corrected: lost or won."""
    table = make_table()
    three_spins(table)
    table.correct(2, {"void": "ball on the rim"})
    assert table.money() == (0, 500)  # red 1 frees the whole stake, Ben's black is returned
    for pocket, cents in [*CHAIN[:2], ("0", 0)]:
        table.correct(1, {"pocket": pocket})
        assert (table.money(), table.escrow()) == ((cents, 500), 0)
    table.correct(3, {"void": "dome open"})
    assert (table.money(), table.escrow()) == ((-1000, 0), 1000)
    table.play(4, 2)
    assert (table.money(), table.escrow()) == ((-1000, 0), 0)
    table.correct(1, {"pocket": "1"})
    assert (table.money(), table.escrow()) == ((1000, 0), 0)


def test_a_stake_that_is_imprisoned_by_a_correction_is_decided_by_the_next_spin(make_table):
    """17 lost EUR 10 on red; it was zero: black 2 had fallen next, and lost it, not the fourth."""
    table = make_table()
    table.play(1, 17, (table.ada, "red", 1000, PRISON), (table.ben, "black", 500, PRISON))
    table.play(2, 2)
    table.play(3, 1)
    table.open(4)
    assert table.money() == (-1000, 500)
    assert table.correct(1, {"pocket": "0"}) == [1, 2]
    assert (table.money(), table.escrow()) == ((-1000, 0), 0)  # Ben's black was freed
    table.close(4)
    table.end(4, 1)
    assert table.money() == (-1000, 0)


def test_a_stake_joins_the_round_that_runs_where_the_chain_reaches_it(make_table):
    """Corrected to zero twice while spin 3 is open: half of the stake is in play there."""
    table = make_table()
    table.play(1, 2, (table.ada, "red", 1000, PRISON))
    table.play(2, 0)
    table.open(3)
    assert table.correct(1, {"pocket": "0"}) == [1, 2]
    assert (table.money(), table.escrow()) == ((-1000, 0), 500)
    table.close(3)
    table.end(3, 1)
    assert (table.money(), table.escrow()) == ((-500, 0), 0)


def test_stakes_that_two_users_ended_are_recalled(make_table):
    """A table that plays no more: the refund is taken back where the stake was won or lost."""
    table = make_table()
    table.play(1, 0, (table.ada, "red", 1000, PRISON))
    end_stakes(table.ledger, table.lease, table.both, "sold", "end")
    assert table.money() == (0, 0)
    for pocket, cents in (("2", -1000), ("1", 1000), ("0", 0)):
        table.correct(1, {"pocket": pocket})
        assert (table.money(), table.escrow()) == ((cents, 0), 0)


def test_a_chain_over_a_restart_and_a_kill(make_table, ledger_place):
    """The host dies within the correction: nothing of it is there; the next one completes it."""
    table = make_table()
    three_spins(table)
    preview = table.preview(1, {"pocket": "2"})

    class Killed(BaseException):
        pass

    def die(step):
        if step == "before_commit":
            raise Killed

    live, table.ledger = table.ledger, Store.open(ledger_place, clock=table.clock, at=die)
    with pytest.raises(Killed):
        table.rule(1, {"pocket": "2"}, preview=preview.digest, key="once")
    table.ledger = live
    assert table.money() == (-500, 250)
    table.sound()
    table.clock.pass_ms(10_001)  # a lease is for 10 s
    table.attach("host b")
    table.rule(1, {"pocket": "2"}, preview=preview.digest, key="once")
    table.clock.pass_ms(10_001)
    table.attach("host c")
    table.rule(1, {"pocket": "2"}, preview=preview.digest, key="once", settled=1)
    assert (table.money(), table.escrow()) == ((-1000, 250), 0)
    table.correct(1, {"pocket": "0"})
    assert (table.money(), table.escrow()) == ((-500, 250), 0)


def test_every_round_of_a_chain_is_announced(make_table):
    """Who, why and evidence; the rounds after keep their outcome and name the corrected one."""
    table = make_table()
    three_spins(table)
    table.correct(1, {"pocket": "2"})
    sent = [e for e in due(table.ledger, "sink").events if e.type.endswith("corrected")]
    data = [json.loads(event.data) for event in sent]
    assert [(one["number"], one["generation"], one["outcome"]["pocket"]) for one in data] == [
        (1, 2, "2"),
        (2, 2, "0"),
        (3, 2, "1"),
    ]
    assert [one["superseded"]["pocket"] for one in data] == ["0", "0", "1"]
    assert [one.get("follows") for one in data] == [None, data[0]["round"], data[0]["round"]]
    assert all(
        (one["users"], one["reason"], one["evidence"])
        == (["Sue", "Dan"], "seen", "camera 4, 21:07")
        for one in data
    )


def test_diceball_plays_on(make_table):
    """A hard line on 3-3, EUR 5: 1-2 stands, 3-3 pays 25.00 and stands, 3-4 loses the stake."""
    table = make_table(DICEBALL)
    table.throw(1, (1, 2), (table.ada, "hard", 500, [3]))
    table.throw(2, (3, 3))
    table.throw(3, (3, 4))
    assert (table.money(), table.escrow()) == ((2_500 - 500, 0), 0)
    for number, dice, cents in (
        (1, [1, 6], -500),  # lost at once
        (1, [3, 3], 5_000 - 500),  # two wins before the 7
        (1, [1, 2], 2_000),
        (2, [1, 1], -500),  # stands, and the 7 takes it
        (2, [3, 3], 2_000),
    ):
        table.correct(number, {"dice": dice})
        assert (table.money(), table.escrow()) == ((cents, 0), 0)
        table.sound()
    table.correct(3, {"dice": [1, 1]})
    assert (table.money(), table.escrow()) == ((2_000, 0), 500)


def test_barbut_plays_on(make_table):
    """A against B, EUR 10 each: 1-3 decides nothing, 1-1 pays A 0.5:1; corrected: B wins 1:1."""
    table = make_table(BARBUT)
    table.throw(1, (1, 3), (table.ada, "A", 1000), (table.ben, "B", 1000))
    table.throw(2, (1, 1))
    assert table.money() == (500, -1000)
    for number, dice, money in (
        (1, [3, 3], (-1000, 1000)),
        (1, [1, 3], (500, -1000)),
        (2, [5, 6], (-1000, 1000)),
        (1, [2, 2], (1000, -1000)),
    ):
        table.correct(number, {"dice": dice})
        assert (table.money(), table.escrow()) == (money, 0)


def test_a_series_of_keno_plays_on(make_table):
    """Three draws at EUR 2 on 1, which pays 5:2: only the second hit; corrected, the first too."""
    table = make_table(KENO)
    hit, miss = list(range(1, 21)), list(range(21, 41))
    table.open(1)
    table.place(table.ada, "numbers", 600, on=[1], games=3)
    table.close(1)
    for number, drawn in ((1, miss), (2, hit), (3, miss)):
        if number > 1:
            table.open(number)
            table.close(number)
        for record in machines.drawn(drawn, 80):
            table.say(*record, number)
    assert (table.money(), table.escrow()) == ((-100, 0), 0)
    for number, drawn, cents in ((1, hit, 400), (2, miss, -100), (1, miss, -600)):
        table.correct(number, {"drawn": drawn})
        assert (table.money(), table.escrow()) == ((cents, 0), 0)


def test_bingo_is_corrected(make_table):
    """A card is decided by its own draw: another last ball, and nobody has a row."""
    table = make_table(BINGO)
    table.open(1)
    table.place(table.ada, "card", 200, on=FIRST)
    table.close(1)
    for record in machines.drawn(WON, 80):
        table.say(*record, 1)
    assert table.money() == (49_801, 0)
    table.correct(1, {"drawn": [4, 3, 2, 77, 1]})
    assert table.money() == (49_801, 0)
    table.correct(1, {"void": "two balls fell at once"})
    assert table.money() == (0, 0)


def test_a_late_bet_that_counts_is_carried_through(make_table):
    """Imprisoned at zero once two users rule it valid: black had fallen next, and takes it."""
    table = make_table()
    table.open(1)
    table.close(1)
    late = table.place(table.ada, "red", 1000, choice="prison")
    assert late.standing == "referred"
    table.end(1, 0)
    table.play(2, 2, (table.ben, "black", 500))
    ruling = BetRuling(late.bet, True, table.both, "seen in time", "late")
    rule_bet(table.ledger, table.lease, ruling)
    assert (table.money(), table.escrow()) == ((-1000, 500), 0)


def test_a_chain_stops_at_a_round_that_was_ruled_on_bet_by_bet(make_table):
    """Casino War: 9 against 9, the war is won by a king. The bank had an 8: EUR 10 won, no war.

    By the step of the refusal: the stakes of the war returned, then the deal corrected.
    """
    table = make_table(WAR)
    table.open(1)
    bet = table.place(table.ada, "bet", 1000).bet
    table.close(1)

    def deal(cards, bank, number, **more):
        return {"bank": bank, "boxes": {"1": {"cards": cards, "bets": [str(number)], **more}}}

    war = {str(table.ada): "war"}
    table.correct(1, deal("9H", "9S", bet, decisions=war))
    table.open(2)
    table.close(2)
    with table.ledger.read() as db:
        carried = db.execute(select(bets.c.id).where(bets.c.carried_from == bet)).scalar_one()
    second = {"player": str(table.ada), "bet": "war", "stake": 1000}
    table.correct(2, deal("KH", "2S", carried, later=[second]))
    assert (table.money(), table.escrow()) == ((1000, 0), 0)
    eight = deal("9H", "8S", bet)
    with pytest.raises(LedgerRejection, match="ruled on bet by bet") as refused:
        table.correct(1, eight)
    assert refused.value.code == "stakes_played_on"
    table.correct(2, {"stakes_back": "no war was due"})
    assert (table.money(), table.escrow()) == ((0, 0), 0)
    assert table.correct(1, eight) == [1, 2]
    assert (table.money(), table.escrow()) == ((1000, 0), 0)


def test_an_adjustment_is_none_of_its_round(make_table):
    """A round with an adjustment still adds up to its bets, also after it was corrected."""
    table = make_table()
    three_spins(table)
    said = (700, table.table, table.both, "paid to ben", "camera 4", "key", table.key(1))
    assert adjust(table.ledger, Adjustment(table.ada, *said))[1] == FULL - 500 + 700
    table.correct(1, {"pocket": "2"})
    assert table.money() == (-1000 + 700, 250)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE adjustments SET amount_cents = 900", "does not move 900 cents"),
        ("DELETE FROM adjustments", "an adjustment that no two users decided"),
        ("DELETE FROM outbox WHERE event_id LIKE 'adjust%'", "was never announced"),
    ],
)
def test_a_changed_adjustment_is_found(tmp_path, statement, problem):
    """`ledger verify` names it; the shadow too, where its cents are not what two users decided."""
    table = Table(str(tmp_path / "ledger"))
    said = (700, table.table, table.both, "paid to ben", "camera 4", "key")
    adjust(table.ledger, Adjustment(table.ada, *said))
    name = statement.split()[2] if statement.startswith("DELETE") else statement.split()[1]
    change = statement.split()[0].lower()
    with table.ledger.write() as db:
        db.exec_driver_sql(f"DROP TRIGGER {name}_no_{change}")
        db.exec_driver_sql(statement)
    with table.ledger.read() as db:
        assert any(problem in one for one in check(db).problems)
        assert len(shadows.check(db).differences) == (name == "adjustments")
    table.ledger.close()


BETS = st.sampled_from(["red", "black", "even", "low"])
POCKETS = st.sampled_from([0, 0, 0, 1, 2, 17, 36, None])
ROUNDS = st.lists(
    st.tuples(POCKETS, st.lists(st.tuples(st.booleans(), BETS), max_size=2)),
    min_size=2,
    max_size=5,
)
CORRECTIONS = st.lists(st.tuples(st.integers(0, 4), POCKETS), min_size=1, max_size=4)


def outcome_of(pocket):
    return {"void": "seen"} if pocket is None else {"pocket": str(pocket)}


@settings(
    max_examples=share(15, 3),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(ROUNDS, CORRECTIONS)
def test_corrections_come_to_what_the_corrected_numbers_would_have(empty_ledger, rounds, said):
    """Any corrections, in any order: the balances of playing the corrected numbers at first."""
    corrections = [(place % len(rounds) + 1, pocket) for place, pocket in said]
    final = dict(enumerate((pocket for pocket, _ in rounds), 1)) | dict(corrections)
    came = []
    for pockets, corrected in (
        (final.values(), []),
        ([pocket for pocket, _ in rounds], corrections),
    ):
        table = Table(empty_ledger())
        for number, (pocket, (_, staked)) in enumerate(zip(pockets, rounds, strict=True), 1):
            who = {True: table.ada, False: table.ben}
            own = [(who[is_ada], bet, 1000, PRISON) for is_ada, bet in staked]
            table.play(number, pocket, *own)
        for number, pocket in corrected:
            table.correct(number, outcome_of(pocket))
        came.append((table.money(), table.escrow()))
        table.sound()
        table.ledger.close()
    assert came[0] == came[1]
