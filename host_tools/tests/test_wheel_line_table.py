"""A wheel with a status line as a table: what it may settle, and what two users must."""

import json

import pytest

from host_tools.tests.pit import FRENCH, Pit
from tabletools.cms.wheel_line import Display, WheelTable, shown_of
from tabletools.evidence import rounds
from tabletools.money import outbox_queries
from tabletools.store import LedgerRejection
from tabletools.table import verify, wheel_lines

TRUSTED = FRENCH._replace(options={"trust_status_line": True})


class Wheeled(Pit):
    """The pit with a wheel on a status line in place of its device."""

    def __init__(self, place, terms):
        super().__init__(place, terms=terms)
        self.said = []
        self.wheel = WheelTable(
            self.ledger,
            self.lease,
            "ss2",
            say=lambda h, became: self.said.append((h.kind, became)),
        )
        self.send("6", "1")

    def send(self, *states, number=" 4", warnings=0):
        """Lines every 500 ms; a text of two signs is the bare line."""
        for state in states:
            self.clock.pass_ms(500)
            text = f"*X;{state};007;{number};{warnings};142;0" if len(state) == 1 else state
            self.wheel.take(f"{text}\r\n".encode(), self.clock.mono // 1_000_000)

    def events(self):
        return [one.type for one in outbox_queries.due(self.ledger, "reader").events]

    def alarms(self):
        events = outbox_queries.due(self.ledger, "reader").events
        return [json.loads(one.data)["text"] for one in events if one.type.endswith("raised")]

    def problems(self):
        with self.ledger.read() as db:
            return verify.check(db).problems


@pytest.fixture
def trusted_wheel(ledger_place):
    pit = Wheeled(ledger_place, TRUSTED)
    yield pit
    pit.ledger.close()


@pytest.fixture
def doubted_wheel(ledger_place):
    pit = Wheeled(ledger_place, FRENCH)
    yield pit
    pit.ledger.close()


def test_a_trusted_line_settles(trusted_wheel):
    """EUR 10 on 17: bets open with place bets, close with no more bets, 35:1 is paid, once."""
    trusted_wheel.send("2")
    trusted_wheel.place(trusted_wheel.ada, "straight", 1000, numbers=["17"])
    trusted_wheel.send("3", "4")
    with pytest.raises(LedgerRejection, match="closed"):
        trusted_wheel.place(trusted_wheel.ben, "red", 500)
    trusted_wheel.send("17", "5", "5", "5", number="17")
    assert trusted_wheel.balance(trusted_wheel.ada) == 100_000 + 35_000
    assert trusted_wheel.said == [
        ("opened", "round 1"),
        ("closed", "round 1"),
        ("result", "round 1 settled"),
    ]
    assert trusted_wheel.events() == [
        "tablewire.round.opened",
        "tablewire.bets.closed",
        "tablewire.round.settled",
    ]
    assert trusted_wheel.problems() == []


def test_without_trust_two_users_rule(doubted_wheel):
    """The number raises an alarm and settles nothing; a ruling does, then bets open again."""
    doubted_wheel.send("2")
    doubted_wheel.place(doubted_wheel.ada, "straight", 1000, numbers=["17"])
    doubted_wheel.send("3", "4", "17", "5", "5", number="17")
    assert doubted_wheel.balance(doubted_wheel.ada) == 100_000 - 1000
    [alarm] = doubted_wheel.alarms()
    assert alarm == 'the status line says {"pocket": "17"}: not authenticated, two users rule'
    doubted_wheel.send("2")
    with pytest.raises(LedgerRejection, match="round_unended"):
        doubted_wheel.place(doubted_wheel.ben, "red", 500)
    doubted_wheel.rule(1, {"pocket": "17"})
    assert doubted_wheel.balance(doubted_wheel.ada) == 100_000 + 35_000
    doubted_wheel.send("3", "4", "20", "5", number="20")
    doubted_wheel.send("2", number="20")
    doubted_wheel.place(doubted_wheel.ben, "red", 500)
    assert doubted_wheel.problems() == []


def test_a_void_gives_stakes_back_where_the_line_is_trusted(trusted_wheel):
    """Warning 2: the ball runs with the rotor. EUR 10 is returned; no bets until a new round."""
    trusted_wheel.send("2")
    trusted_wheel.place(trusted_wheel.ada, "red", 1000)
    trusted_wheel.send("3", warnings=2)
    assert trusted_wheel.balance(trusted_wheel.ada) == 100_000
    assert [kind for kind, _ in trusted_wheel.said] == ["opened", "warning", "void"]
    trusted_wheel.send("6", "2")
    trusted_wheel.place(trusted_wheel.ada, "red", 1000)
    assert trusted_wheel.problems() == []


def test_silence_closes_the_bets(trusted_wheel):
    """More than 2 s of nothing: no bet is taken, and the round waits for two users."""
    trusted_wheel.send("2")
    trusted_wheel.place(trusted_wheel.ada, "red", 1000)
    trusted_wheel.clock.pass_ms(2_001)
    trusted_wheel.wheel.quiet(trusted_wheel.clock.mono // 1_000_000)
    with pytest.raises(LedgerRejection, match="closed"):
        trusted_wheel.place(trusted_wheel.ben, "red", 500)
    assert trusted_wheel.said[-1] == ("doubt", "round 1 waits for two users")
    assert trusted_wheel.balance(trusted_wheel.ada) == 99_000


def test_a_number_the_game_does_not_have_waits(trusted_wheel):
    """The triple zero at a French table: refused by the rules, kept as a doubt."""
    trusted_wheel.send("2", "3", "4", "38", "5", number="38")
    assert trusted_wheel.said[-1] == ("result", "round 1 waits for two users")
    assert trusted_wheel.problems() == []


def test_bets_open_too_long_close_once(trusted_wheel):
    """After the longest time allowed they close; the wheel does not report it again."""
    trusted_wheel.send("2")
    trusted_wheel.wheel.overdue()
    trusted_wheel.send("3", "4", "17", "5", number="17")
    assert trusted_wheel.events().count("tablewire.bets.closed") == 1
    assert trusted_wheel.said[-1] == ("result", "round 1 settled")


def test_a_settlement_that_the_lines_do_not_tell_is_found(trusted_wheel):
    """Verify checks the settlement against the lines in the audit log."""
    trusted_wheel.send("2", "3", "4", "17", "5", number="17")
    with trusted_wheel.ledger.read() as db:
        row = rounds.by_key(db, 1)
        assert wheel_lines.reported_outcome(db, row) == '{"pocket": "17"}'


def test_a_display_shows_the_table(trusted_wheel):
    """By hand: place bets, no more bets, the number for 5 s, before start, a void."""
    display = Display()

    def screen(now):
        return display.lines(shown_of(trusted_wheel.ledger, trusted_wheel.table), now)

    assert screen(0.0) == b"*X;6;001;  ;0;000;0\r\n"
    trusted_wheel.send("2")
    assert screen(1.0) == b"*X;2;002;  ;0;000;0\r\n"
    trusted_wheel.send("3", "4")
    assert screen(2.0) == b"*X;4;002;  ;0;000;0\r\n"
    trusted_wheel.send("17", "5", number="17")
    assert screen(3.0) == b"17\r\n*X;5;002;17;0;000;0\r\n"
    assert screen(7.9) == b"*X;5;002;17;0;000;0\r\n"
    assert screen(8.0) == b"*X;1;002;17;0;000;0\r\n"
    trusted_wheel.send("2", number="17")
    assert screen(9.0) == b"*X;2;003;17;0;000;0\r\n"
    trusted_wheel.send("3", number="17", warnings=2)
    assert screen(10.0) == b"*X;6;003;17;2;000;0\r\n"


def test_a_display_shows_a_corrected_number(trusted_wheel):
    """17 was shown; two users correct it to 18, which is new, then to a void: no number."""
    display = Display()

    def screen(now):
        return display.lines(shown_of(trusted_wheel.ledger, trusted_wheel.table), now)

    trusted_wheel.send("2", "3", "4", "17", "5", number="17")
    assert screen(1.0) == b"17\r\n*X;5;002;17;0;000;0\r\n"
    assert screen(6.0) == b"*X;1;002;17;0;000;0\r\n"
    trusted_wheel.rule(1, {"pocket": "18"})
    assert screen(7.0) == b"18\r\n*X;5;002;18;0;000;0\r\n"
    assert screen(12.0) == b"*X;1;002;18;0;000;0\r\n"
    trusted_wheel.rule(1, {"void": "the ball left the wheel"})
    assert screen(13.0) == b"*X;6;002;  ;2;000;0\r\n"
    assert trusted_wheel.problems() == []
