"""The engine and the board of a self-test, at a table of one role."""

from typing import Protocol

from tabledev.app.self_test import Tally
from tabledev.app.sensors.card_shoe import Pulls
from tabledev.app.sensors.input_rows import Board
from tabledev.app.sensors.roulette import Places
from tabledev.app.sensors.shuffler import Gates
from tabledev.app.sight import Sight
from tablelogic.card_shoe.card_shoe import CardShoe
from tablelogic.dice_tray.dice_tray import DiceTray
from tablelogic.draw_machine.draw_machine import DrawMachine
from tablelogic.money_wheel.money_wheel import MoneyWheel
from tablelogic.roulette.roulette import Roulette
from tablelogic.shuffler.shuffler import Shuffler

class TrayEngine(Protocol):
    @property
    def role(self) -> DiceTray: ...
    @property
    def done(self) -> bool: ...
    def order(self, ident: int, values: list[int]) -> int: ...

class _RouletteTally(Tally):
    places: Places | None

class RouletteBoard(Board):
    role: Roulette
    tally: _RouletteTally

class WheelBoard(Board):
    role: MoneyWheel

class _ShufflerTally(Tally):
    places: Gates | None

class ShufflerBoard(Board):
    role: Shuffler
    tally: _ShufflerTally

class _ShoeTally(Tally):
    places: Pulls | None

class ShoeBoard(Board):
    role: CardShoe
    tally: _ShoeTally

class TrayBoard(Board):
    role: DiceTray
    sight: Sight

class DrawBoard(Board):
    role: DrawMachine
