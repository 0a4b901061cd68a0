"""Rig `rp2040js` without MicroPython: files, clock, edges, lines, flash, resets and failures."""

import contextlib
import struct
import time
from contextlib import closing

import pytest
import serial

import board_files
from hil_tests.rigs import rp2040js
from hil_tests.rigs.boot_rom import rom_of
from hil_tests.rigs.ram_heap import Heap, collected_heap, heap_of, stack_left
from hil_tests.rigs.rig_states import READY, RigBroken, RigState
from hil_tests.rigs.rp2040_board import LIMITS, BoardHalted, Rp2040Board
from hil_tests.rigs.rp2040_ports import LINK, PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import Rp2040Rig, asked, report
from hil_tests.rigs.uf2 import FLASH_AT, UF2Error, boot_sum, flash_of, uf2_of
from hil_tests.rp2040_controller import NotPlayedError, Rp2040Controller
from hil_tests.rp2040_programs import (
    ECHO,
    EXPIRER,
    READER,
    RESTARTER,
    UNKNOWN,
    WRITER,
    flash,
    rom,
    uf2,
)

# Start, eight data bits and stop at 125 MHz / (16 * (67 + 52/64)) baud: 86.8 us.
BYTE_US = 87
# One turn of the echo's loop, with the reading of the timer.
TURN_US = 1
ECHO_UF2 = uf2(flash(ECHO))


@pytest.fixture(scope="module")
def echo():
    """A board whose program echoes, and tells edges with its own time."""
    with Rp2040Board(flash_of(ECHO_UF2)) as board:
        board.play([], 1000)
        yield board


def test_what_a_uf2_file_says_is_what_the_flash_holds():
    """Blocks of 256 bytes; what no block names is erased flash."""
    content = flash(ECHO)
    assert flash_of(ECHO_UF2)[: len(content)] == content
    far = uf2(content[:256]) + uf2(content, start=0x1000_0300)[512:1024]
    joined = bytearray(far)
    struct.pack_into("<2I", joined, 20, 0, 2)
    struct.pack_into("<2I", joined, 512 + 20, 1, 2)
    assert flash_of(bytes(joined))[256:0x400] == b"\xff" * 0x300


def test_a_program_becomes_the_file_that_another_author_makes_of_it():
    """Blocks of 256 bytes, the last one filled up with zeros."""
    content = flash(ECHO)
    assert uf2_of(content, FLASH_AT) == uf2(content)


def test_the_sum_of_a_boot_block_is_that_of_the_data_sheet():
    """CRC-32/MPEG-2: its check value for "123456789" in the catalogues of CRCs."""
    assert boot_sum(b"123456789") == 0x0376E6E7


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "begins with nothing"),
        (b"\x7fELF" + bytes(600), "no UF2 file: it begins with 7f 45 4c 46"),
        (ECHO_UF2[:-1], "cut off: 1535 bytes"),
        (ECHO_UF2[:1024], "block 0 says it is 0 of 3, the file has 2"),
        (ECHO_UF2[:1020] + b"....", "cut off|block 1 of 2 is damaged"),
        (uf2(flash(ECHO), family=0xE48BFF59), "for RP2350 .Pico 2. .0xe48bff59., not for RP2040"),
        (uf2(flash(ECHO), family=0x1234), "for another chip .0x00001234.*RPI_PICO"),
        (uf2(flash(ECHO), start=0x2000_0000), "writes to 0x20000000, which is no flash"),
        (uf2(flash(ECHO), start=0x101F_FF00), "writes to 0x10200000"),
        (uf2(bytes(600)), "check sum of its boot block is 0x00000000"),
    ],
)
def test_a_file_that_is_no_program_for_the_chip_is_refused(data, says):
    """What is wrong, and what to take instead."""
    with pytest.raises(UF2Error, match=says):
        flash_of(data)


def elf(*segments):
    """An ELF file for a 32-bit processor with (kind, physical address, content) as its table."""
    head, place = 52, 52 + 32 * len(segments)
    table, body = b"", b""
    for kind, address, content in segments:
        sizes = (len(content), len(content), 5, 4)
        table += struct.pack("<8I", kind, place + len(body), 0x9000, address, *sizes)
        body += content
    begin = b"\x7fELF\x01\x01\x01" + bytes(9)
    facts = struct.pack("<2H5I6H", 2, 40, 1, 0, head, 0, 0, 52, 32, len(segments), 0, 0, 0)
    return begin + facts + table + body


def test_a_boot_rom_is_taken_out_of_an_elf_file():
    """What is loaded at its physical address; notes and what lies beside the ROM are not."""
    whole = rom()
    file = elf(
        (4, 0, b"note"), (1, 0, whole[:0x80]), (1, 0x80, whole[0x80:]), (1, 0x2004_0000, b"x")
    )
    assert rom_of(file) == whole
    with pytest.raises(ValueError, match="is cut off"):
        rom_of(file[:60])
    with pytest.raises(ValueError, match="no boot ROM of an RP2040"):
        rom_of(elf((1, 0, bytes(0x80))))


