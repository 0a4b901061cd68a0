"""A table that leaves the dice to the host: the host's reading is the result, paid once; without
one two users rule.

The fault matrix of test_ledger_second_readings.py for the policy `host`. Faces come from the dice
that were drawn.
"""

import json

import pytest
from sqlalchemy import select, text

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
from tabletools.evidence import alarms as kinds
from tabletools.evidence import listing, machines, second_readings
from tabletools.evidence.rounds import BELIEVED, PENDING, UNEXPECTED
from tabletools.pit import second_reader
from tabletools.reports.fallen import codes_of
from tabletools.shadow import ledger as shadow
from tabletools.store import LostLease
from tabletools.store.schema import play
from tabletools.table.verify import check
from tablewire.dice_tray import DICE_RESULT, WHEEL_DICE
from tablewire.messages import ROUND_OPENED

BY_HOST = SIC_BO._replace(dice_reading="host")
DICE, FRAME = picture(0)
OTHER_DICE, OTHER_FRAME = picture(1)
NOT_READ = faces(frame=FRAME)
READ = faces(*DICE, frame=FRAME)
STAKE = 1000
BET = "small" if sum(DICE) <= 10 else "big"


@pytest.fixture
def tray(ledger_place):
    """Every test ends with a sound ledger."""
    new_tray = Tray(ledger_place, terms=BY_HOST)
    yield new_tray
    with new_tray.ledger.read() as db:
        assert check(db).problems == []
    new_tray.ledger.close()


def assert_paid(tray):
    """Once, by the dice as they lay."""
    round_row = row(tray)
    assert (round_row["verdict"], round_row["settled"]) == (BELIEVED, 1)
    assert tray.balance(tray.ada) == 100_000 + STAKE
    assert len(settled_events(tray)) == 1
    with tray.ledger.read() as db:
        [outcome] = db.execute(select(play.round_settlements.c.outcome)).scalars()
    assert json.loads(outcome) == {"dice": [*DICE]}


def assert_waits(tray):
    round_row = row(tray)
    assert (round_row["verdict"], round_row["settled"]) == (PENDING, 0)
    assert tray.balance(tray.ada) == 100_000 - STAKE
    assert texts(tray) == []


def assert_held(tray, words, kind=kinds.PICTURE):
    """Nothing is paid, an alarm says why, and what two users rule is paid once."""
    round_row = row(tray)
    assert (round_row["verdict"], round_row["settled"]) == (UNEXPECTED, 0)
    [said] = texts(tray, kind)
    assert said.startswith("result of round 1 not valid: ")
    assert words in said
    assert tray.balance(tray.ada) == 100_000 - STAKE
    tray.look()
    assert row(tray)["settled"] == 0
    assert tray.rule(1, {"dice": [*DICE]}) == 1
    tray.look()
    assert tray.balance(tray.ada) == 100_000 + STAKE
    assert len(settled_events(tray)) == 1


def test_the_hosts_reading_is_the_result(tray):
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    tray.look()
    assert_waits(tray)
    tray.bring(1, trace(1, FRAME))
    assert_waits(tray)
    tray.look()
    assert_paid(tray)
    with tray.ledger.read() as db:
        [listed] = listing.round_rows(db)
    assert (listed["dice"], listed["read_by"], listed["settleable"]) == ([*DICE], "host", True)


def test_an_audit_counts_what_the_host_read(tray):
    """Each die is an outcome of the machine; a throw that is not read yet is none."""
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))

    def fallen():
        with tray.ledger.read() as db:
            [fall] = machines.falls_since_move(db, DEVICE).falls
        return codes_of(fall.type, fall.payload)

    assert fallen() == b""
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert fallen() == bytes(DICE)


def test_a_round_read_by_nobody_yet_says_so(tray):
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    with tray.ledger.read() as db:
        [listed] = listing.round_rows(db)
    assert (listed["dice"], listed["read_by"], listed["settleable"]) == ([], "", False)


