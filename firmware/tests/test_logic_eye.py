"""What a table finds in frames of its camera; drawn by hand, 160 x 120 px."""

import unittest

from tests.logic_fakes import factory
from tests.tray_pictures import FACES, FOUR, draw, rig_file

from tablelogic.dice_tray.eye import Eye
from tablelogic.tray_reader.stepwise import finish
from tablewire import dice_tray as w

WIDTH, HEIGHT = 160, 120
WALL, LINE, MARK = 6, 36, 80  # rows and a column, as configured in the factory
CLOTH, BOARD, PATCH, DIE = 90, 150, 220, 230
SIDE = 22  # px of a die


def frame(*dice, noise=0):
    """Wall, mark, cloth, and even dice with their upper left corners at (column, row)."""
    greys = bytearray([CLOTH] * (WIDTH * HEIGHT))
    for row in range(WALL):
        greys[row * WIDTH : (row + 1) * WIDTH] = bytes([BOARD] * MARK + [PATCH] * (WIDTH - MARK))
    for column, row in dice:
        for y in range(row, row + SIDE):
            greys[y * WIDTH + column : y * WIDTH + column + SIDE] = bytes([DIE] * SIDE)
    greys[-1] = noise  # a pixel, so that no frame is that before: a camera has noise
    return greys


class ReadByTheHost(unittest.TestCase):
    def setUp(self):
        self.eye = Eye(factory(role=3, dice=2), lambda light: None)

    def look(self, *dice, **more):
        """The reading of a second frame, after one with the same dice."""
        self.eye.look(frame(*dice))
        return self.then(*dice, **more)

    def then(self, *dice, noise=9):
        greys = frame(*dice, noise=noise)
        self.eye.look(greys)
        finish(self.eye.steps(greys))
        return self.eye.fields

    def test_dice_at_rest_are_not_read(self):
        fields = self.look((30, 60), (90, 70))
        self.assertEqual(fields[:7], [w.READING_NOT_READ, 0, 0, 0, 0, 0, 0])
        self.assertEqual((fields[7], fields[10]), (0, 0))

    def test_dice_that_moved_are_not_at_rest(self):
        self.eye.look(frame((30, 60), (90, 70)))
        self.assertEqual(self.then((30, 60), (98, 70))[0], w.READING_MOVING)
        self.assertEqual(self.then((30, 60), (98, 70), noise=8)[0], w.READING_NOT_READ)

    def test_an_empty_tray(self):
        self.assertEqual(self.look()[0], w.READING_NO_DICE)

    def test_a_die_before_the_line(self):
        self.assertEqual(self.look((30, 10), (90, 70))[0], w.READING_LINE_NOT_PASSED)

    def test_a_die_on_the_line(self):
        self.assertEqual(self.look((30, LINE - 11), (90, 70))[0], w.READING_LINE_NOT_PASSED)

    def test_the_camera_is_judged_as_ever(self):
        self.assertEqual(self.look((30, 60), noise=0)[0], w.READING_FROZEN)
        self.eye.look(bytes([90] * WIDTH * HEIGHT))
        self.assertEqual(self.eye.fields[0], w.READING_COVERED)
        self.eye.look(bytes([4] * WIDTH * HEIGHT))
        self.assertEqual(self.eye.fields[0], w.READING_TOO_DARK)
        moved = frame((30, 60))[2 * WIDTH :] + bytes([CLOTH] * 2 * WIDTH)
        moved = moved[WIDTH:] + bytes([CLOTH] * WIDTH)
        self.eye.look(moved)
        self.eye.look(moved[:-1] + b"\x07")
        self.assertEqual(self.eye.fields[0], w.READING_MOVED)