def test_an_edge_is_seen_at_its_microsecond(echo):
    """The program's own timer, read at the edge, is the time the edge was played."""
    begin = echo.now_us
    edges = [(begin + 1234, 1), (begin + 1239 + 600, 0), (begin + 5001, 1)]
    events = [[t_us, "pin", 2, level] for t_us, level in edges]
    again = [begin + 3000, "pin", 2, 0]  # no change, no edge
    sent = echo.play([*events[:2], again, events[2]], begin + 7000).sent
    assert sent[::5] == b"EEE"
    for (t_us, _), reported in zip(edges, struct.iter_unpack("<xI", sent), strict=True):
        assert 0 <= reported[0] - t_us <= TURN_US


def test_bytes_take_their_time_on_the_line(echo):
    """Ten bits at 115,200 baud, there and back; a hundred bytes at once do not overrun 32."""
    begin = echo.now_us
    [(t_us, data)] = echo.play([[begin, "rx", 0, "61"]], begin + 1000).tx
    assert data == b"a"
    assert 2 * BYTE_US - 2 <= t_us - begin <= 2 * BYTE_US + 2
    begin, many = echo.now_us, bytes(range(100))
    [(t_us, data)] = echo.play([[begin, "rx", 0, many.hex()]], begin + 20_000).tx
    assert data == many
    assert t_us - begin == pytest.approx(101 * 86.8, abs=3)
    assert echo.lost == 0


def test_the_clock_is_that_of_the_cycles(echo):
    """Time stands where it was asked for, within an instruction, after any number of calls."""
    for t_us in (1, 10, 999, 20_000):
        until_us = echo.now_us + t_us
        echo.play([], until_us)
        assert echo.now_us == until_us


def test_flash_is_erased_and_programmed_through_the_rom_and_outlives_the_power():
    """Sector 1 reads 0xff at first; then the vectors are in it, also after the power was off."""
    content = flash(WRITER)
    with Rp2040Board(content, rom()) as board:
        assert board.play([], 1000).sent == b"\xff"
        assert board.flash(0x1200)[0x1000:0x1100] == content[0x100:0x200]
        boot = board.boot()
        assert [cause for _, cause in boot.resets] == ["power"]
        assert board.play([], board.now_us + 1000).sent == content[0x100:0x101]


def test_the_watchdog_starts_the_program_anew_and_a_breakpoint_ends_it():
    """The scratch word outlives the reset; the second time the program stops, and is named."""
    with Rp2040Board(flash(RESTARTER)) as board:
        with pytest.raises(BoardHalted, match="breakpoint 7 at 0x10000212"):
            board.play([], 1000)
        assert board.play([], board.now_us).resets == []


def test_a_watchdog_that_runs_out_starts_the_program_anew():
    """Its timer at zero has another alarm at once, for ever: the reset comes first."""
    halts = pytest.raises(BoardHalted, match="breakpoint 7 at 0x10000214")
    with Rp2040Board(flash(EXPIRER), limit_s=10.0) as board, halts:
        board.play([], 1000)


def test_a_board_that_is_put_back_never_did_what_came_since():
    """Bytes on the line at the mark and an edge come again, at the same times, twice."""
    with Rp2040Board(flash_of(ECHO_UF2)) as board:
        board.play([[1000, "rx", 0, "616263"]], 1150)
        board.mark()
        first = board.play([[1600, "pin", 2, 1]], 3000)
        assert b"".join(data for _, data in first.tx).startswith(b"abcE")
        for _ in range(2):
            board.boot()
            board.rewind()
            assert board.now_us == 1150
            assert board.play([[1600, "pin", 2, 1]], 3000) == first


def test_a_board_is_put_back_behind_what_it_wrote_and_what_ended_it():
    """The flash is the one before the erasure; a program that stopped at a breakpoint goes on."""
    content = flash(WRITER)
    with Rp2040Board(content, rom()) as board:
        board.mark()
        board.play([], 1000)
        board.rewind()
        assert board.flash(0x1200) == content.ljust(0x1200, b"\xff")[:0x1200]
        assert board.play([], 1000).sent == b"\xff"
    with Rp2040Board(flash(RESTARTER)) as board:
        board.mark()
        for _ in range(2):
            with pytest.raises(BoardHalted, match="breakpoint 7 at 0x10000212"):
                board.play([], 1000)
            board.rewind()


