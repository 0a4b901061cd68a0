"""The message files of the console: none misses a text, no text is left in the modules."""

import json
import re
from pathlib import Path

import pytest

from host_tools.tests.js_texts import literals
from tabletools.authority import DEALER, ROLES
from tabletools.evidence import alarms
from tabletools.games.roulette import VARIANTS
from tabletools.rules.verdict import OUTCOMES
from tabletools.store.schema.books import postings
from tabletools.store.schema.play import rounds

CONSOLE = Path(__file__).resolve().parents[1] / "tabletools/console_web"
_PAGES = [*CONSOLE.rglob("*.js"), *CONSOLE.with_name("estate_web").glob("*.js")]
MODULES = sorted(path for path in _PAGES if path.name != "games.js")
_MESSAGES = sorted(CONSOLE.glob("messages/*"))
FILES = {path.stem: json.loads(path.read_text("utf-8")) for path in _MESSAGES}
ENGLISH = FILES["en"]
# Texts whose key is the code of the host.
CODED = ("word.", "lack.", "phase.", "link.", "game.", "cause.", "refusal.", "column.")
PLACEHOLDER = re.compile(r"\{(\w+)\}")
FORMS = {"one", "other"}  # of plurals in these four languages, by CLDR
# What reads as a text to a person: a word with a capital, two words, a word before a colon.
READABLE = re.compile(r"(?<![\w.#/-])[A-Z][a-z]|[A-Za-z] [a-z]{2,}|^[a-z]+: $")
# Values of these attributes are names of classes, colours, shapes.
TECHNICAL = re.compile(r"(class|d|viewBox|autocomplete|role|transform): $")
NO_TEXTS = {
    "Content-Type",
    "Idempotency-Key",
    "Sign-On-First",
    "Sign-On-Second",
    "SharedWorker",
    "Bearer ",
    "Tablewire",
    "card red",
    "fact whole",
    ".alarm input[type=checkbox]",
    # Keys.
    "Delete",
    "Backspace",
    "Insert",
    # Languages by their own names.
    "English",
    "Nederlands",
    "Deutsch",
    # Stays in the ledger, which is English.
    "seen on the wall",
    # A command.
    "tabletool diag PORT --calibrate pockets --ledger DB --by NAME has to pass first.",
}


def forms(message):
    return message if isinstance(message, dict) else {"": message}


@pytest.mark.parametrize("language", FILES)
def test_no_language_misses_a_text(language):
    """The keys of English, each with its placeholders, and no text empty."""
    own = FILES[language]
    assert list(own) == sorted(ENGLISH)
    for key, message in own.items():
        source = forms(ENGLISH[key])
        assert set(forms(message)) == set(source), key
        assert "" in source or set(source) == FORMS, key
        for form, text in forms(message).items():
            assert text, key
            assert text == text.strip(), key
            assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(source[form])), key


@pytest.mark.parametrize("language", sorted(FILES.keys() - {"en"}))
def test_no_sentence_is_left_in_english(language):
    """Names and commands are the same in every language; a sentence is not."""
    for key, message in FILES[language].items():
        for form, text in forms(message).items():
            is_sentence = len(re.findall(r"[a-z]{2,}", PLACEHOLDER.sub("", text))) > 3
            is_same = text == forms(ENGLISH[key])[form]
            assert key.startswith("game.") or not (is_sentence and is_same), key


def test_every_key_is_used_and_every_used_key_is_known():
    """A key is written as a whole where it is used, so that a search finds it."""
    code = "".join(path.read_text("utf-8") for path in MODULES)
    used = set(re.findall(r'\bt\(\s*"([\w.]+)"', code))
    named = {key for key in ENGLISH if not key.startswith(CODED)}
    assert used - set(ENGLISH) == set()
    assert named - used == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_text_is_left_in_a_module(path):
    """A person reads nothing that is not in the message files."""
    left = [
        (one.line, one.text)
        for one in literals(path.read_text("utf-8"))
        if READABLE.search(one.text)
        and one.text not in NO_TEXTS
        and not TECHNICAL.search(one.before)
    ]
    assert not left


def test_the_scan_sees_texts_wherever_they_are():
    """Strings, templates, templates in templates; not comments, not regular expressions."""
    source = r"""
    // Not this one.
    const a = h("p", {}, "A text"); /* Nor this one. */
    const b = `First ${x ? `inner word ${y}` : "Other text"} last word`;
    const c = text.replace(/Not "this/g, 'x') / 2;
    """
    texts = [one.text for one in literals(source) if READABLE.search(one.text)]
    assert texts == ["A text", "First ", "inner word ", "Other text", " last word"]


def listed(table, column):
    """The words that the ledger accepts in a column."""
    [rule] = [one for one in table.constraints if str(one.name).endswith(f"{column}_known")]
    return re.findall(r"'(\w+)'", str(rule.sqltext))


def test_the_codes_that_a_page_shows_have_a_text():
    games = (CONSOLE / "games.js").read_text("utf-8").split("BETS = ")[1].split(";")[0]
    bets = {name.lower() for name in re.findall(r'"(\w+)"', games) if len(name) > 1}
    words = {*bets, *ROLES, *OUTCOMES, *alarms.KINDS, *VARIANTS}
    words |= {*listed(postings, "kind"), *listed(rounds, "verdict")}
    assert DEALER in words
    assert {word for word in words if f"word.{word}" not in ENGLISH} == set()


def test_the_words_of_the_table_are_those_of_the_field():
    """As a croupier calls them out, and as the floor writes them."""
    assert {code: own["deal.no_more_bets"] for code, own in FILES.items()} == {
        "en": "No more bets",
        "nl": "Niets gaat meer",
        "de": "Nichts geht mehr",
        "el": "Τέλος πονταρισμάτων",
    }
    assert [FILES[code]["common.payout"] for code in ("nl", "de", "el")] == [
        "Uitbetaling",
        "Auszahlung",
        "Πληρωμή",
    ]
