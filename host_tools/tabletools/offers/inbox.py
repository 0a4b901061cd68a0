"""The folder into which the offers of a centre come, by whatever way: they prove themselves."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tabletools.offers.signed_offer import MOST_BYTES, NotAnOffer, Offer, read
from tabletools.release import VerifyingKey
from tabletools.store.errors import LedgerRejection

ENDING = ".offer"
MOST_FILES = 200


class Inbox(NamedTuple):
    """Where a pit finds what its centre offers. key: of the centre. site, pit: its own."""

    folder: Path
    key: VerifyingKey
    site: str
    pit: str

    def read(self) -> tuple[list[Offer], dict[str, str]]:
        """Return the offers to this pit by rising number, and why other files are none.

        Two offers with one number are none: the centre, or who has its key, contradicts itself.
        """
        by_number: dict[int, dict[str, Offer]] = {}
        refused: dict[str, str] = {}
        for name in self._names(refused):
            try:
                offer = self._offer(name)
            except (NotAnOffer, OSError) as error:
                refused[name] = str(error)
            else:
                by_number.setdefault(offer.number, {})[offer.digest] = offer
        offers: list[Offer] = []
        for number in sorted(by_number):
            same = by_number[number]
            if len(same) == 1:
                offers += same.values()
            else:
                refused[f"number {number}"] = f"{len(same)} different offers have this number"
        return offers, refused

    def verify_whole(self) -> None:
        """Raise LedgerRejection where files are not read: one of them may withdraw an offer."""
        count = len(self._all_names())
        if count > MOST_FILES:
            what = f"the folder of offers has {count} files, and {MOST_FILES} are read"
            step = f"move files that are no longer needed out of {self.folder}, and try again"
            raise LedgerRejection("offers_unread", what, step, "offer")

    def _names(self, refused: dict[str, str]) -> Iterator[str]:
        try:
            names = self._all_names()
        except OSError as error:
            refused[str(self.folder)] = (error.strerror or str(error)).lower()
            return
        if len(names) > MOST_FILES:
            what = f"it has {len(names)} files, {MOST_FILES} are read; until it has fewer, none"
            refused[str(self.folder)] = f"{what} can be taken"
        yield from names[-MOST_FILES:]

    def _all_names(self) -> list[str]:
        return sorted(name for name in os.listdir(self.folder) if name.endswith(ENDING))

    def _offer(self, name: str) -> Offer:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # no pipe blocks, no link leads out
        with os.fdopen(os.open(self.folder / name, flags), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise NotAnOffer("it is not a file")
            offer = read(stream.read(MOST_BYTES + 1), self.key)
        if (offer.site, offer.pit) != (self.site, self.pit):
            raise NotAnOffer(f"it is for {offer.site}/{offer.pit}, not {self.site}/{self.pit}")
        return offer
