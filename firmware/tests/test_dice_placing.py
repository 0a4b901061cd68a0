"""A top looked for in a body: a classifier by hand is surest at one place."""

import unittest

from tests.dice_pictures import HEIGHT, WIDTH, cloth, draw

from tablelogic.dice.candidates import stand
from tablelogic.dice.cell_grid import Cells
from tablelogic.dice.cloth import find_cloth
from tablelogic.dice.face import Face
from tablelogic.dice.picture import Picture
from tablelogic.dice.placement import placed
from tablelogic.dice.stepwise import finish


class SurestAt:
    """Sees a 4 in the size of 16 px: 80 right there, 6 less for each px away or in size."""

    def __init__(self, x, y, most=80):
        self.x, self.y, self.most = x, y, most
        self.looks = 0

    def steps(self, picture, face, first, looks):
        self.looks += looks
        away = (abs(face.x - 16 * self.x) + abs(face.y - 16 * self.y)) // 16
        score = self.most - 6 * (away + abs(face.side - 16))
        yield
        return [0, 0, 0, 0, looks * score, 0, 0]


def sure_die(x, y, margin=60):
    face = Face(16 * x, 16 * y, 1, 3)
    face.value, face.side, face.margin, face.pips = 5, 16, margin, [(0, 0)]
    return face


class PlacingTest(unittest.TestCase):
    def setUp(self):
        frame = cloth()
        draw(frame, 60, 40, 4, side=20)
        self.picture = Picture(bytes(frame), WIDTH, HEIGHT)
        self.cells = Cells(WIDTH, HEIGHT)
        finish(find_cloth(self.picture, self.cells))
        self.body = stand(self.picture, self.cells, (16 * 60, 16 * 40, 16 * 20))

    def placed(self, classifier, sure, bodies=None):
        put = [self.body] if bodies is None else bodies
        return finish(placed(self.picture, self.cells, classifier, put, sure))

    def test_a_top_beside_the_middle_is_found_to_a_pixel(self):
        (face,) = self.placed(SurestAt(63, 38), [sure_die(20, 20)])
        self.assertEqual((face.value, face.side), (4, 16))
        self.assertTrue(abs(face.x - 16 * 63) <= 16 and abs(face.y - 16 * 38) <= 16)
        self.assertTrue(68 <= face.margin <= 80)

    def test_a_top_that_would_reach_out_of_the_body_is_none(self):
        """Of 20 px and 16, and an eighth of 16: 4 px from the middle at most."""
        self.assertEqual(self.placed(SurestAt(72, 40), [sure_die(20, 20)]), [])

    def test_what_stays_in_doubt_is_none(self):
        """A margin of 35 at the best place; 36 is asked for."""
        self.assertEqual(self.placed(SurestAt(60, 40, 35), [sure_die(20, 20)]), [])
        self.assertEqual(len(self.placed(SurestAt(60, 40, 36), [sure_die(20, 20)])), 1)

    def test_without_a_sure_die_there_is_no_size_to_look_for(self):
        for others in ([], [sure_die(20, 20, margin=39)]):
            classifier = SurestAt(60, 40)
            self.assertEqual(self.placed(classifier, others), [])
            self.assertEqual(classifier.looks, 0)

    def test_a_body_read_already_or_of_another_size_is_left_alone(self):
        small = stand(self.picture, self.cells, (16 * 60, 16 * 40, 16 * 11))
        large = stand(self.picture, self.cells, (16 * 60, 16 * 40, 16 * 29))
        for sure, bodies in (
            ([sure_die(20, 20), sure_die(58, 41)], [self.body]),
            ([sure_die(20, 20)], [small, large]),
        ):
            classifier = SurestAt(60, 40)
            self.assertEqual(self.placed(classifier, sure, bodies), [])
            self.assertEqual(classifier.looks, 0)

    def test_two_outlines_of_one_body_are_one_face(self):
        again = stand(self.picture, self.cells, (16 * 61, 16 * 40, 16 * 19))
        faces = self.placed(SurestAt(60, 40), [sure_die(20, 20)], [self.body, again])
        self.assertEqual(len(faces), 1)


if __name__ == "__main__":
    unittest.main()
