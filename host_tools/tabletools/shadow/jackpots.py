"""Jackpots, rulebook 10: what hands win, what meters pay, and the meters afterwards."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from tabletools.shadow.play import Bet, Play
from tabletools.shadow.playing_cards import ACE, Card, hand
from tabletools.shadow.poker_hands import FIVE, best
from tabletools.shadow.verdict import Cents, Impossible, Record, Verdict, lose, void

TOGETHER_MS = 5000
_BIG = {"mega": 2_500_000, "major": 250_000, "minor": 50_000}
_NUMBERED = {"jackpot1": 0, "jackpot2": 0, "jackpot3": 0}
# Printed start amounts, by edition and variant; {} where the house names the meters.
STARTS: Mapping[tuple[str, str], Mapping[str, int]] = {
    ("hc2023", "caribbean"): _BIG,
    ("hc2023", "ultimate"): _BIG,
    ("hc2023", "four_card"): _BIG,
    ("hc2023", "blackjack"): {},
    ("hc2023", "slots"): {},
    ("hc2011", "slots"): {},
    ("hc2011", "caribbean"): {"jackpot": 0},
    ("gr2003", "caribbean"): {"jackpot": 0},
    ("hc2011", "multi_poker"): _NUMBERED,
    ("hc2011", "blackjack"): _NUMBERED,
}
_TIMES_2023 = {"full_house": 25, "flush": 20, "straight": 15, "three": 5}
_TIMES_2011 = {"four": 500, "full_house": 100, "flush": 50}


class Won(NamedTuple):
    """What a bet has won.

    whole: a meter; tenth: of one; cents: in addition; keeps: stake returned.
    """

    whole: str | None = None
    tenth: str | None = None
    cents: int = 0
    keeps: bool = False


def judge(play: Play) -> list[Verdict]:
    """Settle every jackpot bet of a round."""
    return settle(play)[0]


def settle(play: Play) -> tuple[list[Verdict], dict[str, Cents]]:
    """Return the verdict on each bet, and the meters after the round."""
    name, table, bets = (play.rules, play.variant or ""), play.table, play.bets
    if name not in STARTS:
        raise Impossible(f"no jackpot of {name}")
    starts = {**STARTS[name], **table.get("start", {})}
    levels: dict[str, Cents] = {**starts, **play.meters}
    if play.outcome.void is not None:
        return [void(bet.stake) for bet in bets], levels
    if not all(bet.id for bet in bets):
        raise Impossible("a bet without an id")
    is_fixed = name[0] == "gr2003" and table.get("progressive") is False
    shares = table.get("contribution", {})
    if name[0] == "gr2003":
        shares = {} if is_fixed else {"jackpot": [100 - table["rake"], 100]}
    for meter, share in shares.items():
        levels[meter] += sum(bet.stake * Fraction(*share) for bet in bets)
    won = [_won(play, name, bet) for bet in bets]
    paid: list[Cents] = [each.cents for each in won]
    after = dict(levels)
    tenths: dict[str, Cents] = {}
    for place, each in enumerate(won):
        if each.tenth is not None:
            part = _part(levels[each.tenth], 10, table)
            paid[place] += part
            tenths[each.tenth] = tenths.get(each.tenth, 0) + part
    fallen = {each.whole for each in won if each.whole is not None}
    for meter in fallen:
        level = max(levels[meter], starts[meter])
        if level <= 0:
            raise Impossible("a meter that holds nothing was won")
        if table.get("straight_flush_first") and not is_fixed:
            level = max(levels[meter] - tenths.get(meter, 0), 0)
        for place, cents in _divide(play, name, meter, level, starts[meter], won, is_fixed):
            paid[place] += cents
    if not is_fixed:
        for meter in tenths.keys() - fallen:
            after[meter] -= tenths[meter]
        after |= {meter: starts[meter] for meter in fallen if meter is not None}
        source = table.get("bonuses_from", _source(name))
        if source is not None:
            after[source] -= sum(each.cents for each in won)
    whole = [each.whole for each in won]
    verdicts = [
        _verdict(bet.stake, cents, keeps=each.keeps).by(
            *_paragraphs(play, name, bet, each, cents, whole, (levels, starts))
        )
        for bet, cents, each in zip(bets, paid, won, strict=True)
    ]
    return verdicts, after


PRIZES = {
    ("hc2023", "caribbean"): "3:5(9)",
    ("hc2023", "ultimate"): "3:6(12)",
    ("hc2023", "four_card"): "3:7(9)",
    ("hc2023", "blackjack"): "3:2(11)",
    ("hc2023", "slots"): "6:2(7)",
    ("hc2011", "slots"): "5:2(7)",
    ("hc2011", "caribbean"): "3:6(7)",
    ("hc2011", "multi_poker"): "3:9(3)",
    ("hc2011", "blackjack"): "3:2(12)",
}
# Only a player with a bet wager is eligible.
FOLDED = {("hc2011", "caribbean"): "3:6(10)", ("hc2011", "multi_poker"): "3:9(2)"}


def _paragraphs(
    play: Play,
    name: tuple[str, str],
    bet: Bet,
    own: Won,
    cents: Cents,
    whole: Sequence[str | None],
    meters: tuple[Mapping[str, Cents], Mapping[str, int]],
) -> tuple[str, ...]:
    """Return what decides a bet. whole: the meters won, by bet. meters: levels, starts."""
    if name in FOLDED and bet.id in (play.outcome.folded or []):
        return FOLDED[name], PRIZES[name]
    if name[0] == "gr2003":
        return _greek_paragraphs(play, own, cents, whole.count("jackpot"))
    main = PRIZES[name]
    if own.whole is None:
        return (main,)
    level, start = meters[0][own.whole], meters[1][own.whole]
    if name == ("hc2011", "caribbean") and (whole.count(own.whole) > 1 or level < start):
        return "3:6(11)", main
    if name == ("hc2011", "multi_poker"):
        is_set = level < start or cents not in (level, start)
        return ("3:9(6)", "3:9(5)", main) if is_set else ("3:9(5)", main)
    return (main,)


def _greek_paragraphs(play: Play, own: Won, cents: Cents, royals: int) -> tuple[str, ...]:
    """9β: one royal flush; several, of a fixed or a growing amount; a tenth; a consolation."""
    if own.whole is not None:
        is_fixed = play.table.get("progressive") is False
        return (f"§9β({1 if royals == 1 else 2 if is_fixed else 3})",)
    if own.tenth is not None:
        return ("§9β(4)",)
    return ("§9β(5)",) if cents else ("§9β(1)", "§9β(4)", "§9β(5)")


def _source(name: tuple[str, str]) -> str | None:
    """The meter from which bonuses are paid if the table says nothing."""
    if name[0] != "hc2011" or name[1] == "slots":
        return None
    return "jackpot" if name[1] == "caribbean" else "jackpot1"


def _verdict(stake: int, cents: Cents, *, keeps: bool) -> Verdict:
    if not cents:
        return lose(stake)
    return Verdict("win", cents, back=stake if keeps else 0, lost=0 if keeps else stake)


def _part(cents: Cents, parts: int, table: Record) -> Cents:
    part = Fraction(cents) / parts
    return -(-part // 100) * 100 if table.get("round_up") else part


def _divide(
    play: Play, name: tuple[str, str], meter: str | None, level: Cents, start: int,
    won: Sequence[Won], is_fixed: bool,
) -> list[tuple[int, Cents]]:  # fmt: skip
    """Return what each winner of a whole meter is paid, by the index of the bet.

    Raises KeyError where the record lacks a fact that decides between several winners.
    """
    outcome, bets, table = play.outcome, play.bets, play.table
    winners = [place for place, each in enumerate(won) if each.whole == meter]
    ident = {place: bets[place].id for place in winners}
    if len(winners) == 1:
        alone = -(-level // 100) * 100 if _is_in_euros(name) else level
        alone = _part(level, 1, table) if _is_split(name, is_fixed) else alone
        return [(winners[0], alone)]
    if name == ("hc2011", "caribbean") or is_fixed:
        return [(place, level) for place in winners]
    if name[0] == "gr2003":
        return [(place, _part(level, len(winners), table)) for place in winners]
    if name[1] == "slots":
        times_ms = {place: outcome.times_ms[ident[place]] for place in winners}
        ordered = sorted(winners, key=times_ms.__getitem__)
        paid, last, is_late = [], times_ms[ordered[0]], False
        for place in ordered:
            is_late = is_late or times_ms[place] - last > TOGETHER_MS
            growth = outcome.growth[ident[place]] if is_late else 0
            paid.append((place, start + growth if is_late else level))
            last = times_ms[place] if table.get("against_previous") else last
        return paid
    if name[1] == "blackjack":
        first = _earliest(play, [(ident[place], place) for place in winners])
        euros = {True: -(-level // 100) * 100, False: -(-start // 100) * 100}
        return [(place, euros[place == first]) for place in winners]
    where = {place: outcome.tables[ident[place]] for place in winners}
    first_at = where[winners[0]]
    if len(set(where.values())) > 1:
        first_at = _earliest(play, [(ident[place], where[place]) for place in winners])
    paid = []
    for place in winners:
        cents = level if where[place] == first_at else start
        many = list(where.values()).count(where[place])
        if name[0] == "hc2023":
            paid.append((place, _part(cents, many, table)))
        else:
            paid.append((place, -(-cents // 100) * 100))
    return paid


def _is_in_euros(name: tuple[str, str]) -> bool:
    """Whether jackpots are rounded up to a whole euro: 3:2(11), 3:2(12), 3:9(6)."""
    return name[1] == "blackjack" or name == ("hc2011", "multi_poker")


def _is_split(name: tuple[str, str], is_fixed: bool) -> bool:
    """Whether winners divide a meter."""
    is_poker_2023 = name[0] == "hc2023" and name[1] not in ("slots", "blackjack")
    return is_poker_2023 or (name[0] == "gr2003" and not is_fixed)


def _earliest(play: Play, named: Sequence[tuple[str, Any]]) -> Any:
    """Return what stands beside the bet that won first."""
    times = play.outcome.times_ms
    first = min(times[ident] for ident, _ in named)
    earliest = {beside for ident, beside in named if times[ident] == first}
    if len(earliest) > 1:
        raise Impossible("two winners at one time, of whom the first is paid more")
    return earliest.pop()


def _won(play: Play, name: tuple[str, str], bet: Bet) -> Won:
    outcome, table, ident = play.outcome, play.table, bet.id
    folds_win = name[0] == "hc2023"
    if name[0] != "hc2011":
        folds_win = table.get("folded_wins", folds_win)
    if name[1] == "slots" or name == ("hc2023", "blackjack"):
        won = Won((outcome.won or {}).get(ident))
    else:
        won = _of_hand(hand(outcome.hands[ident]), name, table, bet.stake)
    return Won() if ident in (outcome.folded or []) and not folds_win else won


def _of_hand(cards: list[Card], name: tuple[str, str], table: Record, stake: int) -> Won:
    if name == ("hc2011", "blackjack"):
        return _sevens(cards, stake)
    if len(set(cards)) != 5 or len(cards) != 5:
        raise Impossible("no hand of five cards")
    category, high, *_ = best(cards, FIVE, 5)
    word = FIVE[category]
    if name[0] == "hc2023":
        if word in ("royal_flush", "straight_flush"):
            return Won("mega" if cards[0].suit == "D" else "major")
        if word == "four" and high > 10:
            return Won("minor")
        times = 50 if word == "four" else _TIMES_2023.get(word, 0)
        return Won(cents=times * stake, keeps=bool(times) and table.get("stake_kept", True))
    if name[0] == "gr2003":
        if word == "royal_flush":
            return Won("jackpot")
        if word == "straight_flush":
            return Won(tenth="jackpot")
        return Won(cents=table["consolation"].get(word, 0))
    is_three = name[1] == "multi_poker"
    if word == "royal_flush":
        return Won("jackpot1" if is_three else "jackpot")
    if word == "straight_flush":
        return Won("jackpot2") if is_three else Won(cents=5000 * stake)
    if is_three and word == "four" and high == ACE:
        return Won("jackpot3")
    return Won(cents=_TIMES_2011.get(word, 0) * stake)


def _sevens(cards: list[Card], stake: int) -> Won:
    """Multi Jack: two sevens, and what a third one adds."""
    if not 2 <= len(cards) <= 3:
        raise Impossible("not the first two or three cards")
    if [card.rank for card in cards[:2]] != [7, 7]:
        return Won()
    pair = (150 if {card.suit for card in cards[:2]} == {"H"} else 30) * stake
    if len(cards) == 2 or cards[2].rank != 7:
        return Won(cents=pair)
    suits = {card.suit for card in cards}
    if len(suits) == 1:
        return Won("jackpot1" if suits == {"H"} else "jackpot2", cents=pair)
    if suits <= set("DH") or suits <= set("SC"):
        return Won("jackpot3", cents=pair)
    return Won(cents=pair + 200 * stake)


# With the editions that have it.
JUDGED = {
    "jackpot": (judge, "hc2011 hc2023 gr2003"),
}
