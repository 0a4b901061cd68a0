"""Generated parts of the documents: message tables of PROTOCOL.md and the page of codes."""

import textwrap
from collections.abc import Iterator

from tablespec import names
from tablespec.config_keys import KEYS, ORDERS
from tablespec.field_types import FieldFacts, Names
from tablespec.frame import FLAGS, HEADER_FIELDS, MINOR, SEED, VERSION
from tablespec.growth import growth_tables
from tablespec.markdown_rows import rows
from tablespec.message_list import MESSAGES
from tablespec.reasons import CHECKS, REASONS
from tablespec.role_tables import listed, role_tables
from tablespec.roles.roulette import POCKET
from tablespec.wire_schema import fingerprints

_TYPES = {"B": "u8", "H": "u16", "I": "u32", "b": "i8", "i": "i32"}
_MOST = 118
"""Characters of a line."""
_SEVERITY = {1: "play again", 2: "croupier acts", 3: "technician acts"}


def _type(code: str) -> str:
    return _TYPES.get(code) or f"{code[:-1]} bytes"


def _name(pairs: Names) -> str:
    if pairs == names.REASON:
        return "a reason code"
    if pairs == POCKET:
        return "0..36 as printed, 37 `00`"
    return listed(pairs)


def _range(facts: FieldFacts) -> str:
    if facts.names:
        return _name(facts.names)
    if facts.code.endswith("s"):
        return "any"
    return f"{facts.low}..{facts.high}"


def _rows(name: str, facts: FieldFacts) -> Iterator[str]:
    unknown = "-" if facts.unknown is None else str(facts.unknown)
    cells = (name, _type(facts.code), facts.unit or "-", _range(facts), unknown, facts.meaning)
    yield from rows(*cells, f"{VERSION}.{facts.since}", long=3)


def protocol_tables() -> str:
    """Every fact of the schema as Markdown tables."""
    lines = [f"Wire {VERSION}.{MINOR}; seed of the CRC: `0x{SEED:08X}`.", ""]
    lines += ["A row of a table whose first cell is empty continues the row above it.", ""]
    lines += ["| role | number | fingerprint of its schema |", "|---|---|---|"]
    prints = fingerprints()
    lines += [f"| {name} | {number} | `0x{prints[number]:08X}` |" for number, name in names.ROLE]
    lines += [""]
    lines += ["### Header", "", "| field | type | meaning |", "|---|---|---|"]
    lines += [f"| {name} | {_type(code)} | {meaning} |" for name, code, meaning in HEADER_FIELDS]
    lines += ["", "### Flags", "", "| value | name | meaning |", "|---|---|---|"]
    lines += [f"| {value} | {name} | {meaning} |" for value, name, meaning in FLAGS]
    for message in MESSAGES:
        way = "table to host" if message.sender == "table" else "host to table"
        kind = ", durable" if message.durable else ""
        title = f"### 0x{message.id:02X} {message.name} ({way}{kind})"
        lines += ["", title, "", message.meaning, ""]
        if not message.facts():
            lines += ["No payload."]
            continue
        lines += ["| field | type | unit | range | unknown | meaning | since |"]
        lines += ["|---|---|---|---|---|---|---|"]
        lines += [row for field in message.facts() for row in _rows(*field)]
    lines += ["", "### Configuration keys", ""]
    lines += ["| key | name | unit | range | factory | meaning |"]
    lines += ["|---|---|---|---|---|---|"]
    for key in KEYS:
        limits = f"{key.low}..{key.high}"
        cells = (str(key.number), key.name, key.unit or "-", limits, str(key.default), key.meaning)
        lines += ["| " + " | ".join(cells) + " |"]
    lines += ["", "### Values that contradict", "", "| must hold | or else |", "|---|---|"]
    lines += [f"| `{o.lower} {_sign(o.gap)}<= {o.upper}` | {o.why} |" for o in ORDERS]
    lines += [*role_tables(), *growth_tables()]
    return "\n".join([*lines, ""])


def _sign(gap: int) -> str:
    return f"{'+' if gap > 0 else '-'} {abs(gap)} " if gap else ""


def _item(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _MOST,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def codes_page() -> str:
    """Return host_tools/docs/codes.md: one section per code, number first."""
    lines = ["# Reason codes", "", "Generated from `protocol/tablespec/` by `make gen`.", ""]
    lines += ["A *void* ends the round: nothing is decided and the bets stay in play."]
    lines += ["A *fault* also locks the table until measurements show that its cause is gone."]
    lines += ["A *check* is what `tabletool diag` found: it ends nothing and locks nothing.", ""]
    for reason in (*REASONS, *CHECKS):
        lines += [f"## {reason.number} {reason.name}", ""]
        severity = f"severity {reason.severity} ({_SEVERITY[reason.severity]})"
        lines += [f"- kind: {reason.kind}, {severity}"]
        for name in ("cause", "remedy", "rule"):
            lines += _item(f"{name}: {getattr(reason, name)}")
        lines += [""]
    return "\n".join(lines)
