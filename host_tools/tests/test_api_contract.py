"""The API keeps to its description: whatever a stranger sends that reads it, and what it refuses.

Every answer is compared with its schema as it arrives (`described`).
"""

import json
from random import Random

import pytest
from jsonschema import Draft202012Validator

from hil_tests.thinned import share
from host_tools.tests import contract
from host_tools.tests.described import DOCUMENT
from host_tools.tests.pit import FRENCH
from host_tools.tests.served import HOUSE, PASSWORD, Host
from tabletools.table.terms import create_table

METHODS = {"get", "put", "post", "delete", "patch"}
# They end the login that asks, or are streams, which do not end.
LEFT_OUT = {"logout", "leave", "change_password", "live", "live_all"}
OPERATIONS = [
    (method, path, described)
    for path, methods in DOCUMENT["paths"].items()
    for method, described in methods.items()
    if described["operationId"] not in LEFT_OUT
]
# In a path: of nothing, of what the fixture made, of no row, the highest.
ROWS = (0, 2, 999, contract.MOST_ROW)


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A host with a table that another host has to serve, and a player at it."""
    with Host(str(tmp_path_factory.mktemp("contract") / "ledger")) as new_host:
        new_host.user("Sue", "supervisor")
        new_host.user("Sam", "supervisor")
        for name in ("R1", "R2"):
            create_table(new_host.ledger, name, FRENCH, HOUSE, device=ord(name[1]))
        yield new_host


@pytest.fixture(scope="module")
def clients(host):
    """Of a supervisor, and of a terminal."""
    sue = host.login("Sue")
    return {"login": sue, "terminal": host.terminal(sue, 2, "ada")}


def client_of(clients, described):
    return clients["terminal" if described["security"] == [{"terminal": []}] else "login"]


def arguments(described, random):
    """Path values, query and headers of an operation, as described."""
    parts = {"path": {}, "query": {}, "header": {}}
    for each in described.get("parameters", []):
        value = contract.drawn(each["schema"], random)
        if each["in"] == "path":
            value = random.choice([row for row in ROWS if row != 2 or each["name"] != "session"])
        if each["in"] == "header":
            value = f"key {random.random()}"  # one that was used before is another matter
        if each.get("required") or (value is not None and random.random() < 0.7):
            parts[each["in"]][each["name"]] = value
    return parts


def send(client, method, path, parts, body=None):
    """The answer to a request."""
    query = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in parts["query"].items()
    }
    more = {} if body is None else {"content": json.dumps(body)}
    headers = {"content-type": "application/json"} | parts["header"]
    path = path.format(**parts["path"])
    return client.request(method, path, params=query, headers=headers, **more)


def body_of(described):
    content = described.get("requestBody", {}).get("content", {})
    return content.get("application/json", {}).get("schema")


@pytest.mark.parametrize(
    ("method", "path", "described"),
    OPERATIONS,
    ids=[described["operationId"] for *_, described in OPERATIONS],
)
def test_what_is_described_is_accepted_and_nothing_else(
    clients, method, path, described, monkeypatch
):
    """No answer is a defect, none to a request as described is about its form, and each to one
    that is not is a refusal that names the field."""
    monkeypatch.setattr("tabletools.api.people_routes.BUSY_S", 0.0)
    random, client = Random(described["operationId"]), client_of(clients, described)
    schema = body_of(described)
    for _ in range(share(100, 10)):
        parts = arguments(described, random)
        body = None if schema is None else contract.drawn(schema, random)
        answer = send(client, method, path, parts, body)
        case = (method, path, parts, body, answer.text[:300])
        assert answer.status_code != 500, case
        assert "field_invalid" not in answer.text, case
        if parts["path"].get("table") in (0, 999, contract.MOST_ROW):
            assert answer.status_code < 500, case
        if schema is not None:
            body = contract.spoilt(schema, body, random)
            answer = send(client, method, path, parts, body)
            assert (answer.status_code, answer.json()["code"]) == (422, "field_invalid"), (
                case,
                body,
                answer.text[:300],
            )
        spoil_parameter(client, method, path, described, parts, random)


def spoil_parameter(client, method, path, described, parts, random):
    """One parameter out of its range is refused."""
    ranged = [each for each in described.get("parameters", []) if each["in"] != "header"]
    if not ranged:
        return
    one = random.choice(ranged)
    wrong = [
        each
        for each in (*contract.NUMBERS, *contract.TEXTS[:-4])
        if not contract.fits(one["schema"], each) and not isinstance(each, str)
    ]
    if not wrong or "string" in json.dumps(one["schema"]):
        return
    value = random.choice(wrong)
    changed = {**parts, one["in"]: parts[one["in"]] | {one["name"]: value}}
    answer = send(client, method, path, changed)
    assert (answer.status_code, answer.json()["code"]) == (422, "field_invalid"), (path, changed)


@pytest.mark.parametrize("path", DOCUMENT["paths"])
def test_a_method_that_is_not_described_is_refused_with_those_that_are(clients, path):
    """405 with Allow (RFC 9110, 15.5.6)."""
    place = path
    for name in (
        "table",
        "user",
        "number",
        "alarm",
        "bet",
        "account",
        "session",
        "payout",
        "movement",
    ):
        place = place.replace(f"{{{name}}}", "2")
    described = {method.upper() for method in DOCUMENT["paths"][path]}
    for method in sorted({each.upper() for each in METHODS} - described):
        answer = clients["login"].request(method, place)
        assert (answer.status_code, answer.json()["code"]) == (405, "method"), method
        assert set(answer.headers["allow"].split(", ")) == described


def test_a_page_accepts_what_pages_accept(clients):
    """A change of a page of the console: 405; nothing is at another address."""
    answer = clients["login"].post("/app.js")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert clients["login"].get("/v1/nothing").status_code == 404


def test_a_get_needs_the_cookie_alone(host):
    """X-CSRF-Token and Origin are described, and needed, for changes."""
    client = host.client()
    client.post("/v1/login", json={"name": "Sam", "password": PASSWORD})
    client.headers.pop("origin")
    for method, path, described in OPERATIONS:
        if "{" in path or method != "get" or described["security"] == [{"terminal": []}]:
            continue
        assert "page" not in str(described["security"]), path
        assert client.get(path).status_code in (200, 503), path
    refused = client.post("/v1/accounts", json={"player_number": "1", "name": "a"})
    assert refused.json()["code"] == "origin"


def test_a_table_of_another_host_is_there_and_one_of_none_is_not(clients):
    """503 where another host may answer, 404 where none can."""
    for number, status in ((2, 503), (999, 404)):
        for path in ("close-bets", "live"):
            method = "GET" if path == "live" else "POST"
            answer = clients["login"].request(method, f"/v1/tables/{number}/{path}")
            assert answer.status_code == status, (number, path, answer.text)
    assert clients["login"].get("/v1/tables/999/sessions").json()["code"] == "no_such_table"
    assert clients["login"].get("/v1/rounds/999/bets").json()["code"] == "no_such_round"


def items(text):
    """The events of a stream."""
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[0] != ":")
        if "data" in fields:
            yield fields


def test_every_event_of_a_stream_is_as_it_is_described():
    """The item, and what its data holds (itemSchema)."""
    from tabletools.api.live_routes import _text
    from tabletools.pit.live import LiveEvent

    sent = _text(LiveEvent("run-1", "snapshot", {"state": {"table": 2}}), 2)
    sent += _text(LiveEvent("run-2", "changed", {"changed": {"phase": "closed"}, "at_ns": 0}), 2)
    for path in ("/v1/live", "/v1/tables/{table}/live"):
        content = DOCUMENT["paths"][path]["get"]["responses"]["200"]["content"]
        item = content["text/event-stream"]["itemSchema"]
        events = list(items(sent))
        assert len(events) == 2
        for one in events:
            Draft202012Validator(item).validate(one)
            data = item["properties"]["data"]["contentSchema"]
            Draft202012Validator(data).validate(json.loads(one["data"]))
