"""Agreeing on the next key: every order of commands, every thief who may read or write."""

import unittest

from tests.fakes import KEY, SERIAL, Host, Role, command, keyed, make_hal, names, random_bytes

from tabledev.app.table import Table
from tablewire import codes
from tablewire import messages as m
from tablewire.rotation import agreed
from tablewire.x25519 import BASE_POINT, finish, multiply

# The host's one-time secrets; those of the table come from its random source.
SECRET, OTHER = bytes(range(1, 33)), bytes(range(64, 96))
WRONG = bytes(16)
LAST = 0x7FFFFFFF


def public_of(secret):
    return finish(multiply(secret, BASE_POINT))


PUBLIC = public_of(SECRET)


class RotationCase(unittest.TestCase):
    def setUp(self):
        self.hal = make_hal(keyed())
        self.boot()
        self.host.start()

    def boot(self, key=KEY):
        self.table = Table(self.hal, Role)
        self.table.start()
        self.hal.link.frames()
        self.host = Host(self.hal, self.table, key)

    def compute(self):
        """Give the table all its spare time; returns the frames that come."""
        while self.table.work():
            pass
        return self.hal.link.frames()

    def offer(self, number=2, public=PUBLIC):
        """Offer; returns the values of the answer."""
        self.assertEqual(names(self.host.send(m.OFFER_KEY, (number, public))), [])
        (answer,) = self.compute()
        self.assertEqual(answer.type, m.KEY_ANSWER)
        return answer.values

    def agreed(self, answer, secret=SECRET, key=KEY):
        """What the host makes of an answer: the key, the table's proof, its own."""
        number, public, _ = answer
        shared = finish(multiply(secret, public))
        return agreed(key, shared, SERIAL, number, public_of(secret), public)

    def confirm(self, number, proof):
        return self.host.send(m.CONFIRM_KEY, (number, proof))

    def assert_refusal(self, frames, ident, cause, value, low, high):
        (refusal,) = [frame for frame in frames if frame.type == m.REFUSAL]
        values = refusal.values
        self.assertEqual((values[0],) + tuple(values[2:6]), (ident, cause, value, low, high))
        self.assertEqual(self.table.trust.number, 1)


