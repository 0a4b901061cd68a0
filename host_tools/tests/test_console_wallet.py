"""The external wallet at the console: its state, what waits, a day beside its statement."""

import re

import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import breaches, console, go
from host_tools.tests.served import PASSWORD, Host
from host_tools.tests.test_api_wallet import FULL, ada, bet, floor, refused, wallet

__all__ = ["ada", "floor", "refused", "wallet"]
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", [PHONE, {}], ids=["390", "1280"])
@pytest.mark.one_in(2)
def test_two_users_close_a_refused_payment(chromium, floor, refused, size):
    """The page has the refusal, the acts of the role, and afterwards nothing that waits."""
    with console(chromium, floor.host.url, name="Cas", **size) as page:
        go(page, "#/wallet", "Wallet")
        row = page.get_by_role("row").filter(has_text="360.00")
        expect(row).to_contain_text("refused: unknown_account")
        assert breaches(page) == []
        assert fits(page)
        page.get_by_role("button", name=f"Close: movement {refused}").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Payment, €360.00, player ADA.")
        dialog.get_by_label("Reason").fill("moved by hand, ticket 4711")
        dialog.get_by_label("Second user: name").fill("Sue")
        dialog.get_by_label("Second user: password").fill(PASSWORD)
        assert breaches(page) == []
        dialog.get_by_role("button", name="Close", exact=True).click()
        expect(page.get_by_text("Nothing waits for the wallet.")).to_be_visible()


def test_a_refused_payment_is_sent_again(chromium, floor, wallet, refused):
    with console(chromium, floor.host.url, name="Cas") as page:
        go(page, "#/wallet", "Wallet")
        wallet.book.open("ADA", FULL)
        page.get_by_role("button", name=f"Send again: movement {refused}").click()
        page.get_by_role("dialog").get_by_label("Reason").fill("known again")
        page.get_by_role("dialog").get_by_role("button", name="Send again", exact=True).click()
        expect(page.get_by_role("row").filter(has_text="To be paid")).to_have_count(0)
        expect(page.get_by_text("Refused by the wallet")).to_have_count(1)  # the count, 0


@pytest.mark.parametrize("size", [PHONE, {}], ids=["390", "1280"])
@pytest.mark.one_in(2)
def test_an_auditor_compares_a_day_and_decides_nothing(chromium, floor, ada, wallet, size):
    floor.open()
    assert bet(ada, "k1").status_code == 201
    [entry] = wallet.book._entries
    entry["cents"] = 900
    with console(chromium, floor.host.url, name="Amy", **size) as page:
        go(page, "#/wallet", "Wallet")
        page.get_by_label("Gaming day").fill(entry["day"])
        page.get_by_role("button", name="Compare").click()
        row = page.get_by_role("row").filter(has_text="Another amount")
        expect(row).to_contain_text("the wallet has 900 cents")
        expect(page.get_by_role("button", name=re.compile("movement"))).to_have_count(0)
        assert breaches(page) == []
        assert fits(page)


def test_without_an_external_wallet_the_page_says_so(chromium, tmp_path):
    with Host(str(tmp_path / "ledger")) as host:
        host.user("Cas", "cashier")
        with console(chromium, host.url, name="Cas") as page:
            go(page, "#/wallet", "Wallet")
            expect(page.get_by_text("no external wallet is set")).to_be_visible()
