"""The audit of a table's machine over the outcomes in the ledger since it was last moved."""

import threading
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tabletools import roles
from tabletools.api import dealt_audit
from tabletools.audit.error_budget import AUDITS_PER_YEAR
from tabletools.evidence import machines
from tabletools.money.play_queries import CasinoTable
from tabletools.reports.fallen import Fallen, codes_of, of_device
from tabletools.reports.reading import LookBack
from tabletools.roles.role import Audited
from tabletools.table import thrower
from tablewire.messages import ROUND_VOID

if TYPE_CHECKING:
    from tabletools.audit import Machine, Report

Row = dict[str, Any]
Groups = Mapping[str, list[str]]
"""As `Spins.groups`."""
NO_GROUPS: Groups = {}
MOST_RECORDS = 20_000
"""Of cards and balls, that a page reads: some 50 shoes, or 950 draws of Keno."""
MOST_RESULTS = 250_000
"""Of a wheel or of dice, that a page reads: a year of a table with 45 rounds an hour."""
# Drawing uses state global to the program.
DRAWING = threading.Lock()


def machine_of(db: Any, table: CasinoTable) -> "Machine | None":
    """The machine of a table: as its device reports, or dice; None for cards and balls."""
    return _machine(db, table.device, _counts_of(table))


def _machine(db: Any, device: int | None, played: list[Audited]) -> "Machine | None":
    from tabletools.audit import MACHINES

    layout = machines.wheel_of(db, device)
    names = (audited.machine(layout) for audited in played)
    return next((MACHINES[name] for name in names if name is not None), None)


def _counts_of(table: CasinoTable) -> list[Audited]:
    """How the outcomes of the roles that a table's game is played on are counted."""
    played_on = map(roles.role, roles.names_for(table.terms.game))
    return [role.audited for role in played_on if role.audited]


def report_of(
    db: Any,
    table: CasinoTable,
    audits_per_year: int = AUDITS_PER_YEAR,
    look: int | None = None,
) -> "tuple[Machine, Report | None] | None":
    """The audit of all records in a ledger, None in it without outcomes.

    None for a table without a machine to audit. look: as `audit` counts them.
    """
    machine = machine_of(db, table)
    if machine is None and table.device is not None:
        return dealt_audit.report_of(db, table.device, table.name, audits_per_year, look)
    if machine is None:
        return None
    history = machines.falls_since_move(db, table.device)
    groups = _throwers(db, table.id, history)
    return machine, _of_records(
        history, table.name, machine, _counts_of(table), audits_per_year, look, groups
    )


def _throwers(db: Any, table: int, history: machines.Falls) -> Groups:
    """Who threw each result, as a group of the audit; none where no thrower was named."""
    names = thrower.names(db, table, [fall.key for fall in _results(history)])
    return {"thrower": names} if any(names) else {}


def report_of_device(
    db: Any, device: int, audits_per_year: int = AUDITS_PER_YEAR, look: int | None = None
) -> "tuple[Machine, Report | None] | None":
    """The audit of a device that has no table; None where its results are not audited."""
    history = machines.falls_since_move(db, device)
    types = {fall.type for fall in history.falls}
    played = [one.audited for one in roles.every_role() if one.audited and one.number in types]
    machine = _machine(db, device, played)
    if machine is None:
        return dealt_audit.report_of(db, device, str(device), audits_per_year, look)
    return machine, _of_records(history, str(device), machine, played, audits_per_year, look)


def report_looking_back(
    look: LookBack, table: CasinoTable
) -> "tuple[Machine, Report | None] | None":
    """The same from the read model; of the newest MOST_RESULTS, or MOST_RECORDS."""
    machine = machine_of(look.ledger, table)
    if table.device is None:
        return None
    if machine is None:
        return dealt_audit.report_of(
            look.ledger, table.device, table.name, AUDITS_PER_YEAR, None, MOST_RECORDS
        )
    fallen = of_device(look.model, table.device)
    fallen = fallen._replace(codes=fallen.codes[-MOST_RESULTS:])
    # The read model has the faces of dice, and not which were thrown together.
    dice = 1 if machine.is_round else 0
    return machine, _audit(machine, table.name, _counts_of(table), fallen, dice)


def _of_records(
    history: machines.Falls,
    name: str,
    machine: "Machine",
    played: list[Audited],
    audits_per_year: int,
    look: int | None,
    groups: Groups = NO_GROUPS,
) -> "Report | None":
    results = _results(history)
    codes = [codes_of(fall.type, fall.payload) for fall in results]
    fallen = Fallen(
        b"".join(codes),
        voids=len(history.falls) - len(results),
        moves=history.moves,
        before=history.before,
        round=history.falls[-1].round if history.falls else 0,
    )
    sizes = set(map(len, codes)) - {0}
    dice = sizes.pop() if len(sizes) == 1 else 0
    return _audit(machine, name, played, fallen, dice, audits_per_year, look, groups)


def _results(history: machines.Falls) -> list[machines.Fall]:
    return [fall for fall in history.falls if fall.type != ROUND_VOID]


def _audit(
    machine: "Machine",
    name: str,
    played: list[Audited],
    fallen: Fallen,
    dice: int,
    audits_per_year: int = AUDITS_PER_YEAR,
    look: int | None = None,
    groups: Groups = NO_GROUPS,
) -> "Report | None":
    # Imported here: the tests take a second to load.
    from tabletools.audit import Spins, audit

    if not fallen.codes:
        return None
    spins = Spins(
        name,
        fallen.codes.translate(_places_on(machine, played)),
        voids=fallen.voids,
        moves=fallen.moves,
        before=fallen.before,
        round=fallen.round,
        dice=dice,
        groups=dict(groups),
    )
    return audit(spins, machine, audits_per_year, look)


def _places_on(machine: "Machine", played: list[Audited]) -> bytes:
    """The table by which the bytes of results become indexes in the labels of the machine."""
    places = {label: place for place, label in enumerate(machine.labels)}
    [label] = [audited.label for audited in played]
    return bytes(places.get(label(code), 0) for code in range(256))


def record_of(machine: "Machine", report: "Report | None") -> Row:
    """The audit as JSON. most_records: None where every result is audited."""
    from tabletools.audit.audit_machines import Kind
    from tabletools.audit.audit_report import FEW, as_record

    is_dealt = machine.kind in (Kind.DRAW, Kind.CARDS)

    record: Row = {
        "machine": machine.name,
        "most_records": MOST_RECORDS if is_dealt else None,
        "minimum": FEW,
        "n": 0,
        "voids": 0,
        "before": 0,
        "moves": 0,
        "verdict": None,
        "tests": [],
        "not_tested": [],
    }
    if report is None:
        return record
    spins = report.spins
    counted = {"voids": spins.voids, "before": spins.before, "moves": spins.moves}
    if len(spins.places) == MOST_RESULTS:
        record |= {"most_records": MOST_RESULTS}
    return record | {
        **(dict.fromkeys(counted) if is_dealt else counted),
        **as_record(report),
        "most_often": report.most_often,
        "counts": [
            {"label": label, "count": count}
            for label, count in zip(machine.labels, report.counts, strict=True)
        ],
    }


def picture_of(report: "Report") -> bytes:
    """The audit as SVG."""
    from tabletools.audit.frequency_chart import draw

    with DRAWING, TemporaryDirectory() as folder:
        path = Path(folder) / "audit.svg"
        draw(path, report)
        return path.read_bytes()
