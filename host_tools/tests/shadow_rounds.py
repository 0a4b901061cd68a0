"""Seeded rounds of every game the shadow judges, in the shape of docs/SETTLE.md."""

from itertools import combinations

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
        found = [
            ("straight", [random.choice([*zeros, *street])]),
            ("à cheval", street[:2]),
            ("split", [street[2], street[1]]),
            ("street", street),
        ]
        if row < 11:
            found += [
                ("split", [street[0], str(first + 3)]),
                ("carré", [street[0], street[1], str(first + 3), str(first + 4)]),
                ("six line", [*street, str(first + 3), str(first + 4), str(first + 5)]),
            ]
        name, numbers = random.choice(found)
        return {"bet": name, "numbers": numbers}

    def at_zero(random):
        one = [("split", "0 1"), ("split", "0 3"), ("street", "0 1 2"), ("corner", "0 1 2 3")]
        two = [("split", "00 0"), ("split", "00 3"), ("street", "0 00 2"), ("top_line", None)]
        name, numbers = random.choice(two if len(zeros) == 2 else one)
        return {"bet": name, "numbers": numbers and numbers.split()}

    kinds = [even, even, inside, at_zero] + [twelve] * (variant != "quick")
    pocket = random.choice([*map(str, range(37)), *zeros * 8])
    outcome = {"void": "short_spin"} if random.random() < 0.05 else {"pocket": pocket}
    return record("roulette", rules, slips(random, kinds), outcome, variant=variant)


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
    """A turn of a wheel whose 45 are two segments that are bets apart."""
    marks = [[45, "red"], [45, "black"]]
    outcome = random.choice([{"pays": 10}, *({"pays": 45, "mark": mark} for _, mark in marks)])
    return record("big_wheel", "hc2011", slips(random, [bet("segment", [10], *marks)]), outcome)


def thrown(random, count):
    """What some dice show, or that they were not thrown well."""
    if random.random() < 0.03:
        return {"void": "off_the_table"}
    first = random.randint(1, 6)
    return {"dice": [first] + [random.choice([first, *range(1, 7)]) for _ in range(count - 1)]}


def sic_bo(random):
    """A throw of three dice."""
    faces = singles(range(1, 7))
    kinds = [
        bet("small"), bet("big"), bet("any_triple"), bet("single", *faces), bet("double", *faces),
        bet("two", *map(list, combinations(range(1, 7), 2))), bet("specific_triple", *faces),
        bet("total", *singles(range(4, 18))),
    ]  # fmt: skip
    rules = random.choice(["hc2011", "hc2023"])
    return record("sic_bo", rules, slips(random, kinds), thrown(random, 3))


def rocket7(random):
    """A throw of Rocket 7."""
    faces = singles(range(1, 7))
    kinds = [
        bet("low"), bet("high"), bet("any_double"), bet("any7"), bet("single", *faces),
        bet("double", *faces), bet("specific7", [1, 6], [2, 5], [3, 4]),
        bet("total", *singles([3, 4, 5, 6, 8, 9, 10, 11])),
    ]  # fmt: skip
    return record("rocket7", "hc2011", slips(random, kinds), thrown(random, 2))


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


BY_GAME = {
    "roulette": [roulette],
    "big_wheel": [big_wheel, marked_wheel],
    "money_wheel": [money_wheel],
    "sic_bo": [sic_bo],
    "rocket7": [rocket7],
    "diceball": [diceball],
    "barbut": [barbut],
}
