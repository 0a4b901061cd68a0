"""Poker room as records: a hand, a chip race, or where the button goes.

A hand is what each player put in, in seat order, with the cards that were shown. If the actions of
its streets are given, they are verified, and must add up to what each player put in. With `put_in`
the stakes are what the players hold for the hand: a pit accepts them before the deal.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tabletools.games.poker_room import betting, floor, pots
from tabletools.games.poker_room.poker_floor import FLOOR
from tabletools.games.poker_room.poker_record import (
    BET,
    FOLD,
    MOST_LEVY,
    PokerAction,
    PokerOutcome,
    PokerTable,
    PutIn,
    Record,
    Streets,
)
from tabletools.rules import records
from tabletools.rules.amounts import KEY, came_to, decided
from tabletools.rules.ante import Rank
from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import Hand, hand_of
from tabletools.rules.citation import over
from tabletools.rules.codes.bets import (
    BET_NOT_IN_ROUND,
    GAME_NOT_IN_RULES,
    UNKNOWN_BET,
    UNKNOWN_CHOICE,
    UNKNOWN_VARIANT,
)
from tabletools.rules.codes.outcomes import (
    ACTION_NOT_LEGAL,
    DEAL_INCOMPLETE,
    DEAL_NOT_BY_RULE,
)
from tabletools.rules.codes.stakes import (
    ABOVE_MAXIMUM,
    BELOW_MINIMUM,
    LIMITS_INVALID,
    NOT_A_MULTIPLE,
    STAKE_OUT_OF_RANGE,
)
from tabletools.rules.decks import ONE, verify_cards
from tabletools.rules.declared import needed, replaced, verify_names
from tabletools.rules.money import verify_stake
from tabletools.rules.records import Pool, Round, placed
from tabletools.rules.verdict import void
from tabletools.rules.violation import RuleViolation, shown, within

EDITION = "oostende2011"
_PUSHED, _MISDEAL, _LOST = f"{EDITION} 3.10", f"{EDITION} 2.19", f"{EDITION} 2.23"
_FOLDED, _ODD_CHIP = f"{EDITION} 2.16", f"{EDITION} 2.4"
_HELD = ("put_in", "folded", "order")
_HAND = ("board", "burned", "hands", "mucked", "actions", "misdeal", "acted", "void", *_HELD)


_UNSEEN: Rank = (0,)
"""Of a hand that need not be shown to win."""
_FOLDS = "the outcome says in folded who folded, no bet does"


class _Pushed(NamedTuple):
    """What each player gets of what was put in, the award of each pot, and the dead money."""

    got: dict[str, int]
    awards: list[pots.Award]
    dead: dict[str, int]


class Game(NamedTuple):
    """One game of the room. cards: dealt to a player."""

    cards: int
    rank: Callable[[Hand, Hand], Rank]
    pot_limit: bool


GAMES: Mapping[str, Game] = {
    "holdem": Game(2, pots.holdem_rank, pot_limit=False),
    "omaha": Game(4, pots.omaha_rank, pot_limit=True),
}


def _put_in(bet: PutIn) -> CompiledBet:
    if bet.choice not in (None, FOLD):
        raise RuleViolation(UNKNOWN_CHOICE, f"a player folds or does not: {FOLD}", "choice")
    if bet.bet != BET:
        raise RuleViolation(UNKNOWN_BET, f"the only bet is {BET}", "bet")
    verify_stake(bet.stake)
    return CompiledBet(bet.id, bet.stake, {}, bet.choice, bet.player)


def _bets(record: Record) -> dict[str, CompiledBet]:
    bets = placed(needed(record.bets, "bets"), _put_in)
    by_player = {bet.player: bet for bet in bets if bet.player is not None}
    if len(by_player) != len(bets):
        raise RuleViolation(BET_NOT_IN_ROUND, "each player of a hand has one bet", "bets")
    return by_player


def _action(action: PokerAction) -> betting.Action:
    word, called, acted = action.action, action.called_ms, action.acted_ms
    if word not in betting.ACTIONS:
        what = f"action {shown(word)} is not one of: {' '.join(betting.ACTIONS)}"
        raise RuleViolation(ACTION_NOT_LEGAL, what, "action")
    if called is not None and acted is not None and floor.is_folded(called, acted):
        word = FOLD
    pushed = 1 if action.chips is None else action.chips
    return betting.Action(action.player, word, action.amount, pushed, action.early or False)


def _order(table: PokerTable, stacks: Mapping[str, int]) -> list[str]:
    order = list(table.seats or ())
    if order and (len(set(order)) != len(order) or set(order) != set(stacks)):
        raise RuleViolation(
            LIMITS_INVALID, "seats names each player with a stack once", "table.seats"
        )
    return order


_BOARDS = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}
"""Cards on the board, by street."""


def _verify_actions(
    outcome: PokerOutcome,
    actions: Streets,
    bets: dict[str, CompiledBet],
    table: PokerTable,
    game: Game,
) -> betting.Played:
    """Return the hand as played; raise RuleViolation unless the actions are legal and complete and
    add up to what was put in."""
    streets: dict[str, list[betting.Action]] = {}
    with within("actions"):
        for name in actions.__struct_fields__:
            streets[name] = []
            for place, action in enumerate(getattr(actions, name) or ()):
                with within(f"{name}[{place}]"):
                    streets[name].append(_action(action))
    stacks = needed(table.stacks, "stacks")
    with within("stacks"):
        for player in bets:
            needed(stacks.get(player), player)
    big_blind = needed(table.big_blind, "big_blind")
    played = betting.play(
        streets, stacks, big_blind, pot_limit=game.pot_limit, order=_order(table, stacks)
    )
    put_in, folded, _, last = played
    board = len((outcome.board or "").split())
    if len(stacks) - len(folded) == 1 and board != _BOARDS[last]:
        what = f"the hand ended on the {last} with {_BOARDS[last]} cards on the board, not {board}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "board")
    for player, cents in put_in.items():
        bet = bets.get(player)
        if bet is None and not cents:
            continue  # a player who put in nothing has no bet
        if bet is None or bet.stake != cents or (bet.chance == FOLD) != (player in folded):
            what = f"the actions of {shown(player)} come to {cents}"
            what += ", and he folded" if player in folded else ", and he did not fold"
            raise RuleViolation(BET_NOT_IN_ROUND, what, "bets")
    return played


def _ranks(outcome: PokerOutcome, bets: Mapping[str, CompiledBet], game: Game) -> dict[str, Rank]:
    """Return how the hands that are compared rank; a player alone in the hand shows none."""
    with within("board"):
        board = hand_of(outcome.board or "")
        if len(board) not in _BOARDS.values():
            raise RuleViolation(DEAL_NOT_BY_RULE, "a board has 0, 3, 4 or 5 cards")
    hands = _hands(outcome.hands or {}, bets, game)
    with within("burned"):
        burned = hand_of(outcome.burned or "")
    shown_at = [(f"hands.{player}", hand) for player, hand in hands.items()]
    verify_cards([("board", board), *shown_at, ("burned", burned)], ONE, 1)
    left = [player for player, bet in bets.items() if bet.chance != FOLD]
    if not left:
        what = "all players are listed as folded; who passed last wins without showing (2.23): "
        what += "list that player in mucked"
        raise RuleViolation(BET_NOT_IN_ROUND, what, "hands")
    _verify_mucked(outcome, left)
    live = [player for player in left if player not in (outcome.mucked or ())]
    if len(live) < 2:
        return dict.fromkeys(live, _UNSEEN)
    if len(board) < 5:
        raise RuleViolation(
            DEAL_INCOMPLETE, "with two players in, the board has five cards", "board"
        )
    with within("hands"):
        return {player: game.rank(needed(hands.get(player), player), board) for player in live}


def _verify_mucked(outcome: PokerOutcome, left: Sequence[str]) -> None:
    """Raise RuleViolation unless those who mucked are players who had not folded, and showed
    nothing. left: who had not folded."""
    mucked = outcome.mucked or ()
    for place, player in enumerate(mucked):
        if player not in left or player in mucked[:place] or player in (outcome.hands or {}):
            what = f"{shown(player)} is listed once, has not folded and shows no hand"
            raise RuleViolation(BET_NOT_IN_ROUND, what, f"mucked[{place}]")


def _hands(
    texts: Mapping[str, str], bets: Mapping[str, CompiledBet], game: Game
) -> dict[str, Hand]:
    """Return the hands shown; raise RuleViolation at one of a player without a bet."""
    hands = {}
    with within("hands"):
        verify_names(texts, bets)
        for player, text in texts.items():
            with within(player):
                hands[player] = hand_of(text)
                if len(hands[player]) != game.cards:
                    raise RuleViolation(DEAL_NOT_BY_RULE, f"a hand has {game.cards} cards")
    return hands


def _from_button(players: Sequence[str], button: str | None) -> list[str]:
    """Return the players from the left of the button on; without a button in the given order."""
    if button is None:
        return list(players)
    if button not in players:
        what = f"{shown(button)} has no bet: list the bets from its left on, and leave button out"
        raise RuleViolation(LIMITS_INVALID, what, "table.button")
    first = players.index(button) + 1
    return [*players[first:], *players[:first]]


def _rake(table: PokerTable) -> tuple[int, int]:
    pair = (0, 1) if table.rake is None else table.rake
    if len(pair) != 2 or not 0 <= pair[0] < pair[1]:
        what = "a rake is [parts, of so many], a part of the pot and not the whole"
        raise RuleViolation(LIMITS_INVALID, what, "table.rake")
    if table.house is not None:
        _verify_levy(table.house, *pair)
    return pair[0], pair[1]


def _verify_levy(house: str, parts: int, whole: int) -> None:
    """Raise RuleViolation at a rake above the highest levy of a house."""
    if house not in MOST_LEVY:
        what = f"no document {shown(house)} limits a levy, known: {' '.join(MOST_LEVY)}"
        raise RuleViolation(LIMITS_INVALID, what, "table.house")
    most, of = MOST_LEVY[house]
    if parts * of > most * whole:
        what = f"rake {parts}/{whole} is above {most}/{of} of the bets ({house} 3:5(1))"
        raise RuleViolation(LIMITS_INVALID, what, "table.rake")


def _cancelled(outcome: PokerOutcome) -> bool:
    """Return whether the hand is cancelled: a void, or a misdeal by 2.19."""
    cause = outcome.misdeal
    if cause is None:
        return outcome.void is not None
    acted = needed(outcome.acted, "acted")
    if acted < 0:
        raise RuleViolation(LIMITS_INVALID, f"{acted} is below zero", "acted")
    if cause not in floor.MISDEALS:
        what = f"{shown(cause)} is not a misdeal; the misdeals are: {' '.join(floor.MISDEALS)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "misdeal")
    if not floor.is_misdeal(cause, acted):
        what = f"{acted} players have acted: it can no longer be a misdeal, the hand continues"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "misdeal")
    return True


def _hand(record: Record, table: PokerTable, game: Game) -> Round:
    bets, outcome = _bets(record), record.outcome
    _rake(table)
    if table.chip is not None and table.chip < 1:
        raise RuleViolation(LIMITS_INVALID, "a chip is a cent or more", "table.chip")
    with within("outcome"):
        outcome.only(*_HAND)
        is_cancelled = _cancelled(outcome)
    if outcome.put_in is not None or is_cancelled:
        stacks = {bet.player: bet.stack or 0 for bet in record.bets or ()}
        _verify_held(bets, stacks, table)
    with within("outcome"):
        if is_cancelled:
            return Round([decided(bet, void(_MISDEAL)) for bet in bets.values()], KEY)
        if outcome.put_in is None:
            for name in _HELD:
                if getattr(outcome, name) is not None:
                    raise RuleViolation(BET_NOT_IN_ROUND, f"{name} goes with put_in", name)
    if outcome.put_in is not None:
        return _held_hand(bets, outcome, table, game)
    if len(bets) < 2:
        raise RuleViolation(BET_NOT_IN_ROUND, "a hand has two players or more", "bets")
    _verify_chips(bets, table.chip or 1)
    return _settle(bets, bets, _push(bets, outcome, table, game))


def _verify_chips(bets: Mapping[str, CompiledBet], chip: int) -> None:
    """Raise RuleViolation at a stake put in that the smallest chip does not make up."""
    for place, bet in enumerate(bets.values()):
        if bet.stake % chip:
            what = f"{bet.stake} cents are put in, by chips of {chip}"
            raise RuleViolation(NOT_A_MULTIPLE, what, f"bets[{place}].stake")


def _verify_held(
    bets: Mapping[str, CompiledBet], stacks: Mapping[str, int], table: PokerTable
) -> None:
    """Raise RuleViolation unless players may hold that much, and the rake is whole cents.

    Applies where the table has a buy-in: then the bets are what players hold for the hand. stacks:
    what they have on the table, 0 of one who buys in.
    """
    if (table.minimum, table.maximum) == (None, None):
        return
    _verify_table(table)
    chip, (parts, whole) = table.chip or 1, _rake(table)
    if chip * parts % whole:
        what = f"the rake {parts}/{whole} of a chip of {chip} cents is not a whole cent"
        raise RuleViolation(LIMITS_INVALID, what, "table.rake")
    for place, (player, bet) in enumerate(bets.items()):
        if bet.chance == FOLD:
            raise RuleViolation(UNKNOWN_CHOICE, _FOLDS, f"bets[{place}].choice")
        with within(f"bets[{place}].stake"):
            _verify_buy_in(bet.stake, stacks[player], table)
            # A share of a pot less the rake may leave cents below a chip on the table.
            if bet.stake % chip and (bet.stake - stacks[player]) % chip:
                what = f"{bet.stake} is not a multiple of the smallest chip, {chip}"
                raise RuleViolation(NOT_A_MULTIPLE, what)


def _verify_buy_in(stake: int, stack: int, table: PokerTable) -> None:
    """Raise RuleViolation at a buy-in outside its limits (3.9), at chips taken off the table
    (3.12, 3.13), and at chips added above the maximum (3.16). A stack above it stays."""
    least = stack or table.minimum or 1
    if stake < least:
        what = f"{stake} is below the minimum buy-in, {least} (3.9)"
        if stack:
            what = f"{stake} is less than the {stack} that the player has on the table: no chips "
            what += "are taken off (3.12), and who returns brings all of them (3.13)"
        raise RuleViolation(BELOW_MINIMUM, what)
    if table.maximum is not None and stake > max(stack, table.maximum):
        what = f"{stake} is above the maximum buy-in, {table.maximum} (3.9, 3.16)"
        raise RuleViolation(ABOVE_MAXIMUM, what)


def _verify_table(table: PokerTable) -> None:
    """Raise RuleViolation at options that conflict with players holding their stakes."""
    for name in ("button", "seats", "stacks"):
        if getattr(table, name) is not None:
            what = f"order and the stakes replace {name}"
            raise RuleViolation(LIMITS_INVALID, what, f"table.{name}")


def _held_hand(
    held: Mapping[str, CompiledBet], outcome: PokerOutcome, table: PokerTable, game: Game
) -> Round:
    """Settle a hand whose players hold their stakes; what they did not put in is returned."""
    _verify_table(table)
    with within("outcome"):
        bets = _of_those_held(held, outcome, table.chip or 1)
        order = outcome.order or ()
    if len(bets) > 1:
        chip = table.chip or 1
        stacks = {player: _in_chips(held[player].stake, chip) for player in order}
        if outcome.actions is not None:
            table = replaced(table, stacks=stacks, seats=order)
        return _settle(held, bets, _push(bets, outcome, table, game))
    _verify_alone(outcome)
    back = {player: bet.stake for player, bet in bets.items()}
    return _settle(held, bets, _Pushed(back, [], {}))


def _in_chips(cents: int, chip: int) -> int:
    """Return what plays of a stack: cents below a chip, left by a rake, stay with it."""
    return cents - cents % chip


def _verify_alone(outcome: PokerOutcome) -> None:
    """Raise RuleViolation at fields that a hand with one player's money cannot have."""
    for name in ("board", "hands", "mucked", "actions"):
        if getattr(outcome, name):
            what = f"one player alone put something in, and {name} says that the hand was played"
            raise RuleViolation(BET_NOT_IN_ROUND, what, "outcome.put_in")


