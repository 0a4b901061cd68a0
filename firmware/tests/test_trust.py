"""The key, the session and what it keeps out: each attack refused, counted and reported."""

import unittest

from tests.fakes import KEY, SERIAL, Host, Role, command, keyed, make_hal, names

from tabledev.app.outbox import SLOTS
from tabledev.app.table import Table
from tablewire import codes, roulette
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.seal import Mac
from tablewire.sender import Sender

# Kinds of a tamper record, as PROTOCOL.md numbers them.
KINDS = {
    "unauthenticated": 1,
    "tag": 2,
    "replayed": 3,
    "session": 4,
    "malformed": 5,
    "device": 6,
}
OPENED = [1, 7, 60000]
NEW_KEY = bytes(range(200, 232))
# What a thief would send: money could follow from each.
COMMANDS = (
    (m.OPEN_BETS, ()),
    (m.ACKNOWLEDGE, (1, 2)),
    (m.SET_CONFIGURATION, (roulette.MIN_CIRCUITS, 1)),
    (m.VOID_ROUND, (codes.CROUPIER_VOID,)),
    (m.CLOSE_BETS, ()),
    (m.CLEAR_FAULT, (codes.LINK_TAMPERED,)),
    (m.SET_KEY, (2, 0, NEW_KEY)),
    (m.OFFER_KEY, (2, NEW_KEY)),
    (m.CONFIRM_KEY, (2, NEW_KEY[:16])),
    (m.GET_CONFIGURATION, (1,)),
)


class TrustCase(unittest.TestCase):
    def setUp(self):
        self.hal = make_hal(keyed())
        self.boot()

    def boot(self):
        self.table = Table(self.hal, Role)
        self.table.start()
        self.host = Host(self.hal, self.table)
        self.first = self.hal.link.frames()

    def start(self):
        answer = self.host.start()
        self.role = self.table.role
        return answer

    def attack(self, wire):
        """Send bytes of an attacker; returns the frames that come out in the next two seconds."""
        frames = self.host.exchange(wire)
        for _ in range(26):
            frames += self.host.exchange(b"")
        return frames

    def refused(self):
        """frames_skipped as a heartbeat would tell it."""
        self.table.heartbeat()
        beats = [f for f in self.hal.link.frames() if f.type == m.HEARTBEAT]
        return beats[-1].values[7]

    def tampers(self, frames):
        """(kind, message, counter, count) of each tamper record; all are acknowledged."""
        records = {}
        for frame in frames:
            if frame.type == m.TAMPER:
                records[frame.counter] = frame.values
                self.host.send(m.ACKNOWLEDGE, (frame.boot, frame.counter))
        return [records[counter] for counter in sorted(records)]


