"""The power-cut matrix of the app on plain objects: every write, every byte, every tear.

One evening is played once and its flash writes are noted; a cut leaves nothing but the flash, so
each case is a boot from the files before a write, with that write torn. `python -m
tests.rig.power_matrix` (folder firmware) runs the long form: cuts in the boot after every cut.
"""

import argparse
import struct
import sys
import time

from tests.fakes import SERIAL, Role, command, make_hal, provisioned
from tests.rig.power_case import Books, few, name_of, tears

from tabledev.app.outbox import SLOTS
from tabledev.app.table import Table
from tablewire import codes, roulette
from tablewire import messages as m
from tablewire.settings import factory

OPENED = [1, 7, 60000]
VOID = [403, 3, 255, 500, 1, -1, 120, 900]
TILT = (codes.TILT, m.INPUT_TILT)
_NAME_AT = 9  # boot and counter in a record
_PROGRESS = 16  # writes between two lines of progress


def provisioned_values():
    return dict(enumerate(factory()))


def result(number):
    return [number % 37, 4, 1, 3, 1500, 1, -1, 120, 1900, 15000, 3000 + number, 1, 250, -128]


class Cut:
    """A flash write as it was: files before it, and what the host knew then.

    reported: durable records sent and not acknowledged; freed: acknowledged ones, off the flash;
    active_faults: by what was reported.
    """

    def __init__(self, evening, name, data):
        self.files = dict(evening.hal.flash.files)
        self.name, self.data = name, bytes(data)
        self.books = evening.books.copy()
        # bets_closed is sent before it is saved: a cut in that write leaves it to the host.
        own = self.data[_NAME_AT : _NAME_AT + 8]
        self.reported = {
            name: frame
            for name, frame in evening.reported.items()
            if frame.type != m.BETS_CLOSED or struct.pack("<II", *name) != own
        }
        self.freed = set(evening.freed)
        self.active_faults = dict(evening.active_faults)
        self.config = evening.config


