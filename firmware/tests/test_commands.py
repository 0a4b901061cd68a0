"""Commands of the host: each one obeyed, and each refusal with its cause and limits."""

import unittest

from tests.commanded import Commanded
from tests.fakes import SERIAL, command, names

from tablewire import codes
from tablewire import messages as m

NONCE = b"\x01\x02\x03\x04\x05\x06\x07\x08"
OPENED = [1, 7, 60000]


class CommandsTest(Commanded):
    def refusal(self, frames):
        """(command, cause, value, low, high) of the only answer; no key contradicts it."""
        self.assertEqual(names(frames), ["refusal"])
        values = frames[0].values
        self.assertEqual(values[6], 0)
        return (values[0],) + values[2:6]

    def open_round(self):
        self.role.out.round_opened(OPENED)
        self.role.phase = m.PHASE_BETS_OPEN
        self.hal.link.frames()

    def test_identify_is_answered_with_its_nonce(self):
        """By this device, by whoever is there, whatever the boot; not by another device."""
        for header in ({}, {"device": 0, "boot": 0}, {"boot": 99}):
            answer = self.send(m.IDENTIFY, [NONCE], **header)
            self.assertEqual(names(answer), ["identity"])
            self.assertEqual(answer[0].values[0], NONCE)
            self.assertEqual((answer[0].device, answer[0].boot), (SERIAL, 1))
        self.assertEqual(self.send(m.IDENTIFY, [NONCE], device=SERIAL + 1), [])
        self.assertEqual(self.table.commands.skipped, 1)

    def test_another_device_is_not_spoken_for(self):
        """What is meant for somebody else, or for nobody, is skipped and counted."""
        for device in (SERIAL + 1, 0):
            self.assertEqual(self.send(m.OPEN_BETS, device=device), [])
        self.assertEqual((self.table.commands.skipped, self.role.log), (2, []))

    def test_another_boot_is_refused(self):
        """The refusal names the boot given and the one that would have done."""
        for ident, values in ((m.OPEN_BETS, ()), (m.SET_CONFIGURATION, (8, 4))):
            answer = self.send(ident, values, boot=2)
            self.assertEqual(self.refusal(answer), (ident, m.REFUSAL_WRONG_BOOT, 2, 1, 1))
        answer = self.send(m.OPEN_BETS, boot=0xFFFFFFFF)
        self.assertEqual(self.refusal(answer), (m.OPEN_BETS, m.REFUSAL_WRONG_BOOT, -1, 1, 1))
        self.assertEqual(self.role.log, [])

    def test_the_refusal_names_the_command(self):
        """By its type and its counter."""
        answer = self.send(m.OPEN_BETS, boot=2, counter=41)
        self.assertEqual(answer[0].values[:2], (m.OPEN_BETS, 42))

    def test_a_lock_without_memory_is_not_refused(self):
        """The fault is there before its record: it stops the task, which voids the round."""

        def save(values):
            raise MemoryError

        self.open_round()
        self.table.store._fault_slots.save = save
        self.hal.link.incoming = command(m.LOCK)
        self.assertRaises(MemoryError, self.table.exchange)
        self.assertEqual(self.role.active_faults, [codes.FIRMWARE_MISMATCH])
        self.assertEqual(names(self.hal.link.frames()), [])

    def test_a_command_without_memory_is_refused_with_the_bytes(self):
        """Asked for in one piece, and free in all; the next command is obeyed as ever."""

        def load(frame, refuse):
            raise MemoryError("memory allocation failed, allocating 1344 bytes")

        self.table.commands._others[m.SELF_TEST] = load
        free = self.hal.free_bytes()
        self.assertEqual(
            self.refusal(self.send(m.SELF_TEST, (0,))),
            (m.SELF_TEST, m.REFUSAL_NO_MEMORY, 1344, 0, free),
        )
        self.assertEqual(names(self.send(m.GET_CONFIGURATION, (1,))), ["configuration"])

    def test_long_work_without_memory_ends_with_a_refusal(self):
        """The command that began it is named; it is not tried again."""

        def work():
            yield
            raise MemoryError("memory allocation failed, allocating 600 bytes")

        self.send(m.GET_CONFIGURATION, (1,))
        frame = command(m.ATTEST, (NONCE, 9))
        self.table.commands._others[m.ATTEST] = lambda asked, refuse: self.table.start_job(
            work(), asked
        )
        self.hal.link.incoming = frame
        self.table.exchange()
        self.hal.link.frames()
        self.table.exchange()
        command_type, cause, asked, _, _ = self.refusal(self.hal.link.frames())
        self.assertEqual((command_type, cause, asked), (m.ATTEST, m.REFUSAL_NO_MEMORY, 600))
        self.table.exchange()
        self.assertEqual(self.hal.link.frames(), [])

    def test_open_bets_is_for_the_coming_round(self):
        """Its number or none; any other is refused."""
        self.send(m.OPEN_BETS)
        self.send(m.OPEN_BETS, round=1)
        self.assertEqual(self.role.log, [("open_bets",), ("open_bets",)])
        answer = self.send(m.OPEN_BETS, round=2)
        self.assertEqual(self.refusal(answer), (m.OPEN_BETS, m.REFUSAL_WRONG_ROUND, 2, 1, 1))
        self.open_round()
        answer = self.send(m.OPEN_BETS, round=1)
        self.assertEqual(self.refusal(answer), (m.OPEN_BETS, m.REFUSAL_WRONG_ROUND, 1, 2, 2))

    def test_close_and_void_are_for_the_round_that_is_open(self):
        """With the cause `command` and the reason of the host; another round is refused."""
        self.open_round()
        self.assertEqual(self.send(m.CLOSE_BETS, round=1), [])
        self.assertEqual(self.send(m.VOID_ROUND, [codes.CROUPIER_VOID], round=1), [])
        expected = [("close_bets", m.CLOSE_CAUSE_COMMAND), ("void_round", codes.CROUPIER_VOID)]
        self.assertEqual(self.role.log, expected)
        for ident, values in ((m.CLOSE_BETS, ()), (m.VOID_ROUND, (codes.CROUPIER_VOID,))):
            for number in (0, 2):
                answer = self.send(ident, values, round=number)
                expected = (ident, m.REFUSAL_WRONG_ROUND, number, 1, 1)
                self.assertEqual(self.refusal(answer), expected)

    def test_what_the_role_refuses_is_answered(self):
        """With the phase and the phases that would have done, or the faults, or the records."""
        self.role.answer = m.REFUSAL_WRONG_PHASE
        self.assertEqual(
            self.refusal(self.send(m.OPEN_BETS))[1:], (m.REFUSAL_WRONG_PHASE, 1, 1, 1)
        )
        answer = self.send(m.CLOSE_BETS)
        self.assertEqual(self.refusal(answer)[1:], (m.REFUSAL_WRONG_PHASE, 1, 2, 3))
        answer = self.send(m.VOID_ROUND, [codes.CROUPIER_VOID])
        self.assertEqual(self.refusal(answer)[1:], (m.REFUSAL_WRONG_PHASE, 1, 2, 5))
        self.role.answer = m.REFUSAL_FAULT_ACTIVE
        self.role.active_faults = [codes.TILT]
        answer = self.send(m.OPEN_BETS)
        self.assertEqual(self.refusal(answer)[1:], (m.REFUSAL_FAULT_ACTIVE, 1, 0, 0))
        self.role.answer = m.REFUSAL_JOURNAL_FULL
        answer = self.send(m.OPEN_BETS)
        self.assertEqual(self.refusal(answer)[1:], (m.REFUSAL_JOURNAL_FULL, 0, 0, 32))

    def test_an_acknowledged_record_is_repeated_no_more(self):
        """By the boot and counter of the record."""
        self.role.out.round_opened(OPENED)
        record = self.hal.link.frames()[0]
        self.assertEqual(self.send(m.ACKNOWLEDGE, [record.boot + 1, record.counter]), [])
        self.assertEqual(self.table.transmitter.outbox.waiting, 1)
        self.assertEqual(self.send(m.ACKNOWLEDGE, [record.boot, record.counter]), [])
        self.assertEqual(self.table.transmitter.outbox.waiting, 0)
        self.hal.clock.ms += 5000
        self.table.exchange()
        self.assertEqual(self.hal.link.frames(), [])

    def test_what_is_no_command_is_counted(self):
        """Messages of a table, flags nobody can check, and broken bytes."""
        self.assertEqual(self.send(m.STATE, [1, 2]), [])
        self.assertEqual(self.send(m.OPEN_BETS, flags=m.FLAG_DURABLE), [])
        self.hal.link.incoming = b"noise\x00" + command(m.IDENTIFY, [NONCE])[:-3] + b"\x00"
        self.table.exchange()
        self.assertEqual(self.hal.link.frames(), [])
        self.table.heartbeat()
        self.assertEqual(self.hal.link.frames()[-1].values[7], 4)
        self.assertEqual(self.role.log, [])

    def test_commands_in_pieces(self):
        """A command may come byte by byte, and several at once."""
        wire = command(m.IDENTIFY, [NONCE])
        for place in range(len(wire)):
            self.hal.link.incoming = wire[place : place + 1]
            self.table.exchange()
        self.assertEqual(names(self.hal.link.frames()), ["identity"])
        self.hal.link.incoming = wire * 3
        self.table.exchange()
        self.assertEqual(names(self.hal.link.frames()), ["identity"] * 3)


if __name__ == "__main__":
    unittest.main()
