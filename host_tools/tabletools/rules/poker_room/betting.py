"""Betting of one street: legal bets and raises. oostende2011 2.10, 2.16, 3.6, 4.4, 4.5.

A raise goes to at least twice the amount to match (READING-37), less only all-in. Who has bet may
raise again only when a bet is at least twice his own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tabletools.rules.codes.outcomes import ACTION_NOT_LEGAL
from tabletools.rules.refusal import Refusal, shown

BLINDS = ("small_blind", "big_blind", "straddle")
ACTIONS = (*BLINDS, "check", "call", "bet", "raise", "chips", "fold")


class Action(NamedTuple):
    """One action. amount: what a bet or raise goes to, what a call or chips add; cents. chips: how
    many were pushed in one motion without a word."""

    player: str
    action: str
    amount: int | None = None
    chips: int = 1


@dataclass(slots=True)
class Street:
    """The state of one street. pot: before it, cents. own: put in on it. spoken: who has acted."""

    stacks: dict[str, int]
    big_blind: int
    pot: int
    pot_limit: bool
    own: dict[str, int] = field(default_factory=dict)
    spoken: set[str] = field(default_factory=set)
    folded: set[str] = field(default_factory=set)

    @property
    def to_match(self) -> int:
        """The highest bet, cents."""
        return max(self.own.values(), default=0)

    def most(self, player: str) -> int:
        """Return the most a player may bet or raise to: his stack, or the pot after his call."""
        own = self.own.get(player, 0)
        all_in = own + self.stacks[player]
        if not self.pot_limit:
            return all_in
        in_all = self.pot + sum(self.own.values())
        return min(all_in, self.to_match + in_all + self.to_match - own)

    def least(self, player: str) -> int:
        """Return the least a player may bet or raise to; all-in may be less."""
        return max(2 * self.to_match, self.big_blind)

    def may_raise(self, player: str) -> bool:
        """Say whether betting is open to a player: not spoken yet, or a bet twice his own."""
        return player not in self.spoken or self.to_match >= 2 * self.own.get(player, 0)

    def _refuse(self, player: str, what: str) -> Refusal:
        return Refusal(ACTION_NOT_LEGAL, f"player {shown(player)}: {what}")

    def _pay(self, player: str, to: int) -> None:
        added = to - self.own.get(player, 0)
        self.stacks[player] -= added
        self.own[player] = to

    def act(self, action: Action) -> None:
        """Take one action; raise Refusal if it is not legal."""
        player = action.player
        if player not in self.stacks or player in self.folded:
            raise self._refuse(player, "he is not in the hand")
        if action.action in BLINDS:
            self._pay(player, min(action.amount or 0, self.stacks[player]))
            return
        if not self.stacks[player]:
            raise self._refuse(player, "he is all-in and does not act")
        {
            "fold": self._fold,
            "check": self._check,
            "call": self._call,
            "bet": self._raise,
            "raise": self._raise,
            "chips": self._chips,
        }[action.action](action)
        self.spoken.add(player)

    def _fold(self, action: Action) -> None:
        self.folded.add(action.player)

    def _check(self, action: Action) -> None:
        if self.own.get(action.player, 0) < self.to_match:
            raise self._refuse(action.player, f"{self.to_match} is to match, a check is not open")

    def _call(self, action: Action) -> None:
        player = action.player
        own = self.own.get(player, 0)
        needed = min(self.to_match - own, self.stacks[player])
        if not needed or action.amount not in (None, needed):
            raise self._refuse(player, f"a call adds {needed}")
        self._pay(player, own + needed)

    def _raise(self, action: Action) -> None:
        player, to = action.player, action.amount or 0
        all_in = to == self.own.get(player, 0) + self.stacks[player]
        opens = self.to_match == 0
        if (action.action == "bet") != opens:
            raise self._refuse(player, "a bet opens, a raise follows a bet")
        if not self.may_raise(player):
            what = f"he has {self.own.get(player, 0)} in, {self.to_match} is less than twice that"
            raise self._refuse(player, f"{what}: he may only call")
        if to > self.most(player):
            raise self._refuse(player, f"{to} is above the most, {self.most(player)}")
        if to <= self.to_match or (to < self.least(player) and not all_in):
            raise self._refuse(player, f"{to} is below the least, {self.least(player)}")
        self._pay(player, to)

    def _chips(self, action: Action) -> None:
        """Chips without a word: 2.10 and 2.16 say what they mean."""
        player, added = action.player, action.amount or 0
        own = self.own.get(player, 0)
        if not 1 <= added <= self.stacks[player]:
            raise self._refuse(player, f"he has {self.stacks[player]}")
        if self.to_match == 0:
            to = min(own + added, self.most(player))
            self._raise(Action(player, "bet", to))
            return
        to = own + added
        single = action.chips == 1 and added != self.stacks[player]
        raises = not single and 2 * to >= 3 * self.to_match and self.may_raise(player)
        if not raises:
            self._call(Action(player, "call"))
            return
        to = max(to, self.least(player))
        to = min(to, own + self.stacks[player], self.most(player))
        self._raise(Action(player, "raise", to))

    def verify_ended(self) -> None:
        """Raise Refusal while a live player who is not all-in has less in than the highest bet."""
        for player, stack in self.stacks.items():
            behind = self.own.get(player, 0) < self.to_match
            if behind and stack and player not in self.folded:
                raise self._refuse(player, f"{self.to_match} is to match, and he has not acted")


def play(
    streets: Mapping[str, list[Action]],
    stacks: Mapping[str, int],
    big_blind: int,
    *,
    pot_limit: bool,
) -> tuple[dict[str, int], set[str]]:
    """Return what each player has put in over the streets, and who folded."""
    left, folded = dict(stacks), set[str]()
    for actions in streets.values():
        pot = sum(stacks.values()) - sum(left.values())
        street = Street(left, big_blind, pot, pot_limit, folded=folded)
        for action in actions:
            street.act(action)
        if len(folded) < len(stacks) - 1:
            street.verify_ended()
    return {player: stacks[player] - left[player] for player in stacks}, folded
