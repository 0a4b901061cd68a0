"""Whether only its owner can change or replace a file: checks the folders and links of its path.

As OpenSSH does with StrictModes: everything from the root on belongs to the user or to root, and
no other user may write to it. In a folder like /tmp, where users may remove only their own files,
folders and links may be part of the path, but not the file itself. Access lists are not checked.
"""

import os
import stat
from collections import deque
from pathlib import Path
from typing import NamedTuple

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40


class Danger(NamedTuple):
    """The problem of a place. what, cause, step: as shown to the user."""

    what: str
    cause: str
    step: str


def danger_of(file: Path) -> Danger | None:
    """Return why others can change the file at that path, or None. A missing file is no danger.

    Raises OSError.
    """
    left = deque((Path.cwd() / file).parts[1:])
    place, links = Path("/"), 0
    while True:
        status = os.lstat(place)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > _MOST_LINKS:
                return Danger(f"{file} is a loop of links", "", "name the keyring itself")
            left.extendleft(reversed(Path(os.readlink(place)).parts))
        danger = owner_danger(place, status.st_uid) or _folder_danger(place, status, left)
        if danger is not None or not left:
            return danger
        parent = place.parent if stat.S_ISLNK(status.st_mode) else place
        place = Path(os.path.normpath(parent / left.popleft()))
        if not os.path.lexists(place):
            return None


def owner_danger(place: Path, owner: int) -> Danger | None:
    """Return why a file of that owner is not trusted, or None."""
    if owner in (0, os.geteuid()):
        return None
    return Danger(
        f"{place} belongs to user {owner}, not to you (user {os.geteuid()}) or root",
        "another user made it, or it was restored from an archive",
        f"chown {os.geteuid()} {place} , if you know its content, or keep the keyring in a folder"
        " of your own and name it with --keys",
    )


def _folder_danger(place: Path, status: os.stat_result, left: deque[str]) -> Danger | None:
    mode = status.st_mode
    if not stat.S_ISDIR(mode) or not mode & _OTHERS_WRITE:
        return None
    if mode & stat.S_ISVTX and left and not _is_plain(place / left[0], len(left)):
        return None
    step = "keep the keyring in a folder of your own and name it with --keys"
    wanted = stat.S_IMODE(mode & ~_OTHERS_WRITE)
    return Danger(
        f"others can write to a folder of the keyring: the mode of {place} is"
        f" {stat.S_IMODE(mode):04o}, not {wanted:04o}",
        "any user who may write there can put another keyring in its place",
        step if mode & stat.S_ISVTX else f"chmod go-w {place} , or {step}",
    )


def _is_plain(entry: Path, parts_left: int) -> bool:
    # The keyring itself, existing or to be created, in a folder that all users may write to.
    return parts_left == 1 and not entry.is_symlink()
