"""The API keeps to its document, as Schemathesis finds it; and what the document cannot say."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from hil_tests.thinned import IS_SOAK, share, soak_only, soaked, thinned
from host_tools.tests.described import DOCUMENT
from host_tools.tests.emulated import DEVICE, SECRET, Played
from host_tools.tests.pit import FRENCH
from host_tools.tests.served import HOUSE, Floor, Host
from tabletools.pit.orders import COMMANDS
from tabletools.table.terms import create_table
from tablewire import messages as m

ROOT = Path(__file__).resolve().parents[2]
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
ENDING = ("logout", "change_password", "leave", "close_session")
"""These end the login or the seat that the others need, so they are tested after them."""
OTHERS = [
    described["operationId"]
    for methods in DOCUMENT["paths"].values()
    for described in methods.values()
    if described["operationId"] not in ENDING
]

USERS = {
    "supervisor": "Sam",
    "dealer": "Dan",
    "technician": "Tim",
    "auditor": "Amy",
    "cashier": "Cas",
}


class Refusing(Played):
    """A table that carries out no order, and answers each."""

    def _obey(self, frame):
        if frame.type not in COMMANDS.values():
            return super()._obey(frame)
        return self.say(m.REFUSAL, (frame.type, frame.counter, m.REFUSAL_WRONG_PHASE, 0, 0, 0, 0))


@pytest.fixture
def floor(tmp_path):
    """A table with a settled round, a bet in play and a seated player."""
    new_floor = Floor(str(tmp_path / "ledger"), played=Refusing(DEVICE, SECRET))
    new_floor.host.user("Sam", "supervisor")
    new_floor.seat = new_floor.host.terminal(new_floor.host.login("Sue"), new_floor.table, "ada")
    for number in (1, 2):
        new_floor.open()
        bet = {"bet": "red", "stake_cents": 500}
        key = {"Idempotency-Key": f"bet {number}"}
        assert new_floor.seat.post("/v1/bets", json=bet, headers=key).status_code == 201
        if number == 1:
            new_floor.shut()
            new_floor.fall(17)
    yield new_floor
    new_floor.close()


def explored(floor, login, operations, folder):
    """Have Schemathesis explore operations in all phases; returns the statuses of each.

    login: client of a user, None for a stranger. Raises AssertionError with what it reports.
    """
    proofs = {"ORIGIN": floor.host.url, "LOGIN": "", "PAGE": "", "TERMINAL": ""}
    if login is not None:
        proofs["LOGIN"] = login.cookies["tablewire"]
        proofs["PAGE"] = login.headers["X-CSRF-Token"]
        proofs["TERMINAL"] = floor.seat.headers["Authorization"].removeprefix("Bearer ")
    chosen = [word for name in operations for word in ("--include-operation-id", name)]
    report = folder / "events"
    words = ["--max-examples", str(share(60, 30)), "--report-ndjson-path", str(report)]
    done = subprocess.run(
        [
            *(SCHEMATHESIS, "--config-file", ROOT / "host_tools" / "tests" / "contract.toml"),
            *("run", f"{floor.host.url}/v1/openapi.json", *chosen, *words),
            *(() if IS_SOAK else ("--seed", "1")),
        ],
        cwd=ROOT,
        env=os.environ | {f"CONTRACT_{name}": value for name, value in proofs.items()},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [facts for event, facts in floor.host.lines if event == "defect"] == []
    return statuses(report)


def statuses(report):
    """The statuses that each operation answered with on its own, by its label."""
    codes = defaultdict(set)
    for line in report.read_text(encoding="utf-8").splitlines():
        scenario = json.loads(line).get("ScenarioFinished")
        if scenario is None or scenario["phase"] == "stateful":
            continue
        recorder = scenario["recorder"]
        for one in recorder.get("interactions", {}).values():
            if one["response"]:
                codes[recorder["label"]].add(one["response"]["status_code"])
    return codes


@pytest.mark.parametrize("role", ["supervisor", *soaked([*USERS][1:])])
def test_the_api_does_what_its_document_says(floor, role, tmp_path):
    """No defect, no undescribed answer, nothing refused for its form that is as described."""
    login = floor.host.login(USERS[role])
    operations = thinned(OTHERS, 24)
    answered = explored(floor, login, operations, tmp_path)
    assert len(answered) == len(operations)
    for client, path in ((login, "/v1/me"), (floor.seat, "/v1/seat")):
        assert client.get(path).status_code == 200, "what was explored ended the login"
    if IS_SOAK:
        explored(floor, login, ENDING, tmp_path)


@soak_only
def test_a_stranger_gets_nothing_that_needs_a_proof(floor, tmp_path):
    """Whatever a stranger sends, an operation with a proof answers no success."""
    answered = explored(floor, None, [*OTHERS, *ENDING], tmp_path)
    for path, methods in DOCUMENT["paths"].items():
        for method, described in methods.items():
            if described["security"] not in ([], [{"origin": []}]):
                codes = answered[f"{method.upper()} {path}"]
                assert codes, (method, path)
                assert all(code >= 400 for code in codes), (method, path, codes)


@pytest.fixture
def host(tmp_path):
    """A host with a table that another host has to serve."""
    with Host(str(tmp_path / "ledger")) as new_host:
        new_host.user("Sue", "supervisor")
        create_table(new_host.ledger, "R2", FRENCH, HOUSE, device=2)
        yield new_host


def test_a_page_accepts_what_pages_accept(host):
    """A change of a page of the console: 405; nothing is at another address."""
    sue = host.login("Sue")
    answer = sue.post("/app.js")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert sue.get("/v1/nothing").status_code == 404


def test_a_table_of_another_host_is_there_and_one_of_none_is_not(host):
    """503 where another host may answer, 404 where none can."""
    sue = host.login("Sue")
    for number, status in ((1, 503), (999, 404)):
        for method, path in (("POST", "close-bets"), ("GET", "live")):
            answer = sue.request(method, f"/v1/tables/{number}/{path}")
            assert answer.status_code == status, (number, path, answer.text)
