"""A user of an identity provider decides by signing on once more, for that decision alone."""

import ast
import base64
import inspect
import json
import sqlite3
from contextlib import closing
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from host_tools.tests.browser import console, go
from host_tools.tests.provider_server import CLIENT, SECRET, serving
from host_tools.tests.served import PASSWORD, PIN, Host
from host_tools.tests.test_api_auth import SEC, Watch
from host_tools.tests.test_chain import owned
from host_tools.tests.test_single_sign_on import begun, logged_in, returned
from tabletools.api import shapes
from tabletools.api.decision_proofs import HIDDEN
from tabletools.cli.main import run
from tabletools.money import cash
from tabletools.store import LedgerRejection, Store, people, signatures
from tabletools.store.people import Subject
from tabletools.store.schema.people import audit_log, subjects, users

BOB = {"preferred_username": "Bob", "groups": ["chiefs"]}
EVA = {"preferred_username": "Eva", "groups": ["chiefs"]}
BY_SIGN_ON = {"sign_on": True}
DAY_CENTS = 10_000_000


@pytest.fixture(scope="module")
def watch():
    return Watch()


@pytest.fixture(scope="module")
def provider(watch):
    with serving(lambda: watch.now_ns // SEC) as new_provider:
        yield new_provider


@pytest.fixture
def host(tmp_path, watch, provider):
    """Sue decides with a password, Bob and Eva by the provider; Ada is a player."""
    provider.status, provider.forged, provider.changes = 0, "", {}
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    settings = {
        "oidc_issuer": provider.issuer,
        "oidc_client": CLIENT,
        "oidc_secret_file": str(tmp_path / "secret"),
        "oidc_redirect": "https://pit.example/v1/sign-on/answer",
        "oidc_roles": ("chiefs = supervisor", "desk=cashier"),
        "oidc_decides": True,
    }
    with Host(str(tmp_path / "ledger"), clock=watch, **settings) as new_host:
        new_host.user("Sue", "supervisor")
        yield new_host


class Desk:
    """A browser in which one user is logged in, and others sign on."""

    def __init__(self, host, provider, watch, client):
        self.host, self.provider, self.watch, self.client = host, provider, watch, client

    def begin(self, place, method, path, body, key="k"):
        """A new sign-on: its name, and the address of the provider."""
        wish = {"place": place, "method": method, "path": path, "key": key, "body": body}
        answer = self.client.post("/v1/sign-on/decisions", json=wish)
        assert answer.status_code == 201, answer.text
        return answer.json()["name"], answer.json()["address"]

    def signed_on(self, who, place, method, path, body, key="k", **claims):
        """The name of a sign-on that a user completed."""
        name, address = self.begin(place, method, path, body, key)
        self.watch.now_ns += 2 * SEC
        query = self.provider.log_in(address, **who | claims)
        assert returned(self.client, query) == "/?signed_on=yes"
        return name

    def send(self, method, path, body, key="k", **names):
        headers = {f"Sign-On-{place}": name for place, name in names.items()}
        headers["Idempotency-Key"] = key
        return self.client.request(method, path, json=body, headers=headers)


@pytest.fixture
def sue(host, provider, watch):
    return Desk(host, provider, watch, host.login("Sue"))


@pytest.fixture
def bob(host, provider, watch):
    watch.now_ns += 2 * SEC
    return Desk(host, provider, watch, logged_in(host, provider, **BOB))


@pytest.fixture
def account(sue):
    answer = sue.send("POST", "/v1/accounts", {"player_number": "1", "name": "Ada", "pin": PIN})
    return f"/v1/accounts/{answer.json()['id']}"


def balance(desk, account):
    return desk.client.get(account).json()["balance_cents"]


def test_a_user_of_the_provider_decides_alone_what_one_user_may(bob, account):
    path, body = f"{account}/deposits", {"cents": 500}
    refused = bob.send("POST", path, body)
    assert refused.status_code == 403, refused.text
    assert (refused.json()["code"], refused.json()["where"]) == ("sign_on_needed", "first")
    first = bob.signed_on(BOB, "first", "POST", path, body)
    asked = bob.provider.asked[-1]
    assert asked["prompt"] == "login"
    assert asked["max_age"]
    assert bob.client.get(f"/v1/sign-on/decisions/{first}").json() == {
        "state": "proved",
        "detail": "Bob",
    }
    paid = bob.send("POST", path, body, First=first)
    assert (paid.status_code, paid.json()["balance_cents"]) == (201, 500), paid.text


def test_a_user_of_the_provider_is_the_second_of_two(sue, bob, account):
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": BY_SIGN_ON}
    refused = sue.send("POST", path, body)
    assert (refused.json()["code"], refused.json()["where"]) == ("sign_on_needed", "second")
    second = sue.signed_on(BOB, "second", "POST", path, body)
    paid = sue.send("POST", path, body, Second=second)
    assert (paid.status_code, paid.json()["balance_cents"]) == (201, DAY_CENTS + 1), paid.text


def test_both_of_two_are_users_of_the_provider(bob, account):
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": BY_SIGN_ON}
    first = bob.signed_on(BOB, "first", "POST", path, body)
    second = bob.signed_on(EVA, "second", "POST", path, body)
    paid = bob.send("POST", path, body, First=first, Second=second)
    assert paid.status_code == 201, paid.text


def test_the_first_signs_on_and_the_second_gives_a_password(bob, account):
    """The password of the second is in no log."""
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": {"name": "Sue", "password": PASSWORD}}
    first = bob.signed_on(BOB, "first", "POST", path, body)
    assert bob.send("POST", path, body, First=first).status_code == 201
    with bob.host.ledger.read() as db:
        details = "".join(db.execute(select(audit_log.c.detail)).scalars())
    assert "sign_on" in details
    assert PASSWORD not in details


def test_a_pin_is_in_no_log_but_bound(bob, account):
    path, body = f"{account}/pin", {"pin": "735162", "second": BY_SIGN_ON}
    first = bob.signed_on(BOB, "first", "PUT", path, body)
    second = bob.signed_on(EVA, "second", "PUT", path, body)
    other = body | {"pin": "735163"}
    refused = bob.send("PUT", path, other, First=first, Second=second)
    assert refused.json()["code"] == "sign_on_mismatch"
    first = bob.signed_on(BOB, "first", "PUT", path, body)
    done = bob.send("PUT", path, body, First=first, Second=second)
    assert done.status_code == 204, done.text
    with bob.host.ledger.read() as db:
        details = "".join(db.execute(select(audit_log.c.detail)).scalars())
    assert '\\"pin\\":\\"hidden' in details
    assert "735162" not in details


def test_every_secret_of_a_decision_is_hidden():
    """A field that is declared as one is not stored; `old` and `new` are of no signed action."""
    secrets, names = {"Secret", "Pin", "NewPinText"}, set()
    for node in ast.walk(ast.parse(inspect.getsource(shapes))):
        if isinstance(node, ast.AnnAssign):
            used = {each.id for each in ast.walk(node.annotation) if isinstance(each, ast.Name)}
            names |= {node.target.id} if used & secrets else set()
    assert names - {"old", "new"} == HIDDEN


@pytest.fixture
def deposit(bob, account):
    """A completed sign-on of Bob: to pay 500 cents in."""
    path, body = f"{account}/deposits", {"cents": 500}
    return path, body, bob.signed_on(BOB, "first", "POST", path, body)


MISUSES = {
    "another value": ("POST", "", {"cents": 501}, "k"),
    "another field": ("POST", "", {"cents": 500, "seen_cents": 0}, "k"),
    "another key": ("POST", "", {"cents": 500}, "l"),
    "another decision": ("POST", "payouts", {"cents": 500}, "k"),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_a_sign_on_proves_nothing_else(bob, account, deposit, misuse):
    """And is used up by the attempt."""
    path, right, first = deposit
    method, other, body, key = MISUSES[misuse]
    refused = bob.send(method, f"{account}/{other}" if other else path, body, key, First=first)
    assert (refused.status_code, refused.json()["code"]) == (403, "sign_on_mismatch")
    again = bob.send("POST", path, right, First=first)
    assert again.json()["code"] == "sign_on_expired"
    assert balance(bob, account) == 0


def test_a_sign_on_is_good_once(bob, account, deposit):
    path, body, first = deposit
    assert bob.send("POST", path, body, First=first).status_code == 201
    again = bob.send("POST", path, body, First=first)
    assert (again.status_code, again.json()["code"]) == (403, "sign_on_expired")
    assert balance(bob, account) == 500


def test_an_answer_that_was_lost_is_asked_for_with_the_same_key(bob, account, deposit):
    """A new sign-on under the old key moves nothing more."""
    path, body, first = deposit
    assert bob.send("POST", path, body, First=first).status_code == 201
    first = bob.signed_on(BOB, "first", "POST", path, body)
    assert bob.send("POST", path, body, First=first).json()["balance_cents"] == 500
    assert balance(bob, account) == 500


def test_a_sign_on_is_good_for_two_minutes(bob, watch, account, deposit):
    path, body, first = deposit
    watch.now_ns += 120 * SEC
    assert bob.send("POST", path, body, First=first).json()["code"] == "sign_on_expired"


def test_a_sign_on_is_of_its_login_and_place(sue, bob, account, host, provider, watch):
    """Not for another user, nor for the same user in another login, nor as second instead."""
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": BY_SIGN_ON}
    second = sue.signed_on(EVA, "second", "POST", path, body)
    assert bob.client.get(f"/v1/sign-on/decisions/{second}").json()["state"] == "gone"
    other = Desk(host, provider, watch, host.login("Sue"))
    assert other.send("POST", path, body, Second=second).json()["code"] == "sign_on_mismatch"
    second = bob.signed_on(EVA, "second", "POST", path, body)
    assert bob.send("POST", path, body, First=second).json()["code"] == "sign_on_mismatch"
    first = bob.signed_on(BOB, "first", "POST", path, body)
    again = bob.send("POST", path, body, First=first, Second=first)
    assert again.json()["code"] == "sign_on_expired"
    assert balance(sue, account) == 0


def test_who_signs_on_is_the_user_of_that_place(bob, account):
    """Eva cannot sign on as Bob, nor Bob as the second of Bob."""
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": BY_SIGN_ON}
    for place, who in (("first", EVA), ("second", BOB)):
        name, address = bob.begin(place, "POST", path, body)
        bob.watch.now_ns += 2 * SEC
        query = bob.provider.log_in(address, **who)
        assert returned(bob.client, query) == "/?refused=sign_on_other_user"
        progress = bob.client.get(f"/v1/sign-on/decisions/{name}").json()
        assert progress == {"state": "refused", "detail": "sign_on_other_user"}


def test_a_person_with_two_names_is_one(sue, bob, account, host):
    """Bob is renamed at the provider while logged in: the other name is refused while Bob is
    enabled, and is no second user beside him even when both are rows of one person."""
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": BY_SIGN_ON}
    renamed = {"preferred_username": "Robert", "groups": ["chiefs"], "sub": "number of Bob"}
    _, address = bob.begin("second", "POST", path, body)
    bob.watch.now_ns += 2 * SEC
    query = bob.provider.log_in(address, **renamed)
    assert returned(bob.client, query) == "/?refused=subject_renamed"
    first = bob.signed_on(BOB, "first", "POST", path, body)
    second = bob.signed_on(EVA, "second", "POST", path, body)
    with host.ledger.write() as db:  # Eva's number becomes Bob's as well
        [eva] = db.execute(select(users.c.id).where(users.c.name == "Eva")).scalars()
        number = {"issuer": bob.provider.issuer, "subject": "number of Bob", "user_id": eva}
        db.execute(subjects.insert().values(**number, at_ns=1))
    refused = bob.send("POST", path, body, First=first, Second=second)
    assert refused.json()["code"] == "two_users_needed", refused.text
    assert balance(sue, account) == 0


def test_a_name_that_passes_to_another_person_is_refused(host, bob):
    """The new Bob is not the old one."""
    client = host.client()
    query = bob.provider.log_in(begun(client), **BOB, sub="another")
    assert returned(client, query) == "/?refused=subject_changed"


def test_a_disabled_user_frees_the_number_and_stays_the_same_person(host, bob):
    with host.ledger.write() as db:
        db.execute(users.update().where(users.c.name == "Bob").values(enabled=0))
    robert = people.sign_on(
        host.ledger, "Robert", "supervisor", Subject(bob.provider.issuer, "number of Bob")
    )
    with host.ledger.write() as db:
        db.execute(users.update().where(users.c.name == "Bob").values(enabled=1))
        [number] = db.execute(select(users.c.id).where(users.c.name == "Bob")).scalars()
        both = (people.Actor("Bob", number), people.Actor("Robert", robert.id))
        with pytest.raises(LedgerRejection, match="one person"):
            people.two_users(db, both, "deposit")


def test_an_older_sign_on_is_no_fresh_proof(bob, account):
    """A provider that does not ask again answers with the time of the login, 2 s ago."""
    path, body = f"{account}/deposits", {"cents": 500}
    name, address = bob.begin("first", "POST", path, body)
    query = bob.provider.log_in(address, **BOB, auth_time=bob.watch.now_ns // SEC)
    assert returned(bob.client, query) == "/?refused=sign_on_invalid"
    assert bob.send("POST", path, body, First=name).json()["code"] == "sign_on_expired"


def test_a_sign_on_that_another_host_saw_is_no_fresh_proof(bob, account):
    """Eva signed on at another host 30 s ago, or before a restart of this one. Bob opens the page
    of the provider without `prompt` and `max_age`: it answers at once, for her."""
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": BY_SIGN_ON}
    signed_on_s = bob.watch.now_ns // SEC
    bob.watch.now_ns += 30 * SEC
    name, address = bob.begin("second", "POST", path, body)
    bob.watch.now_ns += 2 * SEC
    query = bob.provider.log_in(address, **EVA, auth_time=signed_on_s)
    assert returned(bob.client, query) == "/?refused=sign_on_invalid"
    assert bob.client.get(f"/v1/sign-on/decisions/{name}").json()["state"] == "refused"


@pytest.mark.parametrize("ahead_s", [-59, 59])
def test_the_clock_of_the_provider_may_differ(bob, account, ahead_s):
    path, body = f"{account}/deposits", {"cents": 500}
    bob.watch.now_ns += 200 * SEC
    name, address = bob.begin("first", "POST", path, body)
    bob.watch.now_ns += 2 * SEC
    there_s = bob.watch.now_ns // SEC + ahead_s
    query = bob.provider.log_in(address, **BOB, auth_time=there_s, iat=there_s)
    assert returned(bob.client, query) == "/?signed_on=yes"
    assert bob.send("POST", path, body, First=name).status_code == 201


def test_the_token_of_a_login_proves_no_decision(bob, account):
    """Its nonce is another."""
    path, body = f"{account}/deposits", {"cents": 500}
    _, address = bob.begin("first", "POST", path, body)
    bob.watch.now_ns += 2 * SEC
    query = bob.provider.log_in(address, **BOB, nonce="of the login")
    assert returned(bob.client, query) == "/?refused=sign_on_invalid"


def test_a_sign_on_that_was_not_completed_proves_nothing(bob, account, host):
    path, body = f"{account}/deposits", {"cents": 500}
    name, address = bob.begin("first", "POST", path, body)
    assert bob.client.get(f"/v1/sign-on/decisions/{name}").json()["state"] == "waiting"
    assert bob.send("POST", path, body, First=name).json()["code"] == "sign_on_expired"
    name, address = bob.begin("first", "POST", path, body)
    bob.watch.now_ns += 2 * SEC
    query = bob.provider.log_in(address, **BOB)
    stranger = host.client()  # another browser has no cookie of it
    assert returned(stranger, query) == "/?refused=sign_on_expired"
    assert bob.client.get(f"/v1/sign-on/decisions/{name}").json()["state"] == "waiting"


def test_who_got_a_password_meanwhile_decides_with_that(sue, bob, account, host):
    """Eva signs on, and is given a password before the decision is sent."""
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": BY_SIGN_ON}
    second = sue.signed_on(EVA, "second", "POST", path, body)
    with host.ledger.write() as db:
        db.execute(users.update().where(users.c.name == "Eva").values(password_hash="x"))
    refused = sue.send("POST", path, body, Second=second)
    assert refused.json()["code"] == "password_needed", refused.text
    assert balance(sue, account) == 0


def test_the_log_shows_who_signed_on_without_the_token(bob, account):
    path, body = f"{account}/deposits", {"cents": 500}
    first = bob.signed_on(BOB, "first", "POST", path, body)
    assert bob.send("POST", path, body, First=first).status_code == 201
    rows = bob.client.get("/v1/audit?action=key_added").json()["rows"]
    assert rows[0]["detail"]["sign_on"] == f"number of Bob at {bob.provider.issuer}"


def test_a_role_that_was_taken_away_decides_nothing(bob, account):
    """The groups of the sign-on count, and end the login."""
    path, body = f"{account}/payouts", {"cents": 500}
    name, address = bob.begin("first", "POST", path, body)
    bob.watch.now_ns += 2 * SEC
    query = bob.provider.log_in(address, preferred_username="Bob", groups=["desk"])
    returned(bob.client, query)
    assert bob.send("POST", path, body, First=name).status_code == 401


def test_a_supervisor_of_the_provider_alone_adds_no_user(bob):
    """Sue has a password and Bob signs on: two supervisors agree from then on."""
    body = {"name": "Dan", "role": "dealer"}
    first = bob.signed_on(BOB, "first", "POST", "/v1/users", body)
    refused = bob.send("POST", "/v1/users", body, First=first)
    assert refused.json()["code"] == "second_supervisor_needed"
    body["second"] = BY_SIGN_ON
    first = bob.signed_on(BOB, "first", "POST", "/v1/users", body)
    second = bob.signed_on(EVA, "second", "POST", "/v1/users", body)
    assert bob.send("POST", "/v1/users", body, First=first, Second=second).status_code == 201


def test_a_host_without_a_provider_has_no_sign_on(tmp_path):
    with Host(str(tmp_path / "ledger")) as host:
        host.user("Sue", "supervisor")
        body = {"place": "second", "method": "POST", "path": "/v1/users", "body": {}}
        refused = host.login("Sue").post("/v1/sign-on/decisions", json=body)
        assert (refused.status_code, refused.json()["code"]) == (403, "sign_on_off")


# --- what is stored ------------------------------------------------------------------------------


@pytest.fixture
def decided(bob, account, tmp_path, capsys):
    """A ledger in which Bob and Eva decided, its host stopped: the place of its database."""
    path = f"{account}/deposits"
    body = {"cents": DAY_CENTS + 1, "second": BY_SIGN_ON}
    first = bob.signed_on(BOB, "first", "POST", path, body)
    second = bob.signed_on(EVA, "second", "POST", path, body)
    assert bob.send("POST", path, body, First=first, Second=second).status_code == 201
    small = {"cents": 700}
    again = bob.signed_on(BOB, "first", "POST", path, small, "m")
    assert bob.send("POST", path, small, "m", First=again).status_code == 201
    bob.host.stop()
    bob.host.ledger.close()
    return str(tmp_path / "ledger")


def keys_added(place):
    with closing(sqlite3.connect(place)) as db:
        query = "SELECT detail FROM audit_log WHERE action = 'key_added' AND detail LIKE '%token%'"
        return [json.loads(text) for (text,) in db.execute(query)]


def test_the_decision_can_be_verified_later(decided, provider, capsys):
    """The token names user and nonce; the nonce, by hand, is a digest of key and decision."""
    assert run(["ledger", "verify", decided]) == 0
    out = capsys.readouterr().out
    assert "3 of the keys are of one decision" in out
    assert "not proved: that the recorded key of the provider was its own" in out
    detail = keys_added(decided)[0]
    decision = json.loads(detail["sign_on"]["decision"])
    assert (decision["method"], decision["body"]["cents"]) == ("POST", DAY_CENTS + 1)
    assert detail["sign_on"]["subject"] == "number of Bob"
    part = detail["sign_on"]["token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    assert claims["sub"] == "number of Bob"


def stray_after(place, change):
    """What is wrong with the keys after a change of the first stored sign-on."""
    with owned(place) as db:
        query = "SELECT seq, detail FROM audit_log WHERE detail LIKE '%token%' ORDER BY seq"
        [(seq, text), *_] = db.execute(query).fetchall()
        detail = json.loads(text)
        change(detail["sign_on"])
        text = json.dumps(detail, sort_keys=True, separators=(",", ":"))
        db.execute("UPDATE audit_log SET detail = ? WHERE seq = ?", (text, seq))
    store = Store.open_any(place)
    with store.read() as db:
        problems = list(signatures.stray(db))
    store.close()
    return problems


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda one: one.update(decision=one["decision"].replace("10000001", "1")), "the nonce"),
        (lambda one: one.update(subject="number of Eva"), "the sub"),
        (lambda one: one.update(issuer="https://other.example"), "the iss"),
        (lambda one: one.update(client="other"), "another client"),
        (lambda one: one.update(token=one["token"][:-8] + "AAAAAAAA"), "not signed by"),
        (lambda one: one["key"].pop("n"), "not signed by"),
    ],
)
@pytest.mark.one_in(2)
def test_a_stored_sign_on_that_was_changed_is_named(decided, change, why):
    """Besides the chain and the signature, which fail as well."""
    [problem] = stray_after(decided, change)
    assert "its sign-on does not prove it" in problem
    assert why in problem


def test_a_sign_on_of_two_decisions_is_named(decided):
    """The key of Bob's first decision has signed another one too."""
    with owned(decided) as db:
        query = "SELECT min(id), max(id) FROM user_keys WHERE sealed_key = x'' AND user_id = 2"
        [(one, other)] = db.execute(query)
        db.execute("UPDATE signatures SET user_key_id = ? WHERE user_key_id = ?", (one, other))
    problems = stray_after(decided, lambda one: None)
    assert any("one sign-on was used for several decisions" in each for each in problems)


def test_a_key_signs_in_one_transaction_only(host, bob, account):
    """Whatever the memory of a host says: the ledger refuses a second use."""
    path, body = f"{account}/deposits", {"cents": 500}
    first = bob.signed_on(BOB, "first", "POST", path, body)
    waiting = host.state.sign_on.decisions._waiting[first]
    assert bob.send("POST", path, body, First=first).status_code == 201
    with pytest.raises(LedgerRejection) as refused:
        cash.deposit(host.ledger, int(account.rsplit("/", 1)[1]), 500, "other", waiting.actor)
    assert refused.value.code == "sign_on_used"


# --- in the browser ------------------------------------------------------------------------------


def test_the_second_user_signs_on_in_the_console(chromium, host, bob, provider, watch):
    """Sue adds a user; the dialogue leads to the provider, where Bob signs on in a new page."""
    with console(chromium, host.url, name="Sue") as page:
        go(page, "#/users", "Users")
        page.get_by_role("button", name="Add a user").click()
        form = page.get_by_role("dialog")
        form.get_by_label("Name", exact=True).fill("Dan")
        form.get_by_label("Second user: proves it by").select_option("sign-on")
        expect(form.get_by_label("Second user: password")).to_be_hidden()
        form.get_by_role("button", name="Add", exact=True).click()
        link = page.get_by_role("link", name="Sign on in a new page")
        expect(link).to_be_focused()
        watch.now_ns += 2 * SEC
        query = provider.log_in(link.get_attribute("href"), **BOB)
        back = page.context.new_page()
        back.goto(f"{host.url}/v1/sign-on/answer?{urlencode(query)}")
        expect(back.get_by_role("heading", level=1)).to_have_text("Sign on for this decision")
        expect(back.get_by_text("is complete")).to_be_visible()
        assert "signed_on" not in back.url
        expect(page.get_by_text("It works for the first login only")).to_be_visible()
    with host.ledger.read() as db:
        created = select(audit_log.c.who).where(audit_log.c.action == "user_created")
        assert {"Sue", "Bob"} <= set(db.execute(created).scalars())
