"""Devices that few tables open, and rarely: a machine, a camera, its lights, the board's supplies.

board: module with the data of boards/<board>/board.py.
"""

if -0:  # for mypy
    from tabletypes import BoardData, Camera, Lights, Machine, Measured


def supplies(board: "BoardData") -> "tuple[Measured, Measured]":
    """See hal."""
    from .supplies import supplies

    return supplies(board.SUPPLY, board.CHIP)


def open_machine(board: "BoardData", driver: str) -> "Machine":
    """See hal. driver: module in this package."""
    module = __import__("tabledev.drivers." + driver, None, None, ("*",))
    return module.Machine(board.MACHINE_UART, board.PINS["INPUT_3"], board.PINS["INPUT_4"])


def open_lights(board: "BoardData") -> "Lights":
    """See hal."""
    from .lights import TrayLights

    return TrayLights(board.PINS["INPUT_7"], board.PINS["INPUT_8"])


def open_camera(board: "BoardData", frame: bytearray, width: int, height: int) -> "Camera":
    """See hal. frame: the buffer made at the start."""
    if len(frame) < width * height + 4:
        frame = bytearray(width * height + 4)  # the role was chosen after the start
    if board.CAMERA["kind"] == "hm01b0":
        from .camera_hm01b0 import HimaxCamera

        return HimaxCamera(board.CAMERA, width, height, frame)
    from .camera_port import PortCamera

    return PortCamera(width, height, frame)
