"""Poker against the bank: ante, second stake and side bets by the hands, rulebook 9.2 to 9.6."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from tabletools.shadow.bank_poker_paragraphs import Case, of_fold, of_showdown, of_side
from tabletools.shadow.play import Bet, Play
from tabletools.shadow.playing_cards import ACE, Hand, count, hand
from tabletools.shadow.poker_hands import FIVE, FOUR, THREE, Rank, best
from tabletools.shadow.verdict import Cents, Impossible, Record, Verdict, lose, push, void, win

Pays = Mapping[str, Cents]
CARIBBEAN: Pays = {
    "royal_flush": 100,
    "straight_flush": 50,
    "four": 20,
    "full_house": 7,
    "flush": 5,
    "straight": 4,
    "three": 3,
    "two_pair": 2,
    "pair": 1,
    "high_card": 1,
}
THREE_CARD_BONUS: Pays = {"straight_flush": 5, "three": 4, "straight": 1}
PAIR_PLUS: Pays = {"straight_flush": 35, "three": 33, "straight": 6, "flush": 4, "pair": 1}
FOUR_CARD_BONUS: Pays = {"four": 25, "straight_flush": 20, "three": 2}
ACES_UP: Pays = {
    "four": 50,
    "straight_flush": 40,
    "three": 8,
    "flush": 5,
    "straight": 4,
    "two_pair": 3,
    "pair": 1,
}
HOLDEM_ANTE: Pays = {
    "royal_flush": 100,
    "straight_flush": 20,
    "four": 10,
    "full_house": 3,
    "flush": 2,
    "straight": 1,
    "three": 1,
    "two_pair": 1,
    "pair": 1,
    "high_card": 1,
}
AA_BONUS: Pays = {
    "royal_flush": 100,
    "straight_flush": 50,
    "four": 40,
    "full_house": 30,
    "flush": 20,
    "straight": 7,
    "three": 7,
    "two_pair": 7,
    "pair": 7,
}
BLIND: Pays = {
    "royal_flush": 500,
    "straight_flush": 50,
    "four": 10,
    "full_house": 3,
    "flush": Fraction(3, 2),
    "straight": 1,
}
TRIPS: Pays = {
    "royal_flush": 50,
    "straight_flush": 40,
    "four": 30,
    "full_house": 8,
    "flush": 7,
    "straight": 4,
    "three": 3,
}
# A pair that pays from aces on.
PAIRS_OF_ACES = ("aces_up", "aa_bonus")


class Showdown(NamedTuple):
    """Both hands. options: of the table."""

    player: Rank
    bank: Rank
    options: Record


class Cards(NamedTuple):
    """The hands of a round, as dealt so far."""

    player: Hand
    board: Hand
    bank: Hand


class Game(NamedTuple):
    """A game. cards: of player, board and bank; size: of a hand; multiples: second stake to ante.

    main: verdict of ante, bet and blind by stake and showdown; sides: pay tables of side bets, by
    the player's hand; with_ante: side bets that are lost when the player folds.
    """

    cards: tuple[int, int, int]
    ranking: list[str]
    size: int
    multiples: tuple[int, ...]
    main: Mapping[str, Callable[[int, Showdown], Verdict]]
    sides: Mapping[str, Pays]
    with_ante: tuple[str, ...]


def _compare(stake: int, show: Showdown, odds: Cents) -> Verdict:
    if show.player == show.bank:
        return push(stake)
    return win(stake, odds) if show.player > show.bank else lose(stake)


def _odds(pays: Pays, ranking: list[str], rank: Rank) -> Cents | None:
    return pays.get(ranking[rank[0]])


def _is_ace_king(bank: Rank) -> bool:
    return bank >= (0, 14, 13)


def _caribbean_ante(stake: int, show: Showdown) -> Verdict:
    return _compare(stake, show, 1) if _is_ace_king(show.bank) else win(stake, 1)


def _caribbean_bet(stake: int, show: Showdown) -> Verdict:
    if not _is_ace_king(show.bank):
        return push(stake)
    return _compare(stake, show, CARIBBEAN[FIVE[show.player[0]]])


def _is_queen_high(bank: Rank) -> bool:
    return bank >= (0, 12)


def _three_card_ante(stake: int, show: Showdown) -> Verdict:
    own = _compare(stake, show, 1) if _is_queen_high(show.bank) else win(stake, 1)
    is_beaten = _is_queen_high(show.bank) and show.player > show.bank
    bonus = _odds(THREE_CARD_BONUS, THREE, show.player) or 0
    if is_beaten or show.options.get("bonus_always"):
        outcome = "win" if bonus and own.outcome == "push" else own.outcome
        return own._replace(outcome=outcome, win=own.win + stake * bonus)
    return own


def _three_card_bet(stake: int, show: Showdown) -> Verdict:
    return _compare(stake, show, 1) if _is_queen_high(show.bank) else push(stake)


def _four_card_bet(stake: int, show: Showdown) -> Verdict:
    return win(stake, 1) if show.player >= show.bank else lose(stake)


def _four_card_ante(stake: int, show: Showdown) -> Verdict:
    own = _four_card_bet(stake, show)
    if own.outcome == "lose" and show.options.get("bonus_only_on_win", True):
        return own
    return own._replace(win=own.win + stake * (_odds(FOUR_CARD_BONUS, FOUR, show.player) or 0))


def _is_pair_of_fours(bank: Rank) -> bool:
    return bank >= (1, 4)


def _holdem_ante(stake: int, show: Showdown) -> Verdict:
    odds = HOLDEM_ANTE[FIVE[show.player[0]]]
    return _compare(stake, show, odds) if _is_pair_of_fours(show.bank) else win(stake, odds)


def _holdem_bet(stake: int, show: Showdown) -> Verdict:
    return _compare(stake, show, 1) if _is_pair_of_fours(show.bank) else push(stake)


def _ultimate_ante(stake: int, show: Showdown) -> Verdict:
    return _compare(stake, show, 1) if show.bank >= (1,) else push(stake)


def _ultimate_bet(stake: int, show: Showdown) -> Verdict:
    return _compare(stake, show, 1)


def _ultimate_blind(stake: int, show: Showdown) -> Verdict:
    odds = _odds(BLIND, FIVE, show.player)
    if show.player > show.bank and odds is None:
        return push(stake)
    return _compare(stake, show, odds or 0)


_CARIBBEAN = Game(
    (5, 0, 5), FIVE, 5, (2,), {"ante": _caribbean_ante, "bet": _caribbean_bet}, {}, ()
)
GAMES = {
    "caribbean": _CARIBBEAN,
    "multi_poker": _CARIBBEAN,
    "three_card": Game(
        (3, 0, 3), THREE, 3, (1,), {"ante": _three_card_ante, "bet": _three_card_bet},
        {"pair_plus": PAIR_PLUS}, (),
    ),
    "four_card": Game(
        (5, 0, 6), FOUR, 4, (1, 2, 3), {"ante": _four_card_ante, "bet": _four_card_bet},
        {"aces_up": ACES_UP}, ("aces_up",),
    ),
    "casino_holdem": Game(
        (2, 5, 2), FIVE, 5, (2,), {"ante": _holdem_ante, "bet": _holdem_bet},
        {"aa_bonus": AA_BONUS}, (),
    ),
    "ultimate": Game(
        (2, 5, 2), FIVE, 5, (1, 2, 3, 4),
        {"ante": _ultimate_ante, "bet": _ultimate_bet, "blind": _ultimate_blind},
        {"trips": TRIPS}, ("trips",),
    ),
}  # fmt: skip


_QUALIFIES: Mapping[str, Callable[[Rank], bool]] = {
    "three_card": _is_queen_high,
    "four_card": lambda _bank: True,
    "ultimate": lambda bank: bank >= (1,),
    "casino_holdem": _is_pair_of_fours,
}


def judge(play: Play) -> list[Verdict]:
    """Settle every bet of a round: one player's hand, for each who has bet on it."""
    game, outcome = GAMES[play.game], play.outcome
    hands = Cards(hand(outcome.player), hand(outcome.board), hand(outcome.bank))
    burned = hand(outcome.burned)
    count([*hands, burned], 1)
    sizes = [len(some) for some in hands]
    if any(size > most for size, most in zip(sizes, game.cards, strict=True)):
        raise Impossible("a card too many")
    if outcome.void is None and tuple(sizes) != game.cards:
        raise Impossible("a card is missing")
    remaining = outcome.remaining
    gone = sum(sizes) + (outcome.others or 0) + len(burned)
    if remaining is not None and remaining + gone != 52:
        if not play.table.get("count_voids"):
            raise Impossible("the cards that remain are not those that were not dealt")
        return [void(bet.stake).by("§4") for bet in play.bets]
    return [_bet(play, game, hands, bet) for bet in play.bets]


