"""`tabletool ledger shadow`: rounds of a ledger settled again, and a changed one found."""

import pytest

from host_tools.tests.pit import Pit
from host_tools.tests.test_ledger_jackpots import CARIBBEAN, NOTHING
from host_tools.tests.test_ledger_jackpots import Table as Jackpot
from host_tools.tests.test_ledger_poker_room import ACES, BOARD, KINGS, Room
from tabletools.cli.main import run
from tabletools.errors import UNSOUND
from tabletools.evidence import Terms
from tabletools.store import Actor
from tabletools.table.rulings import preview_round


@pytest.fixture
def pit(tmp_path):
    """A ledger with rounds of every kind: paid, in prison, void, ruled, corrected."""
    pit = Pit(tmp_path / "pit.ledger")
    pit.play(1, 1, (pit.ada, "red", 1000), (pit.ben, "straight", 500, {"numbers": ["17"]}))
    pit.play(2, 0, (pit.ada, "red", 1000, {"choice": "prison"}), (pit.ben, "black", 1000))
    pit.play(3, None, (pit.ben, "low", 2000))
    pit.play(4, 3, (pit.ben, "dozen", 500, {"index": 2}))
    pit.rule(4, {"pocket": "13"})
    yield pit
    pit.ledger.close()


def place(pit):
    return str(pit.ledger.engine.url.database)


def change(pit, *statements):
    """Write past the triggers that refuse it; they are there again afterwards."""
    with pit.ledger.write() as db:
        query = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        guards = dict(db.exec_driver_sql(query).tuples().all())
        for name in guards:
            db.exec_driver_sql(f"DROP TRIGGER {name}")
        for statement in (*statements, *guards.values()):
            db.exec_driver_sql(statement)


def test_a_ledger_settled_right(pit, capsys):
    """Every settlement of every round agrees: two bets each, of which one was in prison."""
    assert run(["ledger", "shadow", place(pit)]) == 0
    out = capsys.readouterr().out
    assert out == "5 settlements of 10 bets settled again\n  judged 5 roulette\nno difference\n"


def test_on_both_databases(ledger_place, capsys):
    """The same on PostgreSQL."""
    pit = Pit(ledger_place)
    pit.play(1, 1, (pit.ada, "red", 1000), (pit.ben, "red", 500))
    pit.ledger.close()
    assert run(["ledger", "shadow", ledger_place]) == 0
    assert "1 settlements of 2 bets settled again" in capsys.readouterr().out


def test_one_day(pit, capsys):
    """The day (UTC) on which it was settled; the clock of the tests begins on 2027-01-15."""
    assert run(["ledger", "shadow", place(pit), "--day", "2027-01-15"]) == 0
    assert "5 settlements of 10 bets" in capsys.readouterr().out
    for day in ("2027-01-14", "2027-01-16"):
        assert run(["ledger", "shadow", place(pit), "--day", day]) == 0
        assert "0 settlements of 0 bets" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "UPDATE settlements SET win_cents = 2000 WHERE bet_id = 1",
            'round 1 (device 7 number 1, roulette), bet 1 ({"bet":"red"}, 1000 cents): '
            "the ledger has win, 2000 won, 1000 back; the shadow win, 1000 won, 1000 back",
        ),
        (
            "UPDATE settlements SET state = 'prison2' WHERE bet_id = 3 AND generation = 1",
            "the ledger has prison, 1000 in play, state prison2; "
            "the shadow prison, 1000 in play, state prison1",
        ),
        (
            "UPDATE settlements SET rule = 'hc2023 2:3(2) pays 1:1' WHERE bet_id = 1",
            '({"bet":"red"}, 1000 cents), paragraphs: '
            "the ledger has hc2023 2:3(2); the shadow has hc2023 2:2(1)",
        ),
        (
            "UPDATE ledger_lines SET amount_cents = amount_cents + 700 "
            "WHERE posting_id = (SELECT posting_id FROM round_settlements WHERE round_id = 1)",
            "posted 2700 cents to it; the shadow expects 2000",
        ),
        (
            "DELETE FROM settlements WHERE bet_id = 2",
            "no settlement of it; the shadow expects one",
        ),
        (
            'UPDATE round_settlements SET outcome = \'{"pocket":"00"}\' WHERE round_id = 1',
            "settled 2 bets; the shadow cannot: no pocket '00'",
        ),
    ],
)
def test_what_was_changed_is_found(pit, capsys, statement, expected):
    """Exit code 7, and the ledger's value beside the shadow's."""
    change(pit, statement)
    assert run(["ledger", "shadow", place(pit)]) == UNSOUND
    out, err = capsys.readouterr()
    assert expected in err
    assert "no difference" not in out


@pytest.mark.parametrize(
    "garbage", ["", "[]", "7", '{"boxes":7}', '{"boxes":{"1":7}}', '{"pocket":[]}']
)
@pytest.mark.parametrize("column", ["outcome", "slip"])
@pytest.mark.one_in(3)
def test_garbage_is_found_too(pit, capsys, column, garbage):
    """A text of the database that cannot be read is a difference, and the rest is settled."""
    table = "round_settlements" if column == "outcome" else "bets"
    change(pit, f"UPDATE {table} SET {column} = '{garbage}' WHERE round_id = 1")
    assert run(["ledger", "shadow", place(pit)]) == UNSOUND
    out, err = capsys.readouterr()
    assert "4 settlements of 8 bets settled again" in out
    assert "1 differences" in err
    assert "round 1 (device 7 number 1, roulette): the ledger has settled 2 bets" in err


