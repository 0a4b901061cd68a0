"""Emulated machines of any role for `tabletool diag`: moved by hands, some of it broken."""

import threading

from hil_tests.emulators.core.uart import UartPort
from hil_tests.session import emulated_table

STEP_US = 40_000
AGAIN_US = 14_000_000


class Floor:
    """A table with its UART on a TCP port; its time runs as fast as it can.

    broken: called once with the table. moved: what hands do, again every so often.
    """

    def __init__(self, setup, *, moved, broken=None, key=None, every_us=AGAIN_US):
        self._made = (setup, 7)
        self._moved, self._broken, self._key = moved, broken, key
        self._every_us = every_us
        self._port = UartPort("127.0.0.1")
        self._over = False
        self._is_on = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self.url = f"socket://127.0.0.1:{self._port.port}"

    def __enter__(self):
        self._thread.start()
        assert self._is_on.wait(60), "the emulated table did not start"
        return self

    def __exit__(self, *_):
        self._over = True
        self._thread.join()
        self._port.close()

    def _listen(self, _when, way, data):
        if way == "<":
            self._port.send(data)

    def _serve(self):
        options = {"listen": self._listen, "acknowledge": False, "key": self._key}
        with emulated_table(*self._made, **options) as table:
            if self._broken is not None:
                self._broken(table)
            due_us = 0
            self._is_on.set()
            while not self._over:
                if table.now_us >= due_us:
                    self._moved(table)
                    due_us = table.now_us + self._every_us
                data = self._port.receive(0.001)
                if data:
                    table.send(data)
                table.step(table.now_us + STEP_US)


def spin(table):
    """The croupier turns the rotor and throws the ball."""
    for when, act in table._croupier.plan(table.now_us).steps():
        table.schedule(when, act)


def turn(table):
    """The money wheel is turned at a walking speed."""
    table.wheel.keep_turning(0.2)


def shuffle(table):
    """The shuffler shuffles its deck."""
    if not table.shuffler._agenda:
        table.shuffler.shuffle(table.now_us)


def throw(table):
    """Dice are taken and thrown, each plate tapped, a hand goes over the edge."""
    plan = table._thrower.plan(table.now_us)
    plan.part_hits()
    for when, act in plan.steps():
        table.schedule(when, act)
    table.schedule(plan.throw_us + 6_000_000, lambda scene: scene.tray.put_back())
    table.tray.cross_edge(30_000)


def dead_gate(pin):
    """A gate of the shuffler answers no more."""

    def break_it(table):
        put = table.shuffler._put
        table.shuffler._put = lambda t_us, kind, at, value: at == pin or put(t_us, kind, at, value)

    return break_it


def dead(*pins):
    """These lines answer no more."""

    def break_it(table):
        for pin in pins:
            table.model.sensors.lines[pin].hold(table.now_us, 0)

    return break_it
