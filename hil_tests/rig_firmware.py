"""Small firmware for the tests of the rig: a board that runs one main.py."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tableemulator.board.wasm import WasmBoard

SECOND = 1_000_000
# What every asyncio snippet needs around its main().
RUN = "\nasyncio.run(main())\n"


@contextmanager
def started(main: str, **settings: Any) -> Iterator[WasmBoard]:
    """Yield a board that has booted main.py without an error; settings: see WasmBoard."""
    files = {"/main.py": main.encode(), **settings.pop("files", {})}
    with WasmBoard(files, **settings) as board:
        output = board.boot()
        assert output.errors == "", output.errors
        yield board


def edges(pin: int, times: list[int]) -> list[list[Any]]:
    """Return pin events that begin with a rise and alternate."""
    return [[time, "pin", pin, (index + 1) & 1] for index, time in enumerate(times)]