def test_what_a_reset_leaves_is_flash_levels_and_the_watchdogs_registers():
    """Another sector, level or scratch word is another remainder; another time is none."""
    with Rp2040Board(flash(WRITER), rom()) as board:
        remains = [board.remains()]
        board.mark()
        board.play([], 1000)
        remains.append(board.remains())
        board.play([], 2000)
        assert board.remains() == remains[-1]
        board.rewind()
        assert board.remains() == remains[0]
        board.play([[0, "pin", 2, 1]], 0)
        remains.append(board.remains())
    for program in (RESTARTER, ECHO):
        with Rp2040Board(flash(program)) as board:
            remains.append(board.remains())
            with contextlib.suppress(BoardHalted):
                board.play([], 1000)
            remains.append(board.remains())
    assert remains.pop() == remains[-1]  # an echo changes nothing of it
    assert len(set(remains)) == len(remains)


def test_the_heap_is_counted_as_mem_info_counts_it():
    """Two bits a block of 16 bytes: 600 blocks in use, 8 free, 1 in use, the rest free."""
    blocks, table_at, finalisers_at, first = 4096, 0x100, 0x100 + 1024, 0x1000
    ram = bytearray(0x20000)
    table = bytearray(1024)
    for block in [*range(600), 608]:
        table[block // 4] |= 1 << block % 4 * 2
    ram[table_at : table_at + 1024] = table
    address = 0x20000000
    struct.pack_into(
        "<5I",
        ram,
        0x40,
        address + table_at,
        1024,
        address + finalisers_at,
        address + first,
        address + first + 16 * blocks,
    )
    assert heap_of(bytes(ram)) == Heap(65536, 16 * (4096 - 601), 16 * (4096 - 609))
    with pytest.raises(ValueError, match="no heap"):
        heap_of(bytes(0x20000))


def test_the_stack_that_was_never_used_is_counted_from_its_end():
    """8 KiB from 0x20040000 to 0x20042000, which grow down; whole words."""
    ram = bytearray(0x42000)
    assert stack_left(bytes(ram)) == 8192
    ram[0x40000 + 1003] = 1
    assert stack_left(bytes(ram)) == 1000
    ram[0x3FFFF] = 1
    assert stack_left(bytes(ram)) == 1000


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("a variable", "kept"),
        ("the stack", "kept"),
        ("what the stack had", "gone"),
        ("a register", "kept"),
        ("a kept piece", "kept"),
        ("a piece that nothing names", "gone"),
        ("itself", "gone"),
        ("inside the piece", "gone"),
    ],
)
def test_what_a_collection_keeps_is_reached_from_variables_stack_and_registers(place, says):
    """Of three pieces of 2, 3 and 1 blocks the first is kept; the second where a word of what is
    kept names its first byte. The largest piece is then what lies behind it, or behind the first.
    """
    address, blocks, table_at, first = 0x20000000, 4096, 0x100, 0x1000
    ram = bytearray(0x42000)
    ram[table_at : table_at + 2] = bytes((0b10_01_10_01, 0b00_00_01_10))
    struct.pack_into(
        "<5I",
        ram,
        0x40,
        address + table_at,
        1024,
        address + table_at + 1025,
        address + first,
        address + first + 16 * blocks,
    )
    one, two, three = address + first, address + first + 32, address + first + 80
    stack = address + 0x40E00
    registers = [0] * 13 + [stack, 0, 0]
    struct.pack_into("<I", ram, 0x80, one)
    word = two + 16 if place == "inside the piece" else two
    where = {
        "a variable": 0x84,
        "the stack": 0x40F00,
        "what the stack had": 0x40D00,
        "a kept piece": one - address + 28,
        "a piece that nothing names": three - address + 8,
        "itself": two - address + 40,
        "inside the piece": 0x84,
    }
    if place == "a register":
        registers[4] = word
    else:
        struct.pack_into("<I", ram, where[place], word)
    count = 5 if says == "kept" else 2
    heap = collected_heap(bytes(ram), registers)
    assert heap == Heap(65536, 16 * (blocks - count), 16 * (blocks - count))
    assert heap_of(bytes(ram)).free == 16 * (blocks - 6)


def test_what_the_emulator_does_not_have_is_remembered():
    """A read of a register that is not there is answered, and reported."""
    with Rp2040Board(flash(READER)) as board:
        board.play([], 10)
        assert board.notes == [("ROSC_BASE: Unimplemented peripheral read from 0x0", 1)]


