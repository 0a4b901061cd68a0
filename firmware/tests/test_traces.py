"""The traces on flash: written once, reported in chunks, believed only when whole."""

import unittest

from tests.fakes import SERIAL, Role, command, first, make_hal, names, put

from tabledev.app.table import Table
from tablewire import messages as m
from tablewire import roulette

OPENED = [1, 7, 60000]
VOID = [101, 3, 255, 500, 1, -1, 120, 900]
OPEN_STATE = [m.PHASE_BETS_OPEN, m.PHASE_CLOSED]


class Running(Role):
    """A role whose ball is seen at once: its trace does not begin again, and grows long."""

    def circuits(self):
        return 9


def started(files=None, role=Role):
    """(hal, table) of a table that has booted."""
    hal = make_hal(files)
    table = Table(hal, role)
    table.start()
    return hal, table


def play(hal, table, edges=300):
    """One round with so many edges, void, and the exchange after it."""
    out = table.role.out
    out.round_opened(OPENED)
    out.state(OPEN_STATE)
    table.role.phase = roulette.PHASE_BALL_IN_RIM
    for n in range(edges):
        hal.clock.ms += 1
        put(hal.ring, roulette.INPUT_INDEX * 2 + (n & 1), hal.clock.ticks_us())
        if n % 8 == 7:
            table.control()
    table.control()
    out.void(VOID)
    table.role.phase = m.PHASE_CLOSED
    table.exchange()


def reported(hal, table, number, offset=0, boot=1):
    """The frames that answer a fetch."""
    hal.link.frames()
    hal.link.incoming = command(m.FETCH_TRACE, (number, offset), boot=boot)
    table.exchange()
    return [f for f in first(hal.link.frames()) if f.type in (m.TRACE_CHUNK, m.REFUSAL)]


def fetch(hal, table, number, boot=1):
    """The whole trace of a round, chunk after chunk; empty when there is none."""
    data = b""
    while True:
        ((_, offset, total, chunk),) = [
            f.values for f in reported(hal, table, number, len(data), boot)
        ]
        assert offset == len(data)
        data += chunk[: total - offset]
        if len(data) == total:
            return data


