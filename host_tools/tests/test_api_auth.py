"""Who gets in: logins, lock-out, sessions, pages of others, hosts of others, roles."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from host_tools.tests.served import HOUSE, PASSWORD, ROLES, Host
from tabletools.api import login_routes
from tabletools.api.auth import AuthError
from tabletools.api.passwords import Lane, made_up
from tabletools.api.throttle import MOST_ENTRIES, Throttle, source_of
from tabletools.money.people_queries import audit_rows, user_rows
from tabletools.pit.host_context import TableUnavailable
from tabletools.store import Actor, LedgerRejection, people

SEC, MIN = 1_000_000_000, 60 * 1_000_000_000
ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
# Who may do what, by hand: d dealer, s supervisor, c cashier, t technician, a auditor.
MATRIX = {
    "tables.see": "dscta",
    "tables.close_bets": "ds",
    "tables.call": "ds",
    "tables.end_play": "ds",
    "tables.deal": "ds",
    "tables.pass_dice": "ds",
    "tables.enable": "s",
    "tables.order": "dst",
    "tables.void_round": "s",
    "tables.clear_fault": "st",
    "devices.see": "dsta",
    "devices.check": "st",
    "devices.release": "s",
    "trays.correct": "st",
    "offers.see": "dsta",
    "offers.decide": "st",
    "rounds.see": "dscta",
    "rounds.rule": "ds",
    "rounds.deal": "ds",
    "bets.see": "dsa",
    "bets.rule": "ds",
    "late_bets.see": "sa",
    "accounts.see": "dsca",
    "accounts.open": "sc",
    "accounts.pin": "sc",
    "accounts.deposit": "sc",
    "accounts.adjust": "ds",
    "accounts.pay_out": "sc",
    "takings.see": "sa",
    "desk.see": "sca",
    "desk.transfer": "sc",
    "desk.close": "sc",
    "wallet.see": "sca",
    "wallet.retry": "sc",
    "wallet.close": "sc",
    "payouts.release": "s",
    "sessions.see": "dsca",
    "sessions.open": "ds",
    "sessions.close": "ds",
    "alarms.see": "dscta",
    "alarms.acknowledge": "st",
    "rules.see": "dsta",
    "rules.change": "s",
    "sinks.see": "dsta",
    "users.see": "sa",
    "users.change": "s",
    "audit.see": "sa",
}
# Asked for inside /v1/tables/{table}/orders: test_pit_orders.
OF_ORDERS = {"tables.void_round", "tables.clear_fault"}
# What needs no role: to get in, to get out, the terminal's own, health.
OPEN = {
    ("post", "/v1/login"),
    ("post", "/v1/logout"),
    ("get", "/v1/me"),
    ("get", "/v1/sign-on"),
    ("get", "/v1/sign-on/begin"),
    ("get", "/v1/sign-on/answer"),
    ("post", "/v1/sign-on/decisions"),
    ("get", "/v1/sign-on/decisions/{name}"),
    ("post", "/v1/me/password"),
    ("get", "/v1/seat"),
    ("post", "/v1/seat"),
    ("post", "/v1/seat/pin"),
    ("delete", "/v1/seat"),
    ("get", "/v1/bets"),
    ("post", "/v1/bets"),
    ("post", "/v1/slips"),
    ("post", "/v1/calls"),
    ("put", "/v1/bets/{bet}"),
    ("delete", "/v1/bets/{bet}"),
    ("get", "/v1/health"),
    ("get", "/v1/ready"),
}


class Watch:
    """A clock a test moves; both times are one."""

    def __init__(self):
        self.now_ns = 1_800_000_000 * SEC

    def wall_ns(self):
        return self.now_ns

    def mono_ns(self):
        return self.now_ns


def operations():
    """Every operation of the document: method, path, its action or None."""
    return [
        (method, path, described.get("x-action"))
        for path, methods in DOCUMENT["paths"].items()
        for method, described in methods.items()
    ]


@pytest.fixture(scope="module")
def shared_host(tmp_path_factory):
    """A host without a table and one user of each role, named as the role."""
    with Host(str(tmp_path_factory.mktemp("host") / "ledger")) as new_host:
        for role in ROLES:
            new_host.user(role, role)
        yield new_host


@pytest.fixture
def watch():
    return Watch()


@pytest.fixture
def host(tmp_path, watch):
    """A host of this test alone, with a clock."""
    with Host(str(tmp_path / "ledger"), clock=watch) as new_host:
        new_host.user("Sue", "supervisor")
        yield new_host


def audit_actions(host):
    with host.ledger.read() as db:
        return [row["action"] for row in reversed(audit_rows(db))]


def ask(client, method, path):
    """Call an operation with numbers that do not exist and an empty body."""
    for name in (
        "table",
        "account",
        "session",
        "number",
        "alarm",
        "bet",
        "user",
        "payout",
        "movement",
    ):
        path = path.replace(f"{{{name}}}", "999")
    body = {} if method in ("get", "delete") else {"json": {}}
    if path.endswith("/live"):
        path = "/v1/tables/999/live"
    return client.request(method, path, headers={"Idempotency-Key": "k"}, **body)


def test_every_operation_has_an_action_or_is_known_to_need_none():
    """What is added later cannot be open by mistake."""
    described = operations()
    assert {(method, path) for method, path, name in described if name is None} == OPEN
    assert {name for _, _, name in described if name} == set(MATRIX) - OF_ORDERS


@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_do_what_the_matrix_says(shared_host, role):
    """Call every operation: it is allowed exactly where the matrix has the role's letter."""
    client = shared_host.login(role)
    asked = 0
    for method, path, name in operations():
        if name is None:
            continue
        answer = ask(client, method, path)
        is_file = answer.headers.get("content-type", "").startswith("text/csv")
        code = None if is_file else answer.json().get("code")
        assert (code != "not_allowed") == (role[0] in MATRIX[name]), (method, path, code)
        asked += 1
    assert asked >= 25


