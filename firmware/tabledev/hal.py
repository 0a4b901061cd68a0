"""The interface of a board to the app, in one place. Knows no pin, port or file.

Clock: .ticks_us() and .ticks_ms(), both 0..2^30-1 and wrapping; the module `time` is one.
EdgeInput: .sensor (messages.SENSOR_*), .start() puts its edges into the ring from now on,
    .stop() leaves its pin to others, .rearm() starts it again if its interrupt had ended,
    .level() is 1 while magnet, ball or contact is there, else 0.
Analog: .read() returns the flapper's sensor, 0..4095 in steps of 64.
PocketArray: .read(bits) fills a bytearray(5); bit k is 1 while the ball is in pocket index k.
Link: .write(buf, off, length) accepts what fits at once and returns how many bytes that were;
    .read() returns the received bytes, None when there are none, without waiting;
    .overruns: how often bytes may have been lost because they were not read in time.
Machine: made by open_machine(driver), which takes the second port; .close() releases it;
    .poll(report) fills a list of integers from its serial line; False when nothing came.
    Shuffler: state, cards in, cards out, error. Card reader: tablelogic.card_shoe.reader_watch.
    Ball readers: reader, readings, number, set.
Camera: made by open_camera(width, height); .frame: a bytearray of width * height greys, row by
    row, and four bytes more; .start() begins to take a frame, .poll() is true once it is there;
    .close() releases pins and memory.
Lights: made by open_lights(), which takes the pins of INPUT_7 and INPUT_8; .show(light) lights
    lamp 0 or 1 and switches the other off.
Flash: .read(name) returns a file's bytes or None; .write(name, data) returns when they are
    safe; .pieces(name, parts) yields between two pieces of them;
    .part(name, offset, length) returns at most this many bytes, fewer at the end of the file.
    Names are plain, without a folder. A power cut during write may leave any part of the data.
Watchdog: .start() once, then .feed() at least every 4 s or the board resets.
Console: .production as stored; .set(is_open); .ended() resets the board when it is closed.
Supplies: supplies() returns what the board measures of itself: its supply in mV, its chip in
    degrees C, each as (measured, lowest and highest that pass), or None if not measured.
Lamp: .set(on) switches "no more bets".
"""

if -0:  # for mypy
    from collections.abc import Callable
    from typing import Any

    from tabletypes import (
        Analog,
        Camera,
        Console,
        EdgeInput,
        Flash,
        Lamp,
        Lights,
        Link,
        Machine,
        Measured,
        PocketArray,
        Random,
        Ring,
        Sure,
        Switch,
        Watchdog,
    )


class Hal:
    """One board as the app gets it. Attributes: the objects above under their names, and

    ring: the edges between interrupt and task (edges.EdgeRing); inputs: tuple of EdgeInput;
    trace: a bytearray for the trace of a round (tablewire.trace_file.TRACE_BYTES);
    switch: the maintenance switch, an EdgeInput of which only the level is read;
    serial: u32 that names this board, never 0; reset_cause: messages.RESET_CAUSE_*;
    board: its name, at most 16 bytes of ASCII; free_bytes(): free bytes of the heap;
    largest_free_bytes(free_bytes): those in its largest piece, to a sixteenth of free_bytes;
    random(n): n unpredictable bytes.
    """

    def __init__(self, board: bytes, serial: int, reset_cause: int) -> None:
        self.board = board
        self.serial = serial
        self.reset_cause = reset_cause
        self.free_bytes: "Sure[Callable[[], int]]" = None
        self.largest_free_bytes: "Sure[Callable[[int], int]]" = None
        self.random: "Sure[Random]" = None
        self.clock: "Any" = None  # a Clock; of the module `time` the ticks are no int to mypy
        self.ring: "Sure[Ring]" = None
        self.trace: "Sure[bytearray]" = None
        self.inputs: "tuple[EdgeInput, ...]" = ()
        self.array: "Sure[PocketArray]" = None
        self.analog: "Sure[Analog]" = None
        self.supplies: "Sure[Callable[[], tuple[Measured, Measured]]]" = None
        self.link: "Sure[Link]" = None
        self.open_machine: "Sure[Callable[[str], Machine]]" = None
        self.open_camera: "Sure[Callable[[int, int], Camera]]" = None
        self.open_lights: "Sure[Callable[[], Lights]]" = None
        self.flash: "Sure[Flash]" = None
        self.console: "Sure[Console]" = None
        self.switch: "Sure[Switch]" = None
        self.watchdog: "Sure[Watchdog]" = None
        self.lamp: "Sure[Lamp]" = None
