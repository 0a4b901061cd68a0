"""A second settlement, written from the rulebook alone: it shares no code with the first.

The settlement that pays also verifies, so a mistake in it would pass verification. This one is
slow and plain: tables, brute force and fractions. It reports what it cannot judge.
"""

from collections.abc import Callable

from tabletools.shadow import (
    baccarat,
    bank_poker,
    blackjack,
    dice,
    jackpots,
    lottery,
    one_card_games,
    poker_room,
    roulette,
    wheels,
)
from tabletools.shadow.play import Play, play_of
from tabletools.shadow.verdict import GARBLED, Impossible, Record, Unjudged, Verdict, void

__all__ = ["GAMES", "Impossible", "Record", "Unjudged", "Verdict", "judge", "play_of"]

Judge = Callable[[Play], list[Verdict]]

# What judges each game, and its editions.
GAMES: dict[str, tuple[Judge, str]] = {
    name: judged
    for module in (
        roulette,
        wheels,
        dice,
        baccarat,
        one_card_games,
        bank_poker,
        blackjack,
        lottery,
        jackpots,
        poker_room,
    )
    for name, judged in module.JUDGED.items()
}

# Editions in which a fault returns every stake, decided or not: de-live Bac 2.1.8, BJ 2.1.5;
# gr2003 10.
ALL_BACK = ("de-live", "gr2003")

MOST_BURNED_2011 = 3
"""hc2011 3:1(3): cards burned between the bets and the deal."""


def judge(record: Record) -> list[Verdict]:
    """Return the verdict on each bet of a round. record: as in docs/SETTLE.md.

    Raises Unjudged where the shadow has no answer, Impossible where the rulebook has no such
    bet or outcome.
    """
    game = record["game"]
    if game not in GAMES:
        raise Unjudged("the shadow does not know the game")
    settled, editions = GAMES[game]
    if record["rules"] not in editions.split():
        raise Impossible(f"{record['rules']} has no {game}")
    try:
        play = play_of(record)
        if play.rules == "hc2011" and (play.outcome.burned_first or 0) > MOST_BURNED_2011:
            raise Impossible("more cards burned before the deal than 3:1(3) allows")
        verdicts = (
            [void(bet.stake).by(*_fault(play)) for bet in play.bets]
            if _is_all_back(play)
            else _each_once(play, settled(play))
        )
    except GARBLED as error:
        raise Impossible(f"no round of {game}: {error!r}") from error
    return [_with_edition(verdict, record["rules"]) for verdict in verdicts]


def _with_edition(verdict: Verdict, rules: str) -> Verdict:
    """Return a verdict whose paragraphs have their edition; a void is by 3:1(7) if by no other."""
    names = verdict.paragraphs or (("3:1(7)",) if verdict.outcome == "void" else ())
    return verdict.by(*(f"{rules} {name}" for name in names))


def _fault(play: Play) -> tuple[str, ...]:
    """Return the paragraphs by which a fault or a misdeal returns every stake."""
    if play.rules == "de-live":
        return ("Bac 2.1.8",) if play.game == "baccarat" else ("BJ 2.1.5",)
    if play.outcome.misdeal is None:
        return ("§10β", "§10γ")
    return ("§10β",) if len(play.outcome.bank.split()) == 5 else ("§10γ",)


def _each_once(play: Play, verdicts: list[Verdict]) -> list[Verdict]:
    """Return the verdicts; raise Impossible unless each stake is returned, lost or in play,
    once."""
    stakes = [bet.stake for bet in play.bets]
    sums = [verdict.back + verdict.live + verdict.lost for verdict in verdicts]
    if sums != stakes or any(min(verdict[1:5]) < 0 for verdict in verdicts):
        raise Impossible(f"stakes of {stakes} are accounted for as {sums}")
    return verdicts


def _is_all_back(play: Play) -> bool:
    """Whether a fault or a misdeal returns every stake. Raises as judge."""
    outcome, rules = play.outcome, play.rules
    if play.game == "poker_room":  # its rules have a separate term for a misdeal
        return False
    if outcome.misdeal is None:
        return rules in ALL_BACK and outcome.void is not None
    if rules == "gr2003":
        if [len(cards.split()) for cards in (outcome.player, outcome.bank)] == [5, 5]:
            raise Impossible("no wrong number of cards was dealt")
        return True
    if rules == "de-live" and play.table.get("misdeal_voids"):
        return True
    raise Unjudged("cards dealt wrongly")