def test_nobody_gets_in_without_a_login(shared_host):
    """Every operation but health and login is refused with 401."""
    client = shared_host.client()
    for method, path, _ in operations():
        is_sign_on = "sign-on" in path and "decisions" not in path
        is_open = path in ("/v1/login", "/v1/health", "/v1/ready") or is_sign_on
        if is_open or (method, path) == ("post", "/v1/seat"):  # by a code and the player's PIN
            continue
        answer = ask(client, method, path)
        assert answer.status_code == 401, (method, path, answer.text)


def test_a_login_and_its_end(host):
    """The cookie is no script's and no other site's; after the logout it is worth nothing."""
    client = host.client()
    answer = client.post("/v1/login", json={"name": "Sue", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    cookies = dict(client.cookies)
    client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    assert client.get("/v1/me").json()["csrf_token"] == answer.json()["csrf_token"]
    assert client.post("/v1/logout").status_code == 204
    client.cookies.update(cookies)
    assert client.get("/v1/me").json()["code"] == "not_logged_in"
    ended = ["login", "key_added", "session_opened", "session_closed"]
    assert audit_actions(host)[-4:] == ended


def test_five_failures_lock_an_account_for_a_quarter_of_an_hour(host, watch):
    """Until then the right password is refused; then it works and the count is zero."""
    client = host.client()

    def code(password):
        body = {"name": "Sue", "password": password}
        return client.post("/v1/login", json=body).json().get("code")

    assert [code("wrong") for _ in range(5)] == ["login_failed"] * 5
    assert code(PASSWORD) == "locked"
    watch.now_ns += 15 * MIN - 1
    assert code(PASSWORD) == "locked"
    watch.now_ns += 1
    assert code(PASSWORD) is None
    assert code("wrong") == "login_failed"
    assert code(PASSWORD) is None
    actions = audit_actions(host)
    assert (actions.count("login_failed"), actions.count("login_while_locked")) == (6, 1)


def test_wrong_passwords_at_once_are_counted_each(host, monkeypatch):
    """60 wrong passwords at once: five are checked at most, and the name is locked after them."""
    monkeypatch.setattr(login_routes, "BUSY_S", 0.0)
    checks = []
    fits = host.passwords.fits
    monkeypatch.setattr(host.passwords, "fits", lambda *body: checks.append(1) or fits(*body))
    client = host.client()
    body = {"name": "Sue", "password": "wrong"}
    codes = []
    with ThreadPoolExecutor(60) as pool:
        while len(checks) < 5:
            codes += pool.map(
                lambda _: client.post("/v1/login", json=body).json()["code"], range(60)
            )
    codes.append(client.post("/v1/login", json=body).json()["code"])
    assert len(checks) == 5
    assert codes.count("login_failed") == 5
    assert set(codes) <= {"login_failed", "locked", "busy"}
    actions = audit_actions(host)
    assert (actions.count("login_failed"), actions.count("login_while_locked")) == (5, 1)


def test_right_passwords_at_once_lock_nothing(host):
    """Twelve decisions of one user at once, each with the right second password: all count."""
    auth = host.state.auth
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: auth.checked("Sue", PASSWORD, "user 2").user, range(12)))
    assert answers == [1] * 12


