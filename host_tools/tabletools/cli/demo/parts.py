"""The processes of the demo: its tables and its host. Each is ended with the stack it is on."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from tableemulator.chips import device_of
from tabletools.cli.demo import menu
from tabletools.cli.emulate.serving import caught_signals
from tabletools.errors import ToolError
from tabletools.keys import Keyring, new_key

USERS = {
    "Sue": "supervisor",
    "Dan": "dealer",
    "Cas": "cashier",
    "Tim": "technician",
    "Amy": "auditor",
}
_TABLETOOL = "from tabletools.cli.main import main; main()"
_STAND = ("-m", "tabletools.cli.demo.stand")
_LOOK_S = 0.05
END_S = 15.0
"""Seconds after which a process that was asked to end is killed."""


class Part(NamedTuple):
    """One process. first: its first line of output. log: file of its errors."""

    name: str
    process: subprocess.Popen[str]
    first: str
    log: Path

    def said(self) -> str:
        """The last line of its errors."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return lines[-1][:300] if lines else "it printed nothing"


def stands(stack: ExitStack, folder: Path, tables: list[menu.DemoTable]) -> list[Part]:
    """Start the tables, each with a fresh key; returns them when they can be reached."""
    file = folder / "keys.json"
    ring = Keyring(file)
    for number in range(1, len(tables) + 1):
        ring.add(device_of(number), new_key(1))
    started = [
        _start(
            stack, folder, table.name, [*_STAND, table.kind, str(number), str(file), str(number)]
        )
        for number, table in enumerate(tables, 1)
    ]
    return [_await_line(part, "serving on ") for part in started]


def host(
    stack: ExitStack,
    folder: Path,
    tables: list[menu.DemoTable],
    parts: list[Part],
    port: int,
    settings: str = "",
) -> tuple[str, str]:
    """Start the host of the tables; returns the address of its console and its users' password.

    settings: more lines of its file.
    """
    from tabletools.api.passwords import Passwords, made_up
    from tabletools.store import Actor, Store, people

    sections = [
        menu.settings_of(table, int(part.first.rpartition(":")[2]), device_of(number))
        for number, (table, part) in enumerate(zip(tables, parts, strict=True), 1)
    ]
    (folder / "host.toml").write_text("\n".join([settings, *sections]), encoding="utf-8")
    place, password, passwords = str(folder / "pit.ledger"), made_up(*USERS), Passwords()
    ledger = Store.open(place)
    for name, role in USERS.items():
        digest = passwords.hashed(password, name)
        people.create_user(ledger, name, role, digest, Actor("demo"))
    ledger.close()
    order = [
        "-c",
        _TABLETOOL,
        "serve",
        "--config",
        str(folder / "host.toml"),
        "--db",
        place,
        "--keys",
        str(folder / "keys.json"),
        "--port",
        str(port),
    ]
    part = _await_line(_start(stack, folder, "The host", order), "serving ")
    parts.append(part)
    return part.first.removeprefix("serving ").strip(), password


def first_gone(parts: list[Part]) -> Part | None:
    """Return a process that ended by itself."""
    return next((part for part in parts if part.process.poll() is not None), None)


def nats_server(stack: ExitStack, folder: Path, name: str, text: str, port: int) -> Part:
    """Start a nats-server by the text of its configuration; returns it when it listens."""
    program = shutil.which("nats-server", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        step = "apt install nats-server (Debian, Ubuntu) or: brew install nats-server (macOS)"
        raise ToolError("there is no nats-server here", where="--estate", step=step)
    file = folder / f"{name.replace(' ', '-')}.conf"
    file.write_text(text, encoding="utf-8")
    part = _start(stack, folder, name, ["-c", str(file)], program)
    limit = time.monotonic() + END_S
    while part.process.poll() is None and time.monotonic() < limit:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return part
        time.sleep(_LOOK_S)
    raise ToolError(f"{name} does not start", cause=part.said(), step="see that line")


def centre(stack: ExitStack, folder: Path, url: str, sites: Sequence[str]) -> Part:
    """Start the centre of an estate; returns it when its page can be read."""
    places = ["--nats", url, "--db", str(folder / "estate.db")]
    places += [word for site in sites for word in ("--site", site)]
    order = ["-c", _TABLETOOL, "estate", "serve", *places]
    return _await_line(_start(stack, folder, "The centre", order), "serving ")


def _start(
    stack: ExitStack, folder: Path, name: str, order: list[str], program: str = sys.executable
) -> Part:
    log = folder / f"{name.replace(' ', '-')}.log"
    errors = stack.enter_context(log.open("w", encoding="utf-8"))
    # In a separate session: Control-C at the terminal goes to the demo, which ends its parts. It
    # must not interrupt the start of one, which nothing would end then.
    with caught_signals() as caught:
        process = subprocess.Popen(
            [program, *order],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        stack.callback(_end, process)
    if caught:
        raise KeyboardInterrupt
    return Part(name, process, "", log)


def _await_line(part: Part, word: str) -> Part:
    assert part.process.stdout is not None
    for line in part.process.stdout:
        if line.startswith(word):
            return part._replace(first=line.strip())
    part.process.wait()
    code = part.process.returncode
    raise ToolError(
        f"{part.name} does not start",
        cause=f"exit code {code}; {part.said()}",
        step="see that line; `tabletool demo` again after that",
    )


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
