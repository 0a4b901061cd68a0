"""Poker room as records: a hand, a chip race, or where the button goes.

A hand is what each player put in, in seat order, with the cards that were shown; with the actions
of its streets they are verified, and what each put in must be what they come to.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from tabletools.rules.ante import Rank
from tabletools.rules.bets import Placed
from tabletools.rules.cards import Hand, hand_of
from tabletools.rules.codes.bets import (
    BET_NOT_IN_ROUND,
    GAME_NOT_IN_RULES,
    UNKNOWN_BET,
    UNKNOWN_CHOICE,
    UNKNOWN_VARIANT,
)
from tabletools.rules.codes.outcomes import (
    ACTION_NOT_LEGAL,
    CARDS_INVALID,
    DEAL_INCOMPLETE,
    DEAL_NOT_BY_RULE,
)
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.poker_room import betting, floor, pots
from tabletools.rules.refusal import Refusal, shown, within
from tabletools.rules.verdict import void
from tabletools.settle.amounts import KEY, bet_of, came_to, decided
from tabletools.settle.poker_room_schema import BET, FOLD, STREETS, poker_room_schema
from tabletools.settle.poker_room_table import Table, read_table
from tabletools.settle.records import ROUND_FIELDS, Round, read_bets
from tabletools.settle.strict_json import Fields

EDITION = "oostende2011"
_PUSHED, _MISDEAL, _LOST = f"{EDITION} 3.10", f"{EDITION} 2.19", f"{EDITION} 2.23"
_OUTCOME = ("board", "hands", "actions", "misdeal", "acted", "void")
_ACTION = ("player", "action", "amount", "chips", "called_ms", "acted_ms")


class Game(NamedTuple):
    """One game of the room. cards: dealt to a player."""

    cards: int
    rank: Callable[[Hand, Hand], Rank]
    pot_limit: bool


GAMES: Mapping[str, Game] = {
    "holdem": Game(2, pots.holdem_rank, pot_limit=False),
    "omaha": Game(4, pots.omaha_rank, pot_limit=True),
}


def _bet(record: object) -> Placed:
    fields = Fields(record, ("id", "player", "bet", "stake", "choice"))
    fields.text("player")
    choice = fields.optional_text("choice")
    if fields.text("bet") != BET:
        raise Refusal(UNKNOWN_BET, f"the one bet here is {BET}", "bet")
    if choice not in (None, FOLD):
        raise Refusal(UNKNOWN_CHOICE, f"a player folds or does not: {FOLD}", "choice")
    return bet_of(fields, choice)


def _read_bets(fields: Fields) -> dict[str, Placed]:
    bets = read_bets(fields, _bet)
    found = {bet.player: bet for bet in bets if bet.player is not None}
    if len(found) != len(bets) or len(bets) < 2:
        raise Refusal(BET_NOT_IN_ROUND, "a hand has two players or more, each once", "bets")
    return found


def _action(record: object) -> betting.Action:
    fields = Fields(record, _ACTION)
    word = fields.text("action")
    if word not in betting.ACTIONS:
        what = f"action {shown(word)} is none of: {' '.join(betting.ACTIONS)}"
        raise Refusal(ACTION_NOT_LEGAL, what, "action")
    called, acted = fields.optional_integer("called_ms"), fields.optional_integer("acted_ms")
    if called is not None and acted is not None and floor.is_folded(called, acted):
        word = FOLD
    chips = fields.optional_integer("chips")
    amount = fields.optional_integer("amount")
    return betting.Action(fields.text("player"), word, amount, 1 if chips is None else chips)


def _verify_actions(record: object, bets: dict[str, Placed], table: Table, game: Game) -> None:
    """Raise Refusal unless the actions are legal and come to what the players put in."""
    with within("actions"):
        fields = Fields(record, STREETS)
        streets = {}
        for name in STREETS:
            with within(name):
                actions = fields.objects(name) if fields.get(name) is not None else []
                streets[name] = [_action(action) for action in actions]
    stacks, big_blind = table.stacks, table.big_blind
    if stacks is None or big_blind is None or not set(bets) <= set(stacks):
        what = "actions need the big blind, and the stacks of all players"
        raise Refusal(LIMITS_INVALID, what)
    put_in, folded = betting.play(streets, stacks, big_blind, pot_limit=game.pot_limit)
    for player, cents in put_in.items():
        bet = bets.get(player)
        if bet is None and not cents:
            continue  # who has put in nothing has no bet
        if bet is None or bet.stake != cents or (bet.chance == FOLD) != (player in folded):
            what = f"the actions of {shown(player)} come to {cents}"
            what += ", and he folded" if player in folded else ", and he did not fold"
            raise Refusal(BET_NOT_IN_ROUND, what, "bets")


def _shown(outcome: Fields, players: Collection[str], game: Game) -> dict[str, Hand]:
    record = outcome.get("hands")
    with within("hands"):
        fields = Fields({} if record is None else record, players)
        hands = {player: hand_of(fields.text(player)) for player in fields.names()}
        for player, hand in hands.items():
            if len(hand) != game.cards:
                raise Refusal(DEAL_NOT_BY_RULE, f"a hand has {game.cards} cards", player)
    return hands


def _hands(outcome: Fields, bets: Mapping[str, Placed], game: Game) -> dict[str, Rank]:
    """Return how the hands that can win rank; alone in the hand, a player shows none."""
    with within("board"):
        board = hand_of(outcome.optional_text("board") or "")
        if len(board) not in (0, 3, 4, 5):
            raise Refusal(DEAL_NOT_BY_RULE, "a board has 0, 3, 4 or 5 cards")
    hands = _shown(outcome, bets, game)
    cards = [*board, *(card for hand in hands.values() for card in hand)]
    if len(set(cards)) != len(cards):
        raise Refusal(CARDS_INVALID, "a card lies twice")
    live = [player for player, bet in bets.items() if bet.chance != FOLD]
    if len(live) <= 1:
        return dict.fromkeys(live, (0,))
    if len(board) < 5:
        raise Refusal(DEAL_INCOMPLETE, "with two players in, the board has five cards", "board")
    missing = [player for player in live if player not in hands]
    if missing:
        raise Refusal(DEAL_INCOMPLETE, f"player {shown(missing[0])} has shown no hand", "hands")
    return {player: game.rank(hands[player], board) for player in live}


def _from_button(players: Sequence[str], button: str | None) -> list[str]:
    """Return the players from the left of the button on; without one as they are given."""
    if button is None:
        return list(players)
    if button not in players:
        raise Refusal(LIMITS_INVALID, f"{shown(button)} has no bet here", "table.button")
    at = players.index(button) + 1
    return [*players[at:], *players[:at]]


def _cancelled(outcome: Fields, bets: dict[str, Placed]) -> bool:
    """Say whether the hand is annulled: a void, or a misdeal by 2.19."""
    cause = outcome.optional_text("misdeal")
    if outcome.optional_text("void") is not None:
        outcome.only("void")
        return True
    if cause is None:
        outcome.optional_integer("acted")
        return False
    outcome.only("misdeal", "acted")
    acted = outcome.integer("acted")
    if cause not in floor.MISDEALS:
        what = f"{shown(cause)} is no misdeal, known are: {' '.join(floor.MISDEALS)}"
        raise Refusal(DEAL_NOT_BY_RULE, what, "misdeal")
    if not floor.is_misdeal(cause, acted):
        what = f"{acted} players have acted: there is no misdeal any more, the hand goes on"
        raise Refusal(DEAL_NOT_BY_RULE, what, "misdeal")
    return True


def _read_hand(fields: Fields, table: Table, game: Game) -> Round:
    bets = _read_bets(fields)
    with within("outcome"):
        outcome = Fields(fields.need("outcome"), _OUTCOME)
        if _cancelled(outcome, bets):
            return Round([decided(bet, void(_MISDEAL)) for bet in bets.values()], KEY)
        if outcome.get("actions") is not None:
            _verify_actions(outcome.get("actions"), bets, table, game)
        ranks = _hands(outcome, bets, game)
        if not ranks:
            raise Refusal(BET_NOT_IN_ROUND, "somebody has not folded", "hands")
        flop = outcome.optional_text("board") is not None
    order = _from_button(list(bets), table.button)
    live = list(ranks)
    put_in = {player: bet.stake for player, bet in bets.items()}
    top, over = pots.uncalled(put_in)
    put_in[top] -= over if top in live else 0
    got = dict.fromkeys(bets, 0) | {top: over if top in live else 0}
    awards = []
    for pot in pots.pots_of(put_in, live):
        rake = pots.rake_of(pot.amount, table.rake) if flop else 0
        seated = {player: ranks[player] for player in order if player in ranks}
        awards.append(pots.award(pot, seated, rake, table.chip or 1))
        for player, cents in awards[-1].shares.items():
            got[player] += cents
    return _settled(bets, got, awards)


def _settled(
    bets: Mapping[str, Placed], got: Mapping[str, int], awards: Sequence[pots.Award]
) -> Round:
    settled = [
        came_to(
            bet,
            _PUSHED if got[player] else _LOST,
            win=max(0, got[player] - bet.stake),
            back=min(got[player], bet.stake),
        )
        for player, bet in bets.items()
    ]
    told = [
        {"amount": each.amount, "rake": each.rake, "winners": list(each.shares)} for each in awards
    ]
    return Round(settled, KEY, {"pots": told, "rake": sum(each.rake for each in awards)})


def _read_button(fields: Fields, _table: Table) -> Round:
    """Where button and blinds go next (2.8)."""
    with within("outcome"):
        outcome = Fields(fields.need("outcome"), (*floor.Positions._fields, "seats"))
        last = floor.Positions(*(outcome.integer(name) for name in floor.Positions._fields))
        seats = outcome.integers("seats")
        if len(set(seats)) < 2:
            raise Refusal(DEAL_INCOMPLETE, "a hand has two players or more", "seats")
    return Round([], KEY, {"positions": floor.next_positions(last, seats)._asdict()})


def _one_card(text: str) -> str:
    cards = hand_of(text)
    if len(cards) != 1:
        raise Refusal(CARDS_INVALID, "each player gets one card")
    return cards[0]


def _read_chip_race(fields: Fields, table: Table) -> Round:
    """What the odd chips become (2.2)."""
    big = table.chip
    if big is None:
        raise Refusal(LIMITS_INVALID, "a chip race needs the bigger chip", "table.chip")
    with within("outcome"):
        outcome = Fields(fields.need("outcome"), ("odd", "cards", "whole"))
        given = Fields(outcome.need("odd"))
        odd = {player: given.integer(player) for player in given.names()}
        if not all(0 <= cents < big for cents in odd.values()):
            what = f"odd chips are worth less than the bigger one, {big}: exchange the others"
            raise Refusal(LIMITS_INVALID, what, "odd")
        whole = outcome.texts("whole")
        with within("cards"):
            drawn = Fields(outcome.need("cards"), list(odd))
            cards = {player: _one_card(drawn.text(player)) for player in drawn.names()}
            for player in odd:
                if odd[player] and player not in whole:
                    drawn.need(player)
    return Round([], KEY, {"chips": floor.chip_race(odd, cards, big, whole)})


def read_round(record: object) -> Round:
    """Return what each player put in and gets, with the pots; or what the floor decides."""
    fields = Fields(record, ROUND_FIELDS)
    if fields.text("rules") != EDITION:
        raise Refusal(GAME_NOT_IN_RULES, f"poker_room is in {EDITION} only", "rules")
    variant = fields.optional_text("variant") or "holdem"
    given = fields.get("table")
    with within("table"):
        table = read_table(given)
    if variant in GAMES:
        return _read_hand(fields, table, GAMES[variant])
    others = {"button": _read_button, "chip_race": _read_chip_race}
    if variant not in others:
        what = f"variant {shown(variant)} is none of: {' '.join((*GAMES, *others))}"
        raise Refusal(UNKNOWN_VARIANT, what, "variant")
    if fields.get("bets") is not None and fields.objects("bets"):
        raise Refusal(BET_NOT_IN_ROUND, f"there is no bet in a {variant}", "bets")
    return others[variant](fields, table)


def schema() -> dict[str, object]:
    """Return the JSON Schema of one record."""
    return poker_room_schema((*GAMES, "button", "chip_race"))
