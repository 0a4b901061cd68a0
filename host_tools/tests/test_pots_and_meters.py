"""Pots of the poker room and jackpots against a second settlement.

Written from chapters 10 and 11 of the rulebook alone: five cards by their ranks, pots layer by
layer, meters as fractions. Shares no code with the rules or the shadow.
"""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from tabletools.rules.records import Pool
from tabletools.rules.settlement import Settlement, Unbalanced, verify_pool
from tabletools.settle import json_lines

RANKS = "23456789TJQKA"
DECK = [rank + suit for rank in RANKS for suit in "CDHS"]
ROUNDS = 600


def answer_to(record):
    reply, _ = json_lines.answer(json.dumps(record).encode(), line=1)
    return reply


def strength(cards):
    """Combination 0 to 8, then the cards as they count."""
    levels = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    by_count = sorted(((n, level) for level, n in Counter(levels).items()), reverse=True)
    shape, order = [n for n, _ in by_count], [level for _, level in by_count]
    is_flush = len({card[1] for card in cards}) == 1
    top = None
    if len(shape) == 5 and levels[0] - levels[4] == 4:
        top = levels[0]
    elif levels == [12, 3, 2, 1, 0]:
        top = 3
    if top is not None:
        return (8 if is_flush else 4), [top]
    if is_flush:
        return 5, levels
    shapes = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    return shapes.get(tuple(shape), 0), order


def best(own, board, variant):
    if variant == "omaha":
        return max(strength(a + b) for a in combinations(own, 2) for b in combinations(board, 3))
    return max(map(strength, combinations(own + board, 5)))


def pots_of(put_in, live, passed, unit):
    """The uncalled amount of each player, and each pot: its amount and who can win it.

    By the definition of a side pot, unit by unit: what stands at one height of the stacks was
    matched by those who reach it. Alone there, it was not called and comes back (3.10). A live
    hand there claims it; without one, the last to pass there had it alone (2.23).
    """
    back, pots = Counter(), []
    for height in range(unit, max(put_in.values()) + 1, unit):
        there = [name for name, cents in put_in.items() if cents >= height]
        if len(there) == 1:
            back[there[0]] += unit
            continue
        able = [name for name in there if name in live]
        able = able or [name for name in passed if name in there][-1:]
        if pots and pots[-1][1] == able:
            pots[-1][0] += unit * len(there)
        else:
            pots.append([unit * len(there), able])
    return back, pots


