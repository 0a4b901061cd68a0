"""The camera's readings of the dice, frame after frame: valid when two at rest agree.

Where the host reads the faces, two frames at rest agree that dice are in the tray. With two lights
in turn they agree only under both: a highlight moves with the light, a pip does not.
"""

from tablewire import dice_tray as words
from tablewire.compat import const

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config

DICE = const(6)  # indexes in a verdict, from 1 on
_RIG = const(12)  # the digest of the tray: each light has its own
_TRIES = const(3)  # number of consecutive refusals that is too many
_MEANS = {
    words.READING_NO_DICE: words.DICE_COUNT_WRONG,
    words.READING_COUNT_WRONG: words.DICE_COUNT_WRONG,
    words.READING_CUT_OFF: words.FACE_UNSURE,
    words.READING_FOREIGN_OBJECT: words.TRAY_OBSTRUCTED,
    words.READING_UNREADABLE: words.FACE_UNSURE,
    words.READING_AMBIGUOUS: words.DICE_NOT_APART,
    words.READING_COCKED: words.DIE_COCKED,
    words.READING_LINE_NOT_PASSED: words.LINE_NOT_PASSED,
    words.READING_GLARE: words.DIE_SHINES,
    words.READING_BLURRED: words.PICTURE_BLURRED,
    words.READING_WRONG_SIZE: words.DIE_SIZE,
}


def is_read_here(config: "Config") -> bool:
    """Whether the table reads the faces itself, by its configuration."""
    return config[words.DICE_READING] == 1


def lights_of(config: "Config") -> "tuple[int, ...]":
    """Return the lights that are switched in turn, 0 and 1, or the one that is lit."""
    lights = config[words.LIGHTS]
    return (0, 1) if lights == 3 and is_read_here(config) else (int(lights == 2),)


class Faces:
    """faces: of the last frame that was read, from low to high, followed by zeros.

    All zeros where the host reads them. config: list indexed by key number. agreed: consecutive
    frames that agree. refused: frames at rest that could not be read, in all. frames: examined
    since reset(). reading: of the last one.
    """

    def __init__(self, config: "Config") -> None:
        self.are_read_here = is_read_here(config)
        self._counts = words.READING_READ if self.are_read_here else words.READING_NOT_READ
        self._are_in_turn = len(lights_of(config)) > 1
        self.faces = [0] * DICE
        self.reset()

    def reset(self) -> None:
        """Start a throw."""
        self.agreed = self.refused = self.frames = self.reading = 0
        self.frame_crc = self.since_last = 0
        self._tries = self._rig = 0
        for place in range(DICE):
            self.faces[place] = 0

    def is_read(self) -> bool:
        """Whether the last frame counts for what agrees."""
        return self.reading == self._counts

    def see(self, values: "Sequence[int]") -> int:
        """Take a verdict, the fields of dice_seen; returns the code that ends the round, or 0."""
        self.frames = min(self.frames + 1, 255)
        self.reading = values[0]
        before, self.since_last, self.frame_crc = self.since_last, values[8], values[11]
        if self.is_read():
            same = True
            for place in range(DICE):
                same = same and self.faces[place] == values[1 + place]
                self.faces[place] = values[1 + place]
            if self._are_in_turn and self.agreed:
                if not same and self.agreed == 1:
                    self.agreed = 0
                    return words.DIE_SHINES
                self.since_last = min(self.since_last, before)
                same = same and (self.agreed > 1 or self._rig != values[_RIG])
            self._rig = values[_RIG]
            self.agreed = min(self.agreed + 1, 255) if same else 1
            if self.agreed > 1 or not self._are_in_turn:
                self._tries = 0
            return 0
        if self.agreed < 2:
            self.agreed = 0  # else what is read next has to be what it was
        if self.reading not in _MEANS:
            self._tries = 0
            return 0
        self.refused = min(self.refused + 1, 255)
        self._tries += 1
        return _MEANS[self.reading] if self._tries >= _TRIES else 0
