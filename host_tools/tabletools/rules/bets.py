"""A placed bet as the settlement sees it, for any game."""

from typing import Annotated, Any, Protocol

import msgspec
from msgspec import Meta

from tabletools.rules.verdict import Verdict

AtTerminal = Annotated[
    bool | None, Meta(description="Placed at a terminal of the table; left out: no.")
]


class Verdicts(Protocol):
    """The verdicts of one bet by outcome: a tuple, a dict or anything with `[outcome]`."""

    def __getitem__(self, outcome: Any, /) -> Verdict:
        """Return what this outcome does to the bet."""


class CompiledBet(msgspec.Struct, frozen=True, gc=False):
    """A bet the rules accepted, compiled once and settled by one look-up.

    Not tracked by the garbage collector (`gc=False`): it is in no reference cycle.

    id: unique in its round. stake: cents in play. verdicts: what each outcome does to it.
    chance: what is bet on; two bets on the same chance have equal chances (limits).
    player: who bets, None if unknown. state: None for a new bet, else a term of the game.
    at_terminal: placed at a terminal of the table, not on its cloth.
    """

    id: str
    stake: int
    verdicts: Verdicts
    chance: Any
    player: str | None = None
    state: str | None = None
    at_terminal: bool = False
