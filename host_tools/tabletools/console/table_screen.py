"""The picture of one table, readable at 80 by 24; no state is shown by colour alone."""

from textwrap import wrap

from rich.align import Align
from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tablespec.reasons import REASONS
from tabletools import roles
from tabletools.authenticity import LABELS, NONE, VERIFIED
from tabletools.console.printed_numbers import number_text, wheel_strip
from tabletools.console.view import TableView
from tabletools.decode import played
from tabletools.decode.core_messages import FaultRaised
from tabletools.link import ONLINE, Session

WIDTH, HEIGHT = 80, 23
_LEFT = 48
_FRAME = 4  # columns of the border of a panel
_GAUGE = 18
_REASONS = {reason.number: reason for reason in REASONS}
# phase: (headline, style of the headline, word in the path of phases)
_PHASES = {
    "closed": ("CLOSED", "bold white on grey37", "closed"),
    "bets_open": ("BETS OPEN", "bold white on dark_green", "open"),
    "ball_in_rim": ("BALL IN RIM", "bold black on orange1", "rim"),
    "no_more_bets": ("NO MORE BETS", "bold white on red3", "no more"),
    "dropped": ("BALL DROPPED", "bold white on red3", "dropped"),
}
# Layouts of rounds that are dealt or drawn.
_DEALT = ("shoe", "balls")
_ARROWS = {"clockwise": "↻ clockwise", "counter_clockwise": "↺ counter-clockwise"}
_UNKNOWN = "unknown"


def screen(
    view: TableView, session: Session, url: str, now: float, width: int = WIDTH
) -> RenderableType:
    """The whole picture. now: the link's clock, seconds; width: columns of the terminal."""
    faults = _faults(view, width - _FRAME)
    rows = Layout()
    middle = Layout(name="middle", size=6)
    middle.split_row(
        Layout(_panel(_round(view), _round_title(view)), size=_LEFT),
        Layout(_panel(_wheel(view), "wheel")),
    )
    rows.split_column(
        Layout(_header(view, session, url), size=2),
        middle,
        Layout(_panel(_numbers(view), "last numbers"), size=4),
        Layout(_panel(Group(*faults), _fault_title(view)), size=len(faults) + 2),
        Layout(_panel(_Events(view), "last events, local time")),
        Layout(_footer(view, session, now), size=1),
    )
    return rows


def _panel(content: RenderableType, title: str) -> Panel:
    return Panel(content, title=title, title_align="left", border_style="grey50", padding=(0, 1))


def _header(view: TableView, session: Session, url: str) -> RenderableType:
    bar = Table.grid(expand=True)
    bar.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    bar.add_column(no_wrap=True, justify="right")
    state = "bold white on dark_green" if session.state == ONLINE else "bold white on red3"
    badge = LABELS[view.seal or NONE].upper()
    trust = "bold white on dark_green" if view.seal == VERIFIED else "bold black on yellow"
    bar.add_row(
        Text.assemble((" TABLEWIRE ", "bold reverse"), f" {url}"),
        Text.assemble((f" {session.state.upper()} ", state), " ", (f" {badge} ", trust)),
    )
    return Group(bar, _who(view))


def _who(view: TableView) -> Text:
    if view.device is None:
        return Text(" nothing received from a table yet", "italic")
    parts = [f"device {view.device}", f"boot {view.boot}"]
    if view.board is None:
        parts.append("no identity received yet")
    else:
        who = f"{view.role or _UNKNOWN} on {view.board}"
        parts += [who, f"firmware {view.firmware}"]
    return Text(" " + " · ".join(parts), no_wrap=True, overflow="ellipsis")


def _round_title(view: TableView) -> str:
    return f"round {view.round}" if view.round else "no round"


def _round(view: TableView) -> RenderableType:
    name, style, _ = _PHASES.get(view.phase or "", ("PHASE UNKNOWN", "reverse", ""))
    path = Text()
    for phase, (_, _, word) in _PHASES.items():
        path.append(" ▸ " if path else "", "grey50")
        current = phase == view.phase
        path.append(f"[{word.upper()}]" if current else word, "bold" if current else "grey62")
    closed = f"bets closed by {_words(view.closed_by)}" if view.closed_by else ""
    return Group(Text(f" {name} ", style), path, _circuits(view), Text(closed))


def _circuits(view: TableView) -> Text:
    noun = roles.counted_noun(view.role, "circuit")
    if not noun:
        return Text()
    if view.progress is None:
        return Text(f"{noun}s  none counted", "grey62")
    needed = view.requirement
    if not needed or not roles.is_count_required(view.role):
        return Text(f"{noun}s  {view.progress}")
    done = min(view.progress, needed)
    gauge = "●" * done + "○" * (needed - done)
    return Text.assemble(
        f"{noun}s  ", (gauge[-_GAUGE:], "bold"), f"  {view.progress}, {needed} needed"
    )


