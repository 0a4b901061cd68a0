"""The shell around the session: opening, losing and reopening, on fakes, TCP and a PTY."""

import errno
import os
import socket
import tty

import pytest

from tableemulator.machines.keyed import KeyedTable
from tabletools.link import Link, Notice, PortError, Received, Session, open_port
from tabletools.link.port import RETRY_LONGEST_S
from tablewire.framing import Receiver
from tablewire.messages import ACKNOWLEDGE, IDENTIFY, ROUND_OPENED, STATE
from tablewire.sender import Sender


class FakeWorld:
    """Clock and port in one: time moves by waiting only; reads return the prepared bytes."""

    def __init__(self):
        self.now = 0.0
        self.reads = []
        self.written = b""
        self.opened_at = []
        self.refuses = 0
        self.closed = 0

    def open(self, url):
        self.opened_at.append(self.now)
        if self.refuses:
            self.refuses -= 1
            raise PortError("cannot open the port", "cause", "step")
        return self

    def read(self, size, /):
        data = self.reads.pop(0) if self.reads else b""
        if isinstance(data, Exception):
            raise data
        return data

    def write(self, data, /):
        self.written += data
        return len(data)

    def close(self):
        self.closed += 1

    def wait(self, seconds):
        self.now += seconds


@pytest.fixture
def world():
    return FakeWorld()


def linked(world, **more):
    session = Session(lambda *_: True, new_nonce=lambda: bytes(8))
    return Link(
        "fake", session, opener=world.open, clock=lambda: world.now, wait=world.wait, **more
    )


def steps(link, count):
    return [event for _ in range(count) for event in link.step()]


def kinds(events):
    return [event.kind for event in events if isinstance(event, Notice)]


def sent(data):
    return [frame.type for frame in Receiver().feed(data)]


def test_it_opens_asks_reads_and_acknowledges(world):
    """One round each: open, then identify out and a record in and its acknowledge out."""
    world.reads = [Sender(7, 3).build(ROUND_OPENED, (2, 7, 60000), 2)]
    link = linked(world)
    events = steps(link, 2)
    assert kinds(events) == ["connected", "online"]
    assert any(isinstance(event, Received) and event.stored for event in events)
    assert sent(world.written) == [IDENTIFY, ACKNOWLEDGE]


def test_attempts_back_off_to_a_cap(world):
    """0.25 s doubling to 8 s between attempts, the same every time; each one is reported."""
    world.refuses = 8
    link = linked(world)
    events = []
    while link.failure is not None or not world.opened_at:
        events += link.step()
    pauses = [b - a for a, b in zip(world.opened_at, world.opened_at[1:], strict=False)]
    assert pauses == pytest.approx([0.25, 0.5, 1, 2, 4, 8, 8, RETRY_LONGEST_S], abs=1e-6)
    assert kinds(events) == ["unreachable"] * 8 + ["connected"]
    assert events[0].text == "cannot open the port; trying again in 0.25 s"


def test_a_lost_port_is_closed_and_opened_again(world):
    """Unplugged: reported with the last frames, closed, reopened; bytes reset the pauses."""
    table = Sender(7, 3)
    frames = [table.build(STATE, (2, 1)) for _ in range(2)]
    world.reads = [frames[0], OSError("gone"), frames[1], OSError("gone")]
    link = linked(world)
    events = steps(link, 40)
    wanted = ["connected", "online", "disconnected"]
    assert kinds(events) == [*wanted, *wanted, "connected"]
    assert world.closed == 2
    lost = [event for event in events if isinstance(event, Notice) and event.error]
    assert [logged.name for logged in lost[0].frames] == ["state", "identify"]
    pauses = [b - a for a, b in zip(world.opened_at, world.opened_at[1:], strict=False)]
    assert pauses == pytest.approx([0.25, 0.25], abs=0.001)


def test_a_port_that_closes_at_once_is_not_hammered(world):
    """Opening alone does not reset the pauses: only bytes do."""
    world.reads = [OSError("gone")] * 4
    steps(linked(world), 200)
    pauses = [b - a for a, b in zip(world.opened_at, world.opened_at[1:], strict=False)]
    assert pauses == pytest.approx([0.25, 0.5, 1, 2], abs=0.001)


def test_everything_that_passes_is_recorded(world):
    """The recorder sees both directions with the clock's times."""
    beat = Sender(7, 3).build(STATE, (2, 1))
    world.reads = [b"", beat]
    chunks = []
    steps(linked(world, record=lambda *chunk: chunks.append(chunk)), 3)
    assert [(now, way) for now, way, _ in chunks] == [(0.02, "<"), (0.02, ">")]
    assert chunks[0][2] == beat
    assert sent(chunks[1][2]) == [IDENTIFY]


@pytest.mark.parametrize(
    ("data", "diagnosis"),
    [
        (b"", None),
        (b"\x55\0\xf3\x80" * 20, "80 bytes came, no frames: ..55 00 f3 80 55 00 f3 80"),
        (b"MicroPython v1.29.0\r\n>>> ", "text comes, no frames: 'MicroPython v1.29.0 >>>'"),
    ],
    ids=["silence", "a speed other than", "a prompt"],
)
def test_nothing_is_written_before_a_table_is_heard(world, data, diagnosis):
    """Bytes of a frame are Control-C and Control-A to a prompt; the session reports its input."""
    world.reads = [data]
    chunks = []
    link = linked(world, record=lambda *chunk: chunks.append(chunk))
    steps(link, 200)
    assert [way for _, way, _ in chunks] == ["<"] * bool(data)
    far_end = link.session.far_end.diagnosis()
    assert (far_end and far_end.what) == diagnosis


