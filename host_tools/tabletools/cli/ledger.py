"""`tabletool ledger`: verifies a ledger and its settlements, backs it up and restores it."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli import archive, retain, statement
from tabletools.cli.command_group import CommandGroup
from tabletools.cli.open_database import existing, explaining, place_text, reading
from tabletools.cli.progress import counted
from tabletools.cli.release import checked
from tabletools.cli.replay_all import by_word, replays_text
from tabletools.cli.report import JsonOption, say
from tabletools.cli.verify_state import GoesOn
from tabletools.errors import UNSOUND, ToolError, cannot_write
from tabletools.keys import opened_keyring
from tabletools.roles.role import count_of

if TYPE_CHECKING:
    from tabletools.link import Keys
    from tabletools.store.checkpoint import Checkpoint
    from tabletools.table.verify import Report, Verified

VERIFY = """\b
Examples:
  tabletool ledger verify pit.ledger
  tabletool ledger verify postgresql://pit@db.example/pit
  tabletool ledger verify pit.ledger --keys keys.json --read-pictures
  tabletool ledger verify pit.ledger --state pit.verified
  tabletool ledger verify pit.ledger --checkpoint /mnt/auditor/pit.checkpoints --public house.pub
"""
CHECKPOINT = """\b
Examples:
  tabletool ledger checkpoint pit.ledger --key house.key --out /mnt/auditor/pit.checkpoints
"""
SHADOW = """\b
Examples:
  tabletool ledger shadow pit.ledger
  tabletool ledger shadow pit.ledger --day 2026-11-21
"""
BACKUP = """\b
Examples:
  tabletool ledger backup pit.ledger pit-2026-11-21.backup
"""
RESTORE = """\b
Examples:
  tabletool ledger restore pit-2026-11-21.backup pit.ledger
"""
REPORTS = """\b
Examples:
  tabletool ledger reports pit.ledger
