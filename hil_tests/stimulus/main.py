# mypy: ignore-errors
"""The stimulus of the bench: edges on GPIO 2 to 13, lines of the host on UART 0 (GPIO 0 and 1).

Copy this folder onto a second board: `mpremote cp hil_tests/stimulus/*.py :`.
"""

import asyncio

from machine import UART
from stimulus_commands import Commands

try:
    from pio_player import PioPlayer as Player
except ImportError:  # no RP2
    from pin_player import PinPlayer as Player

FIRST_PIN = 2


async def main():
    uart = UART(0, 115200, txbuf=256, rxbuf=2048)
    stream = asyncio.StreamReader(uart)
    commands = Commands(Player(FIRST_PIN))
    while True:
        line = await stream.readline()
        for answer in commands.answers(line):
            stream.write(answer)
            await stream.drain()


asyncio.run(main())
