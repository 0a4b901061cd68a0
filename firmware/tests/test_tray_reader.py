"""The reader of a commissioned tray, on pictures drawn by hand."""

import unittest
from array import array

from tests.tray_pictures import (
    BODY,
    DARK_BODY,
    DARK_PIP,
    DARK_TRAY,
    FACES,
    FOUR,
    ONE,
    PIP,
    SIDE,
    TRAY,
    TURNS,
    TWO,
    blur,
    box,
    draw,
    empty_tray,
    rig_file,
)

from tablelogic.tray_reader.forms import runs
from tablelogic.tray_reader.lean import Lean
from tablelogic.tray_reader.outline import Outline
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.regions import Regions
from tablelogic.tray_reader.rig import Rig, RigError
from tablelogic.tray_reader.sizes import COLUMNS, FACTS, MOST, OTHER, ROWS, TOP
from tablelogic.tray_reader.square import Square
from tablelogic.tray_reader.stepwise import finish
from tablewire import dice_tray as w


def reading(picture, dice, **rig):
    """(reading, values) of a picture by a new reader."""
    reader = Reader(Rig(rig_file(**rig)))
    reason = finish(reader.steps(picture, dice))
    return reason, list(reader.values)


class TheFileOfARig(unittest.TestCase):
    def test_facts_come_back(self):
        rig = Rig(rig_file(height=321, one_area=40))
        self.assertEqual((rig.scale, rig.side, rig.height, rig.one_area), (1, 16 * SIDE, 321, 40))
        self.assertEqual((rig.body, rig.pip, rig.is_light()), (BODY, PIP, True))
        self.assertEqual((rig.spans[0], rig.spans[1], rig.empty[5]), (4, 156, TRAY))

    def test_damage_is_refused(self):
        data = rig_file()
        for damaged, what in (
            (b"", "length"),
            (data[:-1], "length"),
            (data + b"\0", "length"),
            (data[:700] + bytes([data[700] ^ 1]) + data[701:], "sum"),
            (rig_file(version=2), "version"),  # measured along other rows
            (rig_file(scale=3), "values"),
            (rig_file(side=0), "values"),
            (rig_file(height=16), "values"),
            (rig_file(floor=bytes((4, 161)) * ROWS), "values"),
        ):
            with self.assertRaises(RigError) as caught:
                Rig(damaged)
            self.assertEqual(caught.exception.args[0], what)

    def test_the_rim_of_the_floor(self):
        rig = Rig(rig_file())
        self.assertTrue(rig.is_inside(1, 5, 155))
        for row, first, end in ((0, 9, 10), (ROWS - 1, 9, 10), (9, 4, 10), (9, 100, 156)):
            self.assertFalse(rig.is_inside(row, first, end))


class RunsAndRegions(unittest.TestCase):
    def runs_of(self, picture):
        rig = Rig(rig_file())
        regions = Regions(MOST)
        facts = array("i", (1, COLUMNS, ROWS, BODY, 1))
        regions.join(runs(picture, rig.empty, (rig.spans, regions.runs), facts))
        return regions

    def test_runs_of_two_kinds(self):
        picture = empty_tray()
        box(picture, 10, 5, 20, 6, BODY)
        box(picture, 20, 5, 22, 6, 130)  # lighter than light, darker than half way to a top
        box(picture, 30, 5, 33, 6, 30)  # darker than a shadow
        box(picture, 40, 5, 43, 6, 50)  # a shadow
        box(picture, 0, 7, 4, 8, BODY)  # beside the floor
        regions = self.runs_of(picture)
        self.assertEqual(
            list(regions.runs[: FACTS * regions.count]),
            [5, 10, 20, TOP, 5, 20, 22, OTHER, 5, 30, 33, OTHER],
        )
        self.assertEqual(regions.area, [12, 3])

    def test_a_ring_is_one_region_and_corners_touch(self):
        picture = empty_tray()
        box(picture, 10, 10, 20, 20, BODY)
        box(picture, 12, 10, 18, 18, TRAY)  # a cup, open above
        box(picture, 20, 20, 22, 22, BODY)
        box(picture, 40, 10, 41, 11, BODY)
        regions = self.runs_of(picture)
        self.assertEqual(sorted(regions.area), [1, 100 - 48 + 4])
        cup = regions.area.index(56)
        box_of = (regions.left[cup], regions.top[cup], regions.right[cup], regions.bottom[cup])
        self.assertEqual(box_of, (10, 10, 22, 22))

    def test_too_many_runs(self):
        picture = empty_tray()
        for row in range(0, ROWS, 2):
            for column in range(4, 156, 4):
                picture[row * COLUMNS + column] = BODY
        rig = Rig(rig_file())
        out = bytearray(FACTS * MOST)
        facts = array("i", (1, COLUMNS, ROWS, BODY, 1))
        self.assertEqual(runs(picture, rig.empty, (rig.spans, out), facts), MOST + 1)


