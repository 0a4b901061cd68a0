"""Seeded rounds of every game the shadow judges, in the shape of docs/SETTLE.md."""

from host_tools.tests.printed_figures import ROCKET_7_EDGES, SIC_BO_EDGES, bets_of

EVEN = "even odd low high red black pair impair manque passe rouge noir".split()
STAKE_UNIT = 20
"""Every printed share of such a stake is whole cents, but the quarter of the second zero."""


def slips(random, kinds, most=8):
    """Some bets: each of a kind, which is a function of random that gives its fields."""
    return [
        {"id": str(n), "player": "p", "stake": random.randint(1, 500) * STAKE_UNIT, **kind(random)}
        for n, kind in enumerate(random.choices(kinds, k=random.randint(1, most)))
    ]


def record(game, rules, bets, outcome, **more):
    """A round."""
    return {"game": game, "rules": rules, "bets": bets, "outcome": outcome, **more}


def bet(name, *places, **more):
    """A kind of bet: its name, on one of some places."""

    def fields(random):
        return {"bet": name, **({"on": random.choice(places)} if places else {}), **more}

    return fields


def singles(some):
    """A place for each of some values."""
    return [[value] for value in some]


def roulette(random):
    """A spin; half of all even chances on a French cloth are imprisoned."""
    rules, variant = random.choice(
        [("hc2011", "french"), ("hc2011", "american"), ("hc2011", "american00"),
         ("hc2023", "french"), ("hc2023", "american"), ("hc2023", "american00"),
         ("hc2023", "quick")]
    )  # fmt: skip
    zeros = ["0", "00"] if variant == "american00" else ["0"]

    def even(random):
        fields = {"bet": random.choice(EVEN), "choice": random.choice([None, "half", "prison"])}
        if variant == "french":
            fields["state"] = random.choice([None, None, "prison1", "prison2"])
        return fields

    def twelve(random):
        return {"bet": random.choice(["dozen", "colonne"]), "index": random.randint(1, 3)}

    def inside(random):
        row = random.randrange(12)
        first = row * 3 + 1
        street = [str(first), str(first + 1), str(first + 2)]
        choices = [
            ("straight", [random.choice([*zeros, *street])]),
            ("à cheval", street[:2]),
            ("split", [street[2], street[1]]),
            ("street", street),
        ]
        if row < 11:
            choices += [
                ("split", [street[0], str(first + 3)]),
                ("carré", [street[0], street[1], str(first + 3), str(first + 4)]),
                ("six line", [*street, str(first + 3), str(first + 4), str(first + 5)]),
            ]
        name, numbers = random.choice(choices)
        return {"bet": name, "numbers": numbers}

    def at_zero(random):
        one = [("split", "0 1"), ("split", "0 3"), ("street", "0 1 2"), ("corner", "0 1 2 3")]
        two = [("split", "00 0"), ("split", "00 3"), ("street", "0 00 2"), ("top_line", None)]
        name, numbers = random.choice(two if len(zeros) == 2 else one)
        return {"bet": name, "numbers": numbers and numbers.split()}

    kinds = [even, even, inside, at_zero] + [twelve] * (variant != "quick")
    pocket = random.choice([*map(str, range(37)), *zeros * 8])
    outcome = {"void": "short_spin"} if random.random() < 0.05 else {"pocket": pocket}
    more = announced(random, variant, kinds, pocket)
    return record("roulette", rules, slips(random, kinds), outcome, variant=variant, **more)


def announced(random, variant, kinds, pocket):
    """Call bets in some rounds, coloured chips in some of those that may have them."""
    more = {"calls": calls(random, variant, pocket)} if random.random() < 0.3 else {}
    if variant != "french" and random.random() < 0.3:
        more["colours"] = {
            "blue": {"player": "q", "value": 250},
            "red": {"player": "r", "value": 20},
        }
        more["chips"] = [
            {**kind(random), "id": f"chip{n}", "colour": colour, "chips": 2 * n + 2}
            for n, (kind, colour) in enumerate(
                zip(random.choices(kinds, k=2), ["blue", "red"], strict=True)
            )
        ]
    return more


def calls(random, variant, pocket):
    """Some call bets; of neighbours one in two covers the pocket."""
    names = {"voisins": 9, "zero_game": 4, "tiers": 6, "orphelins": 5}
    some = [
        {"call": name, "stake": chips * random.randint(1, 50) * 10}
        for name, chips in random.sample(sorted(names.items()), 2)
        if variant != "american00"
    ]
    sides = random.randint(1, 4)
    number = random.choice([pocket, str(random.randint(1, 36))])
    middle = {"number": number, "sides": sides, "stake": (2 * sides + 1) * 100}
    some.append({"call": "neighbours", **middle})
    return [{"id": f"call{n}", "player": "p", **each} for n, each in enumerate(some)]


