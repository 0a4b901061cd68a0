"""The pit host's end of the wire, as little of it as a table needs: sessions and commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablewire import messages, seal
from tablewire.sender import Sender

ASK_EVERY_MS = 2000


class PitHost:
    """Follows the frames of one table and builds the host's frames to it.

    key: of the table, None if it has none; nonces(n): n bytes for a new session.
    """

    def __init__(self, key: bytes | None, nonces: Callable[[int], bytes]) -> None:
        self._key = key
        self._nonces = nonces
        self._nonce = b""
        self._asked = (0, 0)  # boot and uptime of the unasked identity that was answered last
        self._sender: Sender | None = None
        self._round = 0

    def hear(self, frame: Any) -> bytes:
        """Take note of who sends: boot and round of the newest frame.

        Returns what to answer at once: a table with a key that came up is asked who it is, and
        the session it offers is started.
        """
        sender = self._sender
        if sender is None or sender.device != frame.device or sender.boot < frame.boot:
            self._sender = Sender(frame.device, frame.boot)
        self._round = max(self._round, frame.round)
        if self._key is None or frame.type != messages.IDENTITY:
            return b""
        return self._greeting(frame)

    def ask(self) -> bytes:
        """Return the question who is there, untagged; none to a table without a key.

        To be sent as well when something came that is no frame: a frame cut by the power runs into
        the identity of the boot, which a table with a key says once.
        """
        if self._key is None:
            return b""
        self._nonce = self._nonces(seal.NONCE_BYTES)
        return Sender(0, 0).build(messages.IDENTIFY, (self._nonce,))

    def _greeting(self, identity: Any) -> bytes:
        assert self._sender is not None
        host_nonce, device_nonce = identity.values[0], identity.values[9]
        if not any(host_nonce):
            # It says so twice a second: the question may be on its way.
            asked, self._asked = self._asked, (identity.boot, identity.uptime_ms)
            if asked[0] != identity.boot or identity.uptime_ms - asked[1] >= ASK_EVERY_MS:
                return self.ask()
            self._asked = asked
            return b""
        if host_nonce != self._nonce or self._key is None:
            return b""  # the answer to somebody else
        session = seal.Session(self._key, identity.device, identity.boot, host_nonce, device_nonce)
        self._sender.mac = session.host
        return self._build(messages.START_SESSION, (b"emulated pit",), 0)

    def acknowledge(self, frame: Any) -> bytes:
        """Return the acknowledgement of a durable frame; with a key none before a session.

        A table that is in a session with another host would lock at an untagged one.
        """
        if self._sender is None or (self._key is not None and self._sender.mac is None):
            return b""
        return self._build(messages.ACKNOWLEDGE, (frame.boot, frame.counter), frame.round)

    def command(self, ident: int, values: tuple[int, ...]) -> bytes:
        """Return a command for the present round, or for none where it begins one."""
        number = 0 if ident == messages.OPEN_BETS else self._round
        return self._build(ident, values, number)

    def forged(self, reason: int) -> bytes:
        """Return a stranger's command that voids the present round: its CRC is right."""
        assert self._sender is not None, "nothing heard from the table yet"
        stranger = Sender(self._sender.device, self._sender.boot)
        stranger.counter, stranger.round = self._sender.counter, self._round
        return stranger.build(messages.VOID_ROUND, (reason,))

    def _build(self, ident: int, values: tuple[Any, ...], round_number: int) -> bytes:
        assert self._sender is not None, "nothing heard from the table yet"
        self._sender.round = round_number
        return self._sender.build(ident, values)
