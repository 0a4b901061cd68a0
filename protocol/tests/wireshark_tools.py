"""For test_wireshark.py: vectors as streams, packets as pcap files, decoded frames as records.

A record here is what tabletool decode tells of a frame, without its words for the reader.
"""

import importlib
import os
import struct
import subprocess
from pathlib import Path
from xml.etree import ElementTree

from protocol.tests.test_vectors import blocks, unhex
from tablespec.message_list import MESSAGES
from tablespec.names import LABELS, ROLE
from tabletools.decode import Decoder

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "protocol" / "wireshark" / "tablewire.lua"
HEADER = ("device", "boot", "counter", "uptime_ms", "round", "minor", "role", "echo", "echo_ms")
RAW = {
    (message.name, name)
    for message in MESSAGES
    for name, facts in message.facts()
    if facts.code.endswith("s")
}
WORDS = {name: LABELS[number] for number, name in ROLE}
USER0, RAW_IP = 147, 101
TABLE_PORT, HOST_PORT = 7301, 50000


def vectors(*names):
    return b"".join([unhex(block["frame"]) for name in names for block in blocks(name)])


ALL = ("bad.txt", "frames.txt", "tagged.txt")


def lua_core(version):
    """The dissector's core in a fresh Lua; strings are bytes as latin-1."""
    runtime = importlib.import_module(f"lupa.{version}").LuaRuntime(encoding="latin-1")
    return runtime.execute(SCRIPT.read_text(encoding="utf-8"))


# Records -------------------------------------------------------------------------------------


def add_field(record, name, value, choice, is_unknown):
    """One payload field, as three sources tell it: its number, its name, whether it is known."""
    if name in ("reason", "fault"):
        record["code"] = None if is_unknown else value
    if name == "key":
        record["key_name"] = choice
    elif name == "command":
        value = choice or f"0x{value:02x}"
    elif name == "input":
        record["sensor"] = None if is_unknown else choice
    elif choice is not None:
        value = choice
    value = None if is_unknown else value
    record[name] = value
    if word := WORDS.get(record["role"], {}).get(name):
        record[word] = value


def add_header(record, values):
    """The header's fields that a record shows; what is not known is None."""
    for name in HEADER:
        record[name] = values[name]
    record["role"] = dict(ROLE).get(values["role"])
    record["echo"] = values["echo"] or None
    record["echo_ms"] = None if values["echo_ms"] == 65535 else values["echo_ms"]


def from_core(item):
    """What the Lua core says of one piece, as a record."""
    if item.reason:
        return {
            "type": "skipped",
            "reason": item.reason,
            "offset": item.offset,
            "length": item.length,
        }
    record = {"type": item.message, "offset": item.offset, "length": item.length}
    record["flags"] = sorted(name for name, is_set in item.flags.items() if is_set)
    record["seal"] = "unverified" if item.tag else "none"
    add_header(record, {field.name: field.value for field in item.header.values()})
    for field in item.fields.values():
        value = field.value.encode("latin-1").hex() if field.kind == "bytes" else field.value
        add_field(record, field.name, value, field.choice, field.not_known)
    return record


def from_tabletool(item):
    """A record of tabletool decode without its words for the reader."""
    words = ("detail", "hint", "authenticated", "t_us", "direction")
    record = {key: value for key, value in item.items() if key not in words}
    if "flags" in record:
        record["flags"] = sorted(record["flags"])
    return record


def decoded(stream, seed):
    """The records of tabletools' own decoder."""
    decoder = Decoder(seed=seed)
    return [from_tabletool(item) for item in decoder.feed(stream) + decoder.finish()]


def from_pdml(proto):
    """What tshark shows of one piece (a proto element), as a record."""
    top = {field.get("name"): field for field in proto.findall("field")}
    place = {
        "offset": int(top["tablewire.offset"].get("show")),
        "length": int(top["tablewire.length"].get("show")),
    }
    if "tablewire.refused" in top:
        reason = top["tablewire.refused"].get("show")
        assert f"tablewire.reason.{reason}" in {field.get("name") for field in proto.iter("field")}
        return {"type": "skipped", "reason": reason, **place}
    message = top["tablewire.message"].get("show")
    record = {"type": message, **place, "seal": top["tablewire.seal"].get("show")}
    assert (record["seal"] == "none") == (proto.find(".//*[@name='tablewire.tag']") is None)
    flags = top["tablewire.flags"].findall("field")
    record["flags"] = sorted(
        flag.get("name").rpartition(".")[2] for flag in flags if flag.get("show") in ("1", "True")
    )
    add_header(record, {name: int(top[f"tablewire.{name}"].get("show")) for name in HEADER})
    for full, field in top.items():
        prefix, _, name = full.rpartition(".")
        if prefix == f"tablewire.{message}":
            value = pdml_value(field, is_raw=(message, name) in RAW)
            add_field(record, name, value, *pdml_words(field))
    return record


def pdml_value(field, *, is_raw):
    """A number, a text (a board's name, a secret withheld), or raw bytes as hex."""
    text = field.get("show")
    if not is_raw:
        return int(text)
    return (
        text if field.get("name").endswith((".board", ".host", ".secret")) else field.get("value")
    )


def pdml_words(field):
    inside = {part.get("name"): part.get("show") for part in field.findall("field")}
    is_unknown = "tablewire.not_known" in inside
    assert is_unknown == ("not known" in field.get("showname"))
    return inside.get("tablewire.choice"), is_unknown


def without(records, *keys):
    return [{key: record[key] for key in record if key not in keys} for record in records]


# Packets -------------------------------------------------------------------------------------


def pcap(path, link_type, packets):
    """Write a classic pcap file of packets, one a millisecond."""
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)]
    for number, packet in enumerate(packets):
        seconds, thousandths = divmod(number, 1000)
        size = len(packet)
        out.append(struct.pack("<IIII", seconds, thousandths * 1000, size, size) + packet)
    path.write_bytes(b"".join(out))
    return path


def cut(stream, size):
    return [stream[n : n + size] for n in range(0, len(stream), size)]


def segments(pieces, source=TABLE_PORT, target=HOST_PORT):
    """IPv4 packets with the pieces as one TCP stream from source to target."""
    packets = []
    sequence = 1
    for piece in pieces:
        tcp = struct.pack(">HHIIBBHHH", source, target, sequence, 1, 0x50, 0x18, 8192, 0, 0)
        local = bytes((127, 0, 0, 1))
        size = 20 + len(tcp) + len(piece)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, size, 0, 0x4000, 64, 6, 0, local, local)
        packets.append(ip + tcp + piece)
        sequence += len(piece)
    return packets


def tshark(path, *options):
    """The records tshark shows of a capture, and the XML they came from."""
    done = subprocess.run(
        ["tshark", "-X", f"lua_script:{SCRIPT}", "-r", str(path), "-T", "pdml", *options],
        capture_output=True,
        check=True,
        timeout=120,
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(path.parent)},
    )
    assert b"Lua" not in done.stderr, done.stderr.decode()
    assert b"Lua Error" not in done.stdout
    root = ElementTree.fromstring(done.stdout)
    protos = root.findall(".//proto[@name='tablewire']")
    pieces = [proto for proto in protos if proto.find("*[@name='tablewire.offset']") is not None]
    return [from_pdml(proto) for proto in pieces], root
