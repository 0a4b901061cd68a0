"""The peer of a table's program on the emulated board: the least that a table does, nothing else.

It runs on MicroPython, as /main.py: the edges of two lines go into a ring by interrupt, a task
takes them every 40 ms and follows how far the wheel has turned, another sends a frame with its
CRC every 250 ms. No round, fault, record, trace, key or configuration.

It is the unit in which `rig_bench.py` counts. Never change it: figures of different days could
not be compared.
"""

import asyncio
import time
from array import array

from machine import UART, Pin

SIZE = 64
A, B = 2, 3


class Ring:
    """Edges as (ticks_us, code), oldest first."""

    def __init__(self):
        self.times = array("i", bytes(4 * SIZE))
        self.codes = bytearray(SIZE)
        self.head = 0
        self.tail = 0

    def drain(self, take):
        """Pass every edge to take(sensor, level, ticks_us)."""
        times, codes = self.times, self.codes
        while self.tail != self.head:
            tail = self.tail
            self.tail = (tail + 1) % SIZE
            take(codes[tail] >> 1, codes[tail] & 1, times[tail])


class Line:
    """One input: its edges go into the ring."""

    def __init__(self, ring, number, sensor):
        self.ring = ring
        self.code = sensor * 2
        self.pin = Pin(number, Pin.IN, Pin.PULL_UP)
        self.pin.irq(self.edge, Pin.IRQ_RISING | Pin.IRQ_FALLING, hard=True)

    def edge(self, pin):
        """Store one edge; called from the interrupt."""
        ring = self.ring
        head = ring.head
        ring.times[head] = time.ticks_us()
        ring.codes[head] = self.code | pin.value()
        ring.head = (head + 1) % SIZE


class Follower:
    """One sensor's pulses: how many, and how long between the last two."""

    def __init__(self):
        self.count = 0
        self.since_us = 0
        self.period_us = 0
        self.level = 0

    def edge(self, level, t_us):
        """The line switched."""
        if level == self.level:
            return
        self.level = level
        if level:
            self.period_us = time.ticks_diff(t_us, self.since_us)
            self.since_us = t_us
            self.count += 1

    def is_still(self, now_us):
        """Whether 1.5 s passed without a pulse."""
        return time.ticks_diff(now_us, self.since_us) > 1_500_000


class Wheel:
    """Two sensors: which way it turns, and whether it does."""

    def __init__(self):
        self.followers = (Follower(), Follower())
        self.direction = 0
        self.leader = 0
        self.stopped = True
        self.steps = 0

    def edge(self, sensor, level, t_us):
        """A sensor switched."""
        follower = self.followers[sensor]
        follower.edge(level, t_us)
        if level:
            self.direction = 1 if sensor != self.leader else -1
            self.leader = sensor

    def tick(self, now_us):
        """Time passed."""
        self.steps += 1
        self.stopped = True
        for follower in self.followers:
            if not follower.is_still(now_us):
                self.stopped = False

    def state(self):
        """What a frame tells."""
        first, second = self.followers
        return (first.count, second.count, first.period_us, self.direction, self.steps)


class Sender:
    """Frames of the wheel's state, each with its CRC."""

    def __init__(self, wheel):
        self.wheel = wheel
        self.uart = UART(0, 115200)
        self.frame = bytearray(44)

    def seal(self):
        """Put the CRC of the frame at its end."""
        crc = 0xFFFF
        frame = self.frame
        for place in range(len(frame) - 2):
            crc ^= frame[place]
            for _ in range(2):
                crc = crc >> 4 ^ (crc & 15) * 0x1081
        frame[-2] = crc & 255
        frame[-1] = crc >> 8 & 255

    def beat(self):
        """Send a frame."""
        place = 0
        for value in self.wheel.state():
            for shift in (0, 8, 16):
                self.frame[place] = value >> shift & 255
                place += 1
        self.seal()
        self.uart.write(self.frame)


class Table:
    """All of it."""

    def __init__(self):
        self.ring = Ring()
        self.wheel = Wheel()
        self.sender = Sender(self.wheel)
        self.lines = (Line(self.ring, A, 0), Line(self.ring, B, 1))

    def control(self):
        """Take what came since the last step."""
        self.ring.drain(self.wheel.edge)
        self.wheel.tick(time.ticks_us())


async def repeat(step, period_ms):
    """Run one task for ever, without drift."""
    due_ms = time.ticks_ms()
    while True:
        step()
        due_ms = time.ticks_add(due_ms, period_ms)
        await asyncio.sleep_ms(max(time.ticks_diff(due_ms, time.ticks_ms()), 0))


async def main():
    """Run both tasks."""
    table = Table()
    beat = asyncio.create_task(repeat(table.sender.beat, 250))
    await repeat(table.control, 40)
    await beat


asyncio.run(main())
