"""A board made of plain objects, for the tests of the app on both interpreters."""

import struct

from tabledev.edges import EdgeRing, EdgeSource
from tabledev.hal import Hal
from tablelogic.core.role import CALM
from tablelogic.core.ticks import MASK
from tablespec.names import NAMES
from tablespec.provisioning import configuration
from tablewire import messages as m
from tablewire import roulette, slots
from tablewire.framing import Receiver
from tablewire.seal import Session
from tablewire.sender import Sender
from tablewire.slots import pack_slot
from tablewire.trace_file import TRACE_BYTES

SERIAL = 4711
KEY = bytes(range(100, 132))
RANDOM = 1234567
# One second before the 30-bit clocks wrap: every test runs across it.
START_MS = MASK - 999


class Clock:
    """Time that moves when a test says so."""

    def __init__(self, start_ms=START_MS):
        self.ms = start_ms

    def ticks_ms(self):
        return self.ms & MASK

    def ticks_us(self):
        return (self.ms * 1000) & MASK


class Link:
    """A line that takes `room` bytes (None: any number) and keeps what it took."""

    def __init__(self):
        self.room = None
        self.overruns = 0
        self.sent = b""
        self.incoming = b""
        self.receiver = Receiver()

    def write(self, buf, off, length):
        if self.room is not None:
            length = min(length, self.room)
            self.room -= length
        self.sent += bytes(buf[off : off + length])
        return length

    def read(self):
        data, self.incoming = self.incoming, b""
        return data or None

    def frames(self):
        """What was sent since the last call, as Frame and Skip objects."""
        data, self.sent = self.sent, b""
        return self.receiver.feed(data)


class PowerCut(Exception):
    """The power is gone."""


class Flash:
    """Files that survive. cut: (write, byte) tears that write, counted from 0, at that byte."""

    PIECE = 2048

    def __init__(self, files=None):
        self.files = dict(files or {})
        self.writes = 0
        self.cut = None

    def read(self, name):
        return self.files.get(name)

    def part(self, name, offset, length):
        return (self.files.get(name) or b"")[offset : offset + length]

    def pieces(self, name, parts):
        data = b""
        for part in parts:
            for place in range(0, len(part), self.PIECE):
                if data:
                    yield
                data += bytes(part[place : place + self.PIECE])
                self.write(name, data)

    def write(self, name, data):
        data = bytes(data)
        self.writes += 1
        if self.cut is not None and self.cut[0] == self.writes - 1:
            self.files[name] = bytes(data[: self.cut[1]])
            raise PowerCut()
        self.files[name] = bytes(data)


class Watchdog:
    """Counts how often it was fed; None before it was started."""

    def __init__(self):
        self.fed = None

    def start(self):
        self.fed = 0

    def feed(self):
        self.fed += 1


class Console:
    """open: as last set; ends: how often the program ended."""

    def __init__(self, production=False):
        self.production = production
        self.open = not production
        self.ends = 0

    def set(self, is_open):
        self.open = is_open

    def ended(self):
        self.ends += 1


class Lamp:
    """on: as last set."""

    def __init__(self):
        self.on = None

    def set(self, on):
        self.on = on


def put(ring, code, t_us):
    """An edge came at t_us. code: sensor * 2 + level."""
    EdgeSource(ring, code & ~1, 0, lambda: t_us).edge(Pin(code & 1))


class Pin:
    """A pin with a level."""

    def __init__(self, level):
        self._level = level

    def value(self):
        return self._level


class Input:
    """An input at rest unless `now` is 1."""

    def __init__(self, sensor, now=0):
        self.sensor = sensor
        self.now = now
        self.started = False
        self.rearms = 0

    def start(self):
        self.started = True

    def stop(self):
        self.started = False

    def rearm(self):
        self.rearms += 1

    def level(self):
        return self.now


class Array:
    """Shift registers holding `bits`."""

    def __init__(self):
        self.bits = bytes(5)
        self.reads = 0

    def read(self, bits):
        self.reads += 1
        for index in range(5):
            bits[index] = self.bits[index]


