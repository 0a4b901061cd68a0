"""Whether the result of a round is valid. Plain facts in, problems as text out.

A result counts only for a round whose opening and no-more-bets came before it, with no active
fault. "Before" is in the order of the table's boots and counters: records may arrive late.
A void pays nothing, and a power cut may leave it without either; so it is always valid.
"""

from collections.abc import Iterable
from dataclasses import dataclass

# (boot, counter)
RecordId = tuple[int, int]

RUNNING = "running"
PENDING = "pending"
BELIEVED = "believed"
UNEXPECTED = "unexpected"


@dataclass(frozen=True)
class Facts:
    """The stored facts of a round that ended with a result."""

    opened: RecordId | None
    """Places of its records, None for a missing one."""
    closed: RecordId | None
    ended: RecordId
    faults: tuple[int, ...]
    """Codes active at the end."""
    also: str = ""
    """Other objections."""


def active_codes(faults: Iterable[tuple[int, bool]]) -> tuple[int, ...]:
    """The codes that are raised after these. faults: code and whether it was raised, in order."""
    latest = dict(faults)
    return tuple(sorted(code for code, is_raised in latest.items() if is_raised))


def problems(facts: Facts) -> list[str]:
    """The objections to the result; empty when there are none."""
    texts = []
    if facts.opened is None:
        texts.append("its round_opened is missing")
    elif facts.opened > facts.ended:
        texts.append("it came before its round_opened")
    if facts.closed is None:
        texts.append("its bets_closed is missing")
    elif facts.closed > facts.ended:
        texts.append("it came before its bets_closed")
    elif facts.opened is not None and facts.closed < facts.opened:
        texts.append("bets closed before they opened")
    texts += [f"fault {code} stood" for code in facts.faults]
    texts += [facts.also] if facts.also else []
    return texts
