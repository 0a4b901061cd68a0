"""`tabletool emulate stock`: a board with nothing but MicroPython, to be flashed."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tableemulator.board.node import RigMissingError
from tableemulator.board.stock import PICO, PICO_2, StockBoard
from tabletools.cli.emulate.serving import caught_signals
from tabletools.cli.report import JsonOption, say
from tabletools.errors import ToolError

_LOOK_S = 0.2
_FLASH = "tabletool flash --board {board} --role roulette --port {prompt} --link {link}"


class StockKind(StrEnum):
    """The boards that it can be."""

    rpi_pico = "rpi_pico"
    rpi_pico2 = "rpi_pico2"


_KINDS = {StockKind.rpi_pico: PICO, StockKind.rpi_pico2: PICO_2}


def stock(
    board: Annotated[
        StockKind, typer.Option("--board", help="The kind of board.")
    ] = StockKind.rpi_pico2,
    ports: Annotated[
        Path | None,
        typer.Option("--ports", metavar="FOLDER", help="Links to its ports: prompt and link."),
    ] = None,
    _json: JsonOption = False,
) -> None:
    """A board from the shelf, MicroPython on it and no program, until Control-C.

    Prints the ports of its prompt and of its link, and the line that makes a table of it. Its
    flash is lost when it ends.
    """
    try:
        with (
            caught_signals() as caught,
            StockBoard(_KINDS[board]) as running,
            _named(running, ports) as (prompt, link),
        ):
            say(f"prompt on {prompt}", prompt=str(prompt))
            say(f"link on {link}", link=str(link))
            line = _FLASH.format(board=board, prompt=prompt, link=link)
            say(f"next: {line}", next=line)
            while not caught:
                running.wait(_LOOK_S)
    except RigMissingError as error:
        what, _, step = str(error).partition(": ")
        raise ToolError(what, step=step) from error


@contextmanager
def _named(board: StockBoard, folder: Path | None) -> Iterator[tuple[str, str]]:
    """Yield the names of prompt and link: in folder, which gets links to them, or their own."""
    if folder is None:
        yield board.prompt, board.link
        return
    links = {folder / "prompt": board.prompt, folder / "link": board.link}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, port in links.items():
            if path.is_symlink():  # of a board that was killed
                path.unlink()
            path.symlink_to(port)
    except OSError as error:
        what = f"cannot make the links: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(folder), step="name another folder") from error
    try:
        yield str(folder / "prompt"), str(folder / "link")
    finally:
        for path in links:
            path.unlink(missing_ok=True)