def test_an_attacker_locks_out_no_other_address_and_no_login(tmp_path):
    """Sue is locked for one address: she logs in from another, and confirms beside Dan."""
    with Host(str(tmp_path / "ledger"), behind_proxy=True) as host:
        for name in ("Sue", "Dan"):
            host.user(name, "supervisor")

        def code(address, password):
            # A client may write what it likes in front; the proxy adds the last address.
            headers = {
                "Origin": host.url.replace("http:", "https:"),
                "X-Forwarded-For": f"192.0.2.{len(password)}, {address}",
            }
            body = {"name": "Sue", "password": password}
            with httpx.Client(base_url=host.url, headers=headers, verify=False) as client:
                return client.post("/v1/login", json=body).json().get("code")

        assert [code("203.0.113.9", "wrong" + "x" * n) for n in range(6)] == [
            *["login_failed"] * 5,
            "locked",
        ]
        assert code("203.0.113.9", PASSWORD) == "locked"
        assert code("198.51.100.2", PASSWORD) is None
        assert host.state.auth.checked("Sue", PASSWORD, "user 2").user == 1


def test_failed_logins_write_few_rows(host, watch):
    """150 names make 100 rows in an hour; the next row after it states that 50 were omitted."""
    auth = host.state.auth

    def failed():
        with host.ledger.read() as db:
            return len(audit_rows(db, action="login_failed", most=500))

    for number in range(150):
        with pytest.raises(AuthError):
            auth.checked(f"name {number}", "wrong", "203.0.113.9")
    assert failed() == 100
    watch.now_ns += 60 * MIN
    with pytest.raises(AuthError):
        auth.checked("name", "wrong", "203.0.113.9")
    assert failed() == 101
    with host.ledger.read() as db:
        newest = audit_rows(db)[0]
    assert newest["detail"]["omitted"] == 50


def test_failures_are_kept_within_bounds():
    """One name more than fits: the oldest is forgotten, the newest is still locked."""
    throttle = Throttle(1, MIN)
    for number in range(MOST_ENTRIES + 1):
        throttle.fail("a", str(number), 0)
    assert throttle.locked_ns("a", str(MOST_ENTRIES), 0) == MIN
    assert throttle.locked_ns("a", "0", 0) == 0


def test_a_source_takes_its_share_of_the_lane_and_one_that_failed_half():
    """Places of 8: two of one address, four of addresses that failed, the rest for others."""
    lane = Lane(8, 2)
    with ExitStack() as stack:
        for source in ("a", "a", "b", "b"):
            stack.enter_context(lane.place(source, is_suspect=True))
        for source, is_suspect in (("c", True), ("a", False)):
            with pytest.raises(TableUnavailable), lane.place(source, is_suspect=is_suspect):
                pass
        for source in "cdef":
            stack.enter_context(lane.place(source))
        with pytest.raises(TableUnavailable), lane.place("g"):
            pass
    with lane.place("g"):
        pass


