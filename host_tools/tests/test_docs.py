"""The pages for people at the table, and those of the decisions: what they name exists."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from host_tools.tests.command_tree import COMMANDS as ALL_COMMANDS
from tablespec.reasons import REASONS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "host_tools/docs"
DECISIONS = ROOT / "protocol/DECISIONS.md"
DECIDED = sorted([*ROOT.glob("protocol/decisions/*.md"), *DOCS.glob("decisions/*.md")])
PAGES = sorted(path for path in DOCS.glob("*.md") if path.name not in ("CLI.md", "codes.md"))
# Folders at which a path on a page of decisions may start.
BASES = (ROOT, *(ROOT / name for name in ("firmware", "protocol", "host_tools/tabletools")))
LONGEST_LINE, LONGEST_ROW = 110, 200
NAMES = {reason.name: reason.number for reason in REASONS}
COMMANDS = {path.removeprefix("tabletool "): command for path, command in ALL_COMMANDS.items()}


@pytest.fixture(params=[*PAGES, DECISIONS, *DECIDED], ids=lambda path: path.name)
def page(request):
    return request.param


@pytest.fixture
def text(page):
    return page.read_text(encoding="utf-8")


@pytest.fixture(params=DECIDED, ids=lambda path: path.name)
def decided(request):
    return request.param.read_text(encoding="utf-8")


def test_a_code_beside_a_name_is_its_number(text):
    """`journal_full` (504): name and number belong together."""
    for name, number in re.findall(r"`(\w+)` \((\d{3})\)", text):
        assert NAMES.get(name) == int(number), name


def test_every_command_exists(text):
    """`tabletool trace PORT`: there is such a command."""
    for line in re.findall(r"`?\btabletool ([a-z][^`\n|]*)", text):
        words = line.split()
        path = next((w for w in (" ".join(words[:2]), words[0]) if w in COMMANDS), None)
        assert path is not None, line


def test_every_option_exists(text):
    """`tabletool diag PORT --watch`: that command has the option."""
    spans = re.findall(r"`tabletool ([a-z][^`]*)`", text)
    lines = re.findall(r"(?m)^(?:\S*/)?tabletool ([a-z].*)$", text)
    for line in spans + lines:
        words = line.split()
        path = next(w for w in (" ".join(words[:2]), words[0]) if w in COMMANDS)
        params = [*COMMANDS[path].params, *_of_default(path)]
        known = {name for param in params for name in (*param.opts, *param.secondary_opts)}
        assert known >= {word for word in words if word.startswith("--")}, line


def _of_default(path):
    """Parameters of the command that a group runs without a subcommand: diag PORT, dice FILE."""
    default = {"diag": "diag table", "dice": "dice read", "evidence": "evidence list"}.get(path)
    return COMMANDS[default].params if default else ()


def anchor_of(head):
    """The address of a heading within its page."""
    return re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-")


def test_every_link_leads_somewhere(page, text):
    """Files and headings that a page links to."""
    anchors = {anchor_of(head) for head in re.findall(r"(?m)^#+ (.*)$", text)}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif "://" not in target:
            assert (page.parent / target.split("#")[0]).exists(), target


def test_the_glossary_is_short_and_in_order():
    """Sixty terms at most; each has a sentence, and is found at its alphabetical place."""
    text = (DOCS / "GLOSSARY.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| ([^|]+) \| ([^|]+) \|$", text)[1:]
    terms = [term.lower() for term, _ in rows]
    assert terms == sorted(terms)
    assert 40 <= len(terms) <= 60
    assert all(meaning[0].isupper() and meaning.endswith(".") for _, meaning in rows)


def test_every_page_of_decisions_is_linked():
    """Once, from the list of DECISIONS.md, which links no other file."""
    listed = re.findall(r"(?m)^\|.*?\]\(([^)]+)\)", DECISIONS.read_text(encoding="utf-8"))
    pages = [(DECISIONS.parent / target).resolve() for target in listed]
    assert sorted(pages) == DECIDED


def test_a_page_of_decisions_is_what_holds_now(decided):
    """No history: a page has no dates, and no entry that is struck out."""
    assert not re.findall(r"\b20\d\d-\d\d-\d\d\b|~~|[Ss]uperseded", decided)


def test_no_line_of_decisions_is_long(decided):
    """Rows of tables may be longer, because a row is one line."""
    lines = decided.splitlines()
    limits = [LONGEST_ROW if line.startswith("|") else LONGEST_LINE for line in lines]
    assert [line for line, most in zip(lines, limits, strict=True) if len(line) > most] == []


def test_every_path_of_decisions_exists(decided):
    """From the root of the repository, or from one of its packages."""
    spans = re.findall(r"`([^`]+)`", decided)
    paths = [span for span in spans if re.fullmatch(r"[\w.-]+(/[\w.-]*)+", span)]
    missing = [path for path in paths if not any((base / path).exists() for base in BASES)]
    assert missing == []


@cache
def names_in_tree():
    """The words of all source files, without the pages."""
    suffixes = ("*.py", "*.pyi", "*.toml", "*.js", "*.json", "*.service", "Makefile")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *suffixes],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    # Paths too, for a module is named by its file.
    texts = [f"{path} {path.read_text(encoding='utf-8')}" for path in files if path.is_file()]
    return {word for text in texts for word in re.findall(r"\w+", text)}


def test_every_name_of_decisions_exists(decided):
    """A function, class, message, key, alarm or code: it occurs in the source."""
    spans = re.findall(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)`", decided)
    assert {word for span in spans for word in span.split(".")} <= names_in_tree()
