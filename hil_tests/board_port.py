"""A board as the port of a link, in virtual time."""

from __future__ import annotations

from collections.abc import Callable

from tableemulator.board.wasm import WasmBoard
from tabletools.link import Link, Session

STEP_US = 20_000


class BoardPort:
    """Each read lets virtual time pass. written: bytes the board was sent so far."""

    def __init__(self, board: WasmBoard) -> None:
        self.written = 0
        self._board = board
        self._out: list[bytes] = []

    def read(self, _size: int, /) -> bytes:
        now = self._board.now_us
        events = [[now, "rx", 0, data.hex()] for data in self._out]
        self._out.clear()
        return self._board.play(events, now + STEP_US).sent

    def write(self, data: bytes, /) -> int:
        self._out.append(data)
        self.written += len(data)
        return len(data)

    def close(self) -> None:
        self._out.clear()


class BoardTime:
    """In place of the module `time`: the clock of a board, whatever the load of this machine."""

    def __init__(self, board: WasmBoard) -> None:
        self._board = board

    def monotonic(self) -> float:
        return self._board.now_us / 1e6


def linked(board: WasmBoard) -> Callable[[str, Session], Link]:
    """Return what makes a link to the board in its own time, whatever the port is called."""

    def link(url: str, session: Session, **more: object) -> Link:
        return Link(
            url,
            session,
            opener=lambda _: BoardPort(board),
            clock=lambda: board.now_us / 1e6,
            wait=lambda _: None,
            **more,  # type: ignore[arg-type]
        )

    return link
