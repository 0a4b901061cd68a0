"""The console in a real browser: login, live pages, alarms, roles, accessibility."""

import re

import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import console, go, log_in, rested
from host_tools.tests.emulated import DEVICE
from host_tools.tests.served import PASSWORD, Floor, until
from tabletools.evidence.alarms import CONFLICT, LINK_LOST, AlarmCause, clear, raise_alarm, stop
from tablewire.messages import BETS_CLOSED, PHASE_NO_MORE_BETS
from tablewire.roulette import CLOSE_CAUSE_BALL_DETECTED

EVIL = "<img src=x onerror=alert(1)>"
# Sums unrequested layout shifts, as the browser itself measures them.
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifted += entry.value;
}).observe({type: "layout-shift", buffered: false});
"""
# Contrast of every text with what is behind it, by WCAG 2.2; returns the worst and its text.
CONTRAST = """() => {
  const part = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * part(r / 255) + 0.7152 * part(g / 255)
    + 0.0722 * part(b / 255);
  const numbers = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = numbers(getComputedStyle(at).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  let worst = [21, ""];
  for (const element of document.querySelectorAll("body *:not(svg *)")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, element.textContent];
  }
  return worst;
}"""

# The names of what Tab should visit in the page's content, and of what has the focus now.
NAME = """(one) => one.getAttribute("aria-label") || one.labels?.[0]?.textContent
  || one.textContent"""
REACHED = f"""() => [...document.querySelectorAll("main :is(a[href], button:enabled, input,"
  + " select, summary, [tabindex='0'])")].filter((one) => one.checkVisibility()).map({NAME})"""
FOCUS = f"""() => [getComputedStyle(document.activeElement).outlineStyle,
  ({NAME})(document.activeElement)]"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A pit with a table, a player with an evil name, and two rounds played."""
    new_floor = Floor(str(tmp_path_factory.mktemp("console") / "ledger"))
    sue = new_floor.host.login("Sue")
    new_floor.player = new_floor.host.terminal(sue, new_floor.table, EVIL)
    for pocket in (17, None):
        new_floor.open()
        place_bet(new_floor, f"first {new_floor.round}")
        if pocket is None:
            new_floor.void()
        else:
            new_floor.shut()
            new_floor.fall(pocket)
    yield new_floor
    new_floor.close()


