"""The tray of a table over the API: who corrects its floor, what is refused, what is stored."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from host_tools.tests.camera_table import NAMES, camera_host, dice_table
from host_tools.tests.overhead_camera import tray
from host_tools.tests.served import ROLES, Host, french, until
from tabletools.dice.overhead.host_tray import tray_of
from tabletools.money.people_queries import audit_rows

FLOOR = [[60, 50], [580, 50], [580, 430], [60, 430]]
OTHER = [[50, 50], [580, 50], [580, 430], [60, 430]]


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A host with a camera above table D1; R1 has no tray."""
    folder = tmp_path_factory.mktemp("trays")
    with camera_host(folder, more=[french("R1", "socket://127.0.0.1:8", 8)]) as new_host:
        until(lambda: all(seat.host.lease for seat in new_host.pit.seats.values()))
        yield new_host


def body(client, floor=FLOOR, **more):
    digest = client.get("/v1/tables/1/tray").json()["digest"]
    return {"floor": floor, "digest": digest, "reason": "the print is floor"} | more


def correct(client, table=1, **sent):
    return client.post(f"/v1/tables/{table}/tray/floor", json=sent or body(client))


def code(answer):
    return answer.status_code, answer.json().get("code")


def test_the_tray_as_calibrated(host):
    """Its floor, its digest, and the very file that the digest is of."""
    facts = host.login("Tim").get("/v1/tables/1/tray").json()
    assert [tuple(corner) for corner in facts["floor"]] == [*tray().floor]
    assert (facts["width"], facts["height"], facts["side_px"]) == (640, 480, tray().side_px)
    assert facts["digest"] == facts["calibrated"]
    file = host.login("Amy").get("/v1/tables/1/tray.png")
    assert file.headers["content-type"] == "image/png"
    assert sha256(file.content).hexdigest() == facts["digest"]
    assert host.login("Tim").get("/v1/tables/1").json()["has_host_camera"] is True
    assert host.login("Tim").get("/v1/tables/2").json()["has_host_camera"] is False


def test_a_technician_corrects_it_and_signs(host):
    tim = host.login("Tim")
    before = tim.get("/v1/tables/1/tray").json()
    answer = correct(tim)
    assert answer.status_code == 201, answer.text
    facts = answer.json()
    assert (facts["floor"], facts["version"]) == (FLOOR, max(2, before["version"] + 1))
    assert facts["digest"] != before["digest"]
    assert facts["corrected"]["by"] == "Tim"
    file = tim.get("/v1/tables/1/tray.png").content
    assert sha256(file).hexdigest() == facts["digest"]
    assert [[*corner] for corner in tray_of(file, "").floor] == FLOOR
    with host.ledger.read() as db:
        row = audit_rows(db, action="tray_corrected")[0]
    assert (row["who"], row["subject"]) == ("Tim", "table 1")
    assert row["detail"]["replaces"] == before["digest"]
    assert row["detail"]["reason"] == "the print is floor"


@pytest.mark.parametrize(("name", "role"), [*zip(NAMES, ROLES, strict=True)])
def test_who_may(host, name, role):
    """A technician and a supervisor; all but the cashier see it."""
    client, sue = host.login(name), host.login("Sue")
    sees, corrects = role != "cashier", role in ("technician", "supervisor")
    assert client.get("/v1/tables/1/tray").status_code == (200 if sees else 403)
    assert client.get("/v1/tables/1/tray.png").status_code == (200 if sees else 403)
    sent = body(sue, [*OTHER[:3], [60, 300 + ord(name[0])]])
    answer = correct(client, **sent)
    assert code(answer) == ((201, None) if corrects else (403, "not_allowed"))


def test_a_supervisor_of_another_pit_has_no_right_here(host, tmp_path):
    """Name, password and cookie are worth nothing at a host of another ledger."""
    with Host(str(tmp_path / "other")) as other:
        other.user("Una", "supervisor")
        una = other.login("Una")
        stranger = host.client()
        stranger.cookies.update(dict(una.cookies))
        stranger.headers["X-CSRF-Token"] = una.headers["X-CSRF-Token"]
        sent = body(host.login("Sue"), OTHER)
        assert code(correct(stranger, **sent)) == (401, "not_logged_in")
        login = {"name": "Una", "password": "seventeen red horses"}
        assert code(stranger.post("/v1/login", json=login)) == (401, "login_failed")


def test_a_table_of_another_host_is_not_corrected_here(tmp_path):
    """Of the same ledger: the supervisor is known here, the table is another host's."""
    with camera_host(tmp_path) as first:
        until(lambda: first.pit.seats[1].host.lease)
        with Host(str(tmp_path / "ledger"), [french("R2", "socket://127.0.0.1:7", 7)]) as second:
            sent = body(first.login("Sue"))
            sue = second.login("Sue")
            assert code(correct(sue, **sent)) == (503, "table_not_held")
            assert code(sue.get("/v1/tables/1/tray")) == (503, "table_not_held")


