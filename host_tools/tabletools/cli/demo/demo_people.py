"""The people of the demo: players who place bets while they may, a dealer who reports counts."""

import http.client
import json
import random
import secrets
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tabletools.cli.demo.menu import DemoTable, Slip

LOOK_S = 1.0
ANSWER_S = 60.0
"""A machine that starts many boards answers late, and a password takes a while by intent."""
BALANCE_CENTS = 500_000
COUNT_S = 5.0
NAMES = ("Ada", "Ben", "Cleo", "Dirk", "Eva", "Finn", "Gwen", "Hugo", "Iris", "Jan")
PER_TABLE = 2
# What a dealer orders in a phase, and after how many seconds of it.
_NEXT = {
    "closed": ("open_bets", 4.0),
    "bets_open": ("close_bets", 12.0),
    "no_more_bets": ("end_round", 40.0),
}
_TROUBLE = (OSError, http.client.HTTPException, ValueError)


class _Account(msgspec.Struct):
    id: int


class _Offer(msgspec.Struct):
    code: str


class _Session(msgspec.Struct):
    token: str


class _Seat(msgspec.Struct):
    bets_open: bool | None = None
    round: int | None = None


class _Live(msgspec.Struct):
    link: str
    faults: list[Any]
    number: int | None = None
    phase: str | None = None


class _Table(msgspec.Struct):
    id: int
    name: str
    live: _Live | None


class _Tables(msgspec.Struct):
    tables: list[_Table]


class Caller:
    """A client of the API of a host. headers: sent with every request."""

    def __init__(self, url: str, **headers: str) -> None:
        self._place = urlsplit(url).netloc
        self.headers = {"Origin": url, "Content-Type": "application/json", **headers}

    def ask(self, method: str, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        """Send a request; returns status and answer. Raises OSError, HTTPException, ValueError."""
        connection = http.client.HTTPConnection(self._place, timeout=ANSWER_S)
        try:
            headers = self.headers | ({"Idempotency-Key": key} if key else {})
            connection.request(method, f"/v1{path}", json.dumps(body), headers)
            answer = connection.getresponse()
            cookie = answer.getheader("Set-Cookie")
            if cookie:
                self.headers["Cookie"] = cookie.split(";")[0]
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        finally:
            connection.close()

    def login(self, name: str, password: str) -> None:
        """Log in as a user."""
        _, me = self.ask("POST", "/login", {"name": name, "password": password})
        self.headers["X-CSRF-Token"] = me["csrf_token"]

    def tables(self) -> list[_Table]:
        """The tables of the pit."""
        return msgspec.convert(self.ask("GET", "/tables")[1], _Tables).tables

    def seat(self, url: str, table: int, name: str) -> "Caller":
        """Seat a new player with money at a table; returns the terminal."""
        number = name.upper().replace(" ", "-")
        pin = f"{secrets.randbelow(10**12):012}"
        opened = {"player_number": number, "name": name, "pin": pin}
        account = msgspec.convert(self.ask("POST", "/accounts", opened)[1], _Account).id
        self.ask("POST", f"/accounts/{account}/deposits", {"cents": BALANCE_CENTS}, name)
        seat = {"account": account, "terminal": f"seat of {name}"}
        offer = msgspec.convert(self.ask("POST", f"/tables/{table}/sessions", seat)[1], _Offer)
        terminal = Caller(url)
        answer = terminal.ask("POST", "/seat", {"code": offer.code, "pin": pin})[1]
        return Caller(url, Authorization=f"Bearer {msgspec.convert(answer, _Session).token}")


def seat_players(url: str, password: str, tables: list[DemoTable], over: threading.Event) -> None:
    """Let some players play at every table."""
    sue = Caller(url)
    sue.login("Sue", password)
    listed = {table.name: table.id for table in sue.tables()}
    places = [table for table in tables if table.slips for _ in range(PER_TABLE)]
    for number, table in enumerate(places):
        name = f"{NAMES[number % len(NAMES)]} {number + 1}"
        terminal = sue.seat(url, listed[table.name], name)
        arguments = (terminal, table.slips, number, over)
        threading.Thread(target=play, args=arguments, daemon=True).start()


def play(terminal: Caller, slips: tuple[Slip, ...], seed: int, over: threading.Event) -> None:
    """Place some bets in every round until stopped; refusals are ignored."""
    chance = random.Random(seed)
    last, placed = None, 0
    while not over.wait(LOOK_S):
        try:
            seat = msgspec.convert(terminal.ask("GET", "/seat")[1], _Seat)
            if not seat.bets_open or seat.round == last:
                continue
            last = seat.round
            for slip in chance.sample(slips, k=min(len(slips), chance.randint(1, 3))):
                placed += 1
                terminal.ask("POST", "/bets", slip, f"{seed}-{placed}-{last}")
        except _TROUBLE:
            continue  # the host is busy, or stops: the next look decides


def attend(dealer: Caller, orders: dict[str, Slip], over: threading.Event) -> None:
    """Report the count to a table with an active fault; orders: by table name."""
    while not over.wait(COUNT_S):
        try:
            for table in dealer.tables():
                order = orders.get(table.name)
                if order is not None and table.live and table.live.faults:
                    dealer.ask("POST", f"/tables/{table.id}/orders", order)
        except _TROUBLE:
            continue


def lead(dealer: Caller, names: set[str], over: threading.Event) -> None:
    """Open, close and end the rounds of tables whose machine cannot; names: of the tables.

    An order that comes too early, as while a deck is shuffled, is refused and repeated.
    """
    begun: dict[tuple[int, int, str], float] = {}
    while not over.wait(LOOK_S):
        try:
            for table in dealer.tables():
                live = table.live
                if table.name not in names or not live or live.link != "online":
                    continue
                step = (table.id, live.number or 0, live.phase or "")
                since = begun.setdefault(step, time.monotonic())
                order, after_s = _NEXT.get(step[2], ("", 0.0))
                if order and time.monotonic() - since >= after_s:
                    dealer.ask("POST", f"/tables/{table.id}/orders", {"order": order})
        except _TROUBLE:
            continue
