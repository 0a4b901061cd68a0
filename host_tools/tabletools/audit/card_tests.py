"""The tests of cards: their counts, gaps between equal ranks, places in the shoe, and its order.

Cards are dealt from decks without replacement, from a shoe or, one round each, from a shuffler.
The counts of a shoe are hypergeometric, and p is exact. Gaps and neighbours compare a card with an
earlier one: whatever was dealt, the next is any of those left, so that the expected count is exact
and dependence small. No result names two cards that followed each other.
"""

from collections import Counter
from typing import TYPE_CHECKING

from tabletools.audit import tails
from tabletools.audit.audit_machines import DECK, RANKS, SUITS, Machine
from tabletools.audit.chance import Fit
from tabletools.audit.error_budget import Test
from tabletools.audit.findings import Answer, Finding, Findings, Untested, sort, worst
from tabletools.audit.spins import Spins
from tabletools.audit.wheel_tests import fit_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

LONGEST_GAP = 8
NO_SHOE = "cards have no place in a shoe: each round is dealt from freshly shuffled cards"
CARDS_UNORDERED = "the order of the cards is not known"
ONE_CARD = "no two cards were dealt together"


def card_fit(counts: "Places", sizes: "Places", decks: int) -> Fit:
    """Return the chi-square of the cards: a shoe that is dealt to its end has each exactly."""
    whole, n = decks * DECK, int(counts.sum())
    left = float((sizes * (whole - sizes)).sum()) / (whole - 1)
    excess = float(((counts - n / DECK) ** 2).sum())
    statistic = DECK * excess / left if left else excess * 1e9
    return Fit(statistic, DECK - 1, tails.chi_square(statistic, DECK - 1), "chi-square")


def card_findings(
    spins: Spins, places: "Places", counts: "Places", machine: Machine, fit: Fit
) -> Findings:
    """Make each test that these cards allow."""
    import numpy as np

    shoes = np.split(places, np.cumsum(spins.sizes)[:-1])
    return sort(
        [
            _counts(shoes, counts, spins.decks, machine),
            Finding(Test.CARDS_FIT, fit.p, fit_text(fit)),
            *_in_order(spins, shoes),
        ]
    )


def _in_order(spins: Spins, shoes: "list[Places]") -> list[Finding | Untested]:
    """Make the tests for which the order of the cards has to be known."""
    if spins.round is None:
        tests = (Test.CARD_GAPS, Test.CARD_PLACES, Test.CARD_ORDER)
        return [Untested(test, CARDS_UNORDERED) for test in tests]
    return [
        _gaps(shoes, spins.decks),
        _halves(shoes) if spins.is_shoe else Untested(Test.CARD_PLACES, NO_SHOE),
        _order(spins, shoes),
    ]


def _counts(shoes: "list[Places]", counts: "Places", decks: int, machine: Machine) -> Finding:
    """Test the cards, ranks and suits that came too often or too rarely: exact.

    More of one card in a shoe than its decks have is impossible.
    """
    import numpy as np

    for shoe in shoes:
        in_shoe = np.bincount(shoe, minlength=DECK)
        card = int(in_shoe.argmax())
        if in_shoe[card] > decks:
            name = machine.labels[card]
            detail = f"{name}: {in_shoe[card]} in one shoe, of {decks} decks"
            return Finding(Test.CARD_COUNTS, 0.0, detail)
    by_suit = counts.reshape(len(SUITS), len(RANKS))
    answers = [
        _of_kind(shoes, counts, decks, list(machine.labels)),
        _of_kind(shoes, by_suit.sum(axis=0), decks, [f"rank {rank}" for rank in RANKS]),
        _of_kind(shoes, by_suit.sum(axis=1), decks, [f"suit {suit}" for suit in SUITS]),
    ]
    return worst(Test.CARD_COUNTS, answers)