def test_the_uart_is_a_port_whose_time_is_the_board_s():
    """16 bytes there and back take 17 times the time of one; an unanswered read its time-out."""
    with Rp2040Board(flash(ECHO)) as board:
        with BoardPorts(board):
            port = serial.serial_for_url(LINK, timeout=0.05)
            begin = time.monotonic()
            port.write(b"rien ne va plus\n")
            assert port.inWaiting() == 0
            assert port.read(16) == b"rien ne va plus\n"
            assert time.monotonic() - begin == pytest.approx(17 * BYTE_US / 1e6, abs=0.002)
            assert (port.read(1), port.read(1)) == (b"", b"")
            assert time.monotonic() - begin == pytest.approx(0.1 + 0.0015, abs=0.003)
            assert board.now_us / 1e6 == time.monotonic()
            with pytest.raises(serial.SerialException, match="/dev/ttyACM0 is no line"):
                serial.serial_for_url("/dev/ttyACM0")
        assert time.monotonic() != board.now_us / 1e6


def test_a_program_that_stops_ends_what_waits_for_it():
    """At once, with its reason, through whatever reads."""
    with (
        Rp2040Board(flash(UNKNOWN)) as board,
        BoardPorts(board),
        pytest.raises(BoardHalted, match="not implemented yet"),
    ):
        serial.serial_for_url(PROMPT, timeout=None).read(1)


@pytest.fixture
def files(tmp_path):
    """A UF2 and a boot ROM in files."""
    image, ground = tmp_path / "image.uf2", tmp_path / "rom.bin"
    image.write_bytes(uf2(flash(UNKNOWN)))
    ground.write_bytes(rom())
    return image, ground


def test_a_rig_that_failed_is_not_tried_again(files, monkeypatch):
    """The first reason stays, also when its cause is gone; nothing is started any more."""
    image, ground = files
    state = RigState(None)
    with pytest.raises(RigBroken, match=r"stopped at 0 us: .*not implemented yet"):
        Rp2040Rig(state, image, ground)
    image.write_bytes(ECHO_UF2)
    monkeypatch.setattr(rp2040js, "Rp2040Board", None)
    with pytest.raises(RigBroken, match=r"is broken: the program stopped.*then: a new run"):
        Rp2040Rig(state, image, ground)
    with pytest.raises(RigBroken, match="is broken"):
        state.enter(READY)


def test_a_program_without_a_prompt_is_not_taken_for_micropython(files, monkeypatch):
    """It runs, and nobody answers."""
    image, ground = files
    image.write_bytes(ECHO_UF2)
    monkeypatch.setattr("tabletools.flash.prompt._PROMPT_WITHIN_S", 0.2)
    monkeypatch.setattr(rp2040js, "_START_US", 1000)
    with pytest.raises(RigBroken, match="no MicroPython answers at its prompt"):
        Rp2040Rig(RigState(None), image, ground)


@pytest.mark.parametrize(
    ("image", "ground", "says"),
    [
        (None, rom(), r"UF2=\S+image.uf2 names no file; UF2: micropython.org"),
        (ECHO_UF2, bytes(16384), "rom.bin: it is no boot ROM of an RP2040; UF2: micropython.org"),
        (uf2(flash(ECHO), family=0xE48BFF59), rom(), "it is for RP2350"),
    ],
    ids=["no file", "no ROM", "another chip"],
)
def test_files_of_something_else_break_the_rig(tmp_path, image, ground, says):
    """Before anything is started."""
    if image is not None:
        (tmp_path / "image.uf2").write_bytes(image)
    (tmp_path / "rom.bin").write_bytes(ground)
    with pytest.raises(RigBroken, match=says):
        Rp2040Rig(RigState(None), tmp_path / "image.uf2", tmp_path / "rom.bin")


def test_events_of_the_emulated_board_are_played_on_the_pins_of_a_pico():
    """GPIO 2, ROTOR_A: high on the emulated board is low on a Pico; it idles high there."""
    emulated, pico = (board_files.load(name).data for name in ("emulated", "rpi_pico"))
    with closing(Rp2040Controller(Rp2040Board(flash(ECHO)), emulated, pico)) as controller:
        controller.switch_on()
        events = [[4000, "rx", 0, "21"], [1000, "pin", 2, 1], [2000, "pin", 2, 0]]  # in any order
        sent = controller.play(events, 5000).sent
        assert (sent[:1], sent[5:6], sent[10:11], sent[15:]) == (b"E", b"E", b"E", b"!")
        with pytest.raises(NotPlayedError, match="no sensor for frame 0"):
            controller.play([[6000, "frame", 0, "AA=="]], 7000)
        with pytest.raises(NotPlayedError):
            controller.cut_power(damage=True, full=False)
        assert controller.cut_power(damage=False, full=False).resets


def test_the_report_names_what_is_not_emulated():
    """A line each, all of them reported; beside them what a program asked for and did not get."""
    assert asked({"SSI: read": 2})[1:] == ["  2 x SSI: read"]
    assert report()[1:] == [f"  {line}" for line in LIMITS]
    assert {line.split(":")[0] for line in LIMITS} >= {"flash", "second core", "ADC", "UART"}