def test_a_flood_of_logins_is_turned_away_and_stops_no_decision(host, monkeypatch):
    """With every place of the lane taken a login gets 503; a signed-in user decides meanwhile."""
    monkeypatch.setattr(login_routes, "BUSY_S", 0.0)
    lane = host.passwords.strangers
    with ExitStack() as stack, lane.turn:
        for number in range(8):
            stack.enter_context(lane.place(f"203.0.113.{number}"))
        body = {"name": "Sue", "password": "wrong"}
        answer = host.client().post("/v1/login", json=body)
        assert (answer.status_code, answer.json()["code"]) == (503, "busy")
        assert host.state.auth.checked("Sue", PASSWORD, "user 2").user == 1
    assert "login_failed" not in audit_actions(host)


def test_nobody_s_name_is_answered_alike(host, watch):
    """An unknown name, a disabled user and a wrong password get the same answer each time.

    Also once it is locked: when the tries run out reveals no user names.
    """
    people.change_user(host.ledger, host.user("Gus", "dealer"), HOUSE, enabled=0)
    client = host.client()

    def answers():
        bodies = [{"name": name, "password": "wrong"} for name in ("Sue", "Zoe", "Gus")]
        return [client.post("/v1/login", json=each).json() for each in bodies]

    codes = []
    for times in (6, 2):
        for _ in range(times):
            replies = answers()
            assert replies[0] == replies[1] == replies[2]
            codes.append(replies[0]["code"])
        watch.now_ns += 15 * MIN
    assert codes == ["login_failed"] * 5 + ["locked", "login_failed", "locked"]


def test_a_login_ends_by_time_and_by_disuse(host, watch):
    """60 minutes unused, or 12 hours in all."""
    client = host.login("Sue")
    watch.now_ns += 60 * MIN
    assert client.get("/v1/me").status_code == 200
    watch.now_ns += 60 * MIN + 1
    assert client.get("/v1/me").status_code == 401
    client = host.login("Sue")
    for _ in range(12):
        watch.now_ns += 59 * MIN
        assert client.get("/v1/me").status_code == 200
    watch.now_ns += 12 * MIN
    assert client.get("/v1/me").status_code == 401


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"X-CSRF-Token": ""}, "csrf"),
        ({"X-CSRF-Token": "0" * 64}, "csrf"),
        ({"Origin": "http://evil.example"}, "origin"),
        ({"Origin": "null"}, "origin"),
        ({"Origin": None}, "origin"),
        ({"Host": "evil.example"}, "wrong_host"),
    ],
)
def test_pages_of_others_change_nothing(shared_host, headers, code):
    """Without our token, from another page, for another name: refused, and nothing is done."""
    client = shared_host.login("supervisor")
    request = client.build_request(
        "POST", "/v1/accounts", json={"player_number": "9", "name": "mallory"}
    )
    for name, value in headers.items():
        request.headers.pop(name, None)
        if value is not None:
            request.headers[name] = value
    assert client.send(request).json()["code"] == code
    assert client.get("/v1/accounts", params={"name": "mallory"}).json()["accounts"] == []


