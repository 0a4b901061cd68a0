"""People at the console: users, rulings by two, alarms, logins that end; in a browser."""

import re

import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import console, go, log_in, rested
from host_tools.tests.emulated import DEVICE
from host_tools.tests.served import HOUSE, PASSWORD, Floor
from tabletools.store import people

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A table and a player whose name is markup; streams often check their login."""
    often = pytest.MonkeyPatch()
    often.setattr("tabletools.api.live_routes.CHECK_S", 0.2)
    often.setattr("tabletools.api.live_routes.LOOK_S", 0.2)
    new_floor = Floor(str(tmp_path_factory.mktemp("people") / "ledger"))
    new_floor.sue = new_floor.host.login("Sue")
    new_floor.player = new_floor.host.terminal(new_floor.sue, new_floor.table, EVIL)
    yield new_floor
    new_floor.close()
    often.undo()


@pytest.fixture(scope="module")
def supervisor(chromium, floor):
    """The page of Sue."""
    with console(chromium, floor.host.url, name="Sue") as console_page:
        yield console_page


@pytest.fixture(scope="module")
def technician(chromium, floor):
    """The page of Tim, in another browser window that shares nothing with Sue's."""
    with console(chromium, floor.host.url, name="Tim") as console_page:
        yield console_page


@pytest.fixture
def page(supervisor):
    return rested(supervisor)


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def alarm(floor):
    """A lost link, as the table's owner reports it; the state before was shown."""
    for one in floor.sue.get("/v1/alarms?standing=true").json()["alarms"]:
        floor.sue.post(f"/v1/alarms/{one['id']}/acknowledge", json={"note": "seen"})
    floor.host.pit.seat(floor.table).host.intake.link_lost(DEVICE, "no frame for 2.0 s")


def test_two_users_rule_on_a_late_bet(page, floor):
    """The second user gives name and password; a wrong one is refused, and the bet still waits."""
    floor.open()
    floor.shut()
    slip = {"bet": "straight", "numbers": ["17"], "stake_cents": 500}
    late = floor.player.post("/v1/bets", json=slip, headers={"Idempotency-Key": "late"}).json()
    go(page, "#/late", "Late bets")
    page.get_by_role("button", name=f"Bet {late['bet']} counts").click()
    dialogue = page.get_by_role("dialog")
    dialogue.get_by_label("Reason").fill("The ball still ran on the rim")
    dialogue.get_by_label("Second user: name").fill("Dan")
    dialogue.get_by_label("Second user: password").fill("not his")
    press(page, "Enter")
    expect(dialogue.get_by_role("alert")).to_contain_text("name or password is wrong")
    dialogue.get_by_label("Second user: password").fill(PASSWORD)
    press(page, "Enter")
    expect(dialogue).to_have_count(0)
    row = page.get_by_role("row").nth(1)
    expect(row).to_contain_text("Counts")
    expect(row).to_contain_text(EVIL)
    floor.fall(17)
    log = floor.sue.get("/v1/audit?most=20").json()["rows"]
    assert "Dan" in str([entry for entry in log if "rul" in entry["action"]])


def test_a_user_is_added_changed_and_locked_out(page, floor):
    """The first password is shown once; a lock-out and a new role stand in the row at once."""
    go(page, "#/users", "Users")
    page.get_by_role("button", name="Add a user").click()
    page.get_by_label("Name").fill(EVIL)
    page.get_by_role("dialog").get_by_label("Role").select_option("dealer")
    press(page, "Enter")
    password = page.locator(".secret").inner_text()
    page.get_by_role("button", name="I have handed it over").click()
    row = page.get_by_role("row").filter(has_text=EVIL)
    client = floor.host.client()
    for _ in range(5):
        client.post("/v1/login", json={"name": EVIL, "password": "no"})
    page.get_by_role("button", name=f"Role: {EVIL}").click()
    page.get_by_role("dialog").get_by_label("Role").select_option("auditor")
    page.get_by_role("button", name="Change").click()
    expect(row).to_contain_text("Auditor")
    assert re.search(r"Locked until \w{3} \d+, \d{4}, \d\d:\d\d:\d\d", row.inner_text())
    page.get_by_role("button", name=f"New password: {EVIL}").click()
    page.get_by_role("button", name="Create password").click()
    assert page.locator(".secret").inner_text() != password
    page.get_by_role("button", name="I have handed it over").click()
    expect(row.locator(".chip")).to_have_text("Enabled")