class AgreeTest(RotationCase):
    def test_both_ends_have_the_same_key(self):
        """Proved by both before the table stores it; the old key is dead from the next session."""
        answer = self.offer()
        key, proof, ours = self.agreed(answer)
        self.assertEqual((answer[0], answer[2]), (2, proof))
        self.assertEqual(self.table.trust.number, 1)
        frames = self.confirm(2, ours)
        self.assertEqual(names(frames), ["key_changed"])
        self.assertEqual(frames[0].values, (2, 1))
        self.assertEqual(names(self.host.send(m.GET_CONFIGURATION, (1,))), ["configuration"])
        self.boot(key)
        self.assertEqual(names(self.host.start())[0], "session_started")
        self.boot(KEY)
        self.assertEqual(self.host.start(), [])

    def test_a_flash_that_refuses_a_copy(self):
        """The program ends before another key of that number is agreed on; a boot has either."""
        for error in (OSError(5), MemoryError()):
            for place, number in ((0, 1), (1, 2), (2, 2)):
                self.setUp()
                key, _, ours = self.agreed(self.offer())
                write, left = self.hal.flash.write, [place]

                def refuse(name, data, write=write, left=left, error=error):
                    left[0] -= 1
                    if left[0] == -1:
                        raise error
                    write(name, data)

                self.hal.flash.write = refuse
                try:
                    self.confirm(2, ours)
                except OSError:
                    pass
                self.assertTrue(self.table.unfinished)
                self.hal.flash.write = write
                self.boot(KEY if number == 1 else key)
                self.assertEqual(names(self.host.start())[0], "session_started")

    def test_the_number_may_skip(self):
        """And the last one is a number like any other."""
        key, _, ours = self.agreed(self.offer(number=LAST))
        self.confirm(LAST, ours)
        self.assertEqual((self.table.trust.number, self.table.trust.key), (LAST, key))

    def test_a_lost_answer(self):
        """The same offer again gives the same answer, at once."""
        answer = self.offer()
        (again,) = self.host.send(m.OFFER_KEY, (2, PUBLIC))
        self.assertEqual((again.type, again.values), (m.KEY_ANSWER, answer))
        self.assertFalse(self.table.work())

    def test_an_offer_repeated_while_the_table_computes(self):
        """It goes on where it was."""
        self.host.send(m.OFFER_KEY, (2, PUBLIC))
        for _ in range(100):
            self.assertTrue(self.table.work())
        self.host.send(m.OFFER_KEY, (2, PUBLIC))
        left = 1
        while self.table.work():
            left += 1
        # Two multiplications of 155 steps, and the call that finds the end.
        self.assertEqual(left, 2 * 155 + 1 - 100)
        (answer,) = self.hal.link.frames()
        self.assertEqual(self.agreed(answer.values)[1], answer.values[2])

    def test_a_lost_confirmation(self):
        """The same one again is taken once; after that it is refused, and nothing changes."""
        key, _, ours = self.agreed(self.offer())
        self.assertEqual(names(self.confirm(2, ours)), ["key_changed"])
        writes = self.hal.flash.writes
        frames = self.confirm(2, ours)
        (refusal,) = [frame for frame in frames if frame.type == m.REFUSAL]
        self.assertEqual(refusal.values[2:6], (m.REFUSAL_KEY_EXCHANGE, 2, 0, 0))
        self.assertEqual((self.hal.flash.writes, self.table.trust.key), (writes, key))

    def test_a_second_offer_takes_the_place_of_the_first(self):
        """Whichever of the two was answered: only the last one can be confirmed."""
        _, _, first = self.agreed(self.offer())
        answer = self.offer(2, public_of(OTHER))
        key, _, second = self.agreed(answer, OTHER)
        refused = (m.CONFIRM_KEY, m.REFUSAL_KEY_EXCHANGE, 2, 2, 2)
        self.assert_refusal(self.confirm(2, first), *refused)
        self.confirm(2, second)
        self.assertEqual(self.table.trust.key, key)

    def test_between_rounds_only(self):
        """An offer and a confirmation in a round are refused; the computation waits."""
        self.role = self.table.role
        self.host.send(m.OFFER_KEY, (2, PUBLIC))
        self.role.phase = m.PHASE_BETS_OPEN
        self.assertFalse(self.table.work())
        refused = (m.REFUSAL_ROUND_OPEN, 2, 1, 1)
        self.assert_refusal(self.host.send(m.OFFER_KEY, (2, PUBLIC)), m.OFFER_KEY, *refused)
        self.role.phase = m.PHASE_CLOSED
        (answer,) = self.compute()
        _, _, ours = self.agreed(answer.values)
        self.role.phase = m.PHASE_NO_MORE_BETS
        refused = (m.REFUSAL_ROUND_OPEN, 4, 1, 1)
        self.assert_refusal(self.confirm(2, ours), m.CONFIRM_KEY, *refused)
        self.role.phase = m.PHASE_CLOSED
        self.assertEqual(names(self.confirm(2, ours)), ["key_changed"])

    def test_a_number_that_does_not_rise(self):
        """Old keys do not come back."""
        frames = self.host.send(m.OFFER_KEY, (1, PUBLIC))
        self.assert_refusal(frames, m.OFFER_KEY, m.REFUSAL_OUT_OF_RANGE, 1, 2, LAST)

    def test_a_full_journal(self):
        """There has to be a place for the record of it, before anything is computed."""
        _, _, ours = self.agreed(self.offer())
        while self.table.transmitter.outbox.room():
            self.table.transmitter.send_durable(m.BETS_CLOSED, [1, 500])
        waiting = self.table.transmitter.outbox.waiting
        self.hal.link.frames()
        refused = (m.REFUSAL_JOURNAL_FULL, waiting, 0, waiting - 1)
        self.assert_refusal(self.confirm(2, ours), m.CONFIRM_KEY, *refused)
        frames = self.host.send(m.OFFER_KEY, (3, PUBLIC))
        self.assert_refusal(frames, m.OFFER_KEY, *refused)