def test_a_table_without_a_camera_says_so(host):
    sue = host.login("Sue")
    assert code(sue.get("/v1/tables/2/tray")) == (404, "no_tray")
    assert code(correct(sue, 2, **body(sue))) == (404, "no_tray")
    assert code(sue.get("/v1/tables/99/tray.png")) == (404, "no_such_table")


def test_of_two_who_save_at_once_one_is_refused(host):
    """Both saw the same tray; what is in force is the floor of who was answered 201."""
    tim, sue = host.login("Tim"), host.login("Sue")
    digest = body(tim)["digest"]
    floors = [[[70, 60], *FLOOR[1:]], [[80, 60], *FLOOR[1:]]]
    with ThreadPoolExecutor(2) as pool:
        answers = [
            *pool.map(
                lambda client, floor: correct(client, floor=floor, digest=digest, reason="x"),
                (tim, sue),
                floors,
            )
        ]
    assert sorted(map(code, answers)) == [(201, None), (409, "tray_changed")]
    [stored] = [answer.json()["floor"] for answer in answers if answer.status_code == 201]
    assert tim.get("/v1/tables/1/tray").json()["floor"] == stored


NAN, ROUND = float("nan"), 10**30
HOSTILE = {
    "no list": "60,50 580,50",
    "none": None,
    "two corners": FLOOR[:2],
    "huge": [[k % 640, k % 480] for k in range(65)],
    "very huge": [[1, 2]] * 5000,
    "text": [["60", 50], *FLOOR[1:]],
    "fraction": [[60.5, 50], *FLOOR[1:]],
    "truth": [[True, 50], *FLOOR[1:]],
    "three numbers": [[60, 50, 1], *FLOOR[1:]],
    "one number": [[60], *FLOOR[1:]],
    "below": [[-1, 50], *FLOOR[1:]],
    "giant": [[ROUND, 50], *FLOOR[1:]],
    "object": [{"x": 1, "y": 2}, *FLOOR[1:]],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_list_that_is_none_is_refused(host, name):
    tim = host.login("Tim")
    before = tim.get("/v1/tables/1/tray").json()
    answer = correct(tim, **body(tim, HOSTILE[name]))
    assert code(answer) == (422, "field_invalid")
    assert tim.get("/v1/tables/1/tray").json() == before


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_numbers_that_are_none_are_refused(host, number):
    tim = host.login("Tim")
    digest = body(tim)["digest"]
    floor = f"[[{number}, 50], [580, 50], [580, 430]]"
    text = f'{{"floor": {floor}, "digest": "{digest}", "reason": "x"}}'
    headers = {"Content-Type": "application/json"}
    answer = tim.post("/v1/tables/1/tray/floor", content=text, headers=headers)
    assert answer.status_code in (400, 422)


REFUSED = {
    "crossing": [[60, 50], [580, 430], [580, 50], [60, 430]],
    "star": [[320, 40], [438, 402], [130, 178], [510, 178], [202, 402]],
    "outside": [[60, 50], [641, 50], [580, 430], [60, 430]],
    "small": [[300, 200], [360, 200], [360, 260], [300, 260]],
    "twice": [*FLOOR, FLOOR[0]],
    "rim": [[4, 3], [636, 3], [636, 477], [4, 477]],
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_floor_that_calibration_refuses_is_refused(host, name):
    tim = host.login("Tim")
    answer = correct(tim, **body(tim, REFUSED[name]))
    assert code(answer) == (422, "floor_refused")
    assert answer.json()["where"].startswith("floor")
    assert answer.json()["step"]


@pytest.mark.parametrize("more", [{"reason": ""}, {"digest": "0"}, {"digest": ""}, {"x": 1}])
def test_reason_and_digest_are_needed(host, more):
    tim = host.login("Tim")
    assert code(correct(tim, **body(tim, OTHER, **more))) == (422, "field_invalid")


def test_a_second_host_of_the_ledger_reads_with_it(tmp_path):
    """It starts after the correction, with the same file in its settings."""
    with camera_host(tmp_path) as first:
        until(lambda: first.pit.seats[1].host.lease)
        tim = first.login("Tim")
        digest = correct(tim).json()["digest"]
    table = dice_table("D1", 9, tmp_path / "tray.png")
    with Host(str(tmp_path / "ledger"), [table]) as second:
        assert second.login("Tim").get("/v1/tables/1/tray").json()["digest"] == digest
