"""The sensors of a board for a rig without a VM: what the emulated machine set them to."""

from collections.abc import Callable


class EdgeQueue:
    """Edges since the last control step, in the order they were put."""

    def __init__(self) -> None:
        self.waiting: list[tuple[int, int, int]] = []

    def put(self, sensor: int, level: int, t_us: int) -> None:
        """Add an edge. sensor: messages.INPUT_*; t_us: on the clock of the role."""
        self.waiting.append((sensor, level, t_us))

    def drain(self, edge: Callable[[int, int, int], None], _now_us: int) -> None:
        """Pass every edge on."""
        for sensor, level, t_us in self.waiting:
            edge(sensor, level, t_us)
        self.waiting.clear()


class PocketSwitches:
    """bits: what the pocket array shows."""

    def __init__(self) -> None:
        self.bits = bytes(5)

    def read(self, bits: bytearray) -> None:
        """Fill five bytes."""
        bits[:] = self.bits


class Converter:
    """raw: what the converter shows, 0..4095."""

    def __init__(self) -> None:
        self.raw = 0

    def read(self) -> int:
        """Return the reading."""
        return self.raw


class Sensors:
    """See tablelogic.core.engine: ring, array and analog of a control step."""

    def __init__(self) -> None:
        self.ring = EdgeQueue()
        self.array = PocketSwitches()
        self.analog = Converter()
