"""Every page in every language on a phone: nothing in English is left, nothing is cut."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from hil_tests.thinned import IS_SOAK
from host_tools.tests.browser import console, go
from host_tools.tests.full_floor import full_floor
from host_tools.tests.test_console_web import PLACES

MESSAGES = Path(__file__).resolve().parents[1] / "tabletools/console_web/messages"
PHONE = {"width": 390, "height": 844}
REGIONS = {"en": "en-GB", "nl": "nl-BE", "de": "de-AT", "el": "el-GR"}
# The pages with the longest texts; with every other when all steps are asked for.
FEW = ("#/", "#/deal/1", "#/alarms?show=all", "#/close", "#/rulings/1", "#/takings")
SHOWN = tuple(PLACES) if IS_SOAK else FEW
# Texts beyond their own box, beyond one that hides what is outside, or beyond the screen.
CUT = """() => {
  const cut = [];
  const pen = document.createElement("canvas").getContext("2d");
  const hides = (style) => /hidden|clip/.test(style.overflowX);
  const scrolls = (style) => /auto|scroll/.test(style.overflowX);
  for (const one of document.querySelectorAll("body *:not(script, option)")) {
    if (!one.checkVisibility() || one.closest(".unseen, svg, [class=skip]")) continue;
    const style = getComputedStyle(one);
    if (one.localName === "select") {
      pen.font = style.font;
      const [left, right] = [style.paddingLeft, style.paddingRight].map(parseFloat);
      const room = one.clientWidth - left - right - 16;  // its arrow
      const word = one.selectedOptions[0]?.text || "";
      if (pen.measureText(word).width > room + 1) cut.push(["select", word]);
      continue;
    }
    for (const text of one.childNodes) {
      if (text.nodeType !== 3 || !text.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = range.getBoundingClientRect();
      const own = one.getBoundingClientRect();
      if (box.width <= 1 || own.width <= 1) continue;
      const isBox = one.matches("button, .chip, a.button");
      if (isBox && (box.right > own.right + 1 || box.bottom > own.bottom + 1)) {
        cut.push(["its box", text.data]);
      }
      let limit = innerWidth;
      for (let at = one; at; at = at.parentElement) {
        const around = getComputedStyle(at);
        if (scrolls(around)) { limit = Infinity; break; }
        if (hides(around) && box.right > at.getBoundingClientRect().right + 1) {
          cut.push(["hidden", text.data]);
        }
      }
      if (box.right > limit + 1) cut.push(["the screen", text.data]);
    }
  }
  return cut;
}"""
TEXTS = """() => {
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const one = walk.currentNode;
    if (!one.parentElement.closest("[lang=en], option")) texts.push(one.data.trim());
  }
  return texts.concat([...document.querySelectorAll("[aria-label]")].map((one) => one.ariaLabel));
}"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A pit with everything that needs a person."""
    new_floor = full_floor(str(tmp_path_factory.mktemp("languages") / "ledger"))
    yield new_floor
    new_floor.close()


def messages(language):
    """The texts of a language by key, each plural form by itself."""
    known = json.loads((MESSAGES / f"{language}.json").read_text(encoding="utf-8"))
    return {
        (key, form): text
        for key, value in known.items()
        for form, text in (value if isinstance(value, dict) else {"": value}).items()
    }


def opened(chromium, floor, language):
    """Sue in the pit, on a phone whose browser speaks a language."""
    own = messages(language)
    return console(
        chromium,
        floor.host.url,
        name="Sue",
        heading=own["common.pit", ""],
        viewport=PHONE,
        locale=REGIONS[language],
    )


@pytest.mark.parametrize("language", REGIONS)
@pytest.mark.one_in(4)
def test_every_page_is_whole_in_the_language(chromium, floor, language):
    own = messages(language)
    english = {
        text for key, text in messages("en").items() if text != own[key] and "{" not in text
    }
    foreign = english - set(own.values())
    faults = []
    with opened(chromium, floor, language) as page:
        assert page.evaluate("document.documentElement.lang") == language
        for place in SHOWN:
            go(page, place)
            faults += [(place, *one) for one in page.evaluate(CUT)]
            faults += [(place, "English", one) for one in page.evaluate(TEXTS) if one in foreign]
    assert not faults


def test_a_user_chooses_the_language(chromium, floor):
    """It stays chosen, and money, dates and the page's own language follow it."""
    with opened(chromium, floor, "en") as page:
        expect(page.locator(".summary")).to_contain_text("€5.00")
        page.get_by_label("Language").select_option("nl")
        expect(page.locator(".summary")).to_contain_text("€\u00a05,00")
        expect(page.locator("html")).to_have_attribute("lang", "nl")
        page.reload()
        expect(page.get_by_role("heading", name="Pit", level=1)).to_be_visible()
        expect(page.get_by_role("link", name="Alarmen")).to_be_visible()
        go(page, "#/payouts", "Aangehouden uitbetalingen")
        expect(page.locator("main")).to_contain_text("€\u00a0120.000,00")
        page.get_by_label("Taal").select_option("en")
        expect(page.get_by_role("link", name="Alarms")).to_be_visible()
        page.evaluate("localStorage.setItem('tablewire-language', 'constructor')")
        page.reload()  # no language of that name: as the browser asks
        expect(page.get_by_role("link", name="Alarms")).to_be_visible()


def test_a_refusal_has_a_title_in_the_language_and_the_host_s_words_in_english(chromium, floor):
    with console(chromium, floor.host.url, locale="de-DE") as page:
        page.locator("input[name=name]").fill("Tim")
        page.locator("input[name=password]").fill("wrong")
        page.keyboard.press("Enter")
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("Name oder Passwort ist falsch.")
        expect(alert.locator("[lang=en]").first).not_to_be_empty()
        expect(alert).to_contain_text("Nächster Schritt:")
