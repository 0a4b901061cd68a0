"""A shuffler with a serial line of its own: it counts by itself, and says so twice a second."""

from __future__ import annotations

PERIOD_US = 500_000
READY, SHUFFLING, ERROR = "R", "S", "E"


class TalkingShuffler:
    """cards: in its tray. unplugged: nothing it says arrives. error: what its display shows."""

    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.unplugged = False
        self.error = 0
        self._began_us = -1
        self._ends_us = -1
        self._due_us = PERIOD_US

    def shuffle(self, t_us: int, *, seconds: int = 20) -> int:
        """Shuffle from t_us on; returns when it is done."""
        self._began_us, self._ends_us = t_us, t_us + seconds * 1_000_000
        return self._ends_us

    def said_until(self, t_us: int) -> list[tuple[int, tuple[str, int, int, int]]]:
        """Return (time, (state, cards in, cards out, error)) of each line up to t_us."""
        found = []
        while self._due_us <= t_us:
            if not self.unplugged:
                found.append((self._due_us, self._say(self._due_us)))
            self._due_us += PERIOD_US
        return found

    def _say(self, t_us: int) -> tuple[str, int, int, int]:
        if self.error:
            return ERROR, 0, 0, self.error
        if self._began_us < 0:
            return READY, 0, 0, 0
        if t_us >= self._ends_us:
            return READY, self.cards, self.cards, 0
        if t_us < self._began_us:
            return READY, self.cards, self.cards, 0
        done = 2 * (t_us - self._began_us) / (self._ends_us - self._began_us)
        taken, given = min(done, 1.0), max(done - 1.0, 0.0)
        return SHUFFLING, int(self.cards * taken), int(self.cards * given), 0


def line_of(said: tuple[str, int, int, int]) -> bytes:
    """Return the bytes on the line, with their check: the exclusive or of all before the star."""
    text = ",".join(str(word) for word in said)
    check = 0
    for byte in text.encode():
        check ^= byte
    return f"{text}*{check:02X}\n".encode()
