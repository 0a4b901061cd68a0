"""Black Jack, rulebook 9.11: one box against the bank, with what was bet on it."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from tabletools.shadow.play import Bet, Play
from tabletools.shadow.playing_cards import ACE, Card, Hand, count_dealt, decided, hand
from tabletools.shadow.poker_hands import THREE, best
from tabletools.shadow.verdict import (
    Cents,
    Impossible,
    Verdict,
    lose,
    push,
    void,
    win,
)

BLACK_JACK_PAYS: Mapping[str | None, Cents] = {
    None: Fraction(3, 2), "casino21": Fraction(3, 2), "1:1": 1, "6:5": Fraction(6, 5), "switch": 1,
}  # fmt: skip
TWENTY_ONE_PLUS_THREE = {"straight_flush": 30, "three": 20, "straight": 10, "flush": 5}
# Counts of equal ranks, highest first -> odds.
SUPER_MATCH = {(4,): 40, (2, 2): 8, (3, 1): 5, (2, 1, 1): 1}
RED = "HD"


class Bank(NamedTuple):
    """The bank's final hand."""

    total: int
    is_black_jack: bool


class Box(NamedTuple):
    """A box. hands: as played; dealt: the first two cards of each hand as dealt.

    black_jacks: hands that are one, by number; doubled: hands that were doubled; split: hands made
    by a split.
    """

    hands: list[Hand]
    dealt: list[Hand]
    black_jacks: set[int]
    doubled: set[int]
    split: set[int]
    bank: Hand


class Paragraphs(NamedTuple):
    """Those of an edition, and the one of a variant, which overrides them."""

    pays: str
    equal: str
    insurance: str
    double: str
    split: str
    sevens: str


PARAGRAPHS = {
    "hc2023": Paragraphs("3:2(3)", "3:2(4)", "3:2(5)", "3:2(7)", "3:2(8)", "3:2(9)"),
    "hc2011": Paragraphs("3:2(4)", "3:2(5)", "3:2(6)", "3:2(8)", "3:2(9)", "3:2(10)"),
    "de-live": Paragraphs("BJ 2.3", "BJ 2.2", "BJ 2.5.3", "BJ 2.6", "BJ 2.7", ""),
}
VARIANTS: Mapping[tuple[str, str | None], str] = {
    ("hc2023", "casino21"): "3:2(14)",
    ("hc2011", "casino21"): "3:2(19)",
    ("hc2011", "1:1"): "3:2(20)",
    ("hc2011", "6:5"): "3:2(21)",
    ("hc2011", "switch"): "3:2(22)",
}
SIDES = {
    "pair_pursuit": "3:2(12)",
    "perfect_pairs": "3:2(18)",
    "21+3": "3:2(13)",
    "bj_plus": "3:2(14)",
    "super_match": "3:2(22)",
}


def judge(play: Play) -> list[Verdict]:
    """Settle every bet on a box."""
    box = _box(play)
    is_void = play.outcome.void is not None
    _verify_holder(play)
    verdicts = []
    for bet in play.bets:
        verdict = _bet(play, box, bet)
        if verdict is not None and not verdict.paragraphs:
            name = SIDES.get(bet.kind) or PARAGRAPHS[play.rules].insurance
            verdict = verdict.by(name)
        if verdict is None and not is_void:
            raise Impossible(f"{bet.kind} depends on cards that are missing")
        verdicts.append(verdict or void(bet.stake))
    return verdicts


