"""The command line of `tabletool emulate`: one command for each role in the registry."""

from collections.abc import Callable
from dataclasses import Field, fields
from enum import StrEnum
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from tableemulator.machines import ROLES, Emulator, emulator, every_emulator
from tableemulator.machines.core.emulator import SetupError
from tabletools.cli.command_group import CommandGroup, examples_of
from tabletools.cli.emulate import options
from tabletools.cli.emulate.playing import Order, run
from tabletools.cli.emulate.stock import stock
from tabletools.cli.report import JsonOption
from tabletools.errors import ToolError
from tabletools.keys import Key, Keyring

SERIAL = 1_382_865_454
"""The serial number of the emulated board's chip."""
# Its functional form, which types cannot express.
_enumeration: Any = StrEnum
_JSON = Parameter("is_json", Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption)
_ANYTHING = {"ignore_unknown_options": True, "allow_extra_args": True}
EXAMPLES = """\b
Examples:
  tabletool emulate roulette --wheel double --spins 20 --seed 7 --out night.capture
  tabletool emulate roulette --fault mixed --out night.capture --truth night.truth
  tabletool emulate roulette --spins 3 --traces evidence
  tabletool emulate roulette --fault list
  tabletool emulate roulette --fault registers_exchanged --out wrong.capture --truth wrong.truth
  tabletool emulate money_wheel --spins 5 --seed 7 --out wheel.capture
  tabletool emulate shuffler --spins 3 --fault jam_in --out cards.capture --truth cards.truth
  tabletool emulate dice --dice 2 --spins 5 --seed 7 --out dice.capture --traces evidence
  tabletool emulate card_shoe --spins 5 --out shoe.capture --truth shoe.truth
  tabletool emulate draw_machine --balls 75 --draws 0 --out bingo.capture --truth bingo.truth
  tabletool emulate roulette --serve 127.0.0.1:4001
  tabletool emulate roulette --serve 127.0.0.1:4001 --key keys.json
  tabletool emulate roulette --serve 127.0.0.1:4001 --flash table-7.flash
  tabletool emulate stock
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    group = typer.Typer(
        cls=CommandGroup, help="Emulate a table: the shipped firmware on a model of its machine."
    )
    group.callback()(_group)
    emulators = every_emulator()
    for each in emulators:
        own = examples_of(EXAMPLES, f"emulate {each.command}")
        group.command(each.command, help=each.help, epilog=own)(_command(each))
    for role in ROLES.keys() - {each.role for each in emulators}:
        group.command(role.removesuffix("_tray"), context_settings=_ANYTHING)(_lacking(role))
    group.command("stock", epilog=examples_of(EXAMPLES, "emulate stock"))(stock)
    app.add_typer(group, name="emulate", epilog=EXAMPLES)


def _group() -> None:
    """Emulate a table: the shipped firmware on a model of its machine."""


def _lacking(role: str) -> Callable[[], None]:
    """Return the command of a role whose library is missing."""

    def play() -> None:
        """Not installed: the command says how to get it."""
        emulator(role)

    return play


def _command(machine: Emulator) -> Callable[..., None]:
    """Return the command of a role: the options of its setup, then those of every table."""
    built = [each for each in fields(machine.setup) if each.metadata]
    common = [each for each in options.COMMON if machine.has_noise or each.name != "noise"]

    def play(**options: Any) -> None:
        try:
            setup = machine.setup(**{each.name: options.pop(_name(each)) for each in built})
        except SetupError as error:
            where = f"--{error.option}"
            raise ToolError(str(error), where=where, limit=error.limit) from None
        del options[_JSON.name]  # read by what reports
        if (key := options.pop("key")) is not None:
            key = key_in(key)
        run(Order(setup=setup, key=key, **options))

    parameters = [*map(_parameter, built), *common, _JSON]
    play.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    play.__annotations__ = {each.name: each.annotation for each in parameters}
    return play


def _parameter(built: Field[Any]) -> Parameter:
    """Return the parameter of one option of a setup."""
    facts, name, default = built.metadata, _name(built), built.default
    kind: Any = type(default)
    if facts["choices"] is not None:
        kind = _enumeration(name, {text: text for text in facts["choices"]})
        default = kind(default)
    flags = [f"--{name}"] if kind is bool else []  # a flag without its opposite
    option = typer.Option(*flags, help=facts["help"], min=facts["least"], max=facts["most"])
    annotation = Annotated[kind, option]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _name(built: Field[Any]) -> str:
    return built.metadata["name"] or built.name


def key_in(file: Path) -> Key:
    """Return the key of the emulated board in a keyring. Raises ToolError if there is none."""
    keys = Keyring(file).all().get(SERIAL)
    if not keys:
        raise ToolError(
            f"no key of the emulated board, device {SERIAL}",
            where=str(file),
            step=f"make one: tabletool keys new {SERIAL} --keys {file}",
        )
    return keys[-1]
