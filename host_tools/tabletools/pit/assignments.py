"""The tables of a host in the ledger: created when new, changed when the file differs."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from tablespec.names import KEY_NAMES
from tabletools import release, roles
from tabletools.cms.wheel_line import DIALECTS
from tabletools.decode import Record, firmware_version
from tabletools.errors import ToolError
from tabletools.evidence import Terms, round_records
from tabletools.link import PortError
from tabletools.link.port import verify_port_name
from tabletools.money import meters, play_queries
from tabletools.pit.second_reader import ReadingAids, aids_of
from tabletools.pit.settings import Settings, TableSettings
from tabletools.release import Manifest
from tabletools.roles.dice_tray import BOTH, DEVICE, DICE, POLICIES
from tabletools.store import Actor, Lease, LedgerRejection, Store
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.table import programs
from tabletools.table.terms import (
    as_stored,
    change_table,
    change_terms,
    create_table,
    verify_terms,
)
from tablewire.settings import limits

CONFIGURED = Actor("configuration")


class Equipment(NamedTuple):
    """Where a table is and what is on it, as its settings say; see settings.TABLE."""

    zone: str = ""
    wheel_model: str = ""
    ball_batch: str = ""


class TableAssignment(NamedTuple):
    """One table of this host. table: its number in the ledger. port: where its link is.

    status_line: the dialect its wheel speaks there, empty for a controller. release: the one it
    must attest, None for no attestation. expected: required values of its configuration, by key.
    aids: of the host where it reads the dice.
    """

    table: int
    name: str
    device: int
    port: str
    terms: Terms
    status_line: str = ""
    release: Manifest | None = None
    expected: Mapping[str, int] = {}
    currency: str = "EUR"
    aids: ReadingAids = ReadingAids()
    equipment: Equipment = Equipment()


def release_of(settings: Settings, table: TableSettings) -> Manifest | None:
    """Return the release a table must run, its signature verified. Raises ToolError."""
    manifest = table.manifest or settings.manifest
    if table.status_line:
        manifest = (
            table.manifest
        )  # a wheel with a status line cannot attest: no manifest may be set
    if not manifest:
        return None
    where = f"table {table.name}"
    if table.status_line or not settings.release_key:
        what = (
            "a wheel with a status line cannot attest"
            if table.status_line
            else ("manifest and release_key go together")
        )
        raise ToolError(what, where=where, step="give both for controllers, neither for a wheel")
    try:
        return release.read(Path(manifest), release.read_public(Path(settings.release_key)))
    except release.ReleaseError as error:
        raise ToolError(error.what, where=f"{where}, {manifest}", step=error.step) from error
    except OSError as error:
        file = str(error.filename or manifest)
        what = f"cannot open the file: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=f"{where}, {file}", step="check the name") from error


def terms_of(table: TableSettings) -> Terms:
    """Return the terms of a table in the file; dice are read by table and host unless it says."""
    return Terms(
        table.game,
        table.rules,
        table.variant or None,
        dict(table.limits),
        dict(table.options),
        table.void_policy,
        table.dice_reading or (BOTH if table.game in DICE else None),
    )


class Verified(NamedTuple):
    """What the settings of a table name, read once. See TableAssignment."""

    terms: Terms
    aids: ReadingAids


def verify_table(table: TableSettings) -> Verified:
    """Return what the settings of a table name. Raises ToolError unless it can be played so."""
    terms = terms_of(table)
    if table.status_line not in ("", *DIALECTS):
        what = f"status_line {table.status_line!r} is not a dialect"
        step = f"use {' or '.join(DIALECTS)}, or leave it out for a controller"
        raise ToolError(what, where=f"table {table.name}", step=step)
    _verify_port(table)
    _verify_outcomes(table)
    _verify_dice(table)
    aids = aids_of(
        table.dice_reference,
        table.dice_second_camera,
        table.dice_second_source,
        table.dice_camera,
    )
    if terms.dice_reading == BOTH and aids.camera is not None:
        aids.camera.tray.verify_apart(f"table {table.name}, {table.dice_reference}")
    try:
        verify_terms(terms)
    except LedgerRejection as refused:
        raise _no(table, refused) from refused
    if payless := roles.payless(round_records.played_by(terms), table.configuration):
        where = f"table {table.name}, configuration"
        raise ToolError("; ".join(payless), where=where, step="expect a value that fits")
    return Verified(terms, aids)


def _verify_port(table: TableSettings) -> None:
    """Raise ToolError for a URL that names no port."""
    try:
        verify_port_name(table.port)
    except PortError as error:
        where = f"table {table.name}, port {table.port}"
        raise ToolError(error.what, where=where, cause=error.cause, step=error.step) from error


def _verify_outcomes(table: TableSettings) -> None:
    """Raise ToolError unless each expected value is possible for a controller."""
    for key, value in table.configuration.items():
        where = f"table {table.name}, configuration"
        if key not in KEY_NAMES:
            near = get_close_matches(key, KEY_NAMES, n=1, cutoff=0.0)[0]
            raise ToolError(f"no key {key!r}", where=where, step=f"did you mean {near}?")
        low, high, _ = limits(KEY_NAMES.index(key) + 1)
        if type(value) is not int or not low <= value <= high:
            what = f"{key} = {value!r} is not a value of that key"
            raise ToolError(what, where=where, limit=f"{low}..{high}", step="see PROTOCOL.md")


def _verify_dice(table: TableSettings) -> None:
    """Raise ToolError for settings of dice that contradict each other."""
    where = f"table {table.name}"
    if table.dice_reading and table.game not in DICE:
        what = f"dice_reading is for dice, not for {table.game}"
        raise ToolError(what, where=where, step="leave it out")
    if table.dice_reading not in ("", *POLICIES):
        what = f"dice_reading {table.dice_reading!r} is not known"
        raise ToolError(what, where=where, limit=" or ".join(POLICIES), step="see SERVE.md")
    if bool(table.dice_second_camera) != bool(table.dice_second_source):
        what = "dice_second_camera and dice_second_source go together"
        raise ToolError(what, where=where, step="give both, or neither")
    if table.dice_second_camera and (table.game not in DICE or table.dice_reading == DEVICE):
        what = "a second camera is for dice that the host reads"
        raise ToolError(what, where=where, step="leave dice_second_camera and its source out")
    if table.dice_camera and (table.game not in DICE or table.dice_reading == DEVICE):
        what = "dice_camera is for dice that the host reads"
        raise ToolError(what, where=where, step="leave it out")
    if table.dice_camera and not table.dice_reference:
        step = "give the file of `tabletool dice calibrate`"
        raise ToolError("dice_camera needs dice_reference", where=where, step=step)
    if terms_of(table).dice_reading == BOTH and not table.dice_camera:
        what = 'dice_reading "both" without dice_camera: both would read one picture'
        step = (
            "give dice_camera and dice_reference (`tabletool dice calibrate`), or let one reader"
        )
        step += ' decide: dice_reading "device" or "host", with the risk that SERVE.md states'
        limit = "two pictures of two cameras for money"
        raise ToolError(what, where=where, limit=limit, step=step)


def _no(table: TableSettings, refused: LedgerRejection) -> ToolError:
    what = f"{refused.code}: {refused.what}"
    return ToolError(what, where=f"table {table.name}", step=refused.step)


def place_of(
    ledger: Store, table: TableSettings, wanted: Manifest | None = None
) -> TableAssignment:
    """Return a table of the file, created in the ledger if it is new. Raises ToolError."""
    verified = verify_table(table)
    with ledger.read() as db:
        row = play_queries.table_by_name(db, table.name)
    try:
        if row is None:
            number = create_table(
                ledger,
                table.name,
                verified.terms,
                CONFIGURED,
                device=table.device,
                currency=table.currency,
            )
        else:
            number = row.id
            _verify_currency(row.currency, table)
    except LedgerRejection as refused:
        raise _no(table, refused) from refused
    return TableAssignment(
        number,
        table.name,
        table.device,
        table.port,
        verified.terms,
        table.status_line,
        wanted,
        table.configuration,
        table.currency,
        verified.aids,
        Equipment(table.zone, table.wheel_model, table.ball_batch),
    )


def _verify_currency(currency: str, table: TableSettings) -> None:
    if currency != table.currency:
        what = f"the table is played in {currency}, not {table.currency}"
        raise LedgerRejection("currency", what, "give a new table another name")


def settle_terms(ledger: Store, lease: Lease, place: TableAssignment) -> None:
    """Apply the configured terms to a table. Raises LedgerRejection, StoreError."""
    with ledger.read() as db:
        row = play_queries.table_by_name(db, place.name)
    assert row is not None
    if row.device != place.device:
        change_table(ledger, lease, CONFIGURED, device=place.device)
    if _plain(row.terms) != _plain(as_stored(place.terms)):
        change_terms(ledger, lease, place.terms, CONFIGURED)


def describe(ledger: Store, lease: Lease, place: TableAssignment) -> None:
    """Publish what is played at a table that this host owns. Raises StoreError."""
    terms, table = place.terms, place.table
    data = {"table": table, "name": place.name, "device": place.device, "currency": place.currency}
    data |= {"game": terms.game, "rules": terms.rules, "variant": terms.variant or ""}
    kind, name = "tablewire.table.described", f"table-{table}-{lease.token}"
    event = OutboxEvent(name, kind, f"table/{table}", data | place.equipment._asdict(), table)
    ledger.run(lambda db: enqueue(db, event, ledger.clock.wall_ns()))


def _plain(terms: Terms) -> tuple[Any, ...]:
    return (*terms[:3], dict(terms.limits), dict(terms.options), *terms[5:])


def note_identity(ledger: Store, table: int, record: Record) -> None:
    """Store what the controller of a table reports about itself. Raises StoreError."""
    facts = {name: record[name] for name in ("role", "board")}
    facts["firmware"] = firmware_version(record)
    now_ns = ledger.clock.wall_ns()
    ledger.run(lambda db: programs.note_identity(db, table, record["device"], facts, now_ns))


def ledger_facts(ledger: Store, place: TableAssignment) -> dict[str, Any]:
    """Return the ledger's facts about a table, for live watchers."""
    with ledger.read() as db:
        return play_queries.present(db, place.table, ledger.clock.wall_ns())._asdict() | {
            "results": play_queries.last_results(db, place.table),
            "meters": meters.shown(db, place.table, place.terms, place.currency),
        }