def big_wheel(random):
    """A turn of a Big Wheel, linked to a jackpot."""
    choice = random.choice(["pay", "jackpot"])
    kinds = [bet("segment", *singles((1, 3, 5, 10, 20))), bet("segment", [45], choice=choice)]
    outcome = {"pays": random.choice([1, 3, 5, 10, 20, 45])}
    if outcome["pays"] == 45:
        outcome["jackpot"] = random.randint(20, 200)
    return record("big_wheel", "hc2011", slips(random, kinds), outcome)


def money_wheel(random):
    """A turn of a Money Wheel, by its numbers or by odds of the table."""
    table = random.choice([None, {"odds": {"2": 2, "10": 11, "40": 39}}])
    numbers = [2, 10, 40]
    kinds = [bet("segment", *singles(numbers))]
    outcome = {"pays": random.choice(numbers)}
    if random.random() < 0.05:
        outcome = {"void": "flapper_on_pin"}
    return record("money_wheel", "hc2023", slips(random, kinds), outcome, table=table)


def marked_wheel(random):
    """A turn of a wheel on which two segments of 45 are separate bets."""
    marks = [[45, "red"], [45, "black"]]
    outcome = random.choice([{"pays": 10}, *({"pays": 45, "mark": mark} for _, mark in marks)])
    return record("big_wheel", "hc2011", slips(random, [bet("segment", [10], *marks)]), outcome)


def thrown(random, count):
    """What some dice show, or that they were not thrown well."""
    if random.random() < 0.03:
        return {"void": "off_the_table"}
    first = random.randint(1, 6)
    return {"dice": [first] + [random.choice([first, *range(1, 7)]) for _ in range(count - 1)]}


def kinds_of(edges):
    """A kind for each bet of the rulebook, on any of its selections."""
    places = {}
    for one in bets_of(edges):
        places.setdefault(one["bet"], []).extend([one["on"]] if "on" in one else [])
    return [bet(name, *on) for name, on in places.items()]


def sic_bo(random):
    """A throw of three dice."""
    rules = random.choice(["hc2011", "hc2023"])
    return record("sic_bo", rules, slips(random, kinds_of(SIC_BO_EDGES)), thrown(random, 3))


def rocket7(random):
    """A throw of Rocket 7."""
    return record("rocket7", "hc2011", slips(random, kinds_of(ROCKET_7_EDGES)), thrown(random, 2))


def diceball(random):
    """A throw of Diceball, in any state."""

    def run(random):
        return {"bet": "run", "state": random.choice([None, "run1", "run2", "run3"])}

    def slam(random):
        thrown = random.choice([0, *range(1, 24), 23, 23])
        return {"bet": "slam", "state": f"slam{thrown}" if thrown else None}

    places = [[[1, 2], [1, 5]], [[3, 5]], [[1, 1], [4, 6]]]
    kinds = [
        bet("seven_out"),
        bet("hard", *singles(range(1, 7))),
        bet("place", *places),
        run,
        slam,
    ]
    return record("diceball", "hc2023", slips(random, kinds), thrown(random, 2))


def barbut(random):
    """A throw of Barbut."""
    return record("barbut", "hc2023", slips(random, [bet("A"), bet("B")]), thrown(random, 2))


# --- cards ---------------------------------------------------------------------------------------

DECK = [rank + suit for rank in "23456789TJQKA" for suit in "SHDC"]


def values(cards):
    """The total of Punto Banco, by the last digit."""
    return sum("A23456789".find(card[0]) + 1 for card in cards) % 10


def banco_draws(total, third):
    """Rulebook 9.9, the third card of Punto by its value."""
    return third in {3: {*range(8), 9}, 4: {*range(2, 8)}, 5: {4, 5, 6, 7}, 6: {6, 7}, 7: ()}.get(
        total, range(10)
    )


def baccarat_deal(random):
    """Both hands by the drawing rules, low cards twice as often as in a shoe; in order dealt."""
    deck = random.choices(DECK, k=6)
    if random.random() < 0.2:
        deck[2] = deck[0]
    punto, banco, order = [deck[0], deck[2]], [deck[1], deck[3]], [0, 1, 0, 1]
    if max(values(punto), values(banco)) < 8:
        if values(punto) < 6:
            punto.append(deck[4])
            order.append(0)
            is_drawn = banco_draws(values(banco), values(punto[2:]))
        else:
            is_drawn = values(banco) < 6
        if is_drawn:
            banco.append(deck[5])
            order.append(1)
    return (punto, banco), order


