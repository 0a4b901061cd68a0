"""The driver of the HM01B0 on a chip made of plain objects: registers, pins, one frame."""

import sys
import time
import unittest

WIRES = {
    "kind": "hm01b0",
    "i2c": 0,
    "sda": 16,
    "scl": 17,
    "data": 18,
    "pclk": 19,
    "line": 20,
    "frame": 22,
}


class Bus:
    """An I2C bus with a sensor on it. model: what it says it is."""

    model = b"\x01\xb0"
    last = None

    def __init__(self, number, sda, scl, freq):
        self.written = []
        Bus.last = self

    def readfrom_mem(self, address, register, count, addrsize):
        assert (address, register, addrsize) == (0x24, 0, 16)
        return Bus.model[:count]

    def writeto_mem(self, address, register, data, addrsize):
        assert (address, addrsize) == (0x24, 16)
        self.written.append((register, data[0]))

    def set_now(self):
        """Registers by number, as set since the last reset."""
        resets = [place for place, (register, _) in enumerate(self.written) if register == 0x0103]
        return dict(self.written[resets[-1] :])


class Pin:
    IN = 0

    def __init__(self, number, mode=0):
        self.number = number


class Machine:
    """A state machine. stale: words left in its queue."""

    def __init__(self, number, program, in_base):
        self.words = []
        self.stale = 2
        self.running = 0
        Machine.last = self

    def active(self, on):
        self.running = on

    def restart(self):
        self.words = []

    def rx_fifo(self):
        return self.stale

    def get(self):
        self.stale -= 1

    def put(self, word):
        self.words.append(word)


def bits_of(grey):
    """A pixel's bits in the order of the line: register 0x3060, bit 4 set: the highest first."""
    order = range(7, -1, -1) if Bus.last.set_now()[0x3060] & 0x10 else range(8)
    return [grey >> n & 1 for n in order]


def shifted_left(bits):
    """What a state machine that shifts to the left makes of eight bits."""
    value = 0
    for bit in bits:
        value = value << 1 | bit
    return value


class Dma:
    """busy: until the test says that the frame is there. In the test pattern (0x0601: 0x11) the
    sensor sends walking ones at once; broken: what the wire makes of a pixel."""

    broken = None

    def __init__(self):
        self.busy = False
        Dma.last = self

    def pack_ctrl(self, **settings):
        return settings

    def config(self, **settings):
        self.settings = settings
        self.busy = True
        if Bus.last.set_now().get(0x0601) == 0x11:
            self.busy = False
            grey = 4
            for index in range(settings["count"]):
                bits = bits_of(grey)
                settings["write"][index] = shifted_left(Dma.broken(bits) if Dma.broken else bits)
                grey = 2 * grey % 256 if grey else 1

    def active(self, on=None):
        if on is not None:
            self.busy = bool(on)
        return self.busy

    def close(self):
        self.busy = None


class Rp2:
    class PIO:
        SHIFT_LEFT = 0

    StateMachine = Machine
    DMA = Dma

    @staticmethod
    def asm_pio(**settings):
        return lambda program: program


class Chip:
    I2C = Bus
    Pin = Pin


class Camera(unittest.TestCase):
    def setUp(self):
        self.before = {name: sys.modules.get(name) for name in ("machine", "rp2")}
        sys.modules["machine"], sys.modules["rp2"] = Chip, Rp2
        self.slept = hasattr(time, "sleep_ms")
        if not self.slept:
            time.sleep_ms = lambda ms: None
        from tabledev.drivers.camera_hm01b0 import HimaxCamera

        self.make = HimaxCamera

    def tearDown(self):
        sys.modules.pop("tabledev.drivers.camera_hm01b0", None)
        for name, module in self.before.items():
            if module is None:
                sys.modules.pop(name)
            else:
                sys.modules[name] = module
        if not self.slept:
            del time.sleep_ms
        Bus.model = b"\x01\xb0"
        Dma.broken = None

    def test_small_frames_are_binned(self):
        """2 x 2 pixels make one; streaming is switched on last."""
        self.make(WIRES, 160, 120, bytearray(160 * 120 + 4))
        written = Bus.last.written
        self.assertEqual(dict(written)[0x0383], 3)
        self.assertEqual(dict(written)[0x0390], 3)
        self.assertEqual(written[-1], (0x0100, 1))

    def test_the_order_of_bits_and_the_clock_are_set(self):
        """ArduCAM's driver for a Pico: one line, PCLK with pixels alone, highest bit first."""
        self.make(WIRES, 320, 240, bytearray(320 * 240 + 4))
        written = dict(Bus.last.written)
        self.assertEqual((written[0x3059], written[0x3060]), (0x22, 0x30))
        self.assertEqual((written[0x0340], written[0x0341]), (0x01, 0x04))
        self.assertEqual((written[0x2105], written[0x2106]), (0x01, 0x02))

    def test_after_the_test_pattern_the_sensor_is_reset(self):
        """Nothing of it is left: its registers come before the last reset."""
        self.make(WIRES, 160, 120, bytearray(160 * 120 + 4))
        registers = [register for register, _ in Bus.last.written]
        last = len(registers) - 1 - registers[::-1].index(0x0103)
        self.assertEqual(registers.count(0x0103), 2)
        self.assertTrue(registers.index(0x0601) < last)
        self.assertTrue(0x0601 not in registers[last:])

    def test_a_wrong_pattern_is_no_camera(self):
        """Bits reversed, a data line at one level, a clock that misses a bit."""
        for broken in (lambda bits: bits[::-1], lambda bits: [1] * 8, lambda bits: bits[1:]):
            Dma.broken = broken
            with self.assertRaises(OSError):
                self.make(WIRES, 160, 120, bytearray(160 * 120 + 4))

    def test_a_frame(self):
        """119 and 1279 go to the state machine, 19,200 bytes come by DMA, the spare four never."""
        camera = self.make(WIRES, 160, 120, bytearray(160 * 120 + 4))
        camera.start()
        self.assertEqual((Machine.last.words, Machine.last.running), ([119, 1279], 1))
        self.assertEqual((Dma.last.settings["count"], Machine.last.stale), (19200, 0))
        self.assertEqual(camera.poll(), False)
        Dma.last.busy = False
        self.assertEqual(camera.poll(), True)
        camera.close()
        self.assertEqual((Bus.last.written[-1], Dma.last.busy), ((0x0100, 0), None))

    def test_another_sensor_is_refused(self):
        Bus.model = b"\x76\x70"
        with self.assertRaises(OSError):
            self.make(WIRES, 320, 240, bytearray(320 * 240 + 4))


if __name__ == "__main__":
    unittest.main()
