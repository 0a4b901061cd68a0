"""Money wheel: four revolutions, and a segment that pays what is printed there."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from tablelogic.money_wheel.wheel_segments import layout as printed
from tabletools.roles.role import (
    WAY,
    Audited,
    Demand,
    Message,
    Opened,
    Played,
    Record,
    Role,
    SelfTest,
    Wear,
    count_of,
    least_of,
    measured_in,
    requirement_objection,
)
from tablewire.money_wheel import PHASE_TURNING, WHEEL_SEGMENTS_52, WHEEL_SEGMENTS_54

# hc2023 2:5(4), hc2011 4:2(4): a wheel that makes fewer is spun again.
REVOLUTIONS = 4
_LEARNED = (
    "a wheel that was not learned does not see a hand that helps or brakes a little;"
    " run tabletool diag --calibrate wheel_law"
)
_LAYOUTS = {"segments_52": 1, "segments_54": 2}


def demands(played: Played) -> list[Demand]:
    """Four revolutions at least, of a wheel whose own loss is learned."""
    return [
        Demand("min_revolutions", REVOLUTIONS, 10, f"{played.rules}: four revolutions"),
        Demand("turn_limit", 1, 20_000, _LEARNED),
    ]


class Stop(Message, frozen=True):
    """money_wheel_result: the segment under the pointer and what it pays, to one."""

    pays: int
    segment: int
    revolutions_centi: int
    wheel_direction: str | None
    pushed_centi: int = 0
    """Turns after the last push."""
    pushes: int = 0
    friction_ddegss: int | None = None

    def text(self) -> str:
        """Segment, turns and how it slowed down."""
        friction = self.friction_ddegss
        slowing = "unknown" if friction is None else f"{friction / 10:.1f} deg/s2"
        turns = f"{self.revolutions_centi / 100:.2f} turns"
        after = f"{self.pushed_centi / 100:.2f} after {count_of(self.pushes, 'push')}"
        way = WAY[self.wheel_direction]
        return f"pays {self.pays}, segment {self.segment}, {turns}, {after} {way}, {slowing}"


def objections(
    played: Played, opened: Opened | None, ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """Revolutions, a direction, and a segment with its printed odds."""
    stop, least = Stop.of_record(ended), least_of(played, opened, REVOLUTIONS)
    if played.game is not None:
        yield from requirement_objection(opened, least, played.rules)
    if stop.revolutions_centi < least * 100:
        turned = stop.revolutions_centi / 100
        yield f"the wheel made {turned:.2f} revolutions, at least {least} are required"
    if stop.wheel_direction is None:
        yield "the direction of the wheel is unknown"
    if opened is None:
        return
    if opened.layout not in _LAYOUTS:
        yield f"it opened with layout {opened.layout}, which is not a money wheel"
        return
    pays = printed(_LAYOUTS[opened.layout])
    if stop.segment >= len(pays) or pays[stop.segment] != stop.pays:
        yield f"segment {stop.segment} of {opened.layout} does not pay {stop.pays} to one"


def outcome(_played: Played, ended: Record, _records: Sequence[Record]) -> dict[str, object]:
    """What the segment pays."""
    return {"pays": Stop.of_record(ended).pays}


def _end(values: Sequence[int]) -> str:
    return f"pays {values[0]}, segment {values[1]}"


_MACHINES: Mapping[int | None, str] = {WHEEL_SEGMENTS_52: "big52", WHEEL_SEGMENTS_54: "big54"}


_SEGMENTS = {
    name: tuple(map(str, range(len(printed(_LAYOUTS[layout])))))
    for name, layout in (("big52", "segments_52"), ("big54", "segments_54"))
}


class _Segment(msgspec.Struct):
    segment: int


def _stopped_at(result: Mapping[str, Any]) -> bytes:
    return bytes([msgspec.convert(result, _Segment).segment])


ROLE = Role(
    betting_phases=(PHASE_TURNING,),
    result="money_wheel_result",
    games=frozenset(("big_wheel", "money_wheel")),
    demands=demands,
    objections=objections,
    outcome=outcome,
    end=_end,
    listed=("pays", "segment"),
    listed_as=lambda row: f"pays {row['pays']} (segment {row['segment']})",
    wear=(
        Wear(
            "friction_ddegss",
            "0.1 degrees/s2",
            "slowing of a free run: rises as it wears; at 20 % more clean and oil the bearing",
        ),
        Wear("rest_ms", "ms", "at rest before the result"),
    ),
    # By segment, counted clockwise from the index: many pay the same.
    audited=Audited("segment", _SEGMENTS, _MACHINES.get, _stopped_at, str),
    messages={"money_wheel_result": Stop},
    layouts={
        "segments_52": ("wheel of 52, {}", "turn"),
        "segments_54": ("wheel of 54, {}", "turn"),
    },
    counts="revolution",
    measures={"flapper_lost": measured_in("of 4095")},
    is_count_required=True,
    live={"money_wheel_result": ("stop", ("pays", "segment", "revolutions_centi", "pushes"))},
    self_test=SelfTest("Turn the wheel slowly by hand for two whole turns.", 30_000),
)
