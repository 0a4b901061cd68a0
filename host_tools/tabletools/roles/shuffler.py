"""A card table with a shuffler: the round opened with cards; the table does not know them.

An incomplete shuffle before it is a fault of the table, during which no round opens. hc2023 and
hc2011 3:1(7) (rulebook C-1, READING-55): a round whose shuffler fails is invalid, except for the
bets won or lost by then. The cards dealt until then say which those are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from tabletools.roles.role import (
    VOID,
    ByHand,
    Deals,
    Demand,
    Message,
    Opened,
    Played,
    Record,
    Role,
    SelfTest,
    kind_of,
    layout_objection,
    measured_in,
)
from tabletools.rules.dealing import Outcome
from tabletools.rules.records import NEEDS_RULING, OUTCOME_NOT_ONE
from tabletools.rules.violation import RuleViolation, shown
from tablewire.shuffler import NOT_VERIFIED

ENDED = "card_round_ended"
SHUFFLER_CODES = range(801, 900)
"""Reason codes of a shuffler and its shoe."""
_DECK = 52
_CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")
CARD_GAMES = frozenset(
    "punto_banco baccarat high_low red_dog casino_war blackjack caribbean three_card four_card"
    " casino_holdem ultimate multi_poker jackpot".split()
)


class CardRoundEnded(Message, frozen=True):
    """card_round_ended: the croupier has settled."""

    dealing_ms: int

    def text(self) -> str:
        """When."""
        return _end((self.dealing_ms,))


class ShuffleDone(Message, frozen=True):
    """shuffle_done: the cards that passed both gates, and the verdict."""

    count_in: int
    count_out: int
    expected: int
    duration_ms: int
    verdict: str
    reason: str | None

    def text(self) -> str:
        """Verdict and counts."""
        counts = f"{self.count_in} in, {self.count_out} out of {self.expected}"
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.verdict}{why}: {counts}, {self.duration_ms / 1000:.1f} s"


class ShoeChanged(Message, frozen=True):
    """shoe_changed: locked or released, and why."""

    shoe: str
    reason: str | None
    replacement: str | None

    def text(self) -> str:
        """State and cause."""
        why = self.reason or (self.replacement and f"by {self.replacement}")
        return f"shoe {self.shoe}" + (f", {why}" if why else "")


class GateWorn(Message, frozen=True):
    """gate_worn: how far a gate is from taking two cards for one."""

    sensor: str | None
    margin: int | None
    lock_below: int | None

    def text(self) -> str:
        """Gate and margin, percent."""
        return f"{self.sensor}: {self.margin} %, locks below {self.lock_below}"


def outcome_of(ended: Record, dealt: Mapping[str, object]) -> Outcome:
    """Return the outcome of a round as its table reported the end of it. dealt: cards by hand.

    Raises RuleViolation if the rules do not cover such an end: a round cancelled for another
    reason than its shuffler needs a ruling of the house.
    """
    if dealt.get("void") is not None:
        raise RuleViolation(
            OUTCOME_NOT_ONE, "the table's record says whether the round is void", "outcome"
        )
    if ended.get("type") == ENDED:
        return dict(dealt)
    if ended.get("type") != VOID:
        raise RuleViolation(
            NEEDS_RULING, f"a record {shown(ended.get('type'))} ends no card round"
        )
    reason, code = ended.get("reason"), ended.get("code")
    if code not in SHUFFLER_CODES:
        what = f"void by {shown(reason)} ({shown(code)}); 3:1(7) covers shufflers only"
        raise RuleViolation(NEEDS_RULING, what, "outcome")
    return {**dealt, "void": reason}


def outcome(
    _played: Played, ended: Record, _records: Sequence[Record], by_hand: ByHand
) -> Outcome:
    """The hands as they were entered."""
    if by_hand.dealt is None:
        raise RuleViolation(
            NEEDS_RULING, "a table with a shuffler reports no cards: they are unknown"
        )
    return outcome_of(ended, by_hand.dealt)


def deals_of(records: Sequence[Record]) -> Deals | None:
    """Return the cards of each round, as they were entered: their order is not known."""
    rounds: list[list[str]] = []
    decks = 0
    for record in records:
        if kind_of(record) == "shuffle_done":
            expected = ShuffleDone.of_record(record).expected
            if expected // _DECK != decks:
                rounds, decks = [], expected // _DECK
        elif kind_of(record) == ROLE.result:
            rounds.append(_CARD.findall(str(record.get("outcome") or "")))
    rows = [cards for cards in rounds if cards]
    return Deals("cards", rows, is_in_order=False, decks=decks) if decks else None


def demands(_played: Played) -> list[Demand]:
    """None: no rule counts the decks or passes of a shuffler."""
    return []


def objections(
    _played: Played, opened: Opened | None, _ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """A round that did not open at a shuffler."""
    yield from layout_objection(opened, "cards", "a shuffler")


def _end(values: Sequence[int]) -> str:
    return f"settled {values[0] / 1000:.1f} s after no more bets"


ROLE = Role(
    result=ENDED,
    # The cards of a poker room are the players': no shoe reads them.
    games=CARD_GAMES | {"poker_room"},
    demands=demands,
    objections=objections,
    dealt=outcome,
    end=_end,
    listed=("dealing_ms",),
    listed_as=lambda row: _end((row["dealing_ms"],)),
    messages={
        "card_round_ended": CardRoundEnded,
        "shuffle_done": ShuffleDone,
        "shoe_changed": ShoeChanged,
        "gate_worn": GateWorn,
    },
    layouts={"cards": ("cards, {}", "pass")},
    deals_of=deals_of,
    live={
        "shuffle_done": (
            "shuffle",
            ("verdict", "reason", "count_in", "count_out", "expected"),
        ),
        "shoe_changed": ("lock", ("shoe", "reason", "replacement")),
    },
    self_test=SelfTest("Have the machine shuffle one deck; keep its lid closed.", 60_000),
    measures={
        **dict.fromkeys(("double_feed", "foreign_passage"), measured_in("us")),
        "shuffler_link_lost": measured_in("ms"),
        "motor_stalled": measured_in("of 4095"),
        "gate_dirty": measured_in("%"),
        **dict.fromkeys(
            ("count_short", "count_long", "gates_disagree", "unfinished", "jam_inside"),
            measured_in("cards"),
        ),
    },
    awaiting=(NOT_VERIFIED,),
    orders=("end_round", "declare_replacement"),
    untraced="cards passed the shuffler; the times of the passages are never reported",
)
