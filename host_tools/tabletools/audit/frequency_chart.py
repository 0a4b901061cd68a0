"""An audit as a picture: how often each field came, in its order on the machine, and when.

A PNG, an SVG, or one HTML page with the SVG and the text in it. The band of the upper chart
contains 99 of 100 of the fields of a fair machine; the lower one is the control chart of the
fields that lead, where the order of play is known.
"""

import html
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

from tabletools import private_file
from tabletools.audit.audit_machines import Kind
from tabletools.audit.audit_report import ALARM, QUIET, Report, as_text
from tabletools.audit.control_chart import LIMIT, ControlChart, control_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".html")
_BLUE, _ORANGE, _RED, _GREY = "#0072B2", "#E69F00", "#D55E00", "#666666"
_99 = 2.576  # standard deviations
_ORDER = {Kind.WHEEL: ", clockwise", Kind.DICE: ", on top"}
MOST_LABELS = 54
"""Fields whose labels fit beside each other."""


def draw(path: Path, report: Report) -> None:
    """Write the picture; the file's ending, one of FORMATS, selects the kind. Raises OSError."""
    is_page = path.suffix == ".html"
    data = _page(report).encode() if is_page else _figure(report, path.suffix[1:])
    private_file.write_whole(path, data, 0o644)


def _figure(report: Report, kind: str) -> bytes:
    # Imported here: it takes half a second, and few commands draw.
    import matplotlib

    matplotlib.use("Agg")
    # The same audit gives the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "tablewire", "font.size": 9})
    from matplotlib import pyplot

    control = control_chart(report)
    rows = 1 if control is None else 2
    figure, panels = pyplot.subplots(
        rows, squeeze=False, figsize=(10, 4 if rows == 1 else 6.5), height_ratios=(3, 2)[:rows]
    )
    _draw_counts(panels[0, 0], report)
    if control is not None:
        _draw_control(panels[1, 0], control)
    figure.tight_layout()
    out = io.BytesIO()
    try:
        metadata = {"Date": None} if kind == "svg" else {}
        figure.savefig(out, format=kind, dpi=110, metadata=metadata)
    finally:
        pyplot.close(figure)
    return out.getvalue()


def _draw_counts(panel: "Axes", report: Report) -> None:
    """Draw how often each field came."""
    machine, fields = report.machine, report.machine.fields
    expected = report.n / fields
    spread = _99 * report.spread
    colour = {QUIET: _BLUE, ALARM: _RED}.get(report.verdict, _ORANGE)
    panel.bar(range(fields), report.counts, color=colour, width=0.8)
    panel.axhspan(expected - spread, expected + spread, color=_GREY, alpha=0.15, lw=0)
    panel.axhline(expected, color=_GREY, lw=1)
    panel.text(fields - 0.4, expected, " expected", color=_GREY, va="bottom")
    if report.rayleigh is not None:
        places = [k + 0.0 for k in range(fields + 1)]
        towards = math.radians(report.rayleigh.angle_deg)
        sine = [
            expected * (1 + 2 * report.rayleigh.r * math.cos(2 * math.pi * k / fields - towards))
            for k in places
        ]
        panel.plot(places, sine, color="black", lw=1.2, ls="--", label="the sine that fits best")
        panel.legend(loc="upper right", frameon=False)
    small = 7 if fields <= MOST_LABELS else 5
    panel.set_xticks(range(fields), machine.labels, fontsize=small)
    panel.tick_params(axis="x", rotation=90 if fields > MOST_LABELS else 0)
    panel.set_xlim(-0.8, fields + (2.4 if fields <= MOST_LABELS else 6))
    panel.set_ylim(bottom=0)  # the band may reach below, counts cannot
    panel.set_ylabel("results")
    order = _ORDER.get(machine.kind, "")
    panel.set_xlabel(f"{machine.column}{order}; the band holds 99 of 100 fields if it is fair")
    name = report.spins.wheel or machine.name
    panel.set_title(
        f"{name}: {report.n} results, verdict {report.verdict}", loc="left", weight="bold"
    )


def _draw_control(panel: "Axes", control: ControlChart) -> None:
    """Draw the fields that lead, block by block."""
    ends = [(k + 1) * control.block for k in range(len(control.deviations))]
    panel.axhspan(-LIMIT, LIMIT, color=_GREY, alpha=0.15, lw=0)
    panel.axhline(0, color=_GREY, lw=1)
    panel.plot(ends, control.deviations, color=_BLUE, lw=1, marker="o", ms=3)
    pairs = zip(ends, control.deviations, strict=True)
    for at, value in (pair for pair in pairs if abs(pair[1]) > LIMIT):
        panel.plot(at, value, color=_RED, marker="o", ms=5)
    largest = max(LIMIT + 0.5, 1.1 * max(map(abs, control.deviations)))
    panel.set_ylim(-largest, largest)
    panel.set_xlim(0, ends[-1] * 1.02)
    panel.set_ylabel("deviations")
    panel.set_xlabel(f"results in order, {control.block} in each block; limits at 3 deviations")
    panel.set_title(f"control chart of {control.fields}", loc="left")


def _page(report: Report) -> str:
    """Return the page: the picture, and the same as text."""
    name = html.escape(report.spins.wheel or report.machine.name)
    svg = _figure(report, "svg").decode()
    svg = svg[svg.index("<svg") :].replace("<svg", '<svg aria-hidden="true"', 1)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>Audit of {name}: {report.verdict}</title>\n"
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;"
        "padding:0 1rem}svg{width:100%;height:auto}pre{white-space:pre-wrap}</style>\n"
        f"<h1>Audit of {name}: {report.verdict}</h1>\n"
        f"{svg}\n<pre>{html.escape(as_text(report))}</pre>\n</html>\n"
    )
