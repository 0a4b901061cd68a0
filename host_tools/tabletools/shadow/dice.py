"""Dice: Sic Bo, Rocket 7, Diceball and Barbut, rulebook chapters 5 to 8."""

from fractions import Fraction

from tabletools.shadow.play import Bet, Play
from tabletools.shadow.verdict import (
    Impossible,
    Verdict,
    lose,
    push,
    stand,
    win,
    win_and_stay,
)

# Total -> odds.
SIC_BO_TOTALS = {
    "hc2023": {4: 60, 5: 30, 6: 18, 7: 12, 8: 8, 9: 7, 10: 6,
               11: 6, 12: 7, 13: 8, 14: 12, 15: 18, 16: 30, 17: 60},
    "hc2011": {4: 60, 5: 30, 6: 18, 7: 12, 8: 8, 9: 6, 10: 6,
               11: 6, 12: 6, 13: 8, 14: 12, 15: 18, 16: 30, 17: 60},
}  # fmt: skip
# Dice that show the number -> odds.
SIC_BO_SINGLE = {"hc2023": {1: 1, 2: 2, 3: 3}, "hc2011": {1: 1, 2: 2, 3: 12}}
SIC_BO_DOUBLE = {"hc2023": 10, "hc2011": 11}
ROCKET7_TOTALS = {3: 16, 11: 16, 4: 10, 10: 10, 5: 7, 9: 7, 6: 6, 8: 6}
ROCKET7_SPECIFIC7 = ([1, 6], [2, 5], [3, 4])
# Faces, sorted from low to high -> odds.
BARBUT: dict[str, dict[tuple[int, ...], Fraction | int]] = {
    "A": {(1, 1): Fraction(1, 2), (2, 2): 1, (4, 4): 1, (1, 2): 1},
    "B": {(6, 6): Fraction(1, 2), (3, 3): 1, (5, 5): 1, (5, 6): 1},
}
# Complete runs -> odds of the Grand Slam.
SLAM = {3: 1, 4: 5, 5: 15, 6: 35}
DICE = {"sic_bo": 3, "rocket7": 2, "diceball": 2, "barbut": 2}


def judge(play: Play) -> list[Verdict]:
    """Settle every bet of a round."""
    dice = play.outcome.dice
    if dice is None:
        return [stand(bet.stake, bet.state).by("4:1(3)") for bet in play.bets]
    if len(dice) != DICE[play.game] or not set(dice) <= set(range(1, 7)):
        raise Impossible(f"no throw {dice}")
    verdicts = [_BETS[play.game](play, bet, sorted(dice)) for bet in play.bets]
    return [
        verdict if verdict.paragraphs else verdict.by(*_paragraphs(play, verdict))
        for verdict in verdicts
    ]


def _paragraphs(play: Play, verdict: Verdict) -> tuple[str, ...]:
    """Return what decides a bet that does not say it itself.

    Barbut has its bets in 4:4(3) and its odds in 4:4(4).
    """
    match play.game:
        case "barbut":
            return ("4:4(4)", "4:4(3)") if verdict.outcome == "win" else ("4:4(3)",)
        case "diceball":
            return ("4:3(3)",)
        case "rocket7":
            return ("4:1(4)",)
    return ("4:1(4)",) if play.rules == "hc2011" else ("4:2(3)",)


def _paid(stake: int, odds: Fraction | int | None) -> Verdict:
    """Paid by odds, or lost where there are none."""
    return lose(stake) if odds is None else win(stake, odds)


def _sic_bo(play: Play, bet: Bet, dice: list[int]) -> Verdict:
    edition, on, total = play.rules, bet.on or [], sum(dice)
    is_triple = dice[0] == dice[2]
    odds: int | None
    match bet.kind:
        case "small":
            odds = 1 if total <= 10 and not is_triple else None
        case "big":
            odds = 1 if total >= 11 and not is_triple else None
        case "any_triple":
            odds = 30 if is_triple else None
        case "specific_triple":
            odds = 180 if dice == on * 3 else None
        case "single":
            odds = SIC_BO_SINGLE[edition].get(dice.count(*on))
        case "double":
            odds = SIC_BO_DOUBLE[edition] if dice.count(*on) >= 2 else None
        case "two":
            odds = 6 if set(on) <= set(dice) and len(set(on)) == 2 else None
        case "total":
            odds = SIC_BO_TOTALS[edition][on[0]] if on == [total] else None
        case name:
            raise Impossible(f"no bet {name!r}")
    return _paid(bet.stake, odds)


def _rocket7(_play: Play, bet: Bet, dice: list[int]) -> Verdict:
    stake, on, total = bet.stake, bet.on or [], sum(dice)
    is_double = dice[0] == dice[1]
    odds: int | None
    match bet.kind:
        case "low":
            if total in (2, 7):
                return push(stake)
            odds = 1 if total in (3, 4, 5, 6) else None
        case "high":
            if total in (12, 7):
                return push(stake)
            odds = 1 if total in (8, 9, 10, 11) else None
        case "single":
            odds = {1: 2, 2: 4}.get(dice.count(*on))
        case "any_double":
            odds = 4 if is_double else None
        case "double":
            odds = 32 if dice == on * 2 else None
        case "any7":
            odds = 4 if total == 7 else None
        case "specific7":
            odds = 16 if dice == on and on in ROCKET7_SPECIFIC7 else None
        case "total":
            odds = ROCKET7_TOTALS[total] if on == [total] else None
        case name:
            raise Impossible(f"no bet {name!r}")
    return _paid(stake, odds)


def _diceball(_play: Play, bet: Bet, dice: list[int]) -> Verdict:
    stake, is_seven = bet.stake, sum(dice) == 7
    match bet.kind:
        case "seven_out":
            return _paid(stake, 4 if is_seven else None)
        case "run":
            thrown = _throws(bet, "run")
            if is_seven:
                return lose(stake)
            return win_and_stay(stake, 1) if thrown == 3 else stand(stake, f"run{thrown + 1}")
        case "slam":
            thrown = _throws(bet, "slam")
            if is_seven:
                return _paid(stake, SLAM.get(thrown // 4))
            return win(stake, SLAM[6]) if thrown == 23 else stand(stake, f"slam{thrown + 1}")
        case "hard":
            has_won, odds = dice == bet.on * 2, 5
        case "place":
            has_won, odds = dice in bet.on, 1
        case name:
            raise Impossible(f"no bet {name!r}")
    if is_seven:
        return lose(stake)
    return win_and_stay(stake, odds) if has_won else stand(stake)


def _throws(bet: Bet, prefix: str) -> int:
    """Valid throws without 7 since the bet began."""
    state = bet.state
    return 0 if state is None else int(state.removeprefix(prefix))


def _barbut(_play: Play, bet: Bet, dice: list[int]) -> Verdict:
    stake, throw = bet.stake, tuple(dice)
    own, other = BARBUT[bet.kind], BARBUT["B" if bet.kind == "A" else "A"]
    if throw in own:
        return win(stake, own[throw])
    return lose(stake) if throw in other else stand(stake)


_BETS = {"sic_bo": _sic_bo, "rocket7": _rocket7, "diceball": _diceball, "barbut": _barbut}


# With the editions that have it.
JUDGED = {
    "sic_bo": (judge, "hc2011 hc2023"),
    "rocket7": (judge, "hc2011"),
    "diceball": (judge, "hc2023"),
    "barbut": (judge, "hc2023"),
}
