"""Records that this release cannot read: kept, acknowledged, and no money moves around them."""

import pytest
from sqlalchemy import select

from host_tools.tests.pit import DURABLE, RETRANSMITTED, Pit
from tabletools.authenticity import NONE, VERIFIED
from tabletools.evidence import tables
from tabletools.link import Contradiction
from tabletools.money import people_queries
from tabletools.store import Actor, LedgerRejection
from tabletools.store.schema.evidence import frames, unread_records
from tabletools.store.schema.play import rounds
from tabletools.table import intake
from tabletools.table.verify import check
from tablewire.cobs import stuff, unstuff
from tablewire.codec import HEADER_BYTES, UnreadFrame
from tablewire.crc import crc32
from tablewire.framing import Receiver
from tablewire.messages import FAULT_RAISED, HEARTBEAT, PHASE_BETS_OPEN, SEED

NEWER = 0x3F  # a type of a later minor version
STUCK = (301, 255, 0, 0)


def as_type(wire, ident):
    """The same frame as one of another type."""
    return patch(wire, 1, ident)


def patch(wire, place, value):
    """The same frame with another byte at a place, and the CRC right."""
    body = bytearray(unstuff(wire[:-1]))[:-4]
    body[place] = value
    sealed = bytes(body) + crc32(bytes(body), SEED).to_bytes(4, "little")
    buf = bytearray(1) + bytearray(sealed) + bytearray(1)
    return bytes(buf[: stuff(buf, len(sealed))])


class NewerReceiver(Receiver):
    """The receiver of a release that knows the type: it is a fault."""

    def feed(self, data):
        return super().feed(as_type(data, FAULT_RAISED))


@pytest.fixture
def pit(ledger_place):
    new_pit = Pit(ledger_place)
    yield new_pit
    new_pit.ledger.close()


def unread(pit, number=0, flags=DURABLE):
    """The next record of the device, of an unknown type: frame and bytes."""
    pit.clock.pass_ms(10)
    wire = as_type(pit.frame(FAULT_RAISED, STUCK, number, flags=flags), NEWER)
    [skip] = Receiver().feed(wire)
    assert isinstance(skip.frame, UnreadFrame)
    return skip.frame, wire


def keep(pit, frame, wire, seal=VERIFIED):
    pit.intake.observe(frame)
    return pit.intake.store(frame, wire, seal)


def cause(pit):
    with pit.ledger.read() as db:
        state = tables.state_of(db, pit.table)
    return state.bets_open, state.cause


def verdicts(pit):
    with pit.ledger.read() as db:
        return [tuple(row) for row in db.execute(select(rounds.c.verdict, rounds.c.settled))]


def texts(pit):
    with pit.ledger.read() as db:
        return [row["text"] for row in people_queries.alarm_rows(db, 0)]


def test_it_is_kept_once_and_acknowledged_and_bets_close(pit):
    """The same again is known; an alarm names the record, the reason and the step."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    frame, wire = unread(pit, 1)
    assert keep(pit, frame, wire)
    again = as_type(wire, NEWER)
    assert not pit.intake.store(frame, again, VERIFIED)
    assert cause(pit) == (False, "record_not_understood")
    with pytest.raises(LedgerRejection, match="record_not_understood"):
        pit.place(pit.ben, "red", 1000)
    [text] = texts(pit)
    assert text == (
        f"record 0x3f of boot 3 counter {frame.counter} cannot be read (type: 0x3f): it is kept as"
        " received; update this host, which then reads it, or release the table with a reason"
    )
    with pit.ledger.read() as db:
        [row] = db.execute(select(unread_records)).mappings().all()
    assert (bytes(row["raw"]), row["counts"], row["closed_ns"]) == (wire, 1, None)


def test_nothing_is_paid_until_a_person_releases_it(pit):
    """The round ends meanwhile: it waits, and the next one does not open. Then it is settled."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    keep(pit, *unread(pit, 1))
    pit.close(1)
    pit.end(1, 1)
    pit.beat()
    assert (verdicts(pit), pit.balance(pit.ada)) == ([("pending", 0)], 99_000)
    pit.open(2)
    assert cause(pit) == (False, "record_not_understood")
    pit.end(2)
    pit.intake.release(7, Actor("Sue", pit.users[0]), "seen on the camera, nothing was wrong")
    assert (verdicts(pit)[0], pit.balance(pit.ada)) == (("believed", 1), 101_000)
    pit.open(3)
    assert cause(pit) == (True, "round_opened")
    with pit.ledger.read() as db:
        assert check(db).problems == []


def test_a_newer_release_reads_it_in_its_place(pit, monkeypatch):
    """It was a fault before the result: that is not valid, and two users rule."""
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    frame, wire = unread(pit, 1)
    keep(pit, frame, wire)
    pit.close(1)
    pit.end(1, 1)
    assert pit.intake.reread() == 0
    monkeypatch.setattr(intake, "Receiver", NewerReceiver)
    pit.attach()
    assert pit.intake.reread() == 1
    assert pit.intake.reread() == 0
    assert (verdicts(pit), pit.balance(pit.ada)) == ([("unexpected", 0)], 99_000)
    assert any("fault 301 stood" in text for text in texts(pit))
    with pit.ledger.read() as db:
        query = select(frames.c.type).where(frames.c.counter == frame.counter)
        assert db.execute(query).scalars().all() == [FAULT_RAISED]
        assert db.execute(select(unread_records.c.closed_by)).scalar_one() == "read"


def test_another_content_under_its_name_stops_the_table(pit):
    """Neither overwrites the other."""
    frame, wire = unread(pit)
    keep(pit, frame, wire)
    pit.device.counter -= 1
    with pytest.raises(Contradiction):
        keep(pit, *unread(pit, 5, DURABLE | RETRANSMITTED))


def test_one_that_nobody_vouched_for_closes_nothing(pit):
    """It is stored, and raises an alarm."""
    pit.open(1)
    assert keep(pit, *unread(pit, 1), seal=NONE)
    assert (cause(pit), len(texts(pit))) == ((True, "round_opened"), 1)


def test_a_heartbeat_of_an_unknown_phase_closes_the_bets(pit):
    """This release cannot determine whether bets are open in it."""
    pit.open(1)
    beat = (PHASE_BETS_OPEN, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000)
    [skip] = Receiver().feed(patch(pit.frame(HEARTBEAT, beat, 1, flags=0), HEADER_BYTES, 200))
    assert isinstance(skip.frame, UnreadFrame)
    pit.intake.observe(skip.frame)
    assert cause(pit) == (False, "phase")
