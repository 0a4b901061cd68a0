"""The host's silence as a table sees it: an echo of its own clock, whatever the line does."""

import unittest

from tests.fakes import Host, Role, command, keyed, make_hal, names

from tabledev.app.table import Table
from tablewire import messages as m
from tablewire import roulette

OPENED = [1, 7, 60000]


class HostCase(unittest.TestCase):
    """A keyed table in session with a host, one second after boot."""

    def setUp(self):
        self.hal = make_hal(keyed())
        self.table = Table(self.hal, Role)
        self.table.start()
        self.host = Host(self.hal, self.table)
        self.pass_ms(1000)
        self.hal.link.frames()
        self.host.start()
        self.role = self.table.role
        self.token = 0

    def pass_ms(self, ms):
        """Let time pass in steps of the exchange."""
        for _ in range(0, ms, 80):
            self.hal.clock.ms += 80
            self.table.exchange()

    def beacon(self, age_ms=0, token=None):
        """The bytes of a beacon that was made age_ms ago by the table's clock."""
        self.token += 1
        sender = self.host.sender
        sender.echo = self.table.transmitter.uptime_ms() - age_ms - 20
        sender.echo_ms = 20
        return self.host.build(m.BEACON, [token or self.token])

    def open(self):
        """Bets are open."""
        self.role.out.round_opened(OPENED)
        self.role.phase = m.PHASE_BETS_OPEN
        self.role.log = []

    def closed(self):
        """Whether the role has been asked to close the bets because the host is silent."""
        return ("close_bets", m.CLOSE_CAUSE_HOST_SILENT) in self.role.log


class EchoTest(HostCase):
    def test_every_frame_echoes_the_newest_token(self):
        """With the time since it arrived; a frame before the first beacon echoes nothing."""
        self.table.heartbeat()
        for frame in self.hal.link.frames():
            self.assertEqual((frame.echo, frame.echo_ms), (0, 65535))
        self.host.exchange(self.beacon(token=77))
        self.hal.clock.ms += 130
        self.table.heartbeat()
        self.role.out.bets_closed([m.CLOSE_CAUSE_COMMAND, 0])
        for frame in self.hal.link.frames():
            self.assertEqual((frame.echo, frame.echo_ms), (77, 130))
        self.host.exchange(self.beacon(token=m.LAST_TOKEN))
        self.table.heartbeat()
        beat = self.hal.link.frames()[-1]
        self.assertEqual((beat.echo, beat.echo_ms), (m.LAST_TOKEN, 0))

    def test_a_repeated_record_keeps_the_echo_of_its_making(self):
        self.host.exchange(self.beacon(token=5))
        self.role.out.bets_closed([m.CLOSE_CAUSE_COMMAND, 0])
        self.hal.link.frames()
        self.host.exchange(self.beacon(token=6))
        self.pass_ms(2400)
        repeats = [f for f in self.hal.link.frames() if f.flags & m.FLAG_RETRANSMITTED]
        self.assertEqual({f.echo for f in repeats if f.type == m.BETS_CLOSED}, {5})

    def test_a_forged_or_replayed_beacon_is_not_echoed(self):
        first = self.beacon(token=5)
        self.host.exchange(first)
        self.host.exchange(self.beacon(token=6))
        self.host.exchange(first)
        self.host.exchange(command(m.BEACON, [9], counter=90))
        self.table.heartbeat()
        beat = [f for f in self.hal.link.frames() if f.type == m.HEARTBEAT][-1]
        self.assertEqual(beat.echo, 6)


