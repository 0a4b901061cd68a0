"""The recipe of a role: the toy of test_toy_role, and what its host and its second authors add."""

from host_tools.tests.recipes.runner import Edit, Recipe
from protocol.tests.test_toy_role import OWN

HOST = '''
"""A toy: any pull of its lever counts; no game is played on it yet."""

from collections.abc import Iterator, Sequence

from tabletools.roles.role import Demand, Message, Opened, Played, Record, Role


class Toy(Message, frozen=True):
    """toy_result: how often its lever was pulled."""

    pulls: int

    def text(self) -> str:
        """The pulls."""
        return f"pulled {self.pulls} times"


def demands(_played: Played) -> list[Demand]:
    """Nothing."""
    return []


def objections(
    _played: Played, _opened: Opened | None, _ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """None."""
    yield from ()


def outcome(_played: Played, ended: Record, _records: Sequence[Record]) -> dict[str, object]:
    """The pulls."""
    return {"pays": Toy.of_record(ended).pulls}


ROLE = Role(
    "toy_result", frozenset(), demands, objections, outcome, messages={"toy_result": Toy}
)
'''

FRAMES = "protocol/vectors/frames.txt"
DISSECTOR = "protocol/wireshark/tablewire.lua"
FIRST = "# double zero, seven circuits, 60 s\n"
FRAME = (
    "# a lever was pulled twice\nmessage toy_result\nflags 2\ncounter 95\nvalues 2\n"
    "body 01 3c 02 00 01 67120000 03000000 5f000000 e8fd0000 0900"
    "0000 78563412 d204 02\n"
    "crc 6c1654e5\n"
    "frame 04013c02040167120102030101025f010103e8fd01020901010c78563412d204026c1654e500\n\n"
)

ROLE = Recipe(
    heading="A role",
    edits=(
        *(Edit(path, "", text) for path, text in OWN.items()),
        Edit("host_tools/tabletools/roles/toy.py", "", HOST),
        Edit(FRAMES, FIRST, FRAME + FIRST, instead=True),
        Edit(DISSECTOR, '"picked_up", "thrown", "drawing",', ' "pulled",'),
        Edit(DISSECTOR, '"cards", "balls", "shoe",', ' [21] = "toys",'),
        Edit(DISSECTOR, '"draw_machine", "card_shoe",', ' "toy",'),
        Edit(DISSECTOR, '    [12] = "card_reader" },\n', '  { "lever" },\n'),
        Edit(
            DISSECTOR,
            "  [0x44] = {",
            '  [0x3C] = { "toy_result", { number("pulls", "u8", nil, 1, 9) } },\n  [0x44] = {',
            instead=True,
        ),
        Edit(
            "firmware/size.py", "BUDGETS = {\n", '    "toy": ("firmware/tablelogic/toy", 1024),\n'
        ),
    ),
    play="""
from hil_tests.decisions import decided_table
from tableemulator.machines import emulator
from tabletools import decode, roles

from tabletools.replay import replayed
from tabletools.roles import Played

table = decided_table(emulator("toy").setup(), 1)
ended = table.spin().ended
record = decode.record(ended)
print(record["type"], replayed(table.controller.trace(ended.round))[2].word)
print(decode.describe(record))
print(roles.objections(Played(None), None, record, []), roles.outcome_of(Played(None), record, []))
""",
    printed="toy_result agrees\npulled 2 times\n[] {'pays': 2}\n",
    tests=(
        "protocol/tests/test_vectors.py",
        "protocol/tests/test_spec.py",
        "protocol/tests/test_host_tables.py",
        "protocol/tests/test_wireshark.py::test_tables_by_hand_are_the_declared_ones",
        "hil_tests/test_emulate_command.py::test_every_role_goes_on_from_the_middle_of_a_round",
        "hil_tests/test_faults.py",
        "hil_tests/test_size.py::test_every_package_fits",
        "hil_tests/test_size.py::test_every_role_has_its_own_files",
        "host_tools/tests/test_roles.py",
    ),
)
