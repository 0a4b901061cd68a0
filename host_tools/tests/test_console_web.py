"""The console in a real browser: login, live pages, alarms, roles, access for everybody."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from host_tools.tests.browser import console, go, launched, log_in
from host_tools.tests.emulated import DEVICE
from host_tools.tests.served import Floor
from tablelogic import wheels
from tablelogic.money_wheel import segments
from tabletools.ledger.alarms import CONFLICT, Found, stop

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules/axe-core/axe.min.js"
EVIL = "<img src=x onerror=alert(1)>"
# Sums what moved without being asked to, as the browser itself measures it.
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


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        found = launched(playwright)
        yield found
        found.close()


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A pit with a table, a player with an evil name, and two rounds played."""
    found = Floor(str(tmp_path_factory.mktemp("console") / "ledger"))
    sue = found.host.login("Sue")
    found.player = found.host.terminal(sue, found.table, EVIL)
    for pocket in (17, None):
        found.open()
        lay(found, f"first {found.round}")
        found.shut()
        found.fall(pocket)
    yield found
    found.close()


def lay(floor, key, cents=500):
    """The player lays a bet on 17."""
    slip = {"bet": "straight", "numbers": ["17"], "stake_cents": cents}
    answer = floor.player.post("/v1/bets", json=slip, headers={"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text


@pytest.fixture
def page(browser, floor):
    """Sue, the supervisor, in the pit."""
    with console(browser, floor.host.url, name="Sue") as found:
        yield found


def test_a_wrong_password_is_told_with_the_next_step(browser, floor):
    """What went wrong and what to do, and the focus is back where one types."""
    with console(browser, floor.host.url) as page:
        page.get_by_label("Name").fill("Tim")
        page.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Next step:")
        expect(page.get_by_label("Password")).to_be_focused()


def test_a_first_password_is_changed_before_anything_else(browser, floor):
    """A password that was handed out opens one page: that of the choice of another."""
    sue = floor.host.login("Sue")
    made = sue.post("/v1/users", json={"name": "Nora", "role": "auditor"}).json()
    with console(browser, floor.host.url) as page:
        page.get_by_label("Name").fill("Nora")
        page.get_by_label("Password").fill(made["password"])
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Choose a password").wait_for()
        page.get_by_label("Password you were given").fill(made["password"])
        page.get_by_label("Your own password", exact=True).fill("twelve green doors")
        page.get_by_label("Your own password again").fill("twelve green doors")
        page.get_by_role("button", name="Keep it").click()
        page.get_by_role("heading", name="Pit", level=1).wait_for()


def test_a_lock_out_is_told(browser, floor):
    """After five wrong passwords the account is locked, and the page says so."""
    sue = floor.host.login("Sue")
    sue.post("/v1/users", json={"name": "Lou", "role": "dealer"})
    for _ in range(5):
        floor.host.client().post("/v1/login", json={"name": "Lou", "password": "no"})
    with console(browser, floor.host.url) as page:
        page.get_by_label("Name").fill("Lou")
        page.get_by_label("Password").fill("no again")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("locked")


def test_the_wheels_are_drawn_in_the_order_of_the_firmware(page):
    """What the pictures have round the rotor is what the device reads there."""
    drawn = page.evaluate("import('./machines.js').then((all) => ({...all}))")
    labels = {n: "00" if n == wheels.DOUBLE_ZERO else str(n) for n in range(38)}
    assert drawn["SINGLE"] == [labels[n] for n in wheels.SINGLE]
    assert drawn["DOUBLE"] == [labels[n] for n in wheels.DOUBLE]
    assert drawn["SEGMENTS_52"] == [str(n) for n in segments.SEGMENTS_52]


def test_a_round_is_seen_live_and_nothing_shifts(page, floor):
    """Bets, no more bets, the number and the settlement come by themselves, in their places."""
    go(page, f"#/table/{floor.table}", "R1")
    expect(page.get_by_text("Last settled round")).to_be_visible()
    page.evaluate(SHIFTS)
    floor.open()
    expect(page.locator(".title-row .chip")).to_have_text("Bets open")
    lay(floor, "live", 1500)
    bets = page.get_by_role("region", name="Bets of this round")
    expect(bets).to_contain_text("€\u00a015.00")
    floor.shut()
    floor.fall(17)
    expect(page.locator(".results li").first).to_have_text("17")
    expect(page.locator(".wheel .last text")).to_have_text("17")
    # 35 to 1 on 15.00, and the stake back (hc2023 2:1).
    settled = page.locator(".last-round")
    expect(settled).to_contain_text("€\u00a0525.00")
    assert page.evaluate("window.shifted") < 0.01


def test_a_round_shows_bets_settlement_and_article(page, floor):
    """Names are text: the picture in the player's name is never made."""
    go(page, "#/round/1", "Round 1 of R1")
    bets = page.get_by_role("region", name="Bets of the round")
    expect(bets).to_contain_text(EVIL)
    expect(bets).to_contain_text("hc2023")
    expect(bets).to_contain_text("€\u00a0175.00")
    expect(page.get_by_role("region", name="Records")).to_contain_text("Wheel result")
    assert page.locator("img[src=x]").count() == 0


def test_an_alarm_stands_until_a_named_user_acknowledges_it(page, floor):
    """Two numbers of one round: an alarm with its remedy; acknowledged with a note and a name."""
    found = Found(CONFLICT, "round 1: 17 and 5", DEVICE, floor.table)
    floor.host.ledger.run(lambda db: stop(db, found, floor.host.ledger.clock.wall_ns()))
    go(page, "#/alarms", "Alarms")
    alarm = page.get_by_role("article")
    expect(alarm).to_contain_text("Remedy:")
    page.get_by_role("button", name="Acknowledge alarm").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Both wheels were read")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No alarm stands")).to_be_visible()
    page.get_by_label("Show acknowledged alarms too").check()
    expect(alarm).to_contain_text("Sue: Both wheels were read")