def _of_those_held(
    held: Mapping[str, CompiledBet], outcome: PokerOutcome, chip: int
) -> dict[str, CompiledBet]:
    """Return what was put in, as bets from the left of the button on. Raises RuleViolation."""
    order, folded = needed(outcome.order, "order"), outcome.folded or ()
    if len(set(order)) != len(order) or set(order) != set(held):
        what = f"order lists each player with a stake once: {' '.join(map(shown, held))}"
        raise RuleViolation(BET_NOT_IN_ROUND, what, "order")
    put_in = needed(outcome.put_in, "put_in")
    with within("folded"):
        verify_names(folded, held)
    with within("put_in"):
        verify_names(put_in, held)
        if not put_in:
            what = "no player put money in; a hand that was not played is a void"
            raise RuleViolation(DEAL_INCOMPLETE, what)
        for player, cents in put_in.items():
            stake = held[player].stake
            most = _in_chips(stake, chip)
            if not 1 <= cents <= most or cents % chip:
                what = f"{cents} cents are put in; {most} of the {stake} held play"
                raise RuleViolation(STAKE_OUT_OF_RANGE, f"{what}, by chips of {chip}", player)
    if any(bet.chance == FOLD for bet in held.values()):
        raise RuleViolation(UNKNOWN_CHOICE, _FOLDS, "folded")
    return {
        player: replaced(
            held[player], stake=put_in[player], chance=FOLD if player in folded else None
        )
        for player in order
        if player in put_in
    }