def test_a_user_who_is_disabled_is_enabled_again(page, floor):
    """Asked for once more, as it ends the user's logins."""
    go(page, "#/users", "Users")
    row = page.get_by_role("row").filter(has_text="Amy")
    for word, state in (("Disable", "Disabled"), ("Enable", "Enabled")):
        page.get_by_role("button", name=f"{word}: Amy").click()
        page.get_by_role("dialog").get_by_role("button", name=word).click()
        expect(row.locator(".chip")).to_have_text(state)
    page.get_by_role("button", name="Disable: Sue").click()
    page.get_by_role("dialog").get_by_role("button", name="Disable").click()
    expect(page.get_by_role("alert")).to_contain_text("only supervisor who can log in")
    page.get_by_role("button", name="Cancel").click()


def choose_password(chromium, floor, name, first, witness):
    """The first login of a user, and what a supervisor confirms there."""
    with console(chromium, floor.host.url) as page:
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(first)
        press(page, "Enter")
        page.get_by_label("Temporary password").fill(first)
        page.get_by_label("New password", exact=True).fill("eleven green cows")
        page.get_by_label("Repeat the new password").fill("eleven green cows")
        page.get_by_label("Supervisor: name").fill("Sue")
        page.get_by_label("Supervisor: password").fill(PASSWORD)
        press(page, "Enter")
        expect(page.get_by_role("alert")).to_contain_text("did not ask for the first password")
        page.get_by_label("Supervisor: name").fill(witness)
        page.get_by_label("Supervisor: password").fill(PASSWORD)
        press(page, "Enter")
        expect(page.get_by_role("button", name="Log out")).to_be_visible()


def test_two_supervisors_add_a_user_together(page, chromium, floor):
    """Once there are two, the other one gives name and password, and sees the user choose one."""
    sam = floor.host.user("Sam", "supervisor")
    try:
        go(page, "#/users", "Users")
        page.get_by_role("button", name="Add a user").click()
        dialogue = page.get_by_role("dialog")
        dialogue.get_by_label("Name", exact=True).fill("Nia")
        dialogue.get_by_label("Second user: name").fill("Dan")
        dialogue.get_by_label("Second user: password").fill(PASSWORD)
        press(page, "Enter")
        expect(dialogue.get_by_role("alert")).to_contain_text("two supervisors have to agree")
        dialogue.get_by_label("Second user: name").fill("Sam")
        press(page, "Enter")
        first = page.locator(".secret").inner_text()
        page.get_by_role("button", name="I have handed it over").click()
        expect(page.get_by_role("row").filter(has_text="Nia")).to_have_count(1)
        choose_password(chromium, floor, "Nia", first, "Sam")
        page.get_by_role("button", name="Disable: Nia").click()
        page.get_by_role("dialog").get_by_role("button", name="Disable").click()
        expect(page.get_by_role("row").filter(has_text="Nia")).to_contain_text("Disabled")
        page.get_by_role("button", name="Enable: Nia").click()
        expect(page.get_by_label("Second user: password")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
    finally:  # the other tests have one supervisor
        people.change_user(floor.host.ledger, sam, HOUSE, role="dealer")


def test_both_windows_see_an_alarm_come_and_go(page, technician, floor):
    """Acknowledged by keyboard alone in one, it is gone from the other, its badge too."""
    tim = rested(technician)
    go(tim, "#/alarms", "Alarms")
    go(page, "#/alarms", "Alarms")
    alarm(floor)
    for each in (page, tim):
        expect(each.get_by_role("article")).to_contain_text("no frame for 2.0 s")
        expect(each.get_by_role("article")).to_have_count(1)
        expect(each.locator(".badge")).to_have_text("1")
    tim.get_by_role("button", name="Acknowledge alarm").focus()
    press(tim, "Enter")
    tim.keyboard.type(f"Plug {EVIL} put back")
    press(tim, "Tab", "Enter")
    for each in (tim, page):
        expect(each.get_by_text("Active, acknowledged")).to_be_visible()
        expect(each.locator(".badge")).to_be_hidden()
    go(page, "#/alarms?show=all", "Alarms")
    expect(page.get_by_role("article").first).to_contain_text(f"Tim: Plug {EVIL} put back")
    assert page.locator("img[src=x]").count() == 0


def test_a_login_that_ends_leads_back_to_its_page(technician, floor):
    """The open dialogue closes, a message explains why, and the next login continues there."""
    tim = rested(technician)
    go(tim, "#/maintenance", "Maintenance")
    tim.get_by_role("button", name="Record a daily check").click()
    users = {one["name"]: one["id"] for one in floor.sue.get("/v1/users").json()["users"]}
    for enabled in (False, True):
        floor.sue.patch(f"/v1/users/{users['Tim']}", json={"enabled": enabled})
    expect(tim.get_by_text("Your login has ended")).to_be_visible()
    assert tim.get_by_role("dialog").count() == 0
    assert tim.locator("nav").count() == 0
    log_in(tim, "Tim", heading="Maintenance")
