"""Big Wheel and Money Wheel, rulebook chapter 4."""

from tabletools.shadow.verdict import Impossible, Record, Verdict, lose, stand, win


def judge(play: Record) -> list[Verdict]:
    """Settle every bet of a round."""
    return [_bet(play, bet) for bet in play["bets"]]


def _bet(play: Record, bet: Record) -> Verdict:
    stake, outcome = bet["stake"], play["outcome"]
    if "pays" not in outcome:
        return stand(stake, bet.get("state"))
    number, *marks = bet["on"]
    shown = [outcome["mark"]] if "mark" in outcome else []
    if number != outcome["pays"]:
        return lose(stake)
    if bool(marks) != bool(shown):
        raise Impossible(f"{number} has a mark on the cloth or on the wheel, not on both")
    if marks != shown:
        return lose(stake)
    if bet.get("choice") == "jackpot" and number == 45:
        times = outcome.get("jackpot")
        if times is None or not 20 <= times <= 200:
            raise Impossible(f"a jackpot of {times} times the bet")
        return win(stake, times)
    return win(stake, play["table"].get("odds", {}).get(str(number), number))


# With the editions that have it.
JUDGED = {
    "big_wheel": (judge, "hc2011"),
    "money_wheel": (judge, "hc2023"),
}
