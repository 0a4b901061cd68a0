"""The estate of the demo: two sites, each with a nats-server, and their centre."""

import secrets
import socket
import threading
from contextlib import ExitStack
from pathlib import Path

import typer

from tabletools.cli.demo import demo_people, menu, parts
from tabletools.estate import nats_servers

SITES = ("athens", "berlin")


def start(
    stack: ExitStack, folder: Path, tables: list[menu.DemoTable], port: int
) -> list[parts.Part]:
    """Start everything, print where it is; returns the processes.

    tables: of each site. port: of the first console.
    """
    hub, leaves = _address(), _address()
    passwords = {name: secrets.token_hex(16) for name in (*SITES, nats_servers.CENTRE)}
    text = nats_servers.of_centre(hub, leaves, folder / "centre", passwords)
    running = [parts.nats_server(stack, folder, "The centre's stream", text, _port(hub))]
    for site, own_port in zip(SITES, (port, 0), strict=True):
        place = f"{site}:{passwords[site]}@{leaves}"
        running += _start_site(stack, folder, site, tables, place, own_port)
    centre = parts.centre(stack, folder, f"nats://{hub}", SITES)
    typer.echo(f"\nestate: {centre.first.removeprefix('serving ')}")
    return [*running, centre]


def _start_site(
    stack: ExitStack,
    folder: Path,
    site: str,
    tables: list[menu.DemoTable],
    leaves: str,
    port: int,
) -> list[parts.Part]:
    typer.echo(f"starting {site}: a nats-server, {len(tables)} tables on emulated boards, a host")
    own, address = folder / site, _address()
    own.mkdir()
    text = nats_servers.of_site(site, address, leaves, own / "stream")
    server = parts.nats_server(stack, own, f"The stream of {site}", text, _port(address))
    stands = parts.stands(stack, own, tables)
    settings = f'site = "{site}"\nnats = "nats://{address}"\n'
    url, password = parts.host(stack, own, tables, stands, port, settings)
    over = threading.Event()
    stack.callback(over.set)
    demo_people.seat_players(url, password, tables, over)
    typer.echo(f"console of {site}: {url}, Sue's password: {password}")
    return [server, *stands]


def _address() -> str:
    """Return an address of this machine that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


def _port(address: str) -> int:
    return int(address.rpartition(":")[2])