class Evening:
    """A table that plays a script while every write is noted. cuts: one for each write."""

    def __init__(self, files=None, fail=None):
        self.cuts = []
        self.books = Books({number: tuple(result(number)) for number in range(1, 100)})
        self.reported = {}
        self.freed = set()
        self.acknowledged = set()
        self.active_faults = {}
        self.config = (7,)
        self.fail = fail
        self.hal = make_hal(provisioned() if files is None else files)
        self._write = self.hal.flash.write
        self.hal.flash.write = self._note
        self.table = None

    def _note(self, name, data):
        if self.hal.link.sent:
            self.listen()
        self.cuts.append(Cut(self, name, data))
        if self.fail == len(self.cuts) - 1:
            raise OSError(5)
        self._write(name, data)

    def listen(self):
        """The host files what came; returns the frames."""
        frames = self.hal.link.frames()
        self.books.hear(frames)
        for frame in frames:
            if frame.flags & m.FLAG_DURABLE and name_of(frame) not in self.acknowledged:
                self.reported[name_of(frame)] = frame
            if frame.type == m.FAULT_RAISED:
                self.active_faults[frame.values[0]] = frame.values[1]
            elif frame.type == m.FAULT_CLEARED:
                self.active_faults.pop(frame.values[0], None)
        return frames

    def boot(self):
        self.active_faults = {}
        self.table = Table(self.hal, Role)
        self.table.start()
        self.listen()

    def send(self, ident, values):
        self.hal.link.incoming = command(ident, values, boot=self.table.store.boot)
        self.table.exchange()
        self.listen()

    def acknowledge(self):
        """Acknowledge all that is reported; the table frees its flash."""
        for name in list(self.reported):
            del self.reported[name]
            self.acknowledged.add(name)
            self.send(m.ACKNOWLEDGE, name)
        self.sweep()

    def sweep(self):
        if self.table.role.phase == m.PHASE_CLOSED:
            for _ in range(SLOTS):
                self.table.exchange()
            self.listen()
            self.freed |= self.acknowledged

    def play(self, end):
        """A round: opened, closed, ended by `end` (m.WHEEL_RESULT or m.ROUND_VOID)."""
        table = self.table
        table.interlock.look(table.role, 0)
        out = table.role.out
        assert out.may_open()
        out.round_opened(OPENED)
        table.role.phase = m.PHASE_BETS_OPEN
        self.listen()
        self.acknowledge()
        out.bets_closed([1, 4000])
        table.role.phase = roulette.PHASE_BALL_IN_RIM
        self.listen()
        if end == roulette.WHEEL_RESULT:
            out.result(result(table.store.round))
        else:
            out.void(VOID)
        table.role.phase = m.PHASE_CLOSED
        table.interlock.check(table.role, 0)
        self.listen()

    def script(self):
        """Everything that writes: boots, rounds, faults, acknowledgements, configuration."""
        self.boot()
        self.play(roulette.WHEEL_RESULT)
        self.play(m.ROUND_VOID)
        self.acknowledge()
        self.table.role.raise_fault(*TILT, 1, 0, 0)
        self.listen()
        self.boot()
        self.table.role.clear_fault(codes.TILT, 0)
        self.listen()
        self.config = (7, 9)
        self.send(m.SET_CONFIGURATION, (roulette.MIN_CIRCUITS, 9))
        self.config = (9,)
        self.send(m.SET_CONFIGURATION, (roulette.WHEEL, 2))
        self.config = (9, 7)
        self.send(m.FACTORY_CONFIGURATION, ())
        self.config = (7,)
        # On to the turn of the ring: the last slot, then the first again.
        while self.table.transmitter.outbox._head < SLOTS - 4:
            self.acknowledge()
            self.table.role.raise_fault(*TILT, 1, 0, 0)
            self.table.role.clear_fault(codes.TILT, 0)
            self.listen()
            for _ in range(60):  # half a minute: or the fault would come too often
                self.table.faults.beat()
        first = len(self.cuts)
        self.play(roulette.WHEEL_RESULT)
        self.acknowledge()
        self.play(m.ROUND_VOID)
        self.play(roulette.WHEEL_RESULT)
        self.acknowledge()
        self.boot()
        return first


def recover(cut, torn):
    """Boot from the torn flash and demand everything; returns the evening for more."""
    files = dict(cut.files)
    if torn is None:
        files.pop(cut.name, None)
    else:
        files[cut.name] = torn
    after = Evening(files)
    after.books = cut.books.copy()
    after.boot()
    before = -1
    while before != len(after.reported):
        before = len(after.reported)
        after.table.exchange()
        after.listen()
    check(cut, after)
    return after


def check(cut, after):
    """What the books must say after the boot, and that the table plays on."""
    lost = [name for name in cut.reported if name not in after.reported]
    assert not lost, f"lost: {lost}"
    assert not cut.freed & set(after.reported), "sent again although its acknowledgement was safe"
    boot, number = cut.books.highest()
    store = after.table.store
    assert store.boot > boot, f"boot {store.boot} after {boot}"
    assert store.round >= number, f"round {store.round} after {number}"
    assert store.serial == SERIAL
    assert not store.damaged
    assert store.config[roulette.MIN_CIRCUITS] in cut.config
    after.books.check_configuration(provisioned_values(), store.config)
    for code, sensor in cut.active_faults.items():
        assert after.active_faults.get(code) == sensor, f"fault {code} forgotten"
    after.books.check_all_over()
    for code in list(after.table.role.active_faults):
        assert code == codes.TILT, f"fault {code} from nowhere"
        after.table.role.clear_fault(code, 0)
    after.acknowledge()
    for end in (roulette.WHEEL_RESULT, m.ROUND_VOID):
        after.play(end)
    after.acknowledge()
    after.books.check_all_over()
    assert after.books.highest()[1] > number
    assert after.table.transmitter.outbox.waiting == 0


