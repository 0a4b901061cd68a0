"""Punto Banco and Baccarat, rulebook 9.9. A hand is two cards, or three."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from tabletools.shadow.play import Bet, Play
from tabletools.shadow.playing_cards import ACE, Hand, count_dealt, decided, hand
from tabletools.shadow.verdict import Impossible, Verdict, lose, push, void, win

# Total of Banco -> third cards of Punto, by their value, on which Banco draws.
BANCO_DRAWS = {
    0: "0123456789", 1: "0123456789", 2: "0123456789", 3: "012345679", 4: "234567", 5: "4567",
    6: "67", 7: "",
}  # fmt: skip
SUPER_EGALITE = {0: 150, 1: 215, 2: 225, 3: 200, 4: 120, 5: 110, 6: 45, 7: 45, 8: 80, 9: 80}
# Names of de-live -> names of the Punto Banco rules.
NAMES = {"player": "punto", "banker": "banco", "tie": "egalite"}
NATURAL = (8, 9)


class Values(NamedTuple):
    """The values of the cards of both hands, in the order dealt."""

    punto: tuple[int, ...]
    banco: tuple[int, ...]


def judge(play: Play) -> list[Verdict]:
    """Settle every bet of a round."""
    outcome = play.outcome
    texts = (outcome.punto, outcome.banco)
    if play.game == "baccarat":
        texts = (outcome.player, outcome.banker)
    hands = dict(zip(("punto", "banco"), map(hand, texts), strict=True))
    count_dealt(play, hands.values())
    dealt = Values(*(tuple(map(_value, cards)) for cards in hands.values()))
    if outcome.void is None and list(_completions(dealt)) != [dealt]:
        raise Impossible(f"by the drawing rules a card is missing: {dealt}")
    verdicts = []
    for bet in play.bets:
        verdict = _bet(play, bet, hands, dealt)
        is_void = verdict.outcome == "void"
        verdicts.append(verdict if is_void else verdict.by(_paragraph(play, bet, verdict)))
    return verdicts


def _paragraph(play: Play, bet: Bet, verdict: Verdict) -> str:
    """Return what decides a bet that is not void."""
    if bet.kind in ("punto_pair", "banco_pair"):
        return "3:3(4)"
    if bet.kind == "super_egalite":
        return "3:3(5)"
    is_push = verdict.outcome == "push"
    if play.game == "baccarat":
        return "Bac 2.1.5" if is_push else "Bac 2.2"
    return "3:3(3)" if is_push or play.rules == "hc2023" else "3:3(1)"


def _value(card: tuple[int, str]) -> int:
    return 1 if card[0] == ACE else card[0] % 10 if card[0] < 10 else 0


def _bet(play: Play, bet: Bet, hands: Mapping[str, Hand], dealt: Values) -> Verdict:
    stake = bet.stake
    name = str(NAMES.get(bet.kind, bet.kind))
    if name in ("punto_pair", "banco_pair"):
        first = hands[name.removesuffix("_pair")][:2]
        if len(first) < 2:
            return void(stake)
        return win(stake, 11) if first[0].rank == first[1].rank else lose(stake)
    has_commission = play.game == "baccarat" or play.variant == "commission"
    return decided(
        stake, (_main(stake, name, bet, end, has_commission) for end in _completions(dealt))
    )


def _main(stake: int, name: str, bet: Bet, end: Values, has_commission: bool) -> Verdict:
    punto, banco = _total(end.punto), _total(end.banco)
    if name == "super_egalite":
        [total] = bet.on
        return win(stake, SUPER_EGALITE[total]) if punto == banco == total else lose(stake)
    if name == "egalite":
        return win(stake, 8) if punto == banco else lose(stake)
    if punto == banco:
        return push(stake)
    if name == "punto":
        return win(stake, 1) if punto > banco else lose(stake)
    if name != "banco":
        raise Impossible(f"no bet {name!r}")
    if punto > banco:
        return lose(stake)
    if has_commission:
        return win(stake, Fraction(19, 20))
    return win(stake, Fraction(1, 2) if banco == 5 else 1)


def _total(values: tuple[int, ...]) -> int:
    return sum(values) % 10


def _completions(dealt: Values) -> Iterator[Values]:
    """Yield every end of a round that the drawing rules still allow. Raises Impossible."""
    punto, banco = dealt
    if len(punto) < 2 or len(banco) < 2:
        if len(punto) > 2 or len(banco) > 2:
            raise Impossible("a third card before all have two")
        yield from _with_another(dealt, to_punto=len(punto) <= len(banco) and len(punto) < 2)
        return
    first, second = _total(punto[:2]), _total(banco[:2])
    punto_draws = first <= 5 and second not in NATURAL
    if (len(punto) > 2 and not punto_draws) or len(punto) > 3 or len(banco) > 3:
        raise Impossible("a card too many")
    if punto_draws and len(punto) == 2:
        if len(banco) > 2:
            raise Impossible("Banco's third card before Punto's")
        yield from _with_another(dealt, to_punto=True)
        return
    if first in NATURAL or second in NATURAL:
        banco_draws = False
    elif len(punto) == 2:
        banco_draws = second <= 5
    else:
        banco_draws = str(punto[2]) in BANCO_DRAWS[second]
    if len(banco) > 2 and not banco_draws:
        raise Impossible("Banco draws no third card")
    if banco_draws and len(banco) == 2:
        yield from _with_another(dealt, to_punto=False)
    else:
        yield dealt


def _with_another(dealt: Values, *, to_punto: bool) -> Iterator[Values]:
    for value in range(10):
        if to_punto:
            yield from _completions(Values((*dealt.punto, value), dealt.banco))
        else:
            yield from _completions(Values(dealt.punto, (*dealt.banco, value)))


# With the editions that have it.
JUDGED = {
    "punto_banco": (judge, "hc2011 hc2023"),
    "baccarat": (judge, "de-live"),
}
