"""The recipe of a game: two dice and one bet, 4:1 on a total of 7.

6 of 36 throws are a 7: the bank keeps 30 and pays 24, the edge is 6/36.
"""

from host_tools.tests.recipes.runner import Edit, Recipe

SHADOW = "host_tools/tabletools/shadow/dice.py"
ROUNDS = "host_tools/tests/shadow_rounds.py"
MODULE = '''
"""Lucky Seven: two dice, one bet. hc2023 4:9."""

from collections.abc import Mapping

from tabletools.rules.dice import Throw, TwoDice, dice_kind, reader_of
from tabletools.rules.game import Game
from tabletools.rules.selection import On
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.verdict import Verdict, lose, win

DICE = 2
RULE = "hc2023 4:9(3)"


def seven(_on: On, throw: Throw) -> Verdict:
    """A total of 7: 4:1, edge 6/36."""
    return win((4, 1), RULE) if sum(throw) == 7 else lose(RULE)


GAMES: Mapping[str, Game] = {
    "hc2023": Game(
        "lucky_seven",
        "hc2023",
        {"seven": dice_kind(DICE, seven, "hc2023 4:1(3)")},
        ("seven",),
        "hc2023 4:9(1)",
    )
}
"""By edition."""

GAME = TableGame(
    name="lucky_seven",
    measured="slip",
    dice=DICE,
    games=without_variants(GAMES),
    outcome=TwoDice,
    table=Table,
    read_outcome=reader_of(DICE),
    example=([{"id": "1", "bet": "seven", "stake": 500}], {"dice": [3, 4]}),
)
'''
JUDGED = """
def _lucky_seven(_play: Play, bet: Bet, dice: list[int]) -> Verdict:
    if bet.kind != "seven":
        raise Impossible("one bet")
    return _paid(bet.stake, 4 if dice in ([1, 6], [2, 5], [3, 4]) else None).by("4:9(3)")


"""
THROWN = '''
def lucky_seven(random):
    """A throw of Lucky Seven."""
    return record("lucky_seven", "hc2023", slips(random, [bet("seven")]), thrown(random, 2))


'''

GAME = Recipe(
    heading="A game",
    edits=(
        Edit("host_tools/tabletools/games/lucky_seven.py", "", MODULE),
        Edit(SHADOW, "DICE = {", '"lucky_seven": 2, '),
        Edit(SHADOW, "    return lose(stake) if throw in other else stand(stake)\n\n", JUDGED),
        Edit(SHADOW, "_BETS = {", '"lucky_seven": _lucky_seven, '),
        Edit(SHADOW, "JUDGED = {\n", '    "lucky_seven": (judge, "hc2023"),\n'),
        Edit(
            ROUNDS,
            '"barbut", "hc2023", slips(random, [bet("A"), bet("B")]), thrown(random, 2))\n\n',
            THROWN,
        ),
        Edit(ROUNDS, "BY_GAME = {\n", '    "lucky_seven": [lucky_seven],\n'),
    ),
    play="""
from tabletools import roles, shadow
from tabletools.settle.json_lines import settle_record

for dice in ([6, 1], [2, 2]):
    bet = {"id": "1", "player": "p", "bet": "seven", "stake": 400}
    play = {"rules": "hc2023", "game": "lucky_seven", "bets": [bet], "outcome": {"dice": dice}}
    [line] = settle_record({**play, "table": {"minimum": 200}})
    amounts = (line.outcome, line.win, line.back, line.live, line.lost, None, line.paragraphs)
    assert shadow.judge(play) == [amounts]
    print(line.outcome, line.win, line.back, line.lost)
opened = {"type": "round_opened", "role": "dice_tray", "layout": "dice", "requirement": 2}
thrown = {"type": "dice_result", "role": "dice_tray", "held_ms": 900, "spread_ms": 40, "hits": 2,
          "agreed": 2, **{f"die_{n}": {1: 1, 2: 6}.get(n) for n in range(1, 7)}}
played = roles.Played("lucky_seven", "hc2023")
print(roles.names_for("lucky_seven"), roles.objections(played, opened, thrown, []))
print([tuple(each)[:3] for each in roles.demands("dice_tray", played)][0])
""",
    printed="win 1600 400 0\nlose 0 0 400\n['dice_tray'] []\n('dice', 2, 2)\n",
    generators=("tabletools.settle.settle_page", "tabletools.api.game_facts"),
    tests=(
        "host_tools/tests/test_games.py",
        "host_tools/tests/test_roles.py::test_every_game_has_a_role",
        "host_tools/tests/test_shadow_agrees.py::test_rounds_are_made_of_every_game_the_shadow_judges",
        "host_tools/tests/test_shadow_agrees.py::test_rounds_have_every_kind_of_bet",
        "host_tools/tests/test_shadow_agrees.py::test_the_shadow_agrees[lucky_seven]",
        "host_tools/tests/test_console_files.py::test_the_console_knows_every_game_of_dice_and_wheels",
        "host_tools/tests/test_settle_docs.py",
        "host_tools/tests/test_settle_schema.py::test_the_schema_is_a_schema",
    ),
)
