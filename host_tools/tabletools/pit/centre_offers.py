"""Where a host finds the offers of its centre, by its settings."""

from pathlib import Path

from tabletools import release
from tabletools.cms.origin import PIT
from tabletools.errors import ToolError
from tabletools.offers import Inbox
from tabletools.pit.settings import Settings
from tabletools.release import ReleaseError, VerifyingKey


def inbox_of(settings: Settings) -> Inbox | None:
    """Return the folder of offers, None without one. Raises ToolError."""
    if not settings.offers and not settings.offers_key:
        return None
    if not (settings.offers and settings.offers_key and settings.site):
        step = "set all three, or neither offers nor offers_key"
        raise ToolError("offers, offers_key and site go together", where="offers", step=step)
    key = _public("offers_key", settings.offers_key)
    return Inbox(Path(settings.offers), key, settings.site, settings.pit or PIT)


def release_key_of(settings: Settings) -> VerifyingKey | None:
    """Return the key of who signs the releases of the tables. Raises ToolError."""
    return _public("release_key", settings.release_key) if settings.release_key else None


def _public(name: str, file: str) -> VerifyingKey:
    try:
        return release.read_public(Path(file))
    except ReleaseError as error:
        raise ToolError(error.what, where=name, step=error.step) from error
    except OSError as error:
        what = f"cannot open the file: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=f"{name}, {file}", step="check the name") from error
