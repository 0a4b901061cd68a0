"""The terminal view of a table: its state computed from records, and the picture of it."""

from tabletools.console.printed_numbers import number_text, wheel_strip
from tabletools.console.table_screen import HEIGHT, WIDTH, screen
from tabletools.console.view import Event, TableView

__all__ = ["HEIGHT", "WIDTH", "Event", "TableView", "number_text", "screen", "wheel_strip"]
