"""The sensors around a shuffler while it shuffles; one with a serial line has none."""

from tablewire import diagnosis
from tablewire import shuffler as words

from .input_rows import ANY, sample

if -0:  # for mypy
    from array import array

    from tablelogic.shuffler.gate import Gate
    from tablelogic.shuffler.shuffler import Shuffler
    from tabletypes import Config, Rows, Watch
    from tabletypes.of_role import ShufflerBoard


class Gates:
    """How long cards cover gate in and gate out."""

    def __init__(self, gates: "list[Gate]") -> None:
        from ..card_times import Values  # for a self-test only

        self.times: "list[Values]" = []
        for gate in gates:
            times = Values()
            gate.measured = times.add
            self.times.append(times)

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """An input switched: the gate sees it."""


def watch(role: "Shuffler", cfg: "Config", pulses: "array[int]") -> "Watch | None":
    """Return what measures the cards while a deck is shuffled."""
    return None if cfg[words.SERIAL_SHUFFLER] else Gates(role.machine.gates)


def sensors(board: "ShufflerBoard") -> "Rows":
    """Yield a row of each."""
    if board.cfg[words.SERIAL_SHUFFLER]:
        return
    a, b = words.INPUT_GATE_IN, words.INPUT_GATE_OUT
    half = board.cfg[words.CARDS] // 2  # a test may end in the middle of a pass
    yield board.line(a, words.GATE_DIRTY, a, half)
    yield board.line(b, words.GATE_DIRTY, b, half)
    yield from _times(board, (a, b))
    yield board.contact(words.INPUT_LID, words.LID_OPEN)
    yield board.contact(words.INPUT_READY, 0, ANY)
    failed = words.SHUFFLER_FAILED
    yield board.contact(words.INPUT_SHUFFLER_FAULT, failed)
    limits = (0, board.cfg[words.MOTOR_LIMIT_RAW])
    yield board.raw(words.INPUT_MOTOR, words.MOTOR_STALLED, limits)


def _times(board: "ShufflerBoard", sensors: "tuple[int, int]") -> "Rows":
    # What a calibration learns; see card_times.
    if board.tally.places is None:
        return
    for place in range(2):
        times = board.tally.places.times[place]
        board.role.machine.gates[place].measured = None
        if times.count:
            yield sample(sensors[place], diagnosis.QUANTITY_CARD_US, times.median())
            yield sample(sensors[place], diagnosis.QUANTITY_CARD_SPREAD, times.spread())
            yield sample(sensors[place], diagnosis.QUANTITY_CARD_OFF, times.farthest())
