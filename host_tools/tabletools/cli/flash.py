"""`tabletool flash`: turns a board with MicroPython into a table that attests its program."""

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tablespec.config_keys import KEYS
from tablespec.names import ROLE
from tabletools import configuration, flash
from tabletools.cli.attest import compare
from tabletools.cli.progress import progress
from tabletools.cli.release import checked, public_key
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, connected_client
from tabletools.errors import INCOMPLETE, UNREACHABLE, UNSUITABLE, ToolError
from tabletools.keys import Keyring, default_file
from tabletools.link import open_port, probe
from tabletools.release import File, Manifest, files_of
from tabletools.roles import role as of_name
from tabletools.tree import TREE

EXAMPLES = """\b
Examples:
  tabletool flash --board rpi_pico2 --role roulette --port /dev/ttyACM0 --link /dev/ttyUSB0
  tabletool flash --board rpi_pico2 --role money_wheel --port /dev/ttyACM0 --config table-7.toml
  tabletool flash --board rpi_pico2 --role roulette --port /dev/ttyACM0 --no-key
"""
_ROLES = {name: number for number, name in ROLE}
Role = StrEnum("Role", [(name, name) for name in _ROLES])  # type: ignore[misc]
_FOREIGN_SHOWN = 5
# From a reset to the first frame: a board that creates its file system takes longest.
_START_S = 60.0
_SAID_EVERY_S = 2.0
# A spin takes less than a minute.
_ROUND_WITHIN_S = 120.0
_RESTING = ("closed", "bets_open")
_NOT_ATTESTED = "not attested: give --link, or later `tabletool attest LINK`"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("flash", epilog=EXAMPLES)(command)


