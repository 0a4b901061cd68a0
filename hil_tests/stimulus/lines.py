# mypy: ignore-errors
"""What host and stimulus say to each other: one line of text each, with the sum of it.

    hello                  stimulus 1 channels 12 depth 4096
    clear MASK             ok 0                every channel at its bit of MASK, no edges
    edge T_US CHANNEL LEVEL                    nothing, unless it is refused
    count                  ok EDGES            how many edges were taken
    play                   playing, and at the end: played EDGES late MOST_US
    (anything else)        no WHY: sum, line, range, order, full

T_US counts from `play` on. Each line ends with "*", the CRC-32 of what stands before it as eight
hex digits, and a newline. Pure: no pin, port or clock.
"""

from binascii import crc32


class Refused(Exception):
    """A line that is not obeyed; the text is one word of the list above."""


def wrapped(text: str) -> bytes:
    """The line of these words."""
    return f"{text}{_sum(text.encode())}\n".encode()


def unwrapped(line: bytes) -> str:
    """The words of a line. Raises Refused("sum")."""
    body = line.rstrip(b"\r\n")
    if _sum(body[:-9]).encode() != body[-9:]:
        raise Refused("sum")
    return body[:-9].decode()


def _sum(data: bytes) -> str:
    return f"*{crc32(data) & 0xFFFFFFFF:08x}"
