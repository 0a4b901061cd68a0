"""A hand of the poker room: side pots by layers of what was put in, rulebook of Oostende.

It does not check that the actions were legal: their result is part of the record.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from tabletools.shadow.play import Play
from tabletools.shadow.playing_cards import Hand, count, hand
from tabletools.shadow.poker_hands import FIVE, Rank, best
from tabletools.shadow.verdict import Cents, Impossible, Unjudged, Verdict, void

OWN_CARDS = {"holdem": 2, "omaha": 4}


def judge(play: Play) -> list[Verdict]:
    """Settle what each player holds, or put in."""
    outcome, bets = play.outcome, play.bets
    variant = play.variant or "holdem"
    if variant not in OWN_CARDS:
        raise Unjudged("what the floor decides")
    if outcome.void is not None or outcome.misdeal is not None:
        return [void(bet.stake).by("2.19") for bet in bets]
    if any(
        action["action"] == "dead_small_blind"
        for street in (outcome.actions or {}).values()
        for action in street
    ):
        raise Unjudged("a dead blind")
    held = {bet.player: bet.stake for bet in bets}
    if "" in held:
        raise Impossible("a bet without a player")
    put_in = dict(held if outcome.put_in is None else outcome.put_in)
    folded = {bet.player for bet in bets if bet.choice == "fold"}
    if outcome.folded is not None:
        folded = set(outcome.folded)
    if any(not 0 < cents <= held[player] for player, cents in put_in.items()):
        raise Impossible("more is put in than is held")
    if len(put_in) < 2:
        if outcome.board or outcome.hands or outcome.actions:
            raise Impossible("a hand was played in which one player put something in")
        return [Verdict("push", back=stake).by("3.10") for stake in held.values()]
    mucked = outcome.mucked or []
    if len({*mucked, *folded}) < len(mucked) + len(folded) or not put_in.keys() >= {*mucked}:
        raise Impossible("a player passes once")
    got, shares = _push(play, put_in, _order(play, put_in), {*folded, *mucked})
    for who, cents in put_in.items():
        if got[who] > sum(min(cents, other) for other in put_in.values()):
            raise Impossible(f"{who} wins from another more than he put in")
    if not 0 <= sum(put_in.values()) - sum(got.values()) < sum(put_in.values()):
        raise Impossible("the pots are not what was put in less a rake")
    verdicts = []
    for who, stake in held.items():
        verdict = _verdict(stake, put_in.get(who, 0), got.get(who, 0))
        won = [each for each in shares if who in each]
        names = _paragraphs(verdict, won, has_folded=who in folded, is_called=not got.get(who, 0))
        verdicts.append(verdict.by(*names))
    return verdicts


def _paragraphs(
    verdict: Verdict, won: Sequence[Mapping[str, Cents]], *, has_folded: bool, is_called: bool
) -> tuple[str, ...]:
    """Return what decides: 3.10 what is pushed, 2.4 an odd chip, 2.16 a fold, 2.23 a showdown.

    won: the shares of each pot the player won. is_called: nothing of what he put in came back.
    """
    if verdict.outcome == "push":
        return ("3.10",)
    if won:
        is_uneven = any(len(set(each.values())) > 1 for each in won)
        return ("2.4", "3.10") if is_uneven else ("3.10",)
    lost = "2.16" if has_folded else "2.23"
    return (lost,) if is_called else (lost, "3.10")


def _verdict(held: int, put_in: int, got: Fraction | int) -> Verdict:
    win, back = max(0, got - put_in), held - put_in + min(got, put_in)
    outcome = "win" if win else "push" if back == held else "half" if back else "lose"
    return Verdict(outcome, win, back=back, lost=held - back)


def _order(play: Play, put_in: Mapping[str, int]) -> list[str]:
    """The players from the left of the button on."""
    if play.outcome.order is not None:
        return [player for player in play.outcome.order if player in put_in]
    players = [bet.player for bet in play.bets]
    after = players.index(play.table["button"]) + 1 if "button" in play.table else 0
    return players[after:] + players[:after]


def _push(
    play: Play, put_in: Mapping[str, int], order: Sequence[str], passed: set[str]
) -> tuple[dict[str, Fraction | int], list[dict[str, Cents]]]:
    """Return what each player gets: uncalled money, and shares of the pots; and those shares.

    passed: who folded or mucked.
    """
    outcome, table = play.outcome, play.table
    live = [player for player in order if player not in passed]
    ranks = _ranks(play, live)
    gone = [who for who in _folds(play) if who in passed] + [*(outcome.mucked or [])]
    called = sorted(put_in.values())[-2]
    got: dict[str, Fraction | int] = {who: max(0, put_in[who] - called) for who in order}
    share = Fraction(*table.get("rake", (0, 1))) if outcome.board is not None else Fraction(0)
    chip = table.get("chip", 1)
    shares: list[dict[str, Cents]] = []
    for amount, players in _pots({who: min(put_in[who], called) for who in order}, live, gone):
        pushed = amount - amount * share
        top = max(ranks.get(who, ()) for who in players)
        winners = [who for who in order if who in players and ranks.get(who, ()) == top]
        chips, rest = divmod(pushed, chip)
        shares.append({})
        for place, who in enumerate(winners):
            own = chips // len(winners) + (place < chips % len(winners))
            shares[-1][who] = own * chip + (rest if place == 0 else 0)
            got[who] += shares[-1][who]
    return got, shares


def _folds(play: Play) -> list[str]:
    """Who acted, by their last actions: of a player who folded that is his fold."""
    streets = play.outcome.actions or {}
    names = ("preflop", "flop", "turn", "river")
    acted = [each["player"] for name in names for each in streets.get(name) or ()]
    return sorted(set(acted), key=lambda who: len(acted) - acted[::-1].index(who))


def _pots(
    put_in: Mapping[str, int], live: Sequence[str], gone: Sequence[str]
) -> list[tuple[int, set[str]]]:
    """Return main pot and side pots, each with who can win it: layer by layer, from below.

    A layer without a live hand is for the one who passed last of those whose chips it has: the
    others had passed, so he need not show (2.23). gone: who passed, in that order.
    """
    layers: list[tuple[int, set[str]]] = []
    below = 0
    for level in sorted(set(put_in.values())):
        amount = sum(min(cents, level) - min(cents, below) for cents in put_in.values())
        able = {who for who, cents in put_in.items() if cents >= level}
        players = able & set(live) or set([who for who in gone if who in able][-1:])
        if not players:
            raise Impossible("all whose chips a pot has folded, and nobody had it last")
        if layers and players == layers[-1][1]:
            layers[-1] = layers[-1][0] + amount, layers[-1][1]
        else:
            layers.append((amount, players))
        below = level
    return layers


def _ranks(play: Play, live: Sequence[str]) -> dict[str, Rank]:
    outcome, own = play.outcome, OWN_CARDS[play.variant or "holdem"]
    board = hand(outcome.board)
    hands = {who: hand(cards) for who, cards in (outcome.hands or {}).items()}
    count([board, *hands.values(), hand(outcome.burned)], 1)
    if any(len(cards) != own for cards in hands.values()):
        raise Impossible(f"a hand without {own} cards")
    if any(who in hands for who in (outcome.mucked or [])):
        raise Impossible("a hand that was mucked was shown")
    if len(live) < 2:
        return dict.fromkeys(live, ())
    if len(board) != 5:
        raise Impossible(f"a showdown with {len(board)} cards on the board")
    return {who: _best(hands[who], board, own) for who in live}


def _best(own: Hand, board: Hand, many: int) -> Rank:
    """With two own cards any five with the board, with four exactly two and three of the board."""
    if many == 2:
        return best([*own, *board], FIVE, 5)
    return max(
        best([*two, *three], FIVE, 5)
        for two in combinations(own, 2)
        for three in combinations(board, 3)
    )


# With the editions that have it.
JUDGED = {
    "poker_room": (judge, "oostende2011"),
}
