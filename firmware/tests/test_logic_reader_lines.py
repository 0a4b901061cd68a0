"""What two readers of balls say on their line, byte by byte, across the wrap of the clock."""

import unittest

from tablelogic.core.ticks import MASK
from tablelogic.draw_machine.reader_line import ReaderLines

START_MS = MASK - 500


def said(text):
    """A line with the check it needs."""
    check = 0
    for byte in text:
        check ^= byte
    return text + b"*%02X\n" % check


class Line:
    def __init__(self):
        self.now_ms = START_MS
        self.lines = ReaderLines(self.now_ms)
        self.report = [0] * 4

    def hear(self, data):
        """Reports the bytes make, then those of silence."""
        lines = []
        for byte in data:
            self.lines.feed(bytes((byte,)))
            while self.lines.take(self.now_ms, self.report):
                lines.append(tuple(self.report))
        while self.lines.silent(self.now_ms, self.report):
            lines.append(tuple(self.report))
        return lines

    def wait(self, ms):
        self.now_ms = (self.now_ms + ms) & MASK
        return self.hear(b"")


class LinesTest(unittest.TestCase):
    def test_a_line(self):
        """Check by hand: the exclusive or of E,17,42,3 is 0x5A."""
        self.assertEqual(Line().hear(b"E,17,42,3*5A\n"), [(1, 17, 42, 3)])

    def test_said_again_is_reported_once(self):
        line = Line()
        self.assertEqual(len(line.hear(b"E,17,42,3*5A\nE,17,42,3*5A\n")), 1)
        self.assertEqual(line.hear(b"E,18,42,3*55\n"), [(1, 18, 42, 3)])

    def test_in_one_piece(self):
        """Lines that came together are taken one by one, and the begun one waits."""
        lines, report = ReaderLines(START_MS), [0] * 4
        lines.feed(b"E,17,42,3*5A\nT,0,0,0*48\nT,255,9")
        self.assertTrue(lines.take(START_MS, report))
        self.assertEqual(report, [1, 17, 42, 3])
        self.assertTrue(lines.take(START_MS, report))
        self.assertEqual(report, [2, 0, 0, 0])
        self.assertFalse(lines.take(START_MS, report))
        lines.feed(b"9,0*7A\n")
        self.assertTrue(lines.take(START_MS, report))
        self.assertEqual(report, [2, 255, 99, 0])

    def test_both_readers(self):
        reported = Line().hear(b"E,17,42,3*5A\nT,0,0,0*48\nT,255,99,0*7A\n")
        self.assertEqual(reported, [(1, 17, 42, 3), (2, 0, 0, 0), (2, 255, 99, 0)])

    def test_what_is_damaged_is_nothing(self):
        """A wrong check, letter, comma, digit, field or length; too long, or cut."""
        for data in (
            b"E,17,42,3*5B\n",
            said(b"X,17,42,3"),
            said(b"E;17,42,3"),
            said(b"E,17,4a,3"),
            said(b"E,17,42"),
            said(b"E,17,42,3,1"),
            b"E,17,42,3*5\n",
            said(b"E"),
            b"\n",
            said(b"E,17,42,3333333333333333"),
            said(b"7,42,3"),
            said(b"E,256,1,0"),
            said(b"E,1,1,256"),
        ):
            with self.subTest(data=data):
                self.assertEqual(Line().hear(data), [])

    def test_the_next_line_is_believed(self):
        """After one without an end that is too long, and one that was cut."""
        self.assertEqual(len(Line().hear(b"E,17," * 9 + b"\nE,17,42,3*5A\n")), 1)

    def test_a_number_no_ball_has(self):
        """999 is reported as 254: foreign, and not unknown."""
        self.assertEqual(Line().hear(said(b"T,1,999,0")), [(2, 1, 254, 0)])

    def test_silence_of_two_seconds(self):
        """Each reader for itself, reported once; then it is heard again."""
        line = Line()
        line.hear(b"E,17,42,3*5A\n")
        self.assertEqual(line.wait(1999), [])
        self.assertEqual(line.wait(1), [(1, 0, 255, 0), (2, 0, 255, 0)])
        self.assertEqual(line.wait(5000), [])
        self.assertEqual(line.hear(b"E,17,42,3*5A\n"), [(1, 17, 42, 3)])