class TracesTest(unittest.TestCase):
    def test_a_trace_is_written_once_and_reported_whole(self):
        """The file is what the host gets; a second exchange writes nothing."""
        hal, table = started()
        play(hal, table)
        file = hal.flash.files["trace.1"]
        self.assertEqual(file[:4], b"TWTR")
        self.assertEqual(int.from_bytes(file[8:12], "little"), SERIAL)
        self.assertEqual(int.from_bytes(file[16:20], "little"), 1)
        writes = hal.flash.writes
        table.exchange()
        self.assertEqual(hal.flash.writes, writes)
        self.assertTrue(len(file) > 192)
        self.assertEqual(fetch(hal, table, 1), file)

    def test_a_long_trace_is_written_in_pieces(self):
        """One in 80 ms, so that no step is as long as the watchdog waits; no round opens then.

        A host that asks for it meanwhile gets it once it is whole.
        """
        hal, table = started(role=Running)
        table.interlock.look(table.role, 0)
        sizes = []
        write = hal.flash.write
        hal.flash.write = lambda name, data: sizes.append(len(data)) or write(name, data)
        play(hal, table, 1900)
        whole = table.engine.trace.length
        self.assertTrue(2 * 2048 < whole < 3 * 2048)
        table.interlock.look(table.role, 0)
        self.assertEqual(sizes[-1:], [2048])
        self.assertFalse(table.role.out.may_open())
        self.assertEqual(reported(hal, table, 1), [])
        self.assertEqual(sizes[-1:], [4096])
        self.assertFalse(table.role.out.may_open())
        table.exchange()
        self.assertTrue(whole < sizes[-1] < whole + 5)
        self.assertTrue(table.role.out.may_open())
        (chunk,) = [f for f in first(hal.link.frames()) if f.type == m.TRACE_CHUNK]
        self.assertEqual(chunk.values[:3], (1, 0, sizes[-1]))
        self.assertEqual(fetch(hal, table, 1), hal.flash.files["trace.1"])

    def test_a_trace_the_flash_refuses_is_given_up(self):
        """Once, as a task that stopped; the table plays on."""
        hal, table = started()
        write = hal.flash.write

        def refusing(name, data):
            if name == "trace.1":
                raise OSError(28)
            write(name, data)

        hal.flash.write = refusing
        with self.assertRaises(OSError):
            play(hal, table)
        table.exchange()
        table.interlock.look(table.role, 0)
        self.assertTrue(table.role.out.may_open())

    def test_ten_rounds_are_kept(self):
        """The eleventh takes the place of the first."""
        hal, table = started()
        for _ in range(11):
            play(hal, table, 8)
            table.transmitter.outbox.waiting = 0
            for frame in first(hal.link.frames()):
                table.transmitter.outbox.acknowledge(frame.boot, frame.counter)
        self.assertEqual(fetch(hal, table, 1), b"")
        for number in range(2, 12):
            self.assertEqual(fetch(hal, table, number)[16], number)

    def test_a_trace_outlives_the_boot(self):
        """The next boot reports it under the boot it was recorded in."""
        hal, table = started()
        play(hal, table, 8)
        hal, table = started(hal.flash.files)
        self.assertEqual(fetch(hal, table, 1, boot=2)[12], 1)

    def test_a_torn_trace_is_absent(self):
        """Cut at any byte, or with one bit changed: there is none, and the table plays on."""
        hal, table = started()
        play(hal, table, 8)
        file = hal.flash.files["trace.1"]
        damaged = [file[:n] for n in range(0, len(file), 7)]
        damaged += [
            file[:n] + bytes([file[n] ^ 1]) + file[n + 1 :] for n in range(0, len(file), 5)
        ]
        for data in damaged:
            hal.flash.files["trace.1"] = data
            self.assertEqual(fetch(hal, table, 1), b"")
        table.role.out.round_opened(OPENED)
        self.assertEqual(table.store.round, 2)

    def test_no_trace_of_a_round_that_never_was(self):
        """Total 0, no refusal."""
        hal, table = started()
        self.assertEqual([f.values[:3] for f in reported(hal, table, 5)], [(5, 0, 0)])

    def test_not_while_a_ball_runs(self):
        """Refused with the phases that would do; the trace is not written then either."""
        hal, table = started()
        play(hal, table, 8)
        table.role.phase = roulette.PHASE_BALL_IN_RIM
        (refusal,) = reported(hal, table, 1)
        self.assertEqual(names([refusal]), ["refusal"])
        self.assertEqual(refusal.values[2:6], (m.REFUSAL_WRONG_PHASE, 3, 1, 1))

    def test_a_fetch_begins_between_rounds(self):
        """Its first piece reads the whole trace; with bets open no step reads more than one."""
        hal, table = started()
        play(hal, table)
        reads = []
        part = hal.flash.part
        hal.flash.part = lambda *words: reads.append(words) or part(*words)
        table.role.phase = m.PHASE_BETS_OPEN
        for offset in (0, 192):
            (refusal,) = reported(hal, table, 1, offset)
            self.assertEqual(refusal.values[2:6], (m.REFUSAL_WRONG_PHASE, 2, 1, 1))
        self.assertEqual(reads, [])
        table.role.phase = m.PHASE_CLOSED
        self.assertEqual(names(reported(hal, table, 1)), ["trace_chunk"])
        self.assertTrue(len(reads) > 2)
        del reads[:]
        table.role.phase = m.PHASE_BETS_OPEN
        self.assertEqual(names(reported(hal, table, 1, 192)), ["trace_chunk"])
        self.assertEqual(len(reads), 1)
        self.assertEqual(names(reported(hal, table, 1)), ["refusal"])
        self.assertEqual(names(reported(hal, table, 2, 192)), ["refusal"])


if __name__ == "__main__":
    unittest.main()