def _bet(play: Play, game: Game, hands: Cards, bet: Bet) -> Verdict:
    stake, name = bet.stake, bet.kind
    own = {b.kind: b for b in play.bets if b.player == bet.player}
    ante, second = own.get("ante"), own.get("bet")
    named = [b.kind for b in play.bets if b.player == bet.player]
    if play.game == "ultimate" and named.count("bet") > 1:
        raise Impossible("3:6(4): a bet at more than one moment")
    has_folded = bet.choice == "fold" or (ante is not None and ante.choice == "fold")
    if second and (
        ante is None
        or has_folded
        or second.stake not in [ante.stake * times for times in game.multiples]
    ):
        raise Impossible("the second stake does not follow from the ante")
    if has_folded and (name in game.main or name in game.with_ante):
        return lose(stake).by(*of_fold(play.game, play.rules))
    if name in game.sides:
        verdict = _side(game, hands, bet)
        is_open = verdict.outcome == "void"
        return verdict if is_open else verdict.by(*of_side(name, play.rules))
    if name not in game.main:
        raise Impossible(f"no bet {name!r}")
    is_void = play.outcome.void is not None
    if second is None and not is_void:
        raise Impossible("the player has neither folded nor played")
    sizes = tuple(len(some) for some in hands)
    if is_void and (second is None or sizes != game.cards):
        return void(stake)
    player, bank = (
        best([*side, *hands.board], game.ranking, game.size) for side in (hands.player, hands.bank)
    )
    show = Showdown(player, bank, play.table)
    return _with_paragraphs(play, name, show, game.main[name](stake, show), stake)


