"""The trace of a round in an evidence file: the decision of the device made again from it.

A trace has the configuration it was made under, so it is replayed without a table or database.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tablespec.names import KEY_NAMES
from tabletools import roles
from tabletools.decode.stored_frames import assembled
from tabletools.replay import AGREES, DISAGREES, OtherRelease, TraceError, compared, replayed
from tabletools.roles import Played

Ended = tuple[int, tuple[int | bytes, ...]]


class Replay(NamedTuple):
    """A replay. is_proved: the logic comes to the record. problems: where it comes to another.

    reason: why nothing is proved, if neither.
    """

    is_proved: bool
    problems: Sequence[str] = ()
    reason: str = ""


def replay(
    raw: bytes, device: int, number: int, ended: Ended | None, played: Played | None
) -> Replay:
    """Replay the trace in frames of a round of a device.

    ended: type and values of the record that ended the round, None if the file has none. played:
    the terms by which its bets were settled, None if none were.
    """
    try:
        trace, _, verdict = replayed(assembled(raw))
    except (OtherRelease, TraceError) as error:
        return Replay(False, reason=error.what)
    if (trace.device, trace.round) != (device, number):
        return Replay(False, [f"it is of device {trace.device}, round {trace.round}"])
    if ended is not None:
        verdict = compared(trace, verdict, ended)
    problems = list(verdict.differences) if verdict.word == DISAGREES else []
    if played is not None:
        configuration = {name: trace.config[key] for key, name in enumerate(KEY_NAMES, 1)}
        problems += roles.misfits(played, [], configuration)
    if problems or verdict.word == AGREES:
        return Replay(not problems, problems)
    return Replay(False, reason="; ".join(verdict.differences) or verdict.word)