class SessionTest(TrustCase):
    def test_before_a_session_there_is_silence(self):
        """But for the identity at boot and in the place of heartbeats: untagged, with zero nonces
        and the key's number."""
        self.assertEqual(names(self.first), ["identity"])
        values = self.first[0].values
        self.assertEqual((values[0], values[6]), (bytes(8), 1))
        self.assertEqual((values[9], values[10]), (bytes(8), 1))
        self.assertEqual(self.first[0].flags, 0)
        self.table.role.out.round_opened(OPENED)
        self.table.exchange()
        self.assertEqual(self.hal.link.sent, b"")
        self.table.heartbeat()
        (hello,) = self.hal.link.frames()
        self.assertEqual((hello.type, hello.values), (m.IDENTITY, values))

    def test_identity_is_sealed_by_the_session_it_offers(self):
        """Two answers differ in their nonce, a count and random bytes; each has a session."""
        self.hal.random = None
        identities = []
        for count in (1, 2):
            self.table.trust._random = lambda n, c=count: bytes([c] * n)
            identity = self.host.identify()
            self.assertEqual(identity.values[0], self.host.nonce)
            self.assertEqual(identity.flags, m.FLAG_AUTHENTICATED)
            identities.append((identity, self.host.pending))
        for place, (identity, _) in enumerate(identities):
            self.assertEqual(identity.values[9], bytes([place + 1, 0, 0, 0] + [place + 1] * 4))
        self.assertTrue(identities[0][0].tag != identities[1][0].tag)

    def test_an_identity_without_memory_leaves_the_session(self):
        """Anyone may ask who is there: a tag allocates, and what follows has that of the host."""
        self.start()
        offer = self.table.trust.offer

        def without_memory(nonce):
            answer = offer(nonce)
            self.table.trust.pending.table = self
            return answer

        self.table.trust.offer = without_memory
        with self.assertRaises(MemoryError):
            self.host.exchange(command(m.IDENTIFY, [bytes(range(8))], device=0, boot=0))
        receiver = Receiver(verify=self.host.session.table.verify)
        self.hal.link.sent = b""
        self.table.heartbeat()
        self.assertEqual(receiver.feed(self.hal.link.sent)[-1].type, m.HEARTBEAT)
        self.assertEqual(receiver.skipped, 0)

    def digest(self, data):
        raise MemoryError

    def test_every_frame_of_a_session_is_sealed(self):
        """session_started first, then what waited, flagged retransmitted, then the rest."""
        self.table.role.out.round_opened(OPENED)
        self.hal.link.receiver = Receiver(verify=self.verify)
        frames = self.start()
        self.assertEqual(names(frames), ["session_started", "round_opened"])
        self.assertEqual(frames[1].flags, 1 | m.FLAG_DURABLE | m.FLAG_RETRANSMITTED)
        self.table.role.out.bets_closed([1, 500])
        self.table.heartbeat()
        frames = self.hal.link.frames()
        self.assertEqual([f.type for f in frames], [m.BETS_CLOSED, m.BOOT_REPORT, m.HEARTBEAT])
        self.assertEqual([f.flags for f in frames], [3, 3, 1])

    def verify(self, frame, body):
        if frame.type != m.IDENTITY:
            self.host.session.table.verify(frame, body)

    def test_commands_of_the_session_are_obeyed(self):
        """An acknowledgement frees the record, a round opens, a value is set."""
        self.table.role.out.round_opened(OPENED)
        _, record = self.start()
        self.host.send(m.ACKNOWLEDGE, (record.boot, record.counter))
        self.assertEqual(self.table.transmitter.outbox.waiting, 0)
        self.host.send(m.OPEN_BETS)
        self.assertEqual(self.role.log, [("open_bets",)])
        answer = self.host.send(m.SET_CONFIGURATION, (roulette.MIN_CIRCUITS, 4))
        self.assertEqual(names(answer), ["configuration_changed", "configuration"])

    def test_a_session_may_be_followed_by_another(self):
        """What waits comes again under the new one; frames under the old one are skipped."""
        self.table.role.out.round_opened(OPENED)
        self.start()
        stale = self.host.build(m.OPEN_BETS)
        self.assertEqual(names(self.start()), ["session_started", "round_opened"])
        self.assertEqual(self.tampers(self.attack(stale)), [])
        self.assertEqual((self.role.log, self.role.active_faults, self.refused()), ([], [], 1))

    def test_a_host_that_loses_the_table_hears_who_has_it(self):
        """Sealed under the session that ends, so it is the table's own word."""
        self.start()
        before = self.host.session
        self.host.identify()
        self.host.session = self.host.pending
        self.host.sender = Sender(SERIAL, 1)
        self.host.sender.mac = self.host.session.host
        wire = self.host.build(m.START_SESSION, [b"pit-8"])
        self.hal.link.receiver = Receiver(verify=before.table.verify)
        ended, refused = self.host.exchange(wire)
        self.assertEqual((ended.type, ended.values[0].rstrip(b"\0")), (m.SESSION_ENDED, b"pit-8"))
        self.assertEqual((refused.reason, refused.frame.type), ("tag", m.SESSION_STARTED))

    def test_a_start_repeated_by_the_host_is_answered_again(self):
        """Its answer may have been lost; the counter has risen."""
        self.start()
        self.assertEqual(
            names(self.host.send(m.START_SESSION, [b"fake host"])), ["session_started"]
        )

    def test_a_boot_ends_the_session(self):
        """Commands of the boot before are skipped, for they may have been on their way; what is
        sealed for this boot before there is a session is not the host's.
        """
        self.start()
        late = self.host.build(m.OPEN_BETS)
        self.boot()
        self.assertEqual(self.attack(late), [])
        stranger = Sender(SERIAL, 2)
        stranger.mac = Mac(bytes(32))
        self.assertEqual(self.attack(stranger.build(m.OPEN_BETS)), [])
        records = self.tampers(self.start())
        self.assertEqual(records, [(KINDS["session"], m.OPEN_BETS, 1, 1)])
        self.assertEqual((self.role.log, self.role.active_faults), ([], []))


