"""Single sign-on: a login by an identity provider, and all that a provider may get wrong."""

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from host_tools.tests.provider_server import CLIENT, SECRET, serving
from host_tools.tests.served import PASSWORD, Host
from host_tools.tests.test_api_auth import SEC, Watch, audit_actions
from tabletools.api import identity_provider, single_sign_on
from tabletools.api.roles import PERMISSIONS, SIGNED
from tabletools.errors import ToolError
from tabletools.money import people_queries
from tabletools.pit.settings import Settings
from tabletools.store.schema.people import users

ANSWER = "/v1/sign-on/answer"
AMY = {"preferred_username": "Amy", "groups": ["everyone", "floor-audit"]}


@pytest.fixture(scope="module")
def watch():
    return Watch()


@pytest.fixture(scope="module")
def provider(watch):
    with serving(lambda: watch.now_ns // SEC) as new_provider:
        yield new_provider


@pytest.fixture(scope="module")
def host(tmp_path_factory, watch, provider):
    """Sue has a password here; Max, whom the provider knows, is disabled here."""
    place = tmp_path_factory.mktemp("sign-on")
    (place / "secret").write_text(f"{SECRET}\n")
    settings = {
        "oidc_issuer": provider.issuer,
        "oidc_client": CLIENT,
        "oidc_secret_file": str(place / "secret"),
        "oidc_redirect": "https://pit.example/v1/sign-on/answer",
        "oidc_roles": (
            "floor-audit = auditor",
            "cn=chiefs,dc=example=supervisor",
            "desk=cashier",
            "tills=cashier",
        ),
    }
    with Host(str(place / "ledger"), clock=watch, **settings) as new_host:
        new_host.user("Sue", "supervisor")
        new_host.user("Max", "auditor")
        with new_host.ledger.write() as db:
            db.execute(users.update().where(users.c.name == "Max").values(enabled=0))
        yield new_host


@pytest.fixture(autouse=True)
def honest(provider):
    """The provider is as the standard says, until a test changes that."""
    provider.status, provider.forged, provider.changes = 0, "", {}
    provider.reuses_codes, provider.user_info = False, {}


def begun(client):
    """The address to which a browser is sent."""
    answer = client.get("/v1/sign-on/begin")
    assert answer.status_code == 303
    return answer.headers["location"]


def returned(client, query):
    """Where a browser is sent that comes back with an answer."""
    answer = client.get(ANSWER, params=query)
    assert answer.status_code == 303
    return answer.headers["location"]


def logged_in(host, provider, **claims):
    """A browser after a login."""
    client = host.client()
    assert returned(client, provider.log_in(begun(client), **claims)) == "/"
    client.headers["X-CSRF-Token"] = client.get("/v1/me").json()["csrf_token"]
    return client


def test_a_user_logs_in_and_has_the_role_of_the_group(host, provider):
    """Added at the first login; each login asks for credentials, with PKCE, state and nonce."""
    client = logged_in(host, provider, **AMY)
    me = client.get("/v1/me").json()
    assert (me["name"], me["role"], me["has_password"]) == ("Amy", "auditor", False)
    asked = provider.asked[-1]
    assert (asked["prompt"], asked["code_challenge_method"]) == ("login", "S256")
    assert asked["max_age"]  # so the token says when credentials were given
    assert asked["redirect_uri"] == "https://pit.example/v1/sign-on/answer"
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    assert client.get("/v1/audit").status_code == 200
    assert client.post("/v1/logout").status_code == 204
    assert client.get("/v1/me").status_code == 401
    whole = ["user_created", "login", "session_opened", "session_closed"]
    assert audit_actions(host)[-4:] == whole


def test_a_provider_may_name_the_user_beside_the_token(host, provider):
    """As OpenID Connect Core 5.4 has it for this flow; of another user it is refused."""
    claims = {"preferred_username": "Una", "groups": ["floor-audit"]}
    client = host.client()
    provider.user_info = claims | {"sub": "number of Max"}
    answer = provider.log_in(begun(client), **claims)
    assert returned(client, answer) == "/?refused=sign_on_invalid"
    provider.user_info = claims | {"sub": "number of Una"}
    me = logged_in(host, provider, **claims).get("/v1/me").json()
    assert (me["name"], me["role"]) == ("Una", "auditor")


def test_the_role_follows_the_groups_and_ends_other_logins(host, provider):
    first = logged_in(host, provider, **AMY | {"preferred_username": "Ann"})
    second = logged_in(host, provider, preferred_username="Ann", groups=["desk", "tills"])
    assert second.get("/v1/me").json()["role"] == "cashier"
    assert first.get("/v1/me").status_code == 401


def test_nothing_that_is_signed_is_decided(host, provider):
    """A supervisor by the provider alone sees everything, but pays nothing and adds no user."""
    boss = logged_in(host, provider, preferred_username="Bob", groups=["cn=chiefs,dc=example"])
    actions = set(boss.get("/v1/me").json()["actions"])
    assert {"takings.see", "alarms.acknowledge", "tables.close_bets"} <= actions
    assert not {"accounts.deposit", "users.change", "rounds.rule", "tables.order"} & actions
    account = host.login("Sue").post(
        "/v1/accounts", json={"player_number": "1", "name": "Ada", "pin": "628413"}
    )
    where, key = f"/v1/accounts/{account.json()['id']}/deposits", {"Idempotency-Key": "k"}
    refused = boss.post(where, json={"cents": 100}, headers=key)
    assert (refused.status_code, refused.json()["code"]) == (403, "password_needed")
    new_user = {"name": "Eve", "role": "supervisor"}
    assert boss.post("/v1/users", json=new_user).json()["code"] == "password_needed"


def test_no_user_of_a_provider_is_the_second_of_two(host, provider):
    """Without a password there is no proof of being there."""
    logged_in(host, provider, preferred_username="Bob", groups=["cn=chiefs,dc=example"])
    second = {"name": "Bob", "password": "x" * 12}
    body = {"name": "Eve", "role": "supervisor", "second": second}
    refused = host.login("Sue").post("/v1/users", json=body)
    assert (refused.status_code, refused.json()["code"]) == (401, "login_failed")


WRONG = {
    "another nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "another audience": {"aud": "another pit"},
    "several audiences": {"aud": [CLIENT, "another pit"]},
    "another party": {"aud": [CLIENT, "another pit"], "azp": "another pit"},
    "no audience": {"aud": None},
    "another issuer": {"iss": "https://evil.example"},
    "expired": {"exp": 1_700_000_000},
    "no end": {"exp": None},
    "an end that is a text": {"exp": "1900000000"},
    "of the future": {"iat": 1_900_000_000},
    "not yet": {"nbf": 1_900_000_000},
    "credentials of yesterday": {"auth_time": 1_799_913_600},
    "credentials of no time": {"auth_time": None},
    "credentials of a time that is no number": {"auth_time": float("nan")},
    "an end that is no number": {"exp": float("nan")},
    "no name": {"preferred_username": None},
    "a name that is a number": {"preferred_username": 7},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_token_that_proves_no_login_is_refused(host, provider, wrong):
    provider.changes = WRONG[wrong]
    client = host.client()
    address = provider.log_in(begun(client), **AMY)
    assert returned(client, address) == "/?refused=sign_on_invalid"
    assert client.get("/v1/me").status_code == 401


@pytest.mark.parametrize("forged", ["none", "HS256", "other"])
def test_a_token_that_its_key_did_not_sign_is_refused(host, provider, forged):
    """Unsigned; by the published key as a shared secret; by another key of the same number."""
    provider.forged = forged
    client = host.client()
    location = returned(client, provider.log_in(begun(client), **AMY))
    assert location == "/?refused=sign_on_invalid"


@pytest.mark.parametrize(
    ("name", "groups", "code"),
    [
        ("Amy", ["everyone"], "no_role"),
        ("Amy", [], "no_role"),
        ("Amy", None, "no_role"),
        ("Amy", {"floor-audit": 1}, "no_role"),
        ("Amy", ["floor-audit", "desk"], "no_role"),  # one user, two roles
        ("Max", ["floor-audit"], "user_disabled"),
        ("Sue", ["cn=chiefs,dc=example"], "password_needed"),
        ("\u0405ue", ["floor-audit"], "name_invalid"),  # a Cyrillic letter
        ("Su\u0435", ["floor-audit"], "name_invalid"),  # another
        ("a" * 101, ["floor-audit"], "sign_on_invalid"),
    ],
)
def test_a_user_who_may_not_come_in_is_refused(host, provider, name, groups, code):
    client = host.client()
    query = provider.log_in(begun(client), preferred_username=name, groups=groups)
    assert returned(client, query) == f"/?refused={code}"
    assert client.get("/v1/me").status_code == 401
    assert audit_actions(host)[-1] == "login_failed"


def test_an_answer_is_good_once_and_for_the_browser_that_asked(host, provider):
    """Replayed, also by a provider that takes a code twice; to another browser; late; changed."""
    provider.reuses_codes = True
    client, other = host.client(), host.client()
    query = provider.log_in(begun(client), **AMY)
    cookie = client.cookies["tablewire-sign-on"]
    assert returned(other, query) == "/?refused=sign_on_expired"
    assert returned(client, query | {"state": "another"}) == "/?refused=sign_on_expired"
    client.cookies.set("tablewire-sign-on", cookie)
    assert returned(client, query | {"state": "\u00e9\U0001f3b2"}) == "/?refused=sign_on_expired"
    client.cookies.set("tablewire-sign-on", cookie)
    assert returned(client, query | {"iss": "https://evil.example"}) == "/?refused=sign_on_invalid"
    client.cookies.set("tablewire-sign-on", cookie)
    assert returned(client, query) == "/"
    other.cookies.set("tablewire-sign-on", cookie)
    assert returned(other, query) == "/?refused=sign_on_expired"
    other.cookies.set("tablewire-sign-on", cookie[:-4] + "AAAA")
    assert returned(other, query) == "/?refused=sign_on_expired"


def test_a_login_is_completed_within_ten_minutes(host, provider, watch):
    client = host.client()
    query = provider.log_in(begun(client), **AMY)
    watch.now_ns += 601 * SEC
    assert returned(client, query) == "/?refused=sign_on_expired"


def test_a_code_is_taken_once_and_with_its_verifier(host, provider):
    """The code of one browser in the answer to another: the verifier does not fit."""
    client, other = host.client(), host.client()
    query = provider.log_in(begun(client), **AMY)
    mine = provider.log_in(begun(other), **AMY)
    assert returned(other, mine | {"code": query["code"]}) == "/?refused=sign_on_invalid"


def test_a_provider_that_declines_or_fails(host, provider):
    client = host.client()
    query = provider.log_in(begun(client), **AMY)
    declined = {"state": query["state"], "error": "access_denied"}
    assert returned(client, declined) == "/?refused=sign_on_declined"
    provider.status = 502
    query = provider.log_in(begun(client), **AMY)
    assert returned(client, query) == "/?refused=sign_on_unavailable"
    logged = [facts["why"] for event, facts in host.lines if event == "sign_on_refused"]
    assert logged[-1] == "127.0.0.1 answers with HTTP 502"


def test_a_provider_that_does_not_answer(tmp_path):
    """Users with a password log in as before."""
    settings = {
        "oidc_issuer": "http://127.0.0.1:9",
        "oidc_client": "c",
        "oidc_roles": ("a=dealer",),
    }
    with Host(str(tmp_path / "ledger"), **settings) as host:
        host.user("Sue", "supervisor")
        client = host.client()
        assert client.get("/v1/sign-on").json() == {"is_on": True}
        assert begun(client) == "/?refused=sign_on_unavailable"
        assert host.login("Sue").get("/v1/me").json()["has_password"]


def test_a_provider_that_sends_a_byte_now_and_then_holds_no_login_up(tmp_path, monkeypatch):
    """Each byte came within the limit of one read, and all logins waited for the last."""
    monkeypatch.setattr(identity_provider, "_TIMEOUT_S", 0.3)
    ended = threading.Event()

    class Dripping(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            with suppress(OSError):
                while not ended.wait(0.1):
                    self.wfile.write(b" ")

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    limit = threading.Timer(10.0, ended.set)
    settings = {
        "oidc_issuer": f"http://127.0.0.1:{server.server_port}",
        "oidc_client": "c",
        "oidc_roles": ("a=dealer",),
    }
    with Host(str(tmp_path / "ledger"), **settings) as host:
        client = host.client()
        limit.start()
        assert begun(client) == "/?refused=sign_on_unavailable"
        assert not ended.is_set()
    limit.cancel()
    ended.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_host_without_a_provider(tmp_path):
    with Host(str(tmp_path / "ledger")) as host:
        client = host.client()
        assert client.get("/v1/sign-on").json() == {"is_on": False}
        assert begun(client) == "/?refused=sign_on_off"
        assert returned(client, {"code": "1", "state": ""}) == "/?refused=sign_on_expired"


def test_a_user_who_gets_a_password_is_no_longer_let_in_by_the_provider(host, provider):
    """Two supervisors give it; from then on the user can sign, and only the password proves it."""
    logged_in(host, provider, **AMY | {"preferred_username": "Pia"})
    with host.ledger.read() as db:
        [number] = db.execute(select(users.c.id).where(users.c.name == "Pia")).scalars()
    sue = host.login("Sue")
    answer = sue.patch(f"/v1/users/{number}", json={"reset_password": True})
    assert answer.status_code == 200, answer.text
    client = host.client()
    query = provider.log_in(begun(client), **AMY | {"preferred_username": "Pia"})
    assert returned(client, query) == "/?refused=password_needed"
    with host.ledger.read() as db:
        [pia] = [row for row in people_queries.user_rows(db) if row.name == "Pia"]
    assert pia.has_password


def test_the_login_page_leads_to_the_provider_and_says_why_it_was_refused(
    chromium, host, provider
):
    with chromium.new_page() as page:
        page.goto(f"{host.url}/?refused=no_role")
        expect(page.get_by_role("alert")).to_contain_text("No group of yours")
        assert "refused" not in page.url
        page.goto(f"{host.url}/?refused=%3Cb%3E")
        expect(page.get_by_role("alert")).to_contain_text("The log of the host says why")
        page.get_by_role("link", name="Log in by single sign-on").click()
        page.wait_for_url(f"{provider.issuer}/authorize?**")
        page.context.clear_cookies()


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"oidc_roles": ("chiefs",)}, "oidc_roles"),
        ({"oidc_roles": ("chiefs=king",)}, "oidc_roles"),
        ({"oidc_roles": ("a=dealer", "a=cashier")}, "oidc_roles"),
        ({"oidc_issuer": "http://idp.example"}, "oidc_issuer"),
        ({"oidc_redirect": "http://pit.example/"}, "oidc_redirect"),
        ({"oidc_client": ""}, "oidc_client"),
        ({"oidc_roles": ()}, "oidc_roles"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_the_start(settings, where):
    right = {
        "oidc_issuer": "https://idp.example",
        "oidc_client": "pit",
        "oidc_redirect": "https://pit.example/v1/sign-on/answer",
        "oidc_roles": ("a=dealer",),
    }
    single_sign_on.verify(Settings(**right))
    with pytest.raises(ToolError) as refused:
        single_sign_on.verify(Settings(**right | settings))
    assert refused.value.where == where
    assert PASSWORD not in str(refused.value)


def test_every_action_is_signed_or_known_not_to_be():
    """What is added later is not open to a user without a key by mistake."""
    unsigned = {
        *("tables.close_bets", "tables.call", "tables.end_play", "tables.deal", "tables.enable"),
        "tables.pass_dice",
        *("devices.check", "devices.release", "sessions.open", "sessions.close"),
        *("alarms.acknowledge", "rules.change"),
    }
    sees = {name for name in PERMISSIONS if name.endswith(".see")}
    assert set(PERMISSIONS) - sees - unsigned == SIGNED
