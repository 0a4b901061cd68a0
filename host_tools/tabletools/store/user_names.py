"""Names of users: normalised, in one script, and not confusable with another name.

Covered are letters of Cyrillic, Greek and Armenian that look like Latin ones, and I, l, 1, O, 0.
Not covered: look-alikes among other scripts, and those of some type faces only (rn, m).
"""

import unicodedata

from tabletools.store.errors import LedgerRejection

# Scripts that may be mixed in one name.
_TOGETHER = (
    frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA")),
    frozenset(("CJK", "HANGUL")),
    frozenset(("CJK", "BOPOMOFO")),
)
_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԜаеѕіјорсухһԁԛԝӏҮүΑΒΕΖΗΙΚΜΝΟΡΤΥΧονριՕՍօսհոցɑɡı1Il0",
    "ABESlJKMHOPCTYXWaesijopcyxhdqwlYyABEZHlKMNOPTYXovpiOUouhngagilllO",
)


def plain(name: str) -> str:
    """Return a name in its normal form: composed, with no space around it."""
    return unicodedata.normalize("NFKC", name).strip()


def looks(name: str) -> set[str]:
    """Return the skeletons of a name: two names that share one can be confused."""
    return {name.casefold(), name.translate(_ALIKE).casefold()}


def scripts(name: str) -> set[str]:
    """Return the scripts of the letters of a name, as the Unicode names of letters begin."""
    letters = (one for one in name if unicodedata.category(one).startswith("L"))
    return {unicodedata.name(one, "UNKNOWN").split()[0] for one in letters}


def verify(name: str) -> None:
    """Raise LedgerRejection unless a name is in normal form, in letters of one script."""
    if not name.isprintable() or name != plain(name):
        what = f"the name {name[:40]!r} has irregular characters"
        raise LedgerRejection(
            "name_invalid",
            what,
            "use plain letters, and no invisible characters or extra spaces",
            "name",
        )
    used = scripts(name)
    if len(used) > 1 and not any(used <= each for each in _TOGETHER):
        listed = " and ".join(sorted(used)).lower()
        what = f"the name {name[:40]!r} mixes letters of {listed}, which look alike"
        raise LedgerRejection(
            "name_invalid", what, "write it in the letters of one script", "name"
        )