"""
_WORTHWHILE = 3
"""Pieces of the chain from which on several processes are faster than one."""
# Most problems shown of an unsound ledger.
_MOST_PRINTED = 20
_DAY_NS = 24 * 3600 * 1_000_000_000
_Place = Annotated[
    str, typer.Argument(metavar="DB", help="A file, or postgresql://USER@HOST/NAME.")
]
_Keyrings = Annotated[
    list[Path] | None,
    typer.Option("--keys", metavar="FILE", help="Keyring: verify all tags, replay traces."),
]
_ReadPictures = Annotated[
    bool, typer.Option("--read-pictures", help="Read the dice in every picture again.")
]
_CheckpointFile = Annotated[
    Path | None, typer.Option("--checkpoint", metavar="FILE", help="Checkpoints to compare with.")
]
_Public = Annotated[
    Path | None, typer.Option("--public", metavar="FILE", help="Public key of their signer.")
]
_State = Annotated[
    Path | None,
    typer.Option("--state", metavar="FILE", help="Go on from what was verified; made first."),
]
_Full = Annotated[bool, typer.Option("--full", help="With --state: verify everything again.")]
_File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")]

ledger = typer.Typer(
    cls=CommandGroup,
    help="Verify, settle again, back up and restore the ledger of a pit.",
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    ledger.command("retain", epilog=retain.EXAMPLES)(retain.command)
    ledger.command("archive", epilog=archive.EXAMPLES)(archive.command)
    ledger.command("check-archive", epilog=archive.CHECK_EXAMPLES)(archive.check_command)
    ledger.command("statement", epilog=statement.EXAMPLES)(statement.command)
    app.add_typer(ledger, name="ledger", epilog=VERIFY)


def _verify(
    place: str,
    workers: int = 1,
    rings: Sequence[Path] = (),
    checkpoints: "Sequence[Checkpoint]" = (),
    *,
    is_beside: bool = False,
    reads_pictures: bool = False,
    goes_on: "GoesOn | None" = None,
) -> None:
    """Print the contents of a ledger and that it is sound. Raises ToolError.

    is_beside: the checkpoints are those that the host keeps beside the ledger. goes_on: from a
    verified state in a file, which becomes the new one.
    """
    since = None if goes_on is None else goes_on.begin()
    report = _report(place, workers, _keys(rings), reads_pictures=reads_pictures, since=since)
    unmatched = _mismatches(place, checkpoints) if report.counts else []
    if report.counts:
        _say_signed(place)
    counted_text = ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items()
    )
    say(counted_text, rows=dict(report.counts))
    if report.replays:
        say(replays_text(report.replays), replays=dict(report.replays))
    if reads_pictures:
        say(f"pictures read again: {by_word(report.pictures)}", pictures=dict(report.pictures))
    if report.problems or unmatched:
        restored = _restored_step(place) if is_beside and unmatched else ""
        raise _unsound(place, report.problems, unmatched, len(checkpoints), restored)
    if report.missing:
        raise ToolError(
            f"{report.missing.total()} tags cannot be verified",
            where=place_text(place),
            cause="the keyring lacks " + ", ".join(sorted(report.missing)),
            step="name the keyring that has them too: --keys can be given several times",
        )
    tags = "every tag, " if rings else ""
    say(f"sound: {tags}chain, balances, settlements and evidence are consistent", sound=True)
    if goes_on is not None and report.state is not None:
        goes_on.end(report.state)
    _print_proof(checkpoints, is_beside=is_beside)


def _say_signed(place: str) -> None:
    """Print how many decisions are signed. Raises ToolError."""
    from tabletools.store import signatures

    with reading(place) as db:
        tally = signatures.tally(db)
    say(
        f"decisions: {tally.signed} signed; not signed: {tally.older} older than the first key of"
        f" a user, {tally.of_programs} of programs",
        decisions=tally._asdict(),
    )
    if tally.by_sign_on:
        say(
            f"{tally.by_sign_on} of the keys are of one decision, each vouched for by an identity"
            " provider; not proved: that the recorded key of the provider was its own (compare"
            " it with what the provider published)"
        )


def _print_proof(checkpoints: "Sequence[Checkpoint]", *, is_beside: bool) -> None:
    """Print what the checkpoints prove, and what is not proved."""
    if not checkpoints:
        text = "not proved without --checkpoint: that no one computed the whole chain again"
        say(text, checkpoints=0)
        return
    seq = checkpoints[-1].seq
    text = f"{len(checkpoints)} checkpoints agree, the last of entry {seq}"
    say(text, checkpoints=len(checkpoints), last_entry=seq, are_beside=is_beside)
    if is_beside:
        say(
            "not proved by those beside the ledger: that no one who has the files there signed"
            " others; name a copy from elsewhere with --checkpoint"
        )


def _unsound(
    place: str,
    problems: Sequence[str],
    unmatched: Sequence[str],
    checkpoints: int,
    restored: str,
) -> ToolError:
    """The error for a ledger that was changed.

    unmatched: its checkpoints that do not match. restored: the step if a backup was restored.
    """
    what, causes, stored = [], [], "the database"
    if problems:
        what.append(f"{count_of(len(problems), 'consistency check')} failed")
        causes.append("another program changed the database, or its disk failed")
    if unmatched:
        what.append(f"{len(unmatched)} of {checkpoints} checkpoints not of this ledger")
        causes.append("it was rewritten or truncated since, or restored from an older backup")
        stored = "database and checkpoints"
    return ToolError(
        ", ".join(what),
        where=place_text(place),
        cause="; ".join(causes),
        step=f"{restored}stop the pit, keep {stored} for the auditor,"
        " restore the last sound backup",
        exit_code=UNSOUND,
        details=[*_first_lines(problems), *_first_lines(unmatched)],
    )


def _first_lines(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _MOST_PRINTED
    return [*lines[:_MOST_PRINTED], *([f"and {more} more"] if more > 0 else [])]


def _keys(files: Sequence[Path]) -> "Keys | None":
    """The keys of several keyrings, None without one. Raises KeyringError."""
    rings = [opened_keyring(file) for file in files]
    if not rings:
        return None
    return lambda device: {n: key for ring in rings for n, key in ring.keys_of(device).items()}


def _report(
    place: str,
    workers: int,
    keys: "Keys | None",
    *,
    reads_pictures: bool,
    since: "Verified | None",
) -> "Report":
    """Return the result of verification; a small ledger is not worth a second process."""
    from tabletools.table.verify import Scope, check, check_in_processes, plan

    with reading(place) as db:
        planned = plan(db, Scope(keys is not None, reads_pictures, since))[1]
        if workers == 1 or len(planned) < _WORTHWHILE:
            return check(db, keys, reads_pictures=reads_pictures, since=since)
    with explaining(place):
        return check_in_processes(
            place, workers, counted("verified"), keys, reads_pictures=reads_pictures, since=since
        )


def _mismatches(place: str, checkpoints: "Sequence[Checkpoint]") -> list[str]:
    """Return how the chain of a ledger differs from its checkpoints. Raises ToolError."""
    from tabletools.store import checkpoint

    with reading(place) as db:
        return [text for each in checkpoints for text in checkpoint.problems(db, each)]


def _checkpoints(file: Path, public: Path) -> "list[Checkpoint]":
    """Return the checkpoints in a file. Raises ToolError."""
    from tabletools import release
    from tabletools.store import checkpoint

    with checked(public):
        key = release.read_public(public)
    try:
        lines = file.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(
            "cannot read the checkpoints", where=str(file), cause=str(error)
        ) from error
    if not lines:
        raise ToolError("there is no checkpoint in it", where=str(file), step="name another file")
    checkpoints = []
    for number, line in enumerate(lines, 1):
        with explaining(f"{file}, line {number}"):
            checkpoints.append(checkpoint.parse(line, key))
    return checkpoints


def _set_aside(file: Path) -> Path | None:
    """Set a file of checkpoints aside; returns where it is, None if there was none."""
    from tabletools.pit.checkpoints import set_aside

    try:
        return set_aside(file)
    except OSError as error:
        what = f"cannot move the checkpoints aside: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(file), step="move them yourself, then verify") from error


def _restored_step(place: str) -> str:
    """Return what to do with the checkpoints beside a ledger that was copied from a backup."""
    from tabletools.pit.checkpoints import free_name

    file, public = _files_beside(place)
    aside = free_name(file)
    return (
        f"if you copied a backup here: mv {file} {aside}, verify again, and compare with"
        f" --checkpoint {aside} --public {public} what the backup lacks; if not: "
    )


def _files_beside(place: str) -> tuple[Path, Path]:
    """Return the files of checkpoints and of their public key beside a ledger."""
    from tabletools.pit.checkpoints import FILE, PUBLIC
    from tabletools.pit.host_keys import beside

    with explaining(place):
        return beside(place, FILE), beside(place, PUBLIC)


def _beside(place: str) -> "list[Checkpoint]":
    """Return the checkpoints that a host keeps beside a ledger, none if it keeps none.

    Raises ToolError.
    """
    from tabletools.pit.checkpoints import free_name

    file, public = _files_beside(place)
    if not (file.exists() and public.exists()):
        return []
    try:
        return _checkpoints(file, public)
    except ToolError as error:
        aside = free_name(file)
        step = (
            f"if the key was replaced: mv {file} {aside}, verify again, and compare with"
            f" --checkpoint {aside} and the former public key; if not: keep it for the auditor"
        )
        raise ToolError(error.what, where=error.where, cause=error.cause, step=step) from error


@ledger.command("verify", epilog=VERIFY)
def verify(
    place: _Place,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, metavar="N", help="Processes [one for each core]."),
    ] = None,
    keys: _Keyrings = None,
    read_pictures: _ReadPictures = False,
    file: _CheckpointFile = None,
    public: _Public = None,
    state: _State = None,
    full: _Full = False,
    _json: JsonOption = False,
) -> None:
    """Compare every row with the chain and derive every balance and settlement again.

    Exit code 7 when something was changed. Can run while the pit plays: it reads one snapshot.
    Checkpoints, of --checkpoint or those beside the ledger, reveal changes of data older than they
    are, even if the whole chain was rewritten, and the signatures of users decisions that are not
    theirs. With --keys it also finds frames and traces that no table made, and results that differ
    from the decision of the table's logic. The kept picture of a throw is the one whose CRC-32 its
    result has; with --read-pictures the dice in it are read again by the release that read them.
    With --state only what was written since the last verification is verified: of older rows only
    their number is, and all that may change; so verify without it, or with --full, from time to
    time. Works on the database of `collect` too.
    """
    if (file is None) != (public is None):
        where = "--checkpoint" if file is None else "--public"
        raise ToolError("--checkpoint and --public go together", where=where, step="give both")
    is_beside = file is None or public is None
    checkpoints = _beside(place) if file is None or public is None else _checkpoints(file, public)
    if full and state is None:
        raise ToolError("--full goes with --state", where="--full", step="leave it out")
    _verify(
        place,
        workers or os.cpu_count() or 1,
        keys or (),
        checkpoints,
        is_beside=is_beside,
        reads_pictures=read_pictures,
        goes_on=None if state is None else GoesOn(place, state, full, bool(keys), read_pictures),
    )


@ledger.command("checkpoint", epilog=CHECKPOINT)
def checkpoint(
    place: _Place,
    key: Annotated[
        Path, typer.Option("--key", metavar="FILE", help="Private key, of `release keygen`.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Add it to this file.")
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Sign the current end of a ledger's chain, to be kept where no user here can change it."""
    import time

    from tabletools import private_file, release
    from tabletools.store import checkpoint as checkpoints

    with checked(key):
        signing = release.read_private(key)
    with reading(place) as db:
        line = checkpoints.sign(db, signing, time.time_ns())
    if out is None:
        print(line)  # JSON by itself
        return
    try:
        with open(out, "a", encoding="ascii", opener=private_file.opener) as stream:
            stream.write(line + "\n")
    except OSError as error:
        raise cannot_write("the checkpoint", error, out, "name another file") from error
    entry = json.loads(line)["checkpoint"]["seq"]
    say(f"checkpoint of {place_text(place)} added to {out}", entry=entry, file=str(out))


