"""The users of a centre: logins as at a pit host, roles that may read, sites that one may see."""

import socket
import ssl
import threading
import time
from contextlib import closing, contextmanager

import httpx
import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import breaches, console, log_in
from host_tools.tests.empty_ledger import open_ledger
from host_tools.tests.provider_server import CLIENT, SECRET, serving
from host_tools.tests.served import CHEAP, HOUSE, PASSWORD
from host_tools.tests.test_api_tls import certificate  # noqa: F401
from host_tools.tests.test_console_axe import SCREENS
from host_tools.tests.test_console_languages import CUT, REGIONS, messages
from host_tools.tests.test_estate_page import LOOKS, played
from tabletools.api import estate_app, server
from tabletools.api.estate_app import CentreState
from tabletools.api.passwords import Passwords
from tabletools.api.security import HEADERS
from tabletools.cli.main import run
from tabletools.estate import fold, model
from tabletools.estate.figures import FIGURES
from tabletools.pit.settings import Settings
from tabletools.store import people
from tabletools.store.clock import NS

ROLES = ("dealer", "supervisor", "technician", "auditor", "cashier")


@pytest.fixture(scope="module")
def provider():
    with serving(lambda: int(time.time())) as new_provider:
        yield new_provider


@pytest.fixture(scope="module")
def centre(tmp_path_factory, provider):
    """Two sites, and a user of each role; the auditor sees Berlin alone."""
    place = tmp_path_factory.mktemp("centre")
    (place / "secret").write_text(SECRET)
    new_centre = model.Centre.open(str(place / "estate.db"))
    events = played(time.time_ns() - 3600 * NS)
    with new_centre.write() as db:
        fold.fold(db, events)
        fold.fold(db, [each._replace(site="berlin", id=f"b{each.id}") for each in events])
    settings = Settings(
        lock_after=3,
        oidc_issuer=provider.issuer,
        oidc_client=CLIENT,
        oidc_secret_file=str(place / "secret"),
        oidc_redirect="https://centre.example/v1/sign-on/answer",
        oidc_roles=("inspectors=auditor", "croupiers=dealer"),
    )
    with closing(open_ledger(str(place / "users.db"))) as ledger:
        users = CentreState(ledger, settings, lambda event, facts: None, {"auditor": ("berlin",)})
        users.auth.passwords = Passwords(CHEAP)
        for name in ROLES:
            digest = users.auth.passwords.hashed(PASSWORD, name)
            people.create_user(ledger, name, name, digest, HOUSE)
        with served(new_centre, users) as url:
            yield url
    new_centre.close()


@contextmanager
def served(centre, users):
    """The address of a centre with users."""
    running = estate_app.server_of(centre, lambda: "", users)
    with server.listening(users.settings) as listener:
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield server.address_of(users.settings, listener)
        finally:
            running.should_exit = True
            thread.join()


@pytest.fixture
def client(centre):
    with httpx.Client(base_url=centre, timeout=60, headers={"Origin": centre}) as new_client:
        yield new_client


