"""What `collect` asks of a table's program: when, what of the answer, what follows."""

import pytest

from host_tools.tests.collecting import SECRET, Collecting
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import OPENED, Served
from tabletools.cli.attest import compare
from tabletools.cli.table_client import connected_client
from tabletools.errors import ToolError
from tabletools.pit.attesting import ANSWER_WITHIN_S, EVERY_S, MOMENT_WITHIN_S, TRIES
from tabletools.release import Manifest, digest, files_of
from tablewire import messages as m
from tablewire.codes import FIRMWARE_MISMATCH

VOID = (404, 1, 255, 65535, 0, 0, 65535, 65535)
IMAGE = {"/main.py": b"print()", "/tablelogic/roulette/judge.py": b"seven"}
CHANGED = {**IMAGE, "/tablelogic/roulette/judge.py": b"Seven"}


def released(number, image=None):
    return Manifest(number, f"0.{number}.0", files_of(image or IMAGE))


class Attested(KeyedTable):
    """A table with files, which answers for those it is ordered to show."""

    def __init__(self, release, number=1, secret=SECRET):
        super().__init__(7, number, secret)
        self.shows = release
        self.is_mute = False

    def _obey(self, frame):
        if frame.type == m.ATTEST and not self.is_mute:
            answer, nonce = self.shows, frame.values[0]
            size = sum(file.size for file in answer.files)
            values = (nonce, digest(answer, nonce), len(answer.files), size, answer.release)
            return self.say(m.ATTESTATION, values)
        if frame.type == m.LOCK:
            return self.say(m.FAULT_RAISED, (FIRMWARE_MISMATCH, 255, 0, 0))
        return super()._obey(frame)

    def asked(self):
        return self.obeyed.count(m.ATTEST)


class Host(Collecting):
    """A collector that wants a release."""

    def __init__(self, file, table, manifest, **more):
        keys = {7: {1: SECRET}} if table.number else {}
        super().__init__(file, table, manifest=manifest, keys=keys, lease_s=1e6, **more)

    def beat(self, seconds=0.5):
        """Let time pass, then the table sends its answer."""
        before = self.table.sender.uptime_high << 16 | self.table.sender.uptime_low
        self.clock.pass_ms(int(seconds * 1000))
        after = before + int(seconds * 1000)
        self.table.sender.uptime_low = after & 0xFFFF
        self.table.sender.uptime_high = after >> 16 & 0xFFFF
        self.turn(self.table.beat())

    def rows(self, query=""):
        names = "outcome, wanted, reported, boot, seal"
        return super().rows(query or f"SELECT {names} FROM attestations ORDER BY id")

    @property
    def attesting(self):
        return self.collector.attendance.attesting


@pytest.fixture
def pit(tmp_path):
    pit = Host(tmp_path / "night.db", Attested(released(3)), released(3))
    yield pit
    pit.close()


def test_it_is_asked_at_connect_and_every_24_hours(pit):
    """Each match is a row with release and time; in between no question is sent."""
    pit.beat()
    assert pit.rows() == [("match", 3, 3, 1, "verified")]
    for _ in range(10):
        pit.beat()
    pit.beat(EVERY_S - 10)
    assert len(pit.rows()) == 1
    pit.beat(10)
    assert [row[0] for row in pit.rows()] == ["match", "match"]
    assert pit.attesting.take_matches() == ["table 7 has release 3 (0.3.0): 2 files match"] * 2
    assert (pit.stopped(), m.LOCK in pit.table.obeyed) == (None, False)
    [first, second] = pit.listed("attestation")
    assert (first["outcome"], first["version"]) == ("match", "0.3.0")
    assert first["at"][:10] < second["at"][:10]


def test_a_restart_and_a_new_connection_are_asked_again(pit):
    """What runs there now may be another program."""
    pit.beat()
    pit.table.restart()
    pit.receive(pit.table._identity(bytes(8)))
    pit.clock.pass_ms(3000)
    pit.take(pit.session.tick(pit.now_s()))
    pit.turn()
    pit.beat()
    assert [row[3] for row in pit.rows()] == [1, 2]
    pit.take(pit.session.lost(pit.now_s(), "cable"))
    pit.connect()
    pit.beat()
    assert [row[3] for row in pit.rows()] == [1, 2, 2]


def test_it_is_asked_between_rounds_with_nothing_waiting(pit):
    """No round is held up; a table that is never idle is asked all the same."""
    pit.table.phase = m.PHASE_BETS_OPEN
    pit.beat(MOMENT_WITHIN_S - 1)
    assert pit.table.asked() == 0
    pit.table.phase = m.PHASE_CLOSED
    wire = pit.table.say(m.ROUND_OPENED, OPENED, 5)
    pit.clock.pass_ms(100)
    pit.receive(pit.table.beat())  # a record waits, lost on the line
    assert wire
    assert pit.table.asked() == 0
    pit.table.phase = m.PHASE_BETS_OPEN
    pit.beat(1)
    assert pit.table.asked() == 1


@pytest.mark.parametrize("number", [1, 0])
def test_another_program_stops_the_table_and_locks_it(tmp_path, number):
    """One changed byte: alarm, stop, fault 508 once; on the bench as well."""
    table = Attested(released(3, CHANGED), number, SECRET if number else b"")
    pit = Host(tmp_path / "night.db", table, released(3))
    pit.beat()
    assert [row[:3] for row in pit.rows()] == [("mismatch", 3, 3)]
    assert pit.stopped().startswith("its program is not release 3 (0.3.0): 2 files, 12 bytes")
    assert table.obeyed.count(m.LOCK) == 1
    assert not pit.attesting.is_locking
    assert pit.kinds() == (["program", "fault"] if number else ["program"])
    assert pit.rows()[0][4] == ("verified" if number else "none")
    pit.close()


