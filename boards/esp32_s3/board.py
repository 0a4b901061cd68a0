"""Espressif ESP32-S3-DevKitC-1. Data only, no imports.

Pin limits: ESP32-S3 data sheet (strapping pins, power-up glitches) and DevKitC-1 user guide. The
SPI pins are those of SPI2 that need no GPIO matrix; UART 1 goes to any pin.
"""

BOARD = "esp32_s3"
MCU = "ESP32-S3"

# Link to the host. baud in bits per second, 8 data bits, no parity, 1 stop bit.
UART = {"id": 1, "tx": 17, "rx": 18, "baud": 115200}

# Serial line of an attached machine: UART to use, on the pins of INPUT_3 (tx) and INPUT_4 (rx).
MACHINE_UART = 2

# Pocket array: 74HC165 chain, SPI mode 0. The latch (SH/LD) loads on low and shifts on high.
SPI = {"id": 1, "sck": 12, "mosi": 11, "miso": 13, "latch": 10, "baud": 1000000}

# Signal -> GPIO number. The signals are the same on every board.
PINS = {
    "INPUT_1": 4,
    "INPUT_2": 5,
    "INPUT_3": 6,
    "INPUT_4": 7,
    "INPUT_5": 15,
    "INPUT_6": 16,
    "INPUT_7": 40,
    "INPUT_8": 41,
    "BUTTON": 8,
    "TILT": 9,
    "DOME": 14,
    "MAINTENANCE": 1,
    "LAMP": 21,
}

# Signal -> GPIO number with a converter behind it.
ANALOG = {"ANALOG_1": 2}

# What the board measures of itself: nothing.
SUPPLY = {}
CHIP = {}

# No register of the watchdog: the port tells its resets apart.
WATCHDOG = 0

# Camera of a dice tray: the port has none, this board plays no dice.
CAMERA = {"kind": "none"}

# Signals that are driven; all others are read.
OUTPUTS = ("LAMP",)

# Signal -> level (0 or 1) that means "magnet, ball or contact there" or "lamp lit". Open-drain
# sensors pull low; tilt and dome loops are closed when all is well, so a cut wire is a fault;
# the maintenance switch closes to open the console, so a cut wire opens nothing.
ACTIVE = {
    "INPUT_1": 0,
    "INPUT_2": 0,
    "INPUT_3": 0,
    "INPUT_4": 0,
    "INPUT_5": 0,
    "INPUT_6": 0,
    "INPUT_7": 0,
    "INPUT_8": 0,
    "BUTTON": 0,
    "TILT": 1,
    "DOME": 1,
    "MAINTENANCE": 0,
    "LAMP": 1,
}

# Input signal -> internal pull: "up", "down" or None. The external 4.7 kohm pull-up does the work.
PULLS = {
    "INPUT_1": "up",
    "INPUT_2": "up",
    "INPUT_3": "up",
    "INPUT_4": "up",
    "INPUT_5": "up",
    "INPUT_6": "up",
    "INPUT_7": "up",
    "INPUT_8": "up",
    "BUTTON": "up",
    "TILT": "up",
    "DOME": "up",
    "MAINTENANCE": "up",
}

# Level of a pocket's bit in the shift registers while the ball is in it.
ARRAY_ACTIVE = 0

# GPIO number -> why nothing may be put there.
RESERVED = {
    0: "strapping: boot button",
    3: "strapping: source of JTAG",
    19: "USB D-",
    20: "USB D+",
    26: "flash in the module",
    27: "flash in the module",
    28: "flash in the module",
    29: "flash in the module",
    30: "flash in the module",
    31: "flash in the module",
    32: "flash in the module",
    33: "octal flash in the module",
    34: "octal flash in the module",
    35: "octal PSRAM in the module",
    36: "octal PSRAM in the module",
    37: "octal PSRAM in the module",
    38: "RGB LED (board v1.1)",
    43: "console UART 0 transmit",
    44: "console UART 0 receive",
    45: "strapping: flash voltage",
    46: "strapping: boot messages",
    48: "RGB LED (board v1.0)",
}
