"""Thresholds of the host's dice reader, each with what it was measured on.

Trays: 22 photographs of the tuned half that the table's logic accepts, on the drawn trays of
`hil_tests/dice_trays.py`: 44 pictures, of which one turn accepts 31, none wrong.
"""

# reference.py: trays, where no other data is named.
FARTHEST_PX = 6  # a picture of a fixed camera may be shifted; more is another camera
SHIFT_SMOOTH_PX = 1.5  # sigma; 16 shifts of up to 2 px are found to 0.1 px with it
SHIFT_MOST = 20.0  # greys; a die counts no more than this, or it would decide the shift
NEIGHBOURS_PX = 3  # square whose greys are allowed; with 5 two pictures fewer are accepted
GAP_PX = 5  # between pieces of one die; with 3 and holes filled three fewer are accepted
LEAST_STEP = 10.0  # greys by which something differs; dice photographed differ by 18 and more
NOISES = 4.0  # and no less than this times the noise
LEAST_GAIN = 0.25  # brightness against the reference: with less the light is off; chosen
MOST_NOISE = 15.0  # greys: a picture of another scene; chosen
MOST_DIFFERS = 0.5  # of the picture: a picture of another scene; chosen
LEAST_PICTURES = 5  # of a rig: in fewer, two dice at one place stay in the median; reasoned

# rig.py, host_reading.py: 42 trays rendered by Mitsuba 3, 530 throws that are accepted.
SHADED = 1.3  # sides from a top's middle that its die or the shadow of it covers
MOST_BESIDE = 1.0  # sides squared of something else; 0.73 at most, an arm 10 and more, a strip of
# paper along a side that covers a die 3 and more
WIDE = 0.45  # sides from the middle of something to its edge, in one colour: a die has half a side
# and more; of 77 whole photographs that are read 73 have 0.43 at most, for coloured shadows

# reading_by_maps.py. Dice: 159 of 38 tuned photographs (which the network also learned from) and
# 280 of 90 hand-held ones (which it did not), each at three scales: 1,312 in all. Scenes: 20 to 50
# of each family of tableemulator.machines.dice_tray and of each kind of hil_tests/dice_foreign.py.
LEAST_CHANCE = 0.85  # of a face among the six; wrong ones have 0.61, 0.71 where no pips agree, and
# 0.78 in a whole photograph
NO_FACE = 0.5  # chance of no face; 38 of 40 stickers more, or a body below LEAST_BODY: with both
LEAST_BODY = 0.1  # in the surer look, 22 of 397 flat throws are lost, 2 of 675 photographed dice
CLEAR = 50.0  # Pips.share of a top without a body where outlines are measured; dice have 57.7
# and more
DIRT_BODY = 0.2  # that a die is there: dirt 0.15 at most in the surer look, dice 0.25 and more
FAINTEST_DIE = 0.3  # of the span of greys of the middle die; dirt 0.27 at most, dice 0.34
LEAST_SHARE = 10.0  # Pips.share; 26 of 6,560 wrong faces would find so much agreement
SURE = 0.95  # chance of a face that another reading contradicts, or that the first look alone
# or a colour shows; wrong ones had 0.75 and 0.78, and 0.73 and 0.92
CONTRADICTS = 25.0  # Pips.share of another face; 2 of 439 dice at their own scale
SIDES = 0.85, 1.2  # of the middle side of a picture's dice; chosen
ONE_MAKE = 0.7, 1.35  # of the middle side; tuned photographs 0.81 to 1.19, a card with pips 1.35
SIDE_WITHIN, FOOT_BELOW = 1.15, 0.12  # sides; flat dice that touch show 0.12 in 95 of 100 scenes
SIDE_SHOWN = 0.3  # sides of the outer die that the lens shows, by the other dice; chosen
SIDE_FROM, SIDE_INWARDS = 2.0, 0.9  # sides from the middle; cosine of the way outwards; chosen
SIDE_SMALLER = 0.94  # of the outer top; sides of dice 0.85 to 0.931, touching dice 0.95 and more
ON_EACH_OTHER = 0.9  # sides between the middles of two tops; flat dice that touch: 0.98 and more
IS_FOREIGN, LEAST_FOREIGN = 0.7, 12  # share of a cell, cells; coins 16, arms 129 and more, dice 9
MAY_BE, LEAST_IN_ALL = 0.2, 20.0  # share of a cell, sum of a piece: all of 43 sheets and 54 strips
# (42 and 49 without), 4 of 154 flat throws (2) and 7 of 19 with walls (5), no photograph of 81
IS_SOMETHING, LEAST_AT_EDGE = 0.7, 2  # share of a cell, cells; with 0.65 one photograph fewer
MAY_BE_CORNER, LEAST_CORNER = 0.2, 0.7  # share of a cell, sum of a piece
CORNER = 0.15  # spans of the greys of a die by which it stands out: 71 photographs have 0.10 where
# they are read, 8 of 10 cut dice that were missed 0.18 to 1
LONGEST_AT_EDGE = 1.5  # sides of the middle die; a wall or a rim is longer
BESIDE = 0.9  # sides from a top's middle from which on nothing is of its die at a picture's edge
IS_DIE, LEAST_CUT, LEAST_CUT_AT_EDGE = 0.3, 3, 2  # share, cells; tuned photographs show one cell
WHOLE_FROM_EDGE = 0.45  # sides from a whole top's middle to the edge; photographs 0.67 and more
REACH = 1.25  # sides from a top's middle that belong to its die, as seen from aside
# A lean by its look, and by that and LOOKS_OF_FOOT times how far its foot is beside the place of a
# flat die's, sides: 299 flat throws on 42 trays rendered by Mitsuba 3 (283 less), 416 of seven
# families and 46 photographs (395 and all less), 160 throws with a leaning die (134 more).
LEANS, LEANS_BY_BOTH, LOOKS_OF_FOOT = 0.55, 0.9, 3.0
LOWEST_LENS = 4.0  # sides of a die from it to the lens; reasoned
USUAL_LENS, USUAL_LENS_WEIGHT = 22.0, 8.0  # the same as dice near the middle have it, and how much
# that counts beside them, sides squared: 11 of 78 leaning dice pass (14 without), flat ones alike
DARKEST = 6  # greys of the brightest 8 x 8 px; as the tray's logic
SMALL_DIE = 14.0  # px: smaller ones are read finer. 84 flat throws of 5 to 15 px, 28 rigs by
# Mitsuba 3: 36 accepted, none wrong (46 and 3); with the tray known 50, none wrong (42 and 2)