def test_a_release_that_is_reported_wrong_is_no_match(pit):
    """The right files and another number in the answer: one of the two is a lie."""
    pit.table.shows = released(4)
    pit.beat()
    assert (pit.rows()[0][:3], m.LOCK in pit.table.obeyed) == (("mismatch", 3, 4), True)


def test_a_release_below_the_highest_is_a_rollback(tmp_path):
    """The highest that matched is kept, over programs; the same one again is a match."""
    file = tmp_path / "night.db"
    for number, outcome in ((4, "match"), (4, "match"), (3, "rollback")):
        pit = Host(file, Attested(released(number)), released(number))
        pit.beat()
        assert pit.rows()[-1][0] == outcome
        assert (pit.stopped() is None) == (outcome == "match")
        assert (m.LOCK in pit.table.obeyed) == (outcome == "rollback")
        stopped = pit.stopped()
        pit.close()
    assert "release 4 ran before" in stopped


def test_no_answer_stops_the_table(pit):
    """After as many questions as are stated, each with its time; every nonce another."""
    pit.table.is_mute = True
    for asked in range(1, TRIES + 1):
        pit.beat(1)
        assert pit.table.asked() == asked
        pit.beat(ANSWER_WITHIN_S - 1)
        assert (pit.table.asked(), pit.stopped()) == (asked, None)
    pit.beat(1)
    assert pit.rows() == [("no_answer", 3, None, 1, None)]
    assert pit.stopped().startswith("it did not attest release 3 (0.3.0); bets stay closed")
    assert m.LOCK in pit.table.obeyed


def test_no_bets_before_a_match_and_again_after_a_release(pit):
    """An opening before the match opens nothing; a table released after a mismatch is asked at
    once, and its bets stay closed until it matches."""

    def opens(number):
        pit.turn(pit.table.say(m.ROUND_OPENED, OPENED, number))
        is_open = pit.bets()[0] == 1
        pit.turn(pit.table.say(m.ROUND_VOID, VOID, number))
        return is_open

    pit.table.shows = released(3, CHANGED)
    assert not opens(1)
    pit.beat()
    assert (pit.rows()[-1][0], opens(2)) == ("mismatch", False)
    pit.turn(pit.table.say(m.FAULT_CLEARED, (FIRMWARE_MISMATCH, 255, 100)))
    pit.release("flashed again")
    assert not opens(3)
    pit.table.shows = released(3)
    pit.beat()
    assert (pit.rows()[-1][0], opens(4)) == ("match", True)


def test_a_link_cut_off_again_and_again_is_no_way_out(pit):
    """A question the link was lost on counts as one without an answer."""
    pit.table.is_mute = True
    for _ in range(TRIES):
        pit.beat()
        pit.take(pit.session.lost(pit.now_s(), "cable"))
        pit.connect()
    pit.beat()
    assert [row[0] for row in pit.rows()] == ["no_answer"]


def test_an_answer_to_another_nonce_is_none(pit):
    """An answer recorded earlier, or made for a question that was not asked."""
    pit.table.is_mute = True
    pit.beat()
    old = bytes(16)
    values = (old, digest(released(3), old), 2, 12, 3)
    pit.turn(pit.table.say(m.ATTESTATION, values))
    assert pit.rows() == []


def test_a_lock_is_sent_until_the_table_says_so(pit):
    """A question lost on the line is sent again; the caller sees that it is still pending."""
    pit.table.shows = released(3, CHANGED)
    answered, pit.table._obey = (
        pit.table._obey,
        lambda frame: b"" if frame.type == m.LOCK else answered(frame),
    )
    pit.beat()
    assert pit.attesting.is_locking
    pit.table._obey = answered
    pit.beat()
    assert (pit.table.obeyed.count(m.LOCK), pit.attesting.is_locking) == (2, False)


def test_a_program_that_refuses_to_attest_is_reported_at_once():
    """`tabletool attest` names the cause of the refusal; it does not wait for an answer."""

    class Older(Attested):
        def _obey(self, frame):
            if frame.type != m.ATTEST:
                return super()._obey(frame)
            values = (m.ATTEST, frame.counter, m.REFUSAL_NOT_UNDERSTOOD, 1, 0, 0, 0)
            return self.say(m.REFUSAL, values)

    with (
        Served(Older(released(3), 0, b"")) as served,
        connected_client(served.url, None) as client,
        pytest.raises(ToolError, match="does not know the command attest"),
    ):
        compare(client, released(3), lock=False)


def test_a_refused_question_is_no_answer(pit):
    """It counts as one of the tries, and the next one waits as long as after silence."""
    table = pit.table

    def refuse(frame):
        values = (m.ATTEST, frame.counter, m.REFUSAL_NOT_UNDERSTOOD, 1, 0, 0, 0)
        return table.say(m.REFUSAL, values)

    obey = table._obey
    table._obey = lambda frame: refuse(frame) if frame.type == m.ATTEST else obey(frame)
    for asked in range(1, TRIES + 1):
        pit.beat(1)
        pit.beat(ANSWER_WITHIN_S - 2)
        assert (table.asked(), pit.rows()) == (asked, [])
        pit.beat(1)
    pit.beat(1)
    assert [row[0] for row in pit.rows()] == ["no_answer"]
