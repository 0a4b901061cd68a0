"""Discs told from squares by their outlines: rays made by hand."""

import unittest

from tests.dice_pictures import HEIGHT, WIDTH, cloth, draw

from tablelogic.dice.face import Face
from tablelogic.dice.picture import WAYS, way_x, way_y
from tablelogic.dice.picture_reader import Reader
from tablelogic.dice.read_codes import FOREIGN, READ
from tablelogic.dice.roundness import is_round


def face(reach):
    die = Face(1600, 1600, 1, 3)
    die.strong, die.reach = True, reach
    return die


def square(corner=99):
    """Half px to the edge of a square 20 px wide, its corners cut by a disc of that radius."""
    straight = [20 * 64 // max(abs(way_x(k)), abs(way_y(k))) for k in range(WAYS)]
    return [min(ray, corner) for ray in straight]


class RoundnessTest(unittest.TestCase):
    def test_a_disc_is_round(self):
        self.assertTrue(is_round(face([20] * 31 + [21])))

    def test_rays_that_all_end_where_they_began_show_nothing(self):
        self.assertFalse(is_round(face([20] * WAYS)))

    def test_a_disc_measured_by_half_pixels_is_round(self):
        self.assertTrue(is_round(face([20 + (k * 7 % 5 == 0) for k in range(WAYS)])))

    def test_a_square_is_none_however_round_its_corners(self):
        """Up to a ball of 1.2 times the side through the corners: a barrel of a die."""
        self.assertFalse(is_round(face(square())))
        self.assertFalse(is_round(face(square(24))))

    def test_sides_beside_the_top_are_no_disc(self):
        """An oval, a quarter longer one way."""
        self.assertFalse(is_round(face([20 + 5 * abs(way_x(k)) // 64 for k in range(WAYS)])))

    def test_what_runs_into_a_neighbour_or_is_weak_shows_nothing(self):
        self.assertFalse(is_round(face([20] * 30 + [60, 60])))
        weak = face([20] * 31 + [21])
        weak.strong = False
        self.assertFalse(is_round(weak))

    def test_a_token_with_the_pips_of_a_die_is_a_foreign_object(self):
        for disc, reason in ((False, READ), (True, FOREIGN)):
            frame = draw(cloth(), 26, 30, 4)
            draw(frame, 66, 40, 5, disc=disc)
            self.assertEqual(Reader(WIDTH, HEIGHT).read(bytes(frame)), (reason, [4, 5]))


if __name__ == "__main__":
    unittest.main()