def place_bet(floor, key, cents=500):
    """Place the player's bet on 17."""
    slip = {"bet": "straight", "numbers": ["17"], "stake_cents": cents}
    answer = floor.player.post("/v1/bets", json=slip, headers={"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text


@pytest.fixture(scope="module")
def sue(chromium, floor):
    """The page of Sue, the supervisor; later tests continue with it."""
    with console(chromium, floor.host.url, name="Sue") as console_page:
        yield console_page


@pytest.fixture
def page(sue):
    """Sue in the pit."""
    return rested(sue)


@pytest.fixture(scope="module")
def stranger(chromium, floor):
    """A page at which no user is logged in."""
    with console(chromium, floor.host.url) as console_page:
        yield console_page


@pytest.fixture
def gate(stranger):
    """The login."""
    stranger.reload()
    return stranger


def test_a_wrong_password_is_reported_with_the_next_step(gate):
    """What went wrong and what to do, and the focus is back where one types."""
    gate.get_by_label("Name").fill("Tim")
    gate.get_by_label("Password").fill("wrong")
    gate.keyboard.press("Enter")
    expect(gate.get_by_role("alert")).to_contain_text("Next step:")
    expect(gate.get_by_label("Password")).to_be_focused()


def test_a_lock_out_is_reported(gate, floor):
    """After five wrong passwords the account is locked, and the page shows that."""
    sue = floor.host.login("Sue")
    sue.post("/v1/users", json={"name": "Lou", "role": "dealer"})
    client = floor.host.client()
    for _ in range(5):
        client.post("/v1/login", json={"name": "Lou", "password": "no"})
    gate.get_by_label("Name").fill("Lou")
    gate.get_by_label("Password").fill("no again")
    gate.keyboard.press("Enter")
    expect(gate.get_by_role("alert")).to_contain_text("locked")


def test_a_first_password_is_changed_before_anything_else(gate, floor):
    """A password that was handed out opens one page: that of the choice of another."""
    sue = floor.host.login("Sue")
    answer = sue.post("/v1/users", json={"name": "Nora", "role": "auditor"})
    assert answer.status_code == 201, answer.text
    reply = answer.json()
    gate.get_by_label("Name").fill("Nora")
    gate.get_by_label("Password").fill(reply["password"])
    gate.keyboard.press("Enter")
    gate.get_by_role("heading", name="Choose a password").wait_for()
    gate.get_by_label("Temporary password").fill(reply["password"])
    gate.get_by_label("New password", exact=True).fill("twelve green doors")
    gate.get_by_label("Repeat the new password").fill("twelve green doors")
    gate.get_by_role("button", name="Save password").click()
    gate.get_by_role("heading", name="Pit", level=1).wait_for()
    gate.get_by_role("button", name="Log out").click()
    gate.get_by_role("heading", name="Tablewire").wait_for()


def test_a_round_is_seen_live_and_nothing_shifts(page, floor):
    """Bets, no more bets, the number and the settlement appear without a reload, in place."""
    go(page, f"#/table/{floor.table}", "R1")
    expect(page.get_by_text("Last settled round")).to_be_visible()
    page.evaluate(SHIFTS)
    floor.open()
    expect(page.locator(".title-row .chip")).to_have_text("Bets open")
    place_bet(floor, "live", 1500)
    bets = page.get_by_role("region", name="Bets of this round")
    expect(bets).to_contain_text("€15.00")
    floor.shut()
    floor.fall(17)
    expect(page.locator(".results li").first).to_have_text("17")
    expect(page.locator(".wheel .last text")).to_have_text("17")
    # 35 to 1 on 15.00, and the stake back (hc2023 2:1).
    settled = page.locator(".last-round")
    expect(settled).to_contain_text("€525.00")
    assert page.evaluate("window.shifted") < 0.01


def test_a_round_shows_bets_settlement_and_article(page, floor):
    """Names are text: the picture in the player's name is never made."""
    go(page, "#/round/1", "Round 1 of R1")
    bets = page.get_by_role("region", name="Bets of the round")
    expect(bets).to_contain_text(EVIL)
    expect(bets).to_contain_text("hc2023")
    expect(bets).to_contain_text("€175.00")
    expect(page.get_by_role("region", name="Records")).to_contain_text("Wheel result")
    assert page.locator("img[src=x]").count() == 0


def test_an_alarm_stands_until_it_is_acknowledged_and_its_table_until_it_is_released(page, floor):
    """Two numbers of one round: an alarm with its remedy; acknowledged with a note and a name.

    Acknowledged is not released: the table stays stopped until it may play for a reason.
    """
    conflict = AlarmCause(CONFLICT, "round 1: 17 and 5", DEVICE, floor.table)
    floor.host.ledger.run(lambda db: stop(db, conflict, floor.host.ledger.clock.wall_ns()))
    go(page, "#/alarms", "Alarms")
    alarm = page.get_by_role("article").filter(has_text="Conflict")
    expect(alarm).to_contain_text("Remedy:")
    page.get_by_role("button", name="Acknowledge alarm").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Both wheels were read")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(alarm).to_contain_text("Active, acknowledged")
    expect(alarm).to_contain_text("Sue: Both wheels were read")
    floor.wait(lambda facts: facts["stopped"])
    go(page, f"#/table/{floor.table}", "R1")
    expect(page.locator(".title-row .chip")).to_have_text("Stopped")
    page.get_by_role("button", name="Release with a reason").click()
    page.get_by_label("Why it may continue").fill("The first number was right")
    page.get_by_role("button", name="Release", exact=True).click()
    expect(page.get_by_text("No active fault")).to_be_visible()
    assert not floor.host.pit.seat(floor.table).live.facts["stopped"]
    go(page, "#/alarms", "Alarms")
    expect(page.get_by_text("No open alarm")).to_be_visible()
    page.get_by_label("Show").select_option("All, also past ones")
    expect(alarm).to_contain_text("Over:")


def test_alarms_of_one_cause_are_one_entry_and_several_are_acknowledged_at_once(page, floor):
    """Forty tables lose their link: one line, shelved and acknowledged together."""
    ledger = floor.host.ledger

    def fail(db):
        for device in range(100, 140):
            raise_alarm(db, AlarmCause(LINK_LOST, "silent", device), ledger.clock.wall_ns())

    ledger.run(fail)
    go(page, "#/alarms", "Alarms")
    expect(page.locator("main > .alarms > li > article")).to_have_count(1)
    expect(page.get_by_text("39 more of the same cause")).to_be_visible()
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Shelve the selected").click()
    page.get_by_label("Why").fill("switch is being replaced")
    page.get_by_label("For", exact=True).select_option("1 hour")
    page.get_by_role("button", name="Shelve 40 alarms").click()
    expect(page.get_by_text("No open alarm")).to_be_visible()
    expect(page.get_by_role("button", name="Shelve the selected")).to_be_focused()
    expect(page.locator(".badge")).to_be_hidden()
    page.get_by_label("Show").select_option("Shelved")
    expect(page.get_by_text("Shelved until").first).to_be_visible()
    expect(page.locator("main > .alarms > li > article")).to_contain_text("Sue shelved it")
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Acknowledge the selected").click()
    page.get_by_label("What was done").fill("seen")
    page.get_by_role("button", name="Acknowledge 40 alarms").click()
    expect(page.get_by_text("Sue: seen").first).to_be_visible()
    ledger.run(lambda db: clear(db, ledger.clock.wall_ns(), [LINK_LOST]))


def test_a_button_in_focus_is_not_replaced_by_an_alarm_that_comes(page, floor):
    """Its answer is on the way while somebody goes to the button of another alarm."""
    ledger, held = floor.host.ledger, []

    def fail(device):
        cause = AlarmCause(LINK_LOST, "silent", device, floor.table)
        ledger.run(lambda db: raise_alarm(db, cause, ledger.clock.wall_ns()))

    fail(100)
    go(page, "#/alarms", "Alarms")
    page.route("**/v1/alarms?*", lambda route: held.append(route))  # unanswered at first
    with page.expect_request("**/v1/alarms?*"):
        fail(101)
    button = page.get_by_role("button", name="Acknowledge alarm").first
    button.focus()
    with page.expect_response("**/v1/alarms?*"):
        held[0].continue_()
    page.unroute("**/v1/alarms?*")
    page.evaluate("fetch('/v1/health').then((answer) => answer.text())")  # one that comes later
    expect(button).to_be_focused()
    ledger.run(lambda db: clear(db, ledger.clock.wall_ns(), [LINK_LOST]))


def test_what_a_table_does_not_answer_is_reported_where_it_was_ordered(page, floor, monkeypatch):
    """A void that the table never received: the dialogue stays, with what to check first."""
    monkeypatch.setattr("tabletools.pit.pit.ANSWER_S", 0.1)
    go(page, f"#/table/{floor.table}", "R1")
    floor.open()
    page.get_by_role("button", name="Void the round").click()
    dialogue = page.get_by_role("dialog")
    expect(dialogue).to_contain_text("Every undecided stake is returned")
    dialogue.get_by_role("button", name="Void the round").click()
    expect(dialogue).to_contain_text("did not answer close_bets within 0.1 s")
    expect(dialogue).to_contain_text("see what it shows before the order is given again")
    dialogue.get_by_role("button", name="Cancel").click()
    expect(dialogue).to_have_count(0)
    floor.shut()
    floor.fall(8)
    expect(page.get_by_role("button", name="Void the round")).to_be_disabled()


def test_a_void_after_no_more_bets_is_a_correction(page, floor, monkeypatch):
    """Reason, evidence and a second user are required, and are in the audit log."""
    monkeypatch.setattr("tabletools.pit.pit.ANSWER_S", 0.1)
    floor.host.user("Kim", "supervisor")
    go(page, f"#/table/{floor.table}", "R1")
    floor.open()
    closed = (CLOSE_CAUSE_BALL_DETECTED, 8_000)
    floor.played.order(BETS_CLOSED, closed, floor.round, PHASE_NO_MORE_BETS)
    floor.wait(lambda facts: facts["phase"] == "no_more_bets" and not facts["bets_open"])
    expect(page.locator(".title-row .chip")).to_have_text("No more bets")
    page.get_by_role("button", name="Void the round").click()
    dialogue = page.get_by_role("dialog")
    agree = dialogue.get_by_role("button", name="Void the round")
    agree.click()
    expect(dialogue.get_by_label("Reason")).to_be_focused()  # required
    dialogue.get_by_label("Reason").fill("the ball flew off")
    dialogue.get_by_label("Evidence").fill("camera 4")
    dialogue.get_by_label("Second user: name").fill("Kim")
    dialogue.get_by_label("Second user: password").fill("wrong")
    agree.click()
    expect(dialogue).to_contain_text("name or password")
    dialogue.get_by_label("Second user: password").fill(PASSWORD)
    agree.click()
    expect(dialogue).to_contain_text("did not answer void_round within 0.1 s")
    rows = floor.host.login("Amy").get("/v1/audit").json()
    assert "the ball flew off" in str(rows)


def test_orders_that_cannot_arrive_are_disabled_and_say_why(chromium, tmp_path):
    """The power of a table fails in an open round: no order can reach it until it is back."""
    floor = Floor(str(tmp_path / "ledger"))
    try:
        with console(chromium, floor.host.url, name="Sue") as page:
            go(page, f"#/table/{floor.table}", "R1")
            floor.open()
            void, actions = (
                page.get_by_role("button", name="Void the round"),
                page.get_by_role("region", name="Actions"),
            )
            expect(void).to_be_enabled()
            expect(actions.get_by_role("status")).to_have_text("")
            floor.port.__exit__()
            floor.wait(lambda facts: facts["link"] != "online")
            expect(void).to_be_disabled()
            expect(actions.get_by_role("status")).to_contain_text("No order can reach the table.")
            expect(actions.get_by_role("status")).to_contain_text("check its power, its cable")
    finally:
        floor.close()


# An order of a shoe that has no phase to fit, by the state of its table.
ORDERED = """async (state) => {
  const { orders } = await import("./pages/orders.js");
  const shown = orders({ id: 1, name: "B1" }, "card_shoe", () => {}, () => {});
  shown.update(state);
  const button = shown.buttons.find((one) => one.textContent === "Declare a new shoe");
  return [button.disabled, shown.obstacle.textContent];
}"""


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ({"held": True, "link": "online"}, ""),
        ({"held": True, "link": "stale"}, ""),
        ({"held": True, "link": "closed"}, "Link closed: check its power"),
        ({"held": True, "link": "stranger"}, "Another device answers: connect the device"),
        ({"held": True, "link": "taken"}, "Owned by another host: end the other host"),
        ({"held": False, "link": "closed"}, "this host does not own the table"),
        (None, "the host that owns the table sends them"),
    ],
)
@pytest.mark.one_in(2)
def test_an_order_needs_a_table_that_answers(page, state, reason):
    """Also an order without a phase of its own; frames too old for bets do not stop orders."""
    is_disabled, text = page.evaluate(ORDERED, state)
    assert is_disabled == bool(reason)
    assert reason in text if reason else text == ""