def command(
    board: Annotated[str, typer.Option("--board", metavar="BOARD", help="A folder of boards/.")],
    role: Annotated[Role, typer.Option("--role", help="What the table plays.")],
    port: Annotated[
        str, typer.Option("--port", metavar="PORT", help="Port of the MicroPython prompt (USB).")
    ],
    link: Annotated[
        str, typer.Option("--link", metavar="PORT", help="Port of the link, to attest at the end.")
    ] = "",
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Values [the factory's].")
    ] = None,
    no_key: Annotated[bool, typer.Option("--no-key", help="A board for the bench.")] = False,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", metavar="FILE", help="Only this signed release.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="Its public key.")
    ] = None,
    erase: Annotated[
        bool, typer.Option("--erase", help="Remove files that are not in the release.")
    ] = False,
    tree: Annotated[
        Path | None, typer.Option("--tree", metavar="FOLDER", help="Checkout [of this tool].")
    ] = None,
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Put the firmware, a configuration and a key onto a board with MicroPython, and check them.

    Checks board, version and free space first and changes nothing if one is wrong (exit code 4).
    With --link it waits for the end of a round that is being played, two minutes at most. Copies
    only what differs, so a second run copies nothing; after an interruption (exit code 5) the
    same command continues. A board that has a configuration or a key keeps it.
    """
    kind = flash.kind_of(board, tree or TREE)
    flash.verify_role(kind, flash.kinds(tree or TREE), role)
    image, built = flash.build(kind)
    if manifest is not None:
        _verify_release(manifest, key, image)
    options = _Options(_values(role, config), config, _ring(keys, no_key=no_key), erase)
    if link:
        flash.verify_port(link)
        _wait_for_round(link, keys)
    with flash.opened(port) as prompt:
        device = _flash(prompt, port, kind, image, options)
        prompt.restart()
    say(f"device {device}: restarted", device=device, is_restarted=True)
    _end(link, keys, built)
    _say_wiring(kind, role)


def _ring(keys: Path | None, *, no_key: bool) -> Keyring | None:
    return None if no_key else Keyring(keys or default_file())


def _end(link: str, keys: Path | None, built: Manifest) -> None:
    """Have the table attest, if its link is known. Raises ToolError."""
    text = _attest(link, keys, built) if link else _NOT_ATTESTED
    say(text, is_attested=bool(link), release=built.release)


def _say_wiring(kind: flash.Kind, role: Role) -> None:
    wiring = flash.wiring_of(kind, _ROLES[role])
    drawing = str(kind.folder / f"schematic-{role}.svg")
    text = f"The drawing, from the field to the pin: {drawing}"
    say("\n".join(["", *wiring, text]), wiring=wiring, drawing=drawing)


def _wait_for_round(link: str, keys: Path | None) -> None:
    """Wait for the end of a running table's round: the prompt would stop it in the middle.

    A round with open bets may be stopped: nothing moves yet. Raises ToolError.
    """
    line = open_port(link)
    try:
        if not probe(line).is_table:
            return
    finally:
        line.close()
    with connected_client(link, keys) as client:
        said = begin = client.now_s()
        while not client.step(*_RESTING):
            now = client.now_s()
            if now - begin > _ROUND_WITHIN_S:
                raise ToolError(
                    "a round is being played, and the update would stop it",
                    where=link,
                    limit=f"waited {_ROUND_WITHIN_S:g} s",
                    step="give the same command after the round, or void it at the table first",
                    exit_code=UNREACHABLE,
                )
            if now - said >= _SAID_EVERY_S:
                said = now
                say(f"waiting for the end of the round: {now - begin:.0f} s")


def _attest(link: str, keys: Path | None, built: Manifest) -> str:
    """Have the table attest once it is up; returns a text about it. Raises ToolError."""
    begin = time.monotonic()
    said = begin
    while True:
        try:
            with connected_client(link, keys) as client:
                compare(client, built, lock=False)
                return (
                    f"table {client.table[0]} attests release {built.release} ({built.version}):"
                    f" {len(built.files)} files match"
                )
        except ToolError as error:
            now = time.monotonic()
            if error.exit_code != UNREACHABLE or now - begin > _START_S:
                raise
            if now - said >= _SAID_EVERY_S:
                said = now
                say(f"waiting for the table to start: {now - begin:.0f} s")


class _Options:
    """The options. wanted: values by key number; config: the file they came from."""

    def __init__(
        self, wanted: list[int], config: Path | None, ring: Keyring | None, erase: bool
    ) -> None:
        self.wanted = wanted
        self.config = config
        self.ring = ring
        self.erase = erase


def _flash(
    prompt: flash.Prompt, port: str, kind: flash.Kind, image: dict[str, bytes], options: _Options
) -> int:
    """Do everything up to the restart; returns the serial number of the controller."""
    survey = prompt.survey()
    flash.verify_board(kind, flash.kinds(kind.folder.parents[1]), survey, port)
    counters, values, key = (
        [prompt.read(path) if path in survey.files else None for path in paths]
        for paths in (flash.COUNTER_FILES, flash.CONFIGURATION_FILES, flash.KEY_FILES)
    )
    device = flash.device_of(survey.unique_id, counters)
    version = ".".join(map(str, survey.version))
    text = f"{kind.title}, MicroPython {version}, device {device}"
    say(text, board=kind.title, micropython=version, device=device)
    if note := flash.role_note(kind, values, options.wanted):
        say(note)
    plan = flash.plan_of(survey, image, {}, erase=options.erase)
    _verify_ours(plan, port, erase=options.erase)
    flash.check_space(plan, survey, port)
    data = _configuration(options, values, port)
    if options.ring is not None:
        data |= flash.key_files(options.ring, device, key)
    plan = flash.plan_of(survey, image, data, erase=options.erase)
    _carry_out(prompt, plan, len(image))
    _verify_copy(prompt, image)
    return device


def _values(role: Role, config: Path | None) -> list[int]:
    """The values by key number. Raises ToolError if a file is for another role.

    Without a file: the factory's, with time for the host to fetch the picture of a throw.
    """
    number = _ROLES[role]
    if config is None:
        factory = {key.number: key.default for key in KEYS} | {1: number, **of_name(role).factory}
        return [0, *(factory[key.number] for key in KEYS)]
    values = configuration.read(config)
    if values[1] != number:
        raise ToolError(
            f"the file is for role {values[1]}",
            where=str(config),
            limit=f"--role {role}: {number}",
            step="name its role, or another file",
        )
    return values


def _verify_release(file: Path, key: Path | None, image: dict[str, bytes]) -> None:
    if key is None:
        raise ToolError("--manifest needs --key", where="--key", step="name the public key")
    with checked(file):
        wanted: Manifest = public_key(file, key)
    files: tuple[File, ...] = files_of(image)
    if wanted.files != files:
        other = sorted({file.path for file in {*wanted.files} ^ {*files}})
        raise ToolError(
            f"this checkout is not release {wanted.release}: {len(other)} files differ",
            where=other[0],
            cause="another checkout, another board, or a release that was not compiled",
            step="check out the tag of the release; make it with --compiled",
            exit_code=UNSUITABLE,
        )


def _verify_ours(plan: flash.Plan, port: str, *, erase: bool) -> None:
    if plan.foreign and not erase:
        names = ", ".join(plan.foreign[:_FOREIGN_SHOWN])
        raise ToolError(
            f"{len(plan.foreign)} files on the board are not of the release: {names}",
            where=port,
            cause="files of another program; an attestation includes every file",
            step="keep them elsewhere (`mpremote cp`), then --erase removes them",
            exit_code=UNSUITABLE,
        )


def _configuration(options: _Options, copies: list[bytes | None], port: str) -> dict[str, bytes]:
    wanted = options.wanted
    has = flash.role_of(copies)
    if has not in (0, wanted[1]):
        names = dict(ROLE)
        raise ToolError(
            f"the board is a table of role {names.get(has, has)}",
            where=port,
            limit=f"--role {names[wanted[1]]}",
            step="name its role, or change it: `tabletool config set LINK role=N`",
            exit_code=UNSUITABLE,
        )
    return flash.configuration_files(wanted, copies, port, exact=options.config is not None)


def _carry_out(prompt: flash.Prompt, plan: flash.Plan, files: int) -> None:
    if plan.is_empty:
        text = f"nothing to copy: {files} files, configuration and key are there"
        say(text, copied=0, removed=0)
        return
    steps = len(plan.removals) + len(plan.folders) + len(plan.copies)
    with progress(steps) as show:
        for path in plan.removals:
            prompt.doing = show(f"removing {path}")
            prompt.remove(path)
        for path in plan.folders:
            prompt.doing = show(f"making {path}")
            prompt.make_folder(path)
        for path, content in plan.copies.items():
            prompt.doing = show(f"copying {path}")
            prompt.write(path, content)
    copied, removed = len(plan.copies), len(plan.removals)
    say(f"{copied} files copied, {removed} removed", copied=copied, removed=removed)


def _verify_copy(prompt: flash.Prompt, image: dict[str, bytes]) -> None:
    prompt.doing = "reading the board back"
    left = flash.plan_of(prompt.survey(), image, {})
    if not left.is_empty:
        raise ToolError(
            f"{len(left.copies)} files are not on the board as they were sent",
            where=next(iter([*left.copies, *left.removals, *left.folders])),
            cause="the flash is worn, or another program wrote to the board",
            step="run the same command again; the third time use another board",
            exit_code=INCOMPLETE,
        )
    say(f"{len(image)} files read back, all identical", identical=len(image))
