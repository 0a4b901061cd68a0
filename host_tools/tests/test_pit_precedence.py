"""A record that arrived is written before waiting bets; bets continue after it."""

import threading

from host_tools.tests.served import until
from tabletools.pit import precedence
from tabletools.pit.precedence import Precedence


def started(action):
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    return thread


def test_bets_give_way_while_a_record_waits():
    order, order_written = Precedence(), []
    with order.record():
        bets = started(lambda: (order.give_way(), order_written.append("bets")))
        until(lambda: order._changed._waiters)
        order_written.append("record")
    bets.join()
    assert order_written == ["record", "bets"]


def test_bets_give_way_to_every_record_that_waits():
    order, order_written = Precedence(), []
    with order.record():
        with order.record():
            bets = started(lambda: (order.give_way(), order_written.append("bets")))
            until(lambda: order._changed._waiters)
        order_written.append("second")
    bets.join()
    assert order_written == ["second", "bets"]


def test_without_a_record_bets_wait_for_nothing():
    order = Precedence()
    order.give_way()
    try:
        with order.record():
            raise ValueError
    except ValueError:
        order.give_way()


def test_bets_do_not_wait_for_a_record_that_hangs(monkeypatch):
    monkeypatch.setattr(precedence, "PATIENCE_S", 0.01)
    order = Precedence()
    with order.record():
        order.give_way()