def stopped(random, names, hands, order, chance=0.15):
    """An outcome of hands; sometimes of the cards so far, with a fault."""
    if random.random() >= chance:
        return {name: " ".join(cards) for name, cards in zip(names, hands, strict=True)}
    so_far = order[: random.randint(0, len(order))]
    some = {
        name: " ".join(cards[: so_far.count(number)])
        for number, (name, cards) in enumerate(zip(names, hands, strict=True))
    }
    return {**{name: cards for name, cards in some.items() if cards}, "void": "shuffler_jam"}


def punto_banco(random):
    """A round of Punto Banco."""
    rules, variant = random.choice(
        [
            ("hc2011", "commission"),
            ("hc2011", "straight"),
            ("hc2023", "straight"),
            ("hc2023", None),
        ]
    )
    kinds = [bet("punto"), bet("banco"), bet("egalite")]
    if rules == "hc2023":
        kinds += [bet("punto_pair"), bet("banco_pair"), bet("super_egalite", *singles(range(10)))]
    outcome = stopped(random, ("punto", "banco"), *baccarat_deal(random))
    return record("punto_banco", rules, slips(random, kinds), outcome, variant=variant)


def baccarat(random):
    """A round of Baccarat."""
    outcome = stopped(random, ("player", "banker"), *baccarat_deal(random))
    kinds = [bet("player"), bet("banker"), bet("tie")]
    return record("baccarat", "de-live", slips(random, kinds), outcome)


def two_cards(random):
    """One card each, of equal ranks more often than by chance."""
    first, second = random.choices(DECK, k=2)
    if random.random() < 0.25:
        second = first[0] + second[1]
    return [first], [second]


def high_low(random):
    """A round of High Low, locked or not."""
    state = random.choice([None, "locked"])
    kinds = [bet(name, state=state) for name in ("high", "low", "egalite")]
    outcome = stopped(random, ("communal", "bank"), two_cards(random), [0, 1])
    return record("high_low", "hc2011", slips(random, kinds), outcome)


