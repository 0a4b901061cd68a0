"""A camera picture in the terminal: two cells per character, or letters without colour."""

from dataclasses import dataclass

from rich.text import Text

COLUMNS = 32
_WHITE = 15  # the highest of 4 bits
_RAMP = " .:-=+*#%@"  # from black to white


@dataclass(frozen=True)
class Picture:
    """cells: greys of 0 to 15, row by row, COLUMNS in each of an even number of rows."""

    cells: tuple[int, ...]

    @classmethod
    def of_bytes(cls, data: bytes) -> "Picture":
        """Build it from the greys of picture_part, both halves."""
        return cls(tuple(grey for byte in data for grey in (byte >> 4, byte & 15)))

    def drawing(self, *, coloured: bool) -> Text:
        """The picture, in half blocks or letters, and its brightness."""
        lines = self.blocks() if coloured else Text("\n".join(self.letters()))
        return lines.append("\n" + self.brightness())

    def brightness(self) -> str:
        """Lowest, mean and highest grey of the cells, to a sixteenth of the scale."""
        scaled = [255 * cell // _WHITE for cell in self.cells]
        mean = round(sum(scaled) / len(scaled))
        return f"brightness of 255: min {min(scaled)}, mean {mean}, max {max(scaled)}"

    def letters(self) -> list[str]:
        """Lines of plain letters, denser when brighter; each is the mean of two cells."""
        most = 2 * _WHITE
        return [
            "".join(_RAMP[(high + low) * (len(_RAMP) - 1) // most] for high, low in row)
            for row in self._pairs()
        ]

    def blocks(self) -> Text:
        """Lines of half blocks, the upper cell before the lower."""
        rows = (
            Text.assemble(*(("▀", f"{_colour(high)} on {_colour(low)}") for high, low in row))
            for row in self._pairs()
        )
        return Text("\n").join(rows)

    def _pairs(self) -> list[list[tuple[int, int]]]:
        """A cell and the one below it, for each line of characters."""
        rows = [
            self.cells[start : start + COLUMNS] for start in range(0, len(self.cells), COLUMNS)
        ]
        return [
            list(zip(high, low, strict=True))
            for high, low in zip(rows[::2], rows[1::2], strict=True)
        ]


def _colour(cell: int) -> str:
    return "#" + f"{255 * cell // _WHITE:02x}" * 3
