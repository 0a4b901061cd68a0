"""The recipe of a message field: the result of a money wheel gets the warmth of its case."""

from host_tools.tests.recipes.runner import Edit, Recipe

WHEEL = "protocol/tablespec/roles/money_wheel.py"
FRAMES = "protocol/vectors/frames.txt"
FIELD = """
            "case_celsius" / number(
                "B", "degC", 0, 250, "inside the case", unknown=255, since=2
            ),"""
SENT = """
            21,"""
BLOCK = """
    number("case_celsius", "u8", "degC", 0, 250, 255),"""
# The frame of today under minor version 2, and 21 (hex 15) at its end. The CRC-32 is zlib's, and
# the stuffing by its definition: before each run without zeros its length and one.
WRITTEN = (
    ("\nbody 01 20 02 00 01", "\nminor 2\nbody 01 20 02 02 01"),
    (
        "values 10 7 1153 1028 2 -1 171 412 24880 2512",
        "values 10 7 1153 1028 2 -1 171 412 24880 2512 21",
    ),
    (
        "30610000 d009\ncrc b9404f19\nframe 0401200204",
        "30610000 d009 15\ncrc c45989df\nframe 0801200202",
    ),
    ("0610107d009b9404f1900", "0610108d00915c45989df00"),
)

MESSAGE_FIELD = Recipe(
    heading="A message field",
    edits=(
        Edit(WHEEL, '60000, "at rest before the result"),', FIELD),
        Edit("protocol/tablespec/frame.py", "MINOR = 1", "MINOR = 2", instead=True),
        Edit("firmware/tablelogic/money_wheel/money_wheel.py", "            rest_ms,", SENT),
        *(Edit(FRAMES, old, new, instead=True) for old, new in WRITTEN),
        Edit(
            "protocol/wireshark/tablewire.lua",
            'number("turning_ms", "u32", "ms", 0, SOME_MS),\n'
            '    number("rest_ms", "u16", "ms", 0, 60000),',
            BLOCK,
        ),
    ),
    play="""
from hil_tests.decisions import decided_table
from tableemulator.machines import emulator
from tabletools import decode

ended = decode.record(decided_table(emulator("money_wheel").setup(), 1).spin().ended)
print(ended["type"], ended["minor"], ended["case_celsius"])
""",
    printed="money_wheel_result 2 21\n",
    tests=(
        "protocol/tests/test_vectors.py",
        "protocol/tests/test_spec.py",
        "protocol/tests/test_host_tables.py",
        "protocol/tests/test_wireshark.py::test_tables_by_hand_are_the_declared_ones",
        "protocol/tests/test_wireshark.py::test_vectors_are_read_as_tabletool_reads_them",
        "hil_tests/test_wire_evolution.py::test_an_older_host_and_a_newer_table",
        "hil_tests/test_money_wheel.py::test_healthy_rounds_give_the_true_segment",
        "hil_tests/test_wire_evolution.py::test_a_host_of_wire_1_0_and_a_wheel_of_today",
    ),
)
