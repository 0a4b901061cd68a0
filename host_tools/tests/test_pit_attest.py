"""A running host asks its tables for their programs: a match plays, anything else is locked."""

from contextlib import contextmanager

import pytest
from sqlalchemy import select

from host_tools.tests.emulated import DEVICE, Played
from host_tools.tests.pit import Pit
from host_tools.tests.served import Floor, until
from host_tools.tests.test_api_play import place_bet
from host_tools.tests.test_collect_attest import CHANGED, Attested, released
from tabletools import release
from tabletools.errors import ToolError
from tabletools.evidence import tables
from tabletools.money import people_queries
from tabletools.pit.assignments import release_of
from tabletools.pit.settings import Settings, TableSettings
from tabletools.store import Actor, LedgerRejection
from tabletools.store.schema.evidence import attestations
from tabletools.table.intake import Intake
from tabletools.table.programs import Attested as Answer
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.sender import Sender


class Asked(Played):
    """A table that attests the files it is ordered to show; a mute one answers once it is not."""

    def __init__(self, shows, *, is_mute=False):
        super().__init__(DEVICE)
        self.shows, self.is_mute, self.held = shows, is_mute, None

    def news(self):
        late = b""
        if self.held is not None and not self.is_mute:
            late, self.held = Attested._obey(self, self.held), None
        return late + super().news()

    def _obey(self, frame):
        if frame.type == m.ATTEST and self.is_mute:
            self.held = frame
            return b""
        if frame.type in (m.ATTEST, m.LOCK):
            return Attested._obey(self, frame)
        return super()._obey(frame)


@pytest.fixture
def signed_release(tmp_path):
    """Settings of a host that wants release 3, signed."""
    private, public = release.make_keys(tmp_path / "house")
    file, wanted = tmp_path / "r3.json", released(3)
    release.write(file, wanted, release.sign(wanted, release.read_private(private)))
    return {"manifest": str(file), "release_key": str(public)}


@contextmanager
def floor_of(place, shows, settings, **how):
    new_floor = Floor(place, Asked(shows, **how), **settings)
    try:
        yield new_floor, new_floor.host.login("Sue")
    finally:
        new_floor.close()


def device(sue):
    return sue.get("/v1/devices").json()["devices"][0]


def test_a_table_that_matches_plays(ledger_place, signed_release):
    """Asked once it is there; its outcome and time stand with the device; bets are taken."""
    with floor_of(ledger_place, released(3), signed_release) as (floor, sue):
        until(lambda: device(sue)["attestation"] == "match")
        assert device(sue)["attested_at"] is not None
        ada = floor.host.terminal(sue, floor.table, "ada")
        floor.open()
        assert place_bet(ada, "a").status_code == 201


def test_a_table_that_differs_is_locked(ledger_place, signed_release):
    """Stopped here, fault 508 there, an alarm with cause and remedy; no bet is taken."""
    with floor_of(ledger_place, released(3, CHANGED), signed_release) as (floor, sue):
        until(lambda: device(sue)["attestation"] == "mismatch")
        until(lambda: m.LOCK in floor.played.obeyed)
        [alarm] = [a for a in sue.get("/v1/alarms").json()["alarms"] if a["kind"] == "program"]
        assert alarm["text"].startswith("its program is not release 3 (0.3.0)")
        ada = floor.host.terminal(sue, floor.table, "ada")
        floor.played.open(1)
        floor.wait(lambda facts: facts["round"] is not None)
        assert place_bet(ada, "a").json()["code"] == "no_more_bets"
        floor.wait(lambda facts: facts["stopped"] is not None)


def test_no_bet_before_the_program_of_this_boot_is_attested(ledger_place, signed_release):
    """Bets stay closed until the match; time does not open the round after it, and a reboot
    requires another match."""
    with floor_of(ledger_place, released(3), signed_release, is_mute=True) as (floor, sue):
        ada = floor.host.terminal(sue, floor.table, "ada")
        until(lambda: floor.played.held is not None)
        floor.played.open(1)
        floor.wait(lambda facts: facts["cause"] == "not_attested")
        assert "not_attested" in place_bet(ada, "a").json()["detail"]
        floor.played.is_mute = False
        until(lambda: device(sue)["attestation"] == "match")
        assert place_bet(ada, "b").json()["code"] == "no_more_bets"
        floor.played.close(1)
        floor.played.end(1, 17)
        floor.wait(lambda facts: any(each["number"] == 1 for each in facts["results"]))
        floor.round = 1
        floor.open()
        assert place_bet(ada, "c").status_code == 201


