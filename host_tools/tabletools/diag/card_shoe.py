"""Length and thickness of a card at the gate of a shoe, from cards that were pulled."""

from dataclasses import dataclass

from tabletools.errors import ToolError
from tablewire.card_shoe import CARD_RATIO, SHEET_CARD_RAW, SHEET_LIMIT_RAW

_RATIO_SPREAD_MOST = 70  # permille: cards pulled evenly
_SHEET_STEP_LEAST = 200  # of 4095, from the thickest card to the thinnest two


@dataclass(frozen=True)
class Pulled:
    """What a shoe measured of pulls. spread: of their ratio, permille; thin, thick: the range of
    what the sheet sensor read of them.
    """

    ratio: int
    spread: int
    thin: int
    thick: int


def pulls(single: Pulled, double: Pulled) -> dict[int, int]:
    """Return length and thickness of one card, and the limit half way to two.

    Raises ToolError when pulls were uneven, or one card and two look alike.
    """
    if single.spread > _RATIO_SPREAD_MOST:
        raise ToolError(
            f"the lengths of the cards spread by {single.spread / 10} %",
            limit=f"{_RATIO_SPREAD_MOST / 10} %",
            cause="pauses, or gates of two kinds",
            step="pull each in one go",
        )
    if double.thin - single.thick < _SHEET_STEP_LEAST:
        raise ToolError(
            f"one card reads up to {single.thick}, two from {double.thin}",
            limit=f"{_SHEET_STEP_LEAST} between them",
            cause="the sheet sensor is not adjusted",
            step="adjust it by its manual, then measure again",
        )
    return {
        CARD_RATIO: single.ratio,
        SHEET_LIMIT_RAW: (single.thick + double.thin) // 2,
        SHEET_CARD_RAW: (single.thin + single.thick) // 2,
    }
