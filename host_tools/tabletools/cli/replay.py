"""`tabletool replay`: decides a disputed round again from the device's trace."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tablespec.names import NAMES
from tabletools.cli.force import ForceOption
from tabletools.cli.named import MOST_NUMBER
from tabletools.cli.open_database import place_text, reading
from tabletools.cli.plot_option import verify_plot
from tabletools.cli.progress import working
from tabletools.cli.replay_all import replay_all
from tabletools.errors import ToolError, cannot_write
from tabletools.replay import (
    AGREES,
    FORMATS,
    Run,
    Trace,
    TraceError,
    Verdict,
    compared,
    draw,
    replayed,
)
from tabletools.replay.story import fields, headline, record, timeline
from tabletools.replay.traced_frame import tray_of

EXAMPLES = """\b
Examples:
  tabletool replay 4711-12.trace --plot round12.png
  tabletool replay --db night.db --round 12
  tabletool replay 4711-12.trace --json
  tabletool replay --all night.db --workers 8
  tabletool replay --all postgresql://pit@db.example/pit --cluster tls://dask.example:8786
"""


_Recorded = tuple[int, tuple[int | bytes, ...]] | None


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("replay", epilog=EXAMPLES)(command)


_Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, metavar="N", help="Processes, with --all [each core]."),
]
_Cluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler that does --all."),
]
_Tray = Annotated[
    Path | None,
    typer.Option("--tray", metavar="FILE", help="Of the commissioned tray: reads the dice."),
]


def command(
    file: Annotated[
        Path | None, typer.Argument(metavar="[TRACE]", help="A file of `tabletool trace`.")
    ] = None,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="DB", help="A database of `collect` or `serve` that has it."),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--round", min=1, max=MOST_NUMBER, metavar="N", help="The round, with --db."),
    ] = None,
    device: Annotated[
        int | None,
        typer.Option(
            "--device", min=1, max=MOST_NUMBER, metavar="SERIAL", help="The table, with --db."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw it: .png or .svg.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    every: Annotated[
        str | None, typer.Option("--all", metavar="DB", help="Replay all traces of a database.")
    ] = None,
    workers: _Workers = None,
    cluster: _Cluster = None,
    tray: _Tray = None,
    force: ForceOption = False,
) -> None:
    """Run the device's logic on the trace of a round, and compare the decisions.

    Prints `agrees` when every field of the record is the same, bit for bit. Exit code 1 when it
    DISAGREES, or when the trace is truncated or cannot be trusted: then there is no verdict. With
    --db the record in the database must be the same too. With --all every trace is compared with
    record and terms, and truncated ones are counted. A table that reads dice does so with its
    commissioned tray: with its file, `tray.0`, the picture is read again, too.
    """
    if every is not None:
        _verify_alone(file, db, number, device, plot, tray)
        replay_all(every, workers, cluster, as_json=as_json)
        return
    _verify_one(workers, cluster)
    verify_plot(plot, FORMATS, force=force)
    where, data, recorded = _evidence(file, db, number, device)
    rig = None if tray is None else _bytes(tray, "the file of the tray")
    _replay(where, data, recorded, plot, rig, as_json=as_json)


def _replay(
    where: str,
    data: bytes,
    recorded: _Recorded,
    plot: Path | None,
    tray: bytes | None,
    *,
    as_json: bool,
) -> None:
    """Replay one trace, and end with 1 unless it agrees. recorded: the record of the database."""
    try:
        trace, run, verdict = replayed(data, tray)
    except TraceError as error:
        raise ToolError(error.what, where=where, cause=error.cause, step=error.step) from error
    if recorded is not None:
        verdict = compared(trace, verdict, recorded)
    if plot is not None:
        _draw(plot, trace, run, verdict)
    print(json.dumps(_record(trace, run, verdict)) if as_json else _text(trace, run, verdict))
    if verdict.word != AGREES:
        raise typer.Exit(1)


def _verify_one(workers: int | None, cluster: str | None) -> None:
    if workers is not None or cluster is not None:
        step = "name the database with --all DB"
        raise ToolError("this replays a single trace", where="--workers, --cluster", step=step)


def _verify_alone(*others: object) -> None:
    if any(other is not None for other in others):
        step = "leave TRACE, --db, --round, --device, --plot and --tray away"
        raise ToolError("--all replays every trace", where="--all", step=step)


def _evidence(
    file: Path | None, db: str | None, number: int | None, device: int | None
) -> tuple[str, bytes, _Recorded]:
    """Where the trace is from, its bytes, and the record that ended the round in the database."""
    if (file is None) == (db is None) or (db is None) != (number is None):
        raise ToolError(
            "which round?",
            where="TRACE, --db and --round",
            step="name a trace, or --db DB with --round N",
        )
    if file is not None:
        return str(file), _bytes(file, "the trace"), None
    assert db is not None
    assert number is not None
    return _from_store(db, number, device)


def _bytes(file: Path, what: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        text = f"cannot read {what}: {(error.strerror or str(error)).lower()}"
        raise ToolError(text, where=str(file), step="check the name") from error


def _from_store(place: str, number: int, device: int | None) -> tuple[str, bytes, _Recorded]:
    from tabletools.evidence import listing, round_records

    with reading(place) as db:
        traces = listing.trace_rows(db, number, device)
        if len(traces) != 1:
            raise _not_one(place_text(place), number, [serial for serial, _ in traces])
        ((serial, data),) = traces
        recorded = round_records.end_of(db, serial, number)
    return f"{place_text(place)}, table {serial}, round {number}", data, recorded


def _not_one(db: str, number: int, serials: list[int]) -> ToolError:
    if serials:
        text = ", ".join(map(str, serials))
        return ToolError(
            f"round {number} was played at several tables: {text}",
            where=db,
            step="say which with --device",
        )
    return ToolError(
        f"there is no trace of round {number}",
        where=db,
        cause="the table had none, or it was not fetched in time (ten rounds)",
        step=f"see `tabletool evidence {db}`, or fetch it: `tabletool trace PORT`",
    )


def _draw(plot: Path, trace: Trace, run: Run, verdict: Verdict) -> None:
    try:
        with working(f"drawing {plot}"):
            draw(plot, trace, run, verdict)
    except OSError as error:
        step = "name a file in a folder you own"
        raise cannot_write("the picture", error, plot, step) from error


def _text(trace: Trace, run: Run, verdict: Verdict) -> str:
    lines = [headline(trace)]
    lines += [f"{at_us / 1e6:9.3f} s  {what}" for at_us, what in timeline(run)]
    recorded = ", ".join(
        f"{name} {value}" for name, value in fields(trace, trace.ended, trace.values).items()
    )
    lines += [f"the device reported: {NAMES[trace.ended]} {recorded}"]
    lines += [f"  {text}" for text in verdict.differences]
    size = f"{len(trace.events)} events, {trace.size} bytes, firmware {trace.firmware}"
    if tray := tray_of(trace):
        lines += [f"its dice were read with tray {tray:08x}; --tray FILE reads them again"]
    return "\n".join([*lines, f"replay: {verdict.word} ({size})"])


def _record(trace: Trace, run: Run, verdict: Verdict) -> dict[str, Any]:
    end = run.end
    return {
        "type": "replay",
        "device": trace.device,
        "boot": trace.boot,
        "round": trace.round,
        "firmware": trace.firmware,
        "verdict": verdict.word,
        "differences": list(verdict.differences),
        "recorded": record(trace, trace.ended, trace.values),
        "replayed": record(trace, end.type, end.values) if end else None,
        "timeline": [{"at_us": at_us, "what": what} for at_us, what in timeline(run)],
        "events": len(trace.events),
        "bytes": trace.size,
    }
