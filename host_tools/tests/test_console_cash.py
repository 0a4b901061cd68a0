"""The cash desk in a browser: accounts, deposits and payouts, held payouts, seats, receipts."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import console, go, rested
from host_tools.tests.served import PASSWORD, PIN, Floor

LONG = "Wolfeschlegelsteinhausen-bergerdorff"
"""A name that is cut where a column does not break it."""
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A table; payouts from EUR 1,000.00 in 24 hours are held."""
    place = str(tmp_path_factory.mktemp("cash") / "ledger")
    new_floor = Floor(place, payout_release_cents=100_000, house="Casino Test")
    new_floor.sue = new_floor.host.login("Sue")
    yield new_floor
    new_floor.close()


@pytest.fixture(scope="module")
def desk(chromium, floor):
    """The page of Cas, a cashier."""
    with console(chromium, floor.host.url, name="Cas") as console_page:
        yield console_page


@pytest.fixture(scope="module")
def boss(chromium, floor):
    """The page of Sue, a supervisor."""
    with console(chromium, floor.host.url, name="Sue") as console_page:
        yield console_page


@pytest.fixture
def page(desk):
    return rested(desk)


def opened(floor, number, cents, name="Ada"):
    """An account with so much on it."""
    player = {"player_number": number, "name": name, "pin": PIN}
    account = floor.sue.post("/v1/accounts", json=player).json()["id"]
    where, key = f"/v1/accounts/{account}/deposits", {"Idempotency-Key": "in"}
    assert floor.sue.post(where, json={"cents": cents}, headers=key).status_code == 201
    return account


def balance(floor, account):
    return floor.sue.get(f"/v1/accounts/{account}").json()["balance_cents"]


def dialogue(page):
    return page.get_by_role("dialog")


def test_an_account_is_opened_paid_into_and_found_again(page, floor):
    """12.50 paid in is 1250 cents; a taken number and no amount are refused in the dialogue."""
    go(page, "#/accounts", "Accounts")
    page.get_by_role("button", name="Open an account").click()
    dialogue(page).get_by_label("Player number").fill("A-1")
    dialogue(page).get_by_label("Name").fill(EVIL)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=EVIL, level=1).wait_for()
    page.get_by_role("button", name="Deposit").click()
    for wrong in ("0", "-3", "12.345", "1e3"):
        dialogue(page).get_by_label("Amount").fill(wrong)
        page.keyboard.press("Enter")
        expect(dialogue(page).get_by_role("alert")).to_contain_text("12 or 12.50")
    dialogue(page).get_by_label("Amount").fill("12,50")
    page.keyboard.press("Enter")
    expect(dialogue(page)).to_have_count(0)
    row = page.get_by_role("row").filter(has_text="Deposit")
    expect(row).to_contain_text("€12.50")
    expect(row).to_contain_text("Cas")
    assert not page.evaluate("""() => [...document.querySelectorAll("dd")]
      .some((one) => one.scrollWidth > one.clientWidth)""")
    account = int(re.search(r"#/account/(\d+)", page.url)[1])
    assert balance(floor, account) == 1_250
    go(page, "#/accounts?player_number=A-1", "Accounts")
    expect(page.get_by_role("row").filter(has_text=EVIL)).to_contain_text("€12.50")
    page.get_by_role("button", name="Open an account").click()
    dialogue(page).get_by_label("Player number").fill("A-1")
    dialogue(page).get_by_label("Name").fill("Another")
    page.keyboard.press("Enter")
    expect(dialogue(page).get_by_role("alert")).to_contain_text("has an account")


def test_a_balance_that_changed_since_is_reported_and_nothing_paid(page, floor):
    """The page shows 50.00, a bet's worth of it is gone: the payout is refused."""
    account = opened(floor, "B-1", 5_000)
    go(page, f"#/account/{account}", "Ada")
    key = {"Idempotency-Key": "out"}
    floor.sue.post(f"/v1/accounts/{account}/payouts", json={"cents": 1_000}, headers=key)
    page.get_by_role("button", name="Pay out").click()
    dialogue(page).get_by_label("Amount").fill("45")
    page.keyboard.press("Enter")
    expect(dialogue(page).get_by_role("alert")).to_contain_text("is now 4000 cents, not 5000")
    assert balance(floor, account) == 4_000