class OutlineAndSquare(unittest.TestCase):
    def square(self, picture, **rig):
        rig = Rig(rig_file(**rig))
        regions = Regions(MOST)
        facts = array("i", (1, COLUMNS, ROWS, BODY, 1))
        regions.join(runs(picture, rig.empty, (rig.spans, regions.runs), facts))
        outline = Outline(rig)
        return Square(rig, finish(outline.steps(picture, regions, 0, False))), outline

    def test_the_reach_of_a_box(self):
        picture = empty_tray()
        box(picture, 40, 30, 40 + SIDE, 30 + SIDE, BODY)
        square, outline = self.square(picture)
        # An edge between two pixels is at the first one of the next, in sixteenths.
        right, down, left, up = (outline.reach[k] for k in (0, 4, 8, 12))
        self.assertEqual((right, down, left, up), (16 * 64, 16 * 54, -16 * 40, -16 * 30))
        self.assertEqual((square.x, square.y, square.turn), (16 * 52, 16 * 42, 0))
        self.assertTrue(square.is_die())

    def test_a_turned_die(self):
        for turn, expected in zip(TURNS, (0, 13, 8, 16)):  # 128ths: 36.87, 22.62, 45 degrees
            picture = empty_tray()
            draw(picture, 80, 60, FOUR, turn)
            square, _ = self.square(picture)
            self.assertTrue(square.is_die())
            self.assertTrue(abs(square.turn - expected) <= 1)
            self.assertTrue(abs(square.x - 16 * 80) <= 6 and abs(square.y - 16 * 60) <= 6)

    def test_other_sizes_and_shapes_are_no_die(self):
        for wide, high in ((SIDE + 5, SIDE + 5), (SIDE - 5, SIDE - 5), (SIDE, SIDE + 6)):
            picture = empty_tray()
            box(picture, 40, 30, 40 + wide, 30 + high, BODY)
            square, _ = self.square(picture)
            self.assertFalse(square.is_die())

    def test_a_near_lens_shows_the_side_that_faces_it(self):
        """A foot nearer to the middle may show, its grey that of a top; one away from it not."""
        for first, is_die in ((113, True), (104, False)):
            picture = empty_tray()
            # Its top is 120 to 144, 40 to 64 from the point below the lens. The lens is five edges
            # above the floor: the foot is four fifths as far from there, 112 to 131.
            box(picture, 120, 48, 144, 72, BODY)
            box(picture, first, 50, 144, 70, BODY)
            square, _ = self.square(picture, height=80)
            self.assertEqual(square.is_die(), is_die, first)