class ReadByTheTable(unittest.TestCase):
    """With the tray of tray_pictures: dice of 24 px, a cloth of 90, floor in all rows."""

    def eye(self, tray, dice=2, **changed):
        return Eye(factory(role=3, dice=dice, dice_reading=1, **changed), lambda light: tray)

    def fields(self, eye, *dice):
        """Of a second frame with dice at (column, row, pips)."""
        for noise in (1, 2):
            greys = frame(noise=noise)
            for column, row, pips in dice:
                draw(greys, column, row, pips)
            eye.look(greys)
        finish(eye.steps(greys))
        return eye.fields

    def floor(self, first):
        """Of a tray whose floor begins at a row."""
        return bytes(2 * first) + bytes((4, 156)) * (HEIGHT - first)

    def test_faces_and_the_tray_they_were_read_with(self):
        tray = rig_file(floor=self.floor(8))
        digest = int.from_bytes(tray[-4:], "little")
        fields = self.fields(self.eye(tray), (40, 70, FACES[4]), (110, 80, FACES[1]))
        self.assertEqual(fields[:7] + fields[12:], [w.READING_READ, 2, 5, 0, 0, 0, 0, digest])

    def test_a_count_that_is_wrong_has_no_faces(self):
        fields = self.fields(self.eye(rig_file(floor=self.floor(8))), (40, 70, FOUR))
        self.assertEqual(fields[:7], [w.READING_COUNT_WRONG, 0, 0, 0, 0, 0, 0])

    def test_a_die_that_has_not_passed_the_line(self):
        for row in (24, LINE + 8):
            eye = self.eye(rig_file(floor=self.floor(8)))
            fields = self.fields(eye, (40, row, FOUR), (110, 80, FOUR))
            self.assertEqual(fields[:7], [w.READING_LINE_NOT_PASSED, 0, 0, 0, 0, 0, 0])

    def test_a_die_before_a_floor_that_begins_at_the_line(self):
        eye = self.eye(rig_file(floor=self.floor(LINE)))
        fields = self.fields(eye, (40, 22, FOUR), (110, 80, FOUR))
        self.assertEqual(fields[:7], [w.READING_LINE_NOT_PASSED, 0, 0, 0, 0, 0, 0])

    def test_without_a_tray_for_these_frames_nothing_is_read(self):
        tray = rig_file(floor=self.floor(8))
        for other in (None, b"", tray[:-1], tray[:-1] + b"\0", rig_file(scale=2)):
            fields = self.fields(self.eye(other), (40, 70, FOUR), (110, 80, FOUR))
            self.assertEqual(fields[:7], [w.READING_NOT_COMMISSIONED, 0, 0, 0, 0, 0, 0])
            self.assertEqual(fields[12], 0)

    def test_two_lights_have_a_tray_each(self):
        """A frame is compared with the one before under its light, and read with its tray."""
        first, second = rig_file(floor=self.floor(8)), rig_file(floor=self.floor(9))
        trays = [first, second]
        loaded = []
        config = factory(role=3, dice=1, dice_reading=1, lights=3)
        eye = Eye(config, lambda light: loaded.append(light) or trays[light])
        frames = []
        for light, brighter in ((0, 0), (1, 40), (0, 0), (1, 40)):
            greys = frame(noise=len(frames) + 1)
            for row in range(100, 120):
                for column in range(130, 160):
                    greys[row * WIDTH + column] += brighter  # where the second light is
            draw(greys, 40, 70, FOUR)
            frames.append(list(eye.look(greys, light)))
        self.assertEqual([fields[7] for fields in frames], [65535, 65535, 0, 0])
        digests = [int.from_bytes(tray[-4:], "little") for tray in trays]
        self.assertEqual([fields[12] for fields in frames], digests + digests)
        self.assertEqual(loaded, [0, 1, 0, 1, 0, 1])  # to know that each is there, then in turn

    def test_a_missing_tray_of_two_or_twice_the_same_reads_nothing(self):
        tray = rig_file(floor=self.floor(8))
        for trays in ((tray, None), (None, tray), (tray, tray), (tray, rig_file(scale=2))):
            config = factory(role=3, dice=1, dice_reading=1, lights=3)
            eye = Eye(config, lambda light, trays=trays: trays[light])
            eye.look(frame(noise=1))
            self.assertEqual((eye.fields[0], eye.fields[12]), (w.READING_NOT_COMMISSIONED, 0))

    def test_the_second_light_alone_has_its_own_tray(self):
        loaded = []
        Eye(factory(role=3, dice_reading=1, lights=2), lambda light: loaded.append(light))
        self.assertEqual(loaded, [1])

    def test_a_camera_that_is_covered_comes_first(self):
        eye = self.eye(None)
        eye.look(bytes([90] * WIDTH * HEIGHT))
        self.assertEqual(eye.fields[0], w.READING_COVERED)


if __name__ == "__main__":
    unittest.main()
