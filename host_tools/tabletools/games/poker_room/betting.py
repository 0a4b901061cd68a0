"""Betting of one street: legal bets and raises. oostende2011 2.10, 2.16, 3.6, 3.14, 4.4, 4.5.

A raise goes to at least twice the amount to match (READING-37), less only all-in. A player who has
bet may raise again only if a bet is at least twice the player's, and not after a check or call out
of turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tabletools.rules.codes.outcomes import ACTION_NOT_LEGAL
from tabletools.rules.violation import RuleViolation, shown, within

POST, DEAD = "post", "dead_small_blind"
"""Missed blinds, or those of a new player: the big one is a bet, the small one dead money."""
BLINDS = ("small_blind", "big_blind", "straddle", POST, DEAD)
ACTIONS = (*BLINDS, "check", "call", "bet", "raise", "chips", "fold")


class Action(NamedTuple):
    """One action. amount: what a bet or raise goes to, what a call or chips add; cents. chips: how
    many were pushed in one motion without a word. early: out of turn."""

    player: str
    action: str
    amount: int | None = None
    chips: int = 1
    early: bool = False


@dataclass(slots=True)
class Street:
    """The state of one street.

    pot: before it, cents. order: players from the left of the button, () when turns are not
    verified. own: put in on this street. dead: part of it that counts for the pot only. spoken:
    who has acted. folded: who did, in that order. bound: who may no longer raise. last: who acted
    or posted last in turn.
    """

    stacks: dict[str, int]
    big_blind: int
    pot: int
    pot_limit: bool
    order: Sequence[str] = ()
    own: dict[str, int] = field(default_factory=dict)
    spoken: set[str] = field(default_factory=set)
    folded: list[str] = field(default_factory=list)
    dead: dict[str, int] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    last: str | None = None

    @property
    def live(self) -> list[str]:
        """The players who have not folded."""
        return [player for player in self.stacks if player not in self.folded]

    @property
    def to_match(self) -> int:
        """The highest bet, cents."""
        return max(self.own.values(), default=0)

    def most(self, player: str) -> int:
        """Return the most a player may bet or raise to: the stack, or the pot after the call."""
        own = self.own.get(player, 0)
        all_in = own + self.stacks[player]
        if not self.pot_limit:
            return all_in
        in_all = self.pot + sum(self.own.values()) + sum(self.dead.values())
        return min(all_in, self.to_match + in_all + self.to_match - own)

    def least(self) -> int:
        """Return the least that may be bet or raised to; all-in may be less."""
        return max(2 * self.to_match, self.big_blind)

    def may_raise(self, player: str) -> bool:
        """Return whether a player may raise: not acted yet, or faces a bet of twice the own."""
        if player in self.bound:
            return False
        return player not in self.spoken or self.to_match >= 2 * self.own.get(player, 0)

    def turn(self) -> str | None:
        """Return whose turn it is: the next player, after the last one, who still has to act."""
        next_place = self.order.index(self.last) + 1 if self.last is not None else 0
        for player in (*self.order[next_place:], *self.order[:next_place]):
            waits = player not in self.spoken or self.own.get(player, 0) < self.to_match
            if waits and player not in self.folded and self.stacks[player]:
                return player
        return None

    def _refuse(self, player: str, what: str) -> RuleViolation:
        return RuleViolation(ACTION_NOT_LEGAL, f"player {shown(player)}: {what}")

    def _pay(self, player: str, to: int) -> None:
        added = to - self.own.get(player, 0)
        self.stacks[player] -= added
        self.own[player] = to

    def act(self, action: Action) -> None:
        """Apply one action; raise RuleViolation if it is not legal."""
        player = action.player
        if player not in self.stacks or player in self.folded:
            raise self._refuse(player, "he is not in the hand")
        if action.action in BLINDS:
            self._post(action)
            return
        if not self.stacks[player]:
            raise self._refuse(player, "the player is all-in and does not act")
        if action.early:
            if action.action in ("check", "call"):
                self.bound.add(player)
        elif self.order:
            self._verify_turn(player)
        {
            "fold": self._fold,
            "check": self._check,
            "call": self._call,
            "bet": self._raise,
            "raise": self._raise,
            "chips": self._chips,
        }[action.action](action)
        self.spoken.add(player)

    def _verify_turn(self, player: str) -> None:
        turn = self.turn()
        if turn != player:
            what = f"it is the turn of {shown(turn)}; an early action must be marked (2.16)"
            raise self._refuse(player, what)
        self.last = player

    def _post(self, action: Action) -> None:
        player, most = action.player, self.stacks[action.player]
        cents = min(action.amount or 0, most)
        if action.action == POST and cents != min(self.big_blind, most):
            raise self._refuse(player, f"the big blind is posted, {self.big_blind} (3.7, 3.14)")
        if action.action != DEAD:
            self._pay(player, cents)
            self.last = player if action.action != POST else self.last
            return
        if not 1 <= cents <= self.big_blind:
            raise self._refuse(player, f"a dead blind is 1 to {self.big_blind} (3.14)")
        self.stacks[player] -= cents
        self.dead[player] = self.dead.get(player, 0) + cents

    def _fold(self, action: Action) -> None:
        self.folded.append(action.player)

    def _check(self, action: Action) -> None:
        if self.own.get(action.player, 0) < self.to_match:
            raise self._refuse(
                action.player, f"a check is not possible: {self.to_match} is to match"
            )

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
            own = self.own.get(player, 0)
            what = f"the player has {own} in, {self.to_match} is less than twice that"
            what = "the player acted out of turn (2.16)" if player in self.bound else what
            raise self._refuse(player, f"{what}: only a call is possible")
        if to > self.most(player):
            raise self._refuse(player, f"{to} is above the maximum, {self.most(player)}")
        if to <= self.to_match or (to < self.least() and not all_in):
            raise self._refuse(player, f"{to} is below the minimum, {self.least()}")
        self._pay(player, to)

    def _chips(self, action: Action) -> None:
        """Chips without a word: 2.10 and 2.16 define their meaning."""
        player, added = action.player, action.amount or 0
        own = self.own.get(player, 0)
        if not 1 <= added <= self.stacks[player]:
            raise self._refuse(player, f"the player has {self.stacks[player]}")
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
        to = max(to, self.least())
        to = min(to, own + self.stacks[player], self.most(player))
        self._raise(Action(player, "raise", to))

    def verify_complete(self) -> None:
        """Raise RuleViolation while a player has to act: not all-in, and without an action or with
        less in than the highest bet. The only player with chips has no opponent left to bet
        with."""
        able = [player for player in self.stacks if self.stacks[player] and player in self.live]
        for player in able:
            if self.own.get(player, 0) < self.to_match:
                raise self._refuse(
                    player, f"{self.to_match} is to match, and the player has not acted"
                )
            if len(able) > 1 and player not in self.spoken:
                raise self._refuse(
                    player, "the street is not over, and the player has not acted on it"
                )


class Played(NamedTuple):
    """The result of a hand's actions.

    put_in: by player, including dead money. folded: who did, in that order. last: the street the
    hand ended on.
    """

    put_in: dict[str, int]
    folded: list[str]
    dead: dict[str, int]
    last: str


def play(
    streets: Mapping[str, list[Action]],
    stacks: Mapping[str, int],
    big_blind: int,
    *,
    pot_limit: bool,
    order: Sequence[str] = (),
) -> Played:
    """Play the streets, each to its end. Raises RuleViolation at the first action that is not
    legal, is missing, or comes after the end of the hand.

    streets: all there are, by name. order: of all players dealt in, from the left of the button
    on; () if turns are unknown.
    """
    left, folded, dead, last = dict(stacks), list[str](), dict[str, int](), ""
    for name, actions in streets.items():
        pot = sum(stacks.values()) - sum(left.values())
        street = Street(left, big_blind, pot, pot_limit, order, folded=folded)
        with within(f"actions.{name}"):
            if len(street.live) < 2:
                if actions:
                    what = f"the hand was over on the {last}: one player was left"
                    raise RuleViolation(ACTION_NOT_LEGAL, what)
                break
            last = name
            for place, action in enumerate(actions):
                with within(f"[{place}]"):
                    street.act(action)
            if len(street.live) > 1:
                street.verify_complete()
        dead.update(street.dead)
    put_in = {player: stacks[player] - left[player] for player in stacks}
    return Played(put_in, folded, dead, last)