def logged_in(client, name):
    answer = client.post("/v1/login", json={"name": name, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    return client


@pytest.mark.parametrize("figure", FIGURES)
def test_no_figure_without_a_login(client, figure):
    refused = client.get(f"/v1/estate/{figure}")
    assert (refused.status_code, refused.json()["code"]) == (401, "not_logged_in")
    assert "athens" not in refused.text


@pytest.mark.parametrize("role", ROLES)
def test_supervisors_and_auditors_read(client, role):
    answer = logged_in(client, role).get("/v1/estate/floor")
    assert answer.status_code == (200 if role in ("supervisor", "auditor") else 403)


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("by", ["site", "game", "table"])
def test_a_user_of_one_site_sees_only_that(client, figure, by):
    """Also of sums that name no site: half of what both sites have."""
    both = logged_in(client, "supervisor").get(f"/v1/estate/{figure}?by={by}").json()["rows"]
    client.cookies.clear()
    own = logged_in(client, "auditor").get(f"/v1/estate/{figure}?by={by}").json()["rows"]
    assert own
    if "site" in both[0]:
        assert {row["site"] for row in both} == {"athens", "berlin"}
        assert {row["site"] for row in own} == {"berlin"}
    for name in ("results", "games"):
        if name in both[0]:
            assert 2 * sum(row[name] for row in own) == sum(row[name] for row in both)


@pytest.mark.parametrize("name", ["auditor", "Auditor", "\u0430uditor"])
def test_a_name_that_looks_like_that_of_the_user_restricts_it(name, tmp_path):
    """--sees Auditor=berlin showed the user auditor all sites: nobody of that name exists, and
    nobody can be added who looks like it."""
    with closing(open_ledger(str(tmp_path / "users.db"))) as ledger:
        users = CentreState(ledger, Settings(), lambda event, facts: None, {name: ("berlin",)})
        assert users.sites_of("auditor") == ("berlin",)
        assert users.sites_of("auditrix") is None


def test_a_restriction_of_no_user_is_refused(tmp_path, capsys):
    """A misspelled name would show the user all sites."""
    config = tmp_path / "centre.toml"
    config.write_text(f'db = "{tmp_path / "users.db"}"\n')
    command = ["estate", "serve", "--nats", "nats://127.0.0.1:9", "--site", "athens"]
    command += ["--db", str(tmp_path / "estate.db"), "--config", str(config)]
    assert run([*command, "--sees", "Ammy=athens"]) == 1
    assert "no user 'Ammy'" in capsys.readouterr().err


def test_the_login_is_as_at_a_pit_host(client, centre):
    """Cookie, headers, CSRF, origin, name of the host, the end of the login."""
    answer = client.post("/v1/login", json={"name": "supervisor", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("tablewire-estate=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    for path in ("/", "/v1/estate/floor", "/console/base.css"):
        headers = client.get(path).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS
    assert client.get("/v1/estate/floor").headers["cache-control"] == "no-store"
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
    assert client.post("/v1/logout").json()["code"] == "csrf"
    client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    other = client.post("/v1/logout", headers={"Origin": "https://evil.example"})
    assert other.json()["code"] == "origin"
    assert client.post("/v1/logout").status_code == 204
    assert client.get("/v1/estate/floor").status_code == 401


def test_nothing_of_a_pit_is_served(client):
    """No users, accounts or tables: what is not of the centre is not there."""
    logged_in(client, "supervisor")
    for path in ("/v1/users", "/v1/audit", "/v1/tables", "/v1/accounts", "/v1/openapi.json"):
        assert client.get(path).status_code == 404, path
    assert client.post("/v1/estate/floor", json={}).status_code in (404, 405)


def test_wrong_logins_lock(client):
    for _ in range(3):
        wrong = client.post("/v1/login", json={"name": "cashier", "password": "no"})
        assert wrong.json()["code"] == "login_failed"
    right = client.post("/v1/login", json={"name": "cashier", "password": PASSWORD})
    assert right.json()["code"] == "locked"


def test_single_sign_on(client, provider):
    for groups, status in ((["inspectors"], 200), (["croupiers"], 403)):
        client.cookies.clear()
        name = f"by {groups[0]}"
        address = client.get("/v1/sign-on/begin").headers["location"]
        query = provider.log_in(address, preferred_username=name, groups=groups)
        assert client.get("/v1/sign-on/answer", params=query).headers["location"] == "/"
        assert client.get("/v1/estate/hold").status_code == status


def test_the_page_in_a_browser(chromium, centre):
    """The login, the figures, the end of the login."""
    with console(chromium, centre) as page:
        log_in(page, "auditor", heading="Estate")
        expect(
            page.get_by_role("cell", name="berlin").or_(
                page.get_by_role("rowheader", name="berlin")
            )
        ).to_be_visible()
        expect(page.get_by_text("athens")).to_have_count(0)
        page.get_by_role("link", name="Hold").click()
        expect(page.get_by_role("link", name="Hold")).to_have_attribute("aria-current", "page")
        page.get_by_role("button", name="Log out").click()
        expect(page.locator("input[name=name]")).to_be_visible()


def test_it_listens_beyond_this_machine_only_with_tls(tmp_path, capsys):
    """As a pit host: the same settings and refusals."""
    for text, why in (
        ('host = "0.0.0.0"', "reached from other machines"),
        ('host = "0.0.0.0"\npublic = true', "unencrypted"),
        ("", "db is missing"),
    ):
        config = tmp_path / "centre.toml"
        db = f'db = "{tmp_path / "users.db"}"\n' if text else ""
        config.write_text(f"{db}{text}\n")
        command = ["estate", "serve", "--nats", "nats://127.0.0.1:9", "--site", "athens"]
        command += ["--db", str(tmp_path / "estate.db"), "--config", str(config)]
        assert run(command) == 1
        assert why in capsys.readouterr().err
    assert not (tmp_path / "users.db").exists()


def test_tls(tmp_path, certificate):  # noqa: F811
    """A browser that trusts the certificate reaches it; the cookie is of the host alone."""
    cert, key = certificate
    settings = Settings(
        host="127.0.0.1",
        public=True,
        tls_certificate=str(cert),
        tls_key=str(key),
        names=("localhost", "127.0.0.1"),
    )
    centre = model.Centre.open(str(tmp_path / "estate.db"))
    with closing(open_ledger(str(tmp_path / "users.db"))) as ledger:
        users = CentreState(ledger, settings, lambda event, facts: None)
        users.auth.passwords = Passwords(CHEAP)
        digest = users.auth.passwords.hashed(PASSWORD, "Sue")
        people.create_user(ledger, "Sue", "supervisor", digest, HOUSE)
        with served(centre, users) as url:
            assert url.startswith("https://")
            context = ssl.create_default_context(cafile=str(cert))
            with httpx.Client(base_url=url, verify=context, headers={"Origin": url}) as client:
                answer = client.post("/v1/login", json={"name": "Sue", "password": PASSWORD})
                assert answer.status_code == 200, answer.text
                assert answer.headers["set-cookie"].startswith("__Host-tablewire-estate=")
                assert "strict-transport-security" in answer.headers
            with pytest.raises(httpx.HTTPError), socket.socket():
                httpx.get(url.replace("https", "http"), timeout=5)
    centre.close()


@pytest.mark.parametrize(("language", "width", "scheme"), LOOKS)
@pytest.mark.one_in(2)
def test_the_page_with_users_is_whole_and_axe_finds_nothing(
    chromium, centre, language, width, scheme
):
    """The login and the figures behind it; no text is wider than the screen."""
    screen = {"viewport": {"width": width, "height": SCREENS[width]}, "color_scheme": scheme}
    with console(chromium, centre, locale=REGIONS[language], **screen) as page:
        page.locator("input[name=name]").wait_for()
        assert breaches(page) == []
        log_in(page, "supervisor", heading=messages(language)["estate.estate", ""])
        page.locator("main table tbody tr").first.wait_for()
        assert breaches(page) == []
        assert page.evaluate(CUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
