"""Thresholds of the host's dice reader, each with what it was measured on.

Trays: 22 photographs of the tuned half that the table's logic accepts, on the drawn trays of
`hil_tests/dice_trays.py`: 44 pictures, of which one turn accepts 31, none wrong.
"""

# network_reading.py: dice of one session of photographs, by a network trained on the other alone
# (384 and 921 dice). One pip or two may be part of another face, so 1, 2 and 3 want more.
LEAST_MARGIN = (0.0, 2.5, 2.0, 1.5, 1.5, 1.5, 1.5)  # of the network by value, natural logarithm
LEAST_SHARE = (0.0, 15.0, 20.0, 15.0, 4.0, 4.0, 4.0)  # percent of Pips.share; a wrong 2 had 12
LATTICE_SIDE = 0.9  # of the side that the network gives, which is somewhat larger than the top

# network_reading.py, four_turns.py: with a second reading of 296 right dice the lattice clearly
# contradicts one.
CONTRADICTS = 25.0  # percent of Pips.share; another face this clear refuses the picture

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

# reading_by_maps.py: of 673 dice in the tuned half of the photographs both maps read 482 so
# surely, none wrong; of 136 rendered scenes none of those that can be read is read wrong.
LEAST_CHANCE = 0.6  # of the network of places; with 0.5 15 more are read, none of them wrong
LEAST_PIP_SHARE = 45.0  # Pips.share of the network of pips; with 30 four of the 673 are wrong
SIDES = 0.85, 1.2  # of the middle side of a picture's dice; chosen
ON_EACH_OTHER = 0.75  # sides between the middles of two tops; reasoned
IS_FOREIGN, IS_DIE = 0.8, 0.5  # share of a cell; arms show 260 foreign cells and more, trays 12
MOST_CELLS = 4  # 4 x 4 px each; of 14 pictures of a tray one shows more on its walls
REACH = 1.25  # sides from a top's middle that belong to its die, as seen from aside