def test_a_long_body_is_not_read(shared_host):
    """64 KiB is the limit, whether or not the length is declared beforehand."""
    client = shared_host.client()
    answer = client.post("/v1/login", content=b"x" * 65_537)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_long")
    untold = client.post("/v1/login", content=(b"x" * 1024 for _ in range(65)))
    assert (untold.status_code, untold.json()["code"]) == (413, "too_long")
    assert untold.json()["detail"] == "the body is longer than 65536 bytes"
    kind = {"Content-Type": "application/json"}
    latin = client.post("/v1/login", content=b'{"name": "Zo\xeb"}', headers=kind)
    assert (latin.status_code, latin.json()["code"]) == (400, "body_unreadable")


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:50123", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:0:1::2", "2001:db8:0:1::/64"),
        ("[2001:db8:0:1:ffff::9]:443", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
    ],
)
def test_another_port_or_address_of_the_same_network_is_no_other_source(address, source):
    """One machine has 2^64 addresses of IPv6, each of which would have five tries."""
    assert source_of(address) == source


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"cents": 100, "cents": 900}', "duplicate_key"),
        (b'{"cents": 100, "c\\u0065nts": 900}', "duplicate_key"),
        ('{"cents": 100}'.encode("utf-16-le"), "body_unreadable"),
        (b'\xef\xbb\xbf{"cents": 100}', "body_unreadable"),
        (b'{"cents": 100} {"cents": 900}', "body_unreadable"),
    ],
)
def test_a_body_of_two_meanings_books_nothing(host, body, code):
    """A reader that takes the first of two keys, or another encoding, sees another amount."""
    sue = host.login("Sue")
    account = sue.post("/v1/accounts", json={"player_number": "A1", "name": "Ada"}).json()["id"]
    answer = sue.post(
        f"/v1/accounts/{account}/deposits",
        content=body,
        headers={"Idempotency-Key": "k", "Content-Type": "application/json"},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert sue.get(f"/v1/accounts/{account}").json()["balance_cents"] == 0


def test_a_bet_too_long_is_refused(shared_host):
    """Also on the shorter way of bets, and sent without a length."""
    answer = shared_host.client().post("/v1/bets", content=(b"x" * 1024 for _ in range(65)))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_long")


def raw(host, sent):
    """What a host answers to these bytes until it closes the connection."""
    address = urlsplit(host.url)
    with socket.create_connection((address.hostname, address.port), 30) as line:
        line.sendall(sent)
        return b"".join(iter(lambda: line.recv(65536), b""))


def test_a_body_of_two_lengths_is_refused_and_the_connection_closed(shared_host):
    """The request hidden behind the body is not answered (request smuggling)."""
    name = urlsplit(shared_host.url).netloc
    inner = f"GET /v1/health HTTP/1.1\r\nHost: {name}\r\n\r\n"
    head = (
        f"POST /v1/login HTTP/1.1\r\nHost: {name}\r\nContent-Length: {len(inner) + 5}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    answer = raw(shared_host, f"{head}0\r\n\r\n{inner}".encode())
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"body_ambiguous" in answer
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    ("whole", "part"),
    [(0, ""), (0, "GET /v1/health HTTP/1.1\r\nHost: "), (1, "GET /v1/health HTTP/1.1\r\n")],
)
def test_headers_that_do_not_end_close_the_connection(shared_host, monkeypatch, whole, part):
    """On a new connection, empty or not, and after a request that was answered."""
    monkeypatch.setattr("tabletools.api.protocol.HEADERS_S", 0.1)
    name = urlsplit(shared_host.url).netloc
    request = f"GET /v1/health HTTP/1.1\r\nHost: {name}\r\n\r\n"
    answer = raw(shared_host, (request * whole + part).encode())
    assert answer.count(b"HTTP/1.1 200") == whole


@pytest.mark.parametrize("pipelined", [0, 1])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ("Content-Length: 9", ""),
        ("Content-Length: 9", '{"n'),
        ("Transfer-Encoding: chunked", "1\r\n"),
        ("Content-Length: 999999", "x"),
    ],
)
def test_a_body_that_does_not_end_closes_the_connection(
    shared_host, monkeypatch, headers, body, pipelined
):
    """Also behind another request, and a body that was refused before it was received."""
    monkeypatch.setattr("tabletools.api.protocol.BODY_S", 0.1)
    name = urlsplit(shared_host.url).netloc
    request = f"GET /v1/health HTTP/1.1\r\nHost: {name}\r\n\r\n"
    unended = f"POST /v1/login HTTP/1.1\r\nHost: {name}\r\n{headers}\r\n\r\n{body}"
    answer = raw(shared_host, (request * pipelined + unended).encode())
    assert answer.count(b"HTTP/1.1 200") == pipelined


def test_a_login_from_another_page_is_refused(shared_host):
    """A page of another origin cannot log the browser in (login CSRF)."""
    client = shared_host.client(Origin="http://evil.example")
    body = {"name": "supervisor", "password": PASSWORD}
    assert client.post("/v1/login", json=body).json()["code"] == "origin"


def test_a_rebound_name_reads_nothing(shared_host):
    """A page whose host name points at this machine (DNS rebinding) gets no data."""
    answer = shared_host.client(Host="evil.example").get("/v1/health")
    assert (answer.status_code, answer.json()["code"]) == (421, "wrong_host")


