"""Dishonest staff: a dealer, a supervisor, a cashier and a technician, each alone.

Each has an own login and tries, at random, every act of the API that moves money, undoes a round
or gives rights, with itself as the second user where one is needed. What they do at the tables,
such as the croupier's button or a lifted dome, are `HANDS`, which the tables draw. None of them
may change who has money after no more bets without a second person or an alarm (`two_persons`).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx
from argon2 import PasswordHasher

from hil_tests.night.hosts import NightHost
from tabletools.api.app import build
from tabletools.api.app_state import AppState
from tabletools.api.auth import Auth
from tabletools.api.passwords import Passwords
from tabletools.pit.orders import COMMANDS, fields_of
from tabletools.store import Actor, Store, people

PASSWORD = "four dishonest hands"
STAFF = {"Mal": "dealer", "Moe": "supervisor", "Max": "cashier", "Mia": "technician"}
HANDS = frozenset(
    "ball_removed ball_stuck cards_lifted croupier_button croupier_void dome_open fault_line"
    " laid_back lid_idle lid_lifted maintenance_open power_cut power_cut_dealing power_gone"
    " pulled_early pushed_back replaced rotor_reversed rotor_stopped sensor_stuck shoe_exchanged"
    " system_interruption tilt unplugged walks_away".split()
)
"""What a hand at a table does: names of faults of the catalogues."""
FORTUNE_CENTS = 1_000_000_000
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
Request = tuple[str, str, Any]


class _Client:
    """The console of one of them, with a login; every request waits for its answer."""

    def __init__(self, app: Any, name: str) -> None:
        origin = "http://127.0.0.1"
        transport = httpx.ASGITransport(app)
        self._client = httpx.AsyncClient(
            transport=transport, base_url=f"{origin}/v1", headers={"Origin": origin}
        )
        login = self.send("POST", "/login", {"name": name, "password": PASSWORD}, {})
        assert login.status_code == 200, login.text
        self._client.headers["X-CSRF-Token"] = login.json()["csrf_token"]

    @property
    def cookie(self) -> str:
        """The token of the login."""
        return next(iter(self._client.cookies.values()))

    def send(
        self, method: str, path: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> httpx.Response:
        """Send a request; return its answer."""
        return asyncio.run(self._client.request(method, path, json=body, headers=headers))


class DishonestStaff:
    """Acts of four persons over HTTP. answers: how often, by act and code, done without one."""

    def __init__(
        self, seed: str, accounts: Sequence[int], say: Callable[[str, str], None]
    ) -> None:
        self.answers: dict[tuple[str, str], int] = {}
        self._random = random.Random(f"{seed}/dishonest")
        self._accounts = accounts
        self._say = say
        self._clients: dict[str, _Client] = {}
        self._host: AppState | None = None
        self._count = 0

    @staticmethod
    def create(ledger: Store, house: Actor) -> None:
        """Add them to the users of a ledger."""
        password_hash = CHEAP.hash(PASSWORD)
        for name, role in STAFF.items():
            people.create_user(ledger, name, role, password_hash, house)

    def act(self, host: NightHost) -> None:
        """One of them tries something."""
        if host.pit is None or host.ledger is None:
            return
        self._log_in(host)
        name = self._random.choice(list(STAFF))
        act = self._random.choice(_ACTS)
        word = act.__name__.strip("_")
        requests = act(self, host, name)
        answer: Mapping[str, Any] = {}
        for method, path, body in requests:
            body = _fill_code(body, answer)
            self._count += 1
            key = {"Idempotency-Key": f"m{self._count}"}
            reply = self._clients[name].send(method, path, body, key)
            code = "done" if reply.status_code < 300 else reply.json()["code"]
            self.answers[word, code] = self.answers.get((word, code), 0) + 1
            answer = reply.json() if reply.content else {}
            if reply.status_code >= 500 and reply.status_code != 503:
                raise AssertionError(f"{word} by {name}: {reply.text}")
            self._say(name, f"{word}: {code}")

    def _log_in(self, host: NightHost) -> None:
        assert host.pit is not None
        if self._host is not None and self._host.pit is host.pit:
            return
        pit = host.pit
        self._host = AppState(pit, Auth(pit.ledger, pit.settings, Passwords(CHEAP)))
        for name in STAFF:
            self._clients[name] = _Client(build(self._host), name)

    # --- what they try ---------------------------------------------------------------------------

    def _table(self, host: NightHost) -> int:
        assert host.pit is not None
        return self._random.choice(list(host.pit.seats))

    def _account(self) -> int:
        return self._random.choice(list(self._accounts))

    def _order(self, host: NightHost, name: str) -> list[Request]:
        order = self._random.choice([*COMMANDS, "void_round", "load_shoe"])
        values = {
            field: facts.names[0][1] if facts.names else facts.low
            for field, facts in fields_of(order)
        }
        body: dict[str, Any] = {"order": order, "values": values}
        if self._random.random() < 0.5:
            body |= {"second": _self(name), "reason": "a guest asked", "evidence": "none"}
        return [("POST", f"/tables/{self._table(host)}/orders", body)]

    def _close_bets(self, host: NightHost, _name: str) -> list[Request]:
        return [("POST", f"/tables/{self._table(host)}/close-bets", {})]

    def _ruling(self, host: NightHost, name: str) -> list[Request]:
        rounds = self._rounds(host)
        outcomes = ({"void": "a mistake"}, {"pocket": "17"}, {"dice": [1, 2, 3]})
        body = {
            "outcome": self._random.choice(outcomes),
            "second": _self(name),
            "settled": self._random.choice((0, 1)),
            "reason": "seen",
            "evidence": "mine",
        }
        return [("POST", f"/rounds/{round_}/ruling", body) for round_ in rounds]

    def _stakes_end(self, host: NightHost, name: str) -> list[Request]:
        body = {"second": _self(name), "reason": "they left"}
        return [("POST", f"/tables/{self._table(host)}/stakes-end", body)]

    def _rounds(self, host: NightHost) -> list[int]:
        assert host.pit is not None
        live = [seat.live.facts["round"] for seat in host.pit.seats.values()]
        return [round_ for key in live if key for round_ in (key, key - 1) if round_ > 0]

    def _bet_ruling(self, _host: NightHost, name: str) -> list[Request]:
        bet = self._random.randint(1, 400)
        body = {"second": _self(name), "valid": self._random.random() < 0.5, "reason": "seen"}
        return [("POST", f"/bets/{bet}/ruling", body)]

    def _deposit(self, _host: NightHost, name: str) -> list[Request]:
        body: dict[str, Any] = {"cents": FORTUNE_CENTS}
        if self._random.random() < 0.5:
            body["second"] = _self(name)
        return [("POST", f"/accounts/{self._account()}/deposits", body)]

    def _payout(self, _host: NightHost, name: str) -> list[Request]:
        body: dict[str, Any] = {"cents": FORTUNE_CENTS // 10}
        if self._random.random() < 0.5:
            body["second"] = _self(name)
        return [("POST", f"/accounts/{self._account()}/payouts", body)]

    def _held_payout(self, _host: NightHost, name: str) -> list[Request]:
        decision = {"released": True, "reason": "mine", "second": _self(name)}
        return [
            ("POST", f"/accounts/{self._account()}/held-payouts", {"cents": FORTUNE_CENTS // 10}),
            ("POST", f"/held-payouts/{self._random.randint(1, 5)}/decision", decision),
        ]

    def _seat(self, host: NightHost, name: str) -> list[Request]:
        """Offer a seat, guess the PIN, stake with what comes back."""
        table = self._table(host)
        offer = {"account": self._account(), "terminal": f"of {name}"}
        guess = {"code": "=code", "pin": f"{self._random.randrange(10**6):06}"}
        return [("POST", f"/tables/{table}/sessions", offer), ("POST", "/seat", guess)]

    def _seat_of_a_stranger(self, _host: NightHost, _name: str) -> list[Request]:
        code = f"{self._random.randrange(10**8):08}"
        return [("POST", "/seat", {"code": code, "pin": "000001"})]

    def _pin(self, _host: NightHost, name: str) -> list[Request]:
        body = {"pin": "628413", "second": _self(name)}
        return [("PUT", f"/accounts/{self._account()}/pin", body)]

    def _rights(self, _host: NightHost, name: str) -> list[Request]:
        user = {"name": f"friend {self._count}", "role": "supervisor", "second": _self(name)}
        change = {"role": "supervisor", "second": _self(name)}
        return [
            ("POST", "/users", user),
            ("PATCH", f"/users/{self._random.randint(1, 6)}", change),
        ]

    def _release(self, host: NightHost, _name: str) -> list[Request]:
        return [("POST", f"/tables/{self._table(host)}/release", {"why": "nothing was there"})]

    def _replayed_session(self, host: NightHost, name: str) -> list[Request]:
        """A bet with the own cookie as a terminal's token, and with a made-up one."""
        client = self._clients[name]
        token = self._random.choice((client.cookie, "a" * 43))
        slip = {"bet": "red", "stake_cents": 500}
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "r"}
        reply = client.send("POST", "/bets", slip, headers)
        assert reply.status_code == 401, reply.text
        return []


def _self(name: str) -> dict[str, str]:
    return {"name": name, "password": PASSWORD}


def _fill_code(body: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body with =code replaced by what the answer before has as code."""
    return {
        name: answer.get(value[1:], "") if str(value).startswith("=") else value
        for name, value in body.items()
    }


_ACTS: tuple[Callable[[DishonestStaff, NightHost, str], list[Request]], ...] = (
    DishonestStaff._order,
    DishonestStaff._order,
    DishonestStaff._close_bets,
    DishonestStaff._ruling,
    DishonestStaff._stakes_end,
    DishonestStaff._bet_ruling,
    DishonestStaff._deposit,
    DishonestStaff._payout,
    DishonestStaff._held_payout,
    DishonestStaff._seat,
    DishonestStaff._seat_of_a_stranger,
    DishonestStaff._pin,
    DishonestStaff._rights,
    DishonestStaff._release,
    DishonestStaff._replayed_session,
)