def _box(play: Play) -> Box:
    outcome, is_switch = play.outcome, play.variant == "switch"
    texts = outcome.player or []
    if texts and not is_switch:
        texts = [texts]
    groups: list[list[Hand]] = [
        [hand(text) for text in ([each] if isinstance(each, str) else each)] for each in texts
    ]
    hands: list[Hand] = [group[0] for group in groups]
    hands += [some for group in groups for some in group[1:]]
    bank = hand(outcome.bank)
    count_dealt(play, [*hands, bank])
    if any(_total(bank[:cards]) >= 17 for cards in range(2, len(bank))):
        raise Impossible("the bank drew on 17 or more")
    _verify_drawn(play, hands, bank)
    dealt = [group[0][:2] if len(group) == 1 else [group[0][0], group[1][0]] for group in groups]
    can_be = not outcome.switched
    black_jacks = {
        n for n, group in enumerate(groups)
        if can_be and len(group) == 1 and _is_black_jack(group[0])
    }  # fmt: skip
    doubled = {_on(bet, 1) for bet in play.bets if bet.kind == "double"}
    split = {n for n, group in enumerate(groups) if len(group) > 1}
    split |= set(range(len(groups), len(hands)))
    return Box(hands, dealt, black_jacks, doubled, split, bank)


def is_in_play(cards: Any) -> bool:
    """Whether a box has a hand that is not above 21. cards: as a record has them."""
    rows = [cards] if isinstance(cards, str) else cards or ()
    texts = [text for each in rows for text in ([each] if isinstance(each, str) else each)]
    return any(sum(map(_points, hand(text))) <= 21 for text in texts)


def _verify_drawn(play: Play, hands: list[Hand], bank: Hand) -> None:
    """3:2(4), (6): with no hand left the bank keeps one card, or two for an insurance."""
    others = play.outcome.others_play or play.outcome.void is not None
    if others or any(sum(map(_points, cards)) <= 21 for cards in hands):
        return
    can_insure = bank and bank[0].rank == ACE and play.variant != "casino21"
    if len(bank) > (2 if can_insure or play.rules == "de-live" else 1):
        raise Impossible("the bank drew with no hand left")


def _verify_holder(play: Play) -> None:
    """3:2(2): the holder of a box decides; those who bet with him double what he doubles."""
    holder = play.outcome.holder
    if holder is None:
        return
    held = [bet for bet in play.bets if bet.player == holder]
    if play.rules == "de-live" or not any(bet.kind == "bet" for bet in held):
        raise Impossible(f"{holder} holds the box without a bet on it")
    doubled = {_on(bet, 1) for bet in held if bet.kind == "double"}
    if any(bet.kind == "double" and _on(bet, 1) not in doubled for bet in play.bets):
        raise Impossible("a hand is doubled that the holder of the box did not double")


def _on(bet: Bet, otherwise: int) -> int:
    """The hand a bet is on, from 0."""
    return int((bet.on or [otherwise])[0]) - 1


def _points(card: Card) -> int:
    return 1 if card.rank == ACE else min(card.rank, 10)


def _total(cards: Iterable[Card], *, has_fixed_ace: bool = False) -> int:
    """The points of a hand, one ace as 11 if that is no more than 21."""
    points = [_points(card) for card in cards]
    aces = points.count(1) - has_fixed_ace
    return sum(points) + (10 if aces and sum(points) <= 11 else 0)


def _is_black_jack(cards: Hand) -> bool:
    return len(cards) == 2 and _total(cards) == 21


def _ends(bank: Hand) -> frozenset[Bank]:
    """Return every hand the bank can still end with."""
    points = tuple(sorted(_points(card) for card in bank))
    return _ends_of(sum(points), 1 in points, len(points))


@cache
def _ends_of(points: int, has_ace: bool, cards: int) -> frozenset[Bank]:
    total = points + 10 if has_ace and points <= 11 else points
    if cards > 1 and total >= 17:
        return frozenset([Bank(total, cards == 2 and total == 21)])
    more = (_ends_of(points + n, has_ace or n == 1, cards + 1) for n in range(1, 11))
    return frozenset[Bank]().union(*more)