def test_a_picture_that_was_here_before_the_result(tray):
    tray.bring(1, trace(1, FRAME))
    tray.look()
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    assert_waits(tray)
    tray.look()
    assert_paid(tray)


@pytest.mark.parametrize(
    ("data", "proof", "words"),
    [
        pytest.param(trace(1, OTHER_FRAME), PROOF, "CRC-32 differs", id="of another throw"),
        pytest.param(trace(2, FRAME), PROOF, "it is of device 7, round 2", id="another round"),
        pytest.param(trace(1, FRAME, device=8), PROOF, "device 8, round 1", id="another table"),
        pytest.param(trace(1, FRAME), None, "no key proves", id="no tag"),
        pytest.param(trace(1, None), PROOF, "kept no picture", id="trace alone"),
        pytest.param(b"", PROOF, "no picture of the round", id="no trace"),
        pytest.param(trace(1, FRAME)[:-9], PROOF, "is damaged", id="damaged"),
        pytest.param(trace(1, FRAME[:9600], size=(160, 60)), PROOF, "9600 greys", id="half"),
    ],
)
@pytest.mark.one_in(2)
def test_a_picture_that_is_not_that_of_the_result_holds_the_round(tray, data, proof, words):
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    tray.bring(1, data, proof)
    tray.look()
    assert_held(tray, words)


@pytest.mark.parametrize(
    ("dice", "words"),
    [
        (bytes(19200), "the host cannot read the dice in its picture: too_dark"),
        (FRAME[::-1], "the host cannot read the dice in its picture: "),
        (picture(0, 2)[1], "the host cannot read the dice in its picture: count_wrong"),
        (picture(0, 4)[1], "the host cannot read the dice in its picture: "),
    ],
    ids=["dark", "upside down", "two dice", "four dice"],
)
def test_a_picture_that_the_reader_refuses_holds_the_round(tray, dice, words):
    tray.throw(1, faces(frame=dice), (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, dice))
    tray.look()
    assert_held(tray, words)


@pytest.mark.parametrize("read", [DICE[:2], [*DICE, 3], []], ids=len)
def test_another_number_of_dice_is_no_result(tray, monkeypatch, read):
    """Though the reader had not refused it."""
    reading = second_readings.Reading([*read], "", "0.0.0")
    monkeypatch.setattr(second_reader, "read", lambda *_: reading)
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert_held(tray, f"the host reads {len(read)} dice in its picture, 3 are in play")


def test_a_picture_that_does_not_come_holds_the_round(tray):
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    for _ in range(300):
        tray.look()
    assert_waits(tray)
    tray.look()
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert_held(tray, "its picture did not arrive within 60 s")