def test_a_supervisor_releases_a_stopped_table_with_a_reason(page, floor):
    """Acknowledged is not released: the table stays stopped until it may play for a reason."""
    floor.wait(lambda facts: facts["stopped"])
    go(page, f"#/table/{floor.table}", "R1")
    expect(page.locator(".title-row .chip")).to_have_text("Stopped")
    page.get_by_role("button", name="Release with a reason").click()
    page.get_by_label("Why it may play on").fill("The first number was right")
    page.get_by_role("button", name="Release", exact=True).click()
    expect(page.get_by_text("No fault stands")).to_be_visible()
    assert not floor.host.pit.seat(floor.table).live.facts["stopped"]


def test_what_a_table_does_not_answer_is_told_where_it_was_ordered(page, floor, monkeypatch):
    """A void that the table never heard: the dialogue stays, and says what to look at first."""
    monkeypatch.setattr("tabletools.pit.pit.ANSWER_S", 0.1)
    go(page, f"#/table/{floor.table}", "R1")
    page.get_by_role("button", name="Void the round").click()
    dialogue = page.get_by_role("dialog")
    expect(dialogue).to_contain_text("Every stake that is not decided yet comes back")
    dialogue.get_by_role("button", name="Void the round").click()
    expect(dialogue).to_contain_text("did not answer void_round within 0.1 s")
    expect(dialogue).to_contain_text("see what it shows before the order is given again")
    dialogue.get_by_role("button", name="Cancel").click()
    expect(dialogue).to_have_count(0)


PAGES = {
    "Dan": ["Pit", "Alarms", "Rounds", "Fairness", "Devices", "Maintenance"],
    "Amy": ["Pit", "Alarms", "Rounds", "Late bets", "Fairness", "Devices", "Maintenance",
            "Users", "Action log"],
}  # fmt: skip
BUTTONS = {"Dan": ["Close bets"], "Amy": []}


