"""How the laps of a rolling ball grow on this wheel, and how far a lap may be beside that.

A ball slows by a steady part and by the square of its speed: deceleration a + b v^2, in turns/s^2.
`growth` is how much longer a lap is than the one before by deceleration alone, in 1/1024:
deceleration x lap^2. A real rim is rough: its drag varies at random, so each growth is beside the
law by a share of itself. Keys store the law and the roughness that were measured on this wheel.
"""

from tablewire import roulette as words
from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Config

_TURN = const(1024)
_SQUARE_UNIT = const(10000)  # of the keys: 1/10000 turn/s^2, 1/10000 per turn
_STEADY_UNIT = const(9095)  # the same over 1024 and laps in 1.024 ms, squared over 1024
# Drag that varies by a share s, new on average every sixth of a second, moves the growth over two
# laps of L seconds by s * sqrt(0.22 / L) of it. Three of that, without the root:
_SPREAD = const(570)  # s * (0.57 + 0.86 / L): within an eighth of it from 0.5 to 2 s
_SPREAD_LAP_MS = const(857)
_OFF = const(4)  # of 1024, beside it on any rim: 99 of 100 laps of smooth rims were within 2
_JITTER = const(3000)  # three times the times' jitter of 0.4 ms over two laps, in us
# No ball that rolls slows by more than 0.23 turns/s^2 (real ones 0.15): more is skidding, and the
# growth of a ball that skids never rises.
_ROLLS = const(4000)


class LapLaw:
    """The law of this wheel. least, most: what growth the last call of `expect` allows."""

    def __init__(self, cfg: "Config") -> None:
        self._roughness = cfg[words.RIM_ROUGHNESS]
        self._steady = cfg[words.LAP_STEADY]
        self._square = cfg[words.LAP_SQUARE]
        self.least = 0
        self.most = 0

    def expect(self, low: int, high: int, more: int, lap_us: int, rolls: bool, tight: bool) -> int:
        """What growth a lap may have that was longer by more/1024 than the one before it.

        low, high: the two growths before: after a dirty pulse one of them is beside the law.
        rolls: the ball cannot skid any more. tight: only a quarter of the slack. Sets least and
        most; returns the slack that both include. Where the law is not known, growth neither falls
        nor rises by more than the square of the lap.
        """
        lap = lap_us >> 10
        square = lap * lap >> 10
        if self._steady or self._square:
            least = self._square * (_TURN + more) // _SQUARE_UNIT
            least += self._steady * square // _STEADY_UNIT
            most = least if rolls else max(least, high)
        else:
            least = low
            most = high * (_TURN + more) // _TURN * (_TURN + more) // _TURN
            most = max(high, min(most, square * _TURN // _ROLLS))
        share = self._roughness * (_SPREAD + _SPREAD_LAP_MS * 1000 // lap) // 1000
        slack = _OFF + _JITTER // lap + least * share // 1000
        if tight:
            slack = max(slack >> 2, _OFF)
        # The growth before is beside the law as well: more rises are large than falls.
        self.least, self.most = least - slack, most + slack + (slack >> 2)
        return slack
