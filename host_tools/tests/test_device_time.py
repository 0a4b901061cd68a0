"""The clock of a table beside the host's, and the report of late bets by it."""

from types import SimpleNamespace

import pytest
from sqlalchemy import select

from host_tools.tests.pit import FRENCH, Hand, Pit, all_rounds
from host_tools.tests.served import Floor
from tabletools.evidence.device_clock import Estimate, Reading
from tabletools.link.freshness import Freshness
from tabletools.money import people_queries, play_queries
from tabletools.money.reports import late_bets
from tabletools.pit.table_clock import TableClock
from tabletools.store import LedgerRejection
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import bets, referrals
from tabletools.table import unsettled_stakes
from tabletools.table.betting import place, withdraw
from tabletools.table.intake import Intake
from tabletools.table.rulings import BetRuling, rule_bet
from tabletools.table.verify import check
from tablewire.framing import Receiver
from tablewire.messages import BETS_CLOSED, HEARTBEAT
from tablewire.sender import Sender

MS = 1_000_000
BEAT = (1, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000)


class Table:
    """A device whose clock runs as ordered, on a line with so many ms delay each way."""

    def __init__(self, boot=1, uptime_ms=0, way_ms=0):
        self.host = Hand()
        self.session = SimpleNamespace(
            trust=SimpleNamespace(session="with a key"), freshness=Freshness()
        )
        self.clock = TableClock(self.host, self.session)
        self.way_ms = way_ms
        self.boot(boot, uptime_ms)

    def boot(self, boot, uptime_ms=0):
        self.sender = Sender(7, boot)
        self.sender.uptime_low, self.sender.uptime_high = uptime_ms & 0xFFFF, uptime_ms >> 16

    def frame(self):
        """A frame made now."""
        [frame] = Receiver().feed(self.sender.build(HEARTBEAT, BEAT, 0))
        return frame

    def pass_ms(self, ms):
        self.host.pass_ms(ms)
        self.sender.advance(ms)

    def beats(self, count):
        """A token out, a heartbeat back, every 500 ms."""
        for _ in range(count):
            token = self.session.freshness.beacons.due(self.host.mono)
            self.pass_ms(self.way_ms)
            self.sender.set_echo(token)
            frame = self.frame()
            self.pass_ms(self.way_ms)
            self.session.freshness.take(frame, self.host.mono)
            self.pass_ms(500 - 2 * self.way_ms)


def test_nothing_is_known_before_a_frame():
    """No reading, no time of a frame, and no bet."""
    table = Table()
    assert (table.clock.reading(), table.clock.is_fresh) == (None, False)
    assert table.clock.made_at(table.frame()) is None


def test_a_reading_is_what_the_device_shows():
    """10 s after the start, 30 ms each way: 10,000 ms to half the way there and back. It is fresh
    for 1 s after what was known last was made."""
    table = Table(boot=4, way_ms=30)
    table.beats(20)
    reading = table.clock.reading()
    assert (reading.boot, reading.is_fresh) == (4, True)
    assert reading.uptime_ms - reading.uncertainty_ms <= 10_000
    assert reading.uptime_ms + reading.uncertainty_ms >= 10_000
    assert reading.uncertainty_ms <= 32
    table.pass_ms(501)
    assert (table.clock.reading().is_fresh, table.clock.is_fresh) == (False, False)


def test_the_time_of_a_frame_is_utc():
    """A record made 3 s ago and sent again now is dated by the device's clock, not its arrival."""
    table = Table()
    table.beats(8)
    made_ns = table.host.wall_ns()
    old = table.frame()
    table.beats(6)
    moment = table.clock.made_at(old)
    assert abs(moment.at_ns - made_ns) <= moment.uncertainty_ns <= 4 * MS


def test_without_a_session_nothing_is_known():
    """Anyone on the line could otherwise date bets."""
    table = Table()
    table.beats(8)
    table.session.trust.session = None
    assert (table.clock.reading(), table.clock.is_fresh) == (None, False)


def test_a_frame_of_the_boot_before_is_not_dated():
    """Its clock began at 0 again."""
    table = Table()
    table.beats(8)
    old = table.frame()
    table.boot(2)
    table.beats(8)
    reading = table.clock.reading()
    assert (reading.boot, abs(reading.uptime_ms - 4000) <= reading.uncertainty_ms) == (2, True)
    assert table.clock.made_at(old) is None


# --- the report ----------------------------------------------------------------------------------


@pytest.fixture
def pit(ledger_place):
    new_pit = Pit(ledger_place)
    yield new_pit
    new_pit.ledger.close()


