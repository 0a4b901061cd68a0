"""The peer of a host that takes bets: FastAPI, one INSERT, one commit, nothing else.

    python host_tools/bench/bare_host.py PLACE

PLACE is a file of SQLite or the URL of a PostgreSQL database, with the durability of a ledger. It
prints the port it listens on, and answers POST /v1/bets as a host answers a bet.
"""

import asyncio
import socket
import sqlite3
import sys
import threading
from typing import Any

import psycopg
import uvicorn
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel

_MAKE = "CREATE TABLE bare (id {key} PRIMARY KEY, bet TEXT, numbers TEXT, stake_cents BIGINT)"
_ADD = "INSERT INTO bare (bet, numbers, stake_cents) VALUES ({marks}) RETURNING id"


class Slip(BaseModel):
    """A bet as a terminal sends it."""

    bet: str
    numbers: list[str]
    stake_cents: int


class Table:
    """One table with bets: each in a transaction that is on the disk when it returns."""

    def __init__(self, place: str) -> None:
        self._lock = threading.Lock()
        self._db: Any
        if "://" in place:
            self._db = psycopg.connect(place.replace("+psycopg", ""), autocommit=True)
            key, marks = "BIGINT GENERATED ALWAYS AS IDENTITY", "%s, %s, %s"
        else:
            self._db = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            key, marks = "INTEGER", "?, ?, ?"
        self._db.execute(_MAKE.format(key=key))
        self._add = _ADD.format(marks=marks)

    def add(self, slip: Slip) -> int:
        """Store a bet; returns its number."""
        with self._lock:
            values = (slip.bet, ",".join(slip.numbers), slip.stake_cents)
            return int(self._db.execute(self._add, values).fetchone()[0])


def app_of(table: Table) -> FastAPI:
    """Return the application."""
    app = FastAPI()

    @app.post("/v1/bets", status_code=201)
    def place(slip: Slip, request: Request, response: Response) -> dict[str, object]:
        response.headers["Idempotency-Key"] = request.headers["Idempotency-Key"]
        return {"bet": table.add(slip), "standing": "valid"}

    return app


def main() -> None:
    """Serve until the process is ended."""
    sock = socket.create_server(("127.0.0.1", 0))
    print(sock.getsockname()[1], flush=True)
    config = uvicorn.Config(app_of(Table(sys.argv[1])), log_level="warning", access_log=False)
    asyncio.run(uvicorn.Server(config).serve([sock]))


if __name__ == "__main__":
    main()