def test_faces_of_the_table_are_refused(tray):
    """Its configuration is not that of the terms: nobody knows which reader ran."""
    tray.throw(1, READ, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert_held(
        tray, "the table read 3 dice, by the terms only the host reads them", kinds.UNEXPECTED
    )


@pytest.mark.parametrize("policy", ["both", "device"])
def test_no_faces_are_refused_where_the_table_reads(ledger_place, policy):
    """Though the picture could be read."""
    new_tray = Tray(ledger_place, terms=SIC_BO._replace(dice_reading=policy))
    new_tray.throw(1, NOT_READ, (new_tray.ada, BET, STAKE))
    new_tray.bring(1, trace(1, FRAME))
    new_tray.look()
    words = f"the table left the dice to the host, by the terms dice_reading is {policy}"
    assert_held(new_tray, words, kinds.UNEXPECTED)
    with new_tray.ledger.read() as db:
        assert check(db).problems == []
    new_tray.ledger.close()


def test_terms_that_do_not_say_leave_the_dice_to_the_host(ledger_place):
    new_tray = Tray(ledger_place, terms=SIC_BO._replace(dice_reading=None))
    new_tray.throw(1, NOT_READ, (new_tray.ada, BET, STAKE))
    new_tray.bring(1, trace(1, FRAME))
    new_tray.look()
    assert_paid(new_tray)
    new_tray.ledger.close()


def test_a_repeated_result_and_a_second_picture_pay_once(tray):
    tray.bring(1, trace(1, FRAME))
    tray.bring(1, trace(1, OTHER_FRAME))
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    wire = tray.frame(DICE_RESULT, NOT_READ, 1, flags=2 | RETRANSMITTED)
    assert tray.receive(wire) is True
    tray.look()
    tray.look()
    assert_paid(tray)


def test_another_host_goes_on_between_frame_and_picture(tray):
    """The first one comes back and stores nothing."""
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    before = tray.reader
    tray.clock.pass_ms(11_000)
    tray.attach("host b")
    tray.bring(1, trace(1, FRAME))
    with pytest.raises(LostLease):
        before.step()
    assert_waits(tray)
    tray.look()
    assert_paid(tray)


def test_a_ruling_before_the_picture_stands(tray):
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    assert tray.rule(1, {"void": "the dice were touched"}) == 1
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert (row(tray)["settled"], tray.balance(tray.ada)) == (1, 100_000)
    assert len(settled_events(tray)) == 1


def test_a_reading_is_final(tray):
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    with tray.ledger.read() as db:
        [one] = second_readings.awaited(db, DEVICE)
    tray.intake.second_reading(one, second_readings.Reading([*DICE], "", "0.0.0"))
    other = sorted(face % 6 + 1 for face in DICE)
    tray.intake.second_reading(one, second_readings.Reading(other, "", "0.0.0"))
    assert_paid(tray)


def test_a_reading_after_the_ruling_changes_nothing(tray):
    tray.throw(1, NOT_READ, (tray.ada, BET, STAKE))
    tray.bring(1, trace(1, FRAME))
    with tray.ledger.read() as db:
        [one] = second_readings.awaited(db, DEVICE)
    tray.rule(1, {"dice": [*DICE]})
    tray.intake.second_reading(one, second_readings.Reading([*OTHER_DICE], "", "0.0.0"))
    assert (row(tray)["settled"], tray.balance(tray.ada)) == (1, 100_000 + STAKE)
    assert len(settled_events(tray)) == 1


def test_a_missing_record_is_waited_for_first(tray):
    tray.open(1)
    tray.place(tray.ada, BET, STAKE)
    tray.close(1)
    assert tray.frame(DICE_RESULT, NOT_READ, 1)  # never sent: its counter is missing
    tray.say(DICE_RESULT, NOT_READ, 1)
    tray.bring(1, trace(1, FRAME))
    tray.look()
    assert_waits(tray)
    tray.beat(waiting=0)
    assert_paid(tray)


def test_a_throw_held_too_long_is_held_without_a_picture(tray):
    tray.throw(1, (*NOT_READ[:6], 6000, *NOT_READ[7:]), (tray.ada, BET, STAKE))
    assert_held(tray, "picked up to thrown: 6000 ms", kinds.UNEXPECTED)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            f"UPDATE second_readings SET dice = '{json.dumps([*OTHER_DICE])}'",
            "its result is not that of the frame that ended it",
        ),
        (
            "UPDATE second_readings SET reason = 'cocked'",
            "its result was accepted, but the host cannot read the dice in its picture: cocked",
        ),
        (
            "DELETE FROM second_readings",
            "its result was accepted, but the host has not read its picture",
        ),
    ],
    ids=["other dice", "refused", "none"],
)
def test_a_reading_changed_past_the_program_is_found(tmp_path, statement, expected):
    new_tray = Tray(tmp_path / "ledger", terms=BY_HOST)
    new_tray.throw(1, NOT_READ, (new_tray.ada, BET, STAKE))
    new_tray.bring(1, trace(1, FRAME))
    new_tray.look()
    assert_paid(new_tray)
    with new_tray.ledger.engine.begin() as db:
        names = db.execute(text("SELECT name FROM sqlite_schema WHERE type = 'trigger'"))
        for name in names.scalars().all():
            db.execute(text(f"DROP TRIGGER {name}"))
        db.exec_driver_sql(statement)
    with new_tray.ledger.read() as db:
        problems = check(db).problems
    assert any(expected in problem for problem in problems), problems
    new_tray.ledger.close()


