"""Pips that agree from die to die, by hand."""

import unittest

from tablelogic.dice.face import Face
from tablelogic.dice.proportion import like, mended, skew, sure


def die(x, value, pitch, pip, side=16):
    """A face at x px along, its pips so far apart and so large (sixteenths)."""
    face = Face(16 * x, 1600, 1, 3)
    face.value, face.pitch, face.pip, face.side, face.margin = value, pitch, pip, side, 60
    face.pips = [(face.x, face.y)]
    face.u, face.v = (pitch, 0), (0, pitch)
    return face


class Proportion(unittest.TestCase):
    def test_a_measure_is_a_sure_die_of_three_pips_or_more(self):
        doubtful, faulty = die(50, 5, 60, 24), die(80, 5, 60, 24)
        doubtful.margin, faulty.faults = 30, 1
        five = die(20, 5, 60, 24)
        self.assertEqual(sure([five, doubtful, faulty, die(120, 2, 60, 24)]), [five])

    def test_pips_of_one_size_and_spacing(self):
        """A tenth in spacing and a sixth in size are allowed."""
        five = die(20, 5, 60, 24)
        self.assertIs(like(die(80, 2, 55, 22), [five]), five)
        self.assertIsNone(like(die(80, 2, 50, 24), [five]))
        self.assertIsNone(like(die(80, 2, 60, 19), [five]))

    def test_a_die_is_not_measured_by_itself(self):
        five = die(20, 5, 60, 24)
        self.assertIsNone(like(five, [five]))
        self.assertIsNone(like(die(24, 2, 60, 24), [five]))

    def test_an_outline_too_small_for_its_pips_is_mended(self):
        """Eleven px where dice of that spacing have sixteen; thirteen may be."""
        five, lost, right = die(20, 5, 60, 24), die(80, 2, 60, 24, 11), die(80, 2, 60, 24, 13)
        self.assertTrue(mended(lost, [five]))
        self.assertEqual(lost.side, 16)
        self.assertFalse(mended(right, [five]))

    def test_how_far_pips_are_from_a_square(self):
        """(3600 - 3136) / 6736; and rows of a 6 aslant by a twentieth, at three quarters."""
        face = die(20, 4, 60, 24)
        self.assertEqual(skew(face), 0)
        face.v = (0, 56)
        self.assertEqual(skew(face), 68)
        six = die(20, 6, 60, 24)
        six.v = (2, 40)
        self.assertEqual(skew(six), 750 * 120 // 2403)


if __name__ == "__main__":
    unittest.main()
