"""The dice tray: beams, button and the camera's verdicts in, rounds out.

hc2023 4:1(3) names ten conditions of a valid throw, hc2011 4:1(3) two; each has a code, and
faces are the result only when two frames at rest agree; where the host reads them, the result has
none. Times: microseconds on the 30-bit clock.
"""

from tablewire import config
from tablewire import dice_tray as words
from tablewire import messages as m
from tablewire.compat import const

from ..core.role import Role
from .camera_state import CameraWatch, Looks
from .faces import Faces
from .presses import Presses
from .throw import LineWatch, Throw, whole_ms
from .throw_judge import PICK, THROW, TrayJudge

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config, Decisions, MakeRole

_LONGEST_MS = const(60000)


class ResultFields:
    """What is sent at the end of a round: dice_result, throw_evidence. out: the sink."""

    def __init__(
        self, out: "Decisions", throw: "Throw", faces: "Faces", presses: "Presses"
    ) -> None:
        self._out = out
        self._throw = throw
        self._faces = faces
        self._presses = presses

    def of_result(self, rest_ms: int) -> "list[int]":
        """The values of dice_result: the faces that agreed."""
        throw, faces = self._throw, self._faces
        return faces.faces + [
            whole_ms(throw.held_us(0)),
            whole_ms(throw.spread_us()),
            throw.hits,
            min(rest_ms, _LONGEST_MS),
            faces.agreed,
            faces.refused,
            faces.since_last,
            faces.frame_crc,
        ]

    def voided(self, phase: int, reason: int) -> None:
        """Record what is known of a throw that had begun."""
        if phase >= words.PHASE_PICKED_UP:
            throw, faces = self._throw, self._faces
            thrown = throw.thrown
            fields = [
                reason,
                whole_ms(throw.held_us(0)) if thrown else m.UNKNOWN_U16,
                whole_ms(throw.spread_us()) if thrown else m.UNKNOWN_U16,
                throw.line.count,
                throw.hits,
                throw.wall_ms(),
                throw.edges.count,
                self._presses.count,
                faces.frames,
                faces.reading,
                faces.frame_crc,
            ]
            self._out.record(words.THROW_EVIDENCE, fields)


class DiceTray(Role):
    """The role `dice_tray`. cfg: list indexed by key number. out: the sink of decisions.

    Camera verdicts come as the order DICE_SEEN; wants_picture() says when one is needed, and is
    asked again once that picture is judged.
    results: how many rounds gave faces, modulo 2^16.
    """

    result_message = words.DICE_RESULT
    last_bets_phase = words.PHASE_PICKED_UP
    last_phase = words.PHASE_THROWN
    own_faults = words.FAULT_CODES
    transitions = (
        (m.PHASE_BETS_OPEN, PICK, words.PHASE_PICKED_UP),
        (m.PHASE_NO_MORE_BETS, PICK, words.PHASE_PICKED_UP),
        (words.PHASE_PICKED_UP, THROW, words.PHASE_THROWN),
    )
    has_camera = True
    edges_most = 60  # six dice over the line and against the wall, with bounce

    def __init__(self, cfg: "Config", out: "Decisions") -> None:
        super().__init__(cfg, out)
        self.throw = Throw(cfg)
        self.presses = Presses()
        self.faces = Faces(cfg)
        control = self.control
        self.watch = CameraWatch(control)
        self.looks = Looks(cfg, control, self.watch, self.faces, self.presses)
        self.judge = TrayJudge(cfg, control, self.throw, self.faces, self.looks)
        self._lines = LineWatch(control, self.throw)
        self._fields = ResultFields(out, self.throw, self.faces, self.presses)
        control.evidence = self._fields
        control.interval.quiet = True  # no ball is expected
        self.results = 0
        self._opened = [words.WHEEL_DICE, cfg[words.DICE], cfg[config.MAX_BET_MS]]

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A line switched at t_us, in time order. level: 1 covered, hit, pressed."""
        self.inputs.plausible.edge(sensor)
        if sensor <= words.INPUT_EDGE_BEAMS:
            self.throw.edge(sensor, level, t_us)
            return
        if sensor == m.INPUT_BUTTON:
            control = self.control
            closed = control.phase != m.PHASE_CLOSED and not control.betting
            self.presses.edge(level, control.now_ms, closed)
        self.contact(sensor, level, t_us)

    def order(self, ident: int, values: "Sequence[int]", t_us: int) -> int:
        """Take a camera verdict: the fields of dice_seen."""
        if self.watch.see(values) and self.judge.see(values):
            self.results = (self.results + 1) & 0xFFFF
            self.control.end(self._fields.of_result(self.looks.rest_ms))
        return 0

    def wants_picture(self) -> int:
        """0: none now; 1: one to see that the camera works; 2: one to read."""
        return self.looks.ask()

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        self.control.advance(t_us)
        self.throw.tick(t_us)
        self.end_tick()
        self._lines.tick(t_us)
        self.judge.tick(t_us, self.presses.tick(self.control.now_ms))
        self.open_when_due(t_us)

    def circuits(self) -> int:
        """None at this table; 0 from picking up on, so that a trace contains the whole throw."""
        return m.UNKNOWN_U8 if self.control.phase < words.PHASE_PICKED_UP else 0

    def is_ready(self) -> bool:
        """Whether the dice are at the thrower's place, and the camera sees the table."""
        throw = self.throw
        return bool(self.watch.good and throw.place.level and not throw.line.level)

    def opened(self, t_us: int) -> "list[int]":
        """Forget the throw before; the values of round_opened."""
        self.throw.reset()
        self.presses.reset()
        self.faces.reset()
        return self._opened


ROLE: "MakeRole" = DiceTray
