"""The audit of draws and cards at the console, and what the host answers of them."""

import random

import pytest
from playwright.sync_api import expect

from host_tools.tests import machines
from host_tools.tests.browser import console, go
from host_tools.tests.served import Host
from host_tools.tests.test_ledger_cards import PUNTO
from host_tools.tests.test_ledger_cards import Table as Cards
from host_tools.tests.test_ledger_draws import KENO, Machine
from tabletools.api import fairness

DRAWS, DRAWN = 5, 20


@pytest.fixture(scope="module")
def keno(tmp_path_factory):
    """A host of a Keno table that drew five times."""
    place = str(tmp_path_factory.mktemp("fairness") / "ledger")
    pit = Machine(place, terms=KENO)
    for number in range(1, DRAWS + 1):
        pit.draw(number, random.Random(number).sample(range(1, 81), DRAWN), 80)
    pit.ledger.close()
    with Host(place) as host:
        host.user("Vera", "auditor")
        yield host


@pytest.fixture(scope="module")
def shoe(tmp_path_factory):
    """A host of a table with a shoe that is over, of four cards, and one in play."""
    place = str(tmp_path_factory.mktemp("fairness") / "ledger")
    pit = Cards(place, terms=PUNTO)
    for number in (1, 2):
        pit.say(*machines.shoe("new"), 0)
        pit.shoe(number, "4H 5C 5D 2D".split())
    pit.ledger.close()
    with Host(place) as host:
        host.user("Vera", "auditor")
        yield host


def audit_of(host):
    """What the host answers of its table."""
    return host.login("Vera").get("/v1/tables/1/audit").json()


def test_the_host_audits_draws(keno):
    """Five draws of 20 balls; voids are not counted here, and not stated as none."""
    record = audit_of(keno)
    assert (record["machine"], record["n"], record["verdict"]) == ("keno", 100, "quiet")
    assert sum(one["count"] for one in record["counts"]) == DRAWS * DRAWN
    assert (record["voids"], record["before"]) == (None, None)
    assert {one["test"] for one in record["tests"]} >= {"each ball", "pairs of balls"}


def test_the_host_audits_shoes_that_are_over(shoe):
    """The shoe in play is left out."""
    record = audit_of(shoe)
    assert (record["machine"], record["n"]) == ("cards", 4)
    by_card = {one["label"]: one["count"] for one in record["counts"] if one["count"]}
    assert by_card == {"4H": 1, "5C": 1, "5D": 1, "2D": 1}


def test_the_newest_records_are_of_whole_draws(keno, monkeypatch):
    """Of 21 records a draw the newest 50 are two draws and a part: the part is left out."""
    monkeypatch.setattr(fairness, "MOST_RECORDS", 50)
    record = audit_of(keno)
    assert record["n"] == 2 * DRAWN
    assert "place of a ball in the draw" in {one["test"] for one in record["tests"]}


def test_draws_and_cards_are_drawn(keno, shoe):
    """As SVG."""
    for host in (keno, shoe):
        answer = host.login("Vera").get("/v1/tables/1/audit.svg")
        assert (answer.status_code, b"<svg" in answer.content) == (200, True)


def test_the_page_shows_draws(chromium, keno):
    """The tests of balls, the picture, and which records they are of."""
    with console(chromium, keno.url, name="Vera") as page:
        go(page, "#/fairness", "Fairness")
        expect(page.get_by_role("rowheader", name="each ball")).to_be_visible()
        expect(page.get_by_text("the newest 20,000 records are tested here")).to_be_visible()
        expect(page.get_by_text("Rounds without a result")).to_have_count(0)
        page.wait_for_function("() => document.querySelector('img.plot')?.naturalWidth > 0")


def test_the_page_shows_cards(chromium, shoe):
    """The tests of cards."""
    with console(chromium, shoe.url, name="Vera") as page:
        go(page, "#/fairness", "Fairness")
        expect(page.get_by_role("rowheader", name="counts of cards")).to_be_visible()
        expect(page.get_by_text("Few results")).to_be_visible()
