"""Drivers on a chip made of plain objects: levels, addresses and what a port may lack."""

import gc
import io
import sys
import time
import unittest

from tabledev.edges import EdgeRing
from tablewire import messages as m
from tablewire import roulette


class FakePin:
    """A pin with a level; one object a number. soft: the port knows no hard interrupts."""

    IN, OUT, PULL_UP, PULL_DOWN, IRQ_FALLING, IRQ_RISING = 0, 1, 1, 2, 4, 8
    instances = {}
    soft = False

    def __new__(cls, number, *args, **kwargs):
        if number not in cls.instances:
            cls.instances[number] = object.__new__(cls)
            cls.instances[number].now = 0
        return cls.instances[number]

    def __init__(self, number, mode=-1, pull=-1, value=None):
        self.pull = pull
        self.log = []
        if value is not None:
            self.now = value

    def value(self, level=None):
        if level is None:
            return self.now
        self.now = level
        self.log.append(level)
        return None

    def init(self, mode, pull):
        self.pull = pull

    def irq(self, handler, trigger=0, **more):
        if FakePin.soft and more:
            raise TypeError("extra keyword arguments given")
        self.handler = handler
        self.irq_settings = (trigger, more.get("hard", False))
        self.armed = trigger
        return self

    def trigger(self):
        return self.armed


class FakeUart:
    """A port that remembers what it was given."""

    def __init__(self, number, **settings):
        self.settings = settings
        self.incoming = b""
        self.room = 0
        FakeUart.last = self

    def any(self):
        return len(self.incoming)

    def read(self, count):
        data, self.incoming = self.incoming[:count], self.incoming[count:]
        return data

    def readinto(self, buf):
        buf[0], self.incoming = self.incoming[0], self.incoming[1:]
        return 1

    def write(self, buf, off, length):
        return min(self.room, length) or None


class FakeAdc:
    """A converter whose reading the test sets."""

    raw = 0

    def __init__(self, pin):
        self.pin = pin

    def read_u16(self):
        return FakeAdc.raw


class FakeSpi:
    """Shift registers that hold `bits`."""

    bits = b"\x01\x80\x00\x00\x20"

    def __init__(self, number, **settings):
        FakeSpi.settings = settings

    def readinto(self, buf):
        for index in range(len(buf)):
            buf[index] = FakeSpi.bits[index]


class FakeWatchdog:
    """A watchdog that counts how often it was fed."""

    fed = 0

    def __init__(self, timeout):
        self.timeout = timeout

    def feed(self):
        FakeWatchdog.fed += 1


class FakeTimer:
    """A timer that ends with its object, as the collector of a board ends it."""

    running = []
    instances = 0

    def __init__(self, number, period, callback):
        FakeTimer.instances += 1
        FakeTimer.running.append((period, callback))

    def __del__(self):
        FakeTimer.running.pop()


class FakeMachine:
    """The module `machine`."""

    Pin, UART, SPI, ADC = FakePin, FakeUart, FakeSpi, FakeAdc
    WDT, Timer = FakeWatchdog, FakeTimer
    PWRON_RESET, HARD_RESET, WDT_RESET, SOFT_RESET = 1, 2, 3, 5
    cause = 1
    id = b"\x01\x02\x03\x04"

    def __init__(self):
        # MicroPython imports no bound method from an object.
        self.disable_irq, self.enable_irq = lambda: 1, lambda state: setattr(self, "irqs", state)

    def reset_cause(self):
        return self.cause

    def unique_id(self):
        return self.id


class FakeBoard:
    """The data of a board with open-drain sensors and a lamp lit by 0."""

    BOARD = "fake"
    UART = {"id": 0, "tx": 30, "rx": 31, "baud": 115200}
    SPI = {"id": 1, "sck": 32, "mosi": 33, "miso": 34, "latch": 35, "baud": 1000000}
    ROLES = (
        "INPUT_1",
        "INPUT_2",
        "INPUT_3",
        "INPUT_4",
        "INPUT_5",
        "INPUT_6",
        "BUTTON",
        "TILT",
        "DOME",
        "MAINTENANCE",
        "INPUT_7",
        "INPUT_8",
    )
    PINS = {role: 2 + number for number, role in enumerate(ROLES + ("LAMP",))}
    ACTIVE = dict.fromkeys(ROLES + ("LAMP",), 0)
    PULLS = dict.fromkeys(ROLES, "up")
    ANALOG = {"ANALOG_1": 26}
    ARRAY_ACTIVE = 0


def forget_drivers():
    for name in list(sys.modules):
        if name.startswith("tabledev.drivers"):
            del sys.modules[name]


