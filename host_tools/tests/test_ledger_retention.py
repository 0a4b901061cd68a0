"""Retention removes only what every sink has and no verification needs."""

import pytest
from sqlalchemy import delete, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from host_tools.tests.pit import HOUSE, Pit, S
from tabletools.cli.main import run
from tabletools.money import cash, outbox_queries, retention
from tabletools.money.outbox_queries import NEVER_NS, Failure
from tabletools.money.retention import Ages, Retention
from tabletools.reports import model
from tabletools.reports.follower import Follower
from tabletools.store import StoreError, SystemClock
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema.books import deliveries, idempotency_keys, outbox
from tabletools.table.verify import check

DAY = 24 * 3600 * S


@pytest.fixture
def pit(ledger_place):
    """A table that played three rounds; 100 days later a deposit, and an event of the house."""
    new = Pit(ledger_place)
    for number in (1, 2, 3):
        new.play(number, 17, (new.ada, "red", 500))
    new.clock.ahead += 100 * DAY
    cash.deposit(new.ledger, new.ada, 100, "later", HOUSE)
    announce(new, "today")
    yield new
    new.ledger.close()


def announce(pit, name):
    event = OutboxEvent(name, "tablewire.ledger.checkpoint", "entry/1", {})
    pit.ledger.run(lambda db: enqueue(db, event, pit.clock.wall_ns()))


def rows(pit, table):
    with pit.ledger.read() as db:
        return db.execute(select(func.count()).select_from(table)).scalar_one()


def problems(pit):
    with pit.ledger.read() as db:
        return check(db).problems


AGES = Ages()


def retain(pit, ages=AGES, sinks=()):
    """Remove all that can be removed; returns events, answers, and what holds up the rest."""
    runs = Retention(pit.ledger, ages, sinks)
    try:
        events = requests = 0
        while True:
            step = runs.step()
            events, requests = events + step.events, requests + step.requests
            if not step.has_more:
                return events, requests, step.blocked
    finally:
        runs.close()


def deliver(pit, sink, numbers):
    outbox_queries.note(pit.ledger, sink, numbers)


def numbers(pit):
    with pit.ledger.read() as db:
        return list(db.execute(select(outbox.c.id).order_by(outbox.c.id)).scalars())


def test_old_events_and_answers_go_and_the_ledger_is_sound(pit):
    before = rows(pit, outbox), rows(pit, idempotency_keys)
    deliver(pit, "erp", numbers(pit))
    events, requests, blocked = retain(pit)
    # The event and the answer of today stay.
    assert (events, requests) == (before[0] - 1, before[1] - 1)
    assert blocked is None
    assert (rows(pit, outbox), rows(pit, deliveries), rows(pit, idempotency_keys)) == (1, 1, 1)
    assert problems(pit) == []
    assert retain(pit)[:2] == (0, 0)


def test_young_rows_stay(pit):
    deliver(pit, "erp", numbers(pit))
    assert retain(pit, Ages(101, 101))[:2] == (0, 0)


def test_nothing_goes_that_a_sink_has_not_confirmed(pit):
    """Given up is not delivered. All of the same entry and of later ones stay with it."""
    all_of_them = numbers(pit)
    third = all_of_them[2]
    deliver(pit, "erp", all_of_them)
    deliver(pit, "wall", [number for number in all_of_them if number != third])
    outbox_queries.note(pit.ledger, "wall", [], [Failure(third, "refused", NEVER_NS)])
    events, _, blocked = retain(pit)
    assert events <= 2
    assert (blocked.event, blocked.sink) == (third, "wall")
    assert numbers(pit) == all_of_them[events:]
    outbox_queries.revive(pit.ledger, "wall")
    deliver(pit, "wall", [third])
    assert retain(pit)[0] == len(all_of_them) - events - 1
    assert problems(pit) == []


def test_a_sink_that_was_fed_long_ago_is_not_forgotten(pit):
    """Its newest delivery stays, so that what it has not received since stays too."""
    old = numbers(pit)
    deliver(pit, "wall", old)
    pit.clock.ahead += DAY
    for name in ("one", "two", "three"):
        announce(pit, name)
    since = numbers(pit)[len(old) :]
    for _ in range(2):
        pit.clock.ahead += 200 * DAY
        retain(pit)
    assert set(since) < set(numbers(pit))
    assert retention.retire(pit.ledger, "wall") > 0
    assert retain(pit)[0] > 0
    assert problems(pit) == []