def _of_kind(shoes: "list[Places]", counts: "Places", decks: int, names: list[str]) -> Answer:
    """Return the answer of the card, rank or suit that is furthest from its expected count."""
    whole, marked = decks * DECK, decks * DECK // len(names)
    sizes = Counter(map(len, shoes))
    parts: Counter[tuple[float, ...]] = Counter()
    for size, times in sizes.items():
        parts[tails.hypergeometric(whole, marked, size)] += times
    both = tails.sum_tails(counts.tolist(), parts)
    p, place = min((of_one.two_sided, k) for k, of_one in enumerate(both))
    expected = float(counts.sum()) / len(names)
    return min(1.0, p * len(names)), f"{names[place]}: {counts[place]}, {expected:.1f} expected"


def _gaps(shoes: "list[Places]", decks: int) -> Finding | Untested:
    """Test for gaps of 1 to LONGEST_GAP cards how often a rank comes again after so many."""
    share = (len(SUITS) * decks - 1) / (decks * DECK - 1)
    answers = []
    for gap in range(1, LONGEST_GAP + 1):
        pairs = [shoe % len(RANKS) for shoe in shoes if len(shoe) > gap]
        n = sum(len(ranks) - gap for ranks in pairs)
        if not n:
            break
        count = sum(int((ranks[gap:] == ranks[:-gap]).sum()) for ranks in pairs)
        [both] = tails.sum_tails([count], {tails.yes_or_no(share): n})
        noun = "card" if gap == 1 else "cards"
        detail = f"the same rank {gap} {noun} later: {count} of {n}, {n * share:.1f} expected"
        answers.append((both.two_sided, detail))
    return worst(Test.CARD_GAPS, answers) if answers else Untested(Test.CARD_GAPS, ONE_CARD)


def _halves(shoes: "list[Places]") -> Finding | Untested:
    """Test for each rank how many of those dealt were in the first half of a shoe: exact."""
    import numpy as np

    by_rank = [np.bincount(shoe % len(RANKS), minlength=len(RANKS)) for shoe in shoes]
    early = [
        np.bincount(shoe[: len(shoe) // 2] % len(RANKS), minlength=len(RANKS)) for shoe in shoes
    ]
    answers = []
    for rank, name in enumerate(RANKS):
        parts: Counter[tuple[float, ...]] = Counter()
        expected = 0.0
        for counts, shoe in zip(by_rank, shoes, strict=True):
            half, own = len(shoe) // 2, int(counts[rank])
            parts[tails.hypergeometric(len(shoe), own, half)] += 1
            expected += own * half / len(shoe)
        count = int(sum(counts[rank] for counts in early))
        [both] = tails.sum_tails([count], parts)
        detail = f"rank {name} in first halves: {count}, {expected:.1f} expected"
        answers.append((both.two_sided, detail))
    return worst(Test.CARD_PLACES, answers)


def _order(spins: Spins, shoes: "list[Places]") -> Finding | Untested:
    """Test how many neighbours in a shoe were neighbours, in this order, in the one before it."""
    import numpy as np

    left = spins.decks * DECK
    # The chance of two cards in this order: that of the first, and of the second among the rest.
    chances = np.full((DECK, DECK), spins.decks**2 / (left * (left - 1)))
    np.fill_diagonal(chances, spins.decks * (spins.decks - 1) / (left * (left - 1)))
    flat = chances.ravel()
    parts: Counter[tuple[float, ...]] = Counter()
    count = n = 0
    before = None
    for shoe in shoes:
        pairs = shoe[:-1] * DECK + shoe[1:]
        if before is not None and len(pairs):
            share = float(flat[before].sum())
            parts[tails.yes_or_no(share)] += len(pairs)
            count += int(np.isin(pairs, before).sum())
            n += len(pairs)
        before = np.unique(pairs)
    if not n:
        return Untested(Test.CARD_ORDER, "fewer than 2 shoes")
    [both] = tails.sum_tails([count], parts)
    expected = sum(share * times for (_no, share), times in parts.items())
    detail = f"{count} of {n} neighbours were neighbours before, {expected:.1f} expected"
    return Finding(Test.CARD_ORDER, both.at_least, detail)
