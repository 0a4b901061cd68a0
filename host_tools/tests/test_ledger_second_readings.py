"""A throw is paid when table and host read the same, once; else two users rule: never twice.

The fault matrix of the second reading: what can happen to result, picture, host and reading, in
every order, on both databases. Faces come from the dice that were drawn.
"""

import re
from base64 import b64decode
from binascii import crc32
from io import BytesIO

import pytest
from PIL import Image
from sqlalchemy import func, select

from host_tools.tests.pit import DEVICE, RETRANSMITTED, Pit
from host_tools.tests.throws import (
    PROOF,
    SIC_BO,
    Tray,
    faces,
    picture,
    row,
    settled_events,
    texts,
    trace,
)
from tabletools.api.replaying import photograph
from tabletools.cli.main import run
from tabletools.evidence import alarms as kinds
from tabletools.evidence import second_readings
from tabletools.evidence.stored_traces import Traces
from tabletools.money.play_queries import round_whole
from tabletools.pit import second_reader
from tabletools.replay.parsed_trace import contents
from tabletools.store import Actor, LedgerRejection, LostLease
from tabletools.store.schema import evidence, play
from tabletools.table.verify import check
from tablewire.dice_tray import DICE_RESULT

DICE, FRAME = picture(0)
OTHER_DICE, OTHER_FRAME = picture(1)
RESULT = faces(*DICE, frame=FRAME)
STAKE = 1000
# Where a round of the game stands: paid by the table, or waiting for two users, or for a picture.
BET = "small" if sum(DICE) <= 10 else "big"
LOST = "big" if BET == "small" else "small"


@pytest.fixture
def tray(ledger_place):
    """Every test ends with a sound ledger."""
    new_tray = Tray(ledger_place)
    yield new_tray
    with new_tray.ledger.read() as db:
        assert check(db).problems == []
    new_tray.ledger.close()


def assert_paid(tray, count=1):
    """Once, and what the bet won is the player's."""
    round_row = row(tray, count)
    assert (round_row["verdict"], round_row["settled"]) == ("believed", 1)
    assert tray.balance(tray.ada) == 100_000 + STAKE
    assert len(settled_events(tray)) == 1


def assert_waits(tray, count=1):
    """For the picture: the stake is in play and no user is called."""
    round_row = row(tray, count)
    assert (round_row["verdict"], round_row["settled"]) == ("pending", 0)
    assert tray.balance(tray.ada) == 100_000 - STAKE
    assert texts(tray) == []


def assert_held(tray, words, count=1, kind=kinds.PICTURE):
    """Nothing is paid, an alarm says why, and what two users rule is paid once."""
    round_row = row(tray, count)
    assert (round_row["verdict"], round_row["settled"]) == ("unexpected", 0)
    [text] = texts(tray, kind)
    assert text.startswith(f"result of round {count} not valid: ")
    assert words in text
    assert tray.balance(tray.ada) == 100_000 - STAKE
    tray.look()
    assert row(tray, count)["settled"] == 0
    assert tray.rule(count, {"dice": [*DICE]}) == 1
    tray.look()
    assert row(tray, count)["settled"] == 1
    assert tray.balance(tray.ada) == 100_000 + STAKE
    assert len(settled_events(tray)) == 1


def test_the_drawn_dice_are_of_both_kinds():
    """Else a test with the other picture proves nothing."""
    assert DICE != OTHER_DICE


def test_a_result_waits_for_its_picture_and_is_paid_when_both_agree(tray):
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.look()
    assert_waits(tray)
    tray.bring(1, trace(1, FRAME))
    assert_waits(tray)
    tray.look()
    assert_paid(tray)
    with tray.ledger.read() as db:
        reading = second_readings.of_round(db, row(tray)["id"])
    assert (reading.dice, reading.reason, reading.referred) == ([*DICE], "", False)