PAGES = {
    "Dan": ["Pit", "Wall", "Alarms", "Rounds", "Rulings", "Accounts", "Held payouts", "Seats",
            "Fairness", "Devices", "Maintenance", "Offers", "Alarm rules"],
    "Amy": ["Pit", "Wall", "Alarms", "Rounds", "Rulings", "Late bets", "Accounts", "Held payouts",
            "Day close", "Wallet", "Seats", "Fairness", "Devices", "Maintenance", "Offers",
            "Alarm rules", "Takings", "Users", "Action log"],
    "Cas": ["Pit", "Wall", "Alarms", "Rounds", "Accounts", "Held payouts", "Day close", "Wallet",
            "Seats", "Fairness"],
}  # fmt: skip
BUTTONS = {"Dan": ["Close bets", "Announce the end of play"], "Amy": [], "Cas": []}
PLACES = {
    "#/": "Pit",
    "#/table/1": "R1",
    "#/deal/1": "Deal: R1",
    "#/wall": "Wall",
    "#/alarms?show=all": "Alarms",
    "#/rounds": "Rounds",
    "#/round/1": "Round 1 of R1",
    "#/late": "Late bets",
    "#/fairness": "Fairness",
    "#/devices": "Devices",
    "#/maintenance": "Maintenance",
    "#/offers": "Offers",
    "#/users": "Users",
    "#/accounts": "Accounts",
    "#/statement/99": "Statement",
    "#/payouts": "Held payouts",
    "#/seats": "Seats",
    "#/log": "Action log",
    "#/takings": "Takings",
    "#/close": "Day close",
    "#/wallet": "Wallet",
    "#/rules": "Alarm rules",
    "#/rulings": "Rulings",
    "#/rulings/1": "Ruling: round 1 of R1",
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.one_in(2)
def test_a_role_sees_its_own_pages_and_actions(chromium, floor, name):
    """A dealer closes bets and nothing else; auditor and cashier change nothing at a table."""
    with console(chromium, floor.host.url, name=name) as page:
        links = page.get_by_role("navigation").get_by_role("link").all_inner_texts()
        assert [re.sub(r"\d", "", text).strip() for text in links] == PAGES[name]
        go(page, f"#/table/{floor.table}", "R1")
        assert page.locator("main button").all_inner_texts() == BUTTONS[name]


def test_text_can_be_read_in_both_themes(page):
    """Every text of every page has a contrast of 4.5 to 1 with what is behind it."""
    grounds = {"light": "rgb(243, 241, 234)", "dark": "rgb(15, 20, 19)"}
    for place, heading in PLACES.items():
        go(page, place, heading)
        for scheme, ground in grounds.items():
            page.emulate_media(color_scheme=scheme)
            background = page.evaluate("getComputedStyle(document.body).backgroundColor")
            worst, text = page.evaluate(CONTRAST)
            assert (background, worst >= 4.5) == (ground, True), (heading, scheme, worst, text)


@pytest.mark.parametrize(("preference", "turning"), [("no-preference", 1), ("reduce", 0)])
def test_the_rotor_turns_only_where_motion_is_wanted(page, floor, preference, turning):
    """14.2 turns a minute, as reported; still if the browser asks for reduced motion."""
    page.emulate_media(reduced_motion=preference)
    go(page, f"#/table/{floor.table}", "R1")
    expect(page.get_by_text("14.2 rpm")).to_be_visible()
    rates = "document.getAnimations().map((one) => one.playbackRate).join()"
    wanted = ",".join(["14.2"] * turning)  # a rate is taken up with the next picture
    page.wait_for_function(f"() => {rates} === {wanted!r}")


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768), (768, 1024), (320, 640)], ids=str)
@pytest.mark.one_in(2)
def test_a_tablet_has_touch_targets_of_44_px(page, floor, size):
    """Every button and link of the pages one touches at a table; nothing is wider than it."""
    small = """() => [...document.querySelectorAll(
        "button, nav a, .toggle, input:not([type=checkbox]), .card-head a")]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.5)
      .map((one) => one.outerHTML)"""
    before = page.viewport_size
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for place, heading in PLACES.items():
        go(page, place, heading)
        assert page.evaluate(small) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), heading
    page.set_viewport_size(before)


