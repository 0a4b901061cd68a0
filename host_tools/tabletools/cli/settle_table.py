"""A settled round as a table for a person: a line for each bet, in the order of its players."""

from io import StringIO

from msgspec import Struct, convert
from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from tabletools.cli.line_wrap import wrapped
from tabletools.settle.json_lines import Answered, as_text
from tabletools.terminal_text import printable

_COLUMNS = ("player", "bet", "stake", "odds", "paragraph", "receives")
_FIGURES = ("stake", "odds", "receives")
_WIDE = 10_000
"""Columns in which every word is whole."""


class _Line(Struct):
    facts: str
    outcome: str
    odds: str | None
    paragraphs: list[str]
    stake: int
    win: int
    back: int
    live: int

    @property
    def received(self) -> int:
        """Winnings and the stake that is returned, cents."""
        return self.win + self.back


class _Settled(Struct):
    settlements: list[_Line]


def sentences(answered: Answered, width: int) -> str:
    """Return an answer as a sentence for each bet, broken at words."""
    return "\n".join(wrapped(line, width) for line in as_text(answered.reply).splitlines())


def as_table(answered: Answered, width: int) -> str:
    """Return an answer as text that is no wider than so many columns.

    receives: winnings and the stake that is returned; amounts have no currency. Where a column
    would be narrower than its words there are sentences instead.
    """
    if "error" in answered.reply:
        return sentences(answered, width)
    table = Table(box=box.ASCII2, show_footer=True)
    lines = convert(answered.reply, _Settled).settlements
    sums = {
        "stake": sum(line.stake for line in lines),
        "receives": sum(line.received for line in lines),
    }
    for name in _COLUMNS:
        footer = _money(sums[name]) if name in sums else "total" if name == "player" else ""
        is_figure = name in _FIGURES
        justify: JustifyMethod = "right" if is_figure else "left"
        table.add_column(name, footer, justify=justify, no_wrap=is_figure, overflow="fold")
    pairs = sorted(zip(answered.players, lines, strict=True), key=lambda each: each[0] or "")
    for player, line in pairs:
        table.add_row(*(Text(printable(text, keeps="")) for text in _cells(player, line)))
    if Console(width=_WIDE).measure(table).minimum > width:
        return sentences(answered, width)
    out = StringIO()
    Console(file=out, width=width, color_system=None, highlight=False).print(table)
    return "\n".join(text.rstrip() for text in out.getvalue().splitlines())


def _cells(player: str | None, line: _Line) -> tuple[str, ...]:
    held = f"; {_money(line.live)} stays in play" if line.live else ""
    return (
        player or "",
        f"{line.facts}{held}",
        _money(line.stake),
        line.odds or line.outcome,
        ", ".join(line.paragraphs),
        _money(line.received),
    )


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"