def evening():
    """The script as played; returns its cuts, the boring middle of the ring's turn left out."""
    played = Evening()
    first = played.script()
    cuts = played.cuts
    start = max(n for n, cut in enumerate(cuts) if cut.config == (9, 7)) + 1
    return cuts[:start] + cuts[start : start + 12] + cuts[first:]


def cases(cuts):
    """Return every tear of every write, as attempt() takes them."""
    return [
        (place, cut, torn, label)
        for place, cut in enumerate(cuts)
        for label, torn in tears(cut.files.get(cut.name), cut.data)
    ]


def single(cases):
    """Cut the power once in each case."""
    for case in cases:
        attempt(*case)


def double(cuts, second):
    """Four tears of every write, and in each boot after it second(old, data) of every write."""
    count = 0
    for place, cut in enumerate(cuts):
        for label, torn in few(cut.files.get(cut.name), cut.data):
            files = {**cut.files, cut.name: torn}
            if torn is None:
                del files[cut.name]
            boot = Evening(files)
            boot.books = cut.books.copy()
            boot.boot()
            for again in boot.cuts:
                # What the boot reported before the second cut binds it too.
                again.reported = {**cut.reported, **again.reported}
                again.freed, again.config = cut.freed, cut.config
                again.active_faults = {**cut.active_faults, **again.active_faults}
                for other, torn_again in second(again.files.get(again.name), again.data):
                    attempt(place, again, torn_again, f"{label}, then {again.name} {other}")
                    count += 1
    return count


def attempt(place, cut, torn, label):
    del Role.instances[:]  # or every table there ever was would be looked through for garbage
    try:
        recover(cut, torn)
    except Exception as error:
        raise AssertionError(f"write {place} ({cut.name}), {label}: {error!r}") from error


def crashes():
    """A task ends with an error at every write instead; returns the number of cases.

    The table voids what is open, goes on, and boots.
    """
    count = 0
    whole = Evening()
    whole.script()
    for fail in range(len(whole.cuts)):
        del Role.instances[:]
        case = Evening(fail=fail)
        try:
            case.script()
        except OSError:
            go_on(case)
        count += 1
    return count


def go_on(case):
    """What supervisor and role do after the error: the fault, a void, the next round."""
    if case.table is None:
        case.boot()
    case.listen()
    case.table.set_stopped(True, 0, 1, False)
    if case.table.role.phase != m.PHASE_CLOSED:
        case.table.role.out.void([503, *VOID[1:]])
        case.table.role.phase = m.PHASE_CLOSED
    case.listen()
    case.table.set_stopped(False, 0, 0, False)
    case.table.role.clear_fault(codes.TILT, 0)
    case.listen()
    case.acknowledge()
    case.play(roulette.WHEEL_RESULT)
    case.acknowledge()
    case.boot()
    case.acknowledge()
    case.books.check_all_over()


def main():
    """The long form, with its figures; --cuts: about so many single ones, and as many writes."""
    parser = argparse.ArgumentParser(prog="power_matrix", description=main.__doc__)
    parser.add_argument("--cuts", type=int, default=0, help="0: every cut of every write")
    most = parser.parse_args().cuts
    start = time.monotonic()
    cuts = evening()
    torn = cases(cuts)
    if most:
        torn = torn[:: max(len(torn) // most, 1)]
    single(torn)
    print(f"power: {len(cuts)} writes, {len(torn)} cuts, all well", flush=True)
    count = 0
    for done in range(0, len(cuts), _PROGRESS):
        part = cuts[done : done + _PROGRESS]
        count += double(part[:: _PROGRESS // 2] if most else part, few if most else tears)
        print(
            f"power: {count} cuts in the boot after a cut, {done} of {len(cuts)} writes",
            flush=True,
        )
    print(f"power: {count} cuts in the boot after a cut, all well")
    print(f"power: {crashes()} stopped tasks, all well ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    sys.exit(main())
