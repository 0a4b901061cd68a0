"""What a sink is given: every event once, in order of each table, whatever fails between."""

import json
import threading

import pytest

from host_tools.tests import postgresql
from host_tools.tests.pit import HOUSE, Pit
from host_tools.tests.served import until
from tabletools.cms import DeliveryResult, Sinks, SinkWorker
from tabletools.cms.outgoing_event import outgoing_event
from tabletools.evidence import tables
from tabletools.money import outbox_queries
from tabletools.store import Store
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.table.terms import create_table


class Fake:
    """A sink for tests. refused: ids it refuses; down: the error it raises while unreachable."""

    def __init__(self, name="fake", *, patient=True, in_waves=True):
        self.name, self.is_patient, self.in_waves = name, patient, in_waves
        self.most, self.retry_s = 100, (1.0, 5.0)
        self.had, self.numbers, self.calls, self.states = [], [], [], []
        self.refused, self.down, self.poison = set(), "", ""

    def send(self, letters):
        self.calls.append([one.id for one in letters])
        if self.down:
            return DeliveryResult(down=self.down, interrupted=letters[0].number)
        sent = DeliveryResult()
        for one in letters:
            if one.id == self.poison:
                sent.down, sent.interrupted = "hung up", one.number
                return sent
            if one.id in self.refused:
                sent.failed[one.number] = "refused"
            else:
                sent.delivered.append(one.number)
                self.had.append(one.id)
                self.numbers.append(one.number)
        return sent

    def tick(self, states):
        self.states += [states] if states is not None else []
        return self.down

    def close(self):
        pass


@pytest.fixture
def pit(ledger_place):
    new_pit = Pit(ledger_place)
    new_pit.feeds = []
    yield new_pit
    for feed in new_pit.feeds:
        feed.close()
    new_pit.ledger.close()


def say(pit, table, *names):
    """Events of a table, written as the house does."""
    for name in names:
        alarm_event = OutboxEvent(
            name, "tablewire.alarm.raised", f"alarm/{name}", {"text": name}, table
        )
        pit.ledger.run(
            lambda db, alarm_event=alarm_event: enqueue(db, alarm_event, pit.clock.wall_ns())
        )


def feed_of(pit, sink):
    pit.feeds.append(SinkWorker(pit.ledger, sink, jitter=lambda: 0.0))
    return pit.feeds[-1]


def test_a_round_is_sent_in_order_and_once(pit):
    """Opened, closed, settled: three events, and nothing more the next time."""
    pit.play(1, 17, (pit.ada, "red", 500))
    sink = Fake()
    feed = feed_of(pit, sink)
    assert feed.run_once(0.0) == 3
    assert sink.had == ["tablewire.round.opened-1", "tablewire.bets.closed-1", "round-1-1"]
    assert feed.run_once(1.0) == 0
    feed.close()
    assert feed_of(pit, sink).run_once(1.0) == 0
    assert len(sink.had) == 3


def test_an_event_that_fails_holds_back_its_table_alone(pit):
    """a1 fails: a2 and a3 wait behind it, table b continues; then all arrive, in order."""
    other = create_table(pit.ledger, "R2", pit_terms(pit), HOUSE)
    say(pit, pit.table, "a1", "a2")
    say(pit, other, "b1", "b2")
    sink = Fake()
    sink.refused = {"a1"}
    feed = feed_of(pit, sink)
    feed.run_once(0.0)
    say(pit, pit.table, "a3")
    feed.run_once(0.1)
    assert sink.had == ["b1", "b2"]
    sink.refused = set()
    pit.clock.pass_ms(999)
    assert feed.run_once(1.0) == 0
    pit.clock.pass_ms(1)
    feed.run_once(1.1)
    assert sink.had == ["b1", "b2", "a1", "a2", "a3"]


def pit_terms(pit):
    with pit.ledger.read() as db:
        return tables.terms_of(db, pit.table)[1]


def test_a_sink_that_is_gone_is_left_alone_for_a_while(pit):
    """Tried at 0, 0.5, 1.5 s: the pauses double; what was taken before it went is not repeated."""
    say(pit, pit.table, "a1", "a2")
    sink = Fake()
    sink.down = "nobody there"
    feed = feed_of(pit, sink)
    for now in (0.0, 0.4, 0.5, 1.4, 1.5):
        feed.run_once(now)
    assert len(sink.calls) == 3
    assert feed.status.down == "nobody there"
    sink.down = ""
    feed.run_once(10.0)
    assert sink.had == ["a1", "a2"]
    assert feed.status.down == ""