class AttackTest(TrustCase):
    def setUp(self):
        super().setUp()
        self.start()

    def locked(self, kind, frames, message, counter=1):
        """The only tamper record, the fault, and nothing done."""
        self.assertEqual(self.role.active_faults, [codes.LINK_TAMPERED])
        raised = [f.values for f in frames if f.type == m.FAULT_RAISED]
        self.assertEqual(raised, [(codes.LINK_TAMPERED, m.UNKNOWN_U8, kind, message)])
        self.assertEqual(self.tampers(frames), [(kind, message, counter, 1)])
        self.assertEqual(self.role.log, [])
        self.assertTrue(self.table.role is self.role)
        self.assertEqual(self.table.trust.number, 1)
        self.assertEqual(self.table.store.config[roulette.MIN_CIRCUITS], 7)
        self.assertEqual(self.refused(), 1)

    def again(self):
        self.hal = make_hal(keyed())
        self.boot()
        self.start()

    def test_a_forged_command(self):
        """CRC right, tag of another key: each command is refused, reported, locks the table."""
        for ident, values in COMMANDS:
            self.again()
            forger = Sender(SERIAL, 1)
            forger.counter = 10
            forger.mac = Mac(bytes(32))
            frames = self.attack(forger.build(ident, values))
            self.locked(KINDS["tag"], frames, ident, 11)

    def test_a_tag_stripped_and_the_flag_cleared(self):
        """The whole command, untagged, under a right CRC."""
        for ident, values in COMMANDS:
            self.again()
            frames = self.attack(command(ident, values, counter=10))
            self.locked(KINDS["unauthenticated"], frames, ident, 11)

    def test_a_replayed_command(self):
        """Bytes that were good once; also the start of the session."""
        for ident, values in ((m.GET_CONFIGURATION, (1,)), (m.START_SESSION, [b"fake host"])):
            self.again()
            wire = self.host.build(ident, values)
            self.host.exchange(wire)
            frames = self.attack(wire)
            self.locked(KINDS["replayed"], frames, ident, 2)

    def test_an_older_counter_than_the_last(self):
        """Held back, and sent after the next."""
        held = self.host.build(m.OPEN_BETS)
        self.host.send(m.GET_CONFIGURATION, (1,))
        self.locked(KINDS["replayed"], self.attack(held), m.OPEN_BETS, 2)

    def test_a_reflected_frame(self):
        """The table's own frames, sent back to it: the direction is bound."""
        self.table.heartbeat()
        self.hal.link.frames()
        self.table.heartbeat()
        wire = self.hal.link.sent
        frames = self.attack(wire)
        beat = [f for f in frames if f.type == m.HEARTBEAT]
        frames = [f for f in frames if f.type != m.HEARTBEAT]
        self.locked(KINDS["tag"], frames, m.HEARTBEAT, beat[0].counter)

    def test_a_command_from_another_boot(self):
        """Sealed for boot 1; the table is at boot 2 and has a session of its own."""
        replay = self.host.build(m.OPEN_BETS)
        self.boot()
        self.start()
        self.locked(KINDS["tag"], self.attack(replay), m.OPEN_BETS, 2)

    def test_a_command_for_another_device(self):
        """Refused and reported; that the line is connected wrongly locks nothing."""
        other = Sender(SERIAL + 1, 1)
        other.mac = self.host.session.host
        for wire in (other.build(m.OPEN_BETS), command(m.IDENTIFY, [bytes(8)], device=5)):
            self.tampers(self.attack(wire))
        self.assertEqual((self.role.log, self.role.active_faults), ([], []))
        self.assertEqual(self.refused(), 2)

    def test_a_truncated_tag(self):
        """8 bytes of the right tag, or none and the flag left: malformed."""
        for length in (0, 8, 15):
            body = bytearray(self.host.build(m.OPEN_BETS))
            sender = Sender(SERIAL, 1)
            sender.counter = self.host.sender.counter - 1
            size = sender.pack(m.OPEN_BETS, (), m.FLAG_AUTHENTICATED)
            tag = self.host.session.host.digest(bytes(sender.buf[1 : 1 + size]))
            sender.buf[1 + size : 1 + size + length] = tag[:length]
            wire = bytes(sender.buf[: sender.close(size + length)])
            self.assertEqual(len(body), len(wire) + 16 - length)
            rows = self.tampers(self.attack(wire))
            self.assertEqual([values[:2] for values in rows], [(KINDS["malformed"], m.OPEN_BETS)])
        self.assertEqual((self.role.log, self.refused()), ([], 3))

    def test_a_downgrade(self):
        """No set_key without a tag, and an identify from anybody changes nothing."""
        for _ in range(3):
            (answer,) = self.host.exchange(command(m.IDENTIFY, [b"attacker"], device=0))
            self.assertEqual((answer.flags, answer.values[6], answer.values[10]), (1, 1, 1))
        self.assertEqual(names(self.host.send(m.GET_CONFIGURATION, (1,))), ["configuration"])
        frames = self.attack(command(m.SET_KEY, (2, 0, NEW_KEY), counter=10))
        self.locked(KINDS["unauthenticated"], frames, m.SET_KEY, 11)

    def test_a_start_that_nobody_sealed(self):
        """Refused and reported; a host that lost a race may have sent it, so nothing locks."""
        forger = Sender(SERIAL, 1)
        forger.mac = self.host.session.table
        frames = self.attack(forger.build(m.START_SESSION, [b"fake host"]))
        self.assertEqual(self.tampers(frames), [(KINDS["tag"], m.START_SESSION, 1, 1)])
        self.assertEqual(self.role.active_faults, [])
        self.host.identify()
        frames = self.attack(forger.build(m.START_SESSION, [b"fake host"]))
        self.assertEqual(len(self.tampers(frames)), 1)
        self.assertEqual(names(self.host.send(m.GET_CONFIGURATION, (1,))), ["configuration"])

    def test_the_start_of_a_session_before(self):
        """It is over: its frames are skipped, and that is no tampering."""
        start = self.host.build(m.START_SESSION, [b"fake host"])
        self.host.start()
        self.host.identify()
        frames = self.attack(start)
        self.assertEqual((self.tampers(frames), self.refused()), ([], 1))
        self.assertEqual(names(self.host.send(m.GET_CONFIGURATION, (1,))), ["configuration"])

    def test_a_field_out_of_range(self):
        """Under the right key it is a newer host's word, and answered; noise is no tampering."""
        host = self.host.sender
        size = host.pack(m.VOID_ROUND, (codes.CROUPIER_VOID,))
        host.buf[size] = 0xFF
        frames = self.attack(bytes(host.buf[: host.close(size)]) + b"noise\0")
        self.assertEqual(self.tampers(frames), [])
        (refusal,) = [frame for frame in frames if frame.type == m.REFUSAL]
        self.assertEqual(refusal.values[:3], (m.VOID_ROUND, 2, m.REFUSAL_NOT_UNDERSTOOD))
        self.assertEqual((self.role.active_faults, self.refused()), ([], 2))

    def test_the_lock_opens_by_a_sealed_command_only(self):
        """And what it stood for is reported as cleared."""
        self.attack(command(m.OPEN_BETS))
        self.attack(command(m.CLEAR_FAULT, (codes.LINK_TAMPERED,)))
        self.assertEqual(self.role.active_faults, [codes.LINK_TAMPERED])
        frames = self.host.send(m.CLEAR_FAULT, (codes.LINK_TAMPERED,))
        self.assertTrue("fault_cleared" in names(frames))
        self.assertEqual(self.role.active_faults, [])

    def test_the_lock_outlives_the_power(self):
        """Raised again at boot."""
        self.attack(command(m.OPEN_BETS))
        self.boot()
        self.start()
        self.assertEqual(self.role.active_faults, [codes.LINK_TAMPERED])


