"""Raspberry Pi Pico: wired pin for pin like the Pico 2. Data only, no imports.

Pin limits: Raspberry Pi Pico data sheet, RP2040 data sheet.
"""

BOARD = "rpi_pico"
MCU = "RP2040"

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

# What the board measures of itself; adc: a GPIO or a channel of the converter. The supply behind
# the diode of VSYS, a third of it: 4.75 to 5.25 V at the terminals less 0.45 V at most, 3 percent
# for divider and reference. The chip's own sensor, channel 4; the board is for up to 70 C.
SUPPLY = {"adc": 29, "times": 3, "low_mv": 4200, "high_mv": 5400}
CHIP = {"adc": 4, "low_c": 0, "high_c": 70}

# Address of the registers of the chip's watchdog, which tell its resets apart.
WATCHDOG = 0x40058000

# No camera: a dice tray does not run here (unfit_roles of board.json).
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
    23: "power-save pin of the on-board regulator",
    24: "senses USB power (VBUS)",
    25: "on-board LED",
    29: "measures VSYS / 3 (ADC 3)",
}