def test_an_outage_is_held_against_no_event(pit):
    """Ten minutes away: a minute after it is back all events are there, none counts a failure."""
    say(pit, pit.table, "a1", "a2")
    sink = Fake(patient=False)
    sink.down = "nobody there"
    feed = feed_of(pit, sink)
    for second in range(600):
        feed.run_once(float(second))
        pit.clock.pass_ms(1000)
    sink.down = ""
    for second in range(600, 631):
        feed.run_once(float(second))
        pit.clock.pass_ms(1000)
    assert sink.had == ["a1", "a2"]
    assert feed.status.failed == 0


def test_an_event_that_drives_the_sink_away_holds_back_its_table_alone(pit):
    """The endpoint hangs up at a1 each time: b continues, a1 is given up after its pauses."""
    other = create_table(pit.ledger, "R2", pit_terms(pit), HOUSE)
    say(pit, pit.table, "a1", "a2")
    sink = Fake(patient=False)
    sink.poison = "a1"
    feed = feed_of(pit, sink)
    for second in range(40):
        say(pit, other, f"b{second}")
        feed.run_once(float(second))
        pit.clock.pass_ms(1000)
    feed.run_once(99.0)
    assert sorted(sink.had) == sorted(["a2", *(f"b{second}" for second in range(40))])
    with pit.ledger.read() as db:
        [dead] = outbox_queries.dead(db, "fake")
    assert (dead.event_id, dead.attempts, dead.error) == ("a1", 3, "hung up")


def test_a_clock_that_was_set_back_makes_no_event_wait_longer(pit):
    """a1 fails and waits a second; then the clock is set back two hours."""
    say(pit, pit.table, "a1")
    sink = Fake()
    sink.refused = {"a1"}
    feed = feed_of(pit, sink)
    feed.run_once(0.0)
    sink.refused = set()
    pit.clock.pass_ms(-7_200_000)
    feed.run_once(1.0)
    assert sink.had == ["a1"]


def test_an_event_is_given_up_after_the_last_pause_and_sent_again_when_asked(pit):
    """Two pauses: the third failure is the last; the next goes, and the letter is kept."""
    say(pit, pit.table, "a1", "a2")
    sink = Fake(patient=False)
    sink.refused = {"a1"}
    feed = feed_of(pit, sink)
    for now in (0.0, 10.0, 20.0, 30.0):
        feed.run_once(now)
        pit.clock.pass_ms(10_000)
    assert sink.had == ["a2"]
    with pit.ledger.read() as db:
        [dead] = outbox_queries.dead(db, "fake")
    assert (dead.event_id, dead.attempts, dead.error) == ("a1", 3, "refused")
    sink.refused = set()
    assert outbox_queries.revive(pit.ledger, "fake") == 1
    feed.run_once(40.0)
    assert sink.had == ["a2", "a1"]


def test_the_transaction_that_ends_later_has_the_later_number(shared_ledger):
    """Of two at once on PostgreSQL, whichever wrote its event first: none comes after a later."""
    postgresql.empty(shared_ledger)
    pit = Pit(shared_ledger)
    pit.feeds = []
    sink = Fake()
    feed = feed_of(pit, sink)
    began, ends = threading.Event(), threading.Event()

    def say_late():
        with pit.ledger.write() as db:
            data = {"text": "late"}
            event = OutboxEvent("late", "tablewire.alarm.raised", "alarm/late", data, pit.table)
            enqueue(db, event, 0)
            began.set()
            ends.wait()

    other = threading.Thread(target=say_late)
    other.start()
    began.wait()
    say(pit, pit.table, "early")
    for now in (0.0, 0.1, 0.2):
        feed.run_once(now)
    ends.set()
    other.join()
    feed.run_once(0.3)
    feed.close()
    pit.ledger.close()
    assert sink.had == ["early", "late"]
    assert sink.numbers == sorted(sink.numbers)


def test_a_second_process_stands_by_until_the_first_is_gone(pit, ledger_place):
    """The hold is that of the process; two ledgers opened are two processes to the database."""
    say(pit, pit.table, "a1")
    other = Store.open(ledger_place, clock=pit.clock)
    sinks = Fake(), Fake()
    first, second = feed_of(pit, sinks[0]), SinkWorker(other, sinks[1])
    first.run_once(0.0)
    say(pit, pit.table, "a2")
    assert second.run_once(0.0) == 0
    assert second.status.waits
    first.close()
    assert second.run_once(10.0) == 1
    assert (sinks[0].had, sinks[1].had) == (["a1"], ["a2"])
    second.close()
    other.close()


def test_states_are_reported_while_nothing_is_sent(pit):
    """A sink receives each table's state: after `open` its bets are open for round 1."""
    sink = Fake()
    feed = feed_of(pit, sink)
    pit.open(1)
    for now in (0.0, 1.0, 1.1):
        feed.run_once(now)
    [[state]] = sink.states
    assert (state.name, state.number, state.bets_open, state.cause) == (
        "R1",
        1,
        True,
        "round_opened",
    )