@pytest.mark.parametrize("path", ["/", "/v1/health", "/nothing"])
def test_every_answer_carries_the_headers(shared_host, path):
    """No inline script, no frame, no sniffing, no referrer."""
    headers = shared_host.client().get(path).headers
    policy = headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_a_password_made_up_does_not_contain_the_name(host):
    """Which would be refused; four in ten contain a given letter."""
    for _ in range(50):
        assert host.passwords.hashed(made_up("Q", "Ed"), "Q")


def test_a_first_password_is_good_for_choosing_another(host):
    """Reported once; nothing works before it is changed; then it opens nothing."""
    sue = host.login("Sue")
    reply = sue.post("/v1/users", json={"name": "Dan", "role": "dealer"}).json()
    dan = host.client()
    first = {"name": "Dan", "password": reply["password"]}
    me = dan.post("/v1/login", json=first).json()
    assert me["must_change_password"] is True
    assert dan.get("/v1/tables").json()["code"] == "password_once"
    dan.headers["X-CSRF-Token"] = me["csrf_token"]
    change = {"old": reply["password"], "new": "short"}
    assert dan.post("/v1/me/password", json=change).json()["code"] == "password_poor"
    change["new"] = PASSWORD
    assert dan.post("/v1/me/password", json=change).status_code == 204
    assert dan.get("/v1/tables").status_code == 200
    assert dan.post("/v1/login", json=first).json()["code"] == "login_failed"
    assert all(reply["password"] not in json.dumps(line, default=str) for line in host.lines)


def test_a_user_who_is_disabled_is_out_at_once(host):
    """The user's sessions end; the last supervisor cannot be disabled or lose the role."""
    number = host.user("Dan", "dealer")
    sue, dan = host.login("Sue"), host.login("Dan")
    assert sue.patch(f"/v1/users/{number}", json={"enabled": False}).status_code == 200
    assert dan.get("/v1/me").status_code == 401
    assert sue.patch("/v1/users/1", json={"enabled": False}).json()["code"] == "last_supervisor"
    assert sue.patch("/v1/users/1", json={"role": "auditor"}).json()["code"] == "last_supervisor"


def login_of(name, password=PASSWORD):
    return {"name": name, "password": password}


def test_a_supervisor_makes_no_second_user_to_rule_with(host):
    """Once two supervisors have a password, each widening of rights takes both; bootstrap one."""
    sue = host.login("Sue")
    first = {"name": "Sam", "role": "supervisor"}
    sam = sue.post("/v1/users", json=first)
    assert sam.status_code == 201
    tim = host.user("Tim", "technician")
    where = f"/v1/users/{tim}"
    puppet = {"name": "Pia", "role": "dealer"}
    widenings = [
        (sue.post, "/v1/users", puppet),
        (sue.patch, where, {"role": "dealer"}),
        (sue.patch, where, {"reset_password": True}),
        (sue.patch, where, {"enabled": True}),
        (sue.patch, f"/v1/users/{sam.json()['user']}", {"role": "dealer"}),
    ]
    host.user("Dan", "dealer")
    once = login_of("Sam", sam.json()["password"])
    for send, path, body in widenings:
        for second, code in (
            (None, "second_supervisor_needed"),
            (login_of("Sue"), "second_supervisor_needed"),
            (login_of("Dan"), "second_supervisor_needed"),
            (login_of("Sam", "not his"), "login_failed"),
            (once, "password_once"),
        ):
            answer = send(path, json=body | ({"second": second} if second else {}))
            assert answer.json()["code"] == code, (path, body, second)
    with host.ledger.read() as db:
        rows = {row.name: row.role for row in user_rows(db)}
    assert "Pia" not in rows
    assert rows["Tim"] == "technician"
    assert sue.patch(where, json={"enabled": False}).status_code == 200


