"""What a session reports of its link, in words; an error shows the last frames."""

from tabletools.link.events import Notice
from tabletools.link.frame_log import FrameLog
from tabletools.link.freshness import MS
from tabletools.link.link_states import RENEWAL, Trigger
from tabletools.link.present_table import Succession


class Notices:
    """Makes the notices of one link."""

    def __init__(self, log: FrameLog) -> None:
        self._log = log

    def error(self, kind: str, text: str, *, step_ns: int = 0) -> Notice:
        """Return an error with the last frames."""
        return Notice(kind, text, True, self._log.last(), step_ns)

    def notice(self, host: bytes, pause_s: float | None) -> Notice:
        """Another host began a session. pause_s: None if this one does not try again."""
        name = host.rstrip(b"\0").decode("ascii", "replace") or "without a name"
        again = "this program only watches and waits until it is connected again"
        if pause_s is not None:
            again = f"this host tries again in {pause_s:g} s"
        return self.error("taken", f"host {name} took the table; {again}")

    def clock_step(self, step_ns: int) -> Notice:
        """The clock of the table stepped: positive, it is ahead."""
        way = "ahead of" if step_ns > 0 else "behind"
        text = f"the clock of the table is {abs(step_ns) // MS} ms {way} what it should show"
        text += " at least: it stepped, or drifts by more than 500 ppm"
        return self.error("clock_step", text, step_ns=step_ns)

    def age(self, trigger: Trigger, age_ns: int | None) -> Notice:
        """The information about the table became too old, or is recent again."""
        text = "of unknown age" if age_ns is None else f"{age_ns // MS} ms old"
        text = f"the state of the table is {text}"
        if trigger is RENEWAL:
            return Notice("fresh", text)
        return self.error("link_stale", f"{text}: frames are delayed, lost or withheld")

    def succession(self, succession: Succession) -> Notice:
        """Another device or boot answers; a restart is no error."""
        kind, text, _ = succession
        return Notice(kind, text) if kind == "rebooted" else self.error(kind, text)
