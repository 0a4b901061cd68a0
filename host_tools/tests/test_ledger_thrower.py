"""Whose turn it is to throw, said by a dealer: hc2023 4:2(4), 4:3(4), 4:4(5). By hand."""

import json

import pytest
from sqlalchemy import select

from host_tools.tests.pit import FRENCH, FULL
from host_tools.tests.test_ledger_corrections import BARBUT, DICEBALL, Table
from host_tools.tests.throws import faces
from tabletools.api import fairness
from tabletools.audit.error_budget import Test
from tabletools.money import play_queries
from tabletools.store import LedgerRejection
from tabletools.store.schema.books import outbox
from tabletools.store.schema.people import audit_log
from tabletools.store.schema.play import rounds
from tabletools.table import thrower
from tabletools.table.thrower import DECLINED, NAMED, WON, Thrower
from tabletools.table.verify import check
from tablewire.codes import SYSTEM_INTERRUPTION
from tablewire.dice_tray import DICE_RESULT, WHEEL_DICE
from tablewire.messages import ROUND_OPENED, ROUND_VOID


@pytest.fixture
def table(ledger_place):
    """A table of Diceball; every test ends with a sound ledger."""
    new_table = Table(ledger_place, terms=DICEBALL)
    yield new_table
    with new_table.ledger.read() as db:
        assert check(db).problems == []
    new_table.ledger.close()


def move(table, place, why=NAMED, account=None):
    thrower.move(table.ledger, table.lease, place, why, table.both[1], account)


def open_round(table, number):
    table.say(ROUND_OPENED, (WHEEL_DICE, 2, 60_000), number)


def refused(table, place, why=NAMED, account=None):
    with pytest.raises(LedgerRejection) as error:
        move(table, place, why, account)
    return error.value.code


def by_round(table):
    """The place that threw in each round, oldest first."""
    with table.ledger.read() as db:
        keys = db.execute(select(rounds.c.id).order_by(rounds.c.id)).scalars().all()
        turns = [thrower.of_round(db, key) for key in keys]
    return [turn and turn.place for turn in turns]


def test_each_round_has_the_thrower_it_was_played_with(table):
    table.throw(1, (3, 4))
    move(table, 2)
    table.throw(2, (1, 2))
    table.throw(3, (6, 6))
    move(table, 3, WON)
    table.throw(4, (2, 2))
    assert by_round(table) == [None, 2, 2, 3]


def test_a_player_who_declines_before_the_throw_throws_in_no_round(table):
    """While bets are open the turn goes from place 2 to 3, who declines, and 4 throws."""
    move(table, 2)
    open_round(table, 1)
    move(table, 3, DECLINED)
    move(table, 4, DECLINED)
    table.close(1)
    assert by_round(table) == [4]


def test_a_winning_throw_passes_the_dice_on_before_its_result_arrives(table):
    """After no more bets the throw that won is this one; while bets are open, the one before."""
    move(table, 2)
    open_round(table, 1)
    table.close(1)
    move(table, 3, WON)
    table.say(DICE_RESULT, faces(3, 4, frame=b"picture"), 1)
    open_round(table, 2)
    assert by_round(table) == [2, 3]
    move(table, 4, WON)
    assert by_round(table) == [2, 4]


def test_the_thrower_of_a_void_round_keeps_the_dice(table):
    """READING-5: an invalid throw decides nothing."""
    move(table, 5)
    open_round(table, 1)
    table.close(1)
    table.say(ROUND_VOID, (SYSTEM_INTERRUPTION, 1, 255, 65535, 0, 0, 65535, 65535), 1)
    table.throw(2, (3, 4))
    assert by_round(table) == [5, 5]


def test_nobody_throws_after_the_turn_ends(table):
    move(table, 1)
    table.throw(1, (1, 1))
    thrower.end(table.ledger, table.lease, table.both[0])
    table.throw(2, (1, 1))
    assert by_round(table) == [1, None]
    with pytest.raises(LedgerRejection, match="nobody has the turn at table R1"):
        thrower.end(table.ledger, table.lease, table.both[0])
    with table.ledger.read() as db:
        assert thrower.present(db, table.table) is None


def test_what_cannot_be_is_refused(table):
    assert refused(table, 2, WON) == refused(table, 2, DECLINED) == "no_thrower"
    assert refused(table, 0) == refused(table, 21) == "place_invalid"
    assert refused(table, 2, account=99) == "no_such_player"
    with table.ledger.read() as db:
        bank = db.exec_driver_sql("SELECT MAX(id) FROM accounts WHERE kind <> 'player'").scalar()
    assert refused(table, 2, account=bank) == "no_such_player"
    move(table, 2, account=table.ada)
    assert refused(table, 2, account=table.ada) == "thrower_unchanged"
    move(table, 2, account=table.ben)
    with table.ledger.read() as db:
        assert thrower.present(db, table.table) == Thrower(2, table.ben, "BEN")


def test_at_a_wheel_no_player_throws(ledger_place):
    pit = Table(ledger_place, terms=FRENCH)
    assert refused(pit, 1) == "no_dice"
    pit.ledger.close()


def test_the_turn_moves_no_stake(ledger_place):
    """Barbut: a 3-3 pays EUR 10 on B 1:1 whoever has the turn; hc2023 4:4(4)."""
    table = Table(ledger_place, terms=BARBUT)
    for number, place in enumerate((1, 2), start=1):
        move(table, place)
        table.throw(number, (3, 3), (table.ada, "B", 1000))
        assert table.balance(table.ada) == FULL + number * 1000
    table.ledger.close()


def test_a_change_is_sent_and_noted(table):
    move(table, 2, account=table.ada)
    move(table, 3, WON)
    with table.ledger.read() as db:
        query = select(outbox.c.data).where(outbox.c.type == thrower.CHANGED)
        sent = [json.loads(data) for data in db.execute(query.order_by(outbox.c.id)).scalars()]
        query = select(audit_log.c.who, audit_log.c.detail).where(audit_log.c.action == "thrower")
        noted = [(who, json.loads(detail)) for who, detail in db.execute(query)]
    first = {"place": 2, "player": "ADA", "why": "named"}
    second = {"place": 3, "player": None, "why": "won"}
    head = {"table": table.table, "user": "Dan"}
    assert sent == [head | first, head | second]
    assert noted == [("Dan", first), ("Dan", second)]


def test_the_audit_tests_each_thrower_alone(table):
    """By player where one is named, else by place; two throws each are too few to judge."""
    with table.ledger.read() as db:
        assert thrower.names(db, table.table, [1, None]) == ["", ""]
    move(table, 1, account=table.ada)
    for number in range(1, 5):
        if number == 3:
            move(table, 2, WON)
        table.throw(number, (6, 6))
    with table.ledger.read() as db:
        keys = db.execute(select(rounds.c.id).order_by(rounds.c.id)).scalars().all()
        assert thrower.names(db, table.table, [*keys, None]) == [
            "ADA",
            "ADA",
            "place 2",
            "place 2",
            "",
        ]
        row = play_queries.table_row(db, table.table)
        _, report = fairness.report_of(db, row)
    assert report.spins.groups == {"thrower": ["ADA", "ADA", "place 2", "place 2"]}
    [untested] = [one for one in report.findings.untested if one.test == Test.THROWER]
    assert untested.reason == "2 in the column thrower: needs 2, and one with 500 faces"