@ledger.command("shadow", epilog=SHADOW)
def shadow(
    place: _Place,
    day: Annotated[
        datetime | None,
        typer.Option("--day", formats=["%Y-%m-%d"], help="Only settlements of that day (UTC)."),
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Settle every round a second time, with code that shares nothing with the settlement.

    Prints each difference and what cannot be judged, by game. Exit code 7 on a difference: the
    ledger was changed, or one of the two settlements is wrong. Can run while the pit plays.
    """
    from tabletools.shadow import ledger as shadows

    times_ns: tuple[int, ...] = ()
    if day is not None:
        first_ns = int(day.replace(tzinfo=UTC).timestamp()) * 1_000_000_000
        times_ns = (first_ns, first_ns + _DAY_NS)
    with reading(place) as db:
        report = shadows.check(db, *times_ns)
    text = f"{report.settlements} settlements of {report.bets} bets settled again"
    say(text, settlements=report.settlements, bets=report.bets)
    for name, counts in (("judged", report.games), ("unjudged", report.unjudged)):
        for what, count in sorted(counts.items()):
            say(f"  {name} {count} {what}", verdict=name, game=what, count=count)
    if report.differences:
        raise ToolError(
            f"{len(report.differences)} differences from the shadow settlement",
            where=place_text(place),
            cause="the database was changed outside tabletool, or one of the settlements is wrong",
            step="run `tabletool ledger verify`, and compare each with the printed rules",
            exit_code=UNSOUND,
            details=[str(difference) for difference in report.differences],
        )
    text = "no difference" + (", but not all could be judged" if report.unjudged else "")
    say(text, differences=0, is_complete=not report.unjudged)


@ledger.command("backup", epilog=BACKUP)
def backup(place: _Place, file: _File, _json: JsonOption = False) -> None:
    """Write a snapshot of the ledger to a new file, while the pit plays."""
    from tabletools.store import backup as copies

    with explaining(place):
        copies.backup(place, file)
    say(f"backup of {place_text(place)} in {file}", file=str(file), bytes=file.stat().st_size)


@ledger.command("reports", epilog=REPORTS)
def reports(place: _Place, _json: JsonOption = False) -> None:
    """Build the read model of a ledger again, from which a host answers pages that look back.

    A host does so by itself where the model is missing, or of another ledger.
    """
    from tabletools.reports.follower import Follower

    with existing(place) as store, explaining(place):
        follower = Follower(store)
        try:
            if not follower.rebuild():
                raise ToolError(
                    "a host maintains this read model",
                    where=place_text(place),
                    step="stop the host first",
                )
            while follower.step():
                pass
        finally:
            follower.close()
    say(f"read model of {place_text(place)} built: {follower.rows} rows", rows=follower.rows)


@ledger.command("restore", epilog=RESTORE)
def restore(file: _File, place: _Place, _json: JsonOption = False) -> None:
    """Restore a backup to a new file or an empty PostgreSQL database, and verify it.

    Checkpoints of a former ledger of that name are moved aside: they are of entries that the
    backup may lack.
    """
    from tabletools.evidence import alarms
    from tabletools.store import Store
    from tabletools.store import backup as copies

    with explaining(place):
        copies.restore(file, place)
        ledger = Store.open(place)
        alarms.note_restore(ledger, file.name)
        ledger.close()
    say(f"ledger {place_text(place)} made of {file}", ledger=place_text(place), file=str(file))
    signed, public = _files_beside(place)
    if aside := _set_aside(signed):
        say(
            f"checkpoints of the former ledger are now {aside}; what the backup lacks of it:"
            f" tabletool ledger verify {place} --checkpoint {aside} --public {public}",
            former_checkpoints=str(aside),
        )
    _verify(place)