class SilenceTest(HostCase):
    def test_bets_close_two_seconds_after_the_last_beacon(self):
        self.host.exchange(self.beacon())
        self.open()
        self.pass_ms(1920)
        self.assertFalse(self.closed())
        self.pass_ms(160)
        self.assertTrue(self.closed())

    def test_beacons_keep_them_open(self):
        self.open()
        for _ in range(40):
            self.host.exchange(self.beacon(age_ms=400))
            self.pass_ms(240)
        self.assertFalse(self.closed())

    def test_a_beacon_that_was_held_back_counts_from_its_making(self):
        """Genuine, in order, and each delayed by a little more than the one before."""
        self.host.exchange(self.beacon())
        self.open()
        delay_ms = 0
        for _ in range(20):
            self.host.exchange(self.beacon(age_ms=delay_ms))
            delay_ms += 120
            self.pass_ms(240)
            if self.closed():
                break
        self.assertTrue(1800 < delay_ms < 2400)

    def test_a_silent_host_opens_nothing_and_is_reported_why(self):
        """Neither the role by itself nor an order that was held back; a fresh one does."""
        held = self.beacon()
        stale = self.host.build(m.OPEN_BETS)
        self.host.exchange(held)
        self.pass_ms(3200)
        self.role.answer = m.REFUSAL_JOURNAL_FULL
        self.assertFalse(self.table.interlock.may_open())
        (refusal,) = [f for f in self.host.exchange(stale) if f.type == m.REFUSAL]
        self.assertEqual(refusal.values[2], m.REFUSAL_STALE)
        self.assertTrue(3200 <= refusal.values[3] <= 3300)
        self.assertEqual(refusal.values[4:6], (0, 2000))
        self.host.exchange(self.beacon())
        self.assertFalse(self.table.host.is_silent)

    def test_a_silence_of_a_week_is_still_one(self):
        """The clock of milliseconds wraps meanwhile."""
        self.host.exchange(self.beacon())
        self.pass_ms(3200)
        for _ in range(14):
            self.hal.clock.ms += 12 * 3600 * 1000
            self.assertTrue(self.table.host.check())
        self.host.exchange(self.beacon(age_ms=2400))
        self.assertTrue(self.table.host.is_silent)
        self.host.exchange(self.beacon())
        self.assertFalse(self.table.host.is_silent)

    def test_a_host_without_beacons_promises_nothing(self):
        """A monitor, or the bench: its silence closes no bets."""
        self.open()
        self.pass_ms(8000)
        self.assertFalse(self.closed())

    def test_the_next_session_starts_without_a_promise(self):
        self.host.exchange(self.beacon())
        self.pass_ms(3200)
        self.assertTrue(self.table.host.is_silent)
        self.host.start()
        self.assertFalse(self.table.host.is_silent)

    def test_an_echo_from_the_future_is_ignored(self):
        """No host frame can echo an uptime which this table has not shown."""
        self.host.exchange(self.beacon())
        self.pass_ms(1600)
        self.host.exchange(self.beacon(age_ms=-5000))
        self.pass_ms(480)
        self.assertTrue(self.table.host.is_silent)


class NotUnderstoodTest(HostCase):
    def test_a_command_of_a_newer_host_is_answered(self):
        """Sealed and unknown: a refusal that names both minor versions, and no suspicion."""
        sender = self.host.sender
        length = sender.pack(m.BEACON, [1])
        sender.buf[2] = 0x5F
        wire = bytes(sender.buf[: sender.close(length)])
        replies = self.host.exchange(wire)
        self.assertEqual(names(replies), ["refusal"])
        self.assertEqual(
            replies[0].values[:4], (0x5F, sender.counter, m.REFUSAL_NOT_UNDERSTOOD, m.MINOR)
        )
        self.pass_ms(2000)
        self.assertEqual(self.role.active_faults, [])

    def test_a_longer_command_is_obeyed(self):
        """A field that a later minor version appended is ignored."""
        sender = self.host.sender
        length = sender.pack(m.GET_CONFIGURATION, [1])
        sender.buf[length + 1] = 99
        wire = bytes(sender.buf[: sender.close(length + 1)])
        self.assertEqual(names(self.host.exchange(wire)), ["configuration"])


class LockTest(HostCase):
    """When an attack locks the table: at once, or after the round whose bets are closed."""

    FORGED = command(m.VOID_ROUND, [403], round=1, counter=90)

    def test_between_rounds_and_while_bets_are_open_it_locks_at_once(self):
        for phase in (m.PHASE_CLOSED, m.PHASE_BETS_OPEN):
            self.role.active_faults = []
            self.role.phase = phase
            self.host.exchange(self.FORGED)
            self.assertEqual(self.role.active_faults, [506])

    def test_from_no_more_bets_on_the_round_is_finished_first(self):
        """Or one forged frame after the ball has dropped would undo any loss."""
        for phase in (m.PHASE_NO_MORE_BETS, roulette.PHASE_DROPPED):
            self.role.active_faults = []
            self.role.phase = phase
            for _ in range(3):
                self.host.exchange(self.FORGED)
            self.pass_ms(20000)
            self.assertEqual(self.role.active_faults, [])
            self.role.phase = m.PHASE_CLOSED
            self.pass_ms(80)
            self.assertEqual(self.role.active_faults, [506])

    def test_a_round_that_opens_right_after_is_void(self):
        self.role.phase = roulette.PHASE_DROPPED
        self.host.exchange(self.FORGED)
        self.role.phase = m.PHASE_BETS_OPEN
        self.pass_ms(80)
        self.assertEqual(self.role.active_faults, [506])


if __name__ == "__main__":
    unittest.main()