def test_a_payout_pressed_twice_is_paid_once(page, floor):
    """The answer to the first press is lost; the same dialogue asks again with the same key."""
    account = opened(floor, "C-1", 5_000)
    go(page, f"#/account/{account}", "Ada")
    page.get_by_role("button", name="Pay out").click()
    dialogue(page).get_by_label("Amount").fill("20")
    lost = []

    def lose(route):
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)
        route.abort()

    page.route("**/payouts", lose)
    page.get_by_role("button", name="Pay out").last.click()
    expect(dialogue(page).get_by_role("alert")).to_contain_text("does not answer")
    dialogue(page).get_by_role("button", name="Pay out").click()
    expect(dialogue(page)).to_have_count(0)
    page.unroute("**/payouts")
    assert lost == [201]
    assert balance(floor, account) == 3_000


def test_a_held_payout_goes_from_the_cashier_to_the_supervisor_to_its_receipt(page, boss, floor):
    """1,000.00 is the limit; the cashier may only request it, the receipt names both."""
    account = opened(floor, "D-1", 150_000)
    go(page, f"#/account/{account}", "Ada")
    page.get_by_role("button", name="Pay out").click()
    dialogue(page).get_by_label("Amount").fill("1000")
    dialogue(page).get_by_role("button", name="Pay out").click()
    expect(dialogue(page).get_by_role("alert")).to_contain_text("request its release")
    dialogue(page).get_by_role("button", name="Request its release").click()
    expect(dialogue(page)).to_have_count(0)
    expect(page.get_by_text("Waiting for a supervisor")).to_be_visible()
    assert balance(floor, account) == 150_000
    go(page, "#/payouts", "Held payouts")
    assert page.get_by_role("button", name="Decide").count() == 0
    go(boss, "#/payouts", "Held payouts")
    boss.get_by_role("button", name="Decide").click()
    dialogue(boss).get_by_label("Reason").fill("Passport seen")
    dialogue(boss).get_by_role("button", name="Release").click()
    expect(dialogue(boss)).to_have_count(0)
    assert balance(floor, account) == 50_000
    boss.get_by_role("link", name="Receipt of movement").first.click()
    boss.get_by_role("heading", name="Receipt", level=1).wait_for()
    receipt = boss.get_by_role("article").inner_text()
    for part in (
        "Casino Test",
        "€1,000.00",
        "Ada, D-1",
        "Passport seen",
        "Sue and Cas",
        "Entry of the chain",
    ):
        assert part in receipt, (part, receipt)


def test_a_supervisor_releases_what_he_requested_only_with_a_second_user(boss, floor):
    """Without one it is refused; declined by him alone it reserves nothing."""
    account = opened(floor, "E-1", 200_000)
    where, key = f"/v1/accounts/{account}/held-payouts", {"Idempotency-Key": "hold"}
    assert floor.sue.post(where, json={"cents": 150_000}, headers=key).status_code == 201
    go(boss, f"#/account/{account}", "Ada")
    boss.get_by_role("button", name="Decide").click()
    dialogue(boss).get_by_label("Reason").fill("Wants to play on")
    dialogue(boss).get_by_label("Second user: name").fill("Dan")
    dialogue(boss).get_by_label("Second user: password").fill("wrong")
    dialogue(boss).get_by_role("button", name="Release").click()
    expect(dialogue(boss).get_by_role("alert")).to_contain_text("name or password is wrong")
    dialogue(boss).get_by_role("button", name="Decline").click()
    expect(dialogue(boss)).to_have_count(0)
    expect(boss.locator("main")).to_contain_text("Declined")
    assert balance(floor, account) == 200_000


