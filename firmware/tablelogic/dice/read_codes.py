"""Why a picture of dice is not read. Zero: it is."""

from tablewire.compat import const

READ = const(0)
NO_DICE = const(1)  # an empty tray
COUNT_WRONG = const(2)  # not as many dice as the table has
CUT_OFF = const(3)  # something of a die's size at the edge of the picture
FOREIGN = const(4)  # something reaches far into the picture: a hand
UNREADABLE = const(5)  # a thing of a die's size without a face that passes
AMBIGUOUS = const(6)  # two readings of one place, or dice that lie on each other
COCKED = const(7)  # too much of the sides is seen: the die leans
TOO_DARK = const(8)  # no light on the table

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
)
