"""The display of a played session: frames as they come, bets, settlements, books."""

from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tabletools import decode, explain, roles
from tabletools.console import number_text
from tabletools.decode import Head, Record
from tabletools.decode.core_messages import Heartbeat
from tabletools.play.players import Bet, name_of
from tabletools.play.settled import Settled, Sums
from tabletools.rules.money import euros

WIDTH = 100
_INDENT = " " * 14
_OUTCOMES = {"win": "bold green", "lose": "", "stand": "bold yellow", "void": "bold yellow"}
# Answers to the host's own requests, and reports of single readers.
_BETWEEN = frozenset(("reader_report", "configuration", "trace_chunk"))
_NOT_WON = {"stand": "in play", "void": "stake back"}


class _Beat(NamedTuple):
    head: Head
    phase: str
    text: str


class Screen:
    """Prints to a console. every: a line for each frame; else the heartbeats of a phase become one
    line, and the answers to the host's requests and reports of single readers are omitted.
    """

    def __init__(self, console: Console, *, every: bool = False) -> None:
        self._console = console
        self._every = every
        self._beats: list[_Beat] = []
        self._width = min(WIDTH, console.width) if console.is_terminal else WIDTH

    def say(self, text: str | Text = "", style: str = "") -> None:
        """Print one line. What does not fit goes on below: a frame's or a bet's in its column."""
        line = Text.assemble(text)
        indent = _INDENT if line.plain.startswith(" ") else ""
        whole = line.wrap(self._console, self._width)[0]
        if len(whole) < len(line):
            rest = line[len(whole) :].wrap(self._console, self._width - len(indent))
            whole.rstrip()
            line = Text("\n").join([whole, *(Text(indent) + part for part in rest)])
        self._console.print(line, style=style, soft_wrap=True, highlight=False, markup=False)

    def title(self, role: str) -> None:
        """The head of an act."""
        self.say()
        self._console.rule(role.replace("_", " "), style="bold")

    def frame(self, record: Record) -> None:
        """Print one decoded frame."""
        head, text = decode.head_of(record), decode.describe(record)
        if head.type == "heartbeat" and not self._every:
            phase = Heartbeat.of_record(record).phase
            if self._beats and self._beats[-1].phase != phase:
                self._fold()
            self._beats.append(_Beat(head, phase, text))
            return
        if head.type in _BETWEEN and not self._every:
            return
        self._fold()
        if head.type == "round_opened":
            self.say()
            self._console.rule(f"round {head.round}", style="grey50", align="left")
        self.say(_frame_text(head, text, _number(record)))
        if head.type == "round_void":
            self.say(f"{_INDENT}{explain.find(str(record['code'])).cause}", style="italic")

    def _fold(self) -> None:
        """Print the pending heartbeats as one line: from the first to the last."""
        beats, self._beats = self._beats, []
        if not beats:
            return
        first, last = beats[0], beats[-1]
        text = last.text
        if len(beats) > 1:
            span_s = (last.head.uptime_ms - first.head.uptime_ms) / 1000
            text = f"{text} ({len(beats)} times in {span_s:.1f} s)"
        self.say(_frame_text(last.head, text), style="grey62")

    def accept(self, bet: Bet) -> None:
        """Print an accepted bet."""
        stake = euros(bet.stake_cents)
        self.say(f"{_INDENT}{bet.player:<5} bets {stake:>10} on {name_of(bet.slip)}")

    def late(self, bet: Bet, ruling: str, article: str) -> None:
        """Print a bet that came after no more bets, and its ruling."""
        self.say(self._request(bet).append("LATE", "bold red").append(f", {ruling} ({article})"))

    def refuse(self, bet: Bet, why: str) -> None:
        """Print a bet that was refused."""
        self.say(self._request(bet).append("REFUSED", "bold red").append(f", {why}"))

    def _request(self, bet: Bet) -> Text:
        text = f"{euros(bet.stake_cents)} on {name_of(bet.slip)}"
        return Text(f"{_INDENT}{bet.player:<5} requests {text}: ")

    def stands(self, stakes_cents: list[int]) -> None:
        """Print bets that a void left, at the opening of the next round."""
        total = euros(sum(stakes_cents))
        self.say(f"{_INDENT}{len(stakes_cents)} bets of {total} are still in play")

    def settle(self, settled: Settled) -> None:
        """Print every bet of a round with its result and the article."""
        for bet in settled.bets:
            outcome, place = bet.outcome or "", name_of(bet.slip)
            text = Text(f"{_INDENT}{bet.player:<5} {place:<22} {euros(bet.stake_cents):>10}  ")
            text.append(f"{outcome.upper():<6}", _OUTCOMES.get(outcome, "bold"))
            won = "+" + euros(bet.win_cents) if bet.win_cents else ""
            text.append(f"{won or _NOT_WON.get(outcome, ''):>14}")
            self.say(text.append(f"  {bet.rule}", "grey62"))

    def books(self, sums: dict[str, Sums], bank_cents: int) -> None:
        """Print the balance of a table. bank_cents: the bank's balance in the ledger."""
        self._fold()
        table = Table(title="books, EUR", title_justify="left", header_style="bold")
        table.add_column("player")
        for name in ("staked", "returned", "kept", "in play", "winnings paid", "net"):
            table.add_column(name, justify="right")
        total = Sums()
        for name, each in sorted(sums.items()):
            table.add_row(name, *_cells(each))
            total = total.plus(each)
        table.add_section()
        table.add_row("all", *_cells(total), style="bold")
        table.add_row("bank", "", "", "", "", "", _plain(bank_cents))
        self.say()
        self._console.print(table, highlight=False)


def _number(record: Record) -> Text | None:
    """A result in the colours of its cloth; None of another record or machine."""
    name = roles.of_result(roles.kind_of(record))
    role = None if name is None else roles.role(name)
    if role is None or role.displayed is None or role.printed is None:
        return None
    return number_text(role.displayed(record), role.printed)


def _frame_text(head: Head, text: str, number: Text | None = None) -> Text:
    """A frame as a line. number: the result in colours, which its text begins with."""
    line = Text(f"{head.uptime_ms / 1000:9.3f} s  {head.type:<13} ")
    if number is not None:
        line.append_text(number).append("  ")
        text = text.lstrip().removeprefix(number.plain.strip()).lstrip()
    text = text.replace("counter-clockwise", "↺").replace("clockwise", "↻")
    return line.append(text, "bold" if head.type == "round_void" else "")


def _cells(sums: Sums) -> list[str]:
    return [_plain(cents) for cents in (*sums, sums.net)]


def _plain(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