class Role:
    """A role that remembers what it was given, and does what the test calls on its sink."""

    result_message = 0x12
    own_faults = ()
    commands = ()
    report = None
    withheld = 0
    has_camera = False

    instances = []

    def __init__(self, config, out):
        Role.instances.append(self)
        self.config = list(config)
        self._out = out
        self.control = self  # for its phase
        self.phase = m.PHASE_CLOSED
        self.rotor_direction = 0
        self.rotor_drpm = m.UNKNOWN_U16
        self.array_steps = 0
        self.answer = 0
        self.log = []
        self.active_faults = []

    @property
    def out(self):
        return self._out

    def edge(self, sensor, level, t_us):
        self.log.append(("edge", sensor, level, t_us))

    def array(self, bits, t_us):
        self.log.append(("array", bytes(bits), t_us))

    def wants_array(self):
        return self.array_steps

    def wants_analog(self):
        return False

    def analog(self, raw):
        self.log.append(("analog", raw, 0))

    def tick(self, t_us):
        self.log.append(("tick", t_us))

    def urgency(self, ring):
        return CALM

    def open_bets(self, t_us):
        self.log.append(("open_bets",))
        return self.answer

    def close_bets(self, cause, t_us):
        self.log.append(("close_bets", cause))
        return self.answer

    def void_round(self, reason, t_us):
        self.log.append(("void_round", reason))
        return self.answer

    def raise_fault(self, code, sensor, value, limit, t_us):
        if code not in self.active_faults:
            self.active_faults.append(code)
            self._out.fault_raised([code, sensor, value, limit])

    def clear_fault(self, code, t_us):
        if code in self.active_faults:
            self.active_faults.remove(code)
            self._out.fault_cleared([code, m.UNKNOWN_U8, 0])

    last_bets_phase = roulette.PHASE_BALL_IN_RIM
    last_phase = roulette.PHASE_DROPPED

    @property
    def bets_open(self):
        return self.phase in (m.PHASE_BETS_OPEN, roulette.PHASE_BALL_IN_RIM)

    def faults(self):
        return len(self.active_faults)

    def circuits(self):
        return m.UNKNOWN_U8


def random_bytes(count):
    """Bytes as `random` of the hal gives them, the same each time."""
    return (RANDOM << 3).to_bytes(4, "little") * (count // 4)


def provisioned(**changed):
    """The flash files of a controller with a configuration and no history."""
    copy = configuration(**changed)
    return {"config.0": copy, "config.1": copy}


def keyed(number=1, key=KEY):
    """The flash files of a provisioned controller with a key."""
    files = provisioned()
    copy = pack_slot(slots.KEY, 1, (number,) + struct.unpack("<8i", key))
    files["key.0"] = files["key.1"] = copy
    return files


def make_hal(files=None):
    """A board with two inputs (rim 1 and tilt) and these flash files, by default provisioned."""
    hal = Hal(b"fake", SERIAL, m.RESET_CAUSE_POWER)
    hal.free_bytes = lambda: 100000
    hal.largest_free_bytes = lambda free: free * 3 // 5
    hal.random = random_bytes
    hal.clock = Clock()
    hal.ring = EdgeRing(16)
    hal.trace = bytearray(TRACE_BYTES)
    hal.inputs = (Input(roulette.INPUT_RIM_1), Input(m.INPUT_TILT))
    hal.array = Array()
    hal.analog = Analog()
    hal.supplies = lambda: (None, None)
    hal.open_machine = lambda driver: Machine()
    hal.link = Link()
    hal.flash = Flash(provisioned() if files is None else files)
    hal.watchdog = Watchdog()
    hal.lamp = Lamp()
    hal.console = Console()
    hal.switch = Input(m.INPUT_MAINTENANCE)
    return hal


class Analog:
    """A converter at rest."""

    raw = 0

    def read(self):
        return self.raw


class Machine:
    """An attached machine that says nothing."""

    def poll(self, report):
        return False

    def close(self):
        pass


def command(ident, values=(), boot=1, round=0, device=SERIAL, counter=0, flags=0):
    """One frame of the host. counter: of the frame before."""
    host = Sender(device, boot)
    host.round = round
    host.counter = counter
    return host.build(ident, values, flags)


class Host:
    """A host with the key of a fake board. session: as far as the table has agreed to it.

    table: table.Table; hal: its hal. Nonces are made from a count.
    """

    def __init__(self, hal, table, key=KEY):
        self.hal, self.table, self.key = hal, table, key
        self.session = None
        self.nonce = b""
        self.sender = None
        self._count = 0

    def exchange(self, wire):
        """Have the table take these bytes; returns the frames it sends."""
        self.hal.link.incoming = wire
        self.table.exchange()
        return self.hal.link.frames()

    def identify(self):
        """Ask with a fresh nonce; returns identity, whose session is pending here too."""
        self._count += 1
        self.nonce = bytes(7) + bytes([self._count])
        replies = self.exchange(command(m.IDENTIFY, [self.nonce], device=0, boot=0))
        (identity,) = [frame for frame in replies if frame.type == m.IDENTITY]
        self.pending = Session(
            self.key, identity.device, identity.boot, self.nonce, identity.values[9]
        )
        return identity

    def start(self):
        """Identify and start the session; returns the frames that answer the start."""
        identity = self.identify()
        self.session = self.pending
        self.sender = Sender(identity.device, identity.boot)
        self.sender.mac = self.session.host
        return self.exchange(self.build(m.START_SESSION, [b"fake host"]))

    def build(self, ident, values=(), round=0):
        """The bytes of one command under the session."""
        self.sender.round = round
        return self.sender.build(ident, values)

    def send(self, ident, values=(), round=0):
        return self.exchange(self.build(ident, values, round))


def names(frames):
    """The message names of frames, heartbeats left out."""
    return [NAMES[f.type] for f in frames if f.type != m.HEARTBEAT]


def first(frames):
    """Frames without the repeats."""
    return [frame for frame in frames if not frame.flags & m.FLAG_RETRANSMITTED]
