"""Reports of the device about itself: identity, boot, heartbeat. From lists made at start."""

from tablewire.compat import const
from tablewire.messages import (
    BOOT_REPORT,
    FINGERPRINTS,
    HEARTBEAT,
    IDENTITY,
    PHASE_CLOSED,
    UNKNOWN_U16,
)

from . import version
from .outbox import SLOTS

if -0:  # for mypy
    from tabletypes import Hal, TableRole

    from .transmitter import Transmitter
    from .trust import Trust

_NO_NONCE = bytes(8)
# Heartbeats between checks of the heap, which scan all of it: 20 to 40 ms on an RP2040.
# Never in a round: it would delay the edges.
_MEMORY_BEATS = const(10)


class Reports:
    """hal: hal.Hal; transmitter: transmitter.Transmitter; trust: trust.Trust.

    role: number of the role that runs. booted: fields of boot_report until it is stored.
    free_bytes(): of the heap now, in pieces; largest_free_bytes(that): of the largest piece.
    """

    def __init__(self, hal: "Hal", role: int, transmitter: "Transmitter", trust: "Trust") -> None:
        self.role = role
        self._transmitter = transmitter
        self._trust = trust
        self.free_bytes = hal.free_bytes
        self.largest_free_bytes = hal.largest_free_bytes
        self._identity = [
            _NO_NONCE,
            0,
            version.MAJOR,
            version.MINOR,
            version.PATCH,
            0,
            0,
            hal.reset_cause,
            hal.board,
            _NO_NONCE,
            0,
        ]
        self._heartbeat = [0] * 10
        self.booted: "list[int] | None" = None
        self._beats = 0

    def boot(self) -> None:
        """Report the boot, once. Boots without a host leave half the journal to the play."""
        if self.booted is not None and self._transmitter.outbox.room() > SLOTS // 2:
            self._transmitter.send_durable(BOOT_REPORT, self.booted)
            self.booted = None

    def identity(self, nonce: bytes = _NO_NONCE) -> None:
        """Send the identity. nonce: 8 bytes as the host sent them, zeros when unasked.

        A device with a key answers under the session it offers with that.
        """
        values, trust = self._identity, self._trust
        values[0], values[9], mac = nonce, _NO_NONCE, None
        values[1] = FINGERPRINTS[self.role]
        values[5] = self.role
        values[6] = 1 if trust.number else 0
        values[10] = trust.number
        if trust.number and nonce is not _NO_NONCE:
            values[9] = trust.offer(nonce)
            mac = trust.pending.table
        self._transmitter.send_sealed(IDENTITY, values, mac)

    def heartbeat(self, role: "TableRole", edges_lost: int, frames_skipped: int) -> None:
        """Send a heartbeat. role: the running logic; both counts since boot."""
        values = self._heartbeat
        phase = role.phase
        values[0] = phase
        values[1] = role.faults()
        values[2] = role.circuits()
        values[3] = role.rotor_direction
        values[4] = role.rotor_drpm
        values[5] = self._transmitter.outbox.waiting
        values[6] = min(edges_lost, UNKNOWN_U16)
        values[7] = min(frames_skipped, UNKNOWN_U16)
        if not self._beats or (self._beats >= _MEMORY_BEATS and phase == PHASE_CLOSED):
            values[8] = self.free_bytes()
            values[9] = self.largest_free_bytes(values[8])
            self._beats = 0
        self._beats += 1
        self._transmitter.send_volatile(HEARTBEAT, values)
