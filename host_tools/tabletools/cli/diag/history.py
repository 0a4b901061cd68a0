"""`tabletool diag history`: faults since the last daily check, and how a wheel wears."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli.open_database import place_text, reading
from tabletools.errors import ToolError
from tabletools.explain import BY_NUMBER

if TYPE_CHECKING:
    from tabletools.evidence.health import Figure, Happened
    from tabletools.evidence.roulette_drops import DropZones

HISTORY = """\b
Examples:
  tabletool diag history pit.ledger --device 4711
  tabletool diag history pit.ledger --device 4711 --json
"""


def history(
    db: Annotated[str, typer.Argument(metavar="DB", help="The ledger: file or postgresql://...")],
    device: Annotated[int, typer.Option(min=1, help="Serial number of the table.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show what happened at a table since its last daily check, and how its wheel wears.

    Each code with how often it was raised as a fault and how often it voided a round. Each figure
    is the median of the last 100 results, with its unit, its meaning and the change from the 100
    before them. For a roulette wheel also the parts of
    the stator over which the ball left the rim since the wheel was moved: one level wheel in 1,000
    has a chi-square above 10.83 with two rim sensors, 13.82 with three, 16.27 with four. Level a
    wheel that has.
    """
    from tabletools.evidence import health, listing, roulette_drops

    with reading(db) as connection:
        since_ns = health.last_check_ns(connection, device)
        happened = health.happened_since(connection, device, since_ns or 0)
        figures = health.figures(connection, device)
        zones = roulette_drops.drop_zones(connection, device)
        known = sorted(row["device"] for row in listing.device_rows(connection))
    if device not in known and since_ns is None:
        raise ToolError(
            f"the ledger knows no device {device}",
            where=place_text(db),
            limit=f"devices: {', '.join(map(str, known)) or 'none'}",
            step="give the serial number of a table",
        )
    if as_json:
        since = None if since_ns is None else _time(since_ns)
        record = _record(device, since, happened, figures)
        typer.echo(json.dumps(record | {"drop_zones": _zones_record(zones)}))
        return
    since = "the first record" if since_ns is None else f"the daily check of {_time(since_ns)}"
    typer.echo(f"table {device} since {since}:")
    lines = [_code_line(row) for row in happened]
    typer.echo("\n".join(lines or ["  no fault and no void round"]))
    if figures:
        typer.echo("wheel, medians of its last results:")
    for figure in figures:
        typer.echo(_figure_line(figure))
    if zones is not None:
        typer.echo(_zones_line(zones))


def _record(
    device: int, since: str | None, happened: "list[Happened]", figures: "list[Figure]"
) -> dict[str, object]:
    return {
        "device": device,
        "since": since,
        "happened": [{**row._asdict(), "reason": _name(row.code)} for row in happened],
        "figures": [{**row._asdict(), "trend_percent": row.trend_percent} for row in figures],
    }


def _code_line(row: "Happened") -> str:
    return f"  {row.code} {_name(row.code):<22} {row.faults} faults, {row.voids} void rounds"


def _figure_line(figure: "Figure") -> str:
    trend = figure.trend_percent
    if figure.before is None:
        change = "no trend yet"
    elif trend is None:
        change = f"{figure.value - figure.before:+g} from the 100 before"
    else:
        change = f"{trend:+.1f} % from the 100 before"
    return (
        f"  {figure.name:<16} {figure.value:g} {figure.unit} of {figure.results} results,"
        f" {change}; {figure.meaning}"
    )


def _zones_record(zones: "DropZones | None") -> dict[str, object] | None:
    if zones is None:
        return None
    return {
        "zones": [
            {"from_rim": sensor, "to_rim": to, "angle_mdeg": angle, "drops": drops}
            for sensor, to, angle, drops in _sectors(zones)
        ],
        "chi_square": None if zones.chi_square is None else float(zones.chi_square),
        "limit": float(zones.limit),
        "is_biased": zones.is_biased,
    }


def _sectors(zones: "DropZones") -> Iterator[tuple[int, int, int, int]]:
    # Rim sensor at the start and at the end of each, its angle and its drops.
    count = len(zones.drops)
    for sensor, (angle, drops) in enumerate(zip(zones.angles_mdeg, zones.drops, strict=True), 1):
        yield sensor, sensor % count + 1, angle, drops


def _zones_line(zones: "DropZones") -> str:
    every = sum(zones.drops)
    parts = [
        f"{drops} ({100 * drops / every:.1f} %) from rim sensor {sensor} clockwise to {to},"
        f" {angle / 3_600:.1f} % of the stator"
        for sensor, to, angle, drops in _sectors(zones)
    ]
    if zones.chi_square is None:
        verdict = "too few for a test"
    else:
        step = "level the wheel, clean the track" if zones.is_biased else "a level wheel does that"
        limit = f"{float(zones.limit):.2f} is 1 in 1,000"
        verdict = f"chi-square {float(zones.chi_square):.2f} ({limit}): {step}"
    return (
        f"the ball left the rim {every} times since the wheel was moved:"
        f" {'; '.join(parts)}; {verdict}"
    )


def _name(code: int) -> str:
    reason = BY_NUMBER.get(code)
    return "unknown" if reason is None else reason.name


def _time(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="seconds")
