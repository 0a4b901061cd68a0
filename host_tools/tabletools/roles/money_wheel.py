"""Money wheel: four revolutions, and a segment that pays what is printed there."""

from collections.abc import Iterator, Sequence

from tablelogic.money_wheel.segments import layout as printed
from tabletools.roles.demand import Demand, Played, Record, Role, requirement_objection

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


def objections(
    played: Played, opened: Record | None, ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """Revolutions, a direction, and a segment with its printed odds."""
    least = REVOLUTIONS
    if played.game is None:
        least = (opened or {}).get("requirement") or 0
    else:
        yield from requirement_objection(opened, least, played.rules)
    if ended["revolutions_centi"] < least * 100:
        turned = ended["revolutions_centi"] / 100
        yield f"the wheel made {turned:.2f} revolutions, at least {least} are required"
    if ended["wheel_direction"] is None:
        yield "the direction of the wheel is unknown"
    if opened is None:
        return
    if opened["layout"] not in _LAYOUTS:
        yield f"it opened with layout {opened['layout']}, which is not a money wheel"
        return
    pays = printed(_LAYOUTS[opened["layout"]])
    place = ended["segment"]
    if place >= len(pays) or pays[place] != ended["pays"]:
        yield f"segment {place} of {opened['layout']} does not pay {ended['pays']} to one"


ROLE = Role("money_wheel_result", frozenset(("big_wheel", "money_wheel")), demands, objections)
