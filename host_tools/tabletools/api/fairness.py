"""The audit of a table's machine over the outcomes in the ledger since it was last moved."""

import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tabletools import roles
from tabletools.evidence import machines
from tabletools.money.play_queries import CasinoTable
from tabletools.reports.fallen import Fallen, codes_of, of_device
from tabletools.reports.reading import LookBack
from tabletools.roles.demand import Audited
from tablewire.messages import ROUND_VOID

if TYPE_CHECKING:
    from tabletools.audit import Machine, Report

Row = dict[str, Any]
# Drawing uses state global to the program.
DRAWING = threading.Lock()


def machine_of(db: Any, table: CasinoTable) -> "Machine | None":
    """The machine of a table: as its device reports, or dice; None for cards and balls."""
    from tabletools.audit import MACHINES

    layout = machines.wheel_of(db, table.device)
    names = (audited.machine(layout) for audited in _audited(table))
    return next((MACHINES[name] for name in names if name is not None), None)


def _audited(table: CasinoTable) -> list[Audited]:
    """How the outcomes of the roles that a table's game is played on are counted."""
    played_on = map(roles.role, roles.names_for(table.terms.game))
    return [role.audited for role in played_on if role.audited]


def report_of(
    db: Any, table: CasinoTable, audits_per_year: int | None = None
) -> "tuple[Machine, Report | None] | None":
    """The audit of all records in a ledger, None in it without outcomes.

    None for a table without wheel and dice. audits_per_year: None for the default.
    """
    machine = machine_of(db, table)
    if machine is None:
        return None
    history = machines.falls_since_move(db, table.device)
    results = [fall for fall in history.falls if fall.type != ROUND_VOID]
    fallen = Fallen(
        b"".join(codes_of(fall.type, fall.payload) for fall in results),
        voids=len(history.falls) - len(results),
        moves=history.moves,
        before=history.before,
        round=history.falls[-1].round if history.falls else 0,
    )
    return machine, _audit(machine, table, fallen, audits_per_year)


def report_looking_back(
    look: LookBack, table: CasinoTable
) -> "tuple[Machine, Report | None] | None":
    """The same from the read model."""
    machine = machine_of(look.ledger, table)
    if machine is None or table.device is None:
        return None
    return machine, _audit(machine, table, of_device(look.model, table.device), None)


def _audit(
    machine: "Machine", table: CasinoTable, fallen: Fallen, audits_per_year: int | None
) -> "Report | None":
    # Imported here: the tests take a second to load.
    from tabletools.audit import Spins, audit
    from tabletools.audit.audit_report import AUDITS_PER_YEAR

    if not fallen.codes:
        return None
    spins = Spins(
        table.name,
        list(fallen.codes.translate(_places_on(machine, table))),
        voids=fallen.voids,
        moves=fallen.moves,
        before=fallen.before,
        round=fallen.round,
    )
    return audit(spins, machine, audits_per_year or AUDITS_PER_YEAR)


def _places_on(machine: "Machine", table: CasinoTable) -> bytes:
    """The table by which the bytes of results become indexes in the labels of the machine."""
    places = {label: place for place, label in enumerate(machine.labels)}
    [label] = [audited.label for audited in _audited(table)]
    return bytes(places.get(label(code), 0) for code in range(256))


def record_of(machine: "Machine", report: "Report | None") -> Row:
    """The audit as JSON."""
    from tabletools.audit.audit_report import FEW, as_record, as_text

    record: Row = {
        "machine": machine.name,
        "minimum": FEW,
        "n": 0,
        "voids": 0,
        "before": 0,
        "moves": 0,
        "verdict": None,
        "tests": [],
    }
    if report is None:
        return record
    spins = report.spins
    lines = as_text(report).splitlines()
    details = {name: line for name, _ in report.named_p() for line in lines if name in line}
    [step] = [line for line in lines if line.startswith("next step: ")]
    [often] = [line for line in lines if "most often: " in line]
    return record | {
        "voids": spins.voids,
        "before": spins.before,
        "moves": spins.moves,
        "p": report.p,
        "alarm_level": report.alarm_level,
        **as_record(report),
        "tests": [
            {
                "test": name,
                "p": p,
                "p_text": f"{p:.3g}",
                "detail": details[name].partition(f"p {p:<10.3g}")[2].strip(),
            }
            for name, p in report.named_p()
        ],
        "step": step.removeprefix("next step: "),
        "most_often": often.split("most often: ")[1],
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