@pytest.mark.parametrize(
    ("zone", "zone_text"),
    [
        ("UTC", r"\d\d:\d\d:\d\d UTC"),
        ("Asia/Kolkata", r"\d\d:\d\d:\d\d UTC\+5:30 · \d\d:\d\d UTC"),
        ("America/St_Johns", r"\d\d:\d\d:\d\d UTC−[23]:30 · \d\d:\d\d UTC"),
    ],
)
@pytest.mark.one_in(3)
def test_the_clock_names_the_zone_of_the_screen(chromium, floor, zone, zone_text):
    """Every time on the page is of the zone that the clock in the bar names, beside the UTC."""
    with console(chromium, floor.host.url, name="Sue", timezone_id=zone) as console_page:
        expect(console_page.locator(".now")).to_have_text(re.compile(rf"^{zone_text}\s*$"))


def test_a_table_without_a_key_says_so(page):
    """Its frames prove no age, so it accepts no bets; the reason is the key, not the line."""
    texts = page.evaluate("""async () => {
      const { problems, standing, why } = await import("./pages/overview.js");
      const state = { held: true, link: "stale", seal: "none", faults: [], cause: "no_round" };
      const keyed = { ...state, seal: "verified" };
      return [standing(state), why(state), problems(state), standing(keyed), problems(keyed)];
    }""")
    assert texts[0] == ["bad", "No key"]
    assert texts[1].startswith("The table has no key")
    assert texts[2][0][0] == "No key"
    assert "keys provision" in texts[2][0][2]
    assert texts[3:] == [["bad", "Frames too old"], []]


