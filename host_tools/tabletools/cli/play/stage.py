"""What every act of `tabletool play` needs: an emulated table with the game as its only host."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hil_tests import session
from hil_tests.controller import WasmController
from hil_tests.emulators import Setup
from hil_tests.emulators.core.harness import FROM_TABLE
from tabletools.errors import ToolError
from tabletools.keys import Key
from tabletools.play import Game, Screen


@dataclass(frozen=True)
class Stage:
    """One evening. seed: the same one plays the same evening. spins: of the roulette table.

    key: of the emulated board; it gets it before it is switched on.
    """

    screen: Screen
    seed: int
    spins: int
    key: Key

    def keys(self, _device: int) -> dict[int, bytes]:
        """The keys the game knows the table by."""
        return {self.key.number: self.key.secret}

    @contextmanager
    def table(self, setup: Setup, game: Game) -> Iterator[Any]:
        """Switch a table on; the game acknowledges and orders, nobody else."""
        controller = WasmController(setup)
        controller.give_key(self.key.number, self.key.secret)
        table: Any = None

        def listen(when: int, direction: str, data: bytes) -> None:
            if direction == FROM_TABLE:
                answer = game.hear(when, data)
                if answer and table is not None:
                    table.send(answer)

        try:
            table = session.table_of(setup)(
                controller, setup, self.seed, listen=listen, acknowledge=False,
                command=game.command,
            )  # fmt: skip
            table.send(game.hello())
            yield table
            if table.errors:
                raise ToolError("the program on the board wrote: " + table.errors[0].strip())
        finally:
            controller.close()


def until_it_counts(table: Any, game: Game, differs: Callable[[Any], str], tries: int = 8) -> None:
    """Play rounds until no bet is left on the cloth: a void leaves them there.

    differs: how what was played differs from what the table said, "" if it does not.
    """
    for _ in range(tries):
        played = table.spin()
        verify(played.ended.round, differs(played))
        if not game.house.on_cloth:
            return


def verify(round_number: int, what: str) -> None:
    """Raise ToolError if the table's word and what happened differ. what: how, "" if not."""
    if what:
        raise ToolError(
            what,
            where=f"round {round_number}",
            cause="a defect of the firmware",
            step="report the seed",
        )
