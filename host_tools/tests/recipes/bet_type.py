"""The recipe of a bet type: Sic Bo pays an odd total, and no triple, 1:1.

108 of 216 throws have an odd total, of which 1-1-1, 3-3-3 and 5-5-5 lose: 105 win, the edge is
(111 - 105)/216 = 6/216.
"""

from host_tools.tests.recipes.runner import Edit, Recipe

SIC_BO = "host_tools/tabletools/games/sic_bo.py"
FIGURES = "host_tools/tests/printed_figures.py"
RULE = '''
def odd_total(_prices: Prices, _on: On, throw: Throw) -> int:
    """Total 5 to 17 that is odd, loses on any triple: 1:1, edge 6/216."""
    return 1 if sum(throw) % 2 and not _is_triple(throw) else 0


'''

BET_TYPE = Recipe(
    heading="A bet type",
    edits=(
        Edit(
            SIC_BO,
            "    return 180 if set(throw) == set(on) else 0\n\n",
            RULE,
        ),
        Edit(
            SIC_BO,
            '    "specific_triple": (specific_triple, FACE),\n',
            '    "odd_total": (odd_total, NOTHING),\n',
        ),
        Edit(
            SIC_BO,
            '    "big": (1800, 1800, 3600, 7200, 7200),\n',
            '    "odd_total": (1800, 1800, 3600, 7200, 7200),\n',
        ),
        Edit(
            "host_tools/tabletools/shadow/dice.py",
            "            odds = 1 if total >= 11 and not is_triple else None\n",
            '        case "odd_total":\n'
            "            odds = 1 if total % 2 == 1 and not is_triple else None\n",
        ),
        Edit(
            FIGURES,
            '    ([{"bet": "small"}, {"bet": "big"}], 6, 6),\n',
            '    ([{"bet": "odd_total"}], 6, 6),\n',
        ),
        Edit(
            FIGURES,
            '    ("big", (), 1): (1800, 1800, 3600, 7200, 7200),\n',
            '    ("odd_total", (), 1): (1800, 1800, 3600, 7200, 7200),\n',
        ),
    ),
    # 2-4-5 is an odd total of 11, 3-3-3 one of 9 that loses.
    play="""
from tabletools import shadow
from tabletools.settle.json_lines import settle_record

for dice in ([2, 4, 5], [2, 2, 4], [3, 3, 3]):
    bet = {"id": "1", "player": "p", "bet": "odd_total", "stake": 400}
    play = {"rules": "hc2011", "game": "sic_bo", "bets": [bet], "outcome": {"dice": dice}}
    [line] = settle_record({**play, "table": {"minimum": 200}})
    amounts = (line.outcome, line.win, line.back, line.live, line.lost, None, line.paragraphs)
    assert shadow.judge(play) == [amounts]
    print(line.outcome, line.win, line.back, line.lost)
""",
    printed="win 400 400 0\nlose 0 0 400\nlose 0 0 400\n",
    generators=("tabletools.settle.settle_page",),
    tests=(
        "host_tools/tests/test_shadow_agrees.py::test_rounds_have_every_kind_of_bet",
        "host_tools/tests/test_shadow_agrees.py::test_the_shadow_agrees[sic_bo]",
        "host_tools/tests/test_shadow_exhaustive.py::test_sic_bo",
        "host_tools/tests/test_rules_dice_edges.py",
        "host_tools/tests/test_rules_table_limits.py",
        "host_tools/tests/test_games.py",
        "host_tools/tests/test_settle_docs.py",
    ),
)
