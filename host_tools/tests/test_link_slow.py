"""A line that delays and a table that is busy: what came late is no tampering, either side."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import OPENED
from tabletools.link import ONLINE, OnceStore, Session, Tampered
from tabletools.link.identification import IDENTIFY_EVERY_S
from tabletools.link.session import OFFLINE_AFTER_S
from tablewire.messages import ROUND_OPENED

SECRET = bytes(range(32))


class SlowLine:
    """A host and a table; every write waits until it is let through, in its order."""

    def __init__(self):
        self.table = KeyedTable(7, 1, SECRET)
        self.to_table, self.to_host, self.stored = [], [], []
        self.now, self.tampered, nonces = 100.0, [], iter(range(1, 100_000))
        self.session = Session(
            OnceStore(self.stored.append),
            keys=lambda device: {1: SECRET},
            new_nonce=lambda: next(nonces).to_bytes(8, "big"),
        )
        self.session.connected(self.now)
        self.write()

    def write(self):
        """The host writes what it has to say."""
        if out := self.session.outgoing():
            self.to_table.append(out)

    def wait(self, seconds):
        """Time passes at the host."""
        self.now += seconds
        self.session.tick(self.now)
        self.write()

    def obey(self):
        """The table reads the oldest write."""
        if self.to_table and (answer := self.table.receive(self.to_table.pop(0))):
            self.to_host.append(answer)

    def receive(self):
        """The host reads the oldest write of the table."""
        if self.to_host:
            events = self.session.receive(self.to_host.pop(0), self.now)
            self.tampered += [event for event in events if isinstance(event, Tampered)]
            self.write()

    def beat(self):
        """The table sends a heartbeat, if it may."""
        self.to_host += [wire for wire in (self.table.beat(),) if wire]

    def play(self):
        """The table makes a record."""
        self.to_host += [wire for wire in (self.table.say(ROUND_OPENED, OPENED, 1),) if wire]

    def repeat(self):
        """The table sends what waits again."""
        self.to_host += [wire for wire in (self.table.repeat(),) if wire]

    def lose(self):
        """The oldest write of the host never arrives."""
        del self.to_table[:1]

    def settle(self):
        """Both answer at once again, with a heartbeat each 0.1 s."""
        for _ in range(40):
            self.beat()
            while self.to_table or self.to_host:
                self.obey()
                self.receive()
            self.wait(0.1)
        self.repeat()
        while self.to_table or self.to_host:
            self.obey()
            self.receive()

    def check(self):
        """No attack was reported, one session is open on both ends, no record waits."""
        assert self.tampered == []
        assert set(self.table.refused) <= {"session"}
        assert self.session.state == ONLINE
        keys = self.session.trust.session.keys
        assert not self.session.trust.is_changing
        probe = b"one session"
        assert self.table.session.table.digest(probe) == keys.table.digest(probe)
        assert self.table.journal == []


def online():
    """A line with a session and a record that arrived."""
    line = SlowLine()
    line.settle()
    line.play()
    line.settle()
    line.check()
    assert len(line.stored) == 1
    return line


def test_a_table_that_follows_late_is_no_stranger():
    """It reads start_session after the host has asked once more: it answers under that one."""
    line = online()
    line.wait(OFFLINE_AFTER_S + 0.1)
    line.obey()
    line.receive()  # its identity; start_session is on its way
    line.wait(IDENTIFY_EVERY_S + 0.1)
    assert len(line.to_table) == 2
    line.play()
    line.settle()
    line.check()
    assert len(line.stored) == 2


def test_a_start_that_is_lost_is_asked_for_again():
    """The table continues under the previous session, with heartbeats, and then follows."""
    line = online()
    line.wait(OFFLINE_AFTER_S + 0.1)
    line.beat()
    line.obey()
    line.receive()
    line.receive()
    line.lose()
    line.play()
    line.settle()
    line.check()
    assert len(line.stored) == 2


ACTS = ("obey", "receive", "beat", "play", "repeat", "lose")


@settings(max_examples=share(150, 3), deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(ACTS), st.sampled_from((0.1, 0.6, 1.1, 2.2))), max_size=60)
)
def test_no_order_of_a_slow_line_accuses_anybody(acts):
    """However long it waits, whatever of the host is lost: no tampering, no record lost."""
    line = online()
    for act in acts:
        line.wait(act) if isinstance(act, float) else getattr(line, act)()
    line.settle()
    line.check()
    assert len(line.stored) == 1 + acts.count("play")