def test_two_supervisors_agree_on_a_user_and_the_log_names_both(host):
    """Sam gives his password: the user is added, changed and has a new password, by both."""
    host.user("Sam", "supervisor")
    sue, second = host.login("Sue"), login_of("Sam")
    body = {"name": "Dan", "role": "dealer", "second": second}
    number = sue.post("/v1/users", json=body).json()["user"]
    changed = {"role": "cashier", "reset_password": True, "second": second}
    assert "password" in sue.patch(f"/v1/users/{number}", json=changed).json()
    rows = sue.get("/v1/audit?most=20").json()["rows"]
    for action in ("user_created", "user_changed"):
        name = (action, f"user {number}")
        entries = [row for row in rows if (row["action"], row["subject"]) == name]
        assert {(row["who"], row["detail"]["together_with"]) for row in entries} == {
            ("Sue", "Sam"),
            ("Sam", "Sue"),
        }


def first_login(host, name, password):
    """A client logged in with a first password, and what a change of it sends."""
    client = host.client()
    me = client.post("/v1/login", json=login_of(name, password)).json()
    client.headers["X-CSRF-Token"] = me["csrf_token"]
    return client, me, {"old": password, "new": "eleven green cows"}


@pytest.mark.parametrize("is_new", [True, False])
def test_who_asked_for_a_first_password_cannot_act_with_it(host, is_new):
    """Sue reads Dan's first password; choosing another one takes Sam, who sees Dan type it."""
    host.user("Sam", "supervisor")
    host.user("Tim", "technician")
    sue, sam = host.login("Sue"), login_of("Sam")
    body = {"name": "Dan", "role": "supervisor", "second": sam}
    reply = sue.post("/v1/users", json=body).json()
    if not is_new:
        where = f"/v1/users/{reply['user']}"
        reply = sue.patch(where, json={"reset_password": True, "second": sam}).json()
    dan, me, change = first_login(host, "Dan", reply["password"])
    assert (me["must_change_password"], me["password_needs_second"]) == (True, True)
    for second, code in (
        (None, "second_supervisor_needed"),
        (login_of("Sue"), "second_supervisor_needed"),
        (login_of("Tim"), "second_supervisor_needed"),
        (login_of("Dan", reply["password"]), "password_once"),
        (login_of("Sam", "not his"), "login_failed"),
    ):
        refused = dan.post("/v1/me/password", json=change | {"second": second})
        assert refused.json()["code"] == code, second
    assert dan.get("/v1/tables").json()["code"] == "password_once"
    assert dan.post("/v1/me/password", json=change | {"second": sam}).status_code == 204
    assert dan.get("/v1/tables").status_code == 200
    assert dan.get("/v1/me").json()["password_needs_second"] is False
    probe = {"old": "no", "new": PASSWORD, "second": login_of("Sam", "not his")}
    rows = sue.get("/v1/audit?action=login_failed").json()["rows"]
    assert dan.post("/v1/me/password", json=probe).json()["code"] == "login_failed"
    more = sue.get("/v1/audit?action=login_failed").json()["rows"]
    assert [row["who"] for row in more[: len(more) - len(rows)]] == ["Dan"]
    rows = sue.get("/v1/audit?most=20").json()["rows"]
    signed = {row["who"] for row in rows if row["detail"].get("password") == "chosen"}
    assert signed == {"Dan", "Sam"}


def test_a_password_reset_meanwhile_is_not_overwritten(host, monkeypatch):
    """A thief of the old password who changes it while supervisors reset it does not win."""
    number = host.user("Dan", "dealer")
    sue, dan = host.login("Sue"), host.login("Dan")
    hashed, resets = host.passwords.hashed, []

    def reset_first(password, name, **options):
        if not resets:
            resets.append(name)
            where = f"/v1/users/{number}"
            resets.append(sue.patch(where, json={"reset_password": True}).json()["password"])
        return hashed(password, name, **options)

    monkeypatch.setattr(host.passwords, "hashed", reset_first)
    change = {"old": PASSWORD, "new": "eleven green cows"}
    assert dan.post("/v1/me/password", json=change).json()["code"] == "password_changed"
    login = host.client().post("/v1/login", json=login_of("Dan", resets[1]))
    assert login.status_code == 200


