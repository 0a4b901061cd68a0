"""What is told of a spin: the fields of wheel_result and round_void, filled in place."""

from tablewire import config
from tablewire import messages as m

from ..core.ticks import diff
from .wheels import number


def _least(value: int, limit: int) -> int:
    return value if value < limit else limit


class Evidence:
    """Reads rotor, track and pocket when a round ends. The lists are reused: do not keep them."""

    def __init__(self, cfg: list, rotor: object, track: object, pocket: object) -> None:
        self._wheel = cfg[config.WHEEL]
        self._reading = cfg[config.READING_DIRECTION]
        self._rotor = rotor
        self._track = track
        self._pocket = pocket
        self._result = [0] * 11
        self._void = [0] * 8

    def of_result(self, index: int, result_ms: int) -> list:
        """The values of wheel_result for pocket index `index`."""
        track = self._track
        told = self._result
        told[0] = number(self._wheel, index, self._reading)
        told[1] = index
        told[2] = self._pocket.sensor
        told[3] = self._pocket.agreements()
        self._spin(told, 4)
        told[9] = diff(track.last_us, track.first_us) // 1000
        told[10] = result_ms
        return told

    def of_void(self, reason: int, phase: int, sensor: int) -> list:
        """The values of round_void."""
        told = self._void
        told[0] = reason
        told[1] = phase
        told[2] = sensor
        self._spin(told, 3)
        return told

    def _spin(self, told: list, place: int) -> None:
        track = self._track
        lap_ms = track.lap_us // 1000
        told[place] = _least(track.circuits_centi(), 60000) if track.active else m.UNKNOWN_U16
        told[place + 1] = track.direction()
        told[place + 2] = self._rotor.ring.direction
        told[place + 3] = self._rotor.ring.drpm()
        told[place + 4] = _least(lap_ms, 60000) if lap_ms else m.UNKNOWN_U16
