"""What the rotor may not do between launch and number, and under which code it ends the spin."""

from tablewire import codes


class RotorRules:
    """direction: of the rotor at the launch, 0 while it is not known."""

    def __init__(self, rotor: object) -> None:
        self._rotor = rotor
        self.direction = 0

    def launched(self) -> None:
        """The ball was seen: from now on the rotor counts."""
        self._rotor.launched()
        self.direction = self._rotor.ring.settled_direction()

    def reason(self) -> int:
        """The code that ends the spin, or 0."""
        rotor = self._rotor
        ring = rotor.ring
        if ring.stopped:
            return codes.ROTOR_STOPPED
        if not self.direction:
            self.direction = ring.settled_direction()
        elif ring.direction == -self.direction:
            return codes.ROTOR_REVERSED
        if rotor.index_lost():
            return codes.INDEX_LOST
        if rotor.tick_lost():
            return codes.TICK_LOST
        if ring.is_slow():
            return codes.ROTOR_SLOW
        return codes.ROTOR_FAST if ring.is_fast() else 0
