"""A dice tray fed by hand: beams, hits, presses and the camera's words, at every limit.

Clock: a tick each 40 ms from 0 on; the role's own clock starts with the first tick.
"""

import unittest

from tests.logic_fakes import START_US, Sink, factory

from tablelogic.core.ticks import MASK
from tablelogic.dice_tray.dice_tray import DiceTray
from tablewire import dice_tray as w
from tablewire import messages as m

PLACE, LINE = w.INPUT_PICK_UP, w.INPUT_THROW_LINE
PLATES = (w.INPUT_FAR_WALL, m.INPUT_4, m.INPUT_5)
EDGE, BUTTON = w.INPUT_EDGE_BEAMS, m.INPUT_BUTTON
LIFT_MS, THROW_MS = 8000, 10000
EMPTY = (w.READING_GOOD, 0, 0, 0, 0, 0, 0, 0, 65535, 90, 0, 1, 99)


def look(reading=w.READING_READ, faces=(2, 5), changed=0, since=40, crc=7, rig=99):
    """The fields of dice_seen."""
    dice = tuple(faces) + (0,) * (6 - len(faces))
    return (reading,) + dice + (changed, since, 90, 0, crc, rig)


class Tray:
    """A role of two dice with its sink; time in ms from the start. reads: 1 table, 2 host."""

    def __init__(self, reads=1, **changed):
        self.sink = Sink()
        self.role = DiceTray(factory(role=3, dice=2, dice_reading=reads, **changed), self.sink)
        self.now_ms = 0
        self._edges = []
        self.edge(100, PLACE, 1)

    def edge(self, t_ms, sensor, level):
        self._edges.append((int(t_ms * 1000), sensor, level))
        self._edges.sort()
        return self

    def pulse(self, t_ms, sensor, width_ms=4):
        return self.edge(t_ms, sensor, 1).edge(t_ms + width_ms, sensor, 0)

    def ticks(self, t_us):
        return (t_us + START_US) & MASK

    def run(self, until_ms):
        while self.now_ms < until_ms:
            self.now_ms += 40
            while self._edges and self._edges[0][0] <= self.now_ms * 1000:
                t_us, sensor, level = self._edges.pop(0)
                self.role.edge(sensor, level, self.ticks(t_us))
            if self.now_ms == 400:
                self.see(EMPTY)
            self.role.tick(self.ticks(self.now_ms * 1000))
        return self

    def see(self, values):
        self.role.order(w.DICE_SEEN, values, self.ticks(self.now_ms * 1000))
        return self

    def throw(self, held_ms=2000, apart_ms=30, hits=((0, 500), (2, 540))):
        """Lift at 8 s, throw held_ms later; hits: (plate, ms after the throw)."""
        at_ms = LIFT_MS + held_ms
        self.edge(LIFT_MS, PLACE, 0).pulse(at_ms, LINE).pulse(at_ms + apart_ms, LINE)
        for plate, after_ms in hits:
            self.pulse(at_ms + after_ms, PLATES[plate], 2)
        return self

    def ended(self):
        """The result, or the reason of the void, else None."""
        for name, values in self.sink.reported:
            if name in ("result", "void"):
                return values if name == "result" else values[0]
        return None