def test_a_picture_that_was_here_before_the_result_is_read_after_it(tray):
    """A record may be repeated after a trace was fetched."""
    tray.bring(1, trace(1, FRAME))
    tray.look()
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    assert_waits(tray)
    tray.look()
    assert_paid(tray)


WRONG = [face % 6 + 1 for face in DICE]


@pytest.mark.parametrize(
    ("values", "data", "proof", "words"),
    [
        pytest.param(faces(*WRONG, frame=FRAME), trace(1, FRAME), PROOF,
                     f"the host reads {' '.join(map(str, DICE))} in its picture, the table "
                     f"{' '.join(map(str, sorted(WRONG)))}", id="table misread"),
        pytest.param(faces(*DICE, frame=OTHER_FRAME), trace(1, OTHER_FRAME), PROOF,
                     "the host reads", id="other dice"),
        pytest.param(RESULT, trace(1, OTHER_FRAME), PROOF,
                     "not the picture that the table read", id="picture of another throw"),
        pytest.param(RESULT, trace(2, FRAME), PROOF, "it is of device 7, round 2",
                     id="trace of another round"),
        pytest.param(RESULT, trace(1, FRAME, device=8), PROOF, "it is of device 8, round 1",
                     id="trace of another table"),
        pytest.param(RESULT, trace(1, FRAME), None, "no key proves", id="no tag"),
        pytest.param(RESULT, trace(1, None), PROOF, "kept no picture", id="trace alone"),
        pytest.param(RESULT, b"", PROOF, "no picture of the round", id="no trace"),
        pytest.param(RESULT, trace(1, FRAME)[:-9], PROOF, "is damaged", id="damaged"),
        pytest.param(RESULT, trace(1, FRAME[:9600], size=(160, 60)), PROOF, "9600 greys",
                     id="half a picture"),
        pytest.param(faces(*DICE, frame=bytes(19200)), trace(1, bytes(19200)), PROOF,
                     "cannot confirm the dice in its picture: too_dark", id="dark"),
        pytest.param(faces(*DICE, frame=FRAME[::-1]), trace(1, FRAME[::-1]), PROOF, "the host",
                     id="upside down"),
    ],
)  # fmt: skip
@pytest.mark.one_in(2)
def test_a_picture_that_does_not_confirm_holds_the_round(tray, values, data, proof, words):
    tray.throw(1, values, (tray.ada, BET, STAKE))
    tray.bring(1, data, proof)
    tray.look()
    assert_held(tray, words)


def test_a_picture_that_does_not_come_holds_the_round(tray):
    """For 60 s the host waits; a picture that comes later changes nothing."""
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.look()
    for _ in range(299):
        tray.look()
    assert_waits(tray)
    tray.look()
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert_held(tray, "its picture did not arrive within 60 s")


def test_a_reader_that_does_not_answer_holds_the_round(tray):
    """A later answer changes nothing."""

    class Slow(second_reader.Inline):
        def submit(self, fn, /, *args, **kwargs):
            self.held = super().submit(fn, *args, **kwargs)
            return second_reader.Future()

    tray.pool = Slow()
    tray.reader = second_reader.SecondReader(tray.ledger, tray.intake, DEVICE, tray.pool)
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    for _ in range(302):
        tray.look()
    assert_held(tray, "it was not read within 60 s")


