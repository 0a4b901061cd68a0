# mypy: ignore-errors
"""Carries out the commands of the host, a line each. The player of a schedule is passed in."""

from lines import Refused, unwrapped, wrapped
from schedule import CHANNELS, DEPTH, Schedule


class Commands:
    """player: has show(mask) and play(schedule), which returns when the last edge is out."""

    def __init__(self, player: object) -> None:
        self._player = player
        self._schedule = Schedule()

    def answers(self, line: bytes) -> object:
        """Carry out a line: yields the answers, the first before the schedule is played."""
        try:
            for text in self._carry_out(unwrapped(line).split()):
                yield wrapped(text)
        except Refused as why:
            yield wrapped(f"no {why}")

    def _carry_out(self, words: list) -> object:
        schedule = self._schedule
        if words == ["hello"]:
            yield f"stimulus 1 channels {CHANNELS} depth {DEPTH}"
        elif words == ["count"]:
            yield f"ok {schedule.edges}"
        elif words == ["play"]:
            yield "playing"
            self._player.play(schedule)
            yield f"played {schedule.edges} late {schedule.late_us}"
        else:
            numbers = _numbers(words[1:])
            if words[:1] == ["clear"] and len(numbers) == 1:
                schedule.clear(numbers[0])
                self._player.show(numbers[0])
                yield "ok 0"
            elif words[:1] == ["edge"] and len(numbers) == 3:
                schedule.add(*numbers)
            else:
                raise Refused("line")


def _numbers(words: list) -> list:
    try:
        return [int(word) for word in words]
    except ValueError:
        raise Refused("line") from None