def test_a_lost_connection_is_shown_at_once_and_big(page):
    """Since when nothing is live, in the largest letters of the page; gone when it is back."""
    expect(page.locator(".live")).to_have_text("Live")
    page.context.set_offline(True)
    lost = page.get_by_role("alert").get_by_text("Not live since")
    expect(lost).to_be_visible()
    assert re.fullmatch(r"Not live since \d\d:\d\d:\d\d", lost.inner_text())
    page.context.set_offline(False)
    expect(lost).to_be_hidden()


def test_the_keyboard_reaches_everything(page, floor):
    """Tab goes to the skip link first; a new page is read from its heading on."""
    page.reload()
    page.get_by_role("heading", name="Pit", level=1).wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="R1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="R1", level=1)).to_be_focused()


def test_a_first_page_that_is_left_before_it_is_whole_leaves_the_focus_to_the_next(page):
    """Who goes on at once, by a key or a bookmark, is not left without a focus."""
    page.route("**/v1/tables", lambda route: None)  # unanswered
    with page.expect_request("**/v1/tables"):
        page.reload()
    page.evaluate("location.hash = '#/users'")
    expect(page.get_by_role("heading", name="Users", level=1)).to_be_focused(timeout=10_000)
    page.unroute("**/v1/tables")


def test_whatever_has_the_focus_shows_it(page):
    """Tab visits everything in its order on the page, each with a name and an outline."""
    for place in (
        "#/",
        "#/table/1",
        "#/alarms?show=all",
        "#/rounds",
        "#/users",
        "#/maintenance",
        "#/rulings/1",
    ):
        go(page, place, PLACES[place])
        if place == "#/table/1":
            page.locator(".last-round a").wait_for()
        reached = page.evaluate(REACHED)
        page.locator("main").focus()
        for name in reached:
            page.keyboard.press("Tab")
            outline, is_visible = page.evaluate(FOCUS)
            assert (is_visible, outline) == (name, "solid"), place


