"""A file system of MicroPython in ROM, whose compiled modules can run in place."""

from collections.abc import Mapping

from mpremote.romfs import VfsRomWriter


def rom_of(files: Mapping[str, bytes]) -> bytes:
    """The image of these files, path from "/": content."""
    image = VfsRomWriter()
    entered: list[str] = []
    for path, data in sorted(files.items()):
        *folders, name = path[1:].split("/")
        while entered != folders[: len(entered)]:
            image.closedir()
            entered.pop()
        for folder in folders[len(entered) :]:
            image.opendir(folder)
            entered.append(folder)
        image.mkfile(name, data)
    for _ in entered:
        image.closedir()
    return bytes(image.finalise())
