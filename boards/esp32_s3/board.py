"""Espressif ESP32-S3-DevKitC-1. Data only, no imports.

Pin limits: ESP32-S3 data sheet (strapping pins, power-up glitches) and DevKitC-1 user guide. The
SPI pins are those of SPI2 that need no GPIO matrix; UART 1 goes to any pin.
"""

BOARD = "esp32_s3"
MCU = "ESP32-S3"

# Link to the host. baud in bits per second, 8 data bits, no parity, 1 stop bit.
UART = {"id": 1, "tx": 17, "rx": 18, "baud": 115200}

# A shuffler with a serial line of its own: UART to use, on the pins of INDEX (tx) and RIM_1 (rx).
SHUFFLER_UART = 2

# Pocket array: 74HC165 chain, SPI mode 0. The latch (SH/LD) loads on low and shifts on high.
SPI = {"id": 1, "sck": 12, "mosi": 11, "miso": 13, "latch": 10, "baud": 1000000}

# Role -> GPIO number. The roles are the same on every board.
PINS = {
    "ROTOR_A": 4,
    "ROTOR_B": 5,
    "INDEX": 6,
    "RIM_1": 7,
    "RIM_2": 15,
    "HEAD": 16,
    "BUTTON": 8,
    "TILT": 9,
    "DOME": 14,
    "MAINTENANCE": 1,
    "LAMP": 21,
}

# Role -> GPIO number with a converter behind it.
ANALOG = {"FLAPPER": 2}

# What the board measures of itself: nothing.
SUPPLY = {}
CHIP = {}

# Camera of a dice tray: the port has none, this board plays no dice.
CAMERA = {"kind": "none"}

# Roles that are driven; all others are read.
OUTPUTS = ("LAMP",)

# Role -> level (0 or 1) that means "magnet, ball or contact there" or "lamp lit". Open-drain
# sensors pull low; tilt and dome loops are closed when all is well, so a cut wire is a fault;
# the maintenance switch closes to open the console, so a cut wire opens nothing.
ACTIVE = {
    "ROTOR_A": 0,
    "ROTOR_B": 0,
    "INDEX": 0,
    "RIM_1": 0,
    "RIM_2": 0,
    "HEAD": 0,
    "BUTTON": 0,
    "TILT": 1,
    "DOME": 1,
    "MAINTENANCE": 0,
    "LAMP": 1,
}

# Input role -> internal pull: "up", "down" or None. The external 4.7 kohm pull-up does the work.
PULLS = {
    "ROTOR_A": "up",
    "ROTOR_B": "up",
    "INDEX": "up",
    "RIM_1": "up",
    "RIM_2": "up",
    "HEAD": "up",
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
