"""The tables of a night, one machine of each role: what is played there, and what truly fell.

What a round came to is worked out here a second time, from the frames as the table made them: the
settlement's own reading of them is what a night examines.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from tableemulator.machines import Setup
from tableemulator.machines.card_shoe.physical_shoe import ShoeSetup
from tableemulator.machines.card_shoe.shoe_dealer import decks, is_dealt
from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tableemulator.machines.draw_machine.physical_draw import DrawSetup
from tableemulator.machines.money_wheel.physical_money_wheel import MoneyWheelSetup
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.machines.shuffler.physical_shuffler import ShufflerSetup

Slip = dict[str, Any]
Outcome = dict[str, Any]
CARDS = ("", *decks(1))
"""Names of cards by their number on the wire (PROTOCOL.md, card_dealt)."""
_PAYS = {"1": {"1": 2}, "2": {"2": 9}, "3": {"2": 1, "3": 25}}


@dataclass
class Truth:
    """What is true of a round. closed_us, ended_us: when its bets closed, when it ended.

    values: of the record that ended it. cards: numbers of those dealt in it. is_void: whether that
    record is a void, reason: its code.
    """

    closed_us: int | None = None
    ended_us: int | None = None
    values: tuple[Any, ...] = ()
    cards: list[int] = field(default_factory=list)
    is_void: bool = False
    was_closed: bool = False
    """Something before the void closed the bets, or may have: it is of a later boot."""
    boot: int = 0
    """In which it opened, 0 if that is not known."""

    @property
    def is_undone(self) -> bool:
        """Whether it became void after no more bets: no single person may do that."""
        return self.is_void and self.was_closed

    @property
    def reason(self) -> int:
        """The code of a void."""
        return int(self.values[0])


class NightRole(NamedTuple):
    """One table. terms: game, rules, variant. bets: what honest players choose from.

    outcome: what a round that ended came to, as `tabletool settle` reads it, by table and round
    where a person has to tell. wins: a slip that wins in that outcome, None if there is none.
    changed: keys of its configuration. is_ruled: two users enter every result.
    dice_reading: see pit.settings.
    """

    setup: Setup
    terms: tuple[str, str, str]
    bets: tuple[Slip, ...]
    outcome: Callable[[Truth, str], Outcome]
    wins: Callable[[Outcome], Slip | None]
    options: Mapping[str, object] = {}
    minimum_cents: int = 500
    changed: Mapping[str, int] = {}
    is_ruled: bool = False
    dice_reading: str = ""


def _pocket(truth: Truth, _name: str) -> Outcome:
    return {"pocket": str(truth.values[0])}


def _pays(truth: Truth, _name: str) -> Outcome:
    return {"pays": truth.values[0]}


def _dice(truth: Truth, _name: str) -> Outcome:
    return {"dice": [face for face in truth.values[:6] if face]}


def _dice_bet(outcome: Outcome) -> Slip:
    dice = outcome["dice"]
    if len(set(dice)) == 1:
        return {"bet": "any_triple"}
    return {"bet": "small" if sum(dice) <= 10 else "big"}


def _balls(truth: Truth, _name: str) -> Outcome:
    bits = int.from_bytes(truth.values[5], "little")
    return {"drawn": [number for number in range(1, 97) if bits >> (number - 1) & 1]}


def _points(cards: Sequence[str]) -> int:
    return sum(int(card[0]) if card[0].isdigit() else card[0] == "A" for card in cards) % 10


def _hands(cards: Sequence[str]) -> Outcome:
    """hc2023 3:3(2): a card each in turn, twice; a third for punto below six, then for banco."""
    punto, banco, rest = [cards[0], cards[2]], [cards[1], cards[3]], list(cards[4:])
    if rest and _points(punto) < 6:
        punto.append(rest.pop(0))
    return {"punto": " ".join(punto), "banco": " ".join(banco + rest)}


def _read_cards(truth: Truth, _name: str) -> Outcome:
    """A round that an order ended before its last card has no result."""
    cards = [CARDS[number] for number in truth.cards]
    return _hands(cards) if is_dealt(cards) else {"void": "ended before its last card"}


def _laid_cards(_truth: Truth, name: str) -> Outcome:
    """The hands the croupier lays where no shoe reads them: drawn, the same for a round's name."""
    cards = decks(8)
    random.Random(f"hands/{name}").shuffle(cards)
    return _hands(next(cards[:count] for count in (4, 5, 6) if is_dealt(cards[:count])))


_REDS = frozenset((1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36))


