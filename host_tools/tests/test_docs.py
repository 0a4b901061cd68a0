"""The pages for people at the table: what they name exists."""

import re
from pathlib import Path

import pytest

from tablespec.reasons import REASONS
from tabletools.cli import reference

DOCS = Path(__file__).parents[1] / "docs"
DECISIONS = Path(__file__).parents[2] / "protocol/DECISIONS.md"
PAGES = sorted(path for path in DOCS.glob("*.md") if path.name not in ("CLI.md", "codes.md"))
NAMES = {reason.name: reason.number for reason in REASONS}
COMMANDS = {path.removeprefix("tabletool ") for path, _command in reference.commands()}


@pytest.fixture(params=PAGES, ids=lambda path: path.name)
def text(request):
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
    commands = {path.removeprefix("tabletool "): found for path, found in reference.commands()}
    spans = re.findall(r"`tabletool ([a-z][^`]*)`", text)
    lines = re.findall(r"(?m)^(?:\S*/)?tabletool ([a-z].*)$", text)
    for line in spans + lines:
        words = line.split()
        path = next(w for w in (" ".join(words[:2]), words[0]) if w in commands)
        params = [*commands[path].params, *_of_default(commands, path)]
        known = {name for param in params for name in (*param.opts, *param.secondary_opts)}
        assert known >= {word for word in words if word.startswith("--")}, line


def _of_default(commands, path):
    """Parameters of the command that a group runs without a subcommand: diag PORT."""
    return commands["diag table"].params if path == "diag" else ()


def anchor_of(head):
    """The address of a heading within its page."""
    return re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-")


def test_every_link_leads_somewhere(text):
    """Files and headings that a page links to."""
    anchors = {anchor_of(head) for head in re.findall(r"(?m)^#+ (.*)$", text)}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif "://" not in target:
            assert (DOCS / target.split("#")[0]).exists(), target


def test_the_glossary_is_short_and_in_order():
    """Sixty terms at most; each has a sentence, and is found at its alphabetical place."""
    text = (DOCS / "GLOSSARY.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| ([^|]+) \| ([^|]+) \|$", text)[1:]
    terms = [term.lower() for term, _ in rows]
    assert terms == sorted(terms)
    assert 40 <= len(terms) <= 60
    assert all(meaning[0].isupper() and meaning.endswith(".") for _, meaning in rows)


def test_every_decision_is_in_the_index():
    """Once, by its title; one that is superseded has its successor there and below its heading."""
    index, *entries = re.split(r"(?m)^## (?=\d{4}-)", DECISIONS.read_text(encoding="utf-8"))
    heads = {entry.partition("\n")[0]: entry for entry in entries}
    lines = re.findall(r"(?m)^- (.*)$", index)
    shown = [re.match(r"(?:~~)?\[(.*?)\]\(#(.*?)\)", line).groups() for line in lines]
    assert sorted(anchor for _, anchor in shown) == sorted(map(anchor_of, heads)), (
        "add new entries to the index at the top of DECISIONS.md"
    )
    titles = {anchor_of(head): head.partition(" ")[2] for head in heads}
    assert all(title == titles[anchor] for title, anchor in shown)
    by = {
        anchor_of(head): re.search(r'\n\n\(Superseded (?:in part )?by "([^"]+)"', entry)
        for head, entry in heads.items()
    }
    for line, (_, anchor) in zip(lines, shown, strict=True):
        successors = re.findall(r"\(#(.*?)\)", line)[1:]
        named = by[anchor] and [by[anchor][1].replace("\n", " ")]
        assert [titles[one] for one in successors] == (named or []), line
