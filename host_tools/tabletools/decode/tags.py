"""Tags in a recorded stream: the nonces of each identity give the session of the following frames.

Both directions share one Tags. It checks no counters: a recording is only displayed.
"""

from collections import deque
from collections.abc import Callable, Mapping

from tablespec.messages import BY_ID
from tabletools.authenticity import NONE, UNVERIFIED, VERIFIED, WRONG
from tablewire.codec import Frame, FrameError, UnreadFrame
from tablewire.framing import Skip
from tablewire.messages import IDENTITY
from tablewire.seal import Session

# Sessions a frame may belong to: the present one, those offered and not begun.
_REMEMBERED = 4


def is_checked(item: Frame | Skip) -> bool:
    """Whether the tag of what a receiver found was checked: it was read, or cannot be read here.

    For a check that raises nothing, as Tags.seal.
    """
    return isinstance(item, Frame) or isinstance(item.frame, UnreadFrame)


class Tags:
    """Verifies tags with the keys of a device by number, as a keyring gives them."""

    def __init__(self, keys: Callable[[int], Mapping[int, bytes]]) -> None:
        self._keys = keys
        # Each with its device: whoever has a key can name any device in a frame.
        self._sessions: deque[tuple[int, Session]] = deque(maxlen=_REMEMBERED)
        self._has_begun = False  # before that a frame may be of a session before the recording

    def seal(self, frame: Frame, body: bytes | bytearray) -> str:
        """Return how far a frame is authenticated, see tabletools.authenticity."""
        if frame.tag is None:
            return NONE
        if frame.type == IDENTITY:
            self._look(frame)
        message = BY_ID.get(frame.type)
        from_table = message is None or message.sender == "table"
        for device, session in self._sessions:
            if device != frame.device:
                continue
            try:
                (session.table if from_table else session.host).verify(frame, body)
            except FrameError:
                continue
            self._has_begun = self._has_begun or frame.type != IDENTITY
            return VERIFIED
        return WRONG if self._has_begun else UNVERIFIED

    def _look(self, frame: Frame) -> None:
        """Derive the session which an identity offers, if its key is here."""
        if not frame.values:
            return
        echoed, *_, nonce, number = frame.values
        secret = self._keys(frame.device).get(number)
        if secret is not None:
            session = Session(secret, frame.device, frame.boot, echoed, nonce)
            self._sessions.appendleft((frame.device, session))
