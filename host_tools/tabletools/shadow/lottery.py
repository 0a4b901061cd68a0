"""Keno by the pay table of its table, Bingo by the order of its balls: rulebook chapter 12."""

from collections.abc import Iterable
from fractions import Fraction

from tabletools.shadow.play import Bet, Play
from tabletools.shadow.verdict import Impossible, Record, Verdict, lose, stand, void

HIGHEST_KENO_PAYMENT_CENTS = {"hc2011": 2_500_000}
Cell = tuple[int, int]


def judge_keno(play: Play) -> list[Verdict]:
    """Settle every form of a draw, or of a series of draws."""
    return [_form(play, bet) for bet in play.bets]


def _form(play: Play, bet: Bet) -> Verdict:
    stake, state, drawn = bet.stake, bet.state, play.outcome.drawn
    is_old = play.rules == "hc2011"
    if drawn is None:
        verdict = void(stake) if state is None else stand(stake, state)
        return verdict.by("1:1(14)" if is_old else "1:1(15)")
    draws = drawn if isinstance(drawn[0], list) else [drawn]
    if any(len(set(draw)) != 20 or not set(draw) <= set(range(1, 81)) for draw in draws):
        raise Impossible("no draw of 20 of 80")
    left = len(draws)
    if state is not None:
        left = int(state.removeprefix("games"))
    elif bet.games is not None:
        left = bet.games
    part = Fraction(stake, left)
    highest = play.table.get("maximum_payment", HIGHEST_KENO_PAYMENT_CENTS.get(play.rules))
    forms = _forms(bet)
    prizes = [sum(part / len(forms) * _times(play, on, draw) for on in forms) for draw in draws]
    won = sum(prizes if highest is None else [min(prize, highest) for prize in prizes])
    live = part * (left - len(draws))
    more = f"games{left - 1}" if live else None
    outcome = "win" if won else "prison" if live else "lose"
    names: tuple[str, ...] = ("4:3(4)",) if is_old else ("5:2(3)",)
    if len(forms) > 1:
        names = ("4:3(7)" if is_old else "5:2(6)", *names)
    if is_old and won < sum(prizes):
        names = ("4:3(8)", *names)
    return Verdict(outcome, won, live=live, lost=stake - live, state=more).by(*names)


def _forms(bet: Bet) -> list[list[int]]:
    """Return what a ticket marks: its numbers, or those of each set of its groups (5:2(6))."""
    if bet.groups is None:
        return [bet.on]
    ways = [1] if bet.ways is None else bet.ways
    every = range(1, 2 ** len(bet.groups))
    sets = [[g for n, g in enumerate(bet.groups) if mask >> n & 1] for mask in every]
    return [[n for group in some for n in group] for some in sets if len(some) in ways]


def _times(play: Play, marked: list[int], draw: list[int]) -> Fraction:
    """Return what a form is paid, as a multiple of the stake of a game."""
    hits = len(set(marked) & set(draw))
    pays = play.table["pays"].get(str(len(marked)), {}).get(str(hits), 0)
    return Fraction(*pays) if isinstance(pays, list) else Fraction(pays)


def judge_bingo(play: Play) -> list[Verdict]:
    """Settle every card of a round: the first ball that completes the pattern ends it."""
    cards, table, outcome = play.bets, play.table, play.outcome
    if outcome.drawn is None:
        return [void(card.stake).by("5:1(7)") for card in cards]
    playing = [n for n, card in enumerate(cards) if _is_of_round(card, play)]
    balls = {0}
    winners: list[int] = []
    for ball in outcome.drawn:
        if winners:
            raise Impossible("a ball after the bingo")
        balls.add(ball)
        winners = [n for n in playing if _has_bingo(cards[n].on, table["pattern"], balls)]
    if playing and not winners:
        raise Impossible("no card has a bingo")
    jackpots = [
        each["amount"] for each in table.get("jackpots") or () if each["balls"] >= len(balls) - 1
    ]
    prizes = _prizes([cards[n] for n in winners], table, table["prize"] + sum(jackpots))
    shares = dict(zip(winners, prizes, strict=True))
    paid = ("5:1(10)", "5:1(9)") if len(winners) > 1 else ("5:1(9)",)
    return [
        Verdict("win", shares[n], lost=card.stake).by(*paid)
        if n in shares
        else lose(card.stake).by("5:1(7)" if n in playing else "5:1(6)")
        for n, card in enumerate(cards)
    ]


def _is_of_round(card: Bet, play: Play) -> bool:
    return bool(card.round == play.round)


def _has_bingo(rows: list[list[int]], pattern: object, balls: set[int]) -> bool:
    """Whether every number of one of the pattern's places was drawn; 0 is a free cell."""
    return any(
        all(rows[row][column] in balls for row, column in cells)
        for cells in _places(rows, pattern)
    )


def _places(rows: list[list[int]], pattern: object) -> Iterable[list[Cell]]:
    height, width = len(rows), len(rows[0])
    every = [(row, column) for row in range(height) for column in range(width)]
    if isinstance(pattern, list):
        return [[(row - 1, column - 1) for row, column in pattern]]
    by_name: dict[object, list[list[Cell]]] = {
        "row": [[cell for cell in every if cell[0] == row] for row in range(height)],
        "column": [[cell for cell in every if cell[1] == column] for column in range(width)],
        "x": [[(row, col) for row, col in every if col in (row, width - 1 - row)]],
        "frame": [
            [(row, col) for row, col in every if row in (0, height - 1) or col in (0, width - 1)]
        ],
        "black_out": [every],
        "full_card": [every],
    }
    return by_name[pattern]


def _prizes(winners: list[Bet], table: Record, prize: int) -> list[Fraction]:
    """Return the shares of a prize: by player, then by card; the first card gets a remainder."""
    names: list[str | int] = [card.player for card in winners]
    if table.get("share_by_card"):
        names = list(range(len(winners)))
    share = Fraction(prize, len(set(names)))
    if table.get("round_up"):
        share = Fraction(-(-share.numerator // share.denominator))
    shares = []
    for place, name in enumerate(names):
        cards = names.count(name)
        odd = share % cards if place == names.index(name) else 0
        shares.append(Fraction(share // cards) + odd)
    return shares


# With the editions that have it.
JUDGED = {
    "keno": (judge_keno, "hc2011 hc2023"),
    "bingo": (judge_bingo, "hc2023"),
}
