"""Why a picture of dice is not read by the host. Zero: it is."""

READ = 0
NO_DICE = 1
"""An empty tray."""
COUNT_WRONG = 2
"""Not as many dice as the table has."""
CUT_OFF = 3
"""Something of a die's size at the edge of the picture."""
FOREIGN = 4
"""Something else than dice is there: a hand, a chip, paper."""
UNREADABLE = 5
"""A thing of a die's size without a face that passes."""
AMBIGUOUS = 6
"""Two readings of one place, or dice that lie on each other."""
COCKED = 7
"""Too much of the sides is seen: the die leans."""
TOO_DARK = 8
"""No light on the table."""
GLARE = 9
"""A highlight on a die, which may hide a pip or look like one."""

NAMES = (
    "",
    "no_dice",
    "count_wrong",
    "cut_off",
    "foreign_object",
    "unreadable",
    "ambiguous",
    "cocked",
    "too_dark",
    "glare",
)