class Throws(unittest.TestCase):
    """hc2023 4:1(3): a throw that holds, and each way in which one does not."""

    def settled(self, tray):
        tray.run(13000).see(look()).run(13400).see(look()).run(15000)
        self.assertEqual(tray.role.wants_picture(), 2)
        return tray.see(look()).ended()

    def test_faces_of_a_valid_throw(self):
        reported = self.settled(Tray().throw())
        self.assertEqual(reported[:6], [2, 5, 0, 0, 0, 0])
        self.assertEqual(reported[6:9], [2000, 30, 2])
        self.assertEqual(reported[10:], [3, 0, 40, 7])

    def test_five_seconds_exactly_hold(self):
        tray = Tray().throw(held_ms=5000).run(16000).see(look()).run(16400).see(look())
        tray.run(18000).see(look())
        self.assertEqual(tray.ended()[6], 5000)

    def test_a_millisecond_more_does_not(self):
        self.assertEqual(Tray().throw(held_ms=5001).run(13200).ended(), w.LATE_THROW)

    def test_dice_kept_in_the_hand(self):
        tray = Tray().edge(LIFT_MS, PLACE, 0)
        self.assertEqual(tray.run(13080).ended(), None)
        self.assertEqual(tray.run(13160).ended(), w.LATE_THROW)

    def test_one_after_the_other(self):
        """together_ms is 200."""
        self.assertEqual(Tray().throw(apart_ms=200).run(10400).ended(), None)
        self.assertEqual(Tray().throw(apart_ms=201).run(10400).ended(), w.NOT_TOGETHER)

    def test_from_the_side(self):
        tray = Tray().edge(LIFT_MS, PLACE, 0).pulse(9000, PLATES[1], 2)
        self.assertEqual(tray.run(9100).ended(), w.NOT_FROM_HEAD)

    def test_one_die_short_of_the_wall(self):
        tray = Tray().throw(hits=((1, 500),)).run(13000).see(look())
        self.assertEqual(tray.ended(), w.WALL_MISSED)

    def test_one_die_that_touches_the_wall_twice(self):
        """hit_gap_ms is 12: 11 ms apart is one die, on the plate beside it is another."""
        tray = Tray().throw(hits=((1, 500), (1, 511))).run(13000).see(look())
        self.assertEqual(tray.ended(), w.WALL_MISSED)
        tray = Tray().throw(hits=((1, 500), (2, 511))).run(13000).see(look())
        self.assertEqual(tray.ended(), None)

    def test_over_the_edge(self):
        tray = Tray().throw().pulse(10700, EDGE, 8)
        self.assertEqual(tray.run(10800).ended(), w.OFF_TABLE)

    def test_a_hand_over_the_edge(self):
        tray = Tray().throw().pulse(10700, EDGE, 400)
        self.assertEqual(tray.run(11000).ended(), w.TRAY_OBSTRUCTED)

    def test_hands_over_the_edge_before_the_throw(self):
        self.assertEqual(self.settled(Tray().pulse(7000, EDGE, 900).throw())[0], 2)

    def test_nobody_throws(self):
        """max_bet_ms is 60,000: bets close after one minute, the round ends after another."""
        tray = Tray().run(66_000)
        self.assertEqual(tray.role.phase, m.PHASE_NO_MORE_BETS)
        self.assertEqual(tray.run(126_400).ended(), w.NOT_THROWN)

    def test_a_shaker_needs_no_wall(self):
        self.assertEqual(self.settled(Tray(throw_rules=2).throw(hits=()))[0], 2)

    def test_a_curtain_that_scans_its_beams(self):
        """It sees each die up to 3.2 ms late and is on for 8 ms more; close dice are one pulse."""
        for late_ms, apart_ms, expected in ((3, 30, [2003, 27, 2]), (0, 30, [2000, 30, 2])):
            tray = Tray().edge(LIFT_MS, PLACE, 0).pulse(10_000 + late_ms, LINE, 12)
            tray.pulse(10_000 + apart_ms, LINE, 12)
            tray.pulse(10_500, PLATES[0], 2).pulse(10_540, PLATES[2], 2)
            self.assertEqual(self.settled(tray)[6:9], expected)
        tray = Tray().edge(LIFT_MS, PLACE, 0).pulse(10_003, LINE, 16)
        tray.pulse(10_500, PLATES[0], 2).pulse(10_540, PLATES[2], 2)
        self.assertEqual(self.settled(tray)[6:9], [2003, 0, 2])

    def test_a_short_spike_is_no_die(self):
        """0.3 ms on the line, then nothing: the dice are still in the hand."""
        tray = Tray().edge(LIFT_MS, PLACE, 0).pulse(9000, LINE, 0.3).run(9500)
        self.assertEqual(tray.role.phase, w.PHASE_PICKED_UP)