def test_logging_out_leaves_nothing_behind(page, floor):
    """Who goes back with the browser's button sees the login and nothing else."""
    go(page, "#/alarms", "Alarms")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Tablewire").wait_for()
    page.go_back()
    expect(page.get_by_label("Password")).to_be_visible()
    assert page.locator("nav").count() == 0
    page.goto(floor.host.url)
    log_in(page, "Sue")


def test_eight_pages_of_a_browser_share_a_stream(chromium, floor):
    """All are live, each loads its page, and the host has one stream of this login.

    A browser opens six connections to a host at most.
    """
    streams = floor.host.state.streams
    others = set(streams)
    with console(chromium, floor.host.url, name="Sue") as first:
        [login] = until(lambda: set(streams) - others)
        pages = [first.context.new_page() for _ in range(7)]
        for page in pages:
            page.goto(f"{floor.host.url}/#/rounds")
            page.get_by_role("heading", name="Rounds", level=1).wait_for()
            expect(page.locator(".live")).to_have_attribute("data-live", "yes")
        assert streams[login] == 1
        floor.open()
        for page in pages:
            page.evaluate("location.hash = '#/'")
            expect(page.locator("main")).to_contain_text("Bets open1")
        floor.shut()
        floor.fall(17)
        for page in pages[:-1]:
            page.close()
        expect(pages[-1].locator("main")).to_contain_text("Bets open0")


def test_a_browser_without_shared_workers_has_a_stream_for_each_page(chromium, floor):
    """The page follows the host by itself."""
    streams = floor.host.state.streams
    with console(chromium, floor.host.url) as page:
        page.add_init_script("delete window.SharedWorker")
        page.reload()
        others = set(streams)
        log_in(page, "Sue")
        expect(page.locator(".live")).to_have_attribute("data-live", "yes")
        until(lambda: set(streams) - others)