def _push(
    bets: dict[str, CompiledBet], outcome: PokerOutcome, table: PokerTable, game: Game
) -> _Pushed:
    share = _rake(table)
    with within("outcome"):
        dead, passed = dict[str, int](), [*(outcome.mucked or ())]
        if outcome.actions is not None:
            played = _verify_actions(outcome, outcome.actions, bets, table, game)
            dead, passed = played.dead, [*played.folded, *passed]
        ranks = _ranks(outcome, bets, game)
    order = _from_button(list(bets), table.button)
    put_in = {player: bet.stake - dead.get(player, 0) for player, bet in bets.items()}
    top, over = pots.uncalled(put_in)
    put_in[top] -= over
    got = dict.fromkeys(bets, 0) | {top: over}
    awards = []
    seated = {player: ranks.get(player, _UNSEEN) for player in order}
    for pot in pots.pots_of(put_in, list(ranks), passed, dead=sum(dead.values())):
        rake = pots.rake_of(pot.amount, share) if outcome.board is not None else 0
        awards.append(pots.award(pot, seated, rake, table.chip or 1))
        for player, cents in awards[-1].shares.items():
            got[player] += cents
    return _Pushed(got, awards, dead)


def _citation(won: Sequence[pots.Award], lost: str) -> str:
    """Return the citation of a player's share of pots. lost: where he has none."""
    if not won:
        return lost
    is_uneven = any(len(set(each.shares.values())) > 1 for each in won)
    return over(_ODD_CHIP, _PUSHED) if is_uneven else _PUSHED