class Pictures(unittest.TestCase):
    """What the camera says, and what it is not believed."""

    def thrown(self, **changed):
        return Tray(**changed).throw().run(13000)

    def test_faces_that_differ_are_not_reported(self):
        tray = self.thrown().see(look()).run(13400).see(look(faces=(2, 6))).run(13800)
        self.assertEqual((tray.ended(), tray.role.faces.agreed), (None, 1))

    def test_refused_three_times(self):
        for reading, code in (
            (w.READING_COCKED, w.DIE_COCKED),
            (w.READING_UNREADABLE, w.FACE_UNSURE),
            (w.READING_AMBIGUOUS, w.DICE_NOT_APART),
            (w.READING_COUNT_WRONG, w.DICE_COUNT_WRONG),
            (w.READING_LINE_NOT_PASSED, w.LINE_NOT_PASSED),
            (w.READING_FOREIGN_OBJECT, w.TRAY_OBSTRUCTED),
            (w.READING_CUT_OFF, w.FACE_UNSURE),
            (w.READING_GLARE, w.DIE_SHINES),
            (w.READING_BLURRED, w.PICTURE_BLURRED),
            (w.READING_WRONG_SIZE, w.DIE_SIZE),
        ):
            tray = self.thrown()
            for _ in range(2):
                tray.see(look(reading, ())).run(tray.now_ms + 400)
            self.assertEqual(tray.ended(), None)
            self.assertEqual(tray.see(look(reading, ())).ended(), code)

    def test_touched_after_it_was_read(self):
        tray = self.thrown().see(look()).run(13400).see(look()).run(15000)
        self.assertEqual(tray.see(look(w.READING_MOVING, (), 9)).ended(), w.TRAY_OBSTRUCTED)

    def test_turned_under_a_hand_that_hid_it_after_it_was_read(self):
        """The last look finds a hand that keeps still; then a die shows another face."""
        for hidden in (w.READING_FOREIGN_OBJECT, w.READING_UNREADABLE, w.READING_COUNT_WRONG):
            tray = self.thrown().see(look()).run(13400).see(look()).run(15000).see(look(hidden))
            tray.run(15400).see(look(w.READING_MOVING, (), changed=9)).run(15800)
            tray.see(look(faces=(2, 6))).run(16200).see(look(faces=(2, 6))).run(17800)
            self.assertEqual(tray.see(look(faces=(2, 6))).ended(), w.TRAY_OBSTRUCTED)
            tray = self.thrown().see(look()).run(13400).see(look()).run(15000).see(look(hidden))
            tray.run(15400).see(look(faces=(2, 6))).run(15800).see(look(faces=(2, 6)))
            self.assertEqual(tray.run(17400).see(look(faces=(2, 6))).ended(), w.TRAY_OBSTRUCTED)

    def test_unreadable_for_a_moment_after_it_was_read(self):
        """The same faces in the next picture are the result; the refused one ends nothing."""
        tray = self.thrown().see(look()).run(13400).see(look()).run(15000)
        self.assertEqual(tray.see(look(w.READING_UNREADABLE, ())).ended(), None)
        self.assertEqual(tray.run(15400).see(look()).ended()[:2], [2, 5])

    def until_read(self, rest_ms, reading_ms):
        """Return when a round ends whose camera takes every frame wanted, of dice at rest from
        rest_ms on. reading_ms: from such a frame to its verdict; 40 where something moved.
        """
        tray, before_ms, taken_ms, judged_ms = self.thrown(), 0, 0, None
        while tray.ended() is None:
            tray.run(tray.now_ms + 40)
            is_still = before_ms >= rest_ms  # the frame before the one that is taken
            if judged_ms is None and tray.role.wants_picture() == 2:
                taken_ms = tray.now_ms
                judged_ms = taken_ms + (reading_ms if is_still else 40)
            elif judged_ms is not None and tray.now_ms >= judged_ms:
                tray.see(look() if is_still else look(w.READING_MOVING, (), 9))
                before_ms, judged_ms = taken_ms, None
        self.assertEqual(tray.ended()[:2], [2, 5])
        return tray.now_ms

    def test_a_number_comes_soon_after_dice_are_at_rest(self):
        """At worst it is two frames to one that does not differ from the one before (320 ms each,
        in ticks of 40), then its reading, the time for objections and another reading: 640 + 320 +
        1000 + 320, and a tick each. For six dice a reading takes 750 ms, and there are three.
        """
        for reading_ms, most_ms in ((320, 640 + 320 + 1000 + 320), (750, 640 + 3 * (750 + 80))):
            for rest_ms in range(13000, 13800, 20):
                took_ms = self.until_read(rest_ms, reading_ms) - rest_ms
                self.assertLessEqual(took_ms, most_ms + 4 * 40)

    def test_the_confirming_frame_is_taken_after_the_time_for_objections(self):
        """However long a reading takes: the second of two may be late enough to end it alone."""
        tray = self.thrown().see(look()).run(15000).see(look())
        self.assertEqual(tray.ended(), None)
        self.assertEqual(tray.run(15400).see(look()).ended()[:2], [2, 5])

    def test_a_longer_time_for_objections_is_counted_from_the_first_frame_at_rest(self):
        tray = self.thrown(objection_ms=3000).see(look()).run(14000).see(look()).run(15960)
        self.assertEqual(tray.role.wants_picture(), 0)
        self.assertEqual(tray.run(16000).role.wants_picture(), 2)
        self.assertEqual(tray.see(look()).ended()[:2], [2, 5])

    def test_the_picture_of_the_round_before(self):
        """One block that differs may be noise, two are a die."""
        tray = self.thrown().see(look(since=1)).run(13400).see(look(since=1))
        self.assertEqual(tray.ended(), w.NO_MOTION_PROOF)
        tray = self.thrown().see(look(since=2)).run(13400).see(look(since=2))
        self.assertEqual(tray.ended(), None)

    def test_never_at_rest(self):
        tray = self.thrown(rest_limit_ms=4000).see(look(w.READING_MOVING, (), 50))
        self.assertEqual(tray.run(14000).ended(), None)
        self.assertEqual(tray.run(14160).ended(), w.NEVER_RESTED)

    def test_two_bad_frames_are_a_fault(self):
        for reading, code in (
            (w.READING_TOO_DARK, w.CAMERA_DARK),
            (w.READING_COVERED, w.CAMERA_COVERED),
            (w.READING_MOVED, w.CAMERA_MOVED),
            (w.READING_FROZEN, w.CAMERA_STOPPED),
            (w.READING_NO_FRAME, w.CAMERA_STOPPED),
        ):
            tray = self.thrown().see(look(reading, ()))
            self.assertEqual(tray.role.faults(), 0)
            tray.see(look(reading, ()))
            self.assertEqual((tray.ended(), tray.role.faults()), (code, 1))
            self.assertEqual(tray.see(EMPTY).role.faults(), 0)

    def test_no_round_without_a_camera(self):
        tray = Tray()
        tray.run(360)
        tray.now_ms = 400
        self.assertEqual(tray.role.open_bets(tray.ticks(400_000)), m.REFUSAL_WRONG_PHASE)


