"""A host at the other end of an emulated controller, for the tests of the app on the VM."""

from hil_tests.compiled_boards import compiled_program
from tableemulator.board.wasm import WasmBoard
from tableemulator.shipped_controller import CONFIGURATION_FILES, KEY_FILES, key_copy, program
from tablespec.names import NAMES
from tablespec.provisioning import configuration
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.rotation import agreed
from tablewire.seal import Session
from tablewire.sender import Sender
from tablewire.x25519 import BASE_POINT, finish, multiply

SECOND = 1_000_000
RIM_1, TILT, LAMP = 5, 9, 11  # pins of the emulated board


class Desk:
    """One controller on the rig. frames: every frame since power-on as (time_us, frame).

    files: the program, as shipped if not given (compiled, but where its lines or its heap count);
    keys: changed configuration, None: no copies.
    secret: the board's key number 1; commands are sealed once start() has begun a session.
    errors: what the program wrote as errors, checked by the test; resets, console: as the rig
    tells them.
    """

    def __init__(self, keys=None, *, files=None, configured=True, secret=None, **board):
        copy = configuration(**(keys or {}))
        flash = dict.fromkeys(CONFIGURATION_FILES, copy) if configured else {}
        if secret is not None:
            flash.update(dict.fromkeys(KEY_FILES, key_copy(1, secret)))
        self.secret = secret
        self.session = None
        is_measured = board.keys() & {"race", "tight"}
        files = files or (program() if is_measured else compiled_program())
        self.board = WasmBoard(files, flash=flash, **board)
        self.frames = []
        self.bytes = b""
        self.pins = []
        self.resets = []
        self.console = []
        self.errors = ""
        self.printed = ""
        self._receiver = Receiver()
        self._counter = 0

    def __enter__(self):
        self.take(self.board.boot())
        return self

    def __exit__(self, *error):
        self.board.close()

    def take(self, output):
        """Read what came out; returns the new frames. Bytes that are no frame fail the test."""
        new = []
        for time_us, data in output.tx:
            for item in self._receiver.feed(data):
                assert isinstance(item, Frame), f"{item.reason}: {item.detail}"
                new.append((time_us, item))
            self.bytes += data
        self.frames += new
        self.pins += output.pins
        self.resets += output.resets
        self.console += output.console
        self.errors += output.errors
        self.printed += output.printed
        return [frame for _, frame in new]

    def play(self, ms, events=()):
        """Let this much time pass; events: (ms from now, kind, ...); returns the new frames."""
        now = self.board.now_us
        moved = [[now + int(event[0] * 1000), *event[1:]] for event in events]
        return self.take(self.board.play(moved, now + ms * 1000))

    def send(self, ident, values=(), *, round=0, ms=300):
        """Send a command to this boot and let time pass; returns the new frames."""
        return self.play(ms, [(0, "rx", 0, self.command(ident, values, round=round).hex())])

    def command(self, ident, values=(), *, round=0):
        host = Sender(self.device, self.boot)
        host.counter = self._counter
        host.round = round
        host.mac = self.session.host if self.session else None
        self._counter += 1
        return host.build(ident, values)

    def start(self, nonce=b"nonce  1"):
        """Identify and start the session on offer; returns the frames that answer the start."""
        self.session = None
        frames = self.send(m.IDENTIFY, [nonce])
        identity = [f for f in frames if f.type == m.IDENTITY and f.values[0] == nonce][-1]
        device_nonce = identity.values[9]
        self.session = Session(self.secret, self.device, self.boot, nonce, device_nonce)
        return self.send(m.START_SESSION, [b"desk"])

    def rotate(self, number, one_time=bytes(range(100, 132))):
        """Agree on the next key, which is the board's from the next session on.

        one_time: secret of the host. Returns the key and the frames of the table.
        """
        public = finish(multiply(one_time, BASE_POINT))
        frames = self.send(m.OFFER_KEY, (number, public), ms=1000)
        (answer,) = [frame.values for frame in frames if frame.type == m.KEY_ANSWER]
        shared = finish(multiply(one_time, answer[1]))
        key, theirs, ours = agreed(self.secret, shared, self.device, number, public, answer[1])
        assert answer[::2] == (number, theirs)
        return key, frames + self.send(m.CONFIRM_KEY, (number, ours))

    def acknowledge(self, frames, ms=300):
        """Acknowledge every durable record among the frames."""
        wire = b"".join(
            self.command(m.ACKNOWLEDGE, (frame.boot, frame.counter))
            for frame in frames
            if frame.flags & m.FLAG_DURABLE
        )
        return self.play(ms, [(0, "rx", 0, wire.hex())])

    def reset(self, cause):
        """Reset the board; returns the frames of the boot, sent within 100 ms."""
        self._receiver = Receiver()
        self.take(self.board.reset(cause))
        return self.play(100)

    @property
    def device(self):
        return self.frames[-1][1].device if self.frames else 0

    @property
    def boot(self):
        return self.frames[-1][1].boot if self.frames else 0


def names(frames, *, volatile=("identity", "refusal", "configuration")):
    """Message names: durable ones and those asked for; no repeats, boot reports or heartbeats."""
    labels = []
    for frame in frames:
        name = NAMES[frame.type]
        if frame.flags & m.FLAG_RETRANSMITTED or frame.type == m.BOOT_REPORT:
            continue
        if frame.flags & m.FLAG_DURABLE or name in volatile:
            labels.append(name)
    return labels