def test_a_change_of_a_user_ends_the_logins_in_one_step(host):
    """A host that stops in between leaves no login that a thief had open."""
    number = host.user("Dan", "dealer")
    for change in (
        {"password_hash": host.passwords.hashed("eleven green cows", "Dan")},
        {"role": "cashier"},
        {"enabled": 0},
    ):
        people.change_user(host.ledger, number, HOUSE, enabled=1)
        people.change_user(
            host.ledger, number, HOUSE, password_hash=host.passwords.hashed(PASSWORD, "Dan")
        )
        thief = host.login("Dan")
        people.change_user(host.ledger, number, HOUSE, **change)
        people.change_user(host.ledger, number, HOUSE, enabled=1)
        assert thief.get("/v1/me").status_code == 401, change
    mine, thief = host.login("Dan"), host.login("Dan")
    who = host.state.auth.person(mine.cookies[host.state.cookie])
    with host.ledger.read() as db:
        was = people.find_user(db, "Dan").password_hash
    change = people.PasswordChange(was, host.passwords.hashed("twelve red hens", "Dan"), None)
    people.change_own_password(host.ledger, who.actor, change, keeps=who.session)
    assert (mine.get("/v1/me").status_code, thief.get("/v1/me").status_code) == (200, 401)


def test_two_supervisors_cannot_disable_each_other(host):
    """Sue was logged in, and so was Sam when Sue disabled him: his request comes too late.

    Nor may the last supervisor disable herself.
    """
    sam = host.user("Sam", "supervisor")
    people.change_user(host.ledger, sam, Actor("Sue", 1), enabled=0)
    with pytest.raises(LedgerRejection) as refused:
        people.change_user(host.ledger, 1, Actor("Sam", sam), enabled=0)
    assert refused.value.code == "user_not_allowed"
    with pytest.raises(LedgerRejection) as refused:
        people.change_user(host.ledger, 1, Actor("Sue", 1), enabled=0)
    assert refused.value.code == "last_supervisor"
    assert host.login("Sue").get("/v1/users").status_code == 200


def test_a_login_that_outlives_its_password_is_refused(host, monkeypatch):
    """Its password was right when it was checked, and was changed before the login was open."""
    number = host.user("Dan", "dealer")
    fits = host.passwords.fits

    def changed_then(*args):
        is_right = fits(*args)
        fresh = host.passwords.hashed("eleven green cows", "Dan")
        people.change_user(host.ledger, number, HOUSE, password_hash=fresh)
        return is_right

    monkeypatch.setattr(host.passwords, "fits", changed_then)
    answer = host.client().post("/v1/login", json=login_of("Dan"))
    assert (answer.status_code, answer.json()["code"]) == (401, "login_failed")


def test_disabling_the_other_supervisor_leaves_nobody_alone(host):
    """Sue may disable Sam at once; a new user then needs one whom the administrator adds."""
    sam = host.user("Sam", "supervisor")
    sue = host.login("Sue")
    assert sue.patch(f"/v1/users/{sam}", json={"enabled": False}).status_code == 200
    for body in ({"name": "Pia", "role": "dealer"}, {"name": "Pia", "role": "supervisor"}):
        refused = sue.post("/v1/users", json=body).json()
        assert refused["code"] == "second_supervisor_needed"
        assert "tabletool users" in refused["step"]
    refused = sue.patch(f"/v1/users/{sam}", json={"enabled": True, "second": login_of("Sam")})
    assert refused.json()["code"] == "login_failed"


@pytest.mark.parametrize(
    "path",
    [
        "/..%2fapi%2fapp.py",
        "/%2e%2e/api/app.py",
        "/pages/..%5c..%5capi%5capp.py",
        "//etc/passwd",
        "/app.js%00.html",
        "/pages/",
        "/../tables.toml",
    ],
)
def test_the_pages_are_all_there_is_to_read(shared_host, path):
    """No way leads out of the folder of the console, and no folder is listed."""
    raw = shared_host.client().build_request("GET", "/")
    raw.url = raw.url.copy_with(raw_path=path.encode())
    assert shared_host.client().send(raw).status_code == 404


@pytest.mark.parametrize("path", ["/v1/live", "/v1/tables/1/live"])
def test_a_stream_is_no_way_round_the_login(shared_host, path):
    """Neither as a stream of events nor as a WebSocket, whichever page asks."""
    wanted = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
    }
    for headers in ({}, wanted):
        assert shared_host.client(**headers).get(path).status_code == 401