class TwoLights(unittest.TestCase):
    """In turn: each has a tray of its own, 98 and 99."""

    def after(self, *looks):
        """What ended the round after these, 400 ms apart from 13 s on, then after 15 s."""
        tray = Tray(lights=3)
        tray.throw().run(13000)
        for number, values in enumerate(looks):
            tray.run(13000 + 400 * number if number < 2 else 14600 + 400 * number).see(values)
        return tray.ended()

    def test_faces_are_read_under_both(self):
        first, second = look(rig=98), look(rig=99)
        self.assertEqual(self.after(first, second), None)
        self.assertEqual(self.after(first, second, first)[:2], [2, 5])

    def test_faces_that_differ_shine(self):
        for faces in ((3, 5), (2, 6), (2, 2)):
            self.assertEqual(self.after(look(rig=98), look(faces=faces, rig=99)), w.DIE_SHINES)

    def test_one_light_alone_agrees_with_nothing(self):
        self.assertEqual(self.after(look(), look(), look(), look()), None)

    def test_refused_three_times_under_one_of_them(self):
        refused, read = look(w.READING_GLARE, (), rig=99), look(rig=98)
        self.assertEqual(self.after(refused, read, refused, read), None)
        self.assertEqual(self.after(refused, read, refused, read, refused), w.DIE_SHINES)

    def test_the_picture_of_the_round_before_under_either(self):
        """At the second frame of both, as a photograph differs under the light it was not of."""
        looks = look(since=1, rig=98), look(since=40, rig=99)
        self.assertEqual(self.after(*looks), w.NO_MOTION_PROOF)
        self.assertEqual(self.after(*reversed(looks)), w.NO_MOTION_PROOF)

    def test_other_faces_after_both_agreed(self):
        looks = look(rig=98), look(rig=99), look(faces=(3, 5), rig=98)
        self.assertEqual(self.after(*looks), w.TRAY_OBSTRUCTED)

    def test_unreadable_for_a_moment_after_both_agreed(self):
        """The next frame is under the light of the last one that was read."""
        refused = look(w.READING_UNREADABLE, (), rig=98)
        looks = look(rig=98), look(rig=99), refused, look(rig=99)
        self.assertEqual(self.after(*looks)[:2], [2, 5])

    def test_where_the_host_reads_there_are_no_turns(self):
        tray = Tray(reads=2, lights=3)
        tray.throw().run(13000).see(NOT_READ).run(13400).see(NOT_READ).run(15000)
        self.assertEqual(tray.see(NOT_READ).ended()[:2], [0, 0])


NOT_READ = look(w.READING_NOT_READ, ())


