"""The fault catalogue of a whole card table: what can befall the shuffler, and the host's word.

See shuffler_faults.py: each strikes while cards are dealt. A machine with a serial line of its
own, or with two passes, has faults of its own beside those of every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hil_tests.emulators.shuffler import faults as shuffler_faults
from hil_tests.emulators.shuffler.operator import CardPlan, CardSetup
from hil_tests.faults import Fault
from tablewire import codes
from tablewire import shuffler as words

# What takes sensors a machine with a line of its own has not.
_ANY_MACHINE = ("replaced",)


def _provoked(provoke: Callable[[Any], None]) -> Callable[[CardPlan], None]:
    def inject(plan: CardPlan) -> None:
        plan.provoke = provoke

    return inject


def _called_off(table: Any) -> None:
    table.order_void()
    table.run(table.now_us + 1_000_000)


CALLED_OFF = Fault(
    "croupier_void", codes.CROUPIER_VOID, "host",
    "the round is called off by command", _provoked(_called_off),
)  # fmt: skip


def catalogue_of(setup: CardSetup) -> tuple[Fault, ...]:
    """Return what can go wrong at such a table."""
    found = [CALLED_OFF]
    for each in shuffler_faults.FAULTS:
        own = each.changed == setup.changed and bool(each.changed)
        common = not each.changed and (not setup.is_serial or each.name in _ANY_MACHINE)
        if own or (common and setup.passes == 1):
            # A power cut ends the round before anything is told of the shuffle.
            is_cut = each.code == words.NOT_VERIFIED
            void = codes.SYSTEM_INTERRUPTION if is_cut else None
            inject = _provoked(each.provoke)
            found.append(Fault(each.name, each.code, each.where, each.what, inject, void))
    return tuple(found)
