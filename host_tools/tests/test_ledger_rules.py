"""Rules that users set: an alarm outside the band, over when the table is back in it."""

import pytest

from host_tools.tests.test_ledger_alarms import states, sue
from tabletools.evidence import alarm_rules
from tabletools.evidence.alarm_rules import Rule
from tabletools.money import people_queries
from tabletools.reports.follower import JUDGE_NS, Follower
from tabletools.store import LedgerRejection
from tabletools.store.clock import MS

SEVENTEEN = {"numbers": ["17"]}


@pytest.fixture
def look(pit):
    """Has the rules judged, ten seconds later."""
    follower = Follower(pit.ledger)

    def judged(*, plays_on=True):
        pit.clock.pass_ms(JUDGE_NS // MS)
        while follower.step():
            pass
        if plays_on:
            pit.attach()  # its lease ended meanwhile

    yield judged
    follower.close()


def texts(pit):
    with pit.ledger.read() as db:
        return [row["text"] for row in people_queries.alarm_rows(db, pit.clock.wall_ns())]


def rule(pit, measure, low, high, games=1, table=None):
    return alarm_rules.add(pit.ledger, Rule(measure, table, low, high, 2, games), sue(pit))


def test_a_hold_outside_its_band_is_an_alarm_until_it_is_back(pit, look):
    """10.00 lost of 10.00 is 100 %. Then 5.00 on 17 wins 175.00: -165.00 of 15.00, -1,100 %, is
    outside too: the same alarm.
    """
    rule(pit, "hold", -50_000, 9_000)
    pit.play(1, 2, (pit.ada, "red", 1_000))
    look()
    assert texts(pit) == ["the hold of R1 is 10000.0 hundredths of 1 %, above 9000 (rule 1)"]
    pit.play(2, 17, (pit.ada, "straight", 500, SEVENTEEN))
    look()
    look()
    assert texts(pit) == ["the hold of R1 is 10000.0 hundredths of 1 %, above 9000 (rule 1)"]
    assert states(pit) == [("hold_out_of_band", "unacknowledged")]


def test_undone_rounds_are_counted_and_few_rounds_are_not_judged(pit, look):
    """Two of four rounds void: 50 %. With fewer than four nothing is said."""
    rule(pit, "undone", None, 4_000, games=4)
    for number, pocket in ((1, 17), (2, None), (3, None)):
        pit.play(number, pocket, (pit.ada, "red", 500))
    look()
    assert texts(pit) == []
    pit.play(4, 17, (pit.ada, "red", 500))
    look()
    assert texts(pit) == [
        "the part of rounds undone of R1 is 5000.0 hundredths of 1 %, above 4000 (rule 1)"
    ]
    for number in range(5, 8):
        pit.play(number, 17, (pit.ada, "red", 500))
    look()
    assert states(pit) == [("rounds_undone", "normal")]  # 2 of 7: 28.57 %


def test_a_slow_table_is_an_alarm(pit, look):
    """Two minutes a round are 30 an hour: below 40, not below 29."""
    rule(pit, "pace", 29, None)
    for number in range(1, 4):
        pit.play(number, 17)
        pit.clock.pass_ms(120_000)
        pit.attach()
    look()
    assert texts(pit) == []
    rule(pit, "pace", 40, None)
    look()
    [slow] = texts(pit)
    assert slow.startswith("the pace of R1 is 30.0 games an hour, below 40 (rule 2)")


def test_bets_that_are_open_for_long(pit, look):
    """Half a minute is allowed; closed, it is over. A rule of another table does not matter."""
    number = rule(pit, "long_open", None, 30, table=1)
    pit.open(1)
    look(plays_on=False)
    assert texts(pit) == []
    pit.clock.pass_ms(25_000)
    look(plays_on=False)
    assert [text.split(",")[1] for text in texts(pit)] == [" above 30 (rule 1)"]
    pit.attach()  # its table says that bets are closed
    look()
    assert states(pit) == [("bets_open_long", "normal")]
    alarm_rules.end(pit.ledger, number, sue(pit))
    with pytest.raises(LedgerRejection, match="no rule 1"):
        alarm_rules.end(pit.ledger, number, sue(pit))


def test_a_rule_that_is_ended_ends_its_alarm(pit, look):
    number = rule(pit, "hold", None, 9_000)
    pit.play(1, 2, (pit.ada, "red", 1_000))
    look()
    alarm_rules.end(pit.ledger, number, sue(pit))
    look()
    assert states(pit) == [("hold_out_of_band", "normal")]


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (Rule("mood", None, 1, None, 1, 1), "unknown_measure"),
        (Rule("pace", None, None, None, 1, 1), "limit_needed"),
        (Rule("pace", None, 0, None, 1, 1), "limit_invalid"),
        (Rule("pace", None, 30, 20, 1, 1), "limit_invalid"),
        (Rule("hold", None, None, 10_001, 1, 1), "limit_invalid"),
        (Rule("hold", None, None, 2**70, 1, 1), "limit_invalid"),
        (Rule("pace", None, 30, None, 0, 1), "limit_invalid"),
        (Rule("pace", None, 30, None, 745, 1), "limit_invalid"),
        (Rule("pace", None, 30, None, 1, 0), "limit_invalid"),
        (Rule("pace", 9, 30, None, 1, 1), "no_such_table"),
    ],
)
def test_a_wrong_rule_is_refused(pit, wanted, code):
    with pytest.raises(LedgerRejection) as refused:
        alarm_rules.add(pit.ledger, wanted, sue(pit))
    assert refused.value.code == code
