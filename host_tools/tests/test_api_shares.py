"""The share of one login: requests in progress, of which others always get their part."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from host_tools.tests.served import until
from tabletools.api.security import MOST_AT_ONCE
from tabletools.money import people_queries, play_queries

PAGE = 8  # what a page of the console sends at once


@pytest.fixture
def hold(monkeypatch):
    """Have a function that requests call wait: hold(module, name) returns the list of those that
    wait and the event that ends it.
    """
    over = threading.Event()

    def hold(module, name):
        waiting, function = [], getattr(module, name)

        def wait(*args):
            waiting.append(1)
            assert over.wait(60)
            return function(*args)

        monkeypatch.setattr(module, name, wait)
        return waiting, over

    yield hold
    over.set()


def test_one_login_leaves_threads_to_the_others(floor, sue, hold):
    """30 requests of Sue at once: 12 wait, 18 are refused at once, Dan and a second login of Sue
    are answered. What her 12 had is free again as soon as they are answered.
    """
    waiting, over = hold(play_queries, "table_rows")
    dan, other = (floor.host.login(name) for name in ("Dan", "Sue"))
    with ThreadPoolExecutor(30) as pool:
        asked = [pool.submit(sue.get, "/v1/tables") for _ in range(30)]
        until(lambda: sum(one.done() for one in asked) == 30 - MOST_AT_ONCE)
        until(lambda: len(waiting) == MOST_AT_ONCE)
        refused = sue.get("/v1/me")
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
        assert refused.json()["detail"] == "12 requests of this login are in progress"
        assert refused.json()["step"] == "wait for their answers, then send it again"
        assert refused.headers["retry-after"] == "1"
        assert [one.get("/v1/me").status_code for one in (dan, other)] == [200, 200]
        assert len(waiting) == MOST_AT_ONCE
        over.set()
        codes = sorted(one.result().status_code for one in asked)
    assert codes == [200] * MOST_AT_ONCE + [429] * (30 - MOST_AT_ONCE)
    assert sue.get("/v1/tables").status_code == 200


def test_a_page_of_the_console_and_its_stream_fit(floor, sue, hold):
    """Streams hold no thread: with four of them open, a page sends what it needs."""
    waiting, over = hold(play_queries, "table_rows")
    streams = [sue.stream("GET", "/v1/live") for _ in range(4)]
    for stream in streams:
        assert stream.__enter__().status_code == 200
    with ThreadPoolExecutor(PAGE) as pool:
        asked = [pool.submit(sue.get, "/v1/tables") for _ in range(PAGE)]
        until(lambda: len(waiting) == PAGE)
        over.set()
        assert [one.result().status_code for one in asked] == [200] * PAGE
    for stream in streams:
        stream.__exit__(None, None, None)


def test_a_terminal_has_the_same_share_and_its_bets_none(floor, sue, hold):
    """Twelve requests of a terminal wait, one more is refused, and it still places a bet."""
    ada = floor.host.terminal(sue, floor.table, "ada")
    floor.open()
    waiting, over = hold(people_queries, "player")
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        asked = [pool.submit(ada.get, "/v1/seat") for _ in range(MOST_AT_ONCE)]
        until(lambda: len(waiting) == MOST_AT_ONCE)
        assert ada.get("/v1/seat").json()["code"] == "too_many_requests"
        slip = {"bet": "red", "stake_cents": 500}
        placed = ada.post("/v1/bets", json=slip, headers={"Idempotency-Key": "a"})
        assert placed.status_code == 201
        over.set()
        assert {one.result().status_code for one in asked} == {200}
