"""The bytes of a trace, worked out by hand from PROTOCOL.md ("Traces")."""

import unittest

from tests.logic_fakes import Sink

from tablelogic.core.engine import Engine
from tablelogic.core.snapshot import Snapshot
from tablelogic.core.trace import Trace
from tablewire import messages as m
from tablewire import roulette
from tablewire.trace_file import HEAD_BYTES

A_ON, B_ON, A_OFF, B_OFF, RIM_ON = 1, 3, 0, 2, 7


def written(trace):
    return bytes(trace.buf[: trace.length]).hex()


def begun(tick_us=0):
    trace = Trace(bytearray(200))
    trace.tick_us = tick_us
    trace.start()
    return trace


class NumberTest(unittest.TestCase):
    def test_numbers(self):
        """Sign and six bits first, then seven bits a byte."""
        for value, expected in (
            (0, "00"),
            (63, "3f"),
            (64, "8001"),
            (-1, "40"),
            (-64, "7f"),
            (-65, "c001"),
            (8191, "bf7f"),
            (2**30 - 1, "bfffffff07"),
            (-(2**30), "ffffffff07"),
        ):
            trace = Trace(bytearray(8))
            trace.number(value)
            self.assertEqual(written(trace), expected)


class EdgeTest(unittest.TestCase):
    def test_a_ring_that_turns_evenly(self):
        """Four edges, 27 ms apart, teach the gaps; the next ones take one byte."""
        trace = begun()
        for n, code in enumerate((B_ON, A_ON, B_OFF, A_OFF) * 2):
            trace.edge(code, 1000 + 27000 * n)
            trace.tick_us = 27000 * n
        # The first is 1 ms off what a new trace foresees; the fifth 26 ms more than the first.
        recorded = "a3e8" + "c001b8a503" + "c002b8a503" + "c000b8a503" + "c003b8a503" + "404040"
        self.assertEqual(written(trace), recorded)

    def test_a_magnet_out_of_its_place(self):
        """Up to 8 ms off: two bytes, 0x80 and 14 bits from -8192 on."""
        trace = begun()
        trace.edge(B_ON, 1000)
        start = trace.length
        trace.edge(A_ON, 1000 + 5000)
        self.assertEqual(written(trace)[2 * start :], "b388")  # 5000 + 8192 = 0x3388

    def test_a_bounce(self):
        """The same line again within 4096 us: 0xD0 and 12 bits; foreseen gaps do not move."""
        trace = begun()
        trace.edge(B_ON, 1000)
        start = trace.length
        trace.edge(B_OFF, 1100)
        trace.edge(B_ON, 1400)
        trace.edge(A_ON, 6000)
        self.assertEqual(written(trace)[2 * start :], "d064" + "d12c" + "b388")

    def test_another_sensor(self):
        """0xC0, code, time since the edge before."""
        trace = begun(2**30 - 100)
        trace.edge(RIM_ON, 28)
        self.assertEqual(written(trace), "c007" + "8002")


class TickTest(unittest.TestCase):
    def test_foreseen_ticks_take_nothing_before_an_edge(self):
        """Three ticks, then an edge within the next 40 ms."""
        trace = begun()
        for n in (1, 2, 3):
            trace.tick(40000 * n, 0)
        trace.edge(RIM_ON, 120001)
        self.assertEqual(written(trace), "c007" + "81d30e")

    def test_ticks_an_edge_does_not_tell(self):
        """An edge not later than the last tick: a run stands before it."""
        trace = begun()
        trace.tick(40000, 0)
        trace.edge(RIM_ON, 40000)
        self.assertEqual(written(trace), "e0" + "c007" + "80f104")

    def test_an_edge_reported_before_a_late_tick(self):
        """More than 40 ms after the last tick, with none between: a hold."""
        trace = begun()
        trace.edge(RIM_ON, 40001)
        self.assertEqual(written(trace)[:6], "ffc007")

    def test_early_and_late(self):
        """-1 to 6 ms in one byte with the read in bit 3; else 0xF8 and the time."""
        for late_us, read, expected in (
            (-1000, 0, "e8"),
            (0, 1, "f1"),
            (6000, 1, "f7"),
            (7000, 0, "f898" + "6d"),
            (1, 1, "f901"),
        ):
            trace = begun()
            trace.tick(40000 + late_us, read)
            self.assertEqual(written(trace), expected)

    def test_reads_every_second_tick(self):
        """Whether the array was read is foreseen from the tick before the last."""
        trace = begun()
        for n in range(1, 11):
            trace.tick(40000 * n, n & 1)
        trace.flush()
        self.assertEqual(written(trace), "f1" + "e7" + "e0")


class Part:
    def __init__(self, whole):
        self._whole = whole
        self.b = True
        self.a = -2
        self.times = [5, 6]
        self.name = "not a number"


