"""Refuse a schema that breaks a released one: `python -m tablespec.check_break [--freeze]`.

Allowed: new messages, fields appended with a later `since` and an unknown value, new names in an
enumeration, new configuration keys. Everything else (id, order, type, unit, meaning of a value) is
a break. --freeze writes the schema of a version that is about to be released.
"""

import json
import sys
from pathlib import Path
from typing import Any

from tablespec.frame import MINOR, VERSION
from tablespec.wire_schema import schema

RELEASED = Path(__file__).parent.parent / "released"


def breaks(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return the contradictions of `new` to `old`, one sentence each; empty if there are none."""
    parts = ("version", "seed", "header", "flags")
    changes = [f"{part} changed" for part in parts if old[part] != new[part]]
    by_id = {message["id"]: message for message in new["messages"]}
    for message in old["messages"]:
        label = f"message 0x{message['id']:02x} {message['name']}"
        now = by_id.get(message["id"])
        if now is None:
            changes.append(f"{label} is gone")
        else:
            changes += _message_breaks(label, message, now)
    keys = {key[0]: key[:3] for key in new["configuration"]}
    for key in old["configuration"]:
        if keys.get(key[0]) != key[:3]:
            changes.append(f"configuration key {key[0]} {key[1]} changed or is gone")
    return changes


def _message_breaks(label: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    changes = [f"{label}: {k} changed" for k in ("name", "sender", "durable") if old[k] != new[k]]
    if len(new["fields"]) < len(old["fields"]):
        return [*changes, f"{label}: a field is gone"]
    for before, after in zip(old["fields"], new["fields"], strict=False):
        for part in ("name", "code", "unit", "unknown", "since"):
            if before[part] != after[part]:
                changes.append(f"{label}.{before['name']}: {part} changed")
        names = dict(map(tuple, after["names"]))
        for value, name in before["names"]:
            if names.get(value) != name:
                changes.append(f"{label}.{before['name']}: value {value} is no longer {name}")
    last = max((field["since"] for field in old["fields"]), default=0)
    for field in new["fields"][len(old["fields"]) :]:
        if field["since"] <= last:
            changes.append(f"{label}.{field['name']}: appended, so since must be above {last}")
        if field["unknown"] is None and not field["code"].endswith("s"):
            changes.append(f"{label}.{field['name']}: appended, so it needs an unknown value")
    return changes


def freeze() -> int:
    """Write the schema of the present version; exit 1 if that version is already frozen."""
    file = RELEASED / f"schema-{VERSION}.{MINOR}.json"
    if file.exists():
        print(f"check_break: error: {file.name} is released and never edited; raise frame.MINOR")
        return 1
    file.write_text(json.dumps(schema(), indent=1) + "\n")
    print(f"check_break: wrote {file.name}")
    return 0


def main(arguments: list[str]) -> int:
    """Compare with every schema in protocol/released; exit 1 and print the breaks."""
    if "--freeze" in arguments:
        return freeze()
    files = sorted(RELEASED.glob("schema-*.json"))
    if not files:
        print("check_break: error: protocol/released contains no schema to compare with")
        return 1
    failed = 0
    for file in files:
        for sentence in breaks(json.loads(file.read_text()), schema()):
            print(f"check_break: {file.name}: {sentence}; add a new message or field instead")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
