"""Hands at the rotor, and a second ball: the number is where the first ball lies, or none."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from hil_tests.physics.built_wheel import Change, Rotor
from hil_tests.physics.spin_rounds import ENDS_S, Kind, Spin, healthy, land, throw

_STEP_S = 0.002


class Hand(NamedTuple):
    """From from_s on, for for_s, a hand changes the speed evenly, to so many times what it was."""

    from_s: float
    for_s: float
    times: float


class HandledRotor(Rotor):
    """A rotor that hands brake, push or turn back. Sampled every 2 ms."""

    def __init__(self, rotor: Rotor, hands: list[Hand]) -> None:
        vars(self).update(vars(rotor))
        self._turns = [0.0]
        speed = at_first = self._speed
        for step in range(1, round(ENDS_S / _STEP_S) + 2):
            t = step * _STEP_S
            hand = next((h for h in hands if h.from_s <= t < h.from_s + h.for_s), None)
            if hand:
                share = (t - hand.from_s) / hand.for_s
                speed = at_first * (1 + (hand.times - 1) * share)
            else:
                slower = (self._dry + self._wet * abs(speed)) * _STEP_S
                speed = math.copysign(max(abs(speed) - slower, 0.0), speed)
                at_first = speed
            self._turns.append(self._turns[-1] + speed * _STEP_S)
        self._legs = list(self._one_way())

    def _one_way(self) -> Iterator[tuple[int, int, list[float]]]:
        """Yield (first step, way, turns that way since time 0) of each part it turns one way."""
        turns, first = self._turns, 0
        for step in range(1, len(turns)):
            way = 1 if turns[first] < turns[step] else -1
            is_last = step + 1 == len(turns)
            if is_last or (turns[step + 1] - turns[step]) * way < 0:
                yield first, way, [way * turned for turned in turns[first : step + 1]]
                first = step

    def turned(self, t: float) -> float:
        """Turns since time 0, less again where it turns back."""
        step = min(int(t / _STEP_S), len(self._turns) - 2)
        before, after = self._turns[step : step + 2]
        return before + (after - before) * (t / _STEP_S - step)

    def crossings(self, place: float, half: float, from_s: float, to_s: float) -> list[Change]:
        """(time, level) of a sensor that is covered while P is within half of place, mod n."""
        n, edges = self.pockets, []
        for first, way, turns in self._legs:
            for edge in (-half, half):
                # Turns this way at which P is at the edge, one turn apart.
                turn = way * (self._start - place - edge) * self.way / n
                turn += math.floor(turns[0] - turn) + 1
                while turn <= turns[-1]:
                    step = bisect_left(turns, turn)
                    part = (turn - turns[step - 1]) / (turns[step] - turns[step - 1])
                    t = (first + step - 1 + part) * _STEP_S
                    if from_s < t < to_s:
                        # P rises while the rotor turns against its way.
                        edges.append((t, int((edge < 0) == (way * self.way < 0))))
                    turn += 1
        return sorted(edges)


def _handle(spin: Spin, hands: list[Hand]) -> None:
    spin.rotor = HandledRotor(spin.rotor, hands)
    spin.may_void = True


def _once(low: float, high: float) -> Kind:
    def play(spin: Spin) -> None:
        healthy(spin)
        rng = spin.rng
        from_s, to_s = rng.choice(
            (
                (spin.released_s, spin.left_s),
                (spin.left_s, spin.rest_s),
                (spin.rest_s, spin.rest_s + 6.0),
            )
        )
        hand = Hand(rng.uniform(from_s, to_s), rng.uniform(0.15, 1.2), rng.uniform(low, high))
        _handle(spin, [hand])

    play.__doc__ = f"A full spin; once a hand leaves the rotor {low} to {high} times its speed."
    return play


def jerk(spin: Spin) -> None:
    """A full spin; from 3 s before the rest on a hand brakes and pushes by turns."""
    healthy(spin)
    push_s, hands = spin.rest_s - 3.0, []
    while push_s < spin.rest_s + 12.0:
        hands.append(Hand(push_s, 0.2, spin.rng.uniform(0.5, 1.8)))
        push_s += spin.rng.uniform(0.25, 1.0)
    _handle(spin, hands)


def rock(spin: Spin) -> None:
    """A full spin; a hand turns the rotor back and on again, about the time of the rest."""
    healthy(spin)
    rng = spin.rng
    push_s, hands = spin.rest_s + rng.uniform(-1.0, 3.0), []
    for _ in range(2 * rng.randint(1, 4)):
        hands.append(Hand(push_s, rng.uniform(0.1, 0.3), rng.uniform(-1.3, -0.6)))
        push_s += rng.uniform(0.35, 0.8)
    _handle(spin, hands)


def second_ball(spin: Spin) -> None:
    """Another ball is thrown while the first one runs."""
    healthy(spin)
    land(spin, throw(spin, spin.released_s + spin.rng.uniform(0.3, 5.0), (4.0, 22.0)))
    spin.number = None


def second_ball_laid(spin: Spin) -> None:
    """Another ball is laid into a pocket while the first one runs, or when it just rests."""
    healthy(spin)
    laid_s = spin.rng.uniform(spin.released_s + 1.0, spin.rest_s + 0.5)
    pocket = spin.rng.randrange(spin.build.pockets)
    spin.closed.append((laid_s, ENDS_S, pocket))
    spin.may_void = True
    if pocket != spin.number:
        spin.number = None


KINDS: dict[str, Kind] = {
    "rotor braked": _once(0.02, 0.9),
    "rotor pushed": _once(1.1, 5.0),
    "rotor stopped": _once(0.0, 0.0),
    "rotor turned back": _once(-1.5, -0.05),
    "rotor jerked": jerk,
    "rotor rocked": rock,
    "second ball thrown": second_ball,
    "second ball laid in": second_ball_laid,
}