class DriversTest(unittest.TestCase):
    def setUp(self):
        self.saved = sys.modules.get("machine")
        self.ticks = getattr(time, "ticks_us", None)
        self.machine = FakeMachine()
        FakePin.instances.clear()
        FakePin.soft = False
        sys.modules["machine"] = self.machine
        time.ticks_us = lambda: 12345
        forget_drivers()
        from tabledev.drivers import chip, wiring

        self.chip = chip
        self.wiring = wiring

    def tearDown(self):
        forget_drivers()
        del sys.modules["machine"]
        if self.saved is not None:
            sys.modules["machine"] = self.saved
        del time.ticks_us
        if self.ticks is not None:
            time.ticks_us = self.ticks

    def inputs(self):
        """(ring, inputs) of the board."""
        ring = EdgeRing(16)
        board = FakeBoard()
        inputs = [self.wiring._input(board, ring, *entry) for entry in self.wiring._INPUTS]
        return ring, inputs

    def test_every_sensor_has_its_pin(self):
        """The role of board.py names the pin, the message table the sensor."""
        _, inputs = self.inputs()
        sensors = [1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15]  # 10 is the console's, 11 to 13 no line's
        self.assertEqual([item.sensor for item in inputs], sensors)
        self.assertEqual(sorted(FakePin.instances), [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13])
        self.assertEqual(FakePin.instances[2].pull, FakePin.PULL_UP)

    def test_an_active_low_sensor_reads_one_when_pulled_low(self):
        """Both as a level and as an edge with its time."""
        ring, inputs = self.inputs()
        rim, pin = inputs[roulette.INPUT_RIM_1 - 1], FakePin.instances[5]
        pin.now = 1
        self.assertEqual(rim.level(), 0)
        rim.start()
        pin.now = 0
        self.assertEqual(rim.level(), 1)
        pin.handler(pin)
        pin.now = 1
        pin.handler(pin)
        edges = []
        ring.drain(lambda *edge: edges.append(edge), 20000)
        self.assertEqual(
            edges, [(roulette.INPUT_RIM_1, 1, 12345), (roulette.INPUT_RIM_1, 0, 12345)]
        )

    def test_interrupts_are_hard_where_there_are_such(self):
        """On both edges; a port that refuses the argument gets soft ones."""
        for soft in (False, True):
            FakePin.soft = soft
            _, inputs = self.inputs()
            inputs[0].start()
            self.assertEqual(FakePin.instances[2].irq_settings, (12, not soft))

    def test_an_input_is_armed_again_once_its_interrupt_ended(self):
        """With its level now, one edge counted as lost; not while another driver has the pin."""
        ring, inputs = self.inputs()
        rim, pin = inputs[roulette.INPUT_RIM_1 - 1], FakePin.instances[5]
        rim.rearm()  # not started yet
        rim.start()
        rim.rearm()
        self.assertEqual((ring.lost, ring.head), (0, 0))
        pin.armed = pin.now = 0
        rim.rearm()
        self.assertEqual((ring.lost, ring.head, pin.armed), (1, 1, 12))
        self.assertEqual(self.machine.irqs, 1)
        edges = []
        ring.drain(lambda *edge: edges.append(edge), 20000)
        self.assertEqual(edges, [(roulette.INPUT_RIM_1, 1, 12345)])
        rim.stop()
        self.assertTrue(pin.handler is None)
        pin.armed = 0
        rim.rearm()
        self.assertEqual((ring.lost, pin.armed), (1, 0))

    def test_the_array_is_latched_and_turned_to_ones(self):
        """Low then high at the latch; active-low switches come out as ones."""
        from tabledev.drivers.array_spi import PocketArray

        for active, expected in ((1, FakeSpi.bits), (0, b"\xfe\x7f\xff\xff\xdf")):
            array = PocketArray(FakeBoard.SPI, active)
            bits = bytearray(5)
            array.read(bits)
            self.assertEqual(bytes(bits), expected)
            self.assertEqual(FakePin.instances[35].log, [0, 1])

    def test_the_converter_is_read_in_steps_of_64(self):
        """0xABCD of 16 bits is 0xA80 of 12: 1010 1011 1100 1101 keeps its first six."""
        from tabledev.drivers.pins import AnalogInput

        FakeAdc.raw = 0xABCD
        self.assertEqual(AnalogInput(26).read(), 0xA80)

    def test_supply_and_chip_are_measured(self):
        """By hand: 33098 / 65535 of 3.3 V times 3 is 5.000 V; 0.706 V is 27 C, 0.604 V 86 C."""
        from tabledev.drivers.supplies import supplies

        supply = {"adc": 29, "times": 3, "low_mv": 4200, "high_mv": 5400}
        chip = {"adc": 4, "low_c": 0, "high_c": 70}
        for raw, mv, celsius in ((33098, 5000, None), (14020, None, 27), (12000, None, 86)):
            FakeAdc.raw = raw
            measured = supplies(supply, chip)
            self.assertTrue(mv is None or measured[0] == (mv, 4200, 5400))
            self.assertTrue(celsius is None or measured[1] == (celsius, 0, 70))
        self.assertEqual(supplies({}, {}), (None, None))

    def test_the_lamp_is_lit_at_once(self):
        """By its active level, from the moment it exists."""
        from tabledev.drivers.pins import Lamp

        for active in (0, 1):
            lamp = Lamp(11, active)
            self.assertEqual(FakePin.instances[11].now, active)
            lamp.set(0)
            self.assertEqual(FakePin.instances[11].now, 1 - active)
            lamp.set(1)
            self.assertEqual(FakePin.instances[11].now, active)

    def test_one_of_two_lights_is_lit_and_never_none(self):
        from tabledev.drivers.extras import open_lights

        lights = open_lights(FakeBoard)
        pins = [FakePin.instances[FakeBoard.PINS[name]] for name in ("INPUT_7", "INPUT_8")]
        self.assertEqual([pin.now for pin in pins], [0, 0])
        for light, order in ((0, [[1], [0]]), (1, [[0], [1]])):
            for pin in pins:
                pin.log.clear()
            lights.show(light)
            self.assertEqual([pin.log for pin in pins], order)
            self.assertEqual([pin.now for pin in pins], [1 - light, light])

    def test_the_line_never_waits(self):
        """None of the port becomes 0; long input comes in pieces; nothing is None."""
        from tabledev.drivers.uart_link import UartLink

        link = UartLink(FakeBoard.UART)
        settings = FakeUart.last.settings
        self.assertEqual((settings["baudrate"], settings["timeout"]), (115200, 0))
        self.assertTrue(settings["txbuf"] >= 1024)
        self.assertEqual(link.write(b"0123456789", 2, 5), 0)
        FakeUart.last.room = 3
        self.assertEqual(link.write(b"0123456789", 2, 5), 3)
        self.assertTrue(link.read() is None)
        FakeUart.last.incoming = bytes(300)
        self.assertEqual([len(link.read()), len(link.read())], [128, 128])
        self.assertEqual(link.overruns, 0)
        FakeUart.last.incoming = bytes(2047)
        link.read()
        link.read()
        self.assertEqual(link.overruns, 1)

    def test_a_card_waits_until_it_is_asked_for(self):
        """R, C and E lines; damaged ones are none; what was read is handed over one by one.

        Checks: the exclusive or of the bytes before the star, reckoned by hand: "R,9" is 82, 44,
        57, so 0x47.
        """
        reader, report = self.reader(), [0, 9, 9, 9, 9]
        self.assertFalse(reader.poll(report))
        self.say(b"R,9*47\n")
        self.assertTrue(reader.poll(report))
        self.assertEqual(report, [0, 1, 9, 0, 0])
        self.say(self.line(b"C,10,AS,AS") + self.line(b"C,11,2C,??") + b"C,12,2C,2C*00\n")
        self.assertTrue(reader.poll(report))
        self.assertEqual(report, [0, 4, 11, 0, 0])
        self.assertFalse(reader.poll(report))
        report[0] = 1
        self.assertTrue(reader.poll(report))
        self.assertEqual(report, [1, 3, 10, 52, 52])
        self.assertTrue(reader.poll(report))
        self.assertEqual(report, [1, 3, 11, 1, 0])
        self.assertFalse(reader.poll(report))

    def test_a_count_that_came_with_a_value(self):
        """It is not lost, and it does not confirm: the reader sent it before the value went."""
        reader, report = self.reader(), [1, 0, 0, 0, 0]
        self.say(self.line(b"C,10,AS,AS") + self.line(b"R,10"))
        self.assertTrue(reader.poll(report))
        self.assertEqual(report, [1, 3, 10, 52, 52])
        report[0] = 0
        self.assertTrue(reader.poll(report))
        self.assertEqual(report, [0, 4, 10, 0, 0])
        self.assertFalse(reader.poll(report))

    def test_what_a_reader_may_say(self):
        """The cut card, no card of a deck, an error before anything else; dropped on demand."""
        reader, report = self.reader(), [1, 0, 0, 0, 0]
        self.say(self.line(b"C,255,CC,CC") + self.line(b"C,0,JK,AH"))
        self.assertTrue(reader.poll(report))
        self.assertEqual(report[2:], [255, 62, 62])
        self.say(self.line(b"E,42"))
        self.assertTrue(reader.poll(report))
        self.assertEqual(report[1:], [2, 42, 0, 0])
        self.assertTrue(reader.poll(report))
        self.assertEqual(report[2:], [0, 63, 39])
        self.say(self.line(b"C,1,2C,2C"))
        report[0] = 2
        self.assertTrue(reader.poll(report))
        self.assertEqual(report[1:3], [4, 1])
        report[0] = 1
        self.assertFalse(reader.poll(report))

    def test_lines_that_are_none(self):
        """Of any kind, length or content: nothing is said, and the next one is heard."""
        reader, report = self.reader(), [1, 0, 0, 0, 0]
        for text in (
            b"",
            b"R",
            b"R,",
            b"R,x",
            b"C,1",
            b"C,1,AS",
            b"C,256,AS,AS",
            b"X,1",
            b"R,1,2",
        ):
            self.say(self.line(text) + b"*\n*47\n" + bytes(40) + b"\n")
            self.assertFalse(reader.poll(report), text)
        self.say(self.line(b"R,7"))
        self.assertTrue(reader.poll(report))

    def reader(self):
        from tabledev.drivers.card_reader import CardReader

        return CardReader(1, 4, 5)

    def say(self, data):
        FakeUart.last.incoming += data

    def line(self, text):
        check = 0
        for byte in text:
            check ^= byte
        return text + b"*" + (b"%02X" % check) + b"\n"

    def test_the_serial_names_the_chip(self):
        """CRC-32 of the unique id (b6 3c fb cd for 01 02 03 04), never 0."""
        self.assertEqual(self.chip.serial(), 0xB63CFBCD)
        # The four bytes whose CRC-32 is 0.
        self.machine.id = b"\x9d\x0a\xd9\x6d"
        self.assertEqual(self.chip.serial(), 1)

    def test_the_reset_cause(self):
        """As the messages number it; a port that knows all causes needs no register."""
        reported = []
        for cause in (1, 3, 2, 5):
            self.machine.cause = cause
            reported.append(self.chip.reset_cause(0))
        expected = [m.RESET_CAUSE_POWER, m.RESET_CAUSE_WATCHDOG] + [m.RESET_CAUSE_RESET] * 2
        self.assertEqual(reported, expected)

    def test_the_reset_cause_of_a_chip_whose_watchdog_does_every_reset(self):
        """By hand from the RP2040 data sheet, 4.7.6: REASON is 1 where the timer ran out, 2 where

        a program forced it, 0 at power-on; ENABLE, bit 30 of CTRL, is cleared by all of them, so
        it is set only after a soft reset.
        """
        power, watchdog, reset = m.RESET_CAUSE_POWER, m.RESET_CAUSE_WATCHDOG, m.RESET_CAUSE_RESET
        for cause, reason, control, expected in (
            (1, 0, 0, power),
            (3, 1, 0, watchdog),
            (3, 2, 0, reset),
            (1, 0, 1 << 30, reset),
            (3, 1, 1 << 30, reset),
        ):
            self.machine.cause = cause
            self.machine.mem32 = {0x40058000: control | 4000, 0x40058008: reason}
            self.assertEqual(self.chip.reset_cause(0x40058000), expected)

    def test_a_trial_of_the_heap_that_is_stopped_leaves_the_collector_on(self):
        """Control-C in any of the four trials; no reset but that of the power would repair it."""

        left = [0]

        def try_size(size):
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt()
            return io.BytesIO()

        class Stopped:
            BytesIO = try_size

        self.chip.io = Stopped
        for trial in range(1, 5):
            left[0] = trial
            with self.assertRaises(KeyboardInterrupt):
                self.chip.largest_free_bytes(1000)
            self.assertTrue(gc.isenabled())

    def test_a_released_watchdog_is_fed_after_a_collection(self):
        """The timer that feeds it outlives the collector: four times in its 4 s."""
        watchdog = self.chip.Watchdog(0)
        watchdog.release()  # never started: nothing is to be fed
        self.assertEqual(FakeTimer.running, [])
        watchdog.start()
        watchdog.release()
        gc.collect()
        ((period_ms, feed),) = FakeTimer.running
        self.assertEqual(period_ms, 1000)
        FakeWatchdog.fed = 0
        feed(None)
        self.assertEqual(FakeWatchdog.fed, 1)

    def test_a_watchdog_that_a_soft_reset_left_running_is_fed(self):
        """Stopped before the table starts it again; one that does not run is not started."""
        for control, feeders in ((0, 0), (1 << 30, 1)):
            self.machine.mem32 = {0x40058000: control}
            before = FakeTimer.instances
            watchdog = self.chip.Watchdog(0x40058000)
            watchdog.release()
            self.assertEqual(FakeTimer.instances - before, feeders)


if __name__ == "__main__":
    unittest.main()