def test_a_reader_that_breaks_holds_the_round(tray, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("no greys")

    monkeypatch.setattr(second_reader, "read", broken)
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert_held(tray, "the host's reader failed: ZeroDivisionError('no greys')")


def test_a_picture_is_kept_once_and_read_once(tray):
    """A second, other one of the round is not kept, and a repeated result is none."""
    tray.bring(1, trace(1, FRAME))
    tray.bring(1, trace(1, OTHER_FRAME))
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    wire = tray.frame(DICE_RESULT, RESULT, 1, flags=2 | RETRANSMITTED)
    assert tray.receive(wire) is True  # another counter: stored, and the round has its end
    tray.look()
    tray.look()
    round_row = row(tray)
    assert (round_row["settled"], tray.balance(tray.ada)) == (1, 100_000 + STAKE)
    assert len(settled_events(tray)) == 1


def test_a_ruling_before_the_picture_stands(tray):
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    assert tray.rule(1, {"void": "the dice were touched"}) == 1
    assert tray.balance(tray.ada) == 100_000
    tray.bring(1, trace(1, FRAME))
    tray.look()
    round_row = row(tray)
    assert (round_row["settled"], tray.balance(tray.ada)) == (1, 100_000)
    assert len(settled_events(tray)) == 1


def test_a_reading_finished_after_the_ruling_changes_nothing(tray):
    """The host was reading when the users ruled."""
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    with tray.ledger.read() as db:
        [one] = second_readings.awaited(db, DEVICE)
    tray.rule(1, {"dice": [*DICE]})
    tray.intake.second_reading(one, second_readings.Reading([*DICE], "", "0.0.0"))
    tray.intake.second_reading(one, second_readings.Reading([*WRONG], "", "0.0.0"))
    round_row = row(tray)
    assert (round_row["settled"], tray.balance(tray.ada)) == (1, 100_000 + STAKE)


def test_a_reading_is_final(tray):
    """Two hosts, or one before and after a crash, may both have read: the first one counts."""
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    with tray.ledger.read() as db:
        [one] = second_readings.awaited(db, DEVICE)
    tray.intake.second_reading(one, second_readings.Reading([], "unreadable", "0.0.0"))
    tray.intake.second_reading(one, second_readings.Reading([*DICE], "", "0.0.0"))
    assert_held(tray, "unreadable")


def test_a_host_that_lost_the_table_stores_no_reading(tray):
    """The next host reads the picture again, and pays once."""
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    before = tray.reader
    tray.clock.pass_ms(11_000)
    tray.attach("host b")
    with pytest.raises(LostLease):
        before.step()
    assert_waits(tray)
    tray.look()
    assert_paid(tray)


def test_a_missing_record_is_waited_for_first(tray):
    """The picture confirms, and a record before the result may be a fault: not before it came."""
    tray.open(1)
    tray.place(tray.ada, BET, STAKE)
    tray.close(1)
    lost = tray.frame(DICE_RESULT, RESULT, 1)  # never sent: its counter is missing
    assert lost
    tray.say(DICE_RESULT, RESULT, 1)
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert_waits(tray)
    tray.beat(waiting=0)
    assert_paid(tray)


def test_a_stopped_table_is_paid_once_when_it_is_released(tray):
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.intake.tamper(DEVICE, "a frame refused", b"")
    tray.bring(1, trace(1, FRAME))
    tray.look()
    round_row = row(tray)
    assert (round_row["verdict"], round_row["settled"]) == ("believed", 0)
    tray.intake.release(DEVICE, Actor("Sue", tray.users[0]), "seen")
    assert_paid(tray)


def test_no_bets_open_while_a_picture_is_awaited(tray):
    """And no user is called for it; the next round after the payout is played."""
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.open(2)
    with pytest.raises(LedgerRejection):
        tray.place(tray.ben, BET, STAKE)
    with tray.ledger.read() as db:
        assert db.execute(select(play.table_states.c.cause)).scalar_one() == "picture_awaited"
    assert_waits(tray)
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert_paid(tray)
    tray.close(2)
    tray.say(DICE_RESULT, faces(*OTHER_DICE, frame=OTHER_FRAME), 2)
    tray.open(3)
    tray.place(tray.ben, BET, STAKE)
    tray.bring(2, trace(2, OTHER_FRAME))
    tray.look()
    assert row(tray, 2)["settled"] == 1


def test_a_void_needs_no_picture(tray):
    tray.play(1, None, (tray.ada, BET, STAKE))
    assert (row(tray)["settled"], tray.balance(tray.ada)) == (1, 100_000)


def test_a_lost_bet_is_lost_once(tray):
    tray.throw(1, RESULT, (tray.ada, LOST, STAKE))
    tray.bring(1, trace(1, FRAME))
    tray.look()
    tray.look()
    assert tray.balance(tray.ada) == 100_000 - STAKE
    assert row(tray)["settled"] == 1


def test_a_result_with_another_objection_is_held_without_a_picture(tray):
    tray.throw(1, (*RESULT[:6], 6000, *RESULT[7:]),
               (tray.ada, BET, STAKE))  # fmt: skip
    assert_held(tray, "picked up to thrown: 6000 ms", kind=kinds.UNEXPECTED)


def test_pictures_of_waiting_rounds_are_fetched_first(tray):
    """Older traces are evidence; a result that waits is money."""
    for count in (1, 2):
        tray.play(count)
    tray.throw(3, RESULT, (tray.ada, BET, STAKE))
    traces = Traces(tray.ledger)
    assert traces.next_missing(DEVICE) == 3
    tray.bring(3, trace(3, FRAME))
    assert traces.next_missing(DEVICE) == 1


def test_a_table_that_reads_alone_is_paid_at_once(ledger_place):
    """By its terms; the host asks for no picture."""
    alone = Pit(ledger_place, terms=SIC_BO._replace(dice_reading="device"))
    alone.open(1)
    alone.place(alone.ada, BET, STAKE)
    alone.close(1)
    alone.say(DICE_RESULT, RESULT, 1)
    assert_paid(alone)
    with alone.ledger.read() as db:
        assert second_readings.awaited(db, DEVICE) == []
        assert check(db).problems == []
        count = select(func.count()).select_from(evidence.second_readings)
        assert db.execute(count).scalar_one() == 0
    alone.ledger.close()


def test_a_payout_without_a_reading_is_found(tray):
    """A result made believable past the program."""
    tray.throw(1, RESULT, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    tray.look()
    with tray.ledger.read() as db:
        ended = {"type": "dice_result"} | {f"die_{i}": face for i, face in enumerate(DICE, 1)}
        ended |= dict.fromkeys(("die_4", "die_5", "die_6"))
        reading = second_readings.of_round(db, row(tray)["id"])
        assert second_readings.objection(reading, ended, 3) == ""
        assert "has not read" in second_readings.objection(None, ended, 3)


def test_the_record_says_who_read(ledger_place, capsys):
    """`tabletool evidence` and the page of the round: the host's faces, its doubt, or neither."""
    tray = Tray(ledger_place)
    tray.throw(1, RESULT)
    tray.bring(1, trace(1, FRAME))
    tray.throw(2, faces(*OTHER_DICE, frame=OTHER_FRAME))
    tray.bring(2, b"")
    tray.look()
    tray.throw(3, RESULT)
    with tray.ledger.read() as db:
        whole = [round_whole(db, row(tray, count)["id"])["second_reading"] for count in (1, 2, 3)]
    assert (whole[0]["dice"], whole[0]["reason"]) == ([*DICE], None)
    assert (whole[1]["dice"], whole[1]["reason"]) == ([], "the table has no picture of the round")
    assert whole[2] is None
    tray.ledger.close()
    assert run(["evidence", str(ledger_place)]) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert f"(host: {' '.join(map(str, DICE))})" in first
    assert "(host: the table has no picture of the round)" in second
    assert "unexpected" in second
    assert "(read by the table alone)" in third


def test_the_picture_of_a_throw_is_drawn():
    """As it was kept: a PNG of 160 x 120 in an SVG; without one there is none."""
    drawn = photograph(contents(trace(1, FRAME)), FRAME)
    match = re.search(rb"base64,([^\"]+)\"", drawn)
    with Image.open(BytesIO(b64decode(match[1]))) as image:
        assert (image.size, image.tobytes()) == ((160, 120), FRAME)


def test_the_sum_of_a_result_is_that_of_its_picture():
    """What the helper of these tests and the table have in common is written in PROTOCOL.md."""
    assert RESULT[-1] == crc32(FRAME)