def _with_paragraphs(
    play: Play, name: str, show: Showdown, verdict: Verdict, stake: int
) -> Verdict:
    """Return the verdict with the paragraphs that decide it, a bonus above its stake included."""
    qualified = _QUALIFIES.get(play.game, _is_ace_king)(show.bank)
    sign = (show.player > show.bank) - (show.player < show.bank)
    is_even = sign >= 0 if play.game == "four_card" else sign == 1 or not qualified
    plain = stake if is_even and name != "blind" else 0
    case = Case(play.rules, name, qualified, sign, verdict.win > plain)
    return verdict.by(*of_showdown(play.game, case))


def _side(game: Game, hands: Cards, bet: Bet) -> Verdict:
    stake, name = bet.stake, bet.kind
    board = 3 if name == "aa_bonus" else game.cards[1]
    if len(hands.player) < game.cards[0] or len(hands.board) < board:
        return void(stake)
    rank = best([*hands.player, *hands.board[:board]], game.ranking, game.size)
    odds = _odds(game.sides[name], game.ranking, rank)
    if odds is None or (name in PAIRS_OF_ACES and rank < (1, ACE)):
        return lose(stake)
    return win(stake, odds)


# With the editions that have it.
JUDGED = {
    "three_card": (judge, "hc2011 hc2023"),
    "caribbean": (judge, "hc2011 hc2023 gr2003"),
    "multi_poker": (judge, "hc2011"),
    "four_card": (judge, "hc2023"),
    "ultimate": (judge, "hc2023"),
    "casino_holdem": (judge, "hc2011"),
}
