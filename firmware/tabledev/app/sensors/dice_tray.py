"""The sensors of a dice tray: dice removed and thrown, each plate and beam touched; the camera."""

from tablelogic.dice_tray.eye import EVEN
from tablewire import codes, diagnosis
from tablewire import dice_tray as words
from tablewire import messages as m

from .input_rows import ANY, OFF, sample

if -0:  # for mypy
    from tabletypes import Rows
    from tabletypes.of_role import TrayBoard


def sensors(board: "TrayBoard") -> "Rows":
    """Yield a row of each."""
    for place in range(m.INPUT_1, m.INPUT_6 + 1):
        yield board.line(place, codes.SENSOR_STUCK, place)
    camera, eye, cfg = words.INPUT_CAMERA, board.sight.eye, board.cfg
    fields = eye.fields
    silent = fields[0] in (0, words.READING_NO_FRAME, words.READING_FROZEN)
    yield sample(camera, diagnosis.QUANTITY_SILENT, int(silent), OFF, words.CAMERA_STOPPED)
    if silent:
        return
    limits = (cfg[words.DARK_GREY], 255)
    yield sample(camera, diagnosis.QUANTITY_GREY, fields[9], limits, words.CAMERA_DARK)
    # A dark frame, or one of nothing, proves nothing about contrast and place.
    limits = ANY if fields[9] < cfg[words.DARK_GREY] else (EVEN, 255)
    yield sample(
        camera, diagnosis.QUANTITY_GREY_SPAN, eye.blocks.span, limits, words.CAMERA_COVERED
    )
    if fields[0] not in (words.READING_TOO_DARK, words.READING_COVERED):
        limits = (0, cfg[words.CAMERA_SHIFT] * cfg[words.FRAME_SIZE])
    else:
        limits = ANY
    yield sample(camera, diagnosis.QUANTITY_SHIFT, fields[10], limits, words.CAMERA_MOVED)
