"""Big Wheel and Money Wheel, rulebook chapter 4."""

from tabletools.shadow.play import Bet, Outcome, Play
from tabletools.shadow.verdict import Impossible, Verdict, lose, stand, win


def judge(play: Play) -> list[Verdict]:
    """Settle every bet of a round."""
    return [_bet(play, bet).by(*_paragraphs(play, bet)) for bet in play.bets]


def _paragraphs(play: Play, bet: Bet) -> tuple[str, ...]:
    """Return what decides a bet: at the jackpot 4:2(6) instead of the odds of 4:2(5)."""
    chapter, odds = ("4:2", 5) if play.game == "big_wheel" else ("2:5", 3)
    number, outcome = bet.on[0], play.outcome
    if outcome.pays is None:
        return (f"{chapter}(4)",)
    has_won = number == outcome.pays and bet.on[1:] == _marks(outcome)
    if has_won and bet.choice == "jackpot" and number == 45:
        return ("4:2(6)", "4:2(5)")
    return (f"{chapter}({odds})",)


def _marks(outcome: Outcome) -> list[str]:
    """The mark of the segment, none on most of them."""
    return [] if outcome.mark is None else [outcome.mark]


def _bet(play: Play, bet: Bet) -> Verdict:
    stake, outcome = bet.stake, play.outcome
    if outcome.pays is None:
        return stand(stake, bet.state)
    number, *marks = bet.on
    drawn = _marks(outcome)
    if number != outcome.pays:
        return lose(stake)
    if bool(marks) != bool(drawn):
        raise Impossible(f"{number} has a mark on the cloth or on the wheel, not on both")
    if marks != drawn:
        return lose(stake)
    if bet.choice == "jackpot" and number == 45:
        times = outcome.jackpot
        if times is None or not 20 <= times <= 200:
            raise Impossible(f"a jackpot of {times} times the bet")
        return win(stake, times)
    return win(stake, play.table.get("odds", {}).get(str(number), number))


# With the editions that have it.
JUDGED = {
    "big_wheel": (judge, "hc2011"),
    "money_wheel": (judge, "hc2023"),
}
