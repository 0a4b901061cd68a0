"""The Wireshark dissector, a second decoder written from PROTOCOL.md alone, agrees with the first.

Its core runs here in the Lua of lupa, always; the whole in tshark, where that is installed.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share, soaked
from protocol.tests import wireshark_tools as tools
from protocol.tests.test_vectors import blocks, unhex
from protocol.tests.textbook_cobs import stuffed
from tablespec.config_keys import KEYS
from tablespec.field_types import FieldFacts
from tablespec.message_list import MESSAGES
from tabletools.decode import implied_seed
from tablewire.cobs import unstuff

# 5.2 is Wireshark's up to 4.2, 5.4 since; the others are between and before.
LUAS = ("lua51", "lua52", "lua53", "lua54")
DOCUMENT = (tools.ROOT / "protocol" / "PROTOCOL.md").read_text(encoding="utf-8")
TOOL = str(Path(sys.executable).with_name("tabletool"))
CODES = {"u8": "B", "u16": "H", "u32": "I", "i8": "b", "i32": "i"}


@pytest.fixture(scope="module", params=LUAS)
def core(request):
    return tools.lua_core(request.param)


@pytest.fixture(scope="module")
def seed(core54):
    return core54.SEED


@pytest.fixture(scope="module")
def core54():
    return tools.lua_core("lua54")


@pytest.fixture(scope="module")
def night(tmp_path_factory):
    """A folder with night.capture: three spins of an emulated table, with faults."""
    folder = tmp_path_factory.mktemp("night")
    command = [TOOL, "emulate", "roulette", "--wheel", "double", "--spins", "3", "--seed", "5"]
    command += ["--fault", "mixed", "--out", "night.capture"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return folder


@pytest.fixture(scope="module")
def uart(night):
    """The bytes the emulated table sent."""
    lines = (night / "night.capture").read_text(encoding="utf-8").splitlines()
    return b"".join([unhex(line.split(" ")[3]) for line in lines if " < " in line])


@pytest.fixture(scope="module")
def decoded(night, uart):
    """What `tabletool decode --json --raw` says of them."""
    (night / "uart.bin").write_bytes(uart)
    return decode_json(night, "uart.bin", "--raw")


def decode_json(folder, *words):
    done = subprocess.run(
        [TOOL, "decode", "--json", *words], cwd=folder, check=True, capture_output=True, timeout=60
    )
    return [tools.from_tabletool(json.loads(line)) for line in done.stdout.splitlines()]


def read(core, stream, seed):
    return [tools.from_core(item) for item in core.stream(stream, seed).values()]


# The core ------------------------------------------------------------------------------------


def test_vectors_are_read_as_tabletool_reads_them(core):
    """Every hand-written frame, good and bad, field by field; then a frame that never ends."""
    stream = tools.vectors(*tools.ALL)
    for rest in (b"", b"\x03\x01", b"\1" * 255, b"\1" * 256, b"\0\0"):
        records = read(core, stream + rest, 0)
        assert records == tools.decoded(stream + rest, 0)
        assert len(records) == sum(len(blocks(name)) for name in tools.ALL) + bool(
            rest.strip(b"\0")
        )


@pytest.mark.parametrize("number", range(len(blocks("bad.txt"))))
def test_a_bad_frame_is_refused_for_its_reason(core, number):
    """The reason the vector names, and the next frame is believed."""
    block = blocks("bad.txt")[number]
    good = unhex(blocks("frames.txt")[0]["frame"])
    refused, believed = read(core, unhex(block["frame"]) + good, 0)
    assert (refused["reason"], refused["offset"]) == (block["reason"], 0)
    assert believed["type"] == blocks("frames.txt")[0]["message"]


@pytest.mark.one_in(2)
def test_an_evening_is_read_as_tabletool_reads_it(core, uart, decoded):
    """Every frame of an emulated table, under the document's seed."""
    assert read(core, uart, core.SEED) == decoded
    assert {record["type"] for record in decoded} >= {"identity", "wheel_result", "round_void"}


BODIES = [
    bytes(unstuff(unhex(block["frame"])[:-1]))[:-4]
    for name in ("frames.txt", "tagged.txt")
    for block in blocks(name)
]
EDGES = st.sampled_from([0, 1, 2, 3, 6, 9, 20, 21, 32, 33, 37, 38, 127, 128, 250, 251, 254, 255])
EDITS = st.lists(st.tuples(st.floats(0, 0.999), EDGES | st.integers(0, 255)), max_size=3)