def test_a_table_of_another_house_is_heard_too(world):
    """Its frames are sealed with a key that is not here, and their check is right."""
    world.reads = [KeyedTable(7, 1, bytes(32)).beat()]
    chunks = []
    steps(linked(world, record=lambda *chunk: chunks.append(chunk)), 3)
    assert [way for _, way, _ in chunks] == ["<", ">"]


def test_silence_is_noticed_without_bytes(world):
    """Heartbeat supervision runs on the clock, not on arrivals."""
    events = steps(linked(world), 110)
    assert kinds(events) == ["connected", "offline"]


def until(link, ready):
    """Step until ready(events); an idle step takes 20 ms."""
    events = []
    for _ in range(500):
        events += link.step()
        if ready(events):
            return events
    raise AssertionError(f"not reached: {events}")


def test_a_tcp_port():
    """socket:// carries frames both ways, to the last one before the far end hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = Link(
            f"socket://127.0.0.1:{server.getsockname()[1]}",
            Session(lambda *_: True),
        )
        link.step()
        link.step()
        far, _ = server.accept()
        far.settimeout(5)
        far.sendall(Sender(7, 3).build(ROUND_OPENED, (2, 7, 60000), 2))
        events = until(link, lambda events: "online" in kinds(events))
        assert sent(far.recv(4096))[:1] == [IDENTIFY]
        far.close()
        events += until(link, lambda events: "disconnected" in kinds(events))
        assert any(isinstance(event, Received) for event in events)
        link.close()


def test_a_tcp_port_sends_at_once():
    """A command does not wait until the far end has acknowledged the one before it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = open_port(f"socket://127.0.0.1:{server.getsockname()[1]}")
        assert port._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        port.close()


def test_a_tcp_port_is_closed_without_a_pause(monkeypatch):
    """pyserial would wait 0.3 s: for each table, when a host stops."""
    paused = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = Link(f"socket://127.0.0.1:{server.getsockname()[1]}", Session(lambda *_: True))
        link.step()
        far, _ = server.accept()
        monkeypatch.setattr("time.sleep", paused.append)
        link.close()
        with far:
            assert (far.recv(1), paused) == (b"", [])


def test_a_device_path():
    """A terminal device is opened like a serial port, and not twice."""
    far, near = os.openpty()
    tty.setraw(near)
    path = os.ttyname(near)
    link = Link(path, Session(lambda *_: True))
    link.step()
    with pytest.raises(PortError, match="temporarily unavailable") as caught:
        open_port(path)
    assert caught.value.cause == "another program has the port open"
    os.write(far, Sender(7, 3).build(STATE, (2, 1)))
    until(link, lambda events: any(isinstance(event, Received) for event in events))
    link.close()
    os.close(near)
    os.close(far)


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_a_port_that_cannot_be_opened_says_why(tmp_path):
    """Each common mistake has a cause and a next step."""
    plain = tmp_path / "file"
    plain.write_text("x")
    cases = {
        "/dev/nothing": "the cable is not plugged in",
        str(plain): "this is a file, not a port",
        f"socket://127.0.0.1:{closed_port()}": "nothing listens there",
        "socket://nowhere": "not a device path or URL",
        "mailto:me": "the cable is not plugged in",
        "nonsense://x": "not a device path or URL",
    }
    for url, cause in cases.items():
        with pytest.raises(PortError) as caught:
            open_port(url)
        assert caught.value.cause.startswith(cause), url
        assert caught.value.step
        assert caught.value.what.startswith("cannot open the port: ")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "no right to use the port"),
        (OSError(errno.EBUSY, "busy"), "another program has the port open"),
        (TimeoutError("timed out"), "the machine is off, or a firewall is in between"),
        (socket.gaierror(-2, "Name or service not known"), "the name of the machine"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "the network does not reach"),
    ],
)
def test_what_the_system_says_is_explained(monkeypatch, error, cause):
    """Errors a test machine does not produce on demand."""

    def refuse(*args, **kwargs):
        raise error

    monkeypatch.setattr("serial.serial_for_url", refuse)
    with pytest.raises(PortError) as caught:
        open_port("x")
    assert caught.value.cause.startswith(cause)


@pytest.mark.parametrize("scheme", ["spy", "SPY", "loop", "alt", "cp2110", "file"])
def test_only_lines_are_opened(scheme, tmp_path):
    """spy:// would write a file: of pyserial's URLs only those that name a line are accepted."""
    with pytest.raises(PortError) as refused:
        open_port(f"{scheme}:///dev/null?file={tmp_path / 'made'}")
    assert str(refused.value) == f"cannot open the port: {scheme}:// is no kind of port"
    assert refused.value.step == "give a device path or socket://, rfc2217://, hwgrep://"
    assert list(tmp_path.iterdir()) == []


def test_a_port_is_found_by_its_usb_numbers():
    """hwgrep:// names one by what it is plugged into; none here has these numbers."""
    with pytest.raises(PortError, match="no ports found"):
        open_port("hwgrep://ffff:ffff")
