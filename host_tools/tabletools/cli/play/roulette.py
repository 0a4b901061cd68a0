"""An American table: spins, two of them void, by the rules of hc2023."""

from hil_tests import faults
from hil_tests.emulators.roulette.model import Geometry
from hil_tests.emulators.roulette.operator import Spin
from hil_tests.session import play as play_spin
from tabletools.cli.play.stage import Stage, verify
from tabletools.play import Felt, Game, seeded_players, wishes_of
from tabletools.play.house import MINIMUM_CENTS
from tabletools.rules.roulette import rules_of

WORDS = (
    "An American table with a double zero; two of its spins go wrong and are spun again.",
    "↻ is clockwise, ↺ counter-clockwise, seen from above.",
)
EDITION, VARIANT = "hc2023", "american00"
RULES = rules_of(EDITION, VARIANT)
FELT = Felt(
    {
        "rules": EDITION,
        "game": "roulette",
        "variant": VARIANT,
        "table": {"minimum": MINIMUM_CENTS},
    },
    {"wheel_result": lambda record: {"pocket": record["pocket"]}},
    RULES.offer_article,
)
# Which spins go wrong: a third and two thirds of the way through.
FAULTS = ("short_spin", "wrong_direction")
LATE_IN_ROUND = 2
# A void on the last spin leaves bets on the cloth; it is spun again so many times at most.
RESPINS = 5


def play(stage: Stage) -> Game:
    """Play the spins of the evening."""
    players = seeded_players(stage.seed)
    game = Game(
        FELT,
        lambda: wishes_of(players, RULES),
        stage.screen,
        keys=stage.keys,
        late_in=LATE_IN_ROUND,
    )
    wrong = dict(zip(places(stage.spins), FAULTS, strict=True))
    with stage.table(Geometry("double"), game) as table:
        for number in range(stage.spins + RESPINS):
            if number >= stage.spins and not game.house.on_cloth:
                break
            fault = faults.find(wrong[number]) if number in wrong else None
            spin = play_spin(table, fault)
            verify(spin.ended.round, _differs(spin, game, fault.reason if fault else None))
    return game


def places(spins: int) -> tuple[int, int]:
    """Which spins go wrong: never the last one, or its bets would need another."""
    return min(spins // 3, spins - 3), min(2 * spins // 3, spins - 2)


def _differs(spin: Spin, game: Game, reason: int | None) -> str:
    """Hold the table's word against what happened. reason: of the void provoked, if one was."""
    told = game.settled[-1].round["outcome"].get("pocket")
    if told is not None and told != spin.pocket:
        return f"the table said {told}, the ball lies in {spin.pocket}"
    if reason is not None and spin.reason != reason:
        return f"the table did not void {spin.fault} with code {reason}"
    return ""
