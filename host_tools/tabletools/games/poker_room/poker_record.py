"""The record of the poker room: a hand, or a floor decision."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from tabletools.games.poker_room.betting import ACTIONS
from tabletools.games.poker_room.floor import MISDEALS
from tabletools.rules import records
from tabletools.rules.declared import Declared, Stake, Text, verify_names
from tabletools.rules.hands import AnyHand

BET, FOLD = "hand", "fold"


class PutIn(Declared, frozen=True, kw_only=True):
    """What a player put in, in seat order; with `put_in`, what the player holds for the hand."""

    id: Text
    player: Text
    bet: Annotated[Text, Meta(extra_json_schema={"enum": [BET]})]
    stake: Annotated[Stake, Meta(description="Cents put in over all streets.")]
    choice: Annotated[Text | None, Meta(extra_json_schema={"enum": [FOLD, None]})] = None
    stack: Annotated[
        Stake | None,
        Meta(description="With limits: what the player has on the table; left out: buys in."),
    ] = None


class PokerAction(Declared, frozen=True, kw_only=True):
    """What a player did."""

    player: Text
    action: Annotated[Text, Meta(extra_json_schema={"enum": list(ACTIONS)})]
    amount: Annotated[
        int | None, Meta(description="What a bet or raise goes to; call, chips: added.")
    ] = None
    chips: Annotated[
        int | None, Meta(description="How many were pushed without a word; left out: 1.")
    ] = None
    early: Annotated[
        bool | None, Meta(description="Out of turn, as the floor let it stand (2.16).")
    ] = None
    called_ms: Annotated[int | None, Meta(description="When time was called.")] = None
    acted_ms: Annotated[
        int | None, Meta(description="When the player acted, ms; more than 60000 later: a fold.")
    ] = None


class Streets(Declared, frozen=True, kw_only=True):
    """The actions of a hand."""

    preflop: tuple[PokerAction, ...] | None = None
    flop: tuple[PokerAction, ...] | None = None
    turn: tuple[PokerAction, ...] | None = None
    river: tuple[PokerAction, ...] | None = None


class PokerOutcome(Declared, frozen=True, kw_only=True):
    """Each variant allows other fields: see `only`."""

    board: AnyHand | None = None
    burned: Annotated[AnyHand | None, Meta(description="Cards burned that were seen (2.20).")] = (
        None
    )
    hands: Annotated[dict[Text, AnyHand] | None, Meta(description="Cards shown, by player.")] = (
        None
    )
    mucked: Annotated[
        tuple[Text, ...] | None,
        Meta(
            description="Who passed a hand that was still in without showing it (2.23), in the "
            "order they did."
        ),
    ] = None
    actions: Streets | None = None
    put_in: Annotated[
        dict[Text, Stake] | None,
        Meta(
            description="What each player put in, if the stakes are what they hold for the hand; "
            "the rest is returned. By player."
        ),
    ] = None
    folded: Annotated[tuple[Text, ...] | None, Meta(description="With put_in: who folded.")] = None
    order: Annotated[
        tuple[Text, ...] | None,
        Meta(description="With put_in: all who hold a stake, from the left of the button on."),
    ] = None
    misdeal: Annotated[Text | None, Meta(extra_json_schema={"enum": [*MISDEALS, None]})] = None
    acted: Annotated[int | None, Meta(description="Players that had acted at the misdeal.")] = None
    void: Text | None = None
    button: int | None = None
    small_blind: int | None = None
    big_blind: int | None = None
    seats: tuple[int, ...] | None = None
    flashed: Annotated[int | None, Meta(description="Cards seen in the deal.")] = None
    boxed: Annotated[int | None, Meta(description="Cards that were face up in the deck.")] = None
    decisive: Annotated[
        bool | None, Meta(description="The first card or the button's was flashed.")
    ] = None
    odd: Annotated[
        dict[Text, int] | None,
        Meta(description="Chip race: value of odd chips, from seat 1 on."),
    ] = None
    cards: dict[Text, AnyHand] | None = None
    whole: tuple[Text, ...] | None = None

    def only(self, *names: str) -> None:
        """Raise RuleViolation at a field that is given and not among these names."""
        fields = [name for name in self.__struct_fields__ if getattr(self, name) is not None]
        verify_names(fields, names)


MOST_LEVY: Mapping[str, tuple[int, int]] = {"hc2011": (1, 10)}
"""Highest rake of a house, as a share of what was bet, by document (3:5(1))."""


class PokerTable(Declared, frozen=True, kw_only=True):
    """The rules of the table."""

    button: Annotated[Text | None, Meta(description="Left out: the first bet is on its left.")] = (
        None
    )
    rake: Annotated[tuple[int, ...] | None, Meta(description="[parts, of].")] = None
    house: Annotated[
        Text | None,
        Meta(
            description="Document of a house that limits its levy: hc2011 to 10 % (3:5(1)).",
            extra_json_schema={"enum": [*MOST_LEVY, None]},
        ),
    ] = None
    chip: Annotated[
        int | None, Meta(description="Smallest chip, of a race the bigger one; cents.")
    ] = None
    stacks: Annotated[
        dict[Text, int] | None, Meta(description="With actions: before the hand.")
    ] = None
    minimum: Annotated[Stake | None, Meta(description="Least a player buys in for, cents.")] = None
    maximum: Annotated[
        Stake | None,
        Meta(description="Most a player has after buying in or adding, cents."),
    ] = None
    big_blind: int | None = None
    seats: Annotated[
        tuple[Text, ...] | None,
        Meta(description="All with a stack, from the left of the button: turns are verified."),
    ] = None


class Record(records.Record, frozen=True, kw_only=True):
    """A hand, where the button goes, or a chip race."""

    variant: Text | None = None
    bets: tuple[PutIn, ...] | None = None
    outcome: PokerOutcome
    table: PokerTable | None = None