def test_a_player_is_seated_and_stands_up(boss, page, floor):
    """Sue sees a code, which opens with Fay's PIN; the cashier sees the seat and ends none."""
    account = opened(floor, "F-1", 1_000, "Fay")
    go(boss, "#/seats", "Seats")
    boss.get_by_role("button", name="Offer a seat").click()
    dialogue(boss).get_by_label("Player number").fill("F-2")
    dialogue(boss).get_by_label("Terminal").fill("Seat 3")
    boss.keyboard.press("Enter")
    expect(dialogue(boss).get_by_role("alert")).to_contain_text("No account has the number F-2")
    dialogue(boss).get_by_label("Player number").fill("F-1")
    boss.keyboard.press("Enter")
    code = boss.locator(".secret").inner_text()
    terminal = floor.host.client()
    token = terminal.post("/v1/seat", json={"code": code, "pin": PIN}).json()["token"]
    terminal.headers["Authorization"] = f"Bearer {token}"
    assert terminal.get("/v1/seat").json()["account"] == account
    boss.get_by_role("button", name="I have handed it over").click()
    boss.reload()
    go(page, f"#/account/{account}", "Fay")
    expect(page.get_by_role("row").filter(has_text="Seat 3")).to_contain_text("R1")
    assert page.get_by_role("button", name="End: Fay").count() == 0
    boss.get_by_role("button", name="End: Fay").click()
    dialogue(boss).get_by_role("button", name="End session").click()
    expect(dialogue(boss)).to_have_count(0)
    assert terminal.get("/v1/seat").status_code == 401


def test_a_pin_is_set_by_two_users(page, floor):
    """The account says that it has none; the refusal of an easy one stays on the page."""
    body = {"player_number": "F-9", "name": "Fin"}
    account = floor.sue.post("/v1/accounts", json=body).json()["id"]
    go(page, f"#/account/{account}", "Fin")
    expect(page.locator("main")).to_contain_text("None: sits at no terminal")
    page.get_by_role("button", name="Set a PIN").click()
    for pin in ("123456", PIN):
        dialogue(page).get_by_label("PIN, typed by the player").fill(pin)
        dialogue(page).get_by_label("Second user: name").fill("Sue")
        dialogue(page).get_by_label("Second user: password").fill(PASSWORD)
        page.keyboard.press("Enter")
        if pin != PIN:
            expect(dialogue(page).get_by_role("alert")).to_contain_text("easily guessed")
    expect(dialogue(page)).to_have_count(0)
    terminal = floor.host.seat(floor.sue, floor.table, account, "Seat 9")
    assert terminal.get("/v1/seat").json()["account"] == account
    assert PIN not in page.content()


# What is wider than its place, so that a part of it is cut or has to be scrolled to.
CUT = """() => [document.documentElement, ...document.querySelectorAll("main *")]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1
    && getComputedStyle(one).display !== "inline" && !one.closest(".unseen"))
  .map((one) => one.outerHTML.slice(0, 200))"""


