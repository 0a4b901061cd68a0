"""The audit of cards and balls in a ledger: draws, shoes that are over, rounds of a shuffler."""

from typing import TYPE_CHECKING, Any

from tablespec.names import NAMES
from tabletools import roles
from tabletools.evidence import machines
from tabletools.money import outcome_in_force
from tabletools.roles.role import Deals, Record, Role

if TYPE_CHECKING:
    from tabletools.audit import Machine, Report, Spins

_NUMBERS = {name: number for number, name in NAMES.items()}


def report_of(
    db: Any,
    device: int,
    name: str,
    audits_per_year: int,
    look: int | None,
    most: int | None = None,
) -> "tuple[Machine, Report | None] | None":
    """The audit of what a device dealt or drew since it was last moved; None: nothing is known.

    most: records that are read, the newest; None for all.
    """
    from tabletools.audit import MACHINES, audit

    for role in roles.every_role():
        deals = role.deals_of and role.deals_of(_records(db, device, role, most))
        if deals and deals.machine in MACHINES:
            machine = MACHINES[deals.machine]
            spins = _spins(name, deals, machine)
            return machine, audit(spins, machine, audits_per_year, look) if deals.rows else None
    return None


def _records(db: Any, device: int, role: Role, most: int | None) -> list[Record]:
    """The records of a role in the order of the table, the ends of rounds with their outcome."""
    types = [_NUMBERS[name] for name in (*role.messages, "round_void")]
    records = machines.records_since_move(db, device, types, most)
    outcomes = outcome_in_force.by_record(db, device) if records else {}
    return [{**record, "outcome": outcomes.get(key)} for key, record in records]


def _spins(name: str, deals: Deals, machine: "Machine") -> "Spins":
    from tabletools.audit import Spins

    places = {label: place for place, label in enumerate(machine.labels)}
    return Spins(
        name,
        [places[label] for row in deals.rows for label in row],
        # The order of rounds is that of the table; within them it may not be known.
        round=len(deals.rows) if deals.is_in_order or not deals.decks else None,
        sizes=list(map(len, deals.rows)),
        decks=deals.decks,
        is_shoe=deals.is_shoe,
    )