@st.composite
def frames(draw):
    """A vector's frame with changed, missing or surplus bytes under a right sum; or noise."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=300)) + b"\0"
    body = bytearray(draw(st.sampled_from(BODIES)))
    for place, byte in draw(EDITS):
        # Most changes belong into the payload.
        first = 31 if len(body) > 31 and place > 0.3 else 0
        body[first + int(place * (len(body) - first))] = byte
    if draw(st.integers(0, 9)) == 0:
        body = body[: draw(st.integers(0, len(body)))]
    body += draw(st.just(b"") | st.just(b"") | st.binary(max_size=40))
    return stuffed(bytes(body) + crc32(body).to_bytes(4, "little"))


@pytest.mark.parametrize(("size", "reason"), [(254, "type"), (255, "overlong")])
def test_the_longest_body(core, size, reason):
    """The limit of 256 bytes counts the zero byte: 254 of body just fit."""
    body = b"\x01\x7e\x02" + b"\x07" * (size - 7)
    frame = stuffed(body + crc32(body).to_bytes(4, "little"))
    assert (len(frame) <= 256) == (size <= 254)
    assert [record["reason"] for record in read(core, frame, 0)] == [reason]
    assert read(core, frame, 0) == tools.decoded(frame, 0)


@settings(max_examples=share(300, 3), deadline=None)
@given(stream=st.lists(frames(), min_size=1, max_size=6).map(b"".join), keep=st.floats(0, 1))
def test_any_stream_is_read_as_tabletool_reads_it(core54, stream, keep):
    """The same frames, values, reasons and places, also when the stream ends inside a frame."""
    for part in (stream, stream[: int(keep * len(stream))]):
        assert read(core54, part, 0) == tools.decoded(part, 0)


def test_the_crc_goes_on_from_its_seed(core):
    """Check values of the document; and a sum run backwards gives its seed."""
    sums = {0: 0xCBF43926, 1: 0xDC8F2D65}
    for seed, value in sums.items():
        assert core.crc32("123456789", seed) == value == crc32(b"123456789", seed)
        assert f"0x{value:08X}` with seed {seed}" in DOCUMENT
    body = b"any bytes \xff\0" + (0xDEADBEEF).to_bytes(4, "little")
    assert core.seed_of(body[:-4], 0xDEADBEEF) == implied_seed(body)


def test_another_major_version_is_named(core54):
    """A refusal for the CRC says which seed fits: the vector was sealed with seed 1."""
    (item,) = core54.stream(unhex(blocks("bad.txt")[1]["frame"]), 0).values()
    assert (item.reason, item.detail) == ("crc", "fits seed 0x00000001 only")


def test_text_names_units_and_the_unknown(core):
    """A reader sees what a number means, and never the number of an unknown as a value."""
    texts = {}
    for item in core.stream(tools.vectors("frames.txt"), 0).values():
        texts.setdefault(item.message, {f.name: f.text for f in item.fields.values()})
    assert texts["heartbeat"]["progress"] == "not known (255)"
    assert texts["heartbeat"]["machine_drpm"] == "143 (14.3 rpm)"
    assert texts["heartbeat"]["machine_direction"] == "counter_clockwise (-1)"
    assert texts["wheel_result"]["pocket"] == "00 (37)"
    assert texts["wheel_result"]["circuits_centi"] == "1530 (15.30 circuits)"
    assert texts["round_void"]["reason"] == "ball_with_rotor (102)"
    assert texts["round_void"]["input"] == "not known (255)"
    assert texts["refusal"]["command"] == "set_configuration (70)"
    assert texts["set_configuration"] == {"key": "min_circuits (8)", "value": "7 circuits"}
    assert texts["round_opened"]["max_bet_ms"] == "60000 ms"
    assert texts["identity"]["board"] == "rpi_pico2"
    assert texts["identity"]["schema"] == "0xDEADBEEF"


# By hand against generated ---------------------------------------------------------------------


def facts_of(field) -> FieldFacts:
    """A hand-written field as the declaration's facts, without unit and meaning."""
    if field.length:
        return FieldFacts(f"{field.length}s", "", 0, 255, None, (), 1, "")
    names = tuple(sorted(field.names.items())) if field.names else ()
    values = [value for value, _ in names] or [field.low, field.high]
    code = CODES[field.kind]
    return FieldFacts(code, "", min(values), max(values), field.unknown, names, 1, "")


def test_tables_by_hand_are_the_declared_ones(core54):
    """Every message, field, range, name and unknown value, both ways."""
    hand = {
        ident: (entry[1], [(f.name, facts_of(f)) for f in entry[2].values()])
        for ident, entry in core54.MESSAGES.items()
    }
    declared = {}
    for message in MESSAGES:
        facts = [
            (n, FieldFacts(f.code, "", f.low, f.high, f.unknown, tuple(sorted(f.names)), 1, ""))
            for n, f in message.facts()
        ]
        declared[message.id] = (message.name, facts)
    assert hand == declared


def test_units_by_hand_are_the_declared_ones(core54):
    """Of every number; the fingerprint is shown in hex, a value of a key in the key's unit."""
    for message in MESSAGES:
        fields = core54.MESSAGES[message.id][2].values()
        for field, (name, facts) in zip(fields, message.facts(), strict=True):
            if not (facts.names or field.length or facts.unit == "as the key says"):
                assert (field.unit or "") == ("hex" if name == "schema" else facts.unit), name
    keys = {number: (key[1], key[2] or "") for number, key in core54.KEYS.items()}
    assert keys == {key.number: (key.name, key.unit) for key in KEYS}