def test_a_game_the_shadow_does_not_know(pit, capsys):
    """It is counted by name, and not reported as agreeing."""
    change(pit, "UPDATE terms SET game = 'whist'")
    assert run(["ledger", "shadow", place(pit)]) == 0
    out = capsys.readouterr().out
    assert "unjudged 5 whist: the shadow does not know the game" in out
    assert "no difference, but not all could be judged" in out


def test_hands_that_two_users_ruled_on(tmp_path, capsys):
    """8-3-K doubled wins, 19 against 18 too; a differing record is found."""
    pit = Pit(tmp_path / "pit.ledger", terms=Terms("blackjack", "hc2023", None, {"minimum": 500}))
    pit.open(1)
    ada, ben = (pit.place(who, "bet", 500).bet for who in (pit.ada, pit.ben))
    pit.close(1)
    double = {"player": str(pit.ada), "bet": "double", "stake": 500}
    boxes = {
        "1": {"cards": "8H 3S KC", "bets": [str(ada)], "later": [double]},
        "4": {"cards": "KH 9S", "bets": [str(ben)]},
    }
    outcome = {"bank": "KD 8S", "boxes": boxes, "decks": 6, "burned": "KD 5C"}
    preview = preview_round(pit.ledger, pit.key(1), outcome, Actor("Sue"))
    pit.rule(1, outcome, preview=preview.digest)
    assert run(["ledger", "shadow", place(pit)]) == 0
    assert "1 settlements of 3 bets settled again\n  judged 1 blackjack" in capsys.readouterr().out
    for right, wrong, expected in (
        ('"KH 9S"', '"KH 7S"', "has win, 500 won, 500 back; the shadow lose, 500 lost"),
        ('"KH 9S"', '"KD KD KD KD KD"', "Card(rank=13, suit='D') 7 times in 6 decks"),
        ('"KD 5C"', '"9S 9S 9S 9S 9S 9S"', "Card(rank=9, suit='S') 7 times in 6 decks"),
        (f'"bets": ["{ben}"]', f'"bets": ["{ada}"]', f"bet {ada} is on two boxes, or twice on 4"),
        (f'"bets": ["{ben}"]', '"bets": []', "not every bet is on a box"),
        (
            f'"bets": ["{ben}"]',
            f'"bets": ["{ben}"], "decisions": {{"0": "fold"}}',
            "a decision of one who has no bet on box 4",
        ),
    ):
        swap = "UPDATE round_settlements SET outcome = replace(outcome, '{}', '{}')"
        change(pit, swap.format(right, wrong))
        assert run(["ledger", "shadow", place(pit)]) == UNSOUND
        assert expected in capsys.readouterr().err
        assert run(["ledger", "verify", place(pit)]) == UNSOUND
        change(pit, swap.format(wrong, right))
    assert run(["ledger", "shadow", place(pit)]) == 0
    assert run(["ledger", "verify", place(pit)]) == 0
    pit.ledger.close()


def test_stakes_that_two_users_gave_back(pit, capsys):
    """Every stake is returned, whatever its fate; a payout instead is found."""
    pit.open(5)
    pit.place(pit.ada, "red", 1000)
    pit.rule(5, {"stakes_back": "the wheel was sold"})
    assert run(["ledger", "shadow", place(pit)]) == 0
    assert "6 settlements of 11 bets" in capsys.readouterr().out
    change(pit, "UPDATE settlements SET outcome = 'win' WHERE outcome = 'void' AND round_id = 5")
    assert run(["ledger", "shadow", place(pit)]) == UNSOUND
    assert "the ledger has win, 1000 back; the shadow void, 1000 back" in capsys.readouterr().err


def test_a_meter_that_somebody_grew(tmp_path, capsys):
    """7.00 of the house on the mega, as if stakes had brought them."""
    pit = Jackpot(str(tmp_path / "pit.ledger"), terms=CARIBBEAN)
    pit.show(1, pit.deal(1, pit.ada), NOTHING)
    query = "SELECT id FROM accounts WHERE"
    for cents, account in (("+ 700", "name LIKE '%mega'"), ("- 700", "kind = 'house'")):
        change(
            pit,
            f"UPDATE ledger_lines SET amount_cents = amount_cents {cents} WHERE posting_id = "
            f"(SELECT posting_id FROM round_settlements) AND account_id = ({query} {account})",
        )
    assert run(["ledger", "shadow", place(pit)]) == UNSOUND
    assert "meter mega: the ledger has posted 710 cents to it" in capsys.readouterr().err
    pit.ledger.close()


def test_a_rake_that_went_to_the_house(tmp_path, capsys):
    """The account of the rake is that of the house by now."""
    room = Room(str(tmp_path / "pit.ledger"))
    room.deal(1, 10_000, 10_000)
    room.end_hand(1, [4000, 4000], board=BOARD, hands={0: ACES, 1: KINGS})
    query = "(SELECT id FROM accounts WHERE kind = '{}')"
    change(
        room,
        f"UPDATE ledger_lines SET account_id = {query.format('house')} "
        f"WHERE account_id = {query.format('rake')}",
    )
    assert run(["ledger", "shadow", place(room)]) == UNSOUND
    assert "the shadow expects a rake of 400" in capsys.readouterr().err
    room.ledger.close()