class AttackTest(RotationCase):
    def test_a_wrong_proof(self):
        """Nothing, the table's own, and one of another number store no key."""
        answer = self.offer()
        _, theirs, ours = self.agreed(answer)
        for number, proof in ((2, WRONG), (2, theirs), (3, ours)):
            refused = (m.CONFIRM_KEY, m.REFUSAL_KEY_EXCHANGE, number, 2, 2)
            self.assert_refusal(self.confirm(number, proof), *refused)
        self.assertEqual(names(self.confirm(2, ours)), ["key_changed"])

    def test_a_confirmation_of_nothing(self):
        """Without an offer, and before its answer is computed."""
        refused = (m.CONFIRM_KEY, m.REFUSAL_KEY_EXCHANGE, 2)
        self.assert_refusal(self.confirm(2, WRONG), *refused, 0, 0)
        self.host.send(m.OFFER_KEY, (2, PUBLIC))
        self.assert_refusal(self.confirm(2, WRONG), *refused, 2, 2)
        self.assert_refusal(self.confirm(2, b""), *refused, 2, 2)

    def test_points_of_small_order(self):
        """They would make the secret known to all: refused, and the table goes on."""
        for low in (bytes(32), b"\x01" + bytes(31), b"\xec" + b"\xff" * 30 + b"\x7f"):
            self.assertEqual(names(self.host.send(m.OFFER_KEY, (2, low))), [])
            refused = (m.OFFER_KEY, m.REFUSAL_KEY_EXCHANGE, 2, 0, 0)
            self.assert_refusal(self.compute(), *refused)
            self.assertFalse(self.table.work())
        _, _, ours = self.agreed(self.offer())
        self.assertEqual(names(self.confirm(2, ours)), ["key_changed"])

    def test_a_restart_ends_it(self):
        """What was confirmed before and arrives after belongs to a session that is gone."""
        _, _, ours = self.agreed(self.offer())
        late = self.host.build(m.CONFIRM_KEY, (2, ours))
        self.boot()
        self.host.start()
        self.host.exchange(late)
        refused = (m.CONFIRM_KEY, m.REFUSAL_KEY_EXCHANGE, 2, 0, 0)
        self.assert_refusal(self.confirm(2, ours), *refused)

    def test_a_new_session_ends_it(self):
        """So a host that has begun one under the old key knows that the table will not change."""
        _, _, ours = self.agreed(self.offer())
        late = self.host.build(m.CONFIRM_KEY, (2, ours))
        self.host.start()
        self.host.exchange(late)
        refused = (m.CONFIRM_KEY, m.REFUSAL_KEY_EXCHANGE, 2, 0, 0)
        self.assert_refusal(self.confirm(2, ours), *refused)

    def test_a_new_session_ends_the_computation(self):
        """Nothing is sent to a host that did not offer."""
        self.host.send(m.OFFER_KEY, (2, PUBLIC))
        self.host.start()
        self.assertEqual(self.compute(), [])

    def test_replayed_commands(self):
        """The host's own bytes a second time: tampering; in the next session they are ignored."""
        wire = self.host.build(m.OFFER_KEY, (2, PUBLIC))
        self.host.exchange(wire)
        self.compute()
        self.host.exchange(wire)
        self.assertEqual(self.table.role.active_faults, [codes.LINK_TAMPERED])
        self.assertFalse(self.table.work())
        self.host.start()
        self.host.exchange(wire)
        self.assertTrue(self.table.trust.rotation is None)
        self.assertFalse(self.table.work())

    def test_a_man_in_the_middle_without_the_key(self):
        """He puts his public key in the place of the host's: without the tag it is tampering."""
        for wire in (
            command(m.OFFER_KEY, (2, public_of(OTHER)), counter=10),
            command(m.CONFIRM_KEY, (2, WRONG), counter=11),
        ):
            self.host.exchange(wire)
            self.assertEqual(self.table.role.active_faults, [codes.LINK_TAMPERED])
            self.assertFalse(self.table.work())
            self.host.send(m.CLEAR_FAULT, (codes.LINK_TAMPERED,))
        self.assertEqual(self.table.trust.number, 1)

    def test_a_table_without_a_key(self):
        """It has nothing that could authenticate the offer."""
        self.hal = make_hal()
        self.boot()
        for ident, values in ((m.OFFER_KEY, (2, PUBLIC)), (m.CONFIRM_KEY, (2, WRONG))):
            frames = self.host.exchange(command(ident, values))
            (refusal,) = [frame for frame in frames if frame.type == m.REFUSAL]
            self.assertEqual(refusal.values[2:4], (m.REFUSAL_KEY_EXCHANGE, 2))
        self.assertFalse(self.table.work())