# glare.py: hil_tests/dice_overhead.py
SATURATED = 250  # greys of a pixel at the end of the camera's range; chosen
SHINE = 20  # greys by which a body is darker: a lighter one saturates itself; chosen
LEAST_SHINE = 0.004  # sides squared; a pip has 0.02 to 0.03

# flatness.py, picture_edges.py: 122 flat and 34 leaning dice of 12 rigs rendered by Mitsuba 3;
# LEAST_SEEN 226 dice of ten others.
FLAT = -0.02  # score of the flat cube less that of a leaning one. Rays of seeds 500, 600:
# one of 67 flat dice has less (-0.024), of 24 that lean by 8 degrees none more (-0.027),
# of 16 by 6 degrees five; by Mitsuba 6 of 463 flat ones have less than -0.06
ON_FLOOR = 0.0  # score of the flat cube less that of one on top of another die: rays of seed
# 730000, 198 flat dice have 0.07 and more, 37 stacked ones -0.04 at most
LEAST_EDGES = 0.42  # of a flat cube that are seen; 1 flat in 50 has less, bare cloth 0.41 at most
LEAST_SEEN = 0.5  # of its edges, the rest hidden; 2 tops of one die 0.01 and 0.03, dice 0.56
LEAN_DEGREES = 11.0, 50.0  # of the cubes that a flat one is compared with; chosen
FARTHEST_PLACE = 0.5  # edges from where the first picture has the foot of a die
PLACE_COST = 0.3  # of a score, for a place that is an edge off, squared; with 1 as good
SIZE_OFF = 0.04  # of a die's edge; with 0.03 and other roundings as good
ROUNDING = 0.02, 0.12  # radius of a die's edges; with 0.2 more flat dice are refused
LEAST_GRADIENT, GRADIENT_SHARE, GRADIENT_NOISES = 0.5, 0.06, 1.5  # greys a px; of the steepest;
# of the middle one: with 2.5 twice as many flat dice are refused
LEAST_PIP, PIP_SHARE, PIP_FILLS = 6.0, 0.45, 0.55  # greys; of the clearest spot: with 0.3 edges
# of faint dice go with the pips; share of the rectangle around it

# second_camera.py: the same rigs; off by 0.05 to 0.3 px.
MOST_OFF_PX = 1.0  # mean of the corners; chosen
ELEVATION_DEGREES = 20.0, 65.0  # of the second camera; rigs have 28 to 55, more is reasoned
LEAST_EDGE_PX = 24  # of a die; rigs have 38 to 57, less is reasoned

# overhead/die_outline.py, overhead/flat_dice.py: hil_tests/dice_overhead.py.
LIGHT_SIDE, DARK_SIDE = (0.15, 0.5), (0.8, 2.0)  # least and most that a die's side has of the
# contrast of die and tray: of light dice in the shade 0.29 to 0.6, shadows of dark ones 0.6
MOST_OFF = 0.03  # edges by which a die's outline is beside that of a flat one: 953 dice of 102
# rigs (0 to 39, 500 to 559, 1000 to 1039) with lenses 14 to 28 edges high 0.015 at most; the rest
# is for what a drawn rig has not, such as the distortion of a lens
LEAST_SHADE = 0.05  # of the light beside a die that its shadow takes: beside faces on paper in 42
# rigs 0.028 at most, dice in light from above 0.02, aside 0.08 and more
LEAST_SIDE = 1.5 * MOST_OFF  # edges of a side: the outline of paper is as far beside a die's
LEAST_LENS_HEIGHT = 14  # edges of a die, of both cameras: the top of a die hides more of a lean
# below a lower one, 1 / height along a side

# one_throw.py: 71 plain photographs, four frames each with noise of sigma 3 to 8.
CHANGE_PX = 5  # side of a square in which a change counts; a pip of a small die is as wide
USUAL_NOISE = 4.0  # greys, of one frame against the mean
MOST_CHANGE = 5.0  # still frames at most 4.4; with one die pushed by 3 px 5.2 and more