def _bet(play: Play, box: Box, bet: Bet) -> Verdict | None:
    """Return the verdict on a bet, None while it depends on missing cards."""
    match bet.kind:
        case "bet":
            return _on_a_hand(play, box, bet, _on(bet, 1))
        case "split":
            return _on_a_hand(play, box, bet, _on(bet, 2))
        case "double":
            return _on_a_hand(play, box, bet, _on(bet, 1))
        case "insurance":
            if not box.bank or box.bank[0].rank != ACE or play.variant == "casino21":
                raise Impossible("no insurance here")
            return _constant(
                win(bet.stake, 2) if bank.is_black_jack else lose(bet.stake)
                for bank in _ends(box.bank)
            )
        case "bj_plus":
            return _bj_plus(play, box, bet.stake)
        case "pair_pursuit" | "perfect_pairs":
            return _side(bet.stake, _pair(box.dealt[0]) if _has_two(box) else None)
        case "21+3":
            if not _has_two(box) or not box.bank:
                return None
            return _side(bet.stake, _twenty_one_plus_three([*box.dealt[0], box.bank[0]]))
        case "super_match":
            cards = [card for some in box.dealt for card in some]
            return _side(bet.stake, _super_match(cards) if len(cards) == 4 else None)
        case name:
            raise Impossible(f"no bet {name!r}")