def won(slip: Slip, outcome: Outcome) -> Fraction:
    """What a bet of a night wins for each cent staked, by the printed odds; 0 where it wins none.

    hc2023 2:2 (roulette), 2:1 (money wheel), 4:2 (sic bo), 3:3 (punto banco); Keno by its table.
    """
    if "pocket" in outcome:
        return Fraction(_won_at_roulette(slip, int(outcome["pocket"])))
    if "dice" in outcome:
        return Fraction(_won_at_dice(slip, outcome["dice"]))
    if "pays" in outcome:
        return Fraction(outcome["pays"] if slip["on"] == [outcome["pays"]] else 0)
    if "drawn" in outcome:
        hits = len(set(slip["on"]) & set(outcome["drawn"]))
        return Fraction(_PAYS[str(len(slip["on"]))].get(str(hits), 0))
    return _won_at_cards(slip["bet"], outcome)


def _won_at_roulette(slip: Slip, pocket: int) -> int:
    if slip["bet"] == "straight":
        return 35 if slip["numbers"] == [str(pocket)] else 0
    if slip["bet"] == "dozen":
        return 2 if 12 * slip["index"] - 11 <= pocket <= 12 * slip["index"] else 0
    return int(pocket > 0 and (pocket in _REDS) == (slip["bet"] == "red"))


def _won_at_dice(slip: Slip, dice: list[int]) -> int:
    if slip["bet"] == "single":
        return dice.count(slip["on"][0])
    is_triple = len(set(dice)) == 1
    if slip["bet"] == "any_triple":
        return 30 if is_triple else 0
    return int(not is_triple and (sum(dice) <= 10) == (slip["bet"] == "small"))


def _won_at_cards(bet: str, outcome: Outcome) -> Fraction:
    """hc2023 3:3(3): banco pays half when it wins with five."""
    if bet != _cards_bet(outcome)["bet"]:
        return Fraction(0)
    if bet == "egalite":
        return Fraction(8)
    is_half = bet == "banco" and _points(outcome["banco"].split()) == 5
    return Fraction(1, 2) if is_half else Fraction(1)


def _cards_bet(outcome: Outcome) -> Slip:
    punto, banco = (_points(outcome[hand].split()) for hand in ("punto", "banco"))
    return {"bet": "egalite" if punto == banco else "punto" if punto > banco else "banco"}


_CARD_BETS: tuple[Slip, ...] = ({"bet": "punto"}, {"bet": "banco"}, {"bet": "egalite"})
_ROULETTE = NightRole(
    Geometry("single"),
    ("roulette", "hc2023", "french"),
    ({"bet": "red"}, {"bet": "black"}, {"bet": "dozen", "index": 2}),
    _pocket,
    lambda outcome: {"bet": "straight", "numbers": [outcome["pocket"]]},
)
ROLES: dict[str, NightRole] = {
    "R1": _ROULETTE,
    "R2": _ROULETTE,
    "W1": NightRole(
        MoneyWheelSetup(52),
        ("money_wheel", "hc2023", ""),
        ({"bet": "segment", "on": [1]}, {"bet": "segment", "on": [3]}),
        _pays,
        lambda outcome: {"bet": "segment", "on": [outcome["pays"]]},
    ),
    "D1": NightRole(
        TraySetup(3),
        ("sic_bo", "hc2023", ""),
        ({"bet": "small"}, {"bet": "big"}, {"bet": "single", "on": [3]}),
        _dice,
        _dice_bet,
        # Three dice on three plates are often heard as two hits; the host's camera sees them too.
        changed={"wall_hits": 2},
        dice_reading="both",
    ),
    "C1": NightRole(
        ShufflerSetup(),
        ("punto_banco", "hc2023", ""),
        _CARD_BETS,
        _laid_cards,
        _cards_bet,
        is_ruled=True,
    ),
    "S1": NightRole(
        ShoeSetup(), ("punto_banco", "hc2023", ""), _CARD_BETS, _read_cards, _cards_bet
    ),
    "K1": NightRole(
        DrawSetup(),
        ("keno", "hc2023", ""),
        (
            {"bet": "numbers", "on": [7]},
            {"bet": "numbers", "on": [12, 40]},
            {"bet": "numbers", "on": [2, 33, 71]},
        ),
        _balls,
        lambda outcome: {"bet": "numbers", "on": outcome["drawn"][:1]},
        options={"pays": _PAYS},
        minimum_cents=0,
    ),
}
"""Each table of a night by its name."""
