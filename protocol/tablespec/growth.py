"""What each minor version of the wire added, from the schemas in protocol/released."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tablespec.check_break import RELEASED
from tablespec.markdown_rows import rows
from tablespec.wire_schema import schema

Schema = dict[str, Any]


def growth_tables() -> list[str]:
    """Return the lines of one section for each version that is later than the first."""
    stored = [json.loads(file.read_text()) for file in RELEASED.glob("schema-*.json")]
    now = json.loads(json.dumps(schema()))
    versions = {_version(each): each for each in (*stored, now)}
    lines: list[str] = []
    for before, after in pairwise(sorted(versions)):
        title = f"### New in wire {after[0]}.{after[1]}"
        lines += ["", title, "", "| what | which |", "|---|---|"]
        for change in added(versions[before], versions[after]):
            lines += rows(*change)
    return lines


def _version(schema: Schema) -> tuple[int, int]:
    return schema["version"], schema["minor"]


def added(old: Schema, new: Schema) -> Iterator[tuple[str, str]]:
    """Yield what `new` has and `old` has not: messages, fields, values, ranges, inputs, keys."""
    fields = {(m["name"], f["name"]): f for m in old["messages"] for f in m["fields"]}
    known = {message["name"] for message in old["messages"]}
    values: dict[str, list[str]] = {}
    for message in new["messages"]:
        if message["name"] not in known:
            yield "message", f"0x{message['id']:02X} {message['name']}"
            continue
        for field in message["fields"]:
            place = f"{message['name']}.{field['name']}"
            before = fields.get((message["name"], field["name"]))
            if before is None:
                yield "field", place
            elif field["names"]:
                for pair in field["names"]:
                    if pair not in before["names"]:
                        values.setdefault(f"{pair[0]} `{pair[1]}`", []).append(place)
            elif (field["low"], field["high"]) != (before["low"], before["high"]):
                range_before = f"{before['low']}..{before['high']}"
                yield "range", f"{place}: {field['low']}..{field['high']}, was {range_before}"
    for value, places in values.items():
        yield "value", f"{value} of {', '.join(places)}"
    for role, number, name in new["inputs"]:
        if [role, number, name] not in old["inputs"]:
            yield "input", f"{number} `{name}` of role {role}"
    keys = [key for key in new["configuration"] if key not in old["configuration"]]
    if keys:
        yield "configuration keys", ", ".join(f"{key[0]} {key[1]}" for key in keys)
