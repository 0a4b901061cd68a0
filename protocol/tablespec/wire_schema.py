"""The schema as plain data, its fingerprints, and the stored schema of every released version."""

import json
from collections.abc import Iterable
from typing import Any

from crcmod.predefined import mkCrcFun

from tablespec import names
from tablespec.config_keys import KEYS
from tablespec.field_types import FieldFacts, Names
from tablespec.frame import FLAGS, HEADER_FIELDS, MINOR, SEED, VERSION
from tablespec.message_list import MESSAGES, Message
from tablespec.roles import ROLES, RoleWords


def _field(name: str, facts: FieldFacts, names: Names) -> dict[str, Any]:
    values = [value for value, _ in names]
    return {
        "name": name,
        "code": facts.code,
        "unit": facts.unit,
        "low": min(values) if names else facts.low,
        "high": max(values) if names else facts.high,
        "unknown": facts.unknown,
        "names": [list(pair) for pair in names],
        "since": facts.since,
    }


def _message(message: Message, foreign: frozenset[tuple[int, str]]) -> dict[str, Any]:
    """Return one message; its enumerations without the `foreign` values."""
    return {
        "id": message.id,
        "name": message.name,
        "sender": message.sender,
        "durable": message.durable,
        "fields": [
            _field(name, facts, tuple(pair for pair in facts.names if pair not in foreign))
            for name, facts in message.facts()
        ],
    }


def _words(role: RoleWords) -> frozenset[tuple[int, str]]:
    """Return every (value, name) in enumerations of the core that only this role uses."""
    reasons = {(reason.number, reason.name) for reason in role.reasons}
    return frozenset(reasons).union(*(pairs for _, pairs in role.adds))


def _schema(messages: Iterable[Message], role: str | None) -> dict[str, Any]:
    others = [each for each in ROLES if role is not None and each.name not in (role, "diagnosis")]
    ids = {message.id for other in others for message in other.messages}
    foreign = frozenset[tuple[int, str]]().union(*map(_words, others))
    return {
        "version": VERSION,
        "minor": MINOR,
        "seed": SEED,
        "header": [[name, code] for name, code, _ in HEADER_FIELDS],
        "flags": [[value, name] for value, name, _ in FLAGS],
        "messages": [_message(each, foreign) for each in messages if each.id not in ids],
        "inputs": [
            [each.number, *pair]
            for each in ROLES
            if role in (None, each.name)
            for pair in each.inputs
        ],
        "configuration": [
            [key.number, key.name, key.unit, key.low, key.high]
            for key in KEYS
            if role is None or key.role in ("", role)
        ],
    }


def schema(role: str | None = None) -> dict[str, Any]:
    """Return every fact that two ends must share to understand each other, as JSON-ready data.

    role: name of a role, for the core and that role only; None for everything.
    """
    return _schema(MESSAGES, role)


def fingerprint(role: str) -> int:
    """CRC-32 of the canonical text of the core's and one role's schema, as `identity` has it."""
    text = json.dumps(schema(role), sort_keys=True, separators=(",", ":"))
    return int(mkCrcFun("crc-32")(text.encode()))


def fingerprints() -> dict[int, int]:
    """The fingerprint of every role, by the role's number."""
    return {number: fingerprint(name) for number, name in names.ROLE}
