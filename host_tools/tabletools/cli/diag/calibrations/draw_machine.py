"""Calibrates the exit gate of a draw machine by the traces of its last draws."""

from tabletools.cli import trace
from tabletools.cli.diag import asking
from tabletools.cli.diag.calibrations.calibration import (
    Calibration,
    Calibrations,
    Request,
    store,
)
from tabletools.diag.check import Check
from tabletools.diag.draw_machine import Passage, ball, ball_checks, passages
from tabletools.replay.parsed_trace import contents
from tabletools.replay.trace_events import Edge


def _ball(request: Request) -> list[Check]:
    """Time and length of a ball in the exit gate."""
    client, balls = request.client, list[Passage]()
    for number in trace.traced_rounds(trace.last_round(client)):
        if data := trace.fetch(client, number):
            edges = (event for event in contents(data).events if isinstance(event, Edge))
            balls += passages((edge.t_us, edge.sensor + 1, edge.level) for edge in edges)
    new = ball(balls)
    with asking.in_maintenance(client):
        store(client, new)
    return ball_checks(balls)


CALIBRATIONS = Calibrations({"ball": Calibration(_ball, needs_maintenance=False)})
