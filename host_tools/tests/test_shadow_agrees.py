"""Seeded rounds of every judged game: the settlement that pays and its shadow agree."""

import os
from random import Random

import pytest

from hil_tests.thinned import share
from host_tools.tests import shadow_rounds
from tabletools import shadow
from tabletools.games import GAMES
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record, settle_whole

ROUNDS = int(os.environ.get("SHADOW_ROUNDS", share(600, 4)))
"""Rounds of each kind."""
SEED = int(os.environ.get("SHADOW_SEED", "1"))


def paid(record):
    """What the product pays and by which paragraphs, bet by bet; the code of a refusal."""
    try:
        lines = settle_record(record)
    except RuleViolation as refusal:
        return refusal.code.name
    return [(x.outcome, x.win, x.back, x.live, x.lost, x.state, x.paragraphs) for x in lines]


def test_the_shadow_agrees_on_meters():
    """What they show after the round."""
    random = Random(f"meters {SEED}")
    compared = 0
    for _ in range(ROUNDS):
        record = shadow_rounds.jackpot(random)
        try:
            _, more = settle_whole(record)
        except RuleViolation:
            continue
        after = shadow.jackpots.settle(shadow.play_of(record))[1]
        assert after == more["meters"], record
        compared += 1
    assert compared > ROUNDS // 2


def is_whole(verdict):
    return all(cents == int(cents) for cents in verdict[1:5])


def test_rounds_are_made_of_every_game_the_shadow_judges():
    """No game is settled, and none judged, without a comparison."""
    assert shadow_rounds.BY_GAME.keys() == shadow.GAMES.keys() == GAMES.keys()


def test_rounds_have_every_kind_of_bet():
    """A kind of bet that is added to a game is compared as well."""
    for name, makers in shadow_rounds.BY_GAME.items():
        editions = getattr(GAMES[name], "games", None)
        if editions is None:
            continue  # roulette names its bets in three ways, the others have one kind
        random = Random(f"kinds {name}")
        kinds = {bet["bet"] for make in makers for _ in range(200) for bet in make(random)["bets"]}
        assert kinds == {kind for edition in editions.values() for kind in edition.kinds}, name


DECKED = ("punto_banco", "high_low", "red_dog", "casino_war", "blackjack")
ONE_DECK = ("three_card", "caribbean", "multi_poker", "four_card", "ultimate", "casino_holdem")


def texts(value):
    """Every text in an outcome's hand."""
    return [value] if isinstance(value, str) else [one for each in value for one in texts(each)]


@pytest.mark.parametrize("game", [*DECKED, *ONE_DECK, "baccarat"])
def test_the_shadow_agrees_which_cards_are_possible(game):
    """Burned cards that were dealt too, at tables of few decks: both settle, or neither does."""
    random, came = Random(f"decks {game} {SEED}"), {True: 0, False: 0}
    for _ in range(ROUNDS):
        record = random.choice(shadow_rounds.BY_GAME[game])(random)
        fields = [
            value
            for name, value in record["outcome"].items()
            if name in ("player", "bank", "board", "punto", "banco", "banker", "communal", "cards")
        ]
        cards = [card for value in fields for text in texts(value) for card in text.split()]
        burned = random.choices([*cards, "2C", "9H", "KS"], k=random.randint(1, 6))
        record["outcome"]["burned"] = " ".join(burned)
        if "remaining" in record["outcome"]:
            record["outcome"]["remaining"] -= len(burned)
        decks = random.choice([8] if game == "baccarat" else [None, 1, 1, 2, 3, 8])
        if decks is not None and game not in ONE_DECK:
            record["table"] = {**(record.get("table") or {}), "decks": decks}
        answer = paid(record)
        came[answer == "cards_invalid"] += 1
        if record["rules"] in shadow.ALL_BACK and record["outcome"].keys() & {"void", "misdeal"}:
            continue  # every stake is returned: the shadow needs no card
        try:
            wanted = shadow.judge(record)
        except shadow.Impossible:
            assert answer == "cards_invalid", record
        else:
            is_same = answer == [tuple(one) for one in wanted]
            assert is_same or (answer == "not_whole_cents" and not all(map(is_whole, wanted))), (
                record
            )
    assert came[False] > ROUNDS // 30, came
    assert game == "baccarat" or came[True] > ROUNDS // 8, came


@pytest.mark.parametrize(
    "make",
    [make for some in shadow_rounds.BY_GAME.values() for make in some],
    ids=lambda x: x.__name__,
)
def test_the_shadow_agrees(make):
    """Outcome, winnings, stake back, stake in play, stake lost and state of every bet."""
    random = Random(f"{make.__name__} {SEED}")
    settled = 0
    for _ in range(ROUNDS):
        record = make(random)
        answer = paid(record)
        wanted = shadow.judge(record)
        if answer == "not_whole_cents":
            assert not all(map(is_whole, wanted)), record
            continue
        assert answer == wanted, record
        settled += len(wanted)
    assert settled > ROUNDS
