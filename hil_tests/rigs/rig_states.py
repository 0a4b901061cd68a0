"""The states of a rig: one that failed once is broken, with hardware until a person looked at it.

A test that is tried again until it passes proves nothing. Pure but for the file that remembers.
"""

import json
from pathlib import Path

OFF, LINKED, READY, PLAYING, BROKEN = "off", "linked", "ready", "playing", "broken"
# State -> those that may follow, beside broken.
_NEXT = {OFF: (LINKED,), LINKED: (READY,), READY: (PLAYING, OFF), PLAYING: (READY,), BROKEN: ()}


class RigBroken(RuntimeError):
    """The rig has failed, now or before; the text says how it is used again."""


class RigState:
    """Where a rig is. file: remembers a failure from one run to the next; None: this run does."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.state = OFF
        self.reason = ""
        if file is not None and file.exists():
            self.state, self.reason = BROKEN, json.loads(file.read_text())["reason"]

    def enter(self, state: str) -> None:
        """Go on to a state. Raises RigBroken when broken, ValueError when it cannot follow."""
        if self.state == BROKEN:
            again = "python -m hil_tests.rigs.bench reset --by NAME" if self.file else "a new run"
            raise RigBroken(f"the rig is broken: {self.reason}; find out why, then: {again}")
        if state not in _NEXT[self.state]:
            raise ValueError(f"a rig that is {self.state} cannot be {state}")
        self.state = state

    def fail(self, reason: str) -> RigBroken:
        """It is broken from now on, the first reason counts; returns what to raise."""
        if self.state != BROKEN:
            self.state, self.reason = BROKEN, reason
            if self.file is not None:
                self.file.write_text(json.dumps({"reason": reason}) + "\n")
        return RigBroken(f"the rig failed: {self.reason}")

    def reset(self, by: str) -> str:
        """A person has looked at it; returns what was wrong. Raises ValueError without a name."""
        if not by.strip():
            raise ValueError("who has looked at the rig? give a name")
        reason, self.state, self.reason = self.reason, OFF, ""
        if self.file is not None:
            self.file.unlink(missing_ok=True)
        return reason