@pytest.mark.parametrize("name", PAGES)
def test_a_role_sees_its_own_pages_and_actions(browser, floor, name):
    """A dealer closes bets and no more; an auditor reads everything and does nothing."""
    with console(browser, floor.host.url, name=name) as page:
        shown = page.get_by_role("navigation").get_by_role("link").all_inner_texts()
        assert [re.sub(r"\d", "", text).strip() for text in shown] == PAGES[name]
        go(page, f"#/table/{floor.table}", "R1")
        assert page.locator("main button").all_inner_texts() == BUTTONS[name]


def test_every_page_passes_the_checks_of_axe(browser, floor):
    """No breach of WCAG 2.2 A and AA that a program can find, and headings in order."""
    places = {
        "#/": "Pit", f"#/table/{floor.table}": "R1", "#/alarms?all=yes": "Alarms",
        "#/rounds": "Rounds", "#/round/1": "Round 1 of R1", "#/late": "Late bets",
        "#/fairness": "Fairness", "#/devices": "Devices", "#/maintenance": "Maintenance",
        "#/users": "Users", "#/log": "Action log",
    }  # fmt: skip
    found = []
    with console(browser, floor.host.url, name="Sue", color_scheme="dark") as page:
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for place, heading in places.items():
            go(page, place, heading)
            told = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            found += [(heading, one["id"], one["nodes"][0]["html"]) for one in told["violations"]]
    assert not found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_themes(browser, floor, scheme):
    """Every text of the busiest page has a contrast of 4.5 to 1 with what is behind it."""
    with console(browser, floor.host.url, name="Sue", color_scheme=scheme) as page:
        go(page, f"#/table/{floor.table}", "R1")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        worst, text = page.evaluate(CONTRAST)
    assert worst >= 4.5, text
    assert ground == {"light": "rgb(243, 241, 234)", "dark": "rgb(15, 20, 19)"}[scheme]


@pytest.mark.parametrize(("wish", "turning"), [("no-preference", 1), ("reduce", 0)])
def test_the_rotor_turns_only_where_motion_is_wanted(browser, floor, wish, turning):
    """14.2 turns a minute, as the table tells; still for who asks for less motion."""
    with console(browser, floor.host.url, name="Sue", reduced_motion=wish) as page:
        go(page, f"#/table/{floor.table}", "R1")
        expect(page.get_by_text("14.2 rpm")).to_be_visible()
        rates = "document.getAnimations().map((one) => one.playbackRate).join()"
        wanted = ",".join(["14.2"] * turning)  # a rate is taken up with the next picture
        page.wait_for_function(f"{rates} === {wanted!r}")


def test_a_tablet_has_touch_targets_of_44_px(browser, floor):
    """Every button and link of the pages one touches at a table, on 1024 by 768."""
    size = {"width": 1024, "height": 768}
    small = """() => [...document.querySelectorAll("button, nav a, input, .card-head a")]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.5)
      .map((one) => one.outerHTML)"""
    with console(browser, floor.host.url, name="Sue", viewport=size) as page:
        for place, heading in (("#/", "Pit"), (f"#/table/{floor.table}", "R1")):
            go(page, place, heading)
            assert page.evaluate(small) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_lost_connection_is_shown_at_once_and_big(browser, floor):
    """Since when nothing is live, in the largest letters of the page; gone when it is back."""
    with console(browser, floor.host.url, name="Sue") as page:
        expect(page.locator(".live")).to_have_text("Live")
        page.context.set_offline(True)
        lost = page.get_by_role("alert").get_by_text("Not live since")
        expect(lost).to_be_visible()
        assert re.fullmatch(r"Not live since \d\d:\d\d:\d\d", lost.inner_text())
        page.context.set_offline(False)
        expect(lost).to_be_hidden()


def test_the_keyboard_reaches_everything(page, floor):
    """Tab goes to the skip link first; a new page is read from its heading on."""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="R1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="R1", level=1)).to_be_focused()


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