def set_uptime(pit, uptime_ms):
    """The device's clock shows that from now on."""
    pit.show(uptime_ms - 10)  # each frame is made 10 ms later


def report(pit):
    with pit.ledger.read() as db:
        return list(late_bets(db, all_rounds(db)))


def test_a_late_bet_is_timed_by_the_table(pit):
    """Opened at 1,000 ms, closed at 9,000, number at 27,000 (18 s after the ball was first seen).

    The bet came at 9,400 by the table's clock, whatever the host's clock shows.
    """
    set_uptime(pit, 1000)
    pit.open(1)
    set_uptime(pit, 9000)
    pit.close(1)
    pit.place_read(pit.ada, "red", 1000, Reading(3, 9400, 35))
    set_uptime(pit, 27_000)
    pit.end(1, 17)
    [late] = report(pit)
    assert (late.clock, late.uncertainty_ms) == ("device", 35)
    assert (late.after_open_ms, late.after_closed_ms) == (8400, 400)
    assert (late.after_launch_ms, late.after_result_ms) == (400, -17_600)


def test_a_bet_taken_while_no_more_bets_was_on_its_way_is_reported(pit):
    """Accepted, for the host had not received it; 20 ms late by the table's clock, which wraps.
    It is referred to two users."""
    set_uptime(pit, 2**32 - 5000)
    pit.open(1)
    bet = pit.place_read(pit.ada, "red", 1000, Reading(3, 15, 40))
    set_uptime(pit, 2**32 - 5)
    pit.close(1)
    [late] = report(pit)
    assert (late.bet, late.standing, late.after_closed_ms) == (bet.bet, "referred", 20)
    assert late.after_open_ms == 5015
    assert (late.after_launch_ms, late.after_result_ms) == (None, None)


def test_a_bet_before_no_more_bets_is_none_of_them(pit):
    """Even when the host's wall clock stepped ahead meanwhile."""
    set_uptime(pit, 1000)
    pit.open(1)
    pit.clock.ahead += 3600 * 10**9
    pit.place_read(pit.ada, "red", 1000, Reading(3, 8950, 40))
    pit.clock.ahead -= 3600 * 10**9
    set_uptime(pit, 9000)
    pit.close(1)
    assert report(pit) == []


@pytest.mark.parametrize(
    ("reading", "cause"),
    [
        (Reading(3, 8959, 40), None),
        (Reading(3, 8960, 40), "not_before"),
        (Reading(3, 12_000, 0), "not_before"),
        (Reading(2, 8000, 0), "other_boot"),
    ],
)
def test_a_bet_that_nothing_proves_early_is_never_paid_by_itself(pit, reading, cause):
    """Closed at 9,000 ms: what is not before it, uncertainty included, is referred when the
    no-more-bets arrives; the result pays the others alone, and two users rule."""
    set_uptime(pit, 1000)
    pit.open(1)
    bet = pit.place_read(pit.ada, "red", 1000, reading)
    sure = pit.place_read(pit.ben, "red", 1000, Reading(3, 5000, 40))
    assert (bet.standing, sure.standing) == ("valid", "valid")
    set_uptime(pit, 9000)
    pit.close(1)
    pit.end(1, 1)
    paid = 100_000 + 1000
    assert (pit.balance(pit.ada), pit.balance(pit.ben)) == (99_000 if cause else paid, paid)
    with pit.ledger.read() as db:
        assert [*db.execute(select(referrals.c.cause)).scalars()] == ([cause] if cause else [])
        alarms = [row["text"] for row in people_queries.alarm_rows(db, 0)]
        assert check(db).problems == []
        late = [row for row in unsettled_stakes.stakes(db, 0) if row.why == "late"]
        [bet_row] = [r for r in play_queries.bets_by(db, pit.ada) if r["id"] == bet.bet]
    if not cause:
        assert (alarms, late, bet_row["standing"]) == ([], [], "valid")
        return
    assert bet_row["standing"] == "referred"
    assert [(row.bets, row.stake_cents) for row in late] == [(1, 1000)]
    [text] = alarms
    assert text == (
        f"bet {bet.bet}: nothing proves that it came before no-more-bets; two users have to rule"
    )
    rule_bet(pit.ledger, pit.lease, BetRuling(bet.bet, False, pit.both, "seen", "a"))
    assert pit.balance(pit.ada) == 100_000


