"""What is trusted on a link: the keys of its session, the tag and counter of every frame.

Without I/O. A table with a key here is trusted only under a session: it proves itself in the
answer to a fresh nonce, and is accepted once a frame under the keys of that session came. Before
that none of its frames is judged, because it may belong to an older session; after that every
frame with a valid CRC that fails is tampering. A table without a key on both sides is for the
bench.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tabletools.authenticity import NONE, UNVERIFIED, VERIFIED
from tablewire import seal
from tablewire.codec import Frame, FrameError
from tablewire.framing import Skip
from tablewire.messages import FLAG_RETRANSMITTED, IDENTITY
from tablewire.sender import Sender

# Returns the keys of a device by number.
Keys = Callable[[int], Mapping[int, bytes]]

# Reasons of refusal that prove no intent: noise, another schema, no session yet.
_NOISE = frozenset(("overlong", "truncated", "cobs", "short", "crc"))
NOT_JUDGED = "session"
DOWNGRADE = "downgrade"
FELL = "boot"
_MOST_STARTED = 8
_UNASKED = bytes(seal.NONCE_BYTES)


class SessionRefusal(NamedTuple):
    """Why a table is not trusted, in words for the user."""

    what: str
    cause: str  # the likely one
    step: str  # the next one


_IMPORT = "copy its key here: tabletool keys import FILE, or name its keyring with --keys"


class Proof(NamedTuple):
    """What verified a frame, to verify it again: a session, without the secret of its key."""

    key: int  # its number
    boot: int  # of the session, which may repeat records of earlier boots
    host_nonce: bytes  # 8 bytes
    device_nonce: bytes  # 8 bytes

    def session(self, secret: bytes, device: int) -> seal.Session:
        """Return the session. secret: of that key of that device, 32 bytes."""
        return seal.Session(secret, device, self.boot, self.host_nonce, self.device_nonce)


@dataclass
class KeyedSession:
    """A session with one boot of one device."""

    device: int
    proof: Proof
    keys: seal.Session
    last: int  # highest counter received
    sender: Sender  # seals what is sent to the table

    def admit(self, frame: Frame, body: bytes | bytearray) -> None:
        """Raise FrameError unless the device made the frame in this session and it is new."""
        self.keys.table.verify(frame, body)
        if frame.device != self.device:
            raise FrameError("device", f"device {frame.device} under the key of {self.device}")
        if frame.flags & FLAG_RETRANSMITTED:
            return  # the store distinguishes a repeat from a replay: neither counts twice
        if frame.boot != self.proof.boot or frame.counter <= self.last:
            raise FrameError("replayed", f"counter {frame.counter} after {self.last}")
        self.last = frame.counter


class Trust:
    """What is known of the far end."""

    def __init__(self, keys: Keys | None = None) -> None:
        """keys: None for a watcher, who trusts nothing and starts no session."""
        # Why the frames of the far end are not trusted, None if they are.
        self.refusal: SessionRefusal | None = None
        # How far the frame checked last is authenticated, see tabletools.authenticity.
        self.seal = NONE
        # That the table follows.
        self.session: KeyedSession | None = None
        # Identity of a table with a key that is not here.
        self.unopened: Frame | None = None
        # A table came up, by an identity without a proof: to be requested.
        self.must_identify = False
        self._keys = keys
        self._known: dict[int, Mapping[int, bytes]] = {}
        self._nonce = b""
        self._pending: KeyedSession | None = None  # the table has proved itself, nothing was sent
        self._started: list[
            KeyedSession
        ] = []  # start_session was sent; the table may follow any of these, in order
        self._boots: dict[int, int] = {}  # device: boot of its last session

    @property
    def proof(self) -> Proof | None:
        """What verified the frame checked last, None if nothing did."""
        session = self.session
        return session.proof if self.seal == VERIFIED and session is not None else None

    def trust_text(self, device: int) -> str:
        """Whether that table is authenticated, as text."""
        if self.session is None:
            return f"device {device} answers, unauthenticated"
        return f"device {device} has proved key {self.session.proof.key}: authenticated"

    @property
    def is_changing(self) -> bool:
        """Whether a session was started that the table does not follow yet."""
        return bool(self._started)

    def restart(self) -> None:
        """Note that a port was opened: what was agreed on another is void."""
        self.session = self._pending = None
        self._started.clear()
        self.refusal = None

    def end_session(self) -> None:
        """Note that the table follows another host: its frames are not for us."""
        self.session = None

    def note_request(self, nonce: bytes) -> None:
        """Note that an identify is sent: only its answer begins another session.

        Keys are read again. A session that was started already stays open: a busy table follows it
        late.
        """
        self._nonce = nonce
        self._pending = None
        self._known.clear()
        self.must_identify = False

    def start_pending(self) -> KeyedSession | None:
        """Return the session to start now: the table has proved itself, start_session follows."""
        session, self._pending = self._pending, None
        if session is not None:
            self._started = [*self._started[1 - _MOST_STARTED :], session]
        return session

    def is_tampering(self, reason: str) -> bool:
        """Whether a refusal with that reason means that the line is tampered with."""
        if reason in _NOISE or reason == NOT_JUDGED:
            return False
        return reason in (DOWNGRADE, FELL) or self.session is not None

    def accuse(self, skip: Skip) -> int:
        """The table on whose link a frame was forged."""
        if self.session is not None:
            return self.session.device
        return 0 if skip.frame is None else skip.frame.device

    def check(self, frame: Frame, body: bytes | bytearray) -> None:
        """Raise FrameError unless the frame is accepted; seal says how far. For a Receiver."""
        if frame.type == IDENTITY and frame.values and self._identity(frame, body):
            return
        if any(self._begins(started, frame, body) for started in self._started):
            return
        session = self.session
        if session is not None:
            session.admit(frame, body)
            self.seal = VERIFIED
        elif self._keys_of(frame.device):
            raise FrameError(NOT_JUDGED, "it came before the session")
        elif frame.tag is not None and self._keys is not None:
            self._lacks(
                f"device {frame.device} authenticates its frames, but the keyring has no key of it"
            )
            raise FrameError(NOT_JUDGED, "the keyring has no key of it")
        else:
            self.seal = NONE if frame.tag is None else UNVERIFIED

    def _lacks(self, what: str) -> None:
        cause = "the key of the table was set on another host"
        self.refusal = SessionRefusal(what, cause, _IMPORT)

    def _keys_of(self, device: int) -> Mapping[int, bytes]:
        if self._keys is None:
            return {}
        if device not in self._known:
            self._known[device] = self._keys(device)
        return self._known[device]

    def _begins(self, started: KeyedSession, frame: Frame, body: bytes | bytearray) -> bool:
        """Whether a frame under a started session came: from then on that one is active."""
        try:
            started.admit(frame, body)
        except FrameError:
            return False
        self.session = started
        self._started = self._started[self._started.index(started) + 1 :]
        self._boots[started.device] = started.proof.boot
        self.seal = VERIFIED
        return True

    def _identity(self, frame: Frame, body: bytes | bytearray) -> bool:
        """Check an identity: True if it is accepted, False if it is checked like any frame."""
        echoed, *_, has_key, _, _, nonce, number = frame.values
        keys = self._keys_of(frame.device)
        if not keys:
            if has_key and self._keys is not None and self.session is None:
                self.unopened = frame
                self._lacks(f"device {frame.device} has key {number}, and the keyring has none")
                raise FrameError(NOT_JUDGED, "the keyring has no key of it")
            return False
        if not has_key:
            self.refusal = SessionRefusal(
                f"device {frame.device} claims to have no key, but the keyring has one",
                "it has lost its key, or another device answers in its place",
                "find out which; a table that has lost it: tabletool keys provision PORT",
            )
            raise FrameError(DOWNGRADE, "it claims to have no key, but the keyring has one")
        if frame.tag is None and echoed == _UNASKED:
            self.must_identify = True
            raise FrameError(NOT_JUDGED, "a table that has just come up")
        if frame.tag is None:
            return False
        if number not in keys:
            self._lacks(
                f"device {frame.device} has key {number}, but the keyring has {_list_of(keys)}"
            )
            return False
        return self._answer(frame, body, echoed + nonce, (number, keys[number]))

    def _answer(
        self, frame: Frame, body: bytes | bytearray, nonces: bytes, key: tuple[int, bytes]
    ) -> bool:
        """Check the identity of a device whose key is here: authentic, new, our answer."""
        echoed, nonce = nonces[: seal.NONCE_BYTES], nonces[seal.NONCE_BYTES :]
        number, secret = key
        proof = Proof(number, frame.boot, echoed, nonce)
        keys = proof.session(secret, frame.device)
        sender = Sender(frame.device, frame.boot)
        sender.mac = keys.host
        session = KeyedSession(frame.device, proof, keys, self._before(frame), sender)
        try:
            session.admit(frame, body)
        except FrameError as error:
            if error.reason == "tag":
                self.refusal = SessionRefusal(
                    f"key {number} of device {frame.device} in the keyring is not the table's",
                    "the keyring belongs to another table or house, or another device answers",
                    _IMPORT,
                )
            raise
        if echoed != self._nonce:
            raise FrameError(NOT_JUDGED, "an answer to another host, or to an older question")
        if frame.boot < self._boots.get(frame.device, 0):
            # Boots only rise: otherwise a copy of its flash, key and all, answers in its place.
            raise FrameError(FELL, f"boot {frame.boot} after {self._boots[frame.device]}")
        self._nonce = b""
        self._pending = session
        self.refusal = None
        self.seal = VERIFIED
        return True

    def _before(self, identity: Frame) -> int:
        """Return the counter above which that of a new identity of a device is."""
        session = self.session
        if session is None or session.device != identity.device:
            return 0
        if identity.boot > session.proof.boot:
            return 0
        return session.last if identity.boot == session.proof.boot else identity.counter


def _list_of(keys: Mapping[int, bytes]) -> str:
    return "key " + " and ".join(str(number) for number in sorted(keys))
