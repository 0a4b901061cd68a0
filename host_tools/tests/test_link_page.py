"""LINK.md shows the transition table of the link; run as a program, this writes it again."""

from pathlib import Path

from tabletools.link.link_states import TRANSITIONS, Age, Handshake, Presence, Trigger

PAGE = Path(__file__).parents[1] / "docs/LINK.md"
BEGIN = "Everything below is generated from the table in `states.py` (`make gen`).\n\n"


def row(cells):
    return f"| {' | '.join(cells)} |\n"


def table_of(part):
    """One row for each trigger of a part, one column for each of its states."""
    lines = row(["", *part.members]) + row(["---"] * (1 + len(part.members)))
    for trigger in Trigger.members:
        cells = [TRANSITIONS.get((state, trigger), "—") for state in part.members]
        if set(cells) != {"—"}:
            lines += row([f"`{trigger}`", *cells])
    return lines


def graph_of(part):
    """A state diagram, without the triggers that change nothing."""
    arrows = {}
    for (state, trigger), after in TRANSITIONS.items():
        if type(state) is part and after is not state:
            arrows.setdefault((state, after), []).append(trigger)
    lines = (f"    {a} --> {b}: {', '.join(names)}\n" for (a, b), names in arrows.items())
    return f"```mermaid\nstateDiagram-v2\n    [*] --> {part.members[0]}\n{''.join(lines)}```\n"


def generate():
    """What follows the hand-written part of the page."""
    text = "## Triggers\n\n" + row(["trigger", "what happened"]) + row(["---"] * 2)
    text += "".join(row([f"`{trigger}`", trigger.meaning]) for trigger in Trigger.members)
    for part in (Presence, Handshake, Age):
        text += f"\n## {part.__name__}\n\n{part.__doc__}\n\n"
        text += "".join(f"- `{state}`: {state.meaning}\n" for state in part.members)
        text += f"\n{table_of(part)}\n{graph_of(part)}"
    return text


def test_the_page_shows_the_table():
    """Wherever they differ: make gen."""
    _, _, table = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    assert table == generate()


if __name__ == "__main__":
    written, mark, _ = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(written + mark + generate(), encoding="utf-8")