def hand_of_the_room(rng):
    """A hand as a record, with what each player is to get, None for a rake of part of a cent."""
    variant = rng.choice(["holdem", "holdem", "omaha"])
    names, chip = "ABCDEFGH"[: rng.randint(2, 8)], rng.choice([1, 5, 25, 100])
    unit, size = chip * rng.choice([1, 20]), 4 if variant == "omaha" else 2
    few = [card for card in DECK if card[0] in "AKQJT98"]
    cards = rng.sample(few if size == 2 else DECK, len(names) * size + 5)
    hands = {name: cards[5 + n * size : 5 + n * size + size] for n, name in enumerate(names)}
    passed = rng.sample(names, rng.randint(0, len(names) - 1))
    top = rng.randint(1, 40)
    put_in = {name: unit * rng.choice([top, rng.randint(1, top)]) for name in names}
    live = [name for name in names if name not in passed]
    most = max(put_in[name] for name in live)
    # Nobody folds who has a pot alone: of those above every live hand some mucked at the end.
    folds = rng.randint(0, len(passed))
    mucked = [name for n, name in enumerate(passed) if n >= folds or put_in[name] > most]
    folded = [name for name in passed if name not in mucked]
    if rng.random() < 0.3:  # a raise that is not called, also of a player who folds then
        put_in[rng.choice(names)] = max(put_in.values()) + unit
    is_shown = len(live) > 1
    board = cards[: 5 if is_shown else rng.choice([0, 3, 4, 5])]
    share, button = rng.choice([(0, 1), (1, 20), (3, 100)]), rng.choice(names)
    order = [*names[names.index(button) + 1 :], *names[: names.index(button) + 1]]
    record = {
        "rules": "oostende2011", "game": "poker_room", "variant": variant,
        "bets": [{"id": name, "player": name, "bet": "hand", "stake": put_in[name],
                  **({"choice": "fold"} if name in folded else {})} for name in names],
        "outcome": {
            **({"board": " ".join(board)} if board else {}),
            **({"mucked": mucked} if mucked else {}),
            **({"hands": {name: " ".join(hands[name]) for name in live}} if is_shown else {}),
        },
        "table": {"button": button, "rake": share, "chip": chip},
    }  # fmt: skip
    back, pots = pots_of(put_in, live, mucked, unit)
    wanted = Counter(back)
    for amount, able in pots:
        rake = Fraction(amount * share[0], share[1]) if board else Fraction(0)
        if rake.denominator != 1:
            return record, None
        winners = [name for name in order if name in able]
        if len(able) > 1 and is_shown:
            ranks = {name: best(hands[name], board, variant) for name in able}
            winners = [name for name in winners if ranks[name] == max(ranks.values())]
        chips, rest = divmod(amount - int(rake), chip)
        for place, name in enumerate(winners):
            wanted[name] += chip * (chips // len(winners) + (place < chips % len(winners)))
        wanted[winners[0]] += rest
    return record, {name: wanted[name] for name in names}


def test_pots_of_random_hands():
    """All-ins, folded, mucked and uncalled money, odd chips, rake, Omaha.

    Nobody wins from another more than the two of them matched.
    """
    rng = random.Random(1)
    counts = Counter()
    for _ in range(ROUNDS):
        record, wanted = hand_of_the_room(rng)
        reply = answer_to(record)
        counts["refused" if wanted is None else "paid"] += 1
        if wanted is None:
            assert reply["error"]["code"] == "not_whole_cents", record
            continue
        net = {line["id"]: line["win"] + line["back"] for line in reply["settlements"]}
        assert net == wanted, record
        put_in = {bet["id"]: bet["stake"] for bet in record["bets"]}
        assert sum(net.values()) + reply["rake"] == sum(put_in.values())
        for name, cents in net.items():
            assert cents <= sum(min(put_in[name], other) for other in put_in.values()), record
    assert min(counts["paid"], counts["refused"]) > ROUNDS / 20


def line(ident, put_in, got):
    """A settled stake, all of which was put in."""
    back = min(put_in, got)
    return Settlement(ident, "win", put_in, max(0, got - put_in), back, 0, put_in - back, None, "")


@pytest.mark.parametrize(
    ("got", "what"),
    [
        ({"A": 1805, "C": 0, "D": 0}, "'A' wins 1705 and matched 200"),
        ({"A": 285, "C": 0, "D": 1521}, "won 806, rake 95, lost 900"),
        ({"A": 285, "C": 0, "D": 1520}, None),
    ],
)
def test_a_pool_is_not_settled_against_what_was_matched(got, what):
    """1.00, 9.00 and 9.00 are put in, the rake is 0.95: all to A, a cent too much, and right."""
    put_in = {"A": 100, "C": 900, "D": 900}
    lines = [line(name, put_in[name], cents) for name, cents in got.items()]
    pool = Pool(put_in, dead=0, rake=95)
    if what is None:
        verify_pool(pool, lines)
        return
    with pytest.raises(Unbalanced, match=what):
        verify_pool(pool, lines)


@pytest.mark.parametrize("variant", ["blackjack", "caribbean", "multi_poker"])
def test_a_meter_is_paid_once(variant):
    """Random winners of one meter at random tables and times: its level once, to each the start.

    Winners of Multi Poker at the first table get the level each (hc2011 3:9(5)); no other do.
    """
    rng = random.Random(3)
    rules = "hc2011" if variant == "multi_poker" else "hc2023"
    for _ in range(ROUNDS // 6):
        ids = [str(n) for n in range(rng.randint(1, 4))]
        tables = {name: rng.choice("XY") for name in ids}
        times = dict(zip(ids, rng.sample(range(9000), len(ids)), strict=True))
        name = {"blackjack": "pot", "caribbean": "mega", "multi_poker": "jackpot2"}[variant]
        outcome = {"tables": tables, "times_ms": times}
        flushes = [" ".join(rank + "D" for rank in RANKS[low : low + 5]) for low in (0, 5)]
        flushes += [" ".join(rank + "H" for rank in RANKS[low : low + 5]) for low in (0, 5)]
        if variant == "blackjack":
            outcome["won"] = dict.fromkeys(ids, name)
        elif variant == "caribbean":
            tables |= {each_id: "XYZW"[int(each_id) // 2] for each_id in ids}
            outcome["hands"] = {each_id: flushes[int(each_id) % 2] for each_id in ids}
        else:
            outcome["hands"] = {each_id: flushes[int(each_id)] for each_id in ids}
        reply = answer_to(
            {
                "rules": rules,
                "game": "jackpot",
                "variant": variant,
                "bets": [{"id": each_id, "bet": "jackpot", "stake": 100} for each_id in ids],
                "meters": {name: 1_200_000},
                "outcome": outcome,
                "table": {"start": {name: 600_000, "jackpot1": 0}},
            }
        )
        won = [each["win"] for each in reply["settlements"]]
        first = tables[min(ids, key=times.__getitem__)]
        at_first = [tables[each_id] for each_id in ids].count(first)
        groups = len(set(tables.values()))
        wanted = 1_200_000 + 600_000 * (len(ids) - 1)
        if variant == "caribbean":
            wanted = 1_200_000 + 600_000 * (groups - 1)
        elif variant == "multi_poker":
            wanted = 1_200_000 * at_first + 600_000 * (len(ids) - at_first)
        assert (sum(won), reply["meters"][name]) == (wanted, 600_000), outcome


def a_strong_hand(rng):
    """A straight flush, four of a kind, a full house, a flush, a straight, or anything."""
    suit, low = rng.choice("CDHS"), rng.choice([8, 8, *range(8)])
    one, two = rng.sample(RANKS, 2)
    return rng.choice(
        [
            [rank + suit for rank in RANKS[low : low + 5]],
            [*(one + each for each in "CDHS"), two + suit],
            [*(one + each for each in "CDH"), two + "C", two + "S"],
            [rank + suit for rank in rng.sample(RANKS, 5)],
            [rank + rng.choice("CDHS") for rank in RANKS[low : low + 5]],
            rng.sample(DECK, 5),
        ]
    )


def kind_of(hand):
    """The combination, royal flushes apart, and the rank of four of a kind or the suit."""
    kind, (first, *_) = strength(hand)
    if kind == 8 and first == 12:
        return "royal", hand[0][1]
    names = {8: "straight_flush", 7: "four", 6: "full", 5: "flush", 4: "straight", 3: "three"}
    return names.get(kind, ""), RANKS[first] if kind == 7 else hand[0][1]


def won_2023(kinds, stakes, meters, starts):
    """hc2023 3:5(9): by the suit of a flush and the rank of four; a pot is divided equally."""
    times = {"four": 50, "full": 25, "flush": 20, "straight": 15, "three": 5}
    won, shared = [(0, 0)] * len(kinds), {}
    for place, (kind, mark) in enumerate(kinds):
        if kind in ("royal", "straight_flush"):
            shared.setdefault("mega" if mark == "D" else "major", []).append(place)
        elif kind == "four" and mark in "AKQJ":
            shared.setdefault("minor", []).append(place)
        elif kind:
            won[place] = (times[kind] * stakes[place], stakes[place])
    after = dict(meters)
    for name, places in shared.items():
        for place in places:
            won[place] = (Fraction(meters[name], len(places)), 0)
        after[name] = starts[name]
    return won, after


def won_2011(kinds, stakes, meters, starts):
    """hc2011 3:6(9)-(11): each royal flush in full, other prizes off the meter or its start."""
    times = {"flush": 50, "full": 100, "four": 500, "straight_flush": 5000}
    royals = [place for place, (kind, _) in enumerate(kinds) if kind == "royal"]
    won = [(times.get(kind, 0) * stakes[place], 0) for place, (kind, _) in enumerate(kinds)]
    level = (starts if royals else meters)["jackpot"] - sum(cents for cents, _ in won)
    for place in royals:
        won[place] = (max(meters["jackpot"], starts["jackpot"]), 0)
    return won, {"jackpot": level}


JACKPOTS = [
    ("hc2023", "caribbean", {"mega": 2_500_000, "major": 250_000, "minor": 50_000}, won_2023),
    ("hc2023", "four_card", {"mega": 2_500_000, "major": 250_000, "minor": 50_000}, won_2023),
    ("hc2011", "caribbean", {"jackpot": 1_000_000}, won_2011),
]


@pytest.mark.parametrize(("rules", "variant", "starts", "won"), JACKPOTS)
def test_meters_of_random_rounds(rules, variant, starts, won):
    """Up to four hands of one deck, contributions before prizes, meters above their start."""
    rng = random.Random(2)
    fell = Counter()
    for _ in range(ROUNDS):
        hands = []
        for _ in range(rng.randint(1, 4)):
            hand, used = a_strong_hand(rng), [card for one in hands for card in one]
            if len({*hand, *used}) == 5 + len(used):
                hands.append(hand)
        stakes = [rng.choice([100, 250]) for _ in hands]
        meters = {name: cents + 60 * rng.randint(0, 500) for name, cents in starts.items()}
        bets = [{"id": str(n), "bet": "jackpot", "stake": cents} for n, cents in enumerate(stakes)]
        named = {str(n): " ".join(hand) for n, hand in enumerate(hands)}
        reply = answer_to(
            {
                "rules": rules,
                "game": "jackpot",
                "variant": variant,
                "bets": bets,
                "meters": meters,
                "outcome": {"hands": named, "tables": dict.fromkeys(named, "1")},
                "table": {"start": starts, "contribution": {name: [1, 10] for name in starts}},
            }
        )
        full = {name: cents + sum(stakes) // 10 for name, cents in meters.items()}
        wanted, after = won([kind_of(hand) for hand in hands], stakes, full, starts)
        if any(Fraction(cents).denominator != 1 for cents, _ in wanted):
            assert reply["error"]["code"] == "not_whole_cents", named
            continue
        results = [(line["win"], line["back"]) for line in reply["settlements"]]
        assert (results, reply["meters"]) == (wanted, after), named
        fell.update(name for name in starts if after[name] == starts[name])
    assert fell