class ReadByTheHost(unittest.TestCase):
    """dice_reading 2: everything but the faces is proved here."""

    def thrown(self, **more):
        return Tray(reads=2).throw(**more).run(13000)

    def test_two_frames_at_rest_end_the_round_without_faces(self):
        tray = self.thrown().see(NOT_READ).run(13400).see(NOT_READ).run(13800)
        self.assertEqual(tray.see(NOT_READ).ended(), None)  # time for objections: 1 s
        reported = tray.run(15000).see(NOT_READ).ended()
        self.assertEqual(reported[:9], [0, 0, 0, 0, 0, 0, 2000, 30, 2])
        self.assertEqual(reported[10:], [4, 0, 40, 7])
        self.assertEqual(tray.role.results, 1)

    def test_frames_are_taken_until_the_end(self):
        """A hand that turns a die during the time for objections has to be seen."""
        tray = self.thrown().see(NOT_READ).run(13400)
        self.assertEqual(tray.role.wants_picture(), 2)
        self.assertEqual(tray.see(NOT_READ).run(13680).role.wants_picture(), 0)
        self.assertEqual(tray.run(13720).role.wants_picture(), 2)
        moving = look(w.READING_MOVING, (), changed=9)
        self.assertEqual(tray.see(moving).ended(), w.TRAY_OBSTRUCTED)

    def test_nothing_moves_between_the_two(self):
        tray = self.thrown().see(NOT_READ).run(13400).see(look(w.READING_MOVING, (), changed=9))
        tray.run(13800).see(NOT_READ).run(15400).see(NOT_READ)
        self.assertEqual(tray.ended(), None)
        self.assertEqual(tray.run(17000).see(NOT_READ).ended()[:6], [0] * 6)

    def test_nothing_else_is_seen_after_the_two(self):
        """An empty tray, or something before the line: a hand was there."""
        for reading in (w.READING_NO_DICE, w.READING_LINE_NOT_PASSED):
            tray = self.thrown().see(NOT_READ).run(13400).see(NOT_READ).run(13800)
            self.assertEqual(tray.see(look(reading, ())).ended(), w.TRAY_OBSTRUCTED)

    def test_an_empty_tray_and_a_die_before_the_line(self):
        for reading, code in (
            (w.READING_NO_DICE, w.DICE_COUNT_WRONG),
            (w.READING_LINE_NOT_PASSED, w.LINE_NOT_PASSED),
        ):
            tray = self.thrown()
            for _ in range(2):
                self.assertEqual(tray.see(look(reading, ())).ended(), None)
                tray.run(tray.now_ms + 400)
            self.assertEqual(tray.see(look(reading, ())).ended(), code)

    def test_the_conditions_hold_as_ever(self):
        tray = Tray(reads=2).throw(hits=((1, 500),)).run(13000)
        self.assertEqual(tray.see(NOT_READ).ended(), w.WALL_MISSED)
        tray = self.thrown().see(NOT_READ).run(13400)
        before = look(w.READING_NOT_READ, (), since=1)
        self.assertEqual(tray.see(before).ended(), w.NO_MOTION_PROOF)
        self.assertEqual(self.thrown().run(26000).ended(), w.NEVER_RESTED)

    def test_a_dark_picture_is_a_fault(self):
        tray = self.thrown().see(NOT_READ).run(13400)
        dark = look(w.READING_TOO_DARK, ())
        self.assertEqual(tray.see(dark).see(dark).ended(), w.CAMERA_DARK)

    def test_a_verdict_of_the_other_kind_counts_nothing(self):
        for reads, values in ((2, look()), (1, NOT_READ)):
            tray = Tray(reads=reads).throw().run(13000)
            tray.see(values).run(13400).see(values).run(15000).see(values)
            self.assertEqual(tray.ended(), None)
            self.assertEqual(tray.run(26000).ended(), w.NEVER_RESTED)


class Button(unittest.TestCase):
    """The croupier's presses."""

    def pressed(self, count, at_ms=10500):
        tray = Tray().throw()
        for press in range(count):
            tray.pulse(at_ms + 300 * press, BUTTON, 120)
        return tray

    def test_what_a_row_means(self):
        for count, code in ((2, w.TWO_HANDS), (3, w.DIE_BROKEN), (4, w.DIE_IRREGULAR)):
            self.assertEqual(self.pressed(count).run(13000).ended(), code)

    def test_one_press_and_five_say_nothing(self):
        for count in (1, 5):
            self.assertEqual(self.pressed(count).run(13000).ended(), None)

    def test_a_result_waits_for_the_row(self):
        tray = self.pressed(2, 14500).run(13000).see(look()).run(13400).see(look()).run(15040)
        self.assertEqual(tray.role.wants_picture(), 0)
        self.assertEqual(tray.run(16000).ended(), w.TWO_HANDS)


if __name__ == "__main__":
    unittest.main()