def test_reasons_and_seed_are_the_documents(core54):
    """The list of checks in its order and its words, and the seed, as printed."""
    table = DOCUMENT.split("| reason | what failed |\n|---|---|\n")[1].split("\n\n")[0]
    rows = re.findall(r"(?m)^\| (\w+) \| (.*) \|$", table)
    assert [(pair[1], pair[2]) for pair in core54.REASONS.values()] == rows
    assert f"seed of the CRC: `0x{core54.SEED:08X}`" in DOCUMENT


# In tshark -------------------------------------------------------------------------------------

SEED_0 = ("-o", "tablewire.seed:0")


@pytest.fixture(scope="module")
def tshark():
    """tools.tshark, where there is one."""
    if not shutil.which("tshark"):
        pytest.skip(
            "the optional tool tshark is absent (apt install tshark); the core ran in lupa"
        )
    return tools.tshark


def test_packets_of_vectors(tshark, tmp_path):
    """All in one packet of USER0: every field, flag, reason and place; the tag is shown."""
    stream = tools.vectors(*tools.ALL)
    records, root = tshark(tools.pcap(tmp_path / "v.pcap", tools.USER0, [stream]), *SEED_0)
    assert records == tools.decoded(stream, 0)
    (tag,) = root.findall(".//*[@name='tablewire.tag']")
    assert tag.get("value") == blocks("tagged.txt")[0]["tag"]
    notes = root.findall(".//*[@name='tablewire.unauthenticated']")
    assert len(notes) == len(blocks("frames.txt"))


def test_packets_of_an_evening(tshark, tmp_path, uart, decoded):
    """The seed's default is the document's."""
    records, _ = tshark(tools.pcap(tmp_path / "n.pcap", tools.USER0, [uart]))
    assert records == decoded


def test_reads_of_a_uart_are_cut_anywhere(tshark, tmp_path):
    """Two passes know that the last frame never ended; one pass says that it may go on."""
    stream = tools.vectors(*tools.ALL) + b"\x03\x01\x01"
    wanted = tools.without(tools.decoded(stream, 0), "offset")
    for size in (1, 7, 100):
        path = tools.pcap(tmp_path / f"{size}.pcap", tools.USER0, tools.cut(stream, size))
        records, _ = tshark(path, "-2", *SEED_0)
        assert tools.without(records, "offset") == wanted
    records, root = tshark(path, *SEED_0)
    assert tools.without(records, "offset") == wanted[:-1]
    assert root.findall(".//packet")[-1].find(".//*[@name='tablewire.unfinished']") is not None


@pytest.mark.parametrize("size", [7, 100, 1000, *soaked([1])])
def test_segments_are_put_together(tshark, tmp_path, size):
    """Frames cut over TCP segments, overlong ones too."""
    stream = tools.vectors(*tools.ALL)
    packets = tools.segments(tools.cut(stream, size))
    records, _ = tshark(tools.pcap(tmp_path / "t.pcap", tools.RAW_IP, packets), *SEED_0)
    assert tools.without(records, "offset") == tools.without(tools.decoded(stream, 0), "offset")


def test_an_evening_in_segments(tshark, tmp_path, uart, decoded):
    packets = tools.segments(tools.cut(uart, 200))
    records, _ = tshark(tools.pcap(tmp_path / "t.pcap", tools.RAW_IP, packets))
    assert tools.without(records, "offset") == tools.without(decoded, "offset")


def test_another_port_is_guessed_or_set(tshark, tmp_path):
    """A whole frame with a right sum is proof; bytes of something else are left alone."""
    stream = tools.vectors("frames.txt")
    wanted = tools.without(tools.decoded(stream, 0), "offset")
    packets = tools.segments(tools.cut(stream, 100), source=4001)
    path = tools.pcap(tmp_path / "p.pcap", tools.RAW_IP, packets)
    for options in ((), ("-o", "tablewire.ports:4001")):
        records, _ = tshark(path, *SEED_0, *options)
        assert tools.without(records, "offset") == wanted
    packets = tools.segments([b"GET / HTTP/1.1\r\n\r\n", b"\x05\0\0\0\x02ab\0"], source=4001)
    assert tshark(tools.pcap(path, tools.RAW_IP, packets), *SEED_0)[0] == []


def test_the_documents_commands_work(tshark, night):
    """The capture of tabletool as packets, both ways on the line, then read."""
    section = DOCUMENT.split("## See it in Wireshark")[1]
    convert, show = re.search(r"```sh\n(.*?)\n```", section, re.DOTALL)[1].splitlines()
    subprocess.run(["sh", "-c", convert], cwd=night, check=True, timeout=60)
    records, _ = tshark(night / "night.pcapng")
    wanted = decode_json(night, "night.capture", "--commands")
    # Host and table speak at once: the order between the two is the capture's.
    assert in_order(records) == in_order(wanted)
    assert show.startswith("tshark -X lua_script:protocol/wireshark/tablewire.lua ")
    script = show.replace("protocol/", f"{tools.ROOT}/protocol/")
    done = subprocess.run(
        ["sh", "-c", script], cwd=night, check=True, capture_output=True, timeout=60
    )
    assert b"pocket: " in done.stdout


def in_order(records):
    return sorted(
        json.dumps(record, sort_keys=True) for record in tools.without(records, "offset")
    )