def _settle(
    held: Mapping[str, CompiledBet], bets: Mapping[str, CompiledBet], pushed: _Pushed
) -> Round:
    """held: the stakes, of which the bets were put in."""
    settled, got = [], {**dict.fromkeys(held, 0), **pushed.got}
    for player, bet in held.items():
        put_in = bets[player].stake if player in bets else 0
        win, back = max(0, got[player] - put_in), bet.stake - put_in + min(got[player], put_in)
        lost = _FOLDED if player in bets and bets[player].chance == FOLD else _LOST
        rule = _citation([each for each in pushed.awards if player in each.shares], lost)
        if back == bet.stake and not win:
            rule = _PUSHED
        elif rule == lost and got[player]:
            rule = over(lost, _PUSHED)
        settled.append(came_to(bet, rule, win=win, back=back))
    pots = [
        {"amount": each.amount, "rake": each.rake, "winners": list(each.shares)}
        for each in pushed.awards
    ]
    rake = sum(each.rake for each in pushed.awards)
    live = {bet.id: bet.stake - pushed.dead.get(player, 0) for player, bet in bets.items()}
    pool = Pool(live, sum(pushed.dead.values()), rake)
    return Round(settled, KEY, {"pots": pots, "rake": rake}, pool=pool)


def _play(record: Record) -> Round:
    """Return what each player put in and gets, with the pots; or the floor decision."""
    if record.rules != EDITION:
        raise RuleViolation(GAME_NOT_IN_RULES, f"poker_room is in {EDITION} only", "rules")
    variant, table = record.variant or "holdem", record.table or PokerTable()
    if variant in GAMES:
        return _hand(record, table, GAMES[variant])
    if variant not in FLOOR:
        what = f"variant {shown(variant)} is not one of: {' '.join((*GAMES, *FLOOR))}"
        raise RuleViolation(UNKNOWN_VARIANT, what, "variant")
    if record.bets:
        raise RuleViolation(BET_NOT_IN_ROUND, f"{variant} does not concern a bet", "bets")
    return FLOOR[variant](record.outcome, table)


_EXAMPLE = {
    "rules": EDITION,
    "game": "poker_room",
    "variant": "holdem",
    "bets": [
        {"id": "0", "player": "A", "bet": BET, "stake": 5000},
        {"id": "1", "player": "B", "bet": BET, "stake": 20000},
        {"id": "2", "player": "C", "bet": BET, "stake": 20000},
    ],
    "outcome": {
        "board": "2C 7S TD JC 4H",
        "hands": {"A": "AH AD", "B": "KH KD", "C": "9H 9D"},
    },
    "table": {"button": "A", "rake": [1, 20]},
}
GAME = records.RecordGame(
    name="poker_room",
    measured="player",
    needed_limit="minimum",
    record=Record,
    play=_play,
    constraints={
        "properties": {
            "rules": {"const": EDITION},
            "variant": {"enum": [*GAMES, *FLOOR, None]},
        },
        "examples": [_EXAMPLE],
    },
)