def test_a_sink_of_the_settings_holds_up_events_before_its_first_delivery(pit):
    events, _, blocked = retain(pit, sinks=["broker"])
    assert (events, blocked.sink, blocked.event) == (0, "broker", numbers(pit)[0])


def test_one_process_at_a_time(pit):
    first, second = Retention(pit.ledger, Ages()), Retention(pit.ledger, Ages())
    assert first.take()
    assert not second.take()
    assert second.step() == retention.Step()
    first.close()
    assert second.take()
    second.close()


def test_the_database_still_refuses_to_delete_what_is_newer(pit):
    assert retain(pit)[0] > 0
    for table in (outbox, idempotency_keys):
        with pytest.raises((StoreError, DBAPIError), match="only grows"):
            pit.ledger.run(lambda db, table=table: db.execute(delete(table)))


def tamper(pit, *statements):
    """Change the database as its owner could: without triggers and the chain."""
    with pit.ledger.engine.begin() as db:
        for statement in statements:
            db.execute(text(statement))


def test_an_event_that_was_changed_stays_as_evidence(pit):
    trigger = "outbox_no_update" if pit.ledger.is_sqlite else "outbox_only_grows"
    on = "" if pit.ledger.is_sqlite else " ON outbox"
    first = numbers(pit)[0]
    tamper(
        pit,
        f"DROP TRIGGER {trigger}{on}",
        f"UPDATE outbox SET subject = 'another' WHERE id = {first}",
    )
    with pytest.raises(StoreError, match="outbox"):
        retain(pit)
    assert first in numbers(pit)


def test_a_removal_that_no_entry_proves_hides_nothing(pit):
    """Who deletes events and says so in a forged row is found."""
    with pit.ledger.read() as db:
        last = db.execute(text("SELECT max(seq) FROM chain")).scalar_one()
    now_ns = pit.clock.wall_ns()
    forged = f"VALUES ('outbox', {last}, {now_ns}, 1, {now_ns})"
    tamper(
        pit,
        f"INSERT INTO removals (name, entry, before_ns, rows, at_ns) {forged}",
        f"DELETE FROM outbox WHERE id = {numbers(pit)[0]}",
    )
    assert any("removals" in problem for problem in problems(pit))


def test_a_row_that_stayed_after_its_removal_is_in_no_entry(pit):
    retain(pit)
    stale = {"event_id": "x", "type": "t", "subject": "s", "at_ns": 1, "data": "{}"}
    with pit.ledger.engine.begin() as db:
        db.execute(insert(outbox).values(id=numbers(pit)[0] - 1, **stale))
    assert any(problem.startswith("outbox: 1 rows") for problem in problems(pit))


def test_the_read_model_is_built_again_without_the_events(pit):
    retain(pit)
    follower = Follower(pit.ledger)
    assert follower.rebuild()
    while follower.step():
        pass
    follower.close()
    read = model.Model.open(pit.ledger)
    with read.read() as db:
        keys = db.execute(select(model.labels.c.round).where(model.labels.c.label == "17"))
        assert len(keys.all()) == 3
    read.close()


def test_the_command_says_what_went_and_what_holds_up_the_rest(pit, capsys, monkeypatch):
    now_ns = pit.clock.wall_ns()
    monkeypatch.setattr(SystemClock, "wall_ns", lambda _clock: now_ns)
    outbox_queries.note(pit.ledger, "wall", [], [Failure(numbers(pit)[0], "refused", 0)])
    place = pit.ledger.engine.url.render_as_string(hide_password=False)
    assert run(["ledger", "retain", place]) == 0
    printed = capsys.readouterr().out
    assert "removed: 0 events" in printed
    assert "wall has not confirmed it" in printed
    assert run(["ledger", "retain", place, "--retired", "wall"]) == 0
    assert "1 deliveries of wall removed" in capsys.readouterr().out
    assert rows(pit, outbox) == 1
