"""Ball draws: the balls of the game, as many as it draws, each number once."""

from collections.abc import Iterator, Sequence

from tabletools.decode import draws
from tabletools.roles.demand import Demand, Played, Record, Role, layout_objection

# hc2023 5:2, hc2011 4:3: twenty of eighty. hc2023 5:1: 75, 80 or 90 balls until there is a bingo.
_KENO = (80, 20)


def _balls(played: Played) -> int:
    variant = played.variant or ""
    return _KENO[0] if played.game == "keno" else int(variant) if variant.isdecimal() else 0


def demands(played: Played) -> list[Demand]:
    """The balls in the machine, and how many are drawn."""
    balls, drawn = _balls(played), _KENO[1] if played.game == "keno" else 0
    what = played.game if played.game == "keno" else f"bingo {played.variant}"
    return [
        Demand("balls", balls, balls, f"{what} has {balls} balls"),
        Demand("draw_count", drawn, drawn, f"{what} draws {drawn or 'until a bingo'}"),
    ]


def objections(
    played: Played, opened: Record | None, ended: Record, records: Sequence[Record]
) -> Iterator[str]:
    """Balls inside and drawn, and a record for each of them."""
    numbers = draws.numbers(dict(ended))
    if len(numbers) != ended["drawn"] or max(numbers, default=0) > ended["balls"]:
        yield f"{len(numbers)} numbers up to {max(numbers, default=0)} are not {ended['drawn']}"
    if played.game is not None:
        yield from layout_objection(opened, "balls", played.game)
        if ended["balls"] != _balls(played):
            yield f"{ended['balls']} balls were in the machine, {_balls(played)} belong there"
        if played.game == "keno" and ended["drawn"] != _KENO[1]:
            yield f"{ended['drawn']} balls were drawn, keno draws {_KENO[1]}"
    try:
        draws.outcome(dict(record) for record in (*records, ended))
    except draws.DrawError as error:
        yield str(error)


ROLE = Role("draw_result", frozenset(("keno", "bingo")), demands, objections)