class LeanBySides(unittest.TestCase):
    """What the sides of a die say of its lean, below a lens 20 edges high."""

    HEIGHT = 20

    def doubtful(self, x, sides, height=HEIGHT, grey=140, passes=0, **rises):
        """Whether a die may lean that has its middle there, in a row with the lens.

        sides: pixels of a side to its left and to its right.
        """
        rig = Rig(rig_file(height=16 * height, **rises))
        picture = empty_tray()
        left, right = sides
        first = x - SIDE // 2
        box(picture, first - left, 48, first + SIDE + right, 72, grey)
        draw(picture, x, 60, FOUR)
        blur(picture, passes)
        lean = Lean(rig)
        finish(lean.steps(picture, 16 * x, 16 * 60, 0, BODY))
        return lean.is_doubtful()

    def test_a_side_that_shows_where_a_flat_die_hides_it(self):
        """Below the lens a top hides its foot. 5 degrees move that by two pixels and hide a half
        of them below the top's edge."""
        self.assertFalse(self.doubtful(80, (0, 0)))
        self.assertTrue(self.doubtful(80, (2, 0)))
        self.assertTrue(self.doubtful(80, (0, 2)))

    def test_a_side_of_a_flat_die(self):
        """Two edges beside the lens a foot is 2.4 px nearer to it, and 0.6 px less wide."""
        self.assertFalse(self.doubtful(128, (2, 0)))
        self.assertTrue(self.doubtful(128, (0, 0)))
        self.assertTrue(self.doubtful(128, (4, 0)))
        self.assertTrue(self.doubtful(128, (2, 2)))

    def test_a_lean_that_the_top_may_hide(self):
        """Half an edge beside a lens ten edges high no side shows, and none would if the foot were
        a tenth of an edge farther out."""
        self.assertFalse(self.doubtful(91, (0, 0)))
        self.assertTrue(self.doubtful(91, (0, 0), height=10))

    def test_no_blur_changes_what_a_side_shows(self):
        """A sum of rises is the same, where an edge half way up is elsewhere: flat and leaning."""
        for sides, leans in (((0, 0), False), ((2, 0), True), ((0, 2), True)):
            for passes in (0, 1, 2):
                self.assertEqual(self.doubtful(80, sides, passes=passes), leans)

    def test_sides_in_the_shade_count_more(self):
        """A side of half the rise has to be twice as wide for the same sum."""
        reach = {"left": 15, "right": 60}
        self.assertFalse(self.doubtful(128, (2, 0), grey=111, **reach))
        self.assertTrue(self.doubtful(128, (2, 0), grey=174, **reach))

    def test_a_shadow_is_no_side(self):
        self.assertFalse(self.doubtful(80, (3, 0), grey=TRAY * 2 // 3))


class FacesOfDice(unittest.TestCase):
    def test_every_face_at_every_turn(self):
        for turn in TURNS:
            picture = empty_tray()
            for k in range(6):
                draw(picture, 30 + 45 * (k % 3), 35 + 45 * (k // 3), FACES[k], turn)
            self.assertEqual(reading(picture, 6), (w.READING_READ, [1, 2, 3, 4, 5, 6]))

    def test_dark_dice(self):
        picture = empty_tray(DARK_TRAY)
        for k in range(6):
            place = (30 + 45 * (k % 3), 35 + 45 * (k // 3))
            draw(picture, *place, FACES[k], TURNS[1], DARK_BODY, DARK_PIP)
        self.assertEqual(reading(picture, 6, is_dark=True), (w.READING_READ, [1, 2, 3, 4, 5, 6]))

    def test_no_face(self):
        """Pips beside the lattice, missing, worn, and a blank."""
        for pips in (
            (),
            ((-1, -1), (1, -1)),
            ((0, 0), (0, 1)),
            FOUR + ((0, -1),),
            FACES[5] + ((0, 0),),
            ((0.5, 0.5),),
            FOUR + ((0.55, 0.1),),
        ):
            picture = empty_tray()
            draw(picture, 80, 60, pips)
            self.assertEqual(reading(picture, 1), (w.READING_UNREADABLE, []), pips)
        picture = empty_tray()
        draw(picture, 80, 60, FACES[4], pip=150)
        self.assertEqual(reading(picture, 1), (w.READING_UNREADABLE, []))

    def test_pips_that_touch(self):
        """Joined by lines of their grey, as by a blur: each place has its own."""
        picture = empty_tray()
        draw(picture, 80, 60, FACES[5])
        for column in (74, 86):
            box(picture, column, 54, column + 1, 67, PIP)
        self.assertEqual(reading(picture, 1), (w.READING_READ, [6]))

    def test_a_spot_between_pips(self):
        """In the middle of a 2, of a pip's grey and half its area: no 3."""
        picture = empty_tray()
        draw(picture, 80, 60, TWO)
        box(picture, 79, 59, 82, 62, PIP)
        self.assertEqual(reading(picture, 1), (w.READING_UNREADABLE, []))

    def test_glare(self):
        """Over a pip, and beside one, on light dice and dark."""
        for column in (74, 80):
            picture = empty_tray()
            draw(picture, 80, 60, FACES[4])
            box(picture, column - 1, 53, column + 2, 56, 255)
            self.assertEqual(reading(picture, 1), (w.READING_GLARE, []))
        picture = empty_tray(DARK_TRAY)
        draw(picture, 80, 60, ONE, TURNS[0], DARK_BODY, DARK_PIP)
        box(picture, 73, 53, 76, 56, 255)
        self.assertEqual(reading(picture, 1, is_dark=True), (w.READING_GLARE, []))

    def test_another_set_of_dice(self):
        picture = empty_tray()
        draw(picture, 80, 60, TWO, body=170, pip=60)
        reason, values = reading(picture, 1, pip=120)
        self.assertEqual((reason, values), (w.READING_FOREIGN_OBJECT, []))


class WholeFrames(unittest.TestCase):
    def two(self):
        picture = empty_tray()
        draw(picture, 40, 60, TWO, TURNS[1])
        draw(picture, 110, 70, FACES[4], TURNS[2])
        return picture

    def test_two_dice(self):
        self.assertEqual(reading(self.two(), 2), (w.READING_READ, [2, 5]))

    def test_the_highest_row(self):
        reader = Reader(Rig(rig_file()))
        picture = empty_tray()
        finish(reader.steps(picture, 2))
        self.assertEqual(reader.first_row, ROWS)
        draw(picture, 52, 43, ONE)  # from row 31 on
        draw(picture, 110, 70, ONE)
        finish(reader.steps(picture, 2))
        self.assertEqual((reader.first_row, reader.values), (31, [1, 1]))

    def test_the_count_decides(self):
        self.assertEqual(reading(self.two(), 3), (w.READING_COUNT_WRONG, [2, 5]))
        self.assertEqual(reading(self.two(), 1)[0], w.READING_COUNT_WRONG)
        self.assertEqual(reading(self.two(), 0), (w.READING_READ, [2, 5]))
        for dice in (0, 2):
            self.assertEqual(reading(empty_tray(), dice), (w.READING_NO_DICE, []))

    def test_shadows_and_some_light_do_not_matter(self):
        picture = empty_tray()
        box(picture, 40, 58, 70, 90, TRAY * 60 // 100)
        box(picture, 90, 20, 150, 40, TRAY + 15)
        draw(picture, 40, 60, TWO)
        draw(picture, 110, 70, FACES[4])
        self.assertEqual(reading(picture, 2), (w.READING_READ, [2, 5]))

    def test_dust_does_not_matter(self):
        picture = self.two()
        box(picture, 20, 20, 23, 23, BODY)
        self.assertEqual(reading(picture, 2)[0], w.READING_READ)

    def test_dice_that_touch(self):
        picture = empty_tray()
        draw(picture, 60, 60, TWO)
        draw(picture, 60 + SIDE, 60, FACES[4])
        self.assertEqual(reading(picture, 2), (w.READING_AMBIGUOUS, []))

    def test_a_die_cut_by_the_rim_of_the_floor(self):
        picture = self.two()
        draw(picture, 150, 30, ONE)
        self.assertEqual(reading(picture, 3), (w.READING_CUT_OFF, []))

    def test_an_arm_and_a_chip(self):
        picture = self.two()
        box(picture, 90, 10, 156, 45, 170)
        self.assertEqual(reading(picture, 2), (w.READING_FOREIGN_OBJECT, []))
        picture = self.two()
        box(picture, 60, 10, 70, 22, 30)
        self.assertEqual(reading(picture, 2), (w.READING_FOREIGN_OBJECT, []))

    def test_a_side_that_no_flat_die_shows(self):
        """Of a light die that leans: lighter than the tray, darker than half way to its top."""
        picture = self.two()
        draw(picture, 32, 22, ONE)
        box(picture, 20 + SIDE, 11, 26 + SIDE, 33, 140)
        self.assertEqual(reading(picture, 3)[0], w.READING_COCKED)

    def test_a_die_of_another_size(self):
        """Smaller by a sixth, and larger by a third: so large that two dice might touch."""
        for side in (20, 32):
            picture = empty_tray()
            draw(picture, 80, 60, FOUR, TURNS[1], side=side)
            self.assertEqual(reading(picture, 1), (w.READING_WRONG_SIZE, []), side)

    def test_something_wider_than_a_die_leans(self):
        """A fifth longer than wide: the top and a light side of a die that leans."""
        picture = empty_tray()
        box(picture, 60, 60, 60 + SIDE + 5, 60 + SIDE, BODY)
        self.assertEqual(reading(picture, 1), (w.READING_COCKED, []))

    def test_a_round_thing_is_no_die(self):
        """A chip as wide as a die, in rows of its circle."""
        picture = empty_tray()
        for row in range(-12, 13):
            half = int((12.5 * 12.5 - row * row) ** 0.5)
            box(picture, 80 - half, 60 + row, 81 + half, 61 + row, BODY)
        self.assertEqual(reading(picture, 1), (w.READING_UNREADABLE, []))

    def test_where_the_highest_thing_begins(self):
        reader = Reader(Rig(rig_file()))
        finish(reader.steps(self.two(), 2))
        self.assertEqual(reader.first_row, 43)  # 60 - 12 * (0.8 + 0.6), of the turned 2
        finish(reader.steps(empty_tray(), 2))
        self.assertEqual(reader.first_row, ROWS)

    def test_a_blurred_picture(self):
        self.assertEqual(reading(blur(self.two(), 1), 2)[0], w.READING_READ)
        self.assertEqual(reading(blur(self.two(), 9), 2), (w.READING_BLURRED, []))

    def test_confetti(self):
        picture = empty_tray()
        for row in range(2, ROWS - 3, 12):
            for column in range(6, 150, 12):
                box(picture, column, row, column + 5, row + 5, BODY)
        self.assertEqual(reading(picture, 2)[0], w.READING_FOREIGN_OBJECT)

    def test_a_frame_of_another_size(self):
        for size in (0, COLUMNS * ROWS - 1, 4 * COLUMNS * ROWS):
            with self.assertRaises(RigError):
                reading(bytes(size), 2)

    def test_two_frames_by_one_reader(self):
        reader = Reader(Rig(rig_file()))
        for _ in range(2):
            self.assertEqual(finish(reader.steps(self.two(), 2)), w.READING_READ)
            self.assertEqual(reader.values, [2, 5])


if __name__ == "__main__":
    unittest.main()
