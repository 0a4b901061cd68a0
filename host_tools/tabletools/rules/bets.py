"""What a placed bet is to the settlement, whatever the game."""

from typing import Any, Protocol

import msgspec

from tabletools.rules.verdict import Verdict


class Verdicts(Protocol):
    """The verdicts of one bet by outcome: a tuple, a dict or anything with `[outcome]`."""

    def __getitem__(self, outcome: Any, /) -> Verdict:
        """Return what this outcome does to the bet."""


class CompiledBet(msgspec.Struct, frozen=True, gc=False):
    """A bet the rules accepted, compiled once and settled by one look-up.

    Out of the garbage collector's sight (`gc=False`): nothing it refers to refers back to it.

    id: unique in its round. stake: cents in play. verdicts: what each outcome does to it.
    chance: what is bet on; two bets on the same chance have the equal chance (limits).
    player: who bets, None if unknown. state: None for a new bet, else the game's own word.
    """

    id: str
    stake: int
    verdicts: Verdicts
    chance: Any
    player: str | None = None
    state: str | None = None
