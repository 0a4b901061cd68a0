"""A settlement as a sentence: what fell on what was bet, what it pays by which paragraphs.

`17 on the split 14-17: 17:1, hc2023 2:2(1); winnings 85.00, stake 5.00 returned`. Knows no game:
it reads the fields of a record of `settle`, or of the ledger, where they are the same.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from tabletools.rules.citation import read
from tabletools.rules.verdict import HALF, LOSE, PRISON, PUSH, STAND, VOID, WIN

Fields = Mapping[str, Any]
"""A bet or an outcome as JSON has it; null is the same as left out."""
_WORDS = {
    WIN: "won",
    LOSE: "lost",
    PUSH: "stake returned",
    HALF: "part of the stake lost",
    PRISON: "waits for the next result",
    STAND: "undecided",
    VOID: "void",
}


class Facts:
    """What came in a round, read once, for each of its bets."""

    def __init__(self, outcome: Fields) -> None:
        """outcome: of the round, as a record has it."""
        facts = {name: value for name, value in outcome.items() if value is not None}
        self._boxes: Mapping[str, Fields] = facts.pop("boxes", {})
        same = [
            f"{name.replace('_', ' ')}: {facts[name]}"
            for name in ("void", "stakes_back")
            if name in facts
        ]
        readers = [(reads, facts[name]) for name, reads in _READ.items() if name in facts]
        self._own = [each for each in readers if each[0] in _OF_BET]
        for reads, value in readers:
            if reads not in _OF_BET:
                same += reads({}, value)
        if "pays" in facts:  # what a wheel drew besides
            same += [f"{name} {n}" for name, n in facts.items() if name not in _READ]
        self._same = ", ".join(same)

    def of_bet(self, bet: Fields) -> str:
        """Return the facts that decide a bet: what came, what was bet on, what the player chose.

        bet: its slip, with `id` and `player` where the outcome names them.
        """
        came = self._same
        if self._boxes or self._own:
            own = [text for reads, value in self._own for text in reads(bet, value)]
            own += _PLAYER({}, _cards_of(bet, self._boxes))
            came = ", ".join(filter(None, [*own, came]))
        on = f"{came} on {_placed_on(bet)}" if came else _placed_on(bet)
        choice, state = bet.get("choice"), bet.get("state")
        if choice is None and state is None:
            return on
        more = choice if state is None else state if choice is None else f"{choice}, {state}"
        return f"{on} ({more})"


def reasons_of(citation: str, bet: Fields, facts: Facts) -> dict[str, Any]:
    """Return what decided a bet, as an answer of `settle` has it.

    rule: the paragraph that decides, first of `paragraphs`. odds: as printed, winnings to stake,
    None where nothing is paid by odds. facts: of its round.
    """
    paragraphs, odds = read(citation)
    return {
        "rule": paragraphs[0],
        "paragraphs": [*paragraphs],
        "odds": odds,
        "facts": facts.of_bet(bet),
    }


class _Line(msgspec.Struct, frozen=True):
    """A settlement as far as its sentence needs it; amounts in cents."""

    facts: str
    odds: str | None
    outcome: str
    paragraphs: list[str]
    win: int
    back: int
    live: int
    lost: int


def sentence(fields: Fields) -> str:
    """Return a settlement, as `settle` answers it, as one sentence; amounts have no currency."""
    line = msgspec.convert(fields, _Line)
    return f"{line.facts}: {_decision(line)}; {_amounts(line)}"


def _decision(line: _Line) -> str:
    """Return the odds, or what became of the bet, and the paragraphs: `17:1, hc2023 2:2(1)`."""
    odds, [first, *others] = line.odds, line.paragraphs
    words = [] if odds and line.outcome == WIN else [_WORDS[line.outcome]]
    if words and odds:  # paid whether the hand wins or not
        odds = f"bonus {odds}"
    edition = first.partition(" ")[0]
    names = [first, *(each.removeprefix(f"{edition} ") for each in others)]
    return ", ".join([*words, *([odds] if odds else []), *names])


def _amounts(line: _Line) -> str:
    named = (
        ("winnings {}", line.win),
        ("stake {} returned", line.back),
        ("stake {} stays in play", line.live),
        ("stake {} lost", line.lost),
    )
    return ", ".join(words.format(_money(cents)) for words, cents in named if cents)


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _cards_of(bet: Fields, boxes: Mapping[str, Fields]) -> Any:
    """Return the cards of the box a bet is on."""
    mine = (box for box in boxes.values() if bet.get("id") in (box.get("bets") or ()))
    return next(mine, {}).get("cards")


def _hand(name: str) -> Any:
    """Return what reads a hand: cards, or the hands it was split into."""

    def read_hand(_bet: Fields, value: Any) -> Iterator[str]:
        rows = [value] if isinstance(value, str) else value or []
        flat = [row for each in rows for row in ([each] if isinstance(each, str) else each)]
        if flat:
            yield f"{name} {' / '.join(flat)}"

    return read_hand


def _of_bet(bet: Fields, value: Mapping[str, Any]) -> Any:
    """Return what an outcome says of this bet, by its id or its player."""
    fact = value.get(bet.get("id", ""))
    return value.get(bet.get("player") or "") if fact is None else fact


def _dice(_bet: Fields, faces: list[int]) -> Iterator[str]:
    yield f"{'-'.join(map(str, sorted(faces)))}, total {sum(faces)}"


def _drawn(bet: Fields, balls: list[Any]) -> Iterator[str]:
    marked = bet.get("on") or [n for group in bet.get("groups") or () for n in group]
    games = balls if balls and isinstance(balls[0], list | tuple) else [balls]
    if any(isinstance(row, list | tuple) for row in marked):
        yield f"{len(balls)} balls"
    else:
        hits = "+".join(str(len({*marked} & {*game})) for game in games)
        yield f"{hits} of {len(marked)} drawn"


def _own_hand(bet: Fields, hands: Mapping[str, str]) -> Iterator[str]:
    cards = _of_bet(bet, hands)
    if cards:
        yield f"hand {cards}"


def _own_prize(bet: Fields, won: Mapping[str, str]) -> Iterator[str]:
    name = _of_bet(bet, won)
    yield f"{name} won" if name else "nothing won"


def _passed(word: str) -> Any:
    """Return what reads who passed a hand, and says so in a word."""

    def read_passed(bet: Fields, names: list[str]) -> Iterator[str]:
        if bet.get("id") in names or bet.get("player") in names:
            yield word

    return read_passed


_FOLDED, _MUCKED = _passed("folded"), _passed("mucked")
_READ: Mapping[str, Any] = {
    "pocket": lambda _bet, value: iter([str(value)]),
    "pays": lambda _bet, value: iter([str(value)]),
    "mark": lambda _bet, value: iter([str(value)]),
    "dice": _dice,
    "drawn": _drawn,
    "hands": _own_hand,
    "won": _own_prize,
    "folded": _FOLDED,
    "mucked": _MUCKED,
    "misdeal": lambda _bet, value: iter([f"misdeal: {value}"]),
    **{
        name: _hand(name)
        for name in (
            "player",
            "board",
            "bank",
            "punto",
            "banco",
            "banker",
            "communal",
            "cards",
        )
    },
}


_PLAYER = _READ["player"]
_OF_BET = frozenset((_drawn, _own_hand, _own_prize, _FOLDED, _MUCKED))
"""What reads a field for one bet; the others say the same for all."""


def _placed_on(bet: Fields) -> str:
    """Return the bet with its selection: `red`, `the split 14-17`, `the total 9`."""
    name: str = bet["bet"].replace("_", " ")
    selection = bet.get("numbers") or bet.get("index") or bet.get("on") or bet.get("groups")
    if not selection:
        return name
    if isinstance(selection, int):
        return f"the {name} {selection}"
    if isinstance(selection[0], list):
        selection = [_join(each) for each in selection]
        return f"the {name} {' '.join(selection)}"
    return f"the {name} {_join(selection)}"


def _join(names: list[Any]) -> str:
    return "-".join(names if isinstance(names[0], str) else map(str, names))