def _words(name: str | None) -> str:
    return name.replace("_", " ") if name else _UNKNOWN


def _wheel(view: TableView) -> RenderableType:
    with_what = "nothing received from the wheel yet"
    if view.layout is not None and view.requirement is not None:
        with_what = played(view.layout, view.requirement)
    if view.layout in _DEALT:
        dealt = Text(" ".join(view.dealt_in_order) or "none of this round yet", "bold")
        return Group(Text(with_what), dealt)
    drpm = view.machine_drpm
    speed = "unknown" if drpm is None else f"{drpm / 10:.1f} rpm"
    lines = [
        Text.assemble("rotor  ", (speed, "bold")),
        Text(f"       {_ARROWS.get(view.machine_direction or '', 'direction unknown')}"),
        Text(with_what),
    ]
    if view.free_bytes is not None:
        largest = view.largest_free_bytes
        piece = " free" if largest is None else f", largest {largest // 1024}"
        lines.append(Text(f"heap   {view.free_bytes // 1024}{piece} KiB", "grey62"))
    return Group(*lines)


def _numbers(view: TableView) -> RenderableType:
    row = Text(no_wrap=True, overflow="crop")
    for end in reversed(view.ended):
        if end.printed is not None:
            row.append_text(number_text(end.text, end.printed)).append(" ")
        else:
            row.append(end.text, "italic" if end.is_void else "bold").append("  ")
    if not view.ended:
        row.append("none yet", "grey62")
    last = view.last_number
    if last is None or last.printed is None or view.layout is None:
        return row
    return Group(row, Align.center(wheel_strip(last.printed, view.layout, last.text, 8)))


def _fault_title(view: TableView) -> str:
    known = len(view.faults)
    count = max(view.fault_count or 0, known)
    if not count:
        return "faults"
    unseen = f", {count - known} raised before this watch began" if count > known else ""
    return f"faults: {count} active{unseen}"


def _faults(view: TableView, width: int) -> list[RenderableType]:
    active = list(view.faults.values())
    if not active:
        if view.fault_count:
            return [Text("raised before this watch began: see the table's own log", "bold")]
        return [Text("none active", "grey62")]
    first, *others = active
    lines = _fault(first, width)
    if others:
        more = ", ".join(f"{fault.code} {fault.fault}" for fault in others)
        lines += [Text(line, "bold") for line in wrap(f"also {more}", width)]
    return lines


def _fault(fault: FaultRaised, width: int) -> list[RenderableType]:
    reason = _REASONS[fault.code]
    sensor = f"  sensor {fault.sensor}" if fault.sensor else ""
    return [
        _line(Text.assemble((f"! {reason.number} {reason.name}", "bold red"), sensor)),
        *_advice("cause  ", reason.cause, width),
        *_advice("remedy ", reason.remedy, width),
    ]


def _advice(word: str, text: str, width: int) -> list[Text]:
    """A sentence to act on, whole: below its word where one line is too short."""
    first, *more = wrap(text, width - len(word))
    return [
        Text.assemble((word, "grey62"), first),
        *(Text(" " * len(word) + line) for line in more),
    ]


def _line(text: Text) -> Text:
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


class _Events:
    """The last events that fit, the newest at the bottom."""

    def __init__(self, view: TableView) -> None:
        self._view = view

    def __rich_console__(self, console: object, options: object) -> list[RenderableType]:
        height = getattr(options, "height", None) or 3
        lines: list[RenderableType] = []
        for event in list(self._view.events)[-height:]:
            mark = "! " if event.is_trouble else "  "
            style = "bold" if event.is_trouble else ""
            text = Text.assemble((f"{event.clock} ", "grey62"), (mark + event.text, style))
            lines.append(_line(text))
        return lines or [Text("none yet", "grey62")]


def _footer(view: TableView, session: Session, now: float) -> Text:
    received_at = session.received_at
    silent = (
        "never received" if received_at is None else f"silent {max(now - received_at, 0):.1f} s"
    )
    parts = [f"frames {session.frames}", f"skipped {session.skipped}", f"missed {session.missed}"]
    parts += [f"repeated {session.duplicates}", silent]
    if view.unacknowledged:
        parts.append(f"waiting {view.unacknowledged}")
    if session.tampered:
        parts.append(f"TAMPERED {session.tampered}")
    if view.edges_lost:
        parts.append(f"edges lost {view.edges_lost}")
    return Text(" link: " + " · ".join(parts), "grey70", no_wrap=True, overflow="ellipsis")