class Whole:
    """A role as small as one can be."""

    withheld = 0
    result_message = roulette.WHEEL_RESULT
    wants_array = wants_analog = urgency = None

    def __init__(self):
        self._out = self
        self._cfg = [9, 9]
        self.z = 1
        self.parts = [Part(self), Part(self)]
        self.phase = m.PHASE_BETS_OPEN
        self.ball = m.UNKNOWN_U8

    def edge(self, sensor, level, t_us):
        pass

    def array(self, bits, t_us):
        pass

    def tick(self, t_us):
        pass

    def circuits(self):
        return self.ball


class SnapshotTest(unittest.TestCase):
    def test_order(self):
        """By name, objects after their owner, lists after their object; each once."""
        snapshots = []
        snapshot = Snapshot(Whole())
        while snapshot.look():
            pass
        snapshot.give(snapshots.append)
        self.assertEqual(snapshots, [255, 2, 1, -2, 1, -2, 1, 5, 6, 5, 6])
        self.assertEqual(snapshot.count, len(snapshots))


class EngineSink(Sink):
    """Numbers its round 7."""

    def round_opened(self, values):
        super().round_opened(values)
        return 7

    def ended(self, ident, values):
        self.reported.append((ident, list(values)))


class EngineTest(unittest.TestCase):
    def setUp(self):
        self.role = Whole()
        self.sink = EngineSink()
        self.engine = Engine(bytearray(2048), self.sink)
        self.engine.begin(lambda config, out: self.role, [0, 1, 2])
        self.engine.tick(40000)

    def open(self):
        self.engine.round_opened([1, 7, 0])
        self.engine.state([m.PHASE_BETS_OPEN, m.PHASE_CLOSED])

    def events(self):
        trace = self.engine.trace
        state = bytes.fromhex("0b" + "bf03" + "02" + "01" + "4101" * 2 + "0506" * 2)
        head = bytes.fromhex("020102" + "80f104") + state
        self.assertEqual(bytes(trace.buf[HEAD_BYTES:][: len(head)]), head)
        return bytes(trace.buf[HEAD_BYTES + len(head) : trace.length]).hex()

    def test_a_round(self):
        """Configuration, tick, state; then what was reported, then the end."""
        self.open()
        self.engine.edge(roulette.INPUT_RIM_1, 1, 40100)
        self.engine.tick(80000)
        self.engine.bets_closed([m.CLOSE_CAUSE_COMMAND, 40])
        self.engine.void([403, 3, 255])
        self.assertTrue(self.engine.done)
        self.assertEqual(self.engine.round, 7)
        void = "fc" + "9306" + "bf03"
        end = "fe" + "13" + "03" + "9306" + "03" + "bf03"
        self.assertEqual(self.events(), "c007a401" + "e0" + "fb04" + void + end)
        self.assertEqual(
            self.sink.reported,
            [
                ("round_opened", [1, 7, 0]),
                ("state", [m.PHASE_BETS_OPEN, m.PHASE_CLOSED]),
                ("bets_closed", [m.CLOSE_CAUSE_COMMAND, 40]),
                (m.ROUND_VOID, [403, 3, 255]),
            ],
        )

    def test_a_field_of_bytes_ends_a_trace_byte_by_byte(self):
        """Also an empty one; the sink gets the field as it is."""
        for tail, written in ((bytes((5, 200)), "03" + "01" + "05" + "8803"), (b"", "01" + "01")):
            self.open()
            self.engine.result([1, tail])
            self.assertEqual(self.events(), "fe" + "12" + written)
            self.assertEqual(self.sink.reported[-1], (roulette.WHEEL_RESULT, [1, tail]))

    def test_nothing_is_recorded_between_rounds(self):
        """Neither before the opening nor after the end."""
        self.engine.void([404, 1, 255])
        self.assertFalse(self.engine.done)
        self.engine.edge(1, 1, 50000)
        self.assertEqual(self.engine.trace.length, 0)

    def test_without_a_ball_it_begins_anew(self):
        """So the trace never fills up while bets are taken; with a ball nothing is dropped."""
        self.open()
        for n in range(3000):
            self.engine.edge(roulette.INPUT_INDEX, n & 1, 40000 + 100 * n)
        self.engine.tick(80000)
        self.assertLess(self.engine.trace.length, 100)

    def test_a_full_trace_is_cut_and_still_ends(self):
        """What found no room is gone, and the trace says so."""
        self.role.ball = 0
        self.open()
        for n in range(1000):
            self.engine.edge(roulette.INPUT_INDEX, n & 1, 40000 + 5000 * n)
        self.engine.tick(80000)
        length = self.engine.trace.length
        self.assertTrue(2048 - 80 <= length < 2048 - 70)
        self.assertEqual(self.engine.trace.buf[length - 1], 0xFD)
        self.engine.result([2**29 - 1] * 11)
        self.assertLess(self.engine.trace.length, 2048 - 4)


if __name__ == "__main__":
    unittest.main()
