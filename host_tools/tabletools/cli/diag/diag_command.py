"""`tabletool diag table`: identity, counters, link and every sensor of one table, judged."""

import json
import sys
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from tabletools import roles
from tabletools.cli.attest import compare
from tabletools.cli.confirm import confirm
from tabletools.cli.diag import asking, calibrations
from tabletools.cli.diag.calibrations import WHATS
from tabletools.cli.diag.calibrations.calibration import Request
from tabletools.cli.diag.walk_log import confirm_worker, record_walk
from tabletools.cli.diag.watching import watch_live
from tabletools.cli.force import ForceOption
from tabletools.cli.release import checked, public_key
from tabletools.cli.svg import recording, save_svg
from tabletools.cli.table_client import KeysOption, PortArgument, TableClient, connected_client
from tabletools.decode import Record
from tabletools.diag import report
from tabletools.diag.check import FAIL, PASS, SKIP, Check
from tabletools.errors import ToolError
from tabletools.private_file import NewFile
from tablewire.codes import FIRMWARE_MISMATCH

EXAMPLES = """\b
Examples:
  tabletool diag /dev/ttyACM0
  tabletool diag /dev/ttyACM0 --self-test
  tabletool diag /dev/ttyACM0 --self-test --html table-7.html
  tabletool diag /dev/ttyACM0 --watch
  tabletool diag /dev/ttyACM0 --calibrate pockets --ledger pit.ledger --by Tim
  tabletool diag /dev/ttyACM0 --calibrate index_offset --reported 12 --true 14
  tabletool diag /dev/ttyACM0 --calibrate reader_offset
  tabletool diag /dev/ttyACM0 --calibrate rim --traces night.db
  tabletool diag /dev/ttyACM0 --calibrate tray_lines
  tabletool diag socket://127.0.0.1:4001 --json
"""
_COLUMNS = 110
_STYLES = {"PASS": "green", "FAIL": "bold red"}
_Reported = Annotated[
    int | None, typer.Option(min=0, max=53, metavar="PLACE", help="What the table reported.")
]
_True = Annotated[
    int | None, typer.Option(min=0, max=53, metavar="PLACE", help="What a person saw.")
]
_For = Annotated[
    float | None, typer.Option("--for", min=0.1, max=60, help="How long sensors are watched.")
]
_Manifest = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Manifest of its release: attest.")
]
_Calibrate = Annotated[str, typer.Option(metavar="WHAT", help=f"One of {', '.join(WHATS)}.")]
_Ledger = Annotated[
    str, typer.Option(metavar="DB", help="Record a walk of pockets, or learn wheel_law here.")
]
_Traces = Annotated[
    str,
    typer.Option(
        metavar="WHERE",
        help="Of --calibrate rim: the DB that stores the rounds, or a folder of traces.",
    ),
]
_By = Annotated[str, typer.Option(metavar="NAME", help="Who walks, a user of it.")]
_Key = Annotated[Path | None, typer.Option(metavar="FILE", help="The public key of releases.")]
_SelfTest = Annotated[
    bool, typer.Option("--self-test", help="Open maintenance, move each sensor by hand, judge.")
]
_Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also as a page for the file of the table.")
]
_Watch = Annotated[
    bool, typer.Option("--watch", help="Show sensors and camera live until Ctrl-C.")
]


def examine(
    port: PortArgument,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    html: _Html = None,
    force: ForceOption = False,
    self_test: _SelfTest = False,
    watch: _Watch = False,
    calibrate: _Calibrate = "",
    reported: _Reported = None,
    true: _True = None,
    seconds: _For = None,
    traces: _Traces = "",
    manifest: _Manifest = None,
    key: _Key = None,
    ledger: _Ledger = "",
    by: _By = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    keys: KeysOption = None,
    svg: Annotated[Path | None, typer.Option("--save-svg", hidden=True)] = None,
) -> None:
    """Examine a table: identity, counters, line and each sensor, PASS, FAIL or SKIP.

    What to do first is on top. Sensors that have to move are judged with --self-test: it opens
    maintenance, which voids an open round, says what to do, and closes it again. Places count from
    the index on. The pit accepts a wheel whose walk has passed and is recorded.
    """
    _verify_options(self_test + watch + bool(calibrate), calibrate, ledger, by, traces)
    page = _page(html, force=force, watch=watch)
    if not yes and (self_test or watch or calibrate):
        confirm("Open the table for maintenance? An open round is void.")
    aside = redirect_stdout(sys.stderr) if as_json else nullcontext()  # instructions to users
    with aside:
        prepared = calibrations.prepared(calibrate, port, keys, traces)
    with page as file, connected_client(port, keys) as client:
        if watch:
            watch_live(client, seconds)
            return
        request = Request(client, calibrate, reported, true, seconds, ledger, prepared, yes)
        with aside:
            checks = calibrations.calibrated(request) if calibrate else []
        if not calibrate:
            attested = _attestation(client, manifest, key)
            checks = _examine_all(client, attested, seconds, moved=self_test, quiet=as_json)
        if by:
            record_walk(client, checks, ledger, by)
        identity = asking.identity_record(client)
        _write(file, identity, checks)
    lines = report.lines(identity, checks, is_measurement=bool(calibrate))
    _save_svg(f"tabletool diag {port}", lines, svg)
    _show(identity, checks, lines, as_json=as_json)