@pytest.mark.parametrize(
    ("before_ms", "uncertainty_ms", "is_reported"),
    [(41, 40, False), (40, 40, True), (-300, 0, True), (1, None, True)],
)
@pytest.mark.parametrize("is_change", [False, True])
def test_a_stake_taken_back_late_is_reported(
    pit, before_ms, uncertainty_ms, is_reported, is_change
):
    """The host had not received no-more-bets. Whoever sees the ball or a card must not get a
    stake back, or move it: an alarm names the bet. A second later the round is as before."""
    closed_ns = []

    def record_time(frame):
        if frame.type != BETS_CLOSED or uncertainty_ms is None:
            return None
        return Estimate(closed_ns[0], uncertainty_ms * MS)

    pit.intake = Intake(pit.ledger, pit.lease, made_at=record_time)
    set_uptime(pit, 1000)
    pit.open(1)
    stays = pit.place(pit.ben, "red", 1000)
    bet = pit.place(pit.ada, "red", 1000)
    closed_ns.append(pit.clock.wall_ns() + before_ms * MS)
    if is_change:
        pit.place(pit.ada, "black", 1000, replaces=bet.bet)
    else:
        withdraw(pit.ledger, pit.lease, pit.ada, bet.bet, "back", reading=pit.reading)
    pit.clock.pass_ms(1000)
    pit.close(1)
    texts = [text for kind, text in pit.alarms() if kind == "late_withdrawal"]
    assert len(texts) == is_reported
    assert all(f"bet {bet.bet}:" in text and str(stays.bet) not in text for text in texts)


def test_a_bet_without_a_reading_is_referred(pit):
    """Whatever accepted it did not know the table's clock."""
    pit.open(1)
    place(pit.ledger, pit.lease, pit.request(pit.ada, "red", 1000))
    pit.close(1)
    pit.end(1, 1)
    assert pit.balance(pit.ada) == 99_000
    with pit.ledger.read() as db:
        assert db.execute(select(referrals.c.cause)).scalars().all() == ["no_reading"]


@pytest.mark.parametrize("reading", [None, Reading(3, 5000, 40, is_fresh=False)])
def test_no_bet_while_the_link_is_stale(pit, reading):
    """Neither placed nor withdrawn; once fresh again the same round goes on, if still open."""
    set_uptime(pit, 1000)
    pit.open(1)
    fresh = Reading(3, 5000, 40)
    bet = pit.place_read(pit.ada, "red", 1000, fresh)
    refused = pit.place_read(pit.ada, "red", 1000, reading)
    assert (refused.code, refused.what) == (
        "no_more_bets",
        "bets are closed at this table: link_stale",
    )
    with pytest.raises(LedgerRejection, match="link_stale"):
        withdraw(pit.ledger, pit.lease, pit.ada, bet.bet, "back", reading=lambda: reading)


def test_a_refused_bet_keeps_the_time_of_the_table(ledger_place):
    """hc2011 refuses it flatly; the report has it with the table's clock."""
    pit = Pit(ledger_place, terms=FRENCH._replace(rules="hc2011"))
    set_uptime(pit, 1000)
    pit.open(1)
    set_uptime(pit, 9000)
    pit.close(1)
    assert pit.place_read(pit.ada, "red", 1000, Reading(3, 9250, 20)).code == "no_more_bets"
    [late] = report(pit)
    assert (late.bet, late.clock, late.after_closed_ms) == (None, "device", 250)
    pit.ledger.close()


def test_a_reading_of_another_boot_tells_nothing(pit):
    """The clock restarted: the host's times are used, marked as such."""
    pit.open(1)
    pit.close(1)
    pit.clock.pass_ms(100)
    pit.place_read(pit.ada, "red", 1000, Reading(4, 50, 20))
    [late] = report(pit)
    assert (late.clock, late.uncertainty_ms, late.after_closed_ms) == ("host", None, 100)


def test_a_running_host_dates_bets_and_records(tmp_path):
    """A bet placed over HTTP between opening and closing has a table time between theirs."""
    floor = Floor(str(tmp_path / "ledger"))
    ada = floor.host.terminal(floor.host.login("Sue"), floor.table, "ada")
    floor.open()
    laid = ada.post(
        "/v1/bets", json={"bet": "red", "stake_cents": 500}, headers={"Idempotency-Key": "a"}
    )
    assert laid.status_code == 201
    floor.shut()
    with floor.host.ledger.read() as db:
        [bet] = db.execute(select(bets)).mappings()
        opened, closed = db.execute(select(frames).order_by(frames.c.id)).mappings()
    floor.close()
    give = bet["uncertainty_ms"]
    assert bet["device_boot"] == opened["boot"]
    assert 0 <= give <= 1000
    assert opened["uptime_ms"] - give <= bet["device_ms"] <= closed["uptime_ms"] + give
    assert abs(closed["made_ns"] - closed["received_ns"]) <= 10**9 + closed["uncertainty_ns"]