def picture(page, name):
    """Keep what is shown where somebody wants to look at it."""
    if folder := os.environ.get("TABLEWIRE_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_the_receipt_of_a_bet_names_round_article_and_record(boss, floor):
    """EUR 5.00 on 17, which falls: 35 to 1; found from the page of its round."""
    player = floor.host.terminal(floor.sue, floor.table, LONG)
    key = floor.open()
    slip = {"bet": "straight", "numbers": ["17"], "stake_cents": 500}
    bet = player.post("/v1/bets", json=slip, headers={"Idempotency-Key": "17"}).json()["bet"]
    floor.shut()
    floor.fall(17)
    go(boss, f"#/round/{key}", f"Round {floor.round} of R1")
    whole = "17 on the straight 17: 35:1, hc2023 2:2(1); winnings 175.00, stake 5.00 returned"
    expect(boss.get_by_role("main")).to_contain_text(whole)
    expect(boss.get_by_role("main")).to_contain_text("Spelreglement, November 2023, line 89")
    boss.set_viewport_size({"width": 1280, "height": 900})
    picture(boss, "round-1280")
    assert boss.evaluate(CUT) == []
    boss.get_by_role("link", name=f"Receipt of bet {bet}").click()
    boss.get_by_role("heading", name="Receipt", level=1).wait_for()
    for width in (390, 1280):
        boss.set_viewport_size({"width": width, "height": 900})
        assert boss.evaluate(CUT) == []
        picture(boss, f"receipt-{width}")
    text = boss.get_by_role("article").inner_text()
    rules = "French Roulette: one number pays 35:1"
    for part in (
        f"Bet {bet}",
        LONG,
        "17 black",
        "€175.00",
        whole,
        rules,
        "Wheel result",
        "counter",
        "not covered yet",
    ):
        assert part in text, (part, text)
    boss.emulate_media(media="print")
    assert not boss.get_by_role("navigation").is_visible()
    assert boss.get_by_role("article").is_visible()
    boss.emulate_media(media="screen")
    go(boss, "#/receipt/bet/99999", "Receipt")
    expect(boss.get_by_role("alert")).to_contain_text("there is no bet 99999")
    assert PASSWORD not in boss.content()
    said = {"outcome": {"pocket": "0"}, "reason": 5 * LONG, "evidence": 5 * LONG, "settled": 1}
    said["second"] = {"name": "Dan", "password": PASSWORD}
    where, again = f"/v1/rounds/{key}/ruling", {"Idempotency-Key": "corrected"}
    assert floor.sue.post(where, json=said, headers=again).status_code == 200
    go(boss, f"#/round/{key}", f"Round {floor.round} of R1")
    expect(boss.get_by_role("note")).to_contain_text(LONG)
    assert boss.evaluate(CUT) == []


def test_a_deposit_above_the_limit_takes_a_second_user(page, floor):
    """100,000.01 is a cent more than a cashier may pay in alone in 24 hours."""
    account = opened(floor, "B-2", 100, "Bea")
    go(page, f"#/account/{account}", "Bea")
    page.get_by_role("button", name="Deposit").click()
    dialogue(page).get_by_label("Amount").fill("100000,01")
    page.keyboard.press("Enter")
    expect(dialogue(page).get_by_role("alert")).to_contain_text("a cashier alone 10000000 at most")
    page.keyboard.press("Escape")
    expect(dialogue(page)).to_have_count(0)
    page.get_by_role("button", name="Pay in with a second user").click()
    dialogue(page).get_by_label("Amount").fill("100000,01")
    dialogue(page).get_by_label("Second user: name").fill("Sue")
    dialogue(page).get_by_label("Second user: password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(dialogue(page)).to_have_count(0)
    assert balance(floor, account) == 10_000_101


def test_a_statement_has_the_balances_around_its_movements(page, floor):
    """1.00 today, after nothing: from the page of the account, and as a file."""
    account = opened(floor, "S-7", 100, "Sol")
    go(page, f"#/account/{account}", "Sol")
    page.get_by_role("link", name="Statement").click()
    page.get_by_role("heading", name="Statement: Sol, S-7", level=1).wait_for()
    shown = page.locator("dl.summary dd").all_inner_texts()
    assert [re.sub(r"[^0-9.]", "", text) for text in shown] == ["0.00", "1.00"]
    expect(page.get_by_role("row").filter(has_text="Deposit")).to_have_count(1)
    file = page.get_by_role("link", name="12.345,67").get_attribute("href")
    text = floor.sue.get(file).text
    assert text.splitlines()[-1].split(";")[1:6] == ["closing", "", "", "", "1,00"]
    page.get_by_label("Length").select_option("1")
    page.wait_for_url(re.compile(r"days=1(&|$)"))
    expect(page.get_by_role("row").filter(has_text="Deposit")).to_have_count(1)


def test_a_balance_is_adjusted_by_two_with_a_receipt(boss, floor):
    """5.00 from the bank of R1, which no rule covers: Sue and Dan, reason and evidence printed."""
    account = opened(floor, "C-3", 100, "Cleo")
    go(boss, f"#/account/{account}", "Cleo")
    boss.get_by_role("button", name="Adjust").click()
    asked = dialogue(boss)
    asked.get_by_label("Amount").fill("5,00")
    asked.get_by_label("Reason").fill("Her chips were paid to Ben")
    asked.get_by_label("Evidence").fill("camera 4, 21:07")
    asked.get_by_label("Second user: name").fill("Dan")
    asked.get_by_label("Second user: password").fill(PASSWORD)
    boss.keyboard.press("Enter")
    expect(asked).to_have_count(0)
    assert balance(floor, account) == 600
    boss.get_by_role("row").filter(has_text="Adjustment").get_by_role("link").click()
    boss.get_by_role("heading", name="Receipt", level=1).wait_for()
    receipt = boss.get_by_role("article")
    for words in ("from the bank of R1", "Sue and Dan", "paid to Ben", "camera 4, 21:07"):
        expect(receipt).to_contain_text(words)
