"""Jackpots: which prizes are won, what each winner is paid, and the meters afterwards.

Rulebook 10. Meters are passed in and returned, cents by name. A jackpot bet is spent when it is
placed: its share goes to the meters, and only a prize is paid.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tabletools.rules.codes.fields import MISSING_FIELD
from tabletools.rules.codes.stakes import LIMITS_INVALID, NOT_WHOLE_CENTS
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation, shown

EURO = 100
TOGETHER_MS = 5000
"""Slots: winners not more than five seconds after the first are paid alike (READING-50)."""


class Prize(NamedTuple):
    """One prize. meter: paid from its level. times: winnings per stake. keeps: the stake is
    returned. share: of the meter, one part in so many. fixed: cents determined by the casino."""

    meter: str | None = None
    times: int = 0
    keeps: bool = False
    share: int = 1
    fixed: int = 0


class Entry(NamedTuple):
    """One jackpot bet. prizes: what it won. at_ms: when, on the display. table: where it was.
    growth: of the new jackpot until then, cents. These are None where the record has none. bet:
    its id."""

    stake: int
    prizes: tuple[Prize, ...]
    at_ms: int | None = None
    table: str | None = None
    growth: int | None = None
    bet: str = ""


class Meter(NamedTuple):
    """The level of a meter when the cards are dealt, and its start amount, cents."""

    level: int
    start: int

    @property
    def paid(self) -> int:
        """What it pays: never less than the start amount."""
        return max(self.level, self.start)


Manner = Callable[[Meter, Sequence[Entry], bool], list[int]]
"""How the winners of a meter are paid, in their order.