def test_a_pit_without_a_reader_settles_nothing(ledger_place):
    """A host that never looks at pictures: the stake stays in play."""
    alone = Pit(ledger_place, terms=BY_HOST)
    alone.open(1)
    alone.place(alone.ada, BET, STAKE)
    alone.close(1)
    alone.say(DICE_RESULT, NOT_READ, 1)
    alone.beat(waiting=0)
    assert (row(alone)["verdict"], row(alone)["settled"]) == (PENDING, 0)
    alone.ledger.close()


@pytest.mark.parametrize("first", [1, 2])
def test_a_stake_that_plays_on_is_in_the_next_throw(ledger_place, first):
    """Diceball, two throws before the host has read one: double 6 stands with 4-5, 1-6 is a 7.

    Rounds are settled in their order, so the stake is lost whichever picture comes first.
    """
    tray = Tray(ledger_place, terms=BY_HOST._replace(game="diceball"))
    frames = {count: picture(seed, 2)[1] for count, seed in ((1, 0), (2, 6))}
    for count, frame in frames.items():
        tray.say(ROUND_OPENED, (WHEEL_DICE, 2, 60_000), count)
        if count == 1:
            tray.place(tray.ada, "hard", STAKE, on=[6])
        tray.close(count)
        tray.say(DICE_RESULT, faces(frame=frame), count)
    for count in (first, 3 - first):
        with tray.ledger.read() as db:
            assert check(db).problems == []
        tray.bring(count, trace(count, frames[count]))
        tray.look()
    assert [row(tray, count)["settled"] for count in (1, 2)] == [1, 1]
    with tray.ledger.read() as db:
        query = select(play.settlements.c.outcome).order_by(play.settlements.c.bet_id)
        assert [*db.execute(query).scalars()] == ["stand", "lose"]
        assert check(db).problems == []
    tray.ledger.close()


def test_a_void_leaves_a_stake_of_an_earlier_throw_in_play(ledger_place):
    """Diceball, where a stake that stands has no state; a new one is returned."""
    tray = Tray(ledger_place, terms=BY_HOST._replace(game="diceball"))
    frame = picture(0, 2)[1]
    tray.say(ROUND_OPENED, (WHEEL_DICE, 2, 60_000), 1)
    tray.place(tray.ada, "hard", STAKE, on=[6])
    tray.close(1)
    tray.say(DICE_RESULT, faces(frame=frame), 1)
    tray.bring(1, trace(1, frame))
    tray.look()
    tray.say(ROUND_OPENED, (WHEEL_DICE, 2, 60_000), 2)
    tray.place(tray.ben, "hard", STAKE, on=[6])
    tray.end(2)  # while bets are open
    assert (tray.balance(tray.ada), tray.balance(tray.ben)) == (100_000 - STAKE, 100_000)
    with tray.ledger.read() as db:
        query = select(play.settlements.c.outcome).order_by(play.settlements.c.bet_id)
        assert [*db.execute(query).scalars()] == ["stand", "stand", "void"]
        assert (check(db).problems, shadow.check(db).differences) == ([], [])
    tray.ledger.close()


def test_a_throw_without_stakes_holds_no_later_one(tray):
    """It may never be read, as where the host was restarted with other terms."""
    tray.throw(1, faces(frame=OTHER_FRAME))
    tray.throw(2, NOT_READ, (tray.ada, BET, STAKE))
    tray.bring(2, trace(2, FRAME))
    tray.look()
    assert (row(tray, 1)["verdict"], row(tray, 2)["settled"]) == (PENDING, 1)
    assert tray.balance(tray.ada) == 100_000 + STAKE
