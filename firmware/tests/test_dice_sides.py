"""Dice that lean, told from flat ones seen from aside: outlines made by hand."""

import unittest

from tablelogic.dice.face import Face
from tablelogic.dice.leaning import any_leans
from tablelogic.dice.picture import WAYS, way_x, way_y
from tablelogic.dice.stepwise import finish

SIZE = (320, 240)  # diagonal 400 px
SIDE = 20  # px


def die(x, y, right=0, left=0):
    """A strong face at (x, y) px whose outline reaches so many px further than its top."""
    face = Face(16 * x, 16 * y, 1, 3)
    face.value, face.strong, face.side = 5, True, SIDE
    face.pips = [(face.x, face.y)]
    face.rays = face.reach = [ray(k, right, left) for k in range(WAYS)]
    return face


def ray(k, right, left):
    """Half px to the edge of a box around the middle, in direction k."""
    across, down = way_x(k), abs(way_y(k))
    ends = []
    if across:
        ends.append((SIDE + 2 * (right if across > 0 else left)) * 64 // abs(across))
    if down:
        ends.append(SIDE * 64 // down)
    return min(ends)


def leans(*dice):
    return finish(any_leans(list(dice), SIZE))


class SidesTest(unittest.TestCase):
    def test_a_flat_die_in_the_middle_shows_its_top_alone(self):
        self.assertFalse(leans(die(160, 120)))

    def test_sides_seen_in_the_middle_of_the_picture_are_a_lean(self):
        """Seven px of a side of 20 are what a lean of 20 degrees shows."""
        self.assertTrue(leans(die(160, 120, right=7)))

    def test_sides_that_face_the_middle_are_what_a_lens_shows(self):
        """Left and right in the picture, 110 px from the middle."""
        self.assertFalse(leans(die(50, 120, right=7), die(270, 120, left=7)))

    def test_sides_that_face_outward_are_a_lean(self):
        self.assertTrue(leans(die(50, 120, left=7)))
        self.assertTrue(leans(die(50, 120, left=7), die(270, 120, left=7)))

    def test_one_die_that_shows_more_than_the_others_leans(self):
        """Two show nothing so far out: the lens is a long one."""
        self.assertTrue(leans(die(50, 120, right=8), die(270, 120), die(270, 60)))

    def test_pips_out_of_square_are_a_lean(self):
        """52 of 60 across is the cosine of 30 degrees; 58 of 60, of 15, may be blur."""
        dice = [die(100, 120), die(220, 120)]
        for one in dice:
            one.pitch, one.u, one.v = 60, (60, 0), (0, 58)
        self.assertFalse(leans(*dice))
        dice[0].v = (0, 52)
        self.assertTrue(leans(*dice))

    def test_a_neighbour_hides_how_far_a_die_reaches(self):
        """Rays that run into the die beside it do not count."""
        self.assertFalse(leans(die(150, 120, right=7), die(172, 120)))


if __name__ == "__main__":
    unittest.main()
