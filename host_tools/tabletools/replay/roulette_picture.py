"""A replayed round as a picture for auditors who do not know the program.

Colours are those of Okabe and Ito, distinguishable for colour-blind readers; every limit is drawn
and named. The shown values come from machine and verdict.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from tablelogic.roulette.wheels import DOUBLE_ZERO, number
from tablespec import names
from tabletools import private_file
from tabletools.replay.parsed_trace import Trace
from tabletools.replay.replay_run import Run
from tabletools.replay.replay_verdict import AGREES, Verdict
from tabletools.replay.story import ended, headline
from tabletools.replay.trace_events import Edge, Read
from tablewire import roulette
from tablewire.config import ROLE
from tablewire.messages import PHASE_CLOSED, ROLE_ROULETTE, STATE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg")
_BLUE, _ORANGE, _GREEN, _RED, _GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#666666"
_PHASE_COLOURS = {2: "#CDE7F5", 3: "#FBE3A8", 4: "#F6C7A8", 5: "#C9E8DC"}
_PHASE_WORDS = {2: "bets open", 3: "ball on the rim", 4: "no more bets", 5: "ball has dropped"}
_US = 1e6
_MS = 1e3
_HEIGHTS = (0.5, 2.2, 1.8, 1.5, 2.4)
_ENDS_AFTER_S = 0.5


def is_drawn(trace: Trace) -> bool:
    """Whether rounds of its role are drawn."""
    return bool(trace.config[ROLE] == ROLE_ROULETTE)


def draw(path: Path, trace: Trace, run: Run, verdict: Verdict) -> None:
    """Write the picture of a replay to a file; its ending, of FORMATS, selects the kind.

    Raises OSError.
    """
    # Imported here: it takes half a second, and few commands draw.
    import matplotlib

    matplotlib.use("Agg")
    # The same replay gives the same file.
    matplotlib.rcParams.update({"svg.hashsalt": "tablewire", "font.size": 9})
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        len(_HEIGHTS), 1, sharex=True, figsize=(10, 9.2), height_ratios=_HEIGHTS
    )
    launch_us = next((s.at_us for s in run.samples if s.circuits_centi is not None), 0)
    page = _Page(trace, run, launch_us)
    page.phases(panels[0])
    page.laps(panels[1])
    page.circuits(panels[2])
    page.rotor(panels[3])
    page.raster(panels[4])
    for panel in panels:
        page.mark_end(panel)
    page.name_end(panels[1])
    panels[0].set_title(headline(trace), loc="left", fontsize=13, weight="bold", pad=24)
    word = f"Replay {verdict.word}"
    if verdict.word == AGREES:
        word += ": the table's own logic, run again on these edges, gives the same record"
    colour = _GREEN if verdict.word == AGREES else _RED
    panels[0].text(
        0, 1.25, word, transform=panels[0].transAxes, color=colour, weight="bold", va="bottom"
    )
    after = "the ball was first seen" if launch_us else "the trace began"
    panels[-1].set_xlabel(f"seconds after {after}")
    figure.align_ylabels(panels)
    figure.tight_layout(h_pad=0.4)
    metadata = {"Date": None} if path.suffix == ".svg" else {}
    try:
        with private_file.appearing(path, 0o644, replaces=True) as picture:
            figure.savefig(picture, format=path.suffix[1:], dpi=110, metadata=metadata)
    finally:
        pyplot.close(figure)


class _Page:
    """The panels of one picture; times in seconds after zero_us."""

    def __init__(self, trace: Trace, run: Run, zero_us: int) -> None:
        self._trace = trace
        self._run = run
        self._zero_us = zero_us
        end_us = run.end.at_us if run.end else (run.at_us[-1] if run.at_us else 0)
        self._first = self._s(0)
        self._end = self._s(end_us)

    def _s(self, at_us: int) -> float:
        return (at_us - self._zero_us) / _US

    def _limits(self, panel: "Axes", top: float, limits: list[tuple[float, str]]) -> None:
        """Draw the limits below the top of a panel, with names; the same value is named once."""
        panel.set_ylim(0, top)
        for value in sorted({value for value, _ in limits if value < top}):
            text = ", ".join(word for other, word in limits if other == value)
            panel.axhline(value, color=_GREY, linewidth=0.8, linestyle=(0, (4, 3)))
            below = any(value < other < value + top / 8 for other, _ in limits)
            panel.text(
                0.004,
                value,
                text,
                transform=panel.get_yaxis_transform(),
                color=_GREY,
                va="top" if below else "bottom",
                fontsize=8,
            )

    def mark_end(self, panel: "Axes") -> None:
        """Mark the decision on every panel."""
        panel.axvline(self._end, color="black", linewidth=1.2)
        panel.set_xlim(self._first, self._end + max(_ENDS_AFTER_S, 0.02 * self._end))
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)

    def name_end(self, panel: "Axes") -> None:
        """Write the decision next to its line."""
        said = self._run.end
        text = "the replay decides nothing" if said is None else ended(said.type, said.values)
        panel.annotate(
            f"decision: {text} ",
            (self._end, 0.93),
            xycoords=("data", "axes fraction"),
            ha="right",
            va="top",
            weight="bold",
        )

    def phases(self, panel: "Axes") -> None:
        """Draw a strip of the phases of the logic."""
        first = self._run.samples[0].phase if self._run.samples else PHASE_CLOSED
        steps = [(self._first, first)]
        steps += [(self._s(t.at_us), t.values[0]) for t in self._run.reports if t.type == STATE]
        for (start, phase), (end, _) in zip(steps, [*steps[1:], (self._end, 0)], strict=True):
            if phase in _PHASE_COLOURS and end > start:
                panel.axvspan(start, end, color=_PHASE_COLOURS[phase])
                wide = (end - start) / (self._end - self._first or 1)
                word = _PHASE_WORDS[phase] if wide > 0.13 else ""
                panel.text((start + end) / 2, 0.5, word, ha="center", va="center")
        panel.set_yticks([])
        panel.set_ylim(0, 1)
        panel.set_ylabel("phase", rotation=0, ha="right", va="center")
        panel.spines["left"].set_visible(False)

    def laps(self, panel: "Axes") -> None:
        """Draw every lap, with its limits."""
        laps, before = [], None
        for sample in self._run.samples:
            if sample.lap_ms is not None and sample.lap_ms != before:
                laps.append((self._s(sample.at_us), sample.lap_ms / _MS))
            before = sample.lap_ms
        panel.plot(*zip(*laps, strict=True) if laps else ([], []), "o-", color=_BLUE, ms=4)
        highest = max((lap for _, lap in laps), default=1.0)
        settings = self._trace.config
        named = (
            (roulette.LAUNCH_LAP_MAX_MS, "slowest first lap"),
            (roulette.NMB_LAP_MS, "no more bets"),
            (roulette.DROP_LAP_MS, "slow enough to drop"),
            (roulette.STUCK_LAP_MS, "stuck"),
        )
        limits = [(settings[key] / 1000, text) for key, text in named]
        self._limits(panel, 1.25 * highest, limits)
        panel.set_ylabel("lap of the ball\n(seconds)")

    def circuits(self, panel: "Axes") -> None:
        """Draw circuits since the ball was first seen, and the required number."""
        samples = [s for s in self._run.samples if s.circuits_centi is not None]
        circuits = [(s.circuits_centi or 0) / 100 for s in samples]
        panel.step(
            [self._s(s.at_us) for s in samples], circuits, where="post", color=_ORANGE, lw=2
        )
        least = self._trace.config[roulette.MIN_CIRCUITS]
        self._limits(panel, 1.2 * max([least, *circuits]), [(least, f"{least} needed")])
        panel.set_ylabel("circuits\nof the ball")

    def rotor(self, panel: "Axes") -> None:
        """Draw the speed of the rotor between its limits."""
        known = [s for s in self._run.samples if s.rotor_drpm is not None]
        rpm = [(s.rotor_drpm or 0) / 10 for s in known]
        panel.plot([self._s(s.at_us) for s in known], rpm, color=_GREEN, lw=1.2)
        settings = self._trace.config
        limits = [
            (settings[roulette.ROTOR_MIN_DRPM] / 10, "slowest allowed"),
            (settings[roulette.ROTOR_MAX_DRPM] / 10, "fastest allowed"),
        ]
        self._limits(panel, 1.4 * max([limits[0][0], *rpm]), limits)
        panel.set_ylabel("rotor\n(turns a minute)")

    def raster(self, panel: "Axes") -> None:
        """Draw one row per sensor; a stroke wherever it was covered."""
        of_role = names.INPUTS[self._trace.config[ROLE]]
        # A trace counts lines from 0.
        words = {number - 1: name.replace("_", " ") for number, name in of_role.items()}
        rows: dict[int, list[float]] = {}
        for event, at_us in zip(self._trace.events, self._run.at_us, strict=True):
            if isinstance(event, Edge) and event.level:
                rows.setdefault(event.sensor, []).append(self._s(at_us))
        order = sorted(rows, reverse=True)
        for place, sensor in enumerate(order):
            colour = _BLUE if words[sensor].startswith("rim") else "black"
            panel.eventplot(
                rows[sensor], lineoffsets=place, linelengths=0.7, colors=colour, lw=0.8
            )
        row_names = [words[sensor] for sensor in order]
        if any(isinstance(event, Read) for event in self._trace.events):
            self._pockets(panel, len(order))
            row_names.append("in a pocket")
        panel.set_yticks(range(len(row_names)), row_names)
        panel.set_ylabel("sensors")

    def _pockets(self, panel: "Axes", row: int) -> None:
        """Draw a bar while the switches show a ball, another colour for two; the last numbers."""
        reads = [
            (self._s(at_us), event.bits)
            for event, at_us in zip(self._trace.events, self._run.at_us, strict=True)
            if isinstance(event, Read)
        ]
        text = ""
        for (start, bits), (end, _) in zip(reads, [*reads[1:], (self._end, b"")], strict=True):
            lit = [place for place in range(8 * len(bits)) if bits[place >> 3] >> (place & 7) & 1]
            if lit:
                colour = _ORANGE if len(lit) == 1 else _RED
                panel.broken_barh([(start, end - start)], (row - 0.35, 0.7), color=colour)
                text = ", ".join(map(self._pocket_text, lit))
        panel.text(self._end, row, f" {text}", va="center", fontsize=8)

    def _pocket_text(self, index: int) -> str:
        """The number printed at a pocket index."""
        settings = self._trace.config
        pocket = number(settings[roulette.WHEEL], index, settings[roulette.READING_DIRECTION])
        return "00" if pocket == DOUBLE_ZERO else str(pocket)