def _write(file: NewFile | None, identity: Record, checks: list[Check]) -> None:
    if file is not None:
        file.write(report.html(identity, checks, datetime.now(UTC)))


def _show(identity: Record, checks: list[Check], lines: list[str], *, as_json: bool) -> None:
    typer.echo(json.dumps(report.data(identity, checks)) if as_json else "\n".join(lines))
    if report.failed(checks):
        raise typer.Exit(report.FAILED)


def _page(
    html: Path | None, *, force: bool, watch: bool
) -> AbstractContextManager[NewFile | None]:
    """The file of the report, None without one. Raises ToolError where it cannot be written."""
    if html is None:
        return nullcontext()
    if watch:
        raise ToolError("a watch has no report", where="--html", step="leave out --watch")
    return NewFile(html, force=force)


def _verify_options(kinds: int, calibrate: str, ledger: str, by: str, traces: str) -> None:
    """Raise ToolError for options that exclude each other, and for a user who may record no walk.

    kinds: how many of the kinds of examination are wanted.
    """
    _verify_traces(calibrate, traces)
    if kinds > 1:
        raise ToolError("one of --self-test, --watch and --calibrate", step="give one of them")
    if calibrate == "wheel_law" and not by:
        return
    if bool(ledger) != bool(by) or (ledger and calibrate != "pockets"):
        raise ToolError(
            "a walk is recorded with a ledger and a name",
            where="--ledger and --by",
            limit="both, with --calibrate pockets",
            step="give both or none",
        )
    if ledger:
        confirm_worker(ledger, by)


def _verify_traces(calibrate: str, traces: str) -> None:
    """Raise ToolError unless a place for the rounds comes with --calibrate rim, and only then."""
    if (calibrate == "rim") != bool(traces):
        raise ToolError(
            "the rim is calibrated with the traces of rounds",
            where="--traces",
            limit="with --calibrate rim",
            step="name the database that stores the rounds, of `collect` or `serve`; a new file is"
            " created and filled while you play",
        )


def _examine_all(
    client: TableClient, attested: list[Check], seconds: float | None, *, moved: bool, quiet: bool
) -> list[Check]:
    """Return the checks of a table: attestation, sensors, counters."""
    checks = attested + _sensors(client, seconds, moved=moved, quiet=quiet)
    checks += calibrations.present(client)
    faults_reported = not any(check.name == "sensors" for check in checks)
    return checks + asking.of_table(client, faults_reported=faults_reported)


def _save_svg(title: str, lines: list[str], file: Path | None) -> None:
    if file is None:
        return
    console = recording(_COLUMNS)
    for line in lines:
        console.print(line, style=_STYLES.get(line[:4], ""), markup=False, highlight=False)
    save_svg(console, title, file)


def _sensors(
    client: TableClient, seconds: float | None, *, moved: bool, quiet: bool
) -> list[Check]:
    if not moved:
        return asking.sensors(client, asking.self_test(client, 0))
    text, watch_ms = roles.role(asking.role(client)).self_test
    watch_ms = watch_ms if seconds is None else int(seconds * 1000)
    with asking.in_maintenance(client):
        typer.echo(f"{text} The table watches for {watch_ms / 1000:g} s.", err=quiet)
        return asking.sensors(client, asking.self_test(client, watch_ms))


def _attestation(client: TableClient, manifest: Path | None, key: Path | None) -> list[Check]:
    if manifest is None or key is None:
        note = "not requested: --manifest FILE --key FILE"
        return [Check("attestation", SKIP, note=note)]
    with checked(manifest):
        release = public_key(manifest, key)
    try:
        compare(client, release, lock=False)
    except ToolError as error:
        return [
            Check("attestation", FAIL, code=FIRMWARE_MISMATCH, note=f"{error.what}: {error.where}")
        ]
    files = f"release {release.release}, {len(release.files)} files match"
    return [Check("attestation", PASS, note=files)]
