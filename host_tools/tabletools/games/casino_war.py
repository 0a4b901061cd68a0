"""Casino War: one card each, the ace high. hc2023 3:9 (rulebook 9.7).

A war is a separate deal: the bet stays live in state `war`, the second stake is placed as the bet
`war`, equal to it, and two new cards decide both. If won, the bet is returned and the second stake
is paid 1:1 with that of the bank: two stakes become three.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar

from msgspec import Meta

from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import Hand, Results, card_kind, higher_of, verify_choices
from tabletools.rules.citation import paying
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND
from tabletools.rules.dealing import BoxDeal, Boxes, Outcome, verify_count
from tabletools.rules.decks import DeckTable
from tabletools.rules.game import Choice, Game, State
from tabletools.rules.hands import Dealt, OneCard, reader_by_hands
from tabletools.rules.selection import On
from tabletools.rules.table_game import TableGame, without_variants
from tabletools.rules.verdict import WIN, Verdict, half, lose, push, stand, verdict, win
from tabletools.rules.violation import RuleViolation, player_shown

BET, TIE, WAR = "bet", "tie", "war"
SURRENDER = "surrender"
CHOICES = (SURRENDER, WAR)
"""The player's choice at equal cards; surrender, the default, ends the bet."""
HIGHER, LOWER, EQUAL = "hc2023 3:9(3)", "hc2023 3:9(4)", "hc2023 3:9(5)"
VOID_ARTICLE = "hc2023 3:1(7)"
TIE_ODDS = (10, 1)


def _bet(_on: On, state: State, choice: Choice, result: object) -> Verdict:
    """Higher 1:1, lower lost; equal: half lost or war. Edge 23/622 or 2.8771 %, 6 decks."""
    if state == WAR:
        return lose(EQUAL) if result == -1 else push(EQUAL)
    if result == 0:
        return stand(EQUAL, state=WAR) if choice == WAR else half(EQUAL)
    return win((1, 1), HIGHER) if result == 1 else lose(LOWER)


def _war(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """The second stake: higher or equal 1:1, lower lost."""
    return lose(EQUAL) if result == -1 else win((1, 1), EQUAL)


def _tie(is_kept: bool, _on: On, state: State, choice: Choice, result: object) -> Verdict:
    """Equal cards 10:1, in a war again. is_kept: returned when the card of the war is higher."""
    if result == 0:
        goes_on = state is None and choice == WAR
        if goes_on:
            return verdict(WIN, paying(EQUAL, TIE_ODDS), win=TIE_ODDS[0], live=1, state=WAR)
        return win(TIE_ODDS, EQUAL)
    if state == WAR:
        return push(EQUAL) if is_kept and result == 1 else lose(EQUAL)
    return lose(HIGHER if result == 1 else LOWER)


def verify_round(bets: Sequence[CompiledBet], _outcome: Results) -> None:
    """Raise RuleViolation unless every stake of a player belongs to a bet in the same deal.

    A player goes to war with all bets or with none.
    """
    verify_choices(bets)
    deals = [bet.state == WAR or bet.chance.kind == WAR for bet in bets]
    stakes: Counter[tuple[str | None, str]] = Counter()
    for bet in bets:
        stakes[bet.player, bet.chance.kind] += bet.stake
    for place, (bet, is_war) in enumerate(zip(bets, deals, strict=True)):
        if is_war != deals[0]:
            raise RuleViolation(BET_NOT_IN_ROUND, "a war is a round of its own", f"bets[{place}]")
        first, second = stakes[bet.player, BET], stakes[bet.player, WAR]
        if not first or (is_war and first != second):
            what = f"{player_shown(bet.player)} has {first} on bet"
            what += (
                f" and {second} on war, which must be equal" if is_war else ", which comes first"
            )
            raise RuleViolation(BET_NOT_IN_ROUND, f"{what} (hc2023 3:9)", f"bets[{place}]")


def casino_war(*, tie_kept: bool = False) -> Game:
    """Return the game. tie_kept: the tie stake is returned when the card of the war is higher.

    The text is silent; by 3:9(3) "the tie stake loses" (READING-26), which holds by default.
    """
    states = (None, WAR)
    kinds = {
        BET: card_kind(_bet, VOID_ARTICLE, states=states, choices=CHOICES, unit=2),
        TIE: card_kind(partial(_tie, tie_kept), VOID_ARTICLE, states=states, choices=CHOICES),
        WAR: card_kind(_war, VOID_ARTICLE),
    }
    return Game("casino_war", "hc2023", kinds, tuple(kinds), "hc2023 3:9(1)", verify=verify_round)


GAMES: Mapping[str, Game] = {"hc2023": casino_war()}
"""By edition."""


class CardEach(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "bank")
    player: OneCard | None = None
    bank: OneCard | None = None


class WarTable(DeckTable, frozen=True, kw_only=True):
    tie_kept: Annotated[
        bool | None,
        Meta(description="Tie stake back when the war is won; left out: it loses."),
    ] = None


def _at_table(_game: Game, table: WarTable) -> Game:
    return casino_war(tie_kept=table.tie_kept or False)


def _dealt(dealt: Hand, boxes: Boxes) -> list[Outcome]:
    many = boxes.number
    verify_count(dealt, many + 1, f"one card to each of {many} boxes and one to the bank")
    return [{"player": card, "bank": dealt[-1]} for card in dealt[:-1]]


GAME = TableGame(
    name="casino_war",
    dealing=BoxDeal(_dealt, lambda cards: max(1, cards - 1)),
    games=without_variants(GAMES),
    outcome=CardEach,
    table=WarTable,
    read_outcome=reader_by_hands(higher_of),
    example=(
        [{"id": "1", "bet": "bet", "stake": 500, "choice": "war"}],
        {"player": "KH", "bank": "KD"},
    ),
    at_table=_at_table,
)
