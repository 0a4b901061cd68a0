"""Why a trace cannot be replayed."""


class TraceError(Exception):
    """what, cause, step: as shown to the user. proven: never; nothing is known about the round."""

    def __init__(self, what: str, cause: str, step: str) -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause
        self.step = step


class OtherRelease(TraceError):
    """The trace is of a firmware that another release of this program replays."""
