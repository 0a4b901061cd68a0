"""Full disks, lost databases, two hosts, many threads: bets fail closed, nothing doubled."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import event, func, select, text

from host_tools.tests import postgresql
from host_tools.tests.pit import FULL, HOUSE, Hand, Pit, result
from tabletools.evidence import claim, let_go, renew
from tabletools.evidence.tables import MOST_LEASE_S
from tabletools.money import cash
from tabletools.pit.settings import HOST
from tabletools.store import Actor, LedgerRejection, LostLease, Store, StoreError, people
from tabletools.store.schema.evidence import gaps
from tabletools.store.schema.play import bets
from tabletools.table.betting import place, place_all
from tabletools.table.verify import check
from tablewire.messages import BETS_CLOSED, PHASE_CLOSED
from tablewire.roulette import CLOSE_CAUSE_BALL_DETECTED, WHEEL_RESULT

IDLE = "idle_in_transaction_session_timeout"


def sound(pit):
    with pit.ledger.read() as db:
        assert check(db).problems == []


def room(pit, pages=None):
    """Let the database grow by so many pages from now on, or without limit."""
    raw = pit.ledger.engine.raw_connection()
    cursor = raw.cursor()
    now = cursor.execute("PRAGMA page_count").fetchone()[0]
    most = 1 << 30 if pages is None else now + pages
    cursor.execute(f"PRAGMA max_page_count = {most}")
    raw.close()


def test_a_full_disk_takes_no_bet_and_loses_none(tmp_path):
    """Full after each number of pages, until it is enough: not taken, then taken once."""
    pit = Pit(tmp_path / "ledger")
    pit.open(1)
    refused = 0
    for number in range(400):
        request = pit.request(pit.ada, "straight", 500, numbers=["17"], key="k" * 90 + str(number))
        if number >= FULL // 500:
            break
        room(pit, 0)
        try:
            pit.submit(request)
        except StoreError as error:
            refused += "full" in error.what
            before = pit.balance(pit.ada)
            room(pit)
            assert pit.submit(request).balance_cents == before - 500
    assert refused > 3
    assert pit.balance(pit.ada) == 0
    room(pit)
    sound(pit)
    pit.ledger.close()


def test_a_full_disk_acknowledges_no_result(tmp_path):
    """The record is not stored, so not acknowledged; with room again it is settled once."""
    pit = Pit(tmp_path / "ledger")
    pit.open(1)
    asked = [pit.request(pit.ada, "straight", 500, numbers=[str(n % 37)]) for n in range(200)]
    place_all(pit.ledger, pit.lease, asked, reading=pit.reading)
    pit.close(1)
    wire = pit.frame(WHEEL_RESULT, result(17), 1)
    failures = 0
    for pages in range(40):
        room(pit, pages)
        try:
            assert pit.receive(wire)
            break
        except StoreError:
            failures += 1
            assert pit.balance(pit.ada) == 0
    assert failures > 0
    assert pit.balance(pit.ada) == 5 * 18_000  # 17 was bet on five times
    sound(pit)
    pit.ledger.close()


def test_a_state_that_is_dropped_before_its_transaction_begins_is_read_again(pit, monkeypatch):
    """By the transaction of another table, which changed a round of this one."""
    pit.open(1)
    write = pit.ledger.write

    @contextmanager
    def drop(lease=None):
        pit.ledger.memory(pit.table).drop()
        with write(lease) as db:
            yield db

    monkeypatch.setattr(pit.ledger, "write", drop)
    pit.place(pit.ada, "red", 1000)
    pit.close(1)
    pit.end(1, 1)
    assert pit.balance(pit.ada) == FULL + 1000


@pytest.fixture
def server(cluster, shared_ledger):
    """A pit on PostgreSQL, and the server to stop."""
    postgresql.empty(shared_ledger)
    pit = Pit(shared_ledger)
    yield pit
    pit.ledger.close()


if postgresql.binaries() is not None:

    def test_a_database_that_is_gone_takes_no_bet(server, cluster):
        """Stopped as by a crash: bets and records fail, and continue when it is back."""
        pit = server
        pit.open(1)
        pit.place(pit.ada, "red", 1000)
        request = pit.request(pit.ada, "red", 500)
        pit.clock.pass_ms(10)
        closed = pit.frame(0x11, (1, 8_000), 1)
        pit.show(pit.uptime_ms() - 10)
        cluster.stop()
        try:
            with pytest.raises(StoreError, match="cannot be reached"):
                pit.submit(request)
            with pytest.raises(StoreError):
                pit.receive(closed)
        finally:
            cluster.start()
        assert pit.submit(request).balance_cents == FULL - 1500
        assert pit.receive(closed)
        pit.end(1, 1)
        assert pit.balance(pit.ada) == FULL + 1500
        sound(pit)

    def test_what_a_cashier_pays_in_at_once_is_summed(server):
        """EUR 20,000 to each of eight players at the same moment: five times is the limit."""
        pit = server
        cas = Actor("Cas", people.create_user(pit.ledger, "Cas", "cashier", None, HOUSE))
        players = [pit.player(f"player {number}".replace(" ", "-"), 1) for number in range(8)]
        together = threading.Barrier(8)

        def pay_in(account):
            together.wait()
            try:
                return cash.deposit(pit.ledger, account, 2_000_000, "at once", cas)
            except LedgerRejection as refused:
                return refused.code

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(pay_in, players))
        assert answers.count("two_users_needed") == 3
        assert answers.count(2_000_001) == 5

    @pytest.mark.parametrize("step", ["verified", "posted", "inserted", "kept", "before_commit"])
    def test_a_connection_cut_in_the_middle_takes_no_bet(step, server, cluster):
        """Cut by the server at each step of placing: nothing was taken; the same again is."""
        pit = server
        pit.open(1)
        request = pit.request(pit.ada, "red", 1000)

        def cut(now):
            if now == step:
                pit.ledger.at = lambda now: None
                cluster.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname <> 'postgres' AND state LIKE 'idle in%'"
                )

        pit.ledger.at = cut
        with pytest.raises(StoreError):
            pit.submit(request)
        assert pit.balance(pit.ada) == FULL
        assert pit.submit(request).balance_cents == FULL - 1000
        sound(pit)

    def shorten(connection):
        """Have PostgreSQL end this transaction early while it is idle."""
        connection.exec_driver_sql(f"SET LOCAL {IDLE} = 1000")

    def test_a_host_that_froze_in_the_middle_of_a_bet_frees_its_table(cluster, shared_ledger):
        """Stopped with the table locked: another host takes the table, and no bet is taken."""
        postgresql.empty(shared_ledger)
        pit, clock = Pit(shared_ledger), Hand()
        clock.pass_ms(11_000)  # the lease of host a has ended
        other = Store.open(shared_ledger, clock=clock)
        pit.open(1)
        leases = []

        def freeze(step):
            if step == "inserted":
                leases.append(claim(other, pit.table, "host b"))

        with pit.ledger.read() as db:
            assert db.exec_driver_sql(f"SHOW {IDLE}").scalar() == "10s"
        pit.ledger.at = freeze
        event.listen(pit.ledger.engine, "begin", shorten)
        with pytest.raises(StoreError, match="does not answer in time"):
            pit.place(pit.ada, "red", 1000)
        event.remove(pit.ledger.engine, "begin", shorten)
        assert [lease.holder for lease in leases] == ["host b"]
        assert pit.balance(pit.ada) == FULL
        with pytest.raises(LostLease):
            pit.place(pit.ada, "red", 1000)
        sound(pit)
        other.close()
        pit.ledger.close()


def test_two_hosts_never_speak_for_one_table(ledger_place):
    """The second waits for the lease to end; then whatever the first writes is refused."""
    pit = Pit(ledger_place)
    pit.open(1)
    pit.place(pit.ada, "red", 1000)
    with pytest.raises(LedgerRejection, match="owned by host a"):
        claim(pit.ledger, pit.table, "host b")
    pit.lease = pit.intake.lease = renew(pit.ledger, pit.lease)
    old, old_intake = pit.lease, pit.intake
    pit.clock.ahead += 11_000_000_000  # of the other host: its clock is ahead
    pit.attach("host b")
    assert pit.lease.token == old.token + 1
    with pytest.raises(LostLease, match="taken over"):
        place(pit.ledger, old, pit.request(pit.ada, "red", 1000))
    with pytest.raises(LostLease):
        old_intake.close("dealer")
    with pytest.raises(LostLease):
        renew(pit.ledger, old)
    pit.close(1)
    pit.end(1, 1)
    assert pit.balance(pit.ada) == FULL + 1000
    let_go(pit.ledger, pit.lease)
    claim(pit.ledger, pit.table, "host c")
    sound(pit)
    pit.ledger.close()


def test_a_clock_set_back_after_a_host_died_keeps_no_table(ledger_place):
    """By the clock on the wall its lease lasts another hour: it ends once it was seen unchanged
    for as long as any lease lasts. One that is renewed is left to its host, whatever the clock.
    """
    pit = Pit(ledger_place)
    pit.clock.ahead -= 3600_000_000_000

    def wait_s(seconds):
        pit.clock.pass_ms(seconds * 1000)
        with pytest.raises(LedgerRejection, match="owned by host a"):
            claim(pit.ledger, pit.table, "host b")

    wait_s(0)
    for _ in range(20):
        pit.clock.ahead += 1
        wait_s(5)
        pit.lease = renew(pit.ledger, pit.lease)
        pit.clock.ahead -= 3600_000_000_000
    wait_s(0)
    wait_s(59)
    pit.clock.pass_ms(1000)
    assert claim(pit.ledger, pit.table, "host b").token == pit.lease.token + 1
    with pytest.raises(LostLease):
        renew(pit.ledger, pit.lease)
    pit.ledger.close()


def test_a_lease_not_renewed_in_time_is_lost_by_itself(ledger_place):
    """By the monotonic clock, so that no step of the wall clock revives it."""
    pit = Pit(ledger_place)
    pit.open(1)
    pit.clock.pass_ms(10_000)
    pit.clock.ahead -= 3600_000_000_000
    with pytest.raises(LostLease, match="did not renew"):
        pit.place(pit.ada, "red", 1000)
    pit.ledger.close()


def test_the_same_requests_by_many_at_once_are_carried_out_once(ledger_place):
    """Four threads send the same ten requests: ten bets, and every answer the same."""
    pit = Pit(ledger_place)
    pit.open(1)
    asked = [pit.request(pit.ada, "red", 500) for _ in range(10)]
    answers = [[] for _ in range(4)]

    def send(receipts):
        receipts.extend(pit.submit(request)[:4] for request in asked)

    threads = [threading.Thread(target=send, args=(receipts,)) for receipts in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers[0] == answers[1] == answers[2] == answers[3]
    with pit.ledger.read() as db:
        assert db.execute(select(func.count()).select_from(bets)).scalar_one() == 10
    assert pit.balance(pit.ada) == FULL - 5_000
    sound(pit)
    pit.ledger.close()


TAMPERED = [
    ("UPDATE accounts SET balance_cents = balance_cents + 1 WHERE kind = 'player'", "balance"),
    ("UPDATE ledger_lines SET amount_cents = amount_cents + 1 WHERE amount_cents > 0", "not to 0"),
    ("UPDATE frames SET round = 9 WHERE type = 18", "have a different round"),
    ("UPDATE audit_log SET who = 'nobody' WHERE seq = 2", "audit_log 2: not as written"),
    ("DELETE FROM audit_log WHERE seq = 2", "audit_log 2: removed since"),
    ("UPDATE rounds SET settled = 0", "never settled"),
]


@pytest.mark.parametrize(("change", "expected"), TAMPERED)
def test_what_was_changed_behind_our_back_is_found(change, expected, tmp_path):
    """With the triggers gone, verify reports each kind of change."""
    pit = Pit(tmp_path / "ledger")
    pit.play(1, 1, (pit.ada, "red", 1000), (pit.ben, "black", 1500))
    with pit.ledger.engine.begin() as db:
        names = db.execute(text("SELECT name FROM sqlite_schema WHERE type = 'trigger'"))
        for name in names.scalars().all():
            db.execute(text(f"DROP TRIGGER {name}"))
        db.exec_driver_sql(change)
    with pit.ledger.read() as db:
        assert expected in "\n".join(check(db).problems)
    pit.ledger.close()


def test_a_gap_is_counted_once_when_the_ledger_fails_after_it(ledger_place, monkeypatch):
    """A record is lost, then bets cannot be closed for three heartbeats: it is still taken."""
    pit = Pit(ledger_place)
    pit.open(1)
    lost = pit.frame(BETS_CLOSED, (CLOSE_CAUSE_BALL_DETECTED, 8_000), 1)

    def full(cause):
        raise StoreError("the ledger is full", "no space", "make room")

    with monkeypatch.context() as patch:
        patch.setattr(pit.intake, "close", full)
        for _ in range(3):
            with pytest.raises(StoreError, match="full"):
                pit.beat(PHASE_CLOSED, waiting=1)
    with pit.ledger.read() as db:
        [gap] = db.execute(select(gaps.c.first, gaps.c.last).where(gaps.c.closed_ns.is_(None)))
    assert gap == (pit.device.counter - 3,) * 2
    assert pit.receive(lost)
    pit.end(1, 7)
    sound(pit)
    pit.ledger.close()


def test_no_host_may_be_set_to_a_longer_lease():
    [lease_s] = [setting for setting in HOST if setting.name == "lease_s"]
    assert lease_s.high == MOST_LEASE_S
