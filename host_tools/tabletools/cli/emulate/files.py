"""The traces an emulated table leaves behind, a file a round."""

from pathlib import Path

from hil_tests.emulators.core.harness import Harness, Played
from tabletools.errors import ToolError
from tabletools.private_file import opener


def keep_trace(folder: Path, table: Harness, played: Played) -> None:
    """Write what the controller keeps of the round; one the power ended has nothing."""
    ended = played.ended
    data = table.controller.trace(ended.round)
    if data is not None:
        path = folder / f"{ended.device}-{ended.round}.trace"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with open(path, "wb", opener=opener) as file:
                file.write(data)
        except OSError as error:
            what = f"cannot write the file: {(error.strerror or str(error)).lower()}"
            step = "name a folder you own"
            raise ToolError(what, where=str(path), step=step) from error
