"""The sensors of a table live in the terminal; without a terminal, one line per look."""

from collections.abc import Iterator

import typer
from rich.columns import Columns
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tabletools.cli.diag import asking, dice_pictures
from tabletools.cli.standard_streams import is_drawable
from tabletools.cli.table_client import TableClient
from tabletools.decode.sensor_samples import QUANTITIES, SensorSample

LOOK_MS = 400
_ARROWS = "↑↗→↘↓↙←↖"
_DIAL = 24
_STYLES = {"pass": "green", "fail": "bold white on red3", "skip": ""}
_LAMP = {"closed": "lit", "bets_open": "dark"}
_NO_PICTURE = "SKIP  camera: no picture; it gives none, or a round is open"


class Laps:
    """Passes of the ball at the rim, over the whole watch."""

    def __init__(self) -> None:
        self.passes = 0

    def add(self, samples: list[SensorSample]) -> None:
        """Add the counts of one look; each rim sensor sees each lap once."""
        pulses = [
            sample.value
            for sample in samples
            if (sample.sensor or "").startswith("rim_") and sample.quantity == "pulses"
        ]
        self.passes += max(pulses, default=0)


def watch_live(client: TableClient, seconds: float | None) -> None:
    """Show looks of LOOK_MS until Ctrl-C, or for some seconds, with the table in maintenance."""
    laps = Laps()
    end = None if seconds is None else client.now_s() + seconds
    try:
        with asking.in_maintenance(client):
            if not is_drawable():
                for samples in _looks(client, end):
                    laps.add(samples)
                    lines = camera_picture(client, samples, coloured=False).plain.splitlines()
                    head = headline(client, samples, laps)
                    typer.echo("\n".join([head, *map(line, samples), *lines]))
                return
            with Live(screen=True, auto_refresh=False) as live:
                for samples in _looks(client, end):
                    laps.add(samples)
                    picture = camera_picture(client, samples, coloured=has_greys(live.console))
                    head = headline(client, samples, laps)
                    live.update(drawn(head, samples, picture), refresh=True)
    except KeyboardInterrupt:
        return


def _looks(client: TableClient, end: float | None) -> Iterator[list[SensorSample]]:
    yield asking.self_test(client, LOOK_MS).samples
    while end is None or client.now_s() < end:
        yield asking.self_test(client, LOOK_MS).samples


def camera_picture(client: TableClient, samples: list[SensorSample], *, coloured: bool) -> Text:
    """The picture of the camera; empty for a table without one."""
    if not any(sample.sensor == "camera" for sample in samples):
        return Text()
    picture = dice_pictures.picture(client)
    return Text(_NO_PICTURE) if picture is None else picture.drawing(coloured=coloured)


def headline(client: TableClient, samples: list[SensorSample], laps: Laps) -> str:
    """Speed and angle of the wheel, laps of the ball, lamp, as far as the table has them."""
    view = client.view
    parts = []
    if view.machine_drpm is not None:
        parts.append(f"{view.machine_drpm / 10:.1f} rpm {view.machine_direction or 'at rest'}")
    for sample in samples:
        if sample.quantity == "angle" and sample.value >= 0:
            parts.append(dial(sample.value))
    if any(sample.sensor == "rim_1" for sample in samples):
        parts.append(f"{laps.passes} laps of the ball")
    parts.append(f"lamp {_LAMP.get(view.phase or '', 'lit')}")
    return ", ".join(parts)


def dial(mdeg: int) -> str:
    """An angle as an arrow, a place on a line, and a number."""
    place = mdeg * _DIAL // 360_000 % _DIAL
    strip = "·" * place + "●" + "·" * (_DIAL - 1 - place)
    return f"{_ARROWS[(mdeg + 22_500) // 45_000 % 8]} {strip} {mdeg / 1000:.0f} degrees"


def line(sample: SensorSample) -> str:
    """One sensor as a line."""
    return "  ".join(cells(sample)).rstrip()


def cells(sample: SensorSample) -> tuple[str, str, str, str]:
    """Sensor, line, value and verdict of a look; pulses of so short a look are not judged."""
    name, unit = QUANTITIES[sample.quantity]
    level = {None: " ", 0: "○", 1: "●"}[sample.level]
    verdict = "" if sample.quantity in ("pulses", "raw_span") else sample.verdict.upper()
    value = f"{name} {sample.value} {unit}".rstrip()
    return f"{sample.sensor or 'table':<15}", level, f"{value:<32}", verdict


def has_greys(console: Console) -> bool:
    """Whether the terminal supports more greys than black and white."""
    return console.color_system in ("256", "truecolor") and not console.no_color


def drawn(head: str, samples: list[SensorSample], picture: Text) -> Group:
    """The display of one look."""
    grid = Table.grid(padding=(0, 2))
    for sample in samples:
        *words, verdict = cells(sample)
        grid.add_row(*words, Text(verdict, _STYLES[sample.verdict]))
    end = Text("Ctrl-C ends, and closes the table")
    columns = Columns([grid, picture], padding=(0, 4)) if picture else grid
    return Group(Text(head, "bold"), Text(), columns, end)
