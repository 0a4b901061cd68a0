"""Rig `bench`: a real board, whose sensors a second board plays.

    python -m hil_tests.rigs.bench wiring --board rpi_pico2 --stimulus rpi_pico
    RIG=bench BOARD=rpi_pico2 TABLE=PORT STIMULUS=PORT .venv/bin/pytest hil_tests/test_bench_rig.py
    python -m hil_tests.rigs.bench reset --by "A. Engel"

The table is a bench board without a key whose pocket sensor is the head (`tabletool flash --no-key
--config FILE`); the stimulus is a Pico with the files of hil_tests/stimulus/ on it.

A spin is known in full before it is played: time on a board cannot wait for a model that looks at
what the board says. So a recording of a machine is played, and the board has to report what the
emulated one did. Tested with two emulated boards wired together (hil_tests/test_bench_rig.py);
no hardware was on the bench yet.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from hil_tests.rigs.rig_states import LINKED, PLAYING, READY, RigState
from hil_tests.rigs.stimulus_line import Edge, Stimulus, StimulusError
from tablewire.codec import Frame

ROOT = Path(__file__).resolve().parents[2]
STATE_FILE = ROOT / ".bench-state.json"
# Role of each channel of the stimulus; its GPIO is FIRST_PIN + channel.
CHANNELS = (
    "INPUT_1",
    "INPUT_2",
    "INPUT_3",
    "INPUT_4",
    "INPUT_5",
    "INPUT_6",
    "BUTTON",
    "TILT",
    "DOME",
    "MAINTENANCE",
    "INPUT_7",
    "INPUT_8",
)
FIRST_PIN = 2
# (time in us from the start, role, whether its sensor sees something from then on)
Change = tuple[int, str, bool]
# Beside the schedule itself.
_AFTER_S = 5.0


class Table(Protocol):
    """The board under test on its link."""

    def frames(self, until: Callable[[Frame], bool], within_s: float, /) -> list[Frame]:
        """What it says until such a frame has come, or until the time is over."""


def recording(events: Iterable[Sequence[Any]], board: Any) -> list[Change]:
    """What the sensors of a board were made to see. Raises ValueError for what is not wired.

    events: [t_us, "pin", GPIO, level], as the rigs play them; board: board_files.Board.
    """
    role_of = {board.data["PINS"][role]: role for role in CHANNELS}
    recorded = []
    for t_us, kind, pin, level in events:
        if kind != "pin" or pin not in role_of:
            raise ValueError(f"no channel for {kind} {pin}: the stimulus plays {CHANNELS}")
        recorded.append((t_us, role_of[pin], level == board.data["ACTIVE"][role_of[pin]]))
    return recorded


class Bench:
    """A table board and a stimulus, wired as the sheet says. active: level of a role there."""

    def __init__(
        self,
        state: RigState,
        stimulus: Callable[[], Stimulus],
        table: Table,
        active: dict[str, int],
    ) -> None:
        self._state = state
        self._table = table
        self._active = active
        state.enter(LINKED)
        self._stimulus = self._guard(stimulus)
        if self._stimulus.channels != len(CHANNELS):
            raise state.fail(f"the stimulus has {self._stimulus.channels} channels")
        state.enter(READY)

    def play(self, changes: Sequence[Change], ends: Callable[[Frame], bool]) -> list[Frame]:
        """Play a recording from sensors that see nothing; returns what was said until its end.

        Raises RigBroken, for good, when the stimulus fails or the end is not reported.
        """
        self._state.enter(PLAYING)
        idle = sum(self._edge(0, role, False)[2] << n for n, role in enumerate(CHANNELS))
        edges = [self._edge(*change) for change in changes]
        self._guard(lambda: self._stimulus.load(idle, edges))
        self._guard(self._stimulus.start)
        length_s = edges[-1][0] / 1e6 + _AFTER_S
        frames = self._table.frames(ends, length_s)
        played, _ = self._guard(lambda: self._stimulus.finish(length_s))
        if played != len(edges) or not any(map(ends, frames)):
            raise self._state.fail(f"{played} of {len(edges)} edges played, no end was reported")
        self._state.enter(READY)
        return frames

    def _edge(self, t_us: int, role: str, is_active: bool) -> Edge:
        level = self._active[role] if is_active else 1 - self._active[role]
        return t_us, CHANNELS.index(role), level

    def _guard(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except (StimulusError, OSError) as error:
            raise self._state.fail(str(error)) from error


def wiring_sheet(board: Any, stimulus: Any) -> list[str]:
    """How to wire a board to a stimulus, both board_files.Board. Raises ValueError."""
    usable = stimulus.facts["usable_pins"]
    wanted = range(FIRST_PIN, FIRST_PIN + len(CHANNELS))
    missing = [pin for pin in wanted if pin not in usable]
    if missing:
        raise ValueError(f"{stimulus.name} has no GPIO {missing}: take another board")
    lines = [
        f"{stimulus.facts['name']} plays the sensors of {board.facts['name']}",
        "330 ohm in each wire; the sensors themselves are not connected.",
        "",
        "wire  stimulus          table             role",
    ]
    rows = [("ground", "ground", "both boards, first of all")]
    rows += [
        (_pin(stimulus, FIRST_PIN + number), _pin(board, board.data["PINS"][role]), role)
        for number, role in enumerate(CHANNELS)
    ]
    lines += [f"{n:<6}{a:<18}{b:<18}{role}" for n, (a, b, role) in enumerate(rows, 1)]
    uart = board.data["UART"]
    return [
        *lines,
        "",
        f"link of the table: TX {_pin(board, uart['tx'])}, RX {_pin(board, uart['rx'])}",
        f"line of the stimulus: TX {_pin(stimulus, 0)}, RX {_pin(stimulus, 1)}, 115200 baud",
    ]


def _pin(board: Any, number: int) -> str:
    place = board.facts["header"].get(str(number))
    return f"GPIO{number} ({place})" if place else f"GPIO{number}"


def main(arguments: list[str]) -> int:
    """Print the wiring sheet, or take a broken rig back into use."""
    parser = argparse.ArgumentParser(prog="python -m hil_tests.rigs.bench")
    commands = parser.add_subparsers(dest="command", required=True)
    wiring = commands.add_parser("wiring")
    wiring.add_argument("--board", required=True)
    wiring.add_argument("--stimulus", default="rpi_pico")
    commands.add_parser("reset").add_argument("--by", required=True)
    options = parser.parse_args(arguments)
    if options.command == "reset":
        print(f"was broken: {RigState(STATE_FILE).reset(options.by) or 'it was not'}")
        return 0
    sys.path.insert(0, str(ROOT / "boards"))
    from board_files import load

    print("\n".join(wiring_sheet(load(options.board), load(options.stimulus))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
