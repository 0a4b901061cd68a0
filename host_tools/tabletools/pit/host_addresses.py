"""Where each host of a database is reached: by the name with which it owns its tables."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from tabletools.errors import ToolError
from tabletools.pit.settings import Settings


def addresses_of(settings: Settings) -> Mapping[str, str]:
    """Return the address of each host by its name. Raises ToolError."""
    addresses: dict[str, str] = {}
    for text in settings.hosts:
        name, _, address = (part.strip() for part in text.partition("="))
        parts = urlsplit(address)
        if not name or name in addresses or parts.scheme not in ("http", "https"):
            what = f"{text!r} is not NAME=https://ADDRESS, or the host has an address already"
            raise ToolError(what, where="hosts", step="write each host once, by its host_name")
        addresses[name] = address
    return addresses
