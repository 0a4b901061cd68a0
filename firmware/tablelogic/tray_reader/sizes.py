"""Numbers that the loops over pixels share with those who call them."""

from tablewire.compat import const

COLUMNS = const(160)  # cells of a tray
ROWS = const(120)
MOST = const(1200)  # runs of a frame
FACTS = const(4)  # numbers of a run: row, first cell, cell after the last, kind
TOP = const(1)
OTHER = const(2)
SHADE = const(45)  # percent of the empty tray's grey: the darkest shadow
LIGHT = const(24)  # greys by which light may brighten the tray
WAYS = const(16)  # directions of an outline
FALL = const(16)  # places of an outline's numbers, after its reach in each direction
STEPS = const(17)
GRID = const(24)  # samples along an edge of a top
# Rows in which the reach of a side is measured, percent of it from its middle: beside its pips,
# which are in its middle and a quarter of it to each side, a tenth of it in radius.
ROW_PERCENTS = (-39, -13, -11, 11, 13, 39)
COUNT = len(ROW_PERCENTS)
FAR = const(-1 << 20)
