"""The UART and SPI of the rig: line time, bounded buffers, latched shift registers."""

import pytest

from hil_tests.rig_firmware import RUN, SECOND, started

LINE = """
from machine import UART, Pin, SPI
line = UART(0, baudrate=115200, tx=Pin(0), rx=Pin(1), txbuf=256, rxbuf=64, timeout=0)
"""
# Ten bits a byte.
BYTE_US = 10 * SECOND / 115_200


def test_hundred_bytes_take_their_line_time():
    """100 bytes at 115,200 baud leave the line after 8.68 ms."""
    with started(LINE) as board:
        assert board.exec("print(line.write(bytes(range(100))), line.txdone())") == "100 False\n"
        assert board.play([], 8_680).sent == bytes(range(99))
        output = board.play([], 8_681)
        assert output.tx == [(8_681, bytes([99]))]
        assert board.exec("print(line.txdone())") == "True\n"


def test_chunks_queue_on_the_line():
    """A second write goes out after the first, with the time its own last byte left."""
    with started(LINE) as board:
        board.exec("line.write(b'abc')\nline.write(b'de')")
        tx = board.play([], SECOND).tx
        assert tx == [(round(3 * BYTE_US + 0.5), b"abc"), (round(5 * BYTE_US + 0.5), b"de")]


def test_full_transmit_buffer_takes_a_part():
    """256 bytes fit; what does not is not taken; None when nothing fits; room comes with time."""
    with started(LINE) as board:
        assert board.exec("print(line.write(bytes(300)), line.write(b'x'))") == "256 None\n"
        board.play([], 1000)  # eleven bytes have gone
        assert board.exec("print(line.write(bytes(300)))") == "11\n"


def test_write_takes_parts_of_a_buffer():
    """write(buffer, offset, length) and a memoryview send just that part."""
    code = "line.write(b'abcdef', 2, 3)\nline.write(memoryview(b'123456')[4:])"
    with started(LINE) as board:
        board.exec(code)
        assert board.play([], SECOND).sent == b"cde56"


def test_flush_waits_for_the_line():
    """flush() lets exactly the line time pass."""
    with started(LINE + "import time") as board:
        board.exec("line.write(bytes(100))\nline.flush()")
        assert board.exec("print(time.ticks_us(), line.txdone())") == "8681 True\n"


def test_baud_rate_sets_the_pace():
    """At 9,600 baud a byte takes 1.04 ms."""
    with started(LINE.replace("115200", "9600")) as board:
        board.exec("line.write(b'ab')")
        assert board.play([], SECOND).tx == [(2084, b"ab")]


def test_bytes_arrive_one_by_one():
    """Received bytes are there when their stop bit is; read takes what there is."""
    with started(LINE) as board:
        board.play([[1000, "rx", 0, "61626364"]], 1000 + int(2.5 * BYTE_US))
        assert board.exec("print(line.any(), line.read())") == "2 b'ab'\n"
        board.play([], 2000)
        code = "b = bytearray(8)\nprint(line.readinto(b), b[:2], line.read(), line.readinto(b))"
        assert board.exec(code) == "2 bytearray(b'cd') None None\n"


def test_receive_buffer_overflows():
    """Of 100 bytes nobody reads, the first 64 are kept."""
    data = bytes(range(100))
    with started(LINE) as board:
        board.play([[0, "rx", 0, data.hex()]], SECOND)
        assert board.exec("print(line.read() == bytes(range(64)), line.any())") == "True 0\n"


def test_receive_interrupt_at_the_end_of_a_burst():
    """UART.irq(IRQ_RXIDLE) calls once for each burst."""
    main = LINE + "line.irq(lambda uart: print(uart.read()), UART.IRQ_RXIDLE)\n"
    with started(main) as board:
        events = [[0, "rx", 0, "6162"], [5000, "rx", 0, "63"]]
        assert board.play(events, SECOND).printed == "b'ab'\nb'c'\n"


def test_bytes_on_the_line_are_lost_at_a_reset():
    """What has not left the line when the chip resets never does."""
    with started(LINE) as board:
        board.exec("line.write(bytes(range(1, 101)))")
        before = board.play([], 1000).sent
        assert board.reset("hard").resets == [(1000, "hard")]
        assert (before, board.play([], SECOND).sent) == (bytes(range(1, 12)), b"")


@pytest.mark.parametrize(
    ("latched", "read"), [(True, "b'\\x01\\x80\\x00'"), (False, "b'\\x00\\x00\\x00'")]
)
def test_shift_registers_load_at_the_latch(latched, read):
    """SPI shifts out what the rising edge of the latch loaded, then zeros."""
    main = LINE + "bus = SPI(1)\nlatch = Pin(13, Pin.OUT, value=0)\n"
    with started(main) as board:
        board.play([[10, "spi", 1, "0180"]], 20)
        board.exec("latch.value(1)" if latched else "pass")
        board.play([[30, "spi", 1, "ffff"]], 40)
        assert board.exec("print(bus.read(3))") == read + "\n"


def test_inputs_and_outputs():
    """Outputs are reported with their time, pulls hold loose inputs, ADC reads what was set."""
    main = """
import asyncio
from machine import ADC, Pin
async def main():
    lamp = Pin(11, Pin.OUT, value=1)
    print(Pin(5, Pin.IN, Pin.PULL_UP).value(), Pin(6, Pin.IN, Pin.PULL_DOWN).value())
    await asyncio.sleep_ms(10)
    lamp.off()
    lamp.off()
    print(Pin(5, Pin.IN, Pin.PULL_UP).value(), ADC(26).read_u16())
"""
    with started("pass", files={"/app.py": (main + RUN).encode()}) as board:
        board.exec("import app")
        output = board.play([[5, "pin", 5, 0], [6, "adc", 26, 40_000]], SECOND)
        assert output.pins == [(0, 11, 1), (10_000, 11, 0)]
        assert output.printed == "1 0\n0 40000\n"
