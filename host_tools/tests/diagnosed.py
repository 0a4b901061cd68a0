"""Emulated machines of any role for `tabletool diag`: moved by hands, some of it broken."""

import re
from contextlib import ExitStack
from functools import partial

import pytest

from tableemulator.machines.roulette.physical_wheel import RIMS
from tableemulator.play_session import emulated_table
from tabletools.cli import table_client
from tabletools.link import Link

STEP_US = 40_000
AGAIN_US = 14_000_000


class Floor:
    """A table behind the port of a command, in virtual time: each read lets step_us pass.

    broken: called once with the table. moved: what hands do, again every so often.
    """

    url = "floor"

    def __init__(self, setup, *, moved, broken=None, key=None, every_us=AGAIN_US, step_us=STEP_US):
        self._table_options = (setup, 7)
        self._step_us = step_us
        self._moved, self._broken, self._key = moved, broken, key
        self._every_us, self._due_us = every_us, 0
        self._sent = bytearray()
        self._stack = ExitStack()

    def __enter__(self):
        options = {"listen": self._listen, "acknowledge": False, "key": self._key}
        self._table = self._stack.enter_context(emulated_table(*self._table_options, **options))
        if self._broken is not None:
            self._broken(self._table)
        patch = self._stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(table_client, "Link", self._link)
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _link(self, url, session, **more):
        self._sent.clear()  # what came before a port was opened is not read
        clock = {"clock": lambda: self._table.now_us / 1e6, "wait": lambda _: None}
        return Link(url, session, opener=lambda _: self, **clock, **more)

    def _listen(self, _when, way, data):
        if way == "<":
            self._sent += data

    def pass_time(self, us):
        """No command runs for so long."""
        end_us = self._table.now_us + us
        while self._table.now_us < end_us:
            self.read(0)

    # --- the port --------------------------------------------------------------------------------

    def read(self, _size):
        """Bytes of the table, after a step of its time."""
        table = self._table
        if table.now_us >= self._due_us:
            self._moved(table)
            self._due_us = table.now_us + self._every_us
        table.step(table.now_us + self._step_us)
        sent, self._sent = bytes(self._sent), bytearray()
        return sent

    def write(self, data):
        """Bytes for the table."""
        self._table.send(data)
        return len(data)

    def close(self):
        """End the command; the table continues with the next one."""


class Technician:
    """Does at an emulated wheel what the walk of --calibrate pockets says."""

    def __init__(self):
        self.said = []

    def come(self, table):
        """To the table; see Floor, broken."""
        self._table = table

    def do(self, text):
        """What one line of the walk says."""
        self.said.append(text)
        table, wheel = self._table, self._table.wheel
        if text.startswith("Take everything out"):
            wheel.take_away(wheel.ball)
        if "urn the rotor" in text or abs(wheel.rotor_rpm) > 1:
            way = -1 if "counter-clockwise" in text else 1
            wheel.push_rotor(way * 14 if "urn the rotor" in text else 0)
        if finger := re.search(r"rim sensor ([1-4])", text):
            pin = RIMS[int(finger[1]) - 1]
            for k in range(3):
                for after_us, step in ((0, 1), (90_000, -1)):
                    at_us = table.now_us + 2_000_000 + k * 900_000 + after_us
                    table.schedule(at_us, partial(_shift, pin=pin, step=step))
        if text.startswith("Throw the ball"):
            wheel.take_away(wheel.ball)
            plan = table._croupier.plan(table.now_us)
            if plan.ball_direction < 0:  # the next one is thrown the other way
                plan = table._croupier.plan(table.now_us)
            for when, act in plan.steps():
                table.schedule(when, act)
        if number := re.search(r"Ball into (\w+)", text):
            wheel.take_away(wheel.ball)
            pocket = table.geometry.order.index(number[1])
            table.schedule(table.now_us + 800_000, partial(_lay, pocket=pocket))


def _shift(table, pin, step):
    table.wheel.sensors.shift(table.now_us, pin, step)


def _lay(table, pocket):
    table.wheel.put_in_pocket(table.now_us, table.ball, pocket)


def spin(table):
    """The croupier turns the rotor and throws the ball."""
    for when, act in table._croupier.plan(table.now_us).steps():
        table.schedule(when, act)


def turn(table):
    """The money wheel is turned at a walking speed."""
    table.wheel.keep_turning(0.2)


def shuffle(table):
    """The shuffler shuffles its deck."""
    if table.shuffler._agenda.first_us() is None:
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
    """A gate of the shuffler no longer answers."""

    def break_it(table):
        show = table.shuffler.set_input
        table.shuffler.set_input = lambda t_us, gate, level: gate == pin or show(t_us, gate, level)

    return break_it


def dead(*pins):
    """These lines no longer answer."""

    def break_it(table):
        for pin in pins:
            table.model.sensors.lines[pin].hold(table.now_us, 0)

    return break_it
