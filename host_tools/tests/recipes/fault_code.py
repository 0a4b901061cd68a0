"""The recipes of a fault code and of a fault test: a money wheel that was hardly pushed."""

from host_tools.tests.recipes.runner import Edit, Recipe

JUDGE = "firmware/tablelogic/money_wheel/run_judge.py"
FAULTS = "host_tools/tableemulator/machines/money_wheel/money_wheel_faults.py"
REASON = """
    Reason(
        613, "hardly_pushed", "void", 1,
        "The wheel came to rest before it completed one revolution.",
        "Spin again, much harder.",
        f"{_HC}: the wheel does not make four revolutions (READING-14)",
    ),"""
DECIDED = """
        if run.revolutions_centi() < 100:
            return words.HARDLY_PUSHED"""
BENT = '''
def half_a_turn(plan: TurnPlan) -> None:
    """The only push is good for about half a turn."""
    plan.first, plan.second = math.sqrt(2 * 0.043 * plan.rng.uniform(0.4, 0.6)), 0.0


'''
ENTRY = """
    Fault(
        "hardly_pushed", words.HARDLY_PUSHED, "wheel",
        "one push, for half a turn", half_a_turn,
    ),"""

FAULT_CODE = Recipe(
    heading="A fault code, and its fault test",
    edits=(
        Edit(
            "protocol/tablespec/roles/money_wheel.py",
            "REASONS: tuple[Reason, ...] = (",
            REASON,
        ),
        Edit(
            JUDGE,
            "        turned = run.pushed_centi() if self._since_push else run.revolutions_centi()",
            DECIDED,
        ),
        Edit(
            FAULTS,
            "    plan.second = math.sqrt(2 * 0.043 * plan.rng.uniform(2.0, 2.9))\n\n",
            BENT,
        ),
        Edit(FAULTS, "FAULTS: tuple[Fault, ...] = (", ENTRY),
    ),
    play="""
from tableemulator import fault_catalogue, play_session
from hil_tests.decisions import decided_table
from tableemulator.machines import emulator
from tableemulator.machines.money_wheel.money_wheel_faults import FAULTS
from tabletools import decode
from tabletools.replay import replayed

table = decided_table(emulator("money_wheel").setup(), 1)
table.spin()
ended = play_session.provoke(table, fault_catalogue.find("hardly_pushed", FAULTS)).ended
print(decode.record(ended)["type"], decode.record(ended)["reason"])
print(replayed(table.controller.trace(ended.round))[2].word)
""",
    printed="round_void hardly_pushed\nagrees\n",
    tests=(
        "hil_tests/test_faults.py",
        "hil_tests/test_money_wheel.py::test_a_fault_gives_its_code[hardly_pushed]",
        "hil_tests/test_money_wheel.py::test_a_fault_gives_its_code[short_turn]",
        "hil_tests/test_money_wheel.py::test_every_code_of_the_role_has_a_fault",
        "protocol/tests/test_spec.py",
        "protocol/tests/test_wireshark.py::test_tables_by_hand_are_the_declared_ones",
        "hil_tests/test_wire_evolution.py::test_a_host_of_wire_1_0_and_a_wheel_of_today",
    ),
)

FAULT_TEST = Recipe(
    heading="A fault test",
    edits=(
        FAULT_CODE.edits[2],
        Edit(
            FAULTS, "FAULTS: tuple[Fault, ...] = (", ENTRY.replace("HARDLY_PUSHED", "SHORT_TURN")
        ),
    ),
    play=FAULT_CODE.play,
    printed="round_void short_turn\nagrees\n",
    tests=(
        "hil_tests/test_faults.py",
        "hil_tests/test_money_wheel.py::test_a_fault_gives_its_code[hardly_pushed]",
    ),
)
