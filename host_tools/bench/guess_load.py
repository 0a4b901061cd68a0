"""Clients without an account that guess passwords: a process of its own, until it is ended.

    python host_tools/bench/guess_load.py PORT CLIENTS

Each client has an address of its own (127.0.1.1, 127.0.2.1, ...) and sends its next guess, of
another name, when the one before was answered. It prints a line once every client has an answer.
"""

import asyncio
import json
import sys


async def guess(port: int, client: int, name: str) -> None:
    """Send one guess and wait for its answer."""
    body = json.dumps({"name": name, "password": "seventeen red houses"}).encode()
    lines = (
        "POST /v1/login HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Origin: http://127.0.0.1:{port}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    head = "\r\n".join(lines) + "\r\n\r\n"
    source = (f"127.0.{client + 1}.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=source)
    writer.write(head.encode() + body)
    try:
        answer = await reader.read()
        assert answer.split()[1] in (b"401", b"429", b"503"), answer
    except ConnectionError:
        pass  # more connections than the host accepts
    finally:
        writer.close()


async def run(port: int, clients: int) -> None:
    """Guess until the process is ended."""

    async def go_on(client: int) -> None:
        count = 0
        while True:
            await guess(port, client, f"user {client} {count}")
            count += 1
            waiting.discard(client)
            if not waiting and not begun.is_set():
                begun.set()
                print("every client was answered", flush=True)

    waiting, begun = set(range(clients)), asyncio.Event()
    await asyncio.gather(*(go_on(client) for client in range(clients)))


if __name__ == "__main__":
    asyncio.run(run(int(sys.argv[1]), int(sys.argv[2])))
