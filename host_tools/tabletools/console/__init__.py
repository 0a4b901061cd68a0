"""The terminal view of a table: its state computed from records, and the picture of it."""

from tabletools.console.numbers import number_text, wheel_strip
from tabletools.console.picture import HEIGHT, WIDTH, picture
from tabletools.console.view import Event, TableView

__all__ = ["HEIGHT", "WIDTH", "Event", "TableView", "number_text", "picture", "wheel_strip"]
