"""The floor at a glance: what needs a person comes first, and sixty tables fit one screen."""

import re

import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import console, go
from host_tools.tests.served import Host, french, until
from tabletools.evidence.alarms import CALL, CONFLICT, FAULT, LINK_LOST, AlarmCause, raise_alarm
from tabletools.money import cash
from tabletools.store import Actor

TABLES = 60
WALL = {"width": 1920, "height": 1080}


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A pit of sixty tables whose ports do not exist."""
    folder = tmp_path_factory.mktemp("floor")
    tables = [french(f"R{n}", str(folder / f"tty{n}"), device=n) for n in range(1, TABLES + 1)]
    with Host(str(folder / "ledger"), tables) as new_host:
        new_host.user("Sue", "supervisor")
        new_host.user("Tim", "technician")
        new_host.user("Dan", "dealer")
        yield new_host


def add_alarm(host, kind, table, text):
    """Raise an alarm of a table; returns its number."""
    alarm = AlarmCause(kind, text, table, table)
    return host.ledger.run(lambda db: raise_alarm(db, alarm, host.ledger.clock.wall_ns()))


def needs(client):
    return client.get("/v1/needs").json()["needs"]


@pytest.fixture(scope="module")
def busy(host):
    """A conflict at table 40, a call at table 7, and a payout of EUR 120,000 that waits."""
    sue = host.login("Sue")
    listed = sue.get("/v1/tables").json()["tables"]
    numbers = {row["name"]: row["id"] for row in listed}
    host.conflict = add_alarm(host, CONFLICT, numbers["R40"], "round 3: 17 and 5")
    host.call = add_alarm(host, CALL, numbers["R7"], "Dan calls a supervisor: a dispute")
    add_alarm(host, LINK_LOST, numbers["R12"], "nothing was heard")
    account = cash.open_account(host.ledger, "P1", "Ada")
    cash.deposit(host.ledger, account, 12_000_000, "first", Actor("house"))
    hold = {"json": {"cents": 12_000_000}, "headers": {"Idempotency-Key": "hold"}}
    assert sue.post(f"/v1/accounts/{account}/held-payouts", **hold).status_code == 201
    return host


def test_needs_are_ordered_by_urgency_then_by_time(busy):
    """A dispute and a conflict before a payout, and that before a lost link."""
    client = busy.login("Sue")
    listed = needs(client)
    assert [(one["kind"], one["priority"]) for one in listed[:2]] == [
        ("conflict", 1),
        ("supervisor_called", 1),
    ]
    payout = next(one for one in listed if one["kind"] == "payout_waits")
    assert (payout["table"], payout["cents"], payout["currency"]) == (None, 12_000_000, "EUR")
    order = [(one["priority"], one["since_at"]) for one in listed]
    assert order == sorted(order)


def test_a_role_sees_only_what_it_may(busy):
    """A technician sees no payout with the name of a player."""
    kinds = {one["kind"] for one in needs(busy.login("Tim"))}
    assert "conflict" in kinds
    assert "payout_waits" not in kinds


def test_the_wall_shows_sixty_tables_without_scrolling(busy, chromium):
    with console(chromium, busy.url, name="Sue", viewport=WALL) as page:
        go(page, "#/wall", "Wall")
        tiles = page.locator(".tile")
        expect(tiles).to_have_count(TABLES)
        expect(tiles.first).to_contain_text("R40")
        expect(tiles.nth(1)).to_contain_text("R7")
        sizes = page.evaluate(
            "[document.documentElement.scrollHeight, innerHeight,"
            " document.documentElement.scrollWidth, innerWidth]"
        )
        assert sizes[0] <= sizes[1]
        assert sizes[2] <= sizes[3]


def test_one_key_acknowledges_the_most_urgent_alarm(busy, chromium):
    with console(chromium, busy.url, name="Sue", viewport=WALL) as page:
        go(page, "#/wall", "Wall")
        expect(page.locator(".tile").first).to_contain_text("R40")
        page.keyboard.press("a")
        client = busy.login("Sue")
        until(lambda: busy.conflict not in {one["alarm"] for one in needs(client)})
        expect(page.locator(".tile").first).to_contain_text("R7")


def test_the_pit_has_the_most_urgent_table_first(busy, chromium):
    with console(chromium, busy.url, name="Sue") as page:
        cards = page.locator(".table-card")
        expect(cards.first).to_contain_text(re.compile("17 and 5|calls a supervisor"))
        expect(page.locator(".notices")).to_contain_text("120,000.00")


def test_alarms_are_handled_several_at_once(busy):
    """A technician shelves and acknowledges; a dealer only sees; what is urgent is refused."""
    tim, dan = busy.login("Tim"), busy.login("Dan")
    two = [add_alarm(busy, FAULT, 20, "805"), add_alarm(busy, FAULT, 21, "805")]
    shelving = {"alarms": two, "minutes": 30, "reason": "spare parts"}
    assert dan.post("/v1/alarms/shelve", json=shelving).status_code == 403
    assert tim.post("/v1/alarms/shelve", json=shelving).status_code == 204
    shelved = dan.get("/v1/alarms?shelved=true").json()["alarms"]
    assert [(row["id"], row["state"], row["first_up"]) for row in shelved] == [
        (two[1], "shelved", two[0]),
        (two[0], "shelved", None),
    ]
    assert not set(two) & {one["alarm"] for one in needs(tim)}
    ended = {"alarms": two, "reason": "they came"}
    assert tim.post("/v1/alarms/unshelve", json=ended).status_code == 204
    # Of one cause at two tables each table shows that it needs a person.
    assert set(two) <= {one["alarm"] for one in needs(tim)}
    noted = {"alarms": two, "note": "replaced"}
    assert tim.post("/v1/alarms/acknowledge", json=noted).status_code == 204
    assert tim.post("/v1/alarms/acknowledge", json=noted).json()["code"] == "no_such_alarm"
    assert tim.post("/v1/alarms/clear", json=ended).status_code == 204
    urgent = {"alarms": [busy.call], "minutes": 5, "reason": "later"}
    assert tim.post("/v1/alarms/shelve", json=urgent).json()["code"] == "no_such_alarm"
    for wrong in ([], [0], [2**60], ["1"]):
        assert tim.post("/v1/alarms/clear", json=ended | {"alarms": wrong}).status_code == 422
