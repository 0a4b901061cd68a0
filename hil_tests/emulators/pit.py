"""The pit host's end of the wire, as little of it as a table needs: acknowledge and command."""

from __future__ import annotations

from typing import Any

from tablewire import messages
from tablewire.sender import Sender


class PitHost:
    """Follows the frames of one table and builds the host's frames to it."""

    def __init__(self) -> None:
        self._sender: Sender | None = None
        self._round = 0

    def note(self, frame: Any) -> None:
        """Take note of who sends: boot and round of the newest frame."""
        sender = self._sender
        if sender is None or sender.device != frame.device or sender.boot < frame.boot:
            self._sender = Sender(frame.device, frame.boot)
        self._round = max(self._round, frame.round)

    def acknowledge(self, frame: Any) -> bytes:
        """Return the acknowledgement of a durable frame."""
        return self._build(messages.ACKNOWLEDGE, (frame.boot, frame.counter), frame.round)

    def command(self, ident: int, values: tuple[int, ...]) -> bytes:
        """Return a command for the present round."""
        return self._build(ident, values, self._round)

    def _build(self, ident: int, values: tuple[int, ...], round_number: int) -> bytes:
        assert self._sender is not None, "nothing heard from the table yet"
        self._sender.round = round_number
        return self._sender.build(ident, values)
