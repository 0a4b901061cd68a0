"""The card reader of a shoe on a serial line, 9600 baud, 8 data bits, no parity.

Once a second it reports that it lives and how many cards it has read, modulo 256: "R,17*5C". Of
each card it reports its number and what it saw at two corners: "C,18,AS,AS*4F"; ?? is unread, CC
the cut card, any other name no card of a deck. "E,42*1B" is an error of the reader. Check: the
exclusive or of all bytes before the star, two hexadecimal digits.

What it read of a card stays here until it is requested: the card may still be in the shoe. That
it has counted one is reported at once.
"""

from machine import UART, Pin

from tablewire.card_shoe import (
    CORNER_CUT_CARD,
    CORNER_FOREIGN,
    CORNER_UNREAD,
    READER_ASK_DROP,
    READER_ASK_HAND,
    READER_STATE_ALIVE,
    READER_STATE_COUNTED,
    READER_STATE_FAILED,
    READER_STATE_VALUE,
)
from tablewire.compat import const

_BAUD = const(9600)
_LONGEST = const(24)
_ROOM = const(8)  # values that wait
_RANKS = b"23456789TJQKA"
_SUITS = b"CDHS"


class CardReader:
    """port: number of the UART; tx, rx: its pins."""

    def __init__(self, port: int, tx: int, rx: int) -> None:
        self._uart = UART(port, baudrate=_BAUD, tx=Pin(tx), rx=Pin(rx), rxbuf=256, timeout=0)
        self._line = bytearray(_LONGEST)
        self._length = 0
        self._byte = bytearray(1)
        self._values = bytearray(3 * _ROOM)  # number, corner, corner
        self._waiting = 0
        self._said = [0, 0]  # state and number

    def close(self) -> None:
        """Release the pins."""
        self._uart.deinit()

    def poll(self, report: "list[int]") -> bool:
        """See hal: process received bytes; a line that is damaged or too long is ignored."""
        said = self._said
        if said[0] != READER_STATE_COUNTED:
            said[0] = 0
        while self._uart.any() and self._uart.readinto(self._byte):
            byte = self._byte[0]
            if byte == 10:
                self._take()
                self._length = 0
            elif self._length < _LONGEST:
                self._line[self._length] = byte
                self._length += 1
        if report[0] == READER_ASK_DROP:
            self._waiting = 0
        report[3] = report[4] = 0
        if report[0] == READER_ASK_HAND and self._waiting and said[0] != READER_STATE_FAILED:
            self._hand(report)
            if said[0] == READER_STATE_ALIVE:
                said[0] = READER_STATE_COUNTED  # sent before the value was handed over
            return True
        report[1], report[2] = said
        said[0] = 0
        return report[1] != 0

    def _hand(self, report: "list[int]") -> None:
        values = self._values
        report[1] = READER_STATE_VALUE
        report[2], report[3], report[4] = values[0], values[1], values[2]
        self._waiting -= 1
        for place in range(3 * self._waiting):
            values[place] = values[place + 3]

    def _take(self) -> None:
        line, end = self._line, self._length - 3
        if end < 3 or self._length == _LONGEST or line[end] != 42 or line[1] != 44:
            return
        check = 0
        for place in range(end):
            check ^= line[place]
        if _digit(line[end + 1]) << 4 | _digit(line[end + 2]) != check:
            return
        place, number = 2, 0
        while place < end and 48 <= line[place] <= 57:
            number = number * 10 + line[place] - 48
            place += 1
        if place == 2 or number > 0xFFFF:
            return
        if line[0] == 67:  # C
            self._card(number, place, end)
            return
        if place == end and line[0] in (82, 69):  # R, E
            self._said[0] = READER_STATE_ALIVE if line[0] == 82 else READER_STATE_FAILED
            self._said[1] = number

    def _card(self, number: int, place: int, end: int) -> None:
        line, values = self._line, self._values
        if end - place != 6 or line[place] != 44 or line[place + 3] != 44 or number > 255:
            return
        if self._said[0] != READER_STATE_FAILED:
            self._said[0], self._said[1] = READER_STATE_COUNTED, number
        if self._waiting == _ROOM:
            return  # not requested: the count will show it
        slot = 3 * self._waiting
        values[slot] = number
        values[slot + 1] = _value(line[place + 1], line[place + 2])
        values[slot + 2] = _value(line[place + 4], line[place + 5])
        self._waiting += 1


def _value(rank: int, suit: int) -> int:
    if rank == 63 or suit == 63:  # ?
        return CORNER_UNREAD
    if rank == 67 and suit == 67:  # CC
        return CORNER_CUT_CARD
    for high in range(4):
        if _SUITS[high] == suit:
            for low in range(13):
                if _RANKS[low] == rank:
                    return 1 + 13 * high + low
    return CORNER_FOREIGN


def _digit(byte: int) -> int:
    if 48 <= byte <= 57:
        return byte - 48
    return byte - 55 if 65 <= byte <= 70 else -1


Machine = CardReader
