"""Whether the end of a round can be believed. Plain facts in, problems in words out.

A result counts only for a round whose opening and no-more-bets came before it, with no fault
standing. "Before" is in the order of the table's own boots and counters: records may arrive late.
A void pays nothing, and a power cut may leave it without either; so it is always believed.
"""

from dataclasses import dataclass

# (boot, counter)
RecordId = tuple[int, int]

RUNNING = "running"
PENDING = "pending"
BELIEVED = "believed"
UNEXPECTED = "unexpected"


@dataclass(frozen=True)
class Facts:
    """What is stored of a round that ended with a result.

    opened, closed, ended: places of its records, None for what is not here. faults: codes that
    stood at the end. may_come: whether a record from before the end may still arrive. also: what
    else speaks against it.
    """

    opened: RecordId | None
    closed: RecordId | None
    ended: RecordId
    faults: tuple[int, ...]
    may_come: bool
    also: str = ""


def problems(facts: Facts) -> list[str]:
    """What speaks against the result; empty when nothing does."""
    found = []
    if facts.opened is None:
        found.append("its round_opened is missing")
    elif facts.opened > facts.ended:
        found.append("it came before its round_opened")
    if facts.closed is None:
        found.append("its bets_closed is missing")
    elif facts.closed > facts.ended:
        found.append("it came before its bets_closed")
    elif facts.opened is not None and facts.closed < facts.opened:
        found.append("bets closed before they opened")
    found += [f"fault {code} stood" for code in facts.faults]
    found += [facts.also] if facts.also else []
    return found


def verdict(facts: Facts) -> tuple[str, str]:
    """PENDING, BELIEVED or UNEXPECTED, and why."""
    found = problems(facts)
    if facts.may_come:
        # Even a whole round: what is missing may be a fault.
        return PENDING, "; ".join(found)
    return (UNEXPECTED, "; ".join(found)) if found else (BELIEVED, "")