class FloodTest(TrustCase):
    def test_a_flood_is_summed_up(self):
        """A thousand bad frames without a host: one record, one fault, room for rounds."""
        self.start()
        wire = command(m.OPEN_BETS, counter=4) * 2
        for _ in range(500):
            self.host.exchange(wire)
        self.assertEqual(self.table.transmitter.outbox.waiting, 2)
        self.assertEqual(self.table.role.active_faults, [codes.LINK_TAMPERED])
        self.assertEqual(self.refused(), 1000)
        # The host comes back, and the next record tells the rest.
        reported = []
        for _ in range(3):
            for slot_frames in (self.host.start(), self.attack(b"")):
                for frame in slot_frames:
                    if frame.type == m.TAMPER:
                        reported.append((frame.counter, frame.values))
                        self.host.send(m.ACKNOWLEDGE, (frame.boot, frame.counter))
        counts = dict(reported)
        self.assertEqual(sum([values[3] for values in counts.values()]), 1000)
        self.assertEqual(len(counts), 2)

    def test_with_a_host_that_listens_one_a_second(self):
        """Every record acknowledged at once: thirteen exchanges of 80 ms lie between two."""
        self.start()
        reported = 0
        for _ in range(130):
            frames = self.host.exchange(command(m.OPEN_BETS, counter=4))
            reported += len(self.tampers(frames))
        self.assertTrue(5 <= reported <= 10, reported)

    def test_nothing_is_written_while_a_ball_runs(self):
        """The record waits for the end of the round."""
        other = Sender(SERIAL + 1, 1)
        self.start()
        self.role.phase = roulette.PHASE_BALL_IN_RIM
        writes = self.hal.flash.writes
        self.attack(other.build(m.OPEN_BETS))
        self.assertEqual(self.hal.flash.writes, writes)
        self.role.phase = m.PHASE_CLOSED
        self.assertEqual(len(self.tampers(self.attack(b""))), 1)

    def test_a_full_journal_takes_no_tamper_record(self):
        """The places of the open round are never used up."""
        self.start()
        while self.table.transmitter.outbox.room() > 3:
            self.table.transmitter.send_durable(m.BETS_CLOSED, [1, 500])
        other = Sender(SERIAL + 1, 1)
        self.attack(other.build(m.OPEN_BETS))
        self.assertEqual(self.table.transmitter.outbox.room(), 3)
        self.assertEqual(self.table.transmitter.outbox.waiting, SLOTS - 3)