def _constant(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Return the only possible verdict, None if there are several."""
    verdict = decided(-1, verdicts)
    return None if verdict == void(-1) else verdict


def _on_a_hand(play: Play, box: Box, bet: Bet, number: int) -> Verdict | None:
    stake = bet.stake
    if number >= len(box.hands):
        if play.outcome.void is not None:
            return None
        raise Impossible(f"there is no hand {number + 1}")
    cards = box.hands[number]
    is_doubled = number in box.doubled
    has_fixed_ace = (
        is_doubled and play.rules != "de-live" and sorted(map(_points, cards[:2])) == [1, 8]
    )
    total = _total(cards, has_fixed_ace=has_fixed_ace)
    is_black_jack = number in box.black_jacks
    own = PARAGRAPHS[play.rules]
    variant = VARIANTS.get((play.rules, play.variant), "")
    counted = () if total == _total(cards) else (own.double,)
    if _is_black_jack(cards) and not is_black_jack:
        counted = (own.split if number in box.split else variant,)
    if total > 21:
        verdict: Verdict | None = lose(stake).by(*counted, own.pays)
    elif play.outcome.void is not None and len(box.bank) < 2 and not is_black_jack:
        return None  # Its player may still draw.
    else:
        verdict = _constant(
            _with_paragraphs(
                play,
                counted,
                total,
                bank,
                _against(play, stake, total, is_black_jack, bank),
                is_black_jack,
            )
            for bank in _ends(box.bank)
        )
    if verdict is None or bet.kind == "double" or not _has_bonus(play, box, cards):
        return verdict
    outcome = "win" if verdict.outcome == "push" else verdict.outcome
    is_777 = [card.rank for card in cards[:3]] == [7, 7, 7]
    names = dict.fromkeys((own.sevens if is_777 else variant, *verdict.paragraphs))
    return verdict._replace(outcome=outcome, win=verdict.win + stake).by(*names)


def _with_paragraphs(
    play: Play,
    counted: tuple[str, ...],
    total: int,
    bank: Bank,
    verdict: Verdict,
    is_black_jack: bool,
) -> Verdict:
    """Return the verdict on a hand with what decides it.

    counted: by what its cards count other than elsewhere. The variant comes first where it rules:
    its odds of a Black Jack, the ties of Casino21, the bank's 22 at Switch.
    """
    own = PARAGRAPHS[play.rules]
    variant = play.variant
    over = VARIANTS.get((play.rules, variant), "")
    is_tie = is_black_jack == bank.is_black_jack and total == bank.total
    if is_black_jack and not bank.is_black_jack:
        rules = variant != "casino21"
    elif variant == "casino21":
        rules = is_tie
    else:
        rules = variant == "switch" and bank.total == 22
    main = own.pays if verdict.win else own.equal
    return verdict.by(*dict.fromkeys([*([over] if rules and over else []), *counted, main]))


def _against(play: Play, stake: int, total: int, is_black_jack: bool, bank: Bank) -> Verdict:
    variant, options = play.variant, play.table
    if variant == "switch" and bank.total == 22 and not bank.is_black_jack:
        return win(stake, 1) if is_black_jack else push(stake)
    if is_black_jack and bank.is_black_jack:
        is_lost = variant == "casino21" and not options.get("natural_push")
        return lose(stake) if is_lost else push(stake)
    if bank.is_black_jack:
        return lose(stake)
    if is_black_jack:
        return win(stake, BLACK_JACK_PAYS[variant])
    if bank.total > 21 or total > bank.total:
        return win(stake, 1)
    if total < bank.total or variant == "casino21":
        return lose(stake)
    if options.get("bank_wins_ties") and 17 <= total <= 20:
        return lose(stake)
    return push(stake)


def _has_bonus(play: Play, box: Box, cards: Hand) -> bool:
    """Whether 7-7-7 was dealt without a split; five cards up to 21, where that pays."""
    if play.rules == "de-live" or play.variant == "switch":
        return False
    options = play.table
    is_777 = len(box.hands) == 1 and [card.rank for card in cards[:3]] == [7, 7, 7]
    if is_777 and not options.get("terminal"):
        return True
    is_five = len(cards) >= 5 and sum(map(_points, cards[:5])) <= 21
    return bool(is_five and play.variant == "casino21" and options.get("five_cards"))


def _has_two(box: Box) -> bool:
    return bool(box.dealt) and len(box.dealt[0]) == 2


def _side(stake: int, odds: int | None) -> Verdict | None:
    """Paid by odds, lost at 0, None while cards are missing."""
    if odds is None:
        return None
    return win(stake, odds) if odds else lose(stake)


def _pair(cards: Hand) -> int:
    first, second = cards
    if first.rank != second.rank:
        return 0
    if first.suit == second.suit:
        return 25
    return 12 if (first.suit in RED) == (second.suit in RED) else 6


def _twenty_one_plus_three(cards: Hand) -> int:
    if len({card.rank for card in cards}) == 1:
        return TWENTY_ONE_PLUS_THREE["three"]
    return TWENTY_ONE_PLUS_THREE.get(THREE[best(cards, THREE, 3)[0]], 0)


def _super_match(cards: Hand) -> int:
    ranks = [card.rank for card in cards]
    counts = tuple(sorted((ranks.count(rank) for rank in set(ranks)), reverse=True))
    return SUPER_MATCH.get(counts, 0)


def _ended_before_the_bank(play: Play, box: Box) -> bool:
    """3:2(5), (7): all have bust; the bank keeps one card, or two for an insurance."""
    names = {bet.kind for bet in play.bets}
    others = play.outcome.others_play or play.outcome.void is not None
    is_bust = all(sum(map(_points, cards)) > 21 for cards in box.hands)
    is_whole = len(box.bank) == 2 or "insurance" not in names
    return is_bust and not others and is_whole


def _bj_plus(play: Play, box: Box, stake: int) -> Verdict | None:
    if not _has_two(box):
        return None
    if not _is_black_jack(box.dealt[0]):
        if _ended_before_the_bank(play, box):
            return lose(stake)
        ends = _ends(box.bank)
        return _constant(push(stake) if bank.total > 21 else lose(stake) for bank in ends)
    first, second = (card.suit for card in box.dealt[0])
    if first == second:
        return win(stake, 100 if first == "S" else 10)
    is_one_color = (first in RED) == (second in RED)
    return win(stake, 10 if is_one_color and play.table.get("color_jack_by_color") else 5)


# With the editions that have it.
JUDGED = {
    "blackjack": (judge, "hc2011 hc2023 de-live"),
}