def red_dog(random):
    """A round of Red Dog; extra bets only where they may be."""
    cards = random.choices(DECK, k=3)
    if random.random() < 0.2:
        cards[1] = cards[0][0] + cards[1][1]
    if random.random() < 0.2:
        cards[2] = cards[random.randint(0, 1)][0] + cards[2][1]
    between = abs(DECK.index(cards[0]) // 4 - DECK.index(cards[1]) // 4) - 1
    cards = cards[:2] if between == 0 else cards
    outcome = stopped(random, ("cards",), [cards], [0] * len(cards))
    some = slips(random, [bet("bet")], most=1)
    if between > 0 and len(outcome.get("cards", "").split()) > 1:
        some += [{"id": "e", "player": "p", "bet": "extra", "stake": 60}]
    return record("red_dog", "hc2011", some, outcome)


def casino_war(random):
    """A round of Casino War, or its war."""
    table = random.choice([None, {"tie_kept": True}])
    hands = two_cards(random)
    chance = 0 if hands[0][0][0] == hands[1][0][0] else 0.15
    outcome = stopped(random, ("player", "bank"), hands, [0, 1], chance)
    if random.random() < 0.5:
        choice = random.choice([None, "surrender", "war"])
        some = slips(random, [bet("bet", choice=choice)], most=1)
        some += [{"id": "t", "player": "p", "bet": "tie", "choice": choice, "stake": 40}]
        return record("casino_war", "hc2023", some, outcome, table=table)
    some = slips(random, [bet("bet", state="war")], most=1)
    some += [{"id": "w", "player": "p", "bet": "war", "stake": some[0]["stake"]}]
    some += [{"id": "t", "player": "p", "bet": "tie", "state": "war", "stake": 40}]
    return record("casino_war", "hc2023", some, outcome, table=table)


# Player, board, bank; second stakes; the side bet.
POKER = {
    "three_card": ((3, 0, 3), [1], "pair_plus"),
    "caribbean": ((5, 0, 5), [2], None),
    "multi_poker": ((5, 0, 5), [2], None),
    "four_card": ((5, 0, 6), [1, 2, 3], "aces_up"),
    "ultimate": ((2, 5, 2), [1, 2, 3, 4], "trips"),
    "casino_holdem": ((2, 5, 2), [2], "aa_bonus"),
}
FOLDED_WITH_ANTE = ("aces_up", "blind", "trips")


def poker(game, *editions, options=({},)):
    """What makes rounds of a game of poker against the bank."""

    def make(random):
        return bank_poker(random, game, random.choice(editions), random.choice(options))

    make.__name__ = game
    return make


def few_cards(random):
    """A deck of which few ranks or one suit and a half are left, so that high hands are common."""
    kind = random.randrange(4)
    if kind == 0:
        ranks = random.sample("23456789TJQKA", 5)
        return [card for card in DECK if card[0] in ranks]
    if kind == 1:
        suit = random.choice("SHDC")
        return [card for card in DECK if card[1] == suit or card[0] in "A5T"]
    if kind == 2:
        rank = random.randint(0, 8)
        return ([*DECK[-4:], *DECK])[rank * 4 : rank * 4 + 24]
    return DECK


def bank_poker(random, game, rules, table):
    """A round of poker against the bank: one hand, on which some have bet, folded, or wait."""
    (player, board, bank), multiples, side = POKER[game]
    left, *cards = random.sample(sorted(set(few_cards(random))), 1 + player + board + bank)
    hands = [cards[:player], cards[player : player + board], cards[player + board :]]
    order = (
        [0] * player + [2] * bank + [1] * board
        if random.random() < 0.5
        else ([2] * bank + [1] * board + [0] * player)
    )
    outcome = stopped(random, ("player", "board", "bank"), hands, order)
    outcome = {name: cards for name, cards in outcome.items() if cards}
    ways = ["play", "play", "fold"] + ["wait"] * ("void" in outcome)
    some = []
    for who in "pq"[: random.randint(1, 2)]:
        ante = random.randint(1, 200) * STAKE_UNIT
        plays = random.choice(ways)
        choice = {"choice": "fold"} if plays == "fold" else {}
        some.append({"player": who, "bet": "ante", "stake": ante, **choice})
        if game == "ultimate":
            some.append({"player": who, "bet": "blind", "stake": ante, **choice})
        if side and random.random() < 0.7:
            lost = choice if side in FOLDED_WITH_ANTE else {}
            some.append({"player": who, "bet": side, "stake": 40, **lost})
        if plays == "play":
            some.append({"player": who, "bet": "bet", "stake": ante * random.choice(multiples)})
    if rules == "gr2003" and "void" not in outcome:
        counted = random.choice([{}, {"remaining": 32, "others": 10}, {"misdeal": "six cards"}])
        if table.get("count_voids"):
            counted = {"remaining": random.choice([31, 32]), "others": 10}
        outcome |= counted
        if "misdeal" in counted:
            outcome["bank" if random.random() < 0.5 else "player"] += " " + left
    some = [{"id": str(n), **one} for n, one in enumerate(some)]
    return record(game, rules, some, outcome, table=table or None)


def points(card):
    """Of a card of Black Jack, an ace as 1."""
    return {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0])


def total(cards):
    """The points of a hand, an ace as 11 where that makes no more than 21."""
    points_sum = sum(map(points, cards))
    return (
        points_sum + 10
        if points_sum <= 11 and any(card[0] == "A" for card in cards)
        else points_sum
    )


class Box:
    """A box of Black Jack, played at random as its edition allows."""

    def __init__(self, random, rules, variant, table):
        self.random, self.variant, self.table = random, variant, table
        self.is_live = rules == "de-live"
        few = random.choice(["A789T", "A2345678", "23456789TJQKA", "23456789TJQKA", "A7"])
        self.shoe = [card for card in DECK if card[0] in few] * 6
        random.shuffle(self.shoe)
        self.bank = [self.card()]
        self.hands = [[self.card(), self.card()]]
        self.doubled = []
        self.split()
        for number in range(len(self.hands)):
            self.play(number)

    def card(self):
        """The next of the shoe."""
        return self.shoe.pop()

    def split(self):
        """Equal points split again and again, at a terminal and de-live once."""
        most = 2 if self.is_live or self.table.get("terminal") else 4
        number = 0
        while number < len(self.hands) < most:
            first, second = self.hands[number]
            if points(first) == points(second) and self.random.random() < 0.6:
                self.hands[number] = [first, self.card()]
                self.hands.append([second, self.card()])
            else:
                number += 1

    def play(self, number):
        """Double, or draw as long as the player likes and may."""
        cards, is_split = self.hands[number], len(self.hands) > 1
        if is_split and cards[0][0] == "A" and not self.is_live:
            return
        may_double = (
            total(cards) != 21 and not is_split
            if self.is_live
            else (sum(map(points, cards)) in (9, 10, 11) and total(cards) != 21)
        )
        if may_double and self.random.random() < 0.6:
            self.doubled.append(number + 1)
            cards.append(self.card())
            return
        while self.may_draw(cards, is_split) and self.random.random() < (
            0.8 if total(cards) < 16 else 0.3
        ):
            cards.append(self.card())

    def may_draw(self, cards, is_split):
        """Not at 21, but at a soft one of Casino21 that is no Black Jack."""
        if total(cards) < 21:
            return True
        is_soft = total(cards) == 21 and sum(map(points, cards)) == 11
        return self.variant == "casino21" and is_soft and (is_split or len(cards) > 2)

    def draw_bank(self):
        """To 17."""
        while len(self.bank) < 2 or total(self.bank) < 17:
            self.bank.append(self.card())


