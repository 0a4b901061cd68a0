"""Emulated board: the pins the rig's virtual board answers on. Data only, no imports.

The same numbers as the Pico boards; only the levels differ: an emulated sensor is a clean
push-pull output, so it idles low and is active high.
"""

BOARD = "emulated"
MCU = "wasm"

# Link to the host. baud in bits per second, 8 data bits, no parity, 1 stop bit.
UART = {"id": 0, "tx": 0, "rx": 1, "baud": 115200}

# Serial line of an attached machine: UART to use, on the pins of INPUT_3 (tx) and INPUT_4 (rx).
MACHINE_UART = 1

# Pocket array: 74HC165 chain, SPI mode 0. The latch (SH/LD) loads on low and shifts on high.
SPI = {"id": 1, "sck": 14, "mosi": 15, "miso": 12, "latch": 13, "baud": 1000000}

# Signal -> GPIO number. The signals are the same on every board.
PINS = {
    "INPUT_1": 2,
    "INPUT_2": 3,
    "INPUT_3": 4,
    "INPUT_4": 5,
    "INPUT_5": 6,
    "INPUT_6": 7,
    "INPUT_7": 27,
    "INPUT_8": 28,
    "BUTTON": 8,
    "TILT": 9,
    "DOME": 10,
    "MAINTENANCE": 21,
    "LAMP": 11,
}

# Signal -> GPIO number with a converter behind it.
ANALOG = {"ANALOG_1": 26}

# What the board measures of itself: as a Pico 2.
SUPPLY = {"adc": 29, "times": 3, "low_mv": 4200, "high_mv": 5400}
CHIP = {"adc": 4, "low_c": 0, "high_c": 70}

# Address of the registers of the chip's watchdog, which tell its resets apart.
WATCHDOG = 0x400D8000

# Camera of a dice tray: the rig has a module of the port for it.
CAMERA = {"kind": "port"}

# Signals that are driven; all others are read.
OUTPUTS = ("LAMP",)

# Signal -> level (0 or 1) that means "magnet, ball or contact there" or "lamp lit".
ACTIVE = {
    "INPUT_1": 1,
    "INPUT_2": 1,
    "INPUT_3": 1,
    "INPUT_4": 1,
    "INPUT_5": 1,
    "INPUT_6": 1,
    "INPUT_7": 1,
    "INPUT_8": 1,
    "BUTTON": 1,
    "TILT": 1,
    "DOME": 1,
    "MAINTENANCE": 1,
    "LAMP": 1,
}

# Input signal -> internal pull: "up", "down" or None.
PULLS = {
    "INPUT_1": None,
    "INPUT_2": None,
    "INPUT_3": None,
    "INPUT_4": None,
    "INPUT_5": None,
    "INPUT_6": None,
    "INPUT_7": None,
    "INPUT_8": None,
    "BUTTON": None,
    "TILT": None,
    "DOME": None,
    "MAINTENANCE": None,
}

# Level of a pocket's bit in the shift registers while the ball is in it.
ARRAY_ACTIVE = 1

# GPIO number -> why nothing may be put there.
RESERVED = {}
