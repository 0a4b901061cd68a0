"""The pocket by the sensors the configuration names: switch array, reader head, or both."""

from tablewire import roulette as words
from tablewire.compat import const

from .pocket_array import PocketArray
from .pocket_head import PocketHead

NONE = const(-1)
_LIES_MS = const(300)


class Pocket:
    """Asks every working sensor and believes only what all of them say.

    sensor: messages.POCKET_SENSOR_*.
    """

    def __init__(self, cfg: list, rotor: object) -> None:
        self.sensor = cfg[words.POCKET_SENSOR]
        self.uses_array = self.sensor != words.POCKET_SENSOR_HEAD
        self.uses_head = self.sensor != words.POCKET_SENSOR_ARRAY
        self.array = PocketArray(rotor.pockets, cfg[words.ARRAY_STABLE_MS])
        self.head = PocketHead(
            rotor, cfg[words.HEAD_ANGLE_MDEG], cfg[words.INDEX_OFFSET], cfg[words.HEAD_TURNS]
        )

    def watch(self, now_us: int, now_ms: int) -> None:
        """A round opens."""
        self.array.watch(now_ms)
        self.head.watch(now_us)

    def tick(self, now_us: int) -> None:
        """Time passed."""
        if self.uses_head:
            self.head.tick(now_us)

    def index(self, now_ms: int) -> int:
        """The pocket index all fitted sensors agree on, or NONE.

        Of two kinds of sensor each is the other's witness: one reading of the head is enough.
        """
        if not self.uses_array:
            return self.head.pocket()
        found = self.array.pocket(now_ms)
        if self.uses_head and self.head.last() != found:
            return NONE
        return found

    def agreements(self) -> int:
        """How many readings agree: turns of the head, or one stable array."""
        return min(self.head.readings(), 255) if self.uses_head else 1

    def second_ball(self) -> bool:
        """Whether any fitted sensor sees two balls."""
        if self.uses_array and self.array.second_ball():
            return True
        return self.uses_head and self.head.second_ball()

    def ball_lies(self, now_ms: int) -> bool:
        """Whether any fitted sensor sees a ball, or a magnet, lying in a pocket."""
        array = self.array
        if self.uses_array and array.seen != NONE and array.for_ms(now_ms) > _LIES_MS:
            return True
        return self.uses_head and self.head.readings() > 0

    def on_rim(self, now_ms: int) -> bool:
        """The ball passed a rim sensor; whether something lies in a pocket all the same."""
        self.array.on_rim()
        return self.ball_lies(now_ms)

    def appeared(self, now_ms: int) -> bool:
        """Whether a ball lies in a pocket where all were empty since the round opened."""
        if self.uses_array and self.array.appeared(now_ms):
            return True
        return self.uses_head and self.head.appeared()
