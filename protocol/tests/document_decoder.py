"""A decoder that knows of the wire only what PROTOCOL.md says: its tables, read from its text.

What the document says in prose (stuffing, CRC, JSON of a record) is written here by hand from it.
It imports nothing of the product.
"""

import json
import re
import struct
import zlib
from dataclasses import dataclass, field
from functools import cached_property

Names = list[tuple[int, str]]
Row = dict[str, str]


class Document:
    """The tables of the document, by the heading above them and their columns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tables: dict[str, list[list[Row]]] = {}
        self._read(text.splitlines())

    def _read(self, lines: list[str]) -> None:
        heading, above = "", ""
        columns: list[str] = []
        for line in lines:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("#"):
                heading = line.lstrip("# ")
            elif line.startswith("|---"):
                columns = [cell.strip() for cell in above.strip("|").split("|")]
                self._tables.setdefault(heading, []).append([])
            elif line.startswith("|") and columns and not cells[0]:
                row = self._tables[heading][-1][-1]
                rest = zip(columns, cells, strict=True)
                row.update({name: f"{row[name]}, {cell}" for name, cell in rest if cell})
            elif line.startswith("|") and columns:
                self._tables[heading][-1].append(dict(zip(columns, cells, strict=True)))
            else:
                columns = []
            above = line

    @property
    def headings(self) -> list[str]:
        """Every heading that the document has a table under."""
        return [*re.findall(r"(?m)^#+ (.*)$", self.text)]

    def rows(self, heading: str, *columns: str) -> list[Row]:
        """The rows of the one table below the heading that has these columns."""
        found = [t for t in self._tables.get(heading, ()) if set(columns) <= set(t[0])]
        assert len(found) == 1, f"{heading}: {len(found)} tables with {columns}"
        return found[0]

    def one(self, pattern: str) -> str:
        """What the one place of the text that fits the pattern has in its group."""
        found = set(re.findall(pattern, self.text))
        assert len(found) == 1, f"{pattern}: {found}"
        return str(found.pop())


def listed(cell: str) -> Names:
    """Values with their names, "0..36 as printed, 37 `00`" among them."""
    pairs: Names = []
    for part in cell.split(", "):
        if printed := re.fullmatch(r"(\d+)\.\.(\d+) as printed", part):
            pairs += [(n, str(n)) for n in range(int(printed[1]), int(printed[2]) + 1)]
        else:
            named = re.fullmatch(r"(-?\d+) `(.*)`", part)
            assert named, cell
            pairs.append((int(named[1]), named[2]))
    return pairs


@dataclass
class Field:
    """A field as its row has it; names are complete, whatever the row refers to."""

    name: str
    code: str
    unit: str
    low: int
    high: int
    unknown: int | None
    names: Names
    since: int
    is_reason: bool

    @property
    def is_raw(self) -> bool:
        return self.code.endswith("s")

    def allows(self, value: int | bytes) -> bool:
        if self.is_raw or value == self.unknown:
            return True
        if self.names:
            return value in dict(self.names)
        return isinstance(value, int) and self.low <= value <= self.high


@dataclass
class Message:
    """A message as its heading and its table have it."""

    ident: int
    name: str
    sender: str
    is_durable: bool
    fields: list[Field] = field(default_factory=list)


@dataclass
class Piece:
    """Bytes between two zero bytes, and what the checks have read of them so far."""

    data: bytes
    offset: int
    is_ended: bool
    body: bytes | None = None
    header: dict[str, int] = field(default_factory=dict)
    values: list[int | bytes | None] = field(default_factory=list)

    @property
    def length(self) -> int:
        return len(self.data) + self.is_ended


def unstuff(data: bytes) -> bytes | None:
    """COBS: a code byte stands for the bytes after it and then one zero; None if it ends early."""
    out, at = b"", 0
    while at < len(data):
        code = data[at]
        block = data[at + 1 : at + code]
        if len(block) < code - 1:
            return None
        at += code
        out += block + (b"\0" if code < 255 and at < len(data) else b"")
    return out


class Wire:
    """The wire of a document. seed: of the CRC; None for the document's."""

    def __init__(self, text: str, seed: int | None = None) -> None:
        self.document = Document(text)
        self.printed_seed = int(self.document.one(r"seed of the CRC: `(0x\w+)`"), 16)
        self._seed = self.printed_seed if seed is None else seed
        parts = {row["part"]: row["bytes"] for row in self.document.rows("Frame", "part")}
        self._header_size, self._crc_size = int(parts["header"]), int(parts["crc32"])
        self._tag_size = int(parts["tag"].split(" or ")[0])
        self._checks = self.document.rows("Frame", "reason", "what failed")

    # Tables ---------------------------------------------------------------------------------

    @cached_property
    def codes(self) -> dict[str, str]:
        """The letter of struct for each type of number."""
        kinds = re.findall(
            r"`(\w)` ([ui]\d+)", self.document.one(r"(?s)Types are (.*?), and `8s`")
        )
        return {name: letter for letter, name in kinds}

    def _code(self, kind: str) -> str:
        return self.codes.get(kind) or kind.replace(" bytes", "s")

    @cached_property
    def roles(self) -> dict[int, str]:
        rows = self.document.rows("Tables", "role", "number", "fingerprint of its schema")
        return {int(row["number"]): row["role"] for row in rows}

    @cached_property
    def fingerprints(self) -> dict[str, int]:
        rows = self.document.rows("Tables", "role", "number", "fingerprint of its schema")
        return {row["role"]: int(row["fingerprint of its schema"].strip("`"), 16) for row in rows}

    @cached_property
    def header(self) -> list[tuple[str, str]]:
        return [
            (row["field"], self._code(row["type"])) for row in self.document.rows("Header", "type")
        ]

    @cached_property
    def flags(self) -> list[tuple[int, str]]:
        return [(int(row["value"]), row["name"]) for row in self.document.rows("Flags", "value")]

    @cached_property
    def reasons(self) -> Names:
        rows = self.document.rows("Reason codes", "role", "kind", "codes")
        return sorted(pair for row in rows for pair in listed(row["codes"]))

    @cached_property
    def inputs(self) -> dict[str, Names]:
        rows = self.document.rows("Inputs", "role", "inputs")
        return {row["role"]: listed(row["inputs"]) for row in rows}

    @cached_property
    def words(self) -> dict[tuple[str, str], str]:
        rows = self.document.rows("Words of a role in JSON", "role", "field", "word")
        return {(row["role"], row["field"]): row["word"] for row in rows}

    @cached_property
    def keys(self) -> dict[int, Row]:
        rows = self.document.rows("Configuration keys", "key", "name", "range")
        return {int(row["key"]): row for row in rows}

    @cached_property
    def messages(self) -> dict[int, Message]:
        found = {}
        for heading in self.document.headings:
            title = re.fullmatch(r"0x(\w\w) (\w+) \((\w+) to \w+(, durable)?\)", heading)
            if title:
                message = Message(int(title[1], 16), title[2], title[3], bool(title[4]))
                if heading in self.document._tables:
                    message.fields = [*map(self._field, self.document.rows(heading, "field"))]
                found[message.ident] = message
        return found

    def _field(self, row: Row) -> Field:
        is_reason = row["range"] == "a reason code"
        names: Names = []
        low, high = 0, 255
        if is_reason:
            names = self.reasons
        elif limits := re.fullmatch(r"(-?\d+)\.\.(-?\d+)", row["range"]):
            low, high = int(limits[1]), int(limits[2])
        elif row["range"] != "any":
            names = listed(row["range"])
        return Field(
            name=row["field"],
            code=self._code(row["type"]),
            unit="" if row["unit"] == "-" else row["unit"],
            low=low,
            high=high,
            unknown=None if row["unknown"] == "-" else int(row["unknown"]),
            names=names,
            since=int(row["since"].split(".")[1]),
            is_reason=is_reason,
        )

    # A stream -------------------------------------------------------------------------------

    def records(self, stream: bytes) -> list[dict]:
        """The JSON records of a stream that has ended, every byte accounted for."""
        records, offset = [], 0
        *pieces, rest = stream.split(b"\0")
        for data in pieces:
            if data:
                records.append(self._record(Piece(data, offset, is_ended=True)))
            offset += len(data) + 1
        return records + ([self._record(Piece(rest, offset, is_ended=False))] if rest else [])

    def _record(self, piece: Piece) -> dict:
        place = {"offset": piece.offset, "length": piece.length}
        for row in self._checks:
            if getattr(self, f"_is_{row['reason']}")(piece, row["what failed"]):
                return {"type": "skipped", "reason": row["reason"], **place}
        return {**self._frame(piece), **place}

    # Checks, in the order of the document's table: each says whether the piece fails it ---------

    def _is_overlong(self, piece: Piece, what: str) -> bool:
        return len(piece.data) + 1 > int(re.search(r"\d+", what)[0])

    def _is_truncated(self, piece: Piece, what: str) -> bool:
        return not piece.is_ended

    def _is_cobs(self, piece: Piece, what: str) -> bool:
        piece.body = unstuff(piece.data)
        return piece.body is None

    def _is_short(self, piece: Piece, what: str) -> bool:
        return len(piece.body) < self._header_size + self._crc_size + self._tag_of(piece)

    def _tag_of(self, piece: Piece) -> int:
        return self._tag_size if piece.header.get("flags", 0) & 1 else 0

    def _is_crc(self, piece: Piece, what: str) -> bool:
        sealed, crc = piece.body[: -self._crc_size], piece.body[-self._crc_size :]
        layout = "<" + "".join(code for _, code in self.header)
        values = struct.unpack_from(layout, piece.body)
        piece.header = dict(zip((name for name, _ in self.header), values, strict=True))
        return zlib.crc32(sealed, self._seed) != int.from_bytes(crc, "little")

    def _is_version(self, piece: Piece, what: str) -> bool:
        return piece.header["version"] != int(what.removeprefix("not "))

    def _is_flags(self, piece: Piece, what: str) -> bool:
        return bool(piece.header["flags"] & ~sum(value for value, _ in self.flags))

    def _is_type(self, piece: Piece, what: str) -> bool:
        return piece.header["type"] not in self.messages

    def _is_length(self, piece: Piece, what: str) -> bool:
        end = len(piece.body) - self._crc_size - self._tag_of(piece)
        payload = piece.body[self._header_size : end]
        for each in self.messages[piece.header["type"]].fields:
            size = struct.calcsize("<" + each.code)
            if not payload and each.since:
                piece.values.append(bytes(size) if each.is_raw else each.unknown)
                continue
            if len(payload) < size:
                return True
            piece.values += struct.unpack_from("<" + each.code, payload)
            payload = payload[size:]
        return False

    def _is_range(self, piece: Piece, what: str) -> bool:
        fields = self.messages[piece.header["type"]].fields
        return not all(each.allows(v) for each, v in zip(fields, piece.values, strict=True))

    # JSON ---------------------------------------------------------------------------------------

    def _frame(self, piece: Piece) -> dict:
        head, message = piece.header, self.messages[piece.header["type"]]
        names = ("device", "boot", "counter", "uptime_ms", "round", "minor")
        role = self.roles.get(head["role"])
        record = {
            "type": message.name,
            **{name: head[name] for name in names},
            "role": role,
            "echo": head["echo"] or None,
            "echo_ms": None if head["echo_ms"] == 65535 else head["echo_ms"],
            "flags": [name for value, name in self.flags if head["flags"] & value],
            "seal": "unverified" if self._tag_of(piece) else "none",
            "authenticated": False,
        }
        for each, value in zip(message.fields, piece.values, strict=True):
            shown = None if value == each.unknown else self._shown(each, value)
            record[each.name] = shown
            record |= self._besides(each, value, role)
            if (role, each.name) in self.words:
                record[self.words[role, each.name]] = shown
        return record

    def _shown(self, each: Field, value: int | bytes) -> object:
        if each.name == "secret":
            return "withheld"
        if each.unit == "ASCII, zero-padded":
            printable = range(0x20, 0x7F)
            text = value.rstrip(b"\0")
            return "".join(chr(b) if b in printable else f"\\x{b:02x}" for b in text)
        if each.is_raw:
            return value.hex()
        if each.names:
            return dict(each.names)[value]
        if each.name == "command":
            command = self.messages.get(value)
            is_known = command is not None and command.sender == "host"
            return command.name if is_known else f"0x{value:02x}"
        if each.name == "contradicts":
            return self.keys[value]["name"] if value in self.keys else value
        return value

    def _besides(self, each: Field, value: int | bytes, role: str | None) -> dict:
        is_known = value != each.unknown
        if each.is_reason:
            return {"code": value if is_known else None}
        if each.name == "input":
            known = {**dict(self.inputs["core"]), **dict(self.inputs.get(role, ()))}
            return {"sensor": known.get(value, f"input_{value}") if is_known else None}
        if each.name == "key":
            return {"key_name": self.keys[value]["name"] if value in self.keys else None}
        return {}

    # Fingerprints -------------------------------------------------------------------------------

    def fingerprint(self, role: str) -> int:
        """CRC-32 of the canonical text of a role, all of it from the tables."""
        only: dict[str, dict[str, str]] = {}
        for row in self.document.rows("What only one role has", "role", "what", "which"):
            only.setdefault(row["role"], {})[row["what"]] = row["which"]
        others = [only[name] for name in only if name != role]
        ids = {int(word, 16) for each in others for word in each["messages"].split(", ")}
        keys = {int(word) for each in others for word in re.findall(r"\d+", each.get("keys", ""))}
        foreign = {pair for each in others for pair in listed(each["values"])}
        for row in self.document.rows("Reason codes", "role", "codes"):
            if row["role"] not in ("core", role):
                foreign |= set(listed(row["codes"]))
        [number] = [number for number, name in self.roles.items() if name == role]
        version, minor = map(int, self.document.one(r"Wire (\d+\.\d+); seed").split("."))
        schema = {
            "version": version,
            "minor": minor,
            "seed": self.printed_seed,
            "header": self.header,
            "flags": self.flags,
            "messages": [
                self._canonical(message, foreign)
                for ident, message in sorted(self.messages.items())
                if ident not in ids
            ],
            "inputs": [[number, *pair] for pair in self.inputs[role]],
            "configuration": [
                [key, row["name"], row["unit"].removeprefix("-"), *_limits(row["range"])]
                for key, row in sorted(self.keys.items())
                if key not in keys
            ],
        }
        return zlib.crc32(json.dumps(schema, sort_keys=True, separators=(",", ":")).encode())

    def _canonical(self, message: Message, foreign: set[tuple[int, str]]) -> dict:
        fields = []
        for each in message.fields:
            names = [pair for pair in each.names if pair not in foreign]
            values = [value for value, _ in names] or [each.low, each.high]
            fields.append({
                "name": each.name, "code": each.code, "unit": each.unit, "low": min(values),
                "high": max(values), "unknown": each.unknown, "names": names,
                "since": each.since,
            })  # fmt: skip
        return {
            "id": message.ident,
            "name": message.name,
            "sender": message.sender,
            "durable": message.is_durable,
            "fields": fields,
        }


def _limits(cell: str) -> list[int]:
    return [int(bound) for bound in cell.split("..")]
