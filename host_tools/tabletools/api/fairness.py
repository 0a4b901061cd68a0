"""The audit of a table's machine over the outcomes in the ledger since it was last moved."""

import threading
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tabletools import roles
from tabletools.evidence import machines
from tabletools.money.play_queries import CasinoTable
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
    played_on = map(roles.role, roles.names_for(table.terms.game))
    names = (role.audited.machine(layout) for role in played_on if role.audited)
    return next((MACHINES[name] for name in names if name is not None), None)


def report_of(
    db: Any, table: CasinoTable, audits_per_year: int | None = None
) -> "tuple[Machine, Report | None] | None":
    """The audit, None in it without outcomes; None for a table without wheel and dice.

    audits_per_year: None for the default.
    """
    # Imported here: the tests take a second to load.
    from tabletools.audit import Spins, audit
    from tabletools.audit.audit_report import AUDITS_PER_YEAR

    machine = machine_of(db, table)
    if machine is None:
        return None
    history = machines.falls_since_move(db, table.device)
    spins = Spins(table.name, moves=history.moves, before=history.before)
    for fall in history.falls:
        spins.round = fall.round
        if fall.type == ROUND_VOID:
            spins.voids += 1
        else:
            spins.places += places(machine.labels, fall.type, fall.payload)
    if not spins.places:
        return machine, None
    return machine, audit(spins, machine, audits_per_year or AUDITS_PER_YEAR)


def places(labels: tuple[str, ...], ident: int, payload: Mapping[str, Any]) -> list[int]:
    """The outcomes of a record, by index in the labels of the machine."""
    [audited] = [role.audited for role in roles.every_role() if role.number == ident]
    assert audited is not None
    return audited.places(labels, payload)


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
