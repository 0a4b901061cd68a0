"""Where events are from: the source of a ledger, and its place in an estate of several sites."""

import re
from typing import NamedTuple

# The source of an unnamed ledger: with several ledgers, each needs a unique one.
SOURCE = "urn:tablewire:pit"
PIT = "main"
"""The pit of a site that has one."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


class Origin(NamedTuple):
    """The ledger that events are from. site, pit: both, or neither; source: of one in no estate.

    A pit is one ledger: its hosts share it, and its users rule in it and in no other.
    """

    source: str = SOURCE
    site: str = ""
    pit: str = ""

    def attributes(self, table: int | None) -> dict[str, object]:
        """Return the attributes of an event that say where it is from."""
        if not self.site:
            return {"source": self.source}
        source = f"/{self.site}/{self.pit}" + ("" if table is None else f"/table/{table}")
        return {"source": source, "site": self.site, "pit": self.pit}

    def subject(self, table: int | None, kind: str = ">") -> str:
        """Return the NATS subject of events of a type, by default of all types."""
        branch = "house" if table is None else f"table.{table}"
        return f"tablewire.{self.site}.{self.pit}.{branch}.{kind.removeprefix('tablewire.')}"


def origin_of(source: str, site: str, pit: str) -> Origin:
    """Return the origin in the settings. Raises ValueError."""
    if pit and not site:
        raise ValueError(f"pit {pit!r} is of no site: set site too")
    for name, value in (("site", site), ("pit", pit)):
        if value:
            verify_name(name, value)
    return Origin(source, site, pit or PIT if site else "")


def verify_name(what: str, name: str) -> None:
    """Raise ValueError for a name that cannot be a part of a subject."""
    if _NAME.fullmatch(name) is None:
        raise ValueError(
            f"{what} {name[:40]!r} is not a name: up to 32 of a to z, 0 to 9 and -,"
            " beginning with a letter or digit"
        )


def stream_of(site: str) -> str:
    """Return the name of the stream of a site."""
    return f"tablewire-{site}"