def test_the_threads_end_when_stopped(pit):
    """`run` feeds until stop is set, and closes; two sinks of one name are refused."""
    say(pit, pit.table, "a1")
    stop = threading.Event()

    class Ends(Fake):
        def send(self, letters):
            stop.set()
            return super().send(letters)

    sink = Ends()
    Sinks(pit.ledger, [sink]).run(stop)
    assert sink.had == ["a1"]
    with pytest.raises(ValueError, match="the same name"):
        Sinks(pit.ledger, [Fake(), Fake()])


def test_an_event_is_a_cloud_event(pit):
    """Each attribute by hand: 2027-01-15T08:00:00 UTC, when the clock of the pit begins."""
    bodies = []

    class Keeps(Fake):
        def send(self, letters):
            bodies.extend(one.body for one in letters)
            return super().send(letters)

    say(pit, pit.table, "a1")
    feed_of(pit, Keeps()).run_once(0.0)
    assert json.loads(bodies[0]) == {
        "specversion": "1.0",
        "id": "a1",
        "source": "urn:tablewire:pit",
        "type": "tablewire.alarm.raised",
        "subject": "alarm/a1",
        "time": "2027-01-15T08:00:00.010000Z",
        "datacontenttype": "application/json",
        "dataschema": "urn:tablewire:data:tablewire.alarm.raised:1",
        "sequence": "00000000000000000001",
        "table": pit.table,
        "data": {"text": "a1"},
    }


def test_what_goes_wrong_is_reported_once(pit):
    """Down and up again; a refusal; an internal error is reported, the sink continues."""
    said = []
    sink = Fake()
    sinks = Sinks(pit.ledger, [sink], say=lambda event, facts: said.append((event, facts)))
    say(pit, pit.table, "a1")
    sink.down = "nobody there"
    for now in (0.0, 10.0):
        sinks.run_once(now)
    sink.down, sink.refused = "", {"a1"}
    sinks.run_once(100.0)
    sink.send = None  # a defect
    pit.clock.pass_ms(60_000)
    sinks.run_once(200.0)
    sinks.close()
    assert [event for event, _ in said] == ["sink_down", "event_failed", "sink_up", "sink_down"]
    assert said[0][1] == {"sink": "fake", "why": "nobody there"}
    assert "TypeError" in said[-1][1]["why"]


def test_a_feed_that_dies_between_sending_and_keeping_sends_the_same_again(pit, monkeypatch):
    """Killed after the sink had them: the next one sends the same bytes, in the same order."""
    bodies = []

    class Keeps(Fake):
        def send(self, letters):
            bodies.extend(one.body for one in letters)
            return super().send(letters)

    pit.play(1, 17, (pit.ada, "red", 500))
    dying = feed_of(pit, Keeps())
    with monkeypatch.context() as patch:
        patch.setattr(outbox_queries, "note", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            dying.run_once(0.0)
    dying.close()
    again = feed_of(pit, Keeps())
    # A server frees the lock of a connection that was closed when it notices.
    assert until(lambda: again.run_once(0.0)) == 3
    assert again.run_once(1.0) == 0
    assert len(bodies) == 6
    assert bodies[:3] == bodies[3:]


def test_the_body_is_the_event_as_json(pit):
    """The data goes as it is stored: the bytes are those of the whole event encoded at once."""
    text = {"text": 'a "quote", an é and\u2028', "deep": {"list": [1, None, True, -5]}}
    event = OutboxEvent("odd", "tablewire.alarm.raised", "alarm/1", text, pit.table)
    pit.ledger.run(lambda db: enqueue(db, event, pit.clock.wall_ns()))
    [*_, newest] = outbox_queries.due(pit.ledger, "reader").events
    body = outgoing_event(newest).body
    whole = json.loads(body)
    assert whole["data"] == text
    assert body == json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()


def test_events_that_were_noted_are_not_read_again(pit, monkeypatch):
    """However long the backlog, a batch reads the next events and those to be tried again."""
    say(pit, pit.table, *(f"e{number}" for number in range(10)))
    sink = Fake()
    sink.most, sink.refused = 4, {"e1"}
    feed, read = feed_of(pit, sink), []
    due = outbox_queries.due
    monkeypatch.setattr(
        outbox_queries,
        "due",
        lambda *args, **more: read.append(more["after"]) or due(*args, **more),
    )
    numbers = [one.number for one in due(pit.ledger, "other").events]
    feed.run_once(0.0)
    feed.run_once(0.0)
    # Before e1, which was refused, all were delivered; those after it were not sent.
    ids = [one.event_id for one in due(pit.ledger, "other").events]
    assert read == [0, numbers[ids.index("e1")]]
    sink.refused = set()
    pit.clock.pass_ms(10_000)
    while feed.run_once(100.0):
        pass
    assert [name for name in sink.had if name.startswith("e")] == [f"e{n}" for n in range(10)]
