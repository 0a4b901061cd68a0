"""Tables of other roles, and the traces of rounds."""

import pytest

from host_tools.tests.pit import DEVICE, Pit
from tabletools.evidence import Terms
from tabletools.evidence.stored_traces import Traces
from tabletools.roles import Played, outcome_of
from tabletools.store import LedgerRejection
from tabletools.store.audit import Actor
from tabletools.table.terms import create_table
from tabletools.table.verify import check
from tablewire.messages import TRACE_CHUNK
from tablewire.money_wheel import MONEY_WHEEL_RESULT
from tablewire.sender import Sender

WHEEL = Terms("money_wheel", "hc2023", None, {"minimum": 500}, {"odds": {"1": 1, "10": 10}})


def stopped_at(pays):
    """The values of a money_wheel_result."""
    return pays, 4, 600, 500, 1, 1, 20, 900, 12_000, 1_500


def test_a_money_wheel_pays_what_it_shows(ledger_place):
    """EUR 5 on 10 and EUR 10 on 1; the wheel shows 10: EUR 50 and the stake, the other lost."""
    pit = Pit(ledger_place, terms=WHEEL)
    pit.open(1)
    pit.place(pit.ada, "segment", 500, on=[10])
    pit.place(pit.ben, "segment", 1000, on=[1])
    with pytest.raises(LedgerRejection, match="one payout number of 1 10"):
        pit.place(pit.ben, "segment", 500, on=[45])
    pit.close(1)
    pit.say(MONEY_WHEEL_RESULT, stopped_at(10), 1)
    assert (pit.balance(pit.ada), pit.balance(pit.ben)) == (105_000, 99_000)
    with pit.ledger.read() as db:
        assert check(db).problems == []
    pit.ledger.close()


def test_what_dice_came_to():
    """Three dice of a tray for six, as Sic Bo reads them; places without a die hold none."""
    faces = {"die_1": 1, "die_2": 3, "die_3": 5, "die_4": None, "die_5": None, "die_6": None}
    outcome = outcome_of(Played("sic_bo"), {"type": "dice_result", **faces}, [])
    assert outcome == {"dice": [1, 3, 5]}


@pytest.mark.parametrize(
    "terms",
    [
        Terms("tiddlywinks", "hc2023"),
        Terms("jackpot", "hc2023", "caribbean", {}, {"contribution": {"mega": [1, 10]}}),
        Terms("poker_room", "oostende2011", "holdem"),
        Terms("poker_room", "oostende2011", "button", {"minimum": 1000}),
        Terms("poker_room", "oostende2011", "holdem", {"minimum": 1000}, {"rake": [1, 20]}),
        Terms("poker_room", "oostende2011", "holdem", {"minimum": 1000}, {"button": "1"}),
        Terms("roulette", "hc2023", "french", {"minimum": 0}),
        Terms("roulette", "hc1999", "french", {"minimum": 500}),
        Terms("roulette", "hc2023", "french", {"minimum": 500}, void_policy="keep"),
        Terms("red_dog", "hc2011", None, {"minimum": 500, "maximum": {"bet": 1000}}),
        Terms("keno", "hc2023", None, {"minimum": 0}, {"pays": {"1": {"1": 2}}}),
        Terms("keno", "hc2011", None, {"minimum": 20}, {"pays": {"1": {"1": 2}}}),
        Terms("bingo", "hc2023", "80", {"price": 200}, {"pattern": "row"}),
    ],
)
def test_terms_that_nobody_can_play_by(terms, tmp_path):
    """Refused where the table is made, not in the first round."""
    pit = Pit(tmp_path / "ledger")
    with pytest.raises(LedgerRejection):
        create_table(pit.ledger, "R2", terms, Actor("house"))
    pit.ledger.close()


def piece(number, data):
    """The frame that brings a short trace."""
    return Sender(DEVICE, 1).build(TRACE_CHUNK, (number, 0, len(data), data))


def test_traces_are_wanted_until_they_are_here(ledger_place):
    """Of the last ten rounds that ended, oldest first; a trace that is here stays as it is."""
    pit = Pit(ledger_place)
    traces = Traces(pit.ledger)
    assert traces.next_missing(DEVICE) is None
    for number in range(1, 13):
        pit.play(number, 5)
    assert traces.next_missing(DEVICE) == 3
    traces.keep(DEVICE, 3, piece(3, b"edges"), None)
    traces.keep(DEVICE, 3, piece(3, b"others"), None)
    traces.keep(DEVICE, 4, piece(4, b""), None)
    assert (traces.of(DEVICE, 3), traces.of(DEVICE, 4)) == (b"edges", None)
    assert traces.next_missing(DEVICE) == 5
    pit.ledger.close()
