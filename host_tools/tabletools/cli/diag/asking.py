"""Requests the sensors, counters and answers of a table, and opens maintenance for that."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tabletools import decode
from tabletools.cli.table_client import TableClient, accepted
from tabletools.decode import Record
from tabletools.decode.core_messages import Identity
from tabletools.decode.sensor_samples import SensorSample
from tabletools.diag.check import Check, of_heartbeat, of_link, of_samples
from tabletools.diag.roulette import mounting_checks
from tabletools.errors import ToolError
from tabletools.link import REFUSED, Request
from tablewire import messages as m
from tablewire.codec import Frame as WireFrame
from tablewire.codes import MAINTENANCE_OPEN
from tablewire.config import ROLE
from tablewire.diagnosis import (
    SELF_TEST_RESULT,
    SENSOR_SAMPLE,
)

_TRIES = 3
_ANSWERS = 4  # answers measured, to know how long one takes
BEAT_WITHIN_S = 3.0
REPORTED_WITHIN_S = 8.0
_CLOSED = "the round is open: --self-test opens maintenance, which voids it"


class SelfTest:
    """The answers to one self_test. refused: the refusal, if there was one."""

    def __init__(self) -> None:
        self.samples: list[SensorSample] = []
        self.refused: Record | None = None

    def value(self, sensor: str, quantity: str) -> int | None:
        """What was reported of a sensor, None for nothing."""
        values = {(each.sensor, each.quantity): each.value for each in reversed(self.samples)}
        return values.get((sensor, quantity))

    def take(self, frame: WireFrame) -> bool:
        """Whether a frame ends it."""
        if frame.type == SENSOR_SAMPLE:
            self.samples.append(SensorSample.of_record(decode.record(frame)))
        return bool(frame.type == SELF_TEST_RESULT)


def once(ident: int, value: int, ends: Callable[[WireFrame], bool], within_s: float) -> Request:
    """Return a request that is sent once. ends: whether a frame is the last of its answer."""
    return Request(ident, (value,), again_s=within_s, tries=1, ends=ends)


def self_test(client: TableClient, watch_ms: int) -> SelfTest:
    """Have the table watch its sensors; samples lost on the line are requested again.

    Raises ToolError if a round opened meanwhile, or the table does not answer.
    """
    for _ in range(_TRIES):
        test = SelfTest()
        within_s = watch_ms / 1000 + REPORTED_WITHIN_S
        exchange = client.run(once(m.SELF_TEST, watch_ms, test.take, within_s))
        if exchange.answer is None:
            break
        if exchange.outcome == REFUSED:
            test.refused = decode.record(exchange.answer)
            return test
        if 0 < exchange.answer.values[0] == len(test.samples):
            return test
    raise ToolError(
        "the self-test report was incomplete",
        cause="a round opened meanwhile, the line loses frames, or its firmware is older",
        step="open maintenance first: --self-test, or `tabletool maintenance PORT open`",
    )


def sensors(client: TableClient, test: SelfTest) -> list[Check]:
    """The checks of a self-test; if it was refused, one that says why there are none."""
    if test.refused is None:
        return of_samples(test.samples) + mounting_checks.agree(test.samples)
    if test.refused["cause"] != "round_open":
        accepted(test.refused)
    return [Check("sensors", "skip", note=_CLOSED)]


def of_table(client: TableClient, *, faults_reported: bool) -> list[Check]:
    """The counters of the table and of the link to it."""
    answers = []
    for _ in range(_ANSWERS):
        sent_s = client.now_s()
        client.value(ROLE)
        answers.append(round((client.now_s() - sent_s) * 1000))
    beat = client.wait_for(lambda frame: frame.type == m.HEARTBEAT, BEAT_WITHIN_S)
    if beat is None:
        raise ToolError("no heartbeat came", step="is it a table of this release?")
    session = client.session
    checks = of_heartbeat(decode.record(beat), faults_reported)
    return checks + of_link(session.frames, session.missed + session.skipped, answers)


@contextmanager
def in_maintenance(client: TableClient) -> Iterator[None]:
    """Open maintenance, and close it afterwards; if it was open already it stays open."""
    first = self_test(client, 0)
    if any(sample.code == MAINTENANCE_OPEN for sample in first.samples):
        yield
        return
    opened = client.answer(m.MAINTENANCE, (m.MAINTENANCE_OPEN,))
    if opened is None:
        raise ToolError(
            "the table did not open for maintenance",
            cause="its journal is full",
            step="fetch its records with `tabletool collect`, or turn the key switch",
        )
    accepted(opened)
    try:
        yield
    finally:
        client.answer(m.MAINTENANCE, (m.MAINTENANCE_CLOSED,))


def identity(client: TableClient) -> Identity:
    """What the table is and runs, authenticated by the session, which requests it at its start."""
    return Identity.of_record(identity_record(client))


def role(client: TableClient) -> str:
    """The role of the table. Raises ToolError where this release does not know it."""
    name = identity(client).role
    if name is None:
        raise ToolError("the table has an unknown role", step="use the host tools of its release")
    return name


def identity_record(client: TableClient) -> Record:
    """The record of that."""
    if client.view.identity is not None:
        return client.view.identity
    frame = client.identity()
    if frame is None:
        raise ToolError("the table did not say who it is", step="is it a table of this release?")
    return decode.record(frame)
