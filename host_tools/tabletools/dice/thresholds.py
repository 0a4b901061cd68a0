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

# reading_by_maps.py: dice of the tuned half of the photographs (164), of hand-held ones that nothing
# was trained on (280) and of rendered scenes.
LEAST_CHANCE = 0.7  # of a face
LEAST_BODY = 0.5
LEAST_SHARE = 10.0  # Pips.share
CONTRADICTS = 25.0  # Pips.share
SIDES = 0.85, 1.2  # of the middle side of a picture's dice; chosen
ON_EACH_OTHER = 0.65  # sides between the middles of two tops; reasoned
IS_FOREIGN, LEAST_FOREIGN = 0.8, 12
BESIDE = 0.9
IS_DIE = 0.3
LEAST_CUT, LEAST_CUT_AT_EDGE = 3, 2
REACH = 1.25  # sides from a top's middle that belong to its die, as seen from aside
LEANS = 0.25
FOOT_BESIDE = 0.25
LOWEST_LENS = 4.0  # sides of a die between it and the lens, reasoned
DARKEST = 6
