"""A shuffler watched from outside: two card gates, lid, motor, its ready and its fault line.

Inputs: gate in at INPUT_1, gate out at INPUT_2, lid at INPUT_4, ready at INPUT_5, fault at
INPUT_6, motor current at the converter.
"""

from tablewire import messages as m
from tablewire import shuffler as words
from tablewire.compat import const

from ..core.inputs import Contact
from ..core.ticks import diff
from . import gate
from .gate import Gate

if -0:  # for mypy
    from tabletypes import Config

    from ..core.round import RoundControl
    from .shuffle import Shuffle

_AFTER_MS = const(300)  # of quiet gates, before a pass counts as over


class WiredShuffler:
    """shuffle: gets its cards, passes and faults. cfg: list by key number.

    at_rest: no contact waits for time to pass, none is a fault; see core.snapshot.
    """

    def __init__(self, cfg: "Config", control: "RoundControl", shuffle: "Shuffle") -> None:
        self._control = control
        self._shuffle = shuffle
        card_us, jam_us = cfg[words.CARD_MS] * 1000, cfg[words.JAM_MS] * 1000
        spread = cfg[words.CARD_SPREAD]
        self.gates = [Gate(card_us, jam_us, spread), Gate(card_us, jam_us, spread)]
        self._lid = Contact()
        self._ready = Contact()
        self._failed = Contact()
        self._is_over = False  # ready again, and the gates not quiet yet
        self._warn = cfg[words.MARGIN_WARN]
        self._least = cfg[words.MARGIN_MIN]
        self._warned = [0, 0]
        self._worn = [0, 0, self._least]
        self._limit_raw = cfg[words.MOTOR_LIMIT_RAW]
        self._stall_ms = cfg[words.STALL_MS]
        self._motor_raw = 0
        self._fine_ms = 0
        self.at_rest = False

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """An input switched. level: 1 covered, open, ready, failed."""
        now_ms = self._control.now_ms
        if sensor <= words.INPUT_GATE_OUT:
            place = sensor - words.INPUT_GATE_IN
            passage = self.gates[place].edge(level, t_us)
            if passage:
                self._passed(place, passage)
            return
        self.at_rest = False
        if sensor == words.INPUT_LID:
            self._lid.edge(level, now_ms)
        elif sensor == words.INPUT_READY:
            self._ready.edge(level, now_ms)
        elif sensor == words.INPUT_SHUFFLER_FAULT:
            self._failed.edge(level, now_ms)

    def analog(self, raw: int) -> None:
        """The motor's current, 0..4095."""
        self._motor_raw = raw

    def tick(self, t_us: int) -> None:
        """Time passed."""
        now_ms, shuffle, gates = self._control.now_ms, self._shuffle, self.gates
        place = 0
        for own in gates:
            if not own.at_rest:
                passage = own.tick(t_us)
                if passage:
                    self._passed(place, passage)
                self._judge_gate(place)
            place += 1
        if not self.at_rest:
            self._contacts()
        if self._motor_raw <= self._limit_raw:
            self._fine_ms = now_ms
        elif diff(now_ms, self._fine_ms) >= self._stall_ms:
            shuffle.fail(words.MOTOR_STALLED, m.UNKNOWN_U8, self._motor_raw, self._limit_raw)
        if self._is_over and not (gates[0].covered or gates[1].covered):
            if shuffle.still_ms() >= _AFTER_MS:
                self._is_over = False
                ends = shuffle.end_pass()
                self._look_back()
                if ends or shuffle.reason:
                    shuffle.end(shuffle.reason, self.margins())

    def _passed(self, place: int, passage: int) -> None:
        shuffle, own, sensor = self._shuffle, self.gates[place], words.INPUT_GATE_IN + place
        self._works()
        if passage == gate.DOUBLE:
            shuffle.fail(words.DOUBLE_FEED, sensor, own.last_us, own.longest_us())
        elif passage == gate.FOREIGN and own.margin < self._warn:
            shuffle.fail(words.GATE_DIRTY, sensor, own.margin, self._least)  # a longer flicker
        elif passage == gate.FOREIGN:
            shuffle.fail(words.FOREIGN_PASSAGE, sensor, own.last_us, own.median_us())
        if passage != gate.FOREIGN:
            shuffle.card(place)

    def _look_back(self) -> None:
        # The pass is over: what one card takes is known better than while it ran.
        shuffle = self._shuffle
        both = self.gates[0].spread.odd_at_both(self.gates[1].spread)
        for place in range(2):
            own = self.gates[place]
            odd = own.odd(both)
            if odd and not shuffle.reason:
                code = words.DOUBLE_FEED if odd == gate.DOUBLE else words.FOREIGN_PASSAGE
                shuffle.fail(code, words.INPUT_GATE_IN + place, own.last_us, own.median_us())

    def _judge_gate(self, place: int) -> None:
        own = self.gates[place]
        margin = own.margin
        if margin >= self._warn and margin >= self._least and not own.jammed:
            own.rest()
            return
        shuffle = self._shuffle
        sensor = words.INPUT_GATE_IN + place
        if own.jammed:
            shuffle.fail(words.JAM_OUT if place else words.JAM_IN, sensor, 1, 0)
        if margin < self._warn and not self._warned[place]:
            self._warned[place] = 1
            self._worn[0], self._worn[1] = sensor, margin
            shuffle.worn(self._worn)
        if margin < self._least:
            shuffle.fail(words.GATE_DIRTY, sensor, margin, self._least)

    def _contacts(self) -> None:
        shuffle, lid = self._shuffle, self._lid
        failed, ready = self._failed, self._ready
        now_ms = self._control.now_ms
        if lid.level != lid.closed:
            lid.tick(now_ms)
        if lid.closed:
            shuffle.fail(words.LID_OPEN, words.INPUT_LID, 1, 0)
        if failed.level != failed.closed:
            failed.tick(now_ms)
        if failed.closed:
            shuffle.fail(words.SHUFFLER_FAILED, words.INPUT_SHUFFLER_FAULT, 1, 0)
        if ready.level != ready.closed and ready.tick(now_ms):
            self._is_over = ready.closed
            if not ready.closed:
                self._works()
        if not (lid.closed or failed.closed):
            self.at_rest = not lid.level and not failed.level and ready.level == ready.closed

    def _works(self) -> None:
        # When a shuffle begins, a gate that was cleaned gets another try; a dirty one fails again.
        if self._shuffle.begin():
            for place in range(2):
                self._warned[place] = 0
                self.gates[place].lift(self._warn)
                self.gates[place].spread.begin()

    def reset(self) -> None:
        """Another shuffler is attached."""
        for own in self.gates:
            own.reset()
        self._is_over = False

    def margins(self) -> "tuple[int, int]":
        """Of gate in and gate out, percent."""
        return self.gates[0].margin, self.gates[1].margin

    def is_gone(self, code: int) -> bool:
        """Whether the cause of a fault is gone by measurement."""
        if code == words.JAM_IN or code == words.JAM_OUT:
            return not self.gates[code == words.JAM_OUT].covered
        if code == words.MOTOR_STALLED:
            return self._motor_raw <= self._limit_raw
        if code == words.LID_OPEN:
            return not self._lid.closed
        if code == words.SHUFFLER_FAILED:
            return not self._failed.closed
        if code == words.GATE_DIRTY:
            return min(self.margins()) >= self._least
        return code != words.SHUFFLER_LINK_LOST