def test_attesting_opens_no_round_that_is_under_way(tmp_path):
    """A match in the middle of a round opens the next one; a new boot has to match itself."""
    pit = Pit(str(tmp_path / "ledger"))
    pit.intake = Intake(pit.ledger, pit.lease, requires_attestation=True)
    wanted, nonce = released(3), bytes(16)
    size = sum(file.size for file in wanted.files)
    values_sent = (nonce, release.digest(wanted, nonce), len(wanted.files), size, 3)

    def attest(boot, seal="verified", values=values_sent):
        [answer] = Receiver().feed(pit.frame(m.ATTESTATION, values, flags=0))
        return pit.intake.attested(wanted, Answer(7, boot, nonce, answer, seal))

    def cause(number):
        pit.beat(m.PHASE_CLOSED)
        pit.open(number)
        with pit.ledger.read() as db:
            state = tables.state_of(db, pit.table)
        return state.bets_open, state.cause

    assert cause(1) == (False, "not_attested")
    assert attest(3) == "match"
    with pytest.raises(LedgerRejection, match="not_attested"):
        pit.place(pit.ada, "red", 1000)
    assert cause(2) == (True, "round_opened")
    pit.device = Sender(7, 4)
    assert cause(3) == (False, "not_attested")
    assert attest(4, seal="none") == "match"
    assert cause(4) == (False, "not_attested")
    assert attest(4) == "match"
    assert cause(5) == (True, "round_opened")
    assert attest(4, values=(*values_sent[:4], 2)) == "mismatch"
    assert cause(6) == (False, "stopped")
    with pit.ledger.read() as db:
        [alarm] = [row for row in people_queries.alarm_rows(db, 0) if row["kind"] == "program"]
    assert "bets stay closed: inspect the table, flash the release" in alarm["text"]
    pit.intake.release(7, Actor("Sue", pit.users[0]), "it was flashed")
    assert cause(7) == (False, "not_attested")
    pit.ledger.close()


def test_without_a_release_nobody_asks(tmp_path):
    """The state has a name, and the table plays."""
    with floor_of(str(tmp_path / "ledger"), released(3), {}) as (floor, sue):
        floor.open()
        assert (device(sue)["attestation"], device(sue)["attested_at"]) == ("not_attested", None)
        assert m.ATTEST not in floor.played.obeyed


def test_an_older_release_and_silence_stop_a_table(ledger_place):
    """Release 3 matched; then 2 matches its own manifest, which is a step back; then no answer."""
    pit = Pit(ledger_place)

    def attested(number, answers=True):
        wanted, nonce = released(number), bytes(16)
        size = sum(file.size for file in wanted.files)
        values_sent = (nonce, release.digest(wanted, nonce), len(wanted.files), size, number)
        [answer] = [pit_frame(m.ATTESTATION, values_sent)] if answers else [None]
        return pit.intake.attested(wanted, Answer(7, 3, nonce, answer, "verified"))

    def pit_frame(ident, values):
        [frame] = Receiver().feed(pit.frame(ident, values, flags=0))
        return frame

    outcomes = [attested(3), attested(2), attested(3, answers=False)]
    assert outcomes == ["match", "rollback", "no_answer"]
    with pit.ledger.read() as db:
        rows = db.execute(select(attestations).order_by(attestations.c.id)).all()
    assert [(row.outcome, row.wanted) for row in rows] == [
        ("match", 3),
        ("rollback", 2),
        ("no_answer", 3),
    ]
    pit.open(1)
    with pytest.raises(LedgerRejection, match="stopped"):
        pit.place(pit.ada, "red", 1000)
    pit.ledger.close()


@pytest.mark.parametrize(
    ("host", "table", "why"),
    [
        ({"manifest": "r.json"}, {}, "manifest and release_key go together"),
        ({"manifest": "none.json", "release_key": "none.pub"}, {}, "cannot open"),
        ({}, {"manifest": "r.json", "status_line": "cammegh"}, "cannot attest"),
    ],
)
def test_a_release_that_is_none_is_refused(host, table, why):
    """Before any table is held, naming the table."""
    settings = TableSettings("R1", "/dev/null", 7, "roulette", "hc2023", "french", **table)
    with pytest.raises(ToolError, match=why) as caught:
        release_of(Settings(**host), settings)
    assert "table R1" in caught.value.where
