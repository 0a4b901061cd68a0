"""The command line of `tabletool emulate`: one command for each kind of table."""

import typer

from hil_tests.emulators.card_shoe.operator import ShoeSetup
from hil_tests.emulators.draw_machine.operator import DrawSetup
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.money_wheel.operator import BigWheelSetup
from hil_tests.emulators.shuffler.operator import CardSetup
from hil_tests.emulators.tray_table import TraySetup
from tabletools.cli.emulate import options
from tabletools.cli.emulate.key import key_in
from tabletools.cli.emulate.playing import Order, run
from tabletools.errors import ToolError

EXAMPLES = """\b
Examples:
  tabletool emulate roulette --wheel double --spins 20 --seed 7 --out night.capture
  tabletool emulate roulette --fault mixed --out night.capture --truth night.truth
  tabletool emulate roulette --spins 3 --traces evidence
  tabletool emulate roulette --fault list
  tabletool emulate money_wheel --spins 5 --seed 7 --out wheel.capture
  tabletool emulate shuffler --spins 3 --fault jam_in --out cards.capture --truth cards.truth
  tabletool emulate dice --dice 2 --spins 5 --seed 7 --out dice.capture --traces evidence
  tabletool emulate card_shoe --spins 5 --out shoe.capture --truth shoe.truth
  tabletool emulate draw_machine --balls 75 --draws 0 --out bingo.capture --truth bingo.truth
  tabletool emulate roulette --serve 127.0.0.1:4001
  tabletool emulate roulette --serve 127.0.0.1:4001 --key keys.json
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    group = typer.Typer(help="Emulate a table: the shipped firmware on a model of its machine.")
    group.callback()(_group)
    group.command("roulette", epilog=EXAMPLES)(roulette)
    group.command("money_wheel", epilog=EXAMPLES)(money_wheel)
    group.command("shuffler", epilog=EXAMPLES)(shuffler)
    group.command("dice", epilog=EXAMPLES)(dice)
    group.command("card_shoe", epilog=EXAMPLES)(card_shoe)
    group.command("draw_machine", epilog=EXAMPLES)(draw_machine)
    app.add_typer(group, name="emulate", epilog=EXAMPLES)


def _group() -> None:
    """Emulate a table: the shipped firmware on a model of its machine."""


def roulette(
    wheel: options.Wheel = options.WheelKind.single,
    sensor: options.Sensor = options.PocketSensor.array,
    spins: options.Spins = None,
    seed: options.Seed = 1,
    fault: options.Fault = None,
    noise: options.Noise = options.NoiseLevel.healthy,
    out: options.Out = None,
    truth: options.Truth = None,
    serve: options.Serve = None,
    pty: options.Pty = False,
    acknowledge: options.Acknowledge = None,
    key: options.KeyFile = None,
    traces: options.Traces = None,
) -> None:
    """Play spins of an emulated roulette table.

    Time is virtual: a spin of half a minute takes a moment. With --serve or --pty the table plays
    by the wall clock until it is interrupted. With --key it speaks under a session only; served,
    it is for a reader of the port to begin one and to acknowledge: a table has one host.
    """
    run(Order(
        Geometry(wheel.value, sensor.value), seed, spins, fault, noise.value, out, truth, serve,
        pty, acknowledge, None if key is None else key_in(key), traces,
    ))  # fmt: skip


def money_wheel(
    segments: options.Segments = 52,
    spins: options.Spins = None,
    seed: options.Seed = 1,
    fault: options.Fault = None,
    noise: options.Noise = options.NoiseLevel.healthy,
    out: options.Out = None,
    truth: options.Truth = None,
    serve: options.Serve = None,
    pty: options.Pty = False,
    acknowledge: options.Acknowledge = None,
    key: options.KeyFile = None,
    traces: options.Traces = None,
) -> None:
    """Play rounds of an emulated money wheel (Big Wheel); options as for roulette."""
    if segments not in (52, 54):
        raise ToolError(f"no wheel of {segments} segments", where="--segments", limit="52 or 54")
    run(Order(
        BigWheelSetup(segments), seed, spins, fault, noise.value, out, truth, serve,
        pty, acknowledge, None if key is None else key_in(key), traces,
    ))  # fmt: skip


def shuffler(
    cards: options.Cards = 52,
    passes: options.Passes = 1,
    serial: options.Serial = False,
    spins: options.Spins = None,
    seed: options.Seed = 1,
    fault: options.Fault = None,
    noise: options.Noise = options.NoiseLevel.healthy,
    out: options.Out = None,
    truth: options.Truth = None,
    serve: options.Serve = None,
    pty: options.Pty = False,
    acknowledge: options.Acknowledge = None,
    key: options.KeyFile = None,
    traces: options.Traces = None,
) -> None:
    """Play rounds of an emulated card table with a shuffler; options as for roulette.

    Each round: a shuffle, the shoe released, bets, cards dealt. A fault befalls the next deck,
    shuffled while cards are dealt. Files hold counts and faults, never a card.
    """
    run(Order(
        CardSetup(cards, passes, serial), seed, spins, fault, noise.value, out, truth, serve,
        pty, acknowledge, None if key is None else key_in(key), traces,
    ))  # fmt: skip


def dice(
    dice: options.Dice = 3,
    large: options.Large = False,
    spins: options.Spins = None,
    seed: options.Seed = 1,
    fault: options.Fault = None,
    noise: options.Noise = options.NoiseLevel.healthy,
    out: options.Out = None,
    truth: options.Truth = None,
    serve: options.Serve = None,
    pty: options.Pty = False,
    acknowledge: options.Acknowledge = None,
    key: options.KeyFile = None,
    traces: options.Traces = None,
) -> None:
    """Play throws of an emulated dice tray; options as for roulette.

    Its camera sees drawn dice, read by the shipped program; a trace holds the picture as well.
    The far wall has three plates: of four dice and more, two often come to one plate together, and
    the throw is void (705).
    """
    run(Order(
        TraySetup(dice, large), seed, spins, fault, noise.value, out, truth, serve,
        pty, acknowledge, None if key is None else key_in(key), traces,
    ))  # fmt: skip


def card_shoe(
    decks: options.Decks = 8,
    spins: options.Spins = None,
    seed: options.Seed = 1,
    fault: options.Fault = None,
    out: options.Out = None,
    truth: options.Truth = None,
    serve: options.Serve = None,
    pty: options.Pty = False,
    acknowledge: options.Acknowledge = None,
    key: options.KeyFile = None,
    traces: options.Traces = None,
) -> None:
    """Play rounds of Punto Banco from an emulated shoe that reads its cards; options as before.

    The truth has the cards that left the shoe in each round, told or not. A spin is a round.
    """
    run(Order(
        ShoeSetup(decks), seed, spins, fault, options.NoiseLevel.healthy.value, out, truth, serve,
        pty, acknowledge, None if key is None else key_in(key), traces,
    ))  # fmt: skip


def draw_machine(
    balls: options.Balls = 80,
    draws: options.Draws = 20,
    spins: options.Spins = None,
    seed: options.Seed = 1,
    fault: options.Fault = None,
    noise: options.Noise = options.NoiseLevel.healthy,
    out: options.Out = None,
    truth: options.Truth = None,
    serve: options.Serve = None,
    pty: options.Pty = False,
    acknowledge: options.Acknowledge = None,
    key: options.KeyFile = None,
    traces: options.Traces = None,
) -> None:
    """Play draws of an emulated ball-draw machine, Keno or Bingo; options as for roulette.

    A Bingo draw ends when the host says that somebody has won; here after a number of balls drawn
    at random. Between two draws the balls are recalled and counted.
    """
    if draws > balls:
        raise ToolError(f"{draws} balls of {balls}", where="--draws", limit=f"0 to {balls}")
    run(Order(
        DrawSetup(balls, draws), seed, spins, fault, noise.value, out, truth, serve,
        pty, acknowledge, None if key is None else key_in(key), traces,
    ))  # fmt: skip
