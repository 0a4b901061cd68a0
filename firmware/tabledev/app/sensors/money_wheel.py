"""The sensors of a money wheel, turned by hand a turn and more."""

from tablelogic.money_wheel.flapper import HIGH, LOW
from tablewire import diagnosis
from tablewire import money_wheel as words

from .input_rows import ANY, sample

if -0:  # for mypy
    from tabletypes import Rows
    from tabletypes.of_role import WheelBoard


def sensors(board: "WheelBoard") -> "Rows":
    """Yield a row of each."""
    cfg, tally = board.cfg, board.tally
    pins = 52 if cfg[words.SEGMENTS] == 1 else 54
    a, b = words.INPUT_ROTOR_A, words.INPUT_ROTOR_B
    yield board.line(a, words.PINS_LOST, b, 8)
    yield board.line(b, words.PINS_LOST, a, 8)
    yield board.line(words.INPUT_INDEX, words.PIN_INDEX_LOST, a, share=pins)
    segment = board.role.pins.segment()
    angle = segment * 360000 // pins if segment >= 0 else segment
    yield sample(words.INPUT_INDEX, diagnosis.QUANTITY_ANGLE, angle)
    flapper = words.INPUT_FLAPPER
    limits, least_raw = (LOW, HIGH), diagnosis.QUANTITY_RAW_LEAST
    yield sample(flapper, least_raw, tally.low_raw, limits, words.FLAPPER_LOST)
    yield board.raw(flapper, words.FLAPPER_LOST, limits)
    # As flapper.is_stiff: a quarter of its way.
    least = (abs(cfg[words.FLAPPER_TOP_RAW] - cfg[words.FLAPPER_REST_RAW]) + 3) // 4
    swung = tally.high_raw - tally.low_raw
    limits = (least, 4095) if tally.watched else ANY
    yield sample(flapper, diagnosis.QUANTITY_RAW_SPAN, swung, limits, words.FLAPPER_STIFF)
    yield board.dome()