class ThiefTest(RotationCase):
    """What the present key and a recording of the whole line give."""

    def test_a_recorder_with_the_old_key_cannot_compute_the_new_one(self):
        """Of all he can compute nothing is the key; with one of the one-time secrets he could."""
        answer = self.offer()
        key, proof, ours = self.agreed(answer)
        _, public, _ = answer
        session = self.host.session
        known = (
            b"",
            bytes(32),
            KEY,
            PUBLIC,
            public,
            BASE_POINT,
            proof,
            ours,
            proof + ours,
            bytes([one ^ other for one, other in zip(PUBLIC, public)]),
            session.table.digest(PUBLIC),
            session.host.digest(public),
            finish(multiply(KEY, public)),
            finish(multiply(KEY, PUBLIC)),
            finish(multiply(PUBLIC, public)),
            finish(multiply(public, PUBLIC)),
        )
        for shared in known:
            for used in known:
                for part in agreed(used, shared, SERIAL, 2, PUBLIC, public):
                    self.assertTrue(part[:16] not in (key[:16], key[16:]))
        shared = finish(multiply(SECRET, public))
        self.assertEqual(agreed(KEY, shared, SERIAL, 2, PUBLIC, public)[0], key)

    def test_an_active_thief_of_the_old_key_is_not_kept_out(self):
        """He answers in the place of the host and agrees on a key of his own: SECURITY.md."""
        thief = self.offer(2, public_of(OTHER))
        key, _, ours = self.agreed(thief, OTHER)
        self.confirm(2, ours)
        self.assertEqual(self.table.trust.key, key)


class WeakRandomTest(RotationCase):
    """A source that returns the same bytes for ever: the fake board's does."""

    def test_nonces_carry_a_counter(self):
        self.assertEqual(self.hal.random, random_bytes)
        nonces = [self.host.identify().values[9] for _ in range(5)]
        self.assertEqual([nonce[4:] for nonce in nonces], [random_bytes(4)] * 5)
        counts = [int.from_bytes(nonce[:4], "little") for nonce in nonces]
        self.assertEqual(counts, [counts[0] + n for n in range(5)])

    def test_sessions_have_keys_of_their_own(self):
        """Although the nonces of the host repeat as well, within a boot and from boot to boot."""
        keys = set()
        for _ in range(3):
            self.boot()
            for _ in range(3):
                self.host._count = 0
                self.host.start()
                session = self.host.session
                keys.add(session.table.digest(b""))
                keys.add(session.host.digest(b""))
        self.assertEqual(len(keys), 18)

    def test_one_time_secrets_never_repeat(self):
        """Neither within a boot nor over one, nor under another key."""
        secrets = set()
        for files in (None, None, keyed(1, OTHER)):
            if files:
                self.hal = make_hal(files)
            self.boot(OTHER if files else KEY)
            self.host.start()
            for number in (2, 3):
                secrets.add(self.offer(number)[1])
        self.assertEqual(len(secrets), 6)


if __name__ == "__main__":
    unittest.main()