The last argument: round up to a euro. What decides between several winners has to be in the
record: raises RuleViolation where it is not.
"""

_FIELDS = {"at_ms": "times_ms", "table": "tables", "growth": "growth"}
"""Fields of the outcome, by fact of an entry."""


def _known(winner: Entry, fact: str) -> Any:
    """Return a fact of a winner that decides what he is paid; raise RuleViolation without it."""
    value = getattr(winner, fact)
    if value is None:
        name = _FIELDS[fact]
        what = (
            f"several bets won one meter, and {name} of {shown(winner.bet)} decides what is paid"
        )
        raise RuleViolation(MISSING_FIELD, what, f"outcome.{name}.{winner.bet}")
    return value


def _first(winners: Sequence[Entry]) -> Entry:
    """Return who won first; raise RuleViolation if two did who are not paid alike."""
    first, second, *_ = sorted(winners, key=lambda winner: _known(winner, "at_ms"))
    if first.at_ms == second.at_ms:
        what = f"{shown(first.bet)} and {shown(second.bet)} won one meter at the same time"
        what += ", and the first one is paid more"
        raise RuleViolation(NEEDS_RULING, what, f"outcome.times_ms.{second.bet}")
    return first


def _first_table(winners: Sequence[Entry]) -> str | None:
    """Return the table where the first winner was; no time is needed where all were at one."""
    if len(winners) == 1:
        return winners[0].table
    by_table: dict[str, list[Entry]] = {}
    for winner in winners:
        by_table.setdefault(_known(winner, "table"), []).append(winner)
    if len(by_table) == 1:
        return winners[0].table
    firsts = [min(some, key=lambda one: _known(one, "at_ms")) for some in by_table.values()]
    return _first(firsts).table


def euros_up(cents: int) -> int:
    """Return the amount rounded up to a whole euro (hc2023 3:2(11), hc2011 3:2(12), 3:9(6))."""
    return -(-cents // EURO) * EURO


def _part(cents: int, parts: int, round_up: bool) -> int:
    if round_up:
        return euros_up(-(-cents // parts))
    if cents % parts:
        what = f"{cents} cents do not divide by {parts}, and no article rounds"
        raise RuleViolation(NOT_WHOLE_CENTS, f"{what}; a table may choose round_up", "meters")
    return cents // parts


def split_pot(meter: Meter, winners: Sequence[Entry], round_up: bool) -> list[int]:
    """Divide the level equally (gr2003 §9β(3))."""
    return [_part(meter.paid, len(winners), round_up)] * len(winners)


def split_at_a_table(meter: Meter, winners: Sequence[Entry], round_up: bool) -> list[int]:
    """Divide the level equally among the winners of one hand at one table (hc2023 3:5(9), 3:6(12),
    3:7(9)). Those of another table won after it fell: they divide the start amount, as the second
    winner of Black Jack gets it (3:2(11))."""
    table = _first_table(winners)
    many = [sum(other.table == winner.table for other in winners) for winner in winners]
    return [
        _part(meter.paid if winner.table == table else meter.start, count, round_up)
        for winner, count in zip(winners, many, strict=True)
    ]


def each_full(meter: Meter, winners: Sequence[Entry], _round_up: bool) -> list[int]:
    """Pay everyone the level at the start of the round (hc2011 3:6(11))."""
    return [meter.paid] * len(winners)


def first_full(meter: Meter, winners: Sequence[Entry], _round_up: bool) -> list[int]:
    """Pay the first the level, the next the start amount (hc2023 3:2(11), hc2011 3:2(12))."""
    first = _first(winners) if len(winners) > 1 else winners[0]
    return [euros_up(meter.paid if winner is first else meter.start) for winner in winners]


def same_table_full(meter: Meter, winners: Sequence[Entry], _round_up: bool) -> list[int]:
    """Pay the first and those at that table the level, others the start amount (hc2011 3:9(5))."""
    table = _first_table(winners)
    return [euros_up(meter.paid if winner.table == table else meter.start) for winner in winners]


def five_seconds(meter: Meter, winners: Sequence[Entry], _round_up: bool) -> list[int]:
    """Pay the level within five seconds of the first, later the start amount and its growth.

    hc2023 6:2(7), hc2011 5:2(7); each is measured against the first (READING-30).
    """
    return _by_time(meter, winners, lambda times, _time: times[0])


def five_seconds_each(meter: Meter, winners: Sequence[Entry], _round_up: bool) -> list[int]:
    """Pay as five_seconds, with each winner measured against the one before (READING-30)."""
    return _by_time(meter, winners, lambda times, time: times[max(0, times.index(time) - 1)])


def _by_time(
    meter: Meter, winners: Sequence[Entry], before: Callable[[list[int], int], int]
) -> list[int]:
    """before: what a time is measured against, of all times in order; with one late, all later
    ones are."""
    if len(winners) == 1:
        return [meter.paid]
    times = sorted(_known(winner, "at_ms") for winner in winners)
    late = [time for time in times if time - before(times, time) > TOGETHER_MS]
    return [
        meter.start + _known(winner, "growth")
        if late and _known(winner, "at_ms") >= late[0]
        else meter.paid
        for winner in winners
    ]


class Scheme(NamedTuple):
    """How the meters of one game pay.

    deducts: prizes by the stake are taken from this meter, from the new start amount if it is won
    in the same round (hc2011 3:6(11)). resets: a meter restarts once it is paid, else its amount
    is fixed. round_up: a share of one, to a whole euro. parts_first: parts of a meter are taken
    before the whole is paid (READING-42).
    """

    manner: Manner
    deducts: str | None = None
    resets: bool = True
    round_up: bool = False
    parts_first: bool = False


class Payment(NamedTuple):
    """What one entry is paid on top of what is returned, cents."""

    win: int
    back: int


def contributed(stakes: Sequence[int], shares: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    """Return what the stakes of a round add to each meter. shares: of every stake, by meter."""
    if any(n < 0 or d < 1 for n, d in shares.values()):
        raise RuleViolation(LIMITS_INVALID, "a share is [parts, of so many]", "table.contribution")
    cents = dict.fromkeys(shares, 0)
    for meter, (parts, whole) in shares.items():
        for stake in stakes:
            if stake * parts % whole:
                what = f"{parts}/{whole} of the stake {stake} is not a whole cent"
                raise RuleViolation(NOT_WHOLE_CENTS, what, f"table.contribution.{meter}")
            cents[meter] += stake * parts // whole
    if sum(cents.values()) > sum(stakes):
        raise RuleViolation(
            LIMITS_INVALID, "the contributions exceed the stake", "table.contribution"
        )
    return cents


def settle(
    scheme: Scheme, entries: Sequence[Entry], meters: Mapping[str, Meter]
) -> tuple[list[Payment], dict[str, int]]:
    """Return what each entry is paid, in order, and the meters after the round."""
    wins = [0] * len(entries)
    after = {name: meter.level for name, meter in meters.items()}
    fell = set()
    for name, meter in meters.items():
        places = _winners(entries, name)
        if not places:
            continue
        if meter.paid <= 0:
            what = f"{name} was won and contains {meter.paid} cents, by meters and start"
            raise RuleViolation(LIMITS_INVALID, what, f"meters.{name}")
        fell.add(name)
        left = meter
        if scheme.parts_first and scheme.resets:
            left = Meter(meter.level - _parts_of(name, entries, scheme, meters), 0)
        amounts = scheme.manner(left, [entries[place] for place in places], scheme.round_up)
        for place, amount in zip(places, amounts, strict=True):
            if amount <= 0:
                what = f"{name} was won by {shown(entries[place].bet)} and its start amount is "
                what += f"{meter.start} cents"
                raise RuleViolation(LIMITS_INVALID, what, f"table.start.{name}")
            wins[place] += amount
        if scheme.resets:
            after[name] = meter.start
    for place, entry in enumerate(entries):
        for prize in entry.prizes:
            amount, source = _smaller(prize, entry.stake, scheme, meters)
            wins[place] += amount
            if source is not None and not (prize.meter in fell or not scheme.resets):
                after[source] -= amount
    backs = [entry.stake if any(prize.keeps for prize in entry.prizes) else 0 for entry in entries]
    return [Payment(*each) for each in zip(wins, backs, strict=True)], after


def _parts_of(
    name: str, entries: Sequence[Entry], scheme: Scheme, meters: Mapping[str, Meter]
) -> int:
    """Return the sum of the parts of meters won in this round."""
    parts = (p for entry in entries for p in entry.prizes if p.meter == name)
    return sum(_smaller(prize, 0, scheme, meters)[0] for prize in parts)


def _winners(entries: Sequence[Entry], meter: str) -> list[int]:
    """Return the indexes of the winners of a whole meter."""
    return [
        place
        for place, entry in enumerate(entries)
        if any(prize.meter == meter and prize.share == 1 for prize in entry.prizes)
    ]


def _smaller(
    prize: Prize, stake: int, scheme: Scheme, meters: Mapping[str, Meter]
) -> tuple[int, str | None]:
    """Return what a prize below a whole meter pays, and the meter it is taken from, if any."""
    if prize.meter is None:
        return prize.times * stake + prize.fixed, scheme.deducts
    if prize.share == 1:
        return 0, None
    return _part(meters[prize.meter].level, prize.share, scheme.round_up), prize.meter
