"""Codes of `tabletool diag` besides the table's reasons. No table sends these numbers."""

from tablespec.core.core_reasons import Reason

_NO_RULE = "of this project: no published rule covers it"

CHECKS: tuple[Reason, ...] = (
    Reason(
        1001, "link_lossy", "check", 3,
        "Frames were damaged or missing during the check.",
        "Check ground, screen and baud rate: TROUBLESHOOTING.md, damaged frames. One at the "
        "start is the frame that was joined in its middle, and passes.",
        _NO_RULE,
    ),
    Reason(
        1002, "link_slow", "check", 2,
        "The table took too long to answer a request.",
        "End other programs on the same port; a converter or network in between may delay bytes.",
        _NO_RULE,
    ),
    Reason(
        1003, "memory_low", "check", 3,
        "The table has little memory left: a long round may end in a restart.",
        "Restart it and check again; if it falls again, send a bundle to support.",
        _NO_RULE,
    ),
    Reason(
        1004, "calibration_off", "check", 3,
        "After a calibration the table still reports a value that differs from what a person saw.",
        "Make sure that nothing moved meanwhile, calibrate again; if it persists, the sensor is "
        "loose or reading_direction is wrong.",
        _NO_RULE,
    ),
    Reason(
        1005, "records_waiting", "check", 2,
        "Records wait on the table, and soon no round can open (504).",
        "Start the host, or `tabletool collect PORT --db FILE`.",
        _NO_RULE,
    ),
    Reason(
        1006, "supply_off", "check", 3,
        "The board measures a supply outside its limits: sensors fail first, then it restarts.",
        "Measure at its terminals with everything connected and the lamp lit: 4.75 to 5.25 V "
        "(WIRING.md, "
        "J1). Low: a supply too weak, a thin or long cable, a bad crimp; high: the wrong supply, "
        "switch it off.",
        _NO_RULE,
    ),
    Reason(
        1007, "chip_temperature", "check", 2,
        "The chip of the board is hotter or colder than expected; its sensor is accurate to 10 C.",
        "Hot: ventilate the box, move it away from lamps and motors; with a cool box an output or "
        "the 3.3 V is overloaded: unplug one connector after the other. Cold: wait until it is "
        "indoors.",
        _NO_RULE,
    ),
    Reason(
        1008, "tray_view", "check", 3,
        "The camera sees the tray too dark, bright, uneven or unsharp, its dice too small or "
        "large, or something in a tray that should be empty.",
        "Clear the tray; light it evenly, no lamp in the picture; focus on the cloth; hang the "
        "camera so that a die is 18 to 30 px wide (HARDWARE.md, dice tray). Then try again.",
        _NO_RULE,
    ),
    Reason(
        1009, "mounting_wrong", "check", 3,
        "A sensor of the wheel is not mounted, wired or configured as WIRING.md describes.",
        "Do what the check says, then walk round the wheel again: `tabletool diag PORT "
        "--calibrate pockets`. Do not open the table before every check of it passes.",
        _NO_RULE,
    ),
)  # fmt: skip
