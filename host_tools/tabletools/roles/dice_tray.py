"""Dice: as many as the game needs, thrown in time, together and against the far wall."""

from collections.abc import Iterator, Sequence

from tabletools.games import GAMES
from tabletools.roles.demand import (
    Demand,
    Played,
    Record,
    Role,
    layout_objection,
    requirement_objection,
)

DICE = {name: game.dice for name, game in GAMES.items() if game.dice is not None}
"""How many are thrown, by game."""
HOST, BOTH, DEVICE = "host", "both", "device"
POLICIES = (HOST, BOTH, DEVICE)
"""Who reads the dice of a result: the host in the table's picture, both, or the table alone."""
# hc2023 4:1(3). An earlier edition requires dice that are apart and flat, which the camera sees.
_HELD_MS = 5_000
_TOGETHER_MS = 1_000
_ALL_CONDITIONS = "hc2023"
_LEAST_FRAMES = 2
# A picture of 20 kB comes in 104 pieces while no dice are in play; the emulated table takes 17 s.
PICTURE_MS = 20_000
_FACES = tuple(f"die_{place}" for place in range(1, 7))
READ_BY_TABLE, READ_BY_HOST = 1, 2
"""Values of the key dice_reading."""


def demands(played: Played) -> list[Demand]:
    """The dice of the game; the ten conditions where the edition has them; pictures to be read."""
    dice = DICE[played.game or ""]
    found = [Demand("dice", dice, dice, f"{played.game} is played with {dice} dice")]
    if played.rules == _ALL_CONDITIONS:
        source = "hc2023 4:1(3)"
        found.append(Demand("throw_rules", 1, 1, source))
        found.append(Demand("throw_ms", 1_000, _HELD_MS, source))
    if played.dice_reading:
        source = f"dice_reading {played.dice_reading} by the terms of the table"
        reads = READ_BY_HOST if played.dice_reading == HOST else READ_BY_TABLE
        found.append(Demand("dice_reading", reads, reads, source))
    if played.dice_reading in (HOST, BOTH):
        source = f"dice_reading {played.dice_reading}: only pictures of 160 x 120 px are kept"
        found.append(Demand("frame_size", 1, 1, source))
        source = f"dice_reading {played.dice_reading}: the host fetches a picture between rounds"
        found.append(Demand("result_hold_ms", PICTURE_MS, 60_000, source))
    return found


def faces(ended: Record) -> list[int]:
    """The faces in a dice_result, from low to high; none where the table left them to the host."""
    return [ended[name] for name in _FACES if ended[name]]


def objections(
    played: Played, opened: Record | None, ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """Number and faces of the dice, and how they were thrown."""
    if played.game is None:
        dice = (opened or {}).get("requirement") or 0
    else:
        dice = DICE[played.game]
        yield from layout_objection(opened, "dice", played.game)
        if opened is not None and opened["requirement"] > dice:
            yield f"it opened for {opened['requirement']} dice, {played.game} has {dice}"
        yield from requirement_objection(opened, dice, f"{played.game} with {dice} dice")
    yield from _read(played.dice_reading, ended, dice)
    if ended["agreed"] < _LEAST_FRAMES:
        yield f"{ended['agreed']} frames read these faces, {_LEAST_FRAMES} have to agree"
    if played.rules == _ALL_CONDITIONS:
        yield from _thrown(ended, dice)


def _read(dice_reading: str, ended: Record, dice: int) -> Iterator[str]:
    shown = faces(ended)
    if dice_reading == HOST:
        if shown:
            yield f"the table read {len(shown)} dice, by the terms only the host reads them"
    elif not shown and dice_reading:
        yield f"the table left the dice to the host, by the terms dice_reading is {dice_reading}"
    elif (shown or dice_reading) and [ended[name] for name in _FACES[:dice]] != shown:
        yield f"{len(shown)} dice were read, {dice} are in play"


def _thrown(ended: Record, dice: int) -> Iterator[str]:
    held_ms, spread_ms = ended["held_ms"], ended["spread_ms"]
    if held_ms is None or held_ms > _HELD_MS:
        yield f"picked up to thrown: {_ms(held_ms)}, hc2023 4:1(3) allows {_HELD_MS} ms"
    if spread_ms is None or spread_ms > _TOGETHER_MS:
        yield f"first die to last: {_ms(spread_ms)}, thrown together is {_TOGETHER_MS} ms at most"
    if not ended["hits"]:
        yield f"no hit of the far wall, but each of {dice} dice has to touch it"


def _ms(value: int | None) -> str:
    return "unknown" if value is None else f"{value} ms"


ROLE = Role("dice_result", frozenset(DICE), demands, objections)
