"""Settlement: bets of one round in memory, and rounds as JSON Lines, each beside a peer.

In memory the peer is a plain loop over the same bets with their odds looked up before: it builds
the same lines, knows no rule and compares nothing. Of lines the peer is `json.loads` of the same
lines, each bet put into a dict by its id. Rates are of this machine.
"""

import io
import json
import random
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Any

from host_tools.bench.figure import judged, reported
from host_tools.bench.pairs import TURNS, compared
from tabletools.games import punto_banco, roulette, sic_bo
from tabletools.rules import points
from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import Results, hand_of
from tabletools.rules.dice import throws
from tabletools.rules.game import Slip
from tabletools.rules.settlement import Settlement, settle_round
from tabletools.rules.verdict import LOSE, WIN, Verdict
from tabletools.settle.json_lines import CARDS, round_of, settle_command

BETS = 20_000
LEAST_OF_LOOP = 0.5
MOST_OF_JSON, MOST_OF_JSON_EACH = 7, 30
"""For all bets in one line, each answered with what decided it in words, and for lines of a player
each: most of such a line is the round."""
Figure = dict[str, object]


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


Odds = tuple[int | None, Verdict]
"""What a bet wins for its stake: 0 where it is lost, None where its stake is divided."""


def odds_of(verdict: Verdict) -> Odds:
    """Return the odds of a verdict."""
    if verdict.den == verdict.back == 1 and verdict.outcome == WIN:
        return verdict.win, verdict
    return 0 if verdict.lost == verdict.den else None, verdict


def plain_bets(
    placed: Sequence[CompiledBet], outcomes: Sequence[Any]
) -> list[tuple[str, int, list[Odds]]]:
    """Return id, stake and odds by the place of the outcome; bets on the same share their odds."""
    odds: dict[int, list[Odds]] = {}
    for verdicts in (bet.verdicts for bet in placed):
        if id(verdicts) not in odds:
            odds[id(verdicts)] = [odds_of(verdicts[outcome]) for outcome in outcomes]
    return [(bet.id, bet.stake, odds[id(bet.verdicts)]) for bet in placed]


def plain_lines(bets: Sequence[tuple[str, int, list[Odds]]], outcome: int) -> list[Settlement]:
    """Return the lines of a round, by odds alone. outcome: its place."""
    lines = []
    for key, stake, odds in bets:
        times, by = odds[outcome]
        if times:
            line = Settlement(key, WIN, stake, stake * times, stake, 0, 0, None, by.citation)
        elif times == 0:
            line = Settlement(key, LOSE, stake, 0, 0, 0, stake, None, by.citation)
        else:
            unit = stake // by.den
            shares = unit * by.win, unit * by.back, unit * by.live, unit * by.lost
            line = Settlement(key, by.outcome, stake, *shares, by.state, by.citation)
        lines.append(line)
    return lines


def in_memory(
    what: str, placed: Sequence[CompiledBet], outcomes: Sequence[Any]
) -> Iterator[Figure]:
    """Yield the figures of these bets, settled for each outcome."""
    bets = plain_bets(placed, outcomes)
    pair = compared(
        lambda: [settle_round(placed, outcome) for outcome in outcomes],
        lambda: [plain_lines(bets, place) for place in range(len(outcomes))],
        turns=2 * TURNS,
    )
    ratio, least = 1 / pair.times, LEAST_OF_LOOP
    name, is_met = f"{what}, to a plain loop", ratio >= least
    yield judged(name, round(ratio, 2), "times", f">= {least:g}", is_met=is_met)
    yield reported(what, round(len(placed) * len(outcomes) / pair.own_s), "bets/s")


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


def as_lines(what: str, raw: bytes, count: int, unit: str, most: float) -> Iterator[Figure]:
    """Yield the figures of lines that are read, verified, settled and written. count: units."""

    def read() -> None:
        for line in raw.splitlines():
            {bet["id"]: bet for bet in json.loads(line)["bets"]}

    pair = compared(lambda: settle_command(io.BytesIO(raw), io.BytesIO()), read, turns=3)
    yield _most(f"{what}, times json.loads", pair.times, most)
    yield reported(what, round(count / pair.own_s), unit)


def _rounds_of_cards() -> Iterator[tuple[str, bytes]]:
    """Yield each card game with its example, a round of one player, as a line."""
    for name, game in CARDS.items():
        edition, variant = next(iter(game.games))
        bets, outcome = game.example
        record = {"rules": edition, "game": name, "variant": variant}
        yield name, json.dumps({**record, "bets": bets, "outcome": outcome}).encode() + b"\n"


def card_figures(bets: int, rounds: int) -> Iterator[Figure]:
    """Yield of every card game: placed bets settled, and rounds of one player as lines."""
    for name, line in _rounds_of_cards():
        example = round_of(json.loads(line))
        placed = list(islice(cycle(example.bets), bets))
        yield from in_memory(f"{name}: placed bets", placed, [example.outcome])
        each = f"{name}: one round a line"
        yield from as_lines(each, line * rounds, rounds, "rounds/s", MOST_OF_JSON_EACH)


def _most(name: str, ratio: float, target: float) -> Figure:
    return judged(name, round(ratio, 1), "times", f"<= {target:g}", is_met=ratio <= target)


def figures(bets: int = BETS) -> list[Figure]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    rules = roulette.rules_of("hc2023", "french")
    slips = mixed_slips(rules, bets, seed=2)
    placed = [roulette.accept(rules, slip) for slip in slips]
    dice, cards = mixed_dice_bets(bets, seed=2), mixed_card_bets(bets, seed=2)
    pockets, dice_throws = range(-1, len(rules.wheel.pockets)), range(-1, len(throws(sic_bo.DICE)))
    lines = "settlement as JSON Lines, end to end"
    return [
        *in_memory("settlement of placed roulette bets", placed, pockets),
        *in_memory("settlement of placed Sic Bo bets", dice, dice_throws),
        *in_memory("settlement of placed Punto Banco bets", cards, card_outcomes()),
        *as_lines(lines, line_of(slips), bets, "bets/s", MOST_OF_JSON),
        *card_figures(bets, max(bets // 10, 1)),
    ]


if __name__ == "__main__":
    print(json.dumps(figures(), indent=2))
