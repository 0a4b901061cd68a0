"""The page of an estate in a browser: every figure, in four languages, on every screen, by axe."""

import re
import time

import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import breaches, console
from host_tools.tests.test_console_axe import SCREENS
from host_tools.tests.test_console_languages import CUT, REGIONS, messages
from host_tools.tests.test_estate import served
from tabletools.estate import events, figures, fold, model
from tabletools.estate.events import EstateEvent
from tabletools.estate.figures import Wanted
from tabletools.store.clock import NS

ENGLISH = messages("en")
LOOKS = [
    (code, width, scheme)
    for code, width, scheme in zip(
        REGIONS, [*SCREENS, 390], ("light", "dark", "dark", "light"), strict=True
    )
]
WHEEL = events.Described(
    name="R1",
    currency="EUR",
    game="roulette",
    rules="hc2023",
    variant="french",
    zone="Salon",
    wheel_model="<b>Cammegh</b>",
    ball_batch="B-2031",
)


def played(at_ns):
    """One site: a table, 17 on which 5.00 lost, a late bet, an alarm, a device, an offer."""
    data = [
        ("table.described", WHEEL),
        ("dealer.changed", events.DealerChanged("Dan")),
        ("round.settled", events.Settled(7, 1, 1, False, 0, 0, 500, {"pocket": "17"})),
        ("bet.late", events.Late(1, 500, "no_more_bets")),
        ("alarm.raised", events.Raised(1, "clock_step", "the clock went back", 1)),
        ("device.identified", events.Identified(7, "roulette", "pico2", "1.1.0")),
        (
            "offer.decided",
            events.OfferDecided(
                "5f" * 32, 7, "firmware", "Firmware 1.2", "rpi_pico2", "taken", "Sue", "tried"
            ),
        ),
        ("day.closed", events.DayClosed("2026-11-28", "desk", "EUR", 5, 0, ["Sue", "Cas"], "end")),
    ]
    return [
        EstateEvent("athens", "main", 1, str(n), f"tablewire.{kind}", n, at_ns, one)
        for n, (kind, one) in enumerate(data, start=1)
    ]


@pytest.fixture(scope="module")
def centre(tmp_path_factory):
    new_centre = model.Centre.open(str(tmp_path_factory.mktemp("estate") / "estate.db"))
    with new_centre.write() as db:
        fold.fold(db, played(time.time_ns() - 3600 * NS))
    yield new_centre
    new_centre.close()


@pytest.fixture(scope="module")
def url(centre):
    with served(centre) as client:
        yield str(client.base_url)


def test_every_column_has_a_name(centre):
    """Of each figure, by whatever it is shown."""
    with centre.read() as db:
        for name, figure in figures.FIGURES.items():
            for by in figures.BY:
                [row] = figure(db, Wanted(time.time_ns(), by))
                assert {f"column.{column}" for column in row} <= {key for key, _ in ENGLISH}, name


@pytest.mark.parametrize(("code", "width", "scheme"), LOOKS)
@pytest.mark.one_in(2)
def test_every_figure_on_every_screen(chromium, url, code, width, scheme):
    """No breach of axe, nothing cut, no word of another language; a site's markup is text."""
    own = {key: text for (key, form), text in messages(code).items() if not form}
    look = {"viewport": {"width": width, "height": SCREENS[width]}, "color_scheme": scheme}
    with console(chromium, url, locale=REGIONS[code], **look) as page:
        for name in figures.FIGURES:
            page.get_by_role("link", name=own[f"estate.{name}"], exact=True).click()
            head = page.get_by_role("columnheader")
            expect(head.first).to_be_visible()
            expect(page.locator("nav [aria-current]")).to_have_text(own[f"estate.{name}"])
            assert set(head.all_inner_texts()) <= {
                text for key, text in own.items() if key.startswith("column.")
            }
            assert page.evaluate(CUT) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert breaches(page) == []
        page.get_by_label(own["estate.by"], exact=True).select_option("wheel_model")
        expect(page.get_by_text("<b>Cammegh</b>")).to_be_visible()


def test_a_centre_that_does_not_answer_is_told(chromium, url):
    with console(chromium, url, locale="en-GB") as page:
        expect(page.get_by_role("columnheader").first).to_be_visible()
        page.route(re.compile("/v1/estate/"), lambda route: route.abort())
        page.get_by_role("link", name="Hold", exact=True).click()
        expect(page.get_by_text("these figures are old")).to_be_visible()
