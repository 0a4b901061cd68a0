"""Somebody on the lines without a key: replays what passed, and forges what he cannot seal."""

from __future__ import annotations

import random
from collections.abc import Callable

from hil_tests.night.line import TO_HOST, TO_TABLE, NightLine
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.seal import Mac
from tablewire.sender import Sender

ORDERS = (m.OPEN_BETS, m.CLOSE_BETS)
AHEAD = 1000
"""A forged counter is so far ahead of the true one: not refused for being old."""


class Attacker:
    """Acts on one line at a time. forged: how many frames he put in, by kind."""

    def __init__(self, seed: str, say: Callable[[str, str], None]) -> None:
        self.forged: dict[str, int] = {}
        self._random = random.Random(f"{seed}/attacker")
        self._say = say

    def act(self, line: NightLine) -> None:
        """Put a frame onto a line that neither of its ends made, or made long ago."""
        kinds = (
            self._untagged_record,
            self._wrongly_tagged_record,
            self._record_of_an_earlier_boot,
            self._forged_acknowledgement,
            self._forged_order,
            self._replayed_order,
        )
        kind = self._random.choice(kinds)
        name = kind.__name__.strip("_")
        if kind(line):
            self.forged[name] = self.forged.get(name, 0) + 1
            self._say("attacker", f"{name} at {line.name}")

    def _untagged_record(self, line: NightLine) -> bool:
        return self._record(line, None)

    def _wrongly_tagged_record(self, line: NightLine) -> bool:
        return self._record(line, Mac(self._random.randbytes(32)))

    def _record(self, line: NightLine, mac: Mac | None) -> bool:
        """The record of a round that would pay another result."""
        frames = [frame for frame in _frames(line, TO_HOST) if frame.type in _RECORDS]
        if not frames:
            return False
        true = self._random.choice(frames)
        values = true.values
        if type(values[0]) is int and true.type in m.ROUND_ENDS and true.type != m.ROUND_VOID:
            values = (values[0] % 6 + 1, *values[1:])
        line.forge(TO_HOST, _built(true, true.type, values, mac, m.FLAG_DURABLE))
        return True

    def _record_of_an_earlier_boot(self, line: NightLine) -> bool:
        if not line.older[TO_HOST]:
            return False
        line.forge(TO_HOST, self._random.choice(line.older[TO_HOST]))
        return True

    def _forged_acknowledgement(self, line: NightLine) -> bool:
        """So that the table forgets a record the host never had."""
        frames = [frame for frame in _frames(line, TO_HOST) if frame.flags & m.FLAG_DURABLE]
        if not frames:
            return False
        newest = frames[-1]
        mac = self._random.choice((None, Mac(self._random.randbytes(32))))
        values = newest.boot, newest.counter
        line.forge(TO_TABLE, _built(newest, m.ACKNOWLEDGE, values, mac))
        return True

    def _forged_order(self, line: NightLine) -> bool:
        frames = _frames(line, TO_HOST)
        if not frames:
            return False
        mac = self._random.choice((None, Mac(self._random.randbytes(32))))
        line.forge(TO_TABLE, _built(frames[-1], self._random.choice(ORDERS), (), mac))
        return True

    def _replayed_order(self, line: NightLine) -> bool:
        frames = line.older[TO_TABLE] + line.recent[TO_TABLE]
        if not frames:
            return False
        line.forge(TO_TABLE, self._random.choice(frames))
        return True


_RECORDS = (m.ROUND_OPENED, m.BETS_CLOSED, *m.ROUND_ENDS)


def _frames(line: NightLine, way: str) -> list[Frame]:
    items = Receiver().feed(b"".join(line.older[way] + line.recent[way]))
    return [item for item in items if isinstance(item, Frame)]


def _built(
    like: Frame, ident: int, values: tuple[object, ...], mac: Mac | None, flags: int = 0
) -> bytes:
    sender = Sender(like.device, like.boot)
    sender.role, sender.round, sender.mac = like.role, like.round, mac
    sender.counter = like.counter + AHEAD
    return sender.build(ident, values, flags)
