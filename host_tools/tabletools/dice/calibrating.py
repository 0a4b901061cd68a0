"""Where a tray's camera sees wall, mark and dice line: found in one picture of the empty tray.

The far wall stands along the top of the picture, darker or lighter than the cloth, with a mark of
another grey on it. The dice line is a stripe across the whole picture, on the cloth or laid there
for the picture. Rows and columns are those of 160 x 120 px, as the configuration has them.
"""

from collections.abc import Sequence

from tablelogic.dice_tray.landmarks import Landmarks
from tabletools.dice.pictures import Frame
from tabletools.dice.reasons import NAMES, NO_DICE
from tabletools.dice.trying import dice
from tabletools.errors import ToolError

SIZES = ((160, 120), (320, 240))
_STEP = 12  # greys over two pixels: less is no edge
_HIGHEST_WALL, _LOWEST_WALL = 2, 40
_LOWEST_LINE = 56
_WIDEST_LINE = 10  # px of 160 x 120
_LEAST_MARK = 12
_KEYS = ("wall_row", "mark_column", "line_row")


def calibrated(where: str, frame: Frame) -> dict[str, int]:
    """Return wall_row, mark_column and line_row, checked. Raises ToolError. where: its source."""
    size = (frame.width, frame.height)
    if size not in SIZES:
        raise _refusal(
            where,
            f"is {size[0]} x {size[1]} px",
            "give a frame of the tray's camera",
            "160 x 120 or 320 x 240",
        )
    scale = frame.width // 160
    rows = [
        sum(frame.grey[y * frame.width : (y + 1) * frame.width]) // frame.width
        for y in range(frame.height)
    ]
    wall = _first_edge(rows, _HIGHEST_WALL * scale, _LOWEST_WALL * scale)
    if wall is None:
        raise _refusal(
            where,
            "shows no far wall along its top",
            "turn the camera until the wall is along the top of the picture",
            f"rows {_HIGHEST_WALL} to {_LOWEST_WALL}, {_STEP} greys",
        )
    above = range(max(wall - 2, 1))
    columns = [
        sum(frame.grey[y * frame.width + x] for y in above) // len(above)
        for x in range(frame.width)
    ]
    mark = _first_edge(columns, _LEAST_MARK * scale, frame.width - _LEAST_MARK * scale)
    if mark is None:
        raise _refusal(
            where,
            "shows no mark on the far wall",
            "fix a patch of another grey to the wall, 15 px and more wide",
            f"a step of {_STEP} greys",
        )
    line = _far_side(rows, wall + 6 * scale, _LOWEST_LINE * scale, _WIDEST_LINE * scale)
    if line is None:
        raise _refusal(
            where,
            "shows no dice line across the cloth",
            "put a strip of paper on the line and take the picture again",
            f"a stripe down to row {_LOWEST_LINE}",
        )
    rows_and_column = (wall // scale, mark // scale, -(-line // scale))
    keys = dict(zip(_KEYS, rows_and_column, strict=True))
    _verify(where, frame, keys)
    return keys


def _first_edge(levels: Sequence[int], first: int, last: int) -> int | None:
    """Return where the first step of grey is, the later of two alike, as Landmarks does."""
    steps = [abs(after - before) for before, after in zip(levels, levels[2:], strict=False)]
    for k in range(max(first, 1), min(last, len(steps))):
        if steps[k - 1] >= _STEP:
            while k < len(steps) and steps[k] >= steps[k - 1]:
                k += 1
            return k
    return None


def _far_side(rows: Sequence[int], first: int, last: int, widest: int) -> int | None:
    """Return the first row of cloth behind a stripe that is no wider than that."""
    start = _first_edge(rows, first, last)
    if start is None:
        return None
    cloth = rows[start - 3]
    off = [abs(grey - cloth) for grey in rows[start : start + widest]]
    behind = off.index(max(off))
    while behind < len(off) and 4 * off[behind] > max(off):
        behind += 1
    return start + behind if behind < len(off) else None


def _verify(where: str, frame: Frame, keys: dict[str, int]) -> None:
    """Hold what was found against the device's own eye."""
    scale = frame.width // 160
    marks = Landmarks(frame.width)
    wall, mark = keys["wall_row"] * scale, keys["mark_column"] * scale
    shift = marks.shift(frame.grey, wall, mark)
    if shift >= 2 * scale:
        raise _refusal(
            where,
            f"shows wall or mark {shift} px off what was found",
            "light the wall evenly, remove what is in front of it",
            f"{2 * scale - 1} px",
        )
    reason = dice(frame, keys["line_row"]).reason
    if reason != NAMES[NO_DICE]:
        raise _refusal(
            where,
            f"does not show an empty tray: {reason or 'dice'}",
            "clear the tray beyond the dice line, take the picture again",
            "no_dice",
        )


def _refusal(where: str, what: str, step: str, limit: str) -> ToolError:
    return ToolError(f"the picture {what}", where=where, limit=limit, step=step)