class KeyTest(TrustCase):
    def test_provisioning(self):
        """Without a key the first one comes in the clear; from then on there is no other way."""
        self.hal = make_hal()
        self.boot()
        self.assertEqual(self.first[0].values[6:7] + self.first[0].values[10:], (0, 0))
        self.host.exchange(command(m.SET_KEY, (5, 0, KEY)))
        self.assertEqual(self.table.trust.number, 5)
        self.assertEqual(self.attack(command(m.SET_KEY, (6, 0, NEW_KEY))), [])
        frames = self.host.start()
        self.assertEqual(names(frames), ["session_started", "key_changed", "tamper"])
        self.assertEqual(frames[1].values, (5, 0))
        self.assertEqual(frames[2].values, (KINDS["unauthenticated"], m.SET_KEY, 1, 1))
        self.assertEqual(self.table.trust.number, 5)

    def test_provisioning_with_a_serial(self):
        """The record names the device as it is called from then on, and so does the next boot."""
        self.hal = make_hal()
        self.boot()
        self.host.exchange(command(m.SET_KEY, (1, 0xFFFFFFF0, KEY)))
        frames = self.host.start()
        self.assertEqual(names(frames), ["session_started", "key_changed"])
        self.assertEqual([frame.device for frame in frames], [0xFFFFFFF0] * 2)
        self.boot()
        self.assertEqual(self.first[0].device, 0xFFFFFFF0)
        self.start()

    def test_a_serial_waits_for_the_records(self):
        """What waits names the device as it was."""
        self.hal = make_hal()
        self.boot()
        self.table.transmitter.send_durable(m.BETS_CLOSED, [1, 500])
        frames = self.host.exchange(command(m.SET_KEY, (1, 99, KEY)))
        refusal = [f for f in frames if f.type == m.REFUSAL][0]
        expected = (m.SET_KEY, 1, m.REFUSAL_JOURNAL_FULL, 1, 0, 0, 0)
        self.assertEqual(refusal.values, expected)
        self.assertEqual((self.table.trust.number, self.table.store.serial), (0, SERIAL))

    def test_a_key_is_never_sent_under_a_session(self):
        """It is agreed on (test_rotation.py); with the switch turned it comes untagged."""
        self.start()
        for held in (False, True):
            self.table.trust.held = held
            answer = self.host.send(m.SET_KEY, (2, 0, NEW_KEY))
            self.assertEqual(answer[0].values[2:], (m.REFUSAL_KEY_EXCHANGE, 2, 0, 0, 0))
        self.assertEqual((self.table.trust.number, self.table.trust.key), (1, KEY))

    def test_a_number_that_does_not_rise(self):
        """Old keys do not come back."""
        self.start()
        self.table.trust.held = True
        answer = self.host.exchange(command(m.SET_KEY, (1, 0, NEW_KEY)))
        expected = (m.SET_KEY, 1, m.REFUSAL_OUT_OF_RANGE, 1, 2, 0x7FFFFFFF, 0)
        self.assertEqual(answer[0].values, expected)

    def test_no_new_key_in_a_round(self):
        """Writing to flash can hold up the edges."""
        self.start()
        self.table.trust.held = True
        self.role.phase = m.PHASE_BETS_OPEN
        answer = self.host.exchange(command(m.SET_KEY, (2, 0, NEW_KEY)))
        self.assertEqual(answer[0].values[2:], (m.REFUSAL_ROUND_OPEN, 2, 1, 1, 0))
        self.assertEqual(self.table.trust.number, 1)

    def test_a_lost_key_locks(self):
        """Both copies damaged: 505, and no word of a key until one is given."""
        for name in ("key.0", "key.1"):
            self.hal.flash.files[name] = b"torn"
        self.boot()
        self.assertEqual(self.table.role.active_faults, [codes.MEMORY_DAMAGED])
        self.assertEqual(self.first[0].values[6:7] + self.first[0].values[10:], (0, 0))
        self.boot()
        self.assertEqual(self.table.role.active_faults, [codes.MEMORY_DAMAGED])

    def test_a_key_that_rots_locks_and_is_written_anew(self):
        """The session goes on from memory."""
        self.start()
        for name in ("key.0", "key.1"):
            self.hal.flash.files[name] = b"torn"
        self.assertFalse(self.table.trust.verify_memory())
        self.role.raise_fault(codes.MEMORY_DAMAGED, m.UNKNOWN_U8, 0, 1, 0)
        self.host.send(m.CLEAR_FAULT, (codes.MEMORY_DAMAGED,))
        self.assertTrue(self.table.trust.verify_memory())
        self.boot()
        self.start()

    def test_without_a_key_nothing_is_sealed(self):
        """The bench: tagged frames and starts of sessions are skipped."""
        self.hal = make_hal()
        self.boot()
        (answer,) = self.host.exchange(command(m.IDENTIFY, [b"whoareyo"]))
        self.assertEqual((answer.flags, answer.values[9]), (0, bytes(8)))
        self.assertEqual(self.host.exchange(command(m.START_SESSION, [b"fake host"])), [])
        self.assertEqual(
            names(self.host.exchange(command(m.GET_CONFIGURATION, (1,)))), ["configuration"]
        )
        self.assertEqual(self.refused(), 0)


if __name__ == "__main__":
    unittest.main()
