"""Settlement rates: bets of one round settled in memory, and rounds as JSON Lines.

Beside those of lines stands what a machine needs at least: the same lines read by `json.loads`
alone, each bet put into a dict by its id.
"""

import io
import json
import random
import statistics
import time
from collections.abc import Callable, Collection, Iterator
from itertools import cycle, islice

from host_tools.bench.figure import judged, reported
from tabletools.games import punto_banco, roulette, sic_bo
from tabletools.rules import points
from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import Results, hand_of
from tabletools.rules.dice import throws
from tabletools.rules.game import Slip
from tabletools.settle import settle_round
from tabletools.settle.json_lines import CARDS, round_of, settle_command

BETS = 20_000
TARGET = 1_000_000
LINES_TARGET = 60_000
ROUNDS_TARGET = 20_000


def mixed_slips(
    rules: roulette.RouletteRules, count: int, seed: int
) -> list[roulette.RouletteSlip]:
    """Return bets of every kind on random positions, some imprisoned, of 50 players."""
    source = random.Random(seed)
    places = [place for kind in rules.odds for place in rules.wheel.positions[kind]]
    slips = []
    for number in range(count):
        place = source.choice(places)
        held = len(place.numbers) == 18 and source.random() < 0.05
        slip = roulette.RouletteSlip(
            id=str(number),
            player=str(number % 50),
            bet=place.kind,
            numbers=place.numbers,
            stake=500 * source.randrange(1, 200),
            choice=source.choice(roulette.CHOICES),
            state="prison1" if held else None,
        )
        slips.append(slip)
    return slips


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def mixed_dice_bets(count: int, seed: int) -> list[CompiledBet]:
    """Return Sic Bo bets of every kind on random selections, of 50 players."""
    source = random.Random(seed)
    game = sic_bo.GAMES["hc2023"]
    chances = [(name, on) for name, (_, kind) in sic_bo.KINDS.items() for on in kind.all]
    slips = []
    for number in range(count):
        bet, on = source.choice(chances)
        stake = 500 * source.randrange(1, 200)
        slips.append(Slip(id=str(number), player=str(number % 50), bet=bet, on=on, stake=stake))
    return [game.accept(slip) for slip in slips]


def mixed_card_bets(count: int, seed: int) -> list[CompiledBet]:
    """Return Punto Banco bets of every kind, of 50 players."""
    source = random.Random(seed)
    game = punto_banco.GAMES["hc2023", "straight"]
    slips = []
    for number in range(count):
        bet = source.choice(list(game.kinds))
        on = (source.randrange(10),) if bet == "super_egalite" else ()
        stake = 500 * source.randrange(1, 200)
        slips.append(Slip(id=str(number), player=str(number % 50), bet=bet, on=on, stake=stake))
    return [game.accept(slip) for slip in slips]


def card_outcomes() -> list[Results]:
    """Return the results of a few rounds, and those a fault left open."""
    rounds = ("KH 6D", "7C KD"), ("KH 9D", "7C KD"), ("8H 8D", "6C KD")
    dealt = [tuple(map(hand_of, hands)) for hands in rounds]
    whole = [points.results_of(punto, banco, voided=False) for punto, banco in dealt]
    return [*whole, points.results_of(hand_of("KH 2D"), hand_of("3C KD"), voided=True)]


def bets_per_second(placed: list[CompiledBet], outcomes: Collection[object]) -> float:
    """Return the rate over all outcomes, median of five passes."""

    def pass_over() -> None:
        for outcome in outcomes:
            settle_round(placed, outcome)

    took = statistics.median(_seconds(pass_over) for _ in range(3))
    return len(placed) * len(outcomes) / took


def line_of(slips: list[roulette.RouletteSlip]) -> bytes:
    """Return one round of these bets as a line."""
    names = ("id", "player", "bet", "numbers", "stake", "choice", "state")
    record = {
        "rules": "hc2023",
        "game": "roulette",
        "variant": "french",
        "bets": [{name: getattr(slip, name) for name in names} for slip in slips],
        "outcome": {"pocket": "0"},
    }
    return json.dumps(record).encode() + b"\n"


def seconds_of_lines(raw: bytes) -> float:
    """Return how long the lines take to be read, verified, settled and written; median of 3."""
    took = [_seconds(lambda: settle_command(io.BytesIO(raw), io.BytesIO())) for _ in range(3)]
    return statistics.median(took)


def seconds_at_least(raw: bytes) -> float:
    """Return how long it takes to read the lines and nothing else; median of 3."""

    def read() -> None:
        for line in raw.splitlines():
            {bet["id"]: bet for bet in json.loads(line)["bets"]}

    return statistics.median(_seconds(read) for _ in range(3))


def _rounds_of_cards() -> Iterator[tuple[str, bytes]]:
    """Yield each card game with its example, a round of one player, as a line."""
    for name, game in CARDS.items():
        edition, variant = next(iter(game.games))
        bets, outcome = game.example
        record = {"rules": edition, "game": name, "variant": variant}
        yield name, json.dumps({**record, "bets": bets, "outcome": outcome}).encode() + b"\n"


def card_figures(bets: int, rounds: int) -> list[dict[str, object]]:
    """Return of every card game: placed bets settled, and rounds of one player as lines."""
    found = []
    for name, line in _rounds_of_cards():
        read = round_of(json.loads(line))
        placed = list(islice(cycle(read.bets), bets))
        in_memory = bets_per_second(placed, [read.outcome])
        took = seconds_of_lines(line * rounds)
        least = seconds_at_least(line * rounds)
        found += [
            _figure(f"{name}: placed bets", in_memory, TARGET),
            _figure(f"{name}: one round a line", rounds / took, ROUNDS_TARGET, "rounds/s"),
            _times(f"{name}: one round a line, times json.loads", took / least),
        ]
    return found


def _times(name: str, ratio: float) -> dict[str, object]:
    """Return a ratio that has no target: what the figure before it means on another machine."""
    return reported(name, round(ratio, 1), "times")


def _figure(name: str, value: float, target: int, unit: str = "bets/s") -> dict[str, object]:
    return judged(name, round(value), unit, target, is_met=value >= target)


def figures(bets: int = BETS) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    rules = roulette.rules_of("hc2023", "french")
    placed = [roulette.accept(rules, slip) for slip in mixed_slips(rules, bets, seed=2)]
    in_memory = bets_per_second(placed, range(-1, len(rules.wheel.pockets)))
    dice = bets_per_second(mixed_dice_bets(bets, seed=2), range(-1, len(throws(sic_bo.DICE))))
    cards = bets_per_second(mixed_card_bets(bets, seed=2), card_outcomes())
    line = line_of(mixed_slips(rules, bets, seed=2))
    took, least = seconds_of_lines(line), seconds_at_least(line)
    return [
        _figure("settlement of placed roulette bets", in_memory, TARGET),
        _figure("settlement of placed Sic Bo bets", dice, TARGET),
        _figure("settlement of placed Punto Banco bets", cards, TARGET),
        _figure("settlement as JSON Lines, end to end", bets / took, LINES_TARGET),
        _times("settlement as JSON Lines, times json.loads", took / least),
        *card_figures(bets, max(bets // 10, 1)),
    ]


if __name__ == "__main__":
    print(json.dumps(figures(), indent=2))
