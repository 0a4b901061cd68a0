"""`tabletool estate replay` and `check-archives`: the evidence of all sites on many processors."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tabletools.cli.open_database import existing, explaining, place_text
from tabletools.cli.release import checked
from tabletools.cli.replay_all import Reads, Replays, replayed, replays_text, verify_same
from tabletools.cli.report import JsonOption, say
from tabletools.errors import UNSOUND, ToolError

if TYPE_CHECKING:
    from tabletools.archive.checking import Archive
    from tabletools.release import VerifyingKey

REPLAY = """\b
Examples:
  tabletool estate replay athens=athens.ledger berlin=berlin.ledger --workers 8
  tabletool estate replay athens=athens-2026-10 berlin/vip=vip-2026-10 --public athens=athens.pub \
--public berlin/vip=vip.pub --cluster tls://dask.example:8786
"""
CHECK = """\b
Examples:
  tabletool estate check-archives athens=athens-2026-09 athens=athens-2026-10 \
berlin=berlin-2026-10 --public athens=athens.pub --public berlin=berlin.pub --workers 8
"""
_OF_TRACES = ("tables", "terms", "rounds", "round_settlements", "frames", "traces")
_MOST_PRINTED = 20

PlacesArgument = Annotated[
    list[str],
    typer.Argument(metavar="SITE[/PIT]=PLACE...", help="A database, or archives in their order."),
]
_Folders = Annotated[
    list[str], typer.Argument(metavar="SITE[/PIT]=FOLDER...", help="Archives, in their order.")
]
_Publics = Annotated[
    list[str] | None,
    typer.Option("--public", metavar="SITE[/PIT]=FILE", help="Public key of who signs there."),
]
_Workers = Annotated[
    int | None, typer.Option("--workers", min=1, metavar="N", help="Processes here [each core].")
]
_Cluster = Annotated[
    str | None, typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler instead.")
]


class Ledger(NamedTuple):
    """Where the evidence of a pit is. public: key of its archives, None: not proved who signed."""

    name: str
    places: tuple[str, ...]
    public: "VerifyingKey | None"


def replay(
    places: PlacesArgument,
    public: _Publics = None,
    workers: _Workers = None,
    cluster: _Cluster = None,
    _json: JsonOption = False,
) -> None:
    """Replay every trace of an estate, from databases or archives, on many processors.

    A trace that does not give what was recorded is named by site, table and round; exit code 7.
    The work of a process or machine that dies is done by the others. The answer is that of
    one processor, in the same order.
    """
    from tabletools import cluster as clusters

    ledgers = _ledgers(places, public)
    everything = Replays.nothing()
    with clusters.connected(cluster, workers or os.cpu_count() or 1) as client:
        for ledger in ledgers:
            with explaining(ledger.places[0]), _reads(ledger) as reads:
                replays = replayed(client, reads)
            facts = {"words": dict(replays.words), "problems": replays.problems}
            say(f"{ledger.name}: {replays_text(replays.words)}", ledger=ledger.name, **facts)
            everything.add(ledger.name, replays)
    verify_same(everything, ", ".join(each.name for each in ledgers))


def check_archives(
    folders: _Folders,
    public: _Publics = None,
    workers: _Workers = None,
    cluster: _Cluster = None,
    _json: JsonOption = False,
) -> None:
    """Check the archives of an estate on many processors, one archive each.

    As `ledger check-archive` does. All workers have to see the folders. Exit code 7 when something
    was changed, archives of a pit do not follow each other, or two pits have the same ledger.
    """
    from tabletools import cluster as clusters
    from tabletools.archive import checking

    ledgers = _ledgers(folders, public)
    by_ledger = {each.name: _archives(each) for each in ledgers}
    wrong = _same_ledgers(by_ledger)
    for name, archives in by_ledger.items():
        wrong += [f"{name}: {problem}" for problem in checking.follow(archives)]
    largest_first = sorted(
        ((name, each) for name, archives in by_ledger.items() for each in archives),
        key=lambda pair: -_rows(pair[1]),
    )
    with clusters.connected(cluster, workers or os.cpu_count() or 1) as client:
        jobs = (archive for _, archive in largest_first)
        checks = clusters.done(client, checking.checked, jobs, lambda each: str(each.folder))
        problems = {
            archive.folder: texts
            for (_, archive), texts in zip(largest_first, checks, strict=True)
        }
    for name, archives in by_ledger.items():
        for each in archives:
            _say_checked(name, each)
            wrong += [f"{name}: {each.folder.name}: {text}" for text in problems[each.folder]]
    _verify_sound(wrong)
    say("sound: signatures, chains and every row are consistent", sound=True)
    _say_unproved(ledgers)


def _say_unproved(ledgers: Sequence[Ledger]) -> None:
    """Say of whose archives anyone may be the signer."""
    unproved = [each.name for each in ledgers if each.public is None]
    if unproved:
        text = f"not proved without --public: who signed {', '.join(unproved)}"
        say(text, signer_is_not_proved=unproved)


def _say_checked(name: str, archive: "Archive") -> None:
    month, rows = archive.manifest, _rows(archive)
    text = f"{name}, {month.month}: entries {month.first} to {month.last}, {rows} rows"
    facts = {"month": month.month, "first": month.first, "last": month.last, "rows": rows}
    say(text, ledger=name, **facts)


def _rows(archive: "Archive") -> int:
    files = archive.manifest.files
    return sum(file.rows for name, file in files.items() if name != "chain")


def _same_ledgers(by_ledger: "dict[str, list[Archive]]") -> list[str]:
    """Return which pits have the archives of another."""
    first: dict[str, str] = {}
    wrong = []
    for name, archives in by_ledger.items():
        for ledger in sorted({each.manifest.ledger for each in archives}):
            other = first.setdefault(ledger, name)
            if other != name:
                wrong.append(f"{name}: these are archives of {other}")
    return wrong


def _verify_sound(wrong: Sequence[str]) -> None:
    if wrong:
        more = len(wrong) - _MOST_PRINTED
        raise ToolError(
            f"{len(wrong)} problems",
            where="archives of the estate",
            cause="files were changed, or archives are missing between them",
            step="keep them for the auditor, and have the site archive the month again",
            exit_code=UNSOUND,
            details=[*wrong[:_MOST_PRINTED], *([f"and {more} more"] if more > 0 else [])],
        )


def _ledgers(texts: Sequence[str], publics: Sequence[str] | None) -> list[Ledger]:
    """Return the ledgers that are named, in their order. Raises ToolError."""
    from tabletools import release

    keys = {}
    for name, file in map(_name_and_key, publics or ()):
        with checked(Path(file)):
            keys[name] = release.read_public(Path(file))
    places: dict[str, list[str]] = {}
    for name, place in map(_name_and_key, texts):
        if any(place in others for others in places.values()):
            step = "name each place once"
            raise ToolError("the same place twice", where=place_text(place), step=step)
        places.setdefault(name, []).append(place)
    if unknown := sorted(keys.keys() - places.keys()):
        step = f"name one of: {', '.join(places)}"
        raise ToolError("a key of no site here", where=f"--public {unknown[0]}", step=step)
    return [Ledger(name, tuple(some), keys.get(name)) for name, some in places.items()]


def _name_and_key(text: str) -> tuple[str, str]:
    """Return SITE[/PIT] and what it is equal to. Raises ToolError."""
    from tabletools.cms.origin import verify_name

    name, _, value = text.partition("=")
    try:
        if not value:
            raise ValueError(f"{place_text(text)!r} is not SITE=PLACE or SITE/PIT=PLACE")
        for what, part in zip(("site", "pit"), name.split("/", 1), strict=False):
            verify_name(what, part)
    except ValueError as error:
        step = "write the name of the site, =, and the place"
        raise ToolError(str(error), where="tabletool estate", step=step) from error
    return name, value


def named_pit(text: str) -> tuple[str, str]:
    """Return site and pit of SITE[/PIT]. Raises ToolError."""
    from tabletools.cms.origin import PIT

    name, _ = _name_and_key(f"{text}=-")
    site, _, pit = name.partition("/")
    return site, pit or PIT


def _archives(ledger: Ledger) -> "list[Archive]":
    from tabletools.archive import checking

    return [checking.opened(Path(place).resolve(), ledger.public) for place in ledger.places]


@contextmanager
def _reads(ledger: Ledger) -> Iterator[Reads]:
    """Open the evidence of a ledger, and say what of it cannot be compared. Raises ToolError."""
    is_archive = [Path(place).is_dir() for place in ledger.places]
    if not any(is_archive):
        if len(ledger.places) > 1:
            step = "name each ledger as a pit: SITE/PIT=PLACE"
            raise ToolError("several databases of one pit", where=ledger.name, step=step)
        with existing(ledger.places[0], reads=True) as store:
            _say_alone(ledger.name, store.read, 0)
            yield store.read
        return
    if not all(is_archive):
        step = "name either its database or its archives"
        raise ToolError("a database beside archives", where=ledger.name, step=step)
    from tabletools.archive import checking, restoring
    from tabletools.table import verify_traces

    archives = _archives(ledger)
    if wrong := list(checking.follow(archives)):
        step = "name the archives of a ledger in their order, none left out"
        where = ledger.name
        raise ToolError("archives do not follow", where=where, step=step, details=wrong)
    with restoring.restored(archives, _OF_TRACES) as database:
        with database.write() as db:
            lost = verify_traces.forget_lost_terms(db)
        _say_unproved([ledger])
        _say_alone(ledger.name, database.read, lost)
        yield database.read


def _say_alone(name: str, reads: Reads, lost: int) -> None:
    """Say how many traces are compared with nothing. lost: rounds whose terms are elsewhere."""
    from tabletools.table import verify_traces

    with reads() as db:
        alone = verify_traces.alone(db)
    if alone:
        text = f"{name}: {alone} traces have no record here to be compared with"
        say(text, ledger=name, without_record=alone)
    if lost:
        text = f"{name}: the terms of {lost} rounds are in no archive here: not compared"
        say(text, ledger=name, without_terms=lost)
