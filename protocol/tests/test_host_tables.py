"""A host reads what the Structs say: after a change there nothing is generated for it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tablespec import names

ROOT = Path(__file__).resolve().parents[2]
ROULETTE = "tablespec/roles/roulette.py"
CORE = "tablespec/core"
# Reads the payloads of frames on its command line, (message id, hex) each, as a host; the
# generated files are as before.
READS = """
import json, struct, sys
from binascii import crc32
{imports}
from tablespec import names
from tablewire.codec import FrameError, parse
from tablewire.messages import SEED
read = []
for ident, payload in json.loads(sys.argv[1]):
    body = struct.pack("<BBBBBIIIIIIH", 1, ident, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0)
    body += bytes.fromhex(payload)
    try:
        read.append(list(parse(body + struct.pack("<I", crc32(body, SEED))).values))
    except FrameError as error:
        read.append(str(error))
print(json.dumps([read, names.NAMES[0x12], names.KEY_NAMES[1], dict(names.PHASE).get(40)]))
"""
HOST = "import tablespec.host_tables"
# A role's words bring the device's table with them, before the host's or after.
ORDERS = [f"import tablewire.roulette\n{HOST}", f"{HOST}\nimport tablewire.roulette"]
STATE, BETS_CLOSED, RESULT = 0x03, 0x11, 0x12
# Number 36 at place 35; 3 sensors, 9 readings, 12.34 circuits, then the rest as it may be.
SPIN = "24 23 03 09 d204 01 ff 8e00 7a03 6a3b0000 30110000 01 fa00 80"
VALUES = [36, 35, 3, 9, 1234, 1, -1, 142, 890, 15210, 4400, 1, 250, -128]


def read(place, edits, payloads, imports=HOST):
    """What a host with this specification reads; edits: (file, old, new)."""
    skip = shutil.ignore_patterns("__pycache__", "tests", "vectors", "wireshark")
    shutil.copytree(ROOT / "protocol", place / "protocol", ignore=skip)
    for name, old, new in edits:
        file = place / "protocol" / name
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, (name, old)
        file.write_text(text.replace(old, new), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", READS.replace("{imports}", imports), json.dumps(payloads)],
        env={**os.environ, "PYTHONPATH": str(place / "protocol")},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_as_it_is(tmp_path):
    """The payloads below with nothing edited."""
    records = read(tmp_path, [], [(RESULT, SPIN), (STATE, "01 28"), (BETS_CLOSED, "04 e8030000")])
    refused = "range: message 0x03 field 2 is 40: see PROTOCOL.md"
    assert records == [[VALUES, refused, [4, 1000]], "wheel_result", names.KEY_NAMES[1], None]


@pytest.mark.parametrize("imports", ORDERS, ids=["words first", "words later"])
@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        # A narrower range is refused, though the device's table still allows it.
        (
            '"pocket_index" / number("B", "pockets", 0, 37,',
            '"pocket_index" / number("B", "pockets", 0, 34,',
            "range: message 0x12 field 2 is 35: see PROTOCOL.md",
        ),
        (
            '"agreements" / number("B", "readings", 1, 255,',
            '"agreements" / number("B", "readings", 10, 255,',
            "range: message 0x12 field 4 is 9: see PROTOCOL.md",
        ),
        # The unknown value is another one.
        (
            '"reading beside the pocket, clockwise", unknown=-128',
            '"reading beside the pocket, clockwise", unknown=-127',
            "range: message 0x12 field 14 is -128: see PROTOCOL.md",
        ),
        # A signed place: the same byte is another number.
        (
            '"pocket_index" / number("B", "pockets", 0, 37,',
            '"pocket_index" / number("b", "pockets", -5, 37,',
            VALUES,
        ),
    ],
    ids=["high", "low", "unknown", "type"],
)
def test_a_changed_range_is_the_check_of_the_host(tmp_path, old, new, answer, imports):
    [answers, *_] = read(tmp_path, [(ROULETTE, old, new)], [(RESULT, SPIN)], imports)
    assert answers == [answer]


@pytest.mark.parametrize("imports", ORDERS, ids=["words first", "words later"])
def test_a_wider_range_and_a_further_phase_are_read(tmp_path, imports):
    edits = [
        (ROULETTE, '"B", "pockets", 0, 37,', '"B", "pockets", 0, 40,'),
        (ROULETTE, '(5, "dropped"))', '(5, "dropped"), (40, "photo"))'),
    ]
    wide = SPIN.replace("24 23", "24 28")
    records = read(tmp_path, edits, [(RESULT, wide), (STATE, "01 28")], imports)
    assert records[0] == [[36, 40, *VALUES[2:]], [1, 40]]
    assert records[-1] == "photo"


def test_names_are_those_of_the_specification(tmp_path):
    edits = [
        (ROULETTE, '0x12, "wheel_result"', '0x12, "spin_result"'),
        (ROULETTE, '    "wheel_result",\n    REASONS', '    "spin_result",\n    REASONS'),
        (ROULETTE, 'Key(2, "wheel"', 'Key(2, "rotor"'),
    ]
    assert read(tmp_path, edits, [(RESULT, SPIN)]) == [[VALUES], "spin_result", "rotor", None]


def test_a_field_that_an_older_table_leaves_out_is_filled(tmp_path):
    old = '"open_ms" / number("I", "ms", 0, MAX_MS, "time since round_opened"),'
    new = old + '"dealer" / number("H", "", 0, 9999, "", unknown=65535, since=2),'
    payloads = [(BETS_CLOSED, "04 e8030000"), (BETS_CLOSED, "04 e8030000 0f27")]
    payloads += [(BETS_CLOSED, "04 e8030000 1027")]
    [answers, *_] = read(tmp_path, [(f"{CORE}/round_messages.py", old, new)], payloads)
    refused = "range: message 0x11 field 3 is 10000: see PROTOCOL.md"
    assert answers == [[4, 1000, 65535], [4, 1000, 9999], refused]


def test_the_tables_of_devices_are_those_of_a_host(tmp_path):
    """As generated, before a host's are in their place."""
    code = """
from importlib import import_module
from tablewire import messages
from tablewire.codec import QUICKER
from tablewire.layouts import APPENDED, LAYOUTS
for name in (*messages.ROLES, "diagnosis"):
    import_module("tablewire." + name)
before = dict(LAYOUTS), dict(APPENDED)
assert not QUICKER
import tablespec.host_tables
assert before == (LAYOUTS, APPENDED)
assert QUICKER
print(len(LAYOUTS))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert int(done.stdout) == len(names.NAMES)