def blackjack(random):
    """A round of a box, with side bets, one or two players; sometimes stopped by a fault."""
    rules, variant = random.choice(
        [("hc2023", None), ("hc2023", "casino21"), ("hc2011", None), ("hc2011", "casino21"),
         ("hc2011", "1:1"), ("hc2011", "6:5"), ("de-live", None)]
    )  # fmt: skip
    table = {}
    if rules != "de-live" and variant != "casino21" and random.random() < 0.3:
        table["bank_wins_ties"] = True
    if variant == "casino21":
        table |= {name: True for name in ("natural_push", "five_cards") if random.random() < 0.5}
    if rules == "hc2023" and random.random() < 0.2:
        table["terminal"] = True
    if rules == "hc2011" and random.random() < 0.5:
        table["color_jack_by_color"] = True
    box = Box(random, rules, variant, table)
    sides = {"hc2023": ["pair_pursuit", "21+3"], "hc2011": ["perfect_pairs", "bj_plus"]}
    is_insured = box.bank[0][0] == "A" and variant != "casino21" and random.random() < 0.5
    some = []
    for who in "pq"[: random.randint(1, 2)]:
        stake = random.randint(1, 100) * STAKE_UNIT
        some.append({"player": who, "bet": "bet", "stake": stake})
        for number in range(2, len(box.hands) + 1):
            some.append({"player": who, "bet": "split", "on": [number], "stake": stake})
        doubled = () if who == "q" and random.random() < 0.3 else box.doubled
        for number in doubled:
            more = stake // 2 if rules == "de-live" else stake
            some.append({"player": who, "bet": "double", "on": [number], "stake": more})
        if is_insured:
            some.append({"player": who, "bet": "insurance", "stake": stake // 2})
        for side in sides.get(rules, []):
            if random.random() < 0.4:
                some.append({"player": who, "bet": side, "stake": 40})
    hands = [" ".join(cards) for cards in box.hands]
    outcome = {"player": hands if len(hands) > 1 else hands[0]}
    if min(map(total, box.hands)) <= 21:
        box.draw_bank()
    elif random.random() < 0.5:  # another box is in play
        box.draw_bank()
        outcome["others_play"] = True
    elif is_insured or rules == "de-live":
        box.bank.append(box.card())
    outcome["bank"] = " ".join(box.bank)
    if rules != "de-live" and random.random() < 0.3:
        outcome["holder"] = "p"
    if random.random() < 0.15:
        outcome["bank"] = " ".join(box.bank[: random.randint(1, len(box.bank))])
        outcome["void"] = "shuffler_jam"
    some = [{"id": str(n), **one} for n, one in enumerate(some)]
    return record("blackjack", rules, some, outcome, variant=variant, table=table or None)


def switch(random):
    """A box of Black Jack Switch: two hands, whose second cards may be exchanged."""
    first, second = (Box(random, "de-live", "switch", {}) for _ in "12")
    hands = [first.hands[0][:2], second.hands[0][:2]]
    switched = {}
    if random.random() < 0.5:
        hands[0][1], hands[1][1] = hands[1][1], hands[0][1]
        switched = {"switched": True}
    groups = []
    for cards in hands:
        is_split = points(cards[0]) == points(cards[1]) and random.random() < 0.8
        groups.append([[card, first.card()] for card in cards] if is_split else [cards])
        for own in groups[-1]:
            while total(own) < 21 and own[0][0] != "A" and random.random() < 0.5:
                own.append(first.card())
    others = {}
    if all(total(own) > 21 for group in groups for own in group):
        others = {"others_play": random.random() < 0.5}
    if others.get("others_play", True):
        first.draw_bank()
    stake = random.randint(1, 100) * STAKE_UNIT
    kinds = ["bet", "bet", *("split" for group in groups for _ in group[1:])]
    some = [
        {"id": str(n), "player": "p", "bet": kind, "on": [n], "stake": stake}
        for n, kind in enumerate(kinds, 1)
    ]
    some += [{"id": "s", "player": "p", "bet": "super_match", "stake": 40}]
    texts = [[" ".join(cards) for cards in group] for group in groups]
    player = [group[0] if len(group) == 1 else group for group in texts]
    outcome = {"player": player, "bank": " ".join(first.bank)}
    return record("blackjack", "hc2011", some, {**outcome, **switched, **others}, variant="switch")


# --- lotteries -----------------------------------------------------------------------------------

PAYS = {
    "2": {"2": 12},
    "5": {"3": [5, 2], "4": 20, "5": 500},
    "10": {"0": 2, "5": 3, "6": 40, "7": 700},
}


def keno(random):
    """A draw, on which forms of one game and of several are; or several draws at once."""
    rules = random.choice(["hc2011", "hc2023"])
    draws = [random.sample(range(1, 81), 20) for _ in range(random.choice([1, 1, 3]))]
    some = []
    for number in range(random.randint(1, 6)):
        marked = int(random.choice(list(PAYS)))
        hits = random.randint(0, marked)
        numbers = random.sample(draws[0], hits)
        numbers += random.sample(sorted(set(range(1, 81)) - set(draws[0])), marked - hits)
        form = {"bet": "numbers", "on": sorted(numbers), "stake": random.randint(1, 200) * 1200}
        if len(draws) == 1 and random.random() < 0.5:
            form |= random.choice(
                [
                    {"games": 4},
                    {"games": 4, "state": "games3"},
                    {"games": 4, "state": "games1"},
                    {"games": 1},
                ]
            )
        some.append({"id": str(number), "player": "p", **form})
    outcome = {"drawn": draws[0] if len(draws) == 1 else draws}
    if random.random() < 0.05:
        outcome = {"void": "ball_lost"}
    if len(draws) == 1 and random.random() < 0.4:
        some.append({"id": "sets", "player": "p", "bet": "numbers", **groups(random, draws[0])})
    table = {"pays": PAYS, **random.choice([{}, {"maximum_payment": 300_000}])}
    table["longest_series"] = 300
    return record("keno", rules, some, outcome, table=table)


def groups(random, drawn):
    """A form of groups of one or five numbers, most of them drawn; perhaps of a long series."""
    size, count = random.choice([(1, 5), (5, 3)])
    others = sorted(set(range(1, 81)) - set(drawn))
    numbers = random.sample(drawn, 4) + random.sample(others, size * count - 4)
    random.shuffle(numbers)
    form = {
        "groups": [numbers[n : n + size] for n in range(0, size * count, size)],
        "ways": random.choice([[2], [1, 2]] if size == 5 else [[2], [5], [2, 5]]),
        "stake": 660 * random.randint(1, 9) * 100,
    }
    if random.random() < 0.3:
        form |= {"games": 250, "stake": form["stake"] * 250}
    return form


def bingo_card(random, variant):
    """A card, its rows from above."""
    if variant == "75":
        columns = [random.sample(range(n, n + 15), 5) for n in range(1, 76, 15)]
        columns[2][2] = 0
        return [list(row) for row in zip(*columns, strict=True)]
    if variant == "80":
        numbers = random.sample(range(1, 81), 16)
        return [numbers[n : n + 4] for n in range(0, 16, 4)]
    rows = [[0] * 9 for _ in range(3)]
    for row in rows:
        for column in sorted(random.sample(range(9), 5)):
            used = {other[column] for other in rows}
            first = column * 10
            row[column] = random.choice(
                [n for n in range(max(1, first), first + 10) if n not in used]
            )
    for column in range(9):
        some = sorted(row[column] for row in rows if row[column])
        for row in rows:
            row[column] = some.pop(0) if row[column] else 0
    return rows


def bingo(random):
    """A round of Bingo until the first cards are complete; some cards are of another round."""
    variant = random.choice(["75", "80", "90"])
    pattern = random.choice(["row", "column", "full_card", "black_out", "x", "frame"])
    if variant == "90":
        pattern = random.choice(["row", "full_card"])
    same = [bingo_card(random, variant) for _ in range(random.randint(1, 4))]
    some = [
        {"id": str(n), "player": random.choice("pqr"), "bet": "card", "on": card, "stake": 200}
        for n, card in enumerate([*same, *random.choices(same, k=3)])
    ]
    for card in some:
        card["round"] = random.choice(["red"] * 8 + ["blue"]) if card["id"] != "0" else "red"
    height, width = len(same[0]), len(same[0][0])
    cells = {
        "row": [[(r, c) for c in range(width)] for r in range(height)],
        "column": [[(r, c) for r in range(height)] for c in range(width)],
        "x": [[(r, c) for r in range(height) for c in (r, width - 1 - r)]],
        "frame": [
            [
                (r, c)
                for r in range(height)
                for c in range(width)
                if r in (0, height - 1) or c in (0, width - 1)
            ]
        ],
    }
    places = cells.get(pattern, [[(r, c) for r in range(height) for c in range(width)]])
    balls = random.sample(range(1, int(variant) + 1), int(variant))
    drawn, balls_seen = [], {0}
    while not any(
        all(card["on"][r][c] in balls_seen for r, c in place)
        for card in some
        if card["round"] == "red"
        for place in places
    ):
        drawn.append(balls.pop())
        balls_seen.add(drawn[-1])
    outcome = {"void": "ball_lost"} if random.random() < 0.05 else {"drawn": drawn}
    options = random.choice([{}, {"share_by_card": True}, {"round_up": True}])
    if random.random() < 0.5:
        balls = [min(int(variant), len(drawn) + step) for step in (0, -1, 3)]
        jackpots = [{"balls": max(1, n), "amount": random.randint(1, 9) * 6000} for n in balls]
        options["jackpots"] = random.sample(jackpots, random.randint(1, 3))
    table = {"pattern": pattern, "prize": random.choice([60_000, 50_000]), **options}
    return record("bingo", "hc2023", some, outcome, variant=variant, table=table, round="red")


ROYALS = [" ".join(rank + suit for rank in "AKQJT") for suit in "CDHS"]
WINNERS = [
    *ROYALS,
    "9S 8S 7S 6S 5S",
    "9D 8D 7D 6D 5D",
    "AS AH AC AD 2C",
    "8S 8H 8C 8D 2C",
    "KS KH KC 4D 4S",
    "2H 9H JH KH AH",
    "2H 3D 4C 5S 6H",
    "9S 9H 9D KC 2H",
]
FLUSHES = [*ROYALS, *(" ".join(rank + suit for rank in "98765") for suit in "DS")]
SEVENS = ["7H 7D", "7H 7H", "7H 7H 7H", "7S 7S 7S", "7D 7H 7D", "7D 7S 7D", "7D 2S 7D", "8H 7H"]
GREEK = {"rake": 20, "consolation": {"four": 50_000, "full_house": 10_000, "flush": 5000}}


THREE = {"jackpot1": 500_000, "jackpot2": 60_000, "jackpot3": 10_000}


def jackpot(random):
    """A round in which half of the bets win; hands of several tables, so cards may repeat."""
    rules, variant, start = random.choice(
        [("hc2023", "caribbean", {}), ("hc2023", "blackjack", {"pot": 100_050}),
         ("hc2023", "slots", {"pot": 100_000, "other": 5000}),
         ("hc2011", "caribbean", {"jackpot": 200_000}), ("hc2011", "multi_poker", THREE),
         ("hc2011", "blackjack", THREE), ("hc2011", "slots", {"pot": 100_000}),
         ("gr2003", "caribbean", {"jackpot": 70_000}), ("gr2003", "caribbean", {"jackpot": 100})]
    )  # fmt: skip
    ids = [str(n) for n in range(random.randint(1, 4))]
    bets = [{"id": n, "player": n, "bet": "jackpot", "stake": 100} for n in ids]
    table, outcome = {"start": start}, {}
    names = list(start) or ["mega", "major", "minor"]
    if variant == "slots" or (rules, variant) == ("hc2023", "blackjack"):
        outcome["won"] = {n: random.choice([None, *names]) for n in ids}
    else:
        some = SEVENS if variant == "blackjack" else WINNERS
        outcome["hands"] = {n: random.choice([random.choice(some), some[-1]]) for n in ids}
        outcome["tables"] = {n: n if variant == "caribbean" else random.choice("ab") for n in ids}
        if rules != "gr2003" and variant != "blackjack":  # of one deck a table
            outcome["tables"] = {n: random.choice([n, n, "a"]) for n in ids}
            at_a = [n for n in ids if outcome["tables"][n] == "a"]
            for n, hand in zip(at_a, random.sample(FLUSHES, len(at_a)), strict=True):
                outcome["hands"][n] = hand
    outcome["folded"] = [n for n in ids if random.random() < 0.1]
    outcome["times_ms"] = dict(zip(ids, random.sample(range(12_000), len(ids)), strict=True))
    if variant == "slots":
        outcome["growth"] = {n: random.randint(0, 500) for n in ids}
        table["against_previous"] = random.choice([None, True])
    if rules == "gr2003":
        table |= {**GREEK, "progressive": random.choice([None, False])}
        table["straight_flush_first"] = random.choice([None, True])
    elif rules == "hc2011" and variant != "slots":
        table["contribution"] = {next(iter(names)): [1, 20]} if start else {}
    else:
        table["contribution"] = {names[0]: [1, 10]}
    if rules != "hc2011":
        table["folded_wins"] = random.choice([None, True, False])
    table["round_up"] = random.choice([None, True])
    if rules == "hc2023" and variant == "caribbean":
        table["stake_kept"] = random.choice([None, False])
    meters = {name: 100 * random.randint(0, 10_000) for name in names if name in start}
    if random.random() < 0.05:
        outcome = {"void": "shuffler"}
    return record("jackpot", rules, bets, outcome, variant=variant, table=table, meters=meters)


def poker_hand(random):
    """A hand of two to six, some folded or mucked, some all-in for less, some with more in than
    any live hand; every other one holds stakes."""
    variant = random.choice(["holdem", "holdem", "omaha"])
    players = list("ABCDEF")[: random.randint(2, 6)]
    own = 2 if variant == "holdem" else 4
    deck = [rank + suit for rank in "6789TJQKA" for suit in "CDHS"]
    random.shuffle(deck)
    board = " ".join(deck.pop() for _ in range(5))
    put_in = {player: 100 * random.choice([5, 10, 10, 20, 20, 33]) for player in players}
    passed = [player for player in players if random.random() < 0.4][: len(players) - 1]
    random.shuffle(passed)
    live = [player for player in players if player not in passed]
    many = random.randint(0, len(passed))
    highest = max(put_in[player] for player in live)
    above = [player for player in passed if put_in[player] > highest]
    # Who passed last in a pot without a live hand mucked, for he had it alone.
    mucked = [player for player in passed if player in passed[many:] or player in above]
    folded = [player for player in passed if player not in mucked]
    outcome = {"board": board, **({"mucked": mucked} if mucked else {})}
    if len(live) > 1:
        outcome["hands"] = {p: " ".join(deck.pop() for _ in range(own)) for p in live}
    elif random.random() < 0.5:
        del outcome["board"]
    table = {
        "rake": random.choice([[0, 1], [1, 20], [1, 50]]),
        "chip": random.choice([1, 25, 100]),
    }
    bets = [{"id": p, "player": p, "bet": "hand", "stake": put_in[p]} for p in players]
    if random.random() < 0.5:
        for bet in bets:
            bet["stake"] += 100 * random.choice([0, 7])
        order = random.sample(players, len(players))
        outcome |= {"put_in": put_in, "folded": folded, "order": order}
        if len(players) > 2 and random.random() < 0.3:
            out = random.choice([*folded, None])
            put_in.pop(out, None)
    else:
        for bet in bets:
            bet["choice"] = "fold" if bet["player"] in folded else None
        table["button"] = random.choice(players)
    if random.random() < 0.05:
        outcome = {"void": "fire"}
    return record("poker_room", "oostende2011", bets, outcome, variant=variant, table=table)


BY_GAME = {
    "roulette": [roulette],
    "big_wheel": [big_wheel, marked_wheel],
    "money_wheel": [money_wheel],
    "sic_bo": [sic_bo],
    "rocket7": [rocket7],
    "diceball": [diceball],
    "barbut": [barbut],
    "punto_banco": [punto_banco],
    "baccarat": [baccarat],
    "high_low": [high_low],
    "red_dog": [red_dog],
    "casino_war": [casino_war],
    "three_card": [poker("three_card", "hc2011", "hc2023", options=({}, {"bonus_always": True}))],
    "caribbean": [
        poker("caribbean", "hc2011", "hc2023", "gr2003"),
        poker("caribbean", "gr2003", options=({"count_voids": True},)),
    ],
    "multi_poker": [poker("multi_poker", "hc2011")],
    "four_card": [poker("four_card", "hc2023", options=({}, {"bonus_only_on_win": False}))],
    "ultimate": [poker("ultimate", "hc2023")],
    "casino_holdem": [poker("casino_holdem", "hc2011")],
    "blackjack": [blackjack, switch],
    "keno": [keno],
    "bingo": [bingo],
    "jackpot": [jackpot],
    "poker_room": [poker_hand],
}
