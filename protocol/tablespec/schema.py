"""The schema as plain data, its fingerprint, and the record kept of every released version."""

import json
from typing import Any

from crcmod.predefined import mkCrcFun

from tablespec.config import KEYS
from tablespec.frame import FLAGS, HEADER_FIELDS, VERSION
from tablespec.messages import MESSAGES


def schema() -> dict[str, Any]:
    """Every fact two ends must share to understand each other, as JSON-ready data."""
    return {
        "version": VERSION,
        "header": [[name, code] for name, code, _ in HEADER_FIELDS],
        "flags": [[value, name] for value, name, _ in FLAGS],
        "messages": [
            {
                "id": message.id,
                "name": message.name,
                "sender": message.sender,
                "durable": message.durable,
                "fields": [
                    {
                        "name": name,
                        "code": facts.code,
                        "unit": facts.unit,
                        "low": facts.low,
                        "high": facts.high,
                        "unknown": facts.unknown,
                        "names": [list(pair) for pair in facts.names],
                        "since": facts.since,
                    }
                    for name, facts in message.facts()
                ],
            }
            for message in MESSAGES
        ],
        "configuration": [[key.number, key.name, key.unit, key.low, key.high] for key in KEYS],
    }


def fingerprint() -> int:
    """CRC-32 of the canonical schema text: the seed of every frame's CRC."""
    text = json.dumps(schema(), sort_keys=True, separators=(",", ":"))
    return int(mkCrcFun("crc-32")(text.encode()))
