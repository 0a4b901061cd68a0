"""What the reader of a played session sees: frames as they come, bets, settlements, books."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tabletools import decode, explain
from tabletools.console import number_text
from tabletools.decode import Record
from tabletools.play.books import Account, Books
from tabletools.play.house import Settled
from tabletools.play.players import Bet
from tabletools.rules.money import euros

_INDENT = " " * 14
_OUTCOMES = {"win": "bold green", "lose": "", "stand": "bold yellow", "void": "bold yellow"}
_NOT_WON = {"stand": "in play", "void": "stake back"}


class Screen:
    """Prints to a console. every: a line for each frame; else the heartbeats of a phase become
    one, and what single readers say is left to what the table makes of it.
    """

    def __init__(self, console: Console, *, every: bool = False) -> None:
        self._console = console
        self._every = every
        self._beats: list[Record] = []
        self._roles = decode.Roles()

    def say(self, text: str | Text = "", style: str = "") -> None:
        """One line as it is."""
        self._console.print(text, style=style, soft_wrap=True, highlight=False, markup=False)

    def title(self, role: str) -> None:
        """The head of an act."""
        self.say()
        self._console.rule(role.replace("_", " "), style="bold")

    def frame(self, record: Record) -> None:
        """One decoded frame."""
        self._roles.mark(record)
        if record["type"] == "heartbeat" and not self._every:
            if self._beats and self._beats[-1]["phase"] != record["phase"]:
                self._fold()
            self._beats.append(record)
            return
        if record["type"] == "reader_report" and not self._every:
            return
        self._fold()
        if record["type"] == "round_opened":
            self.say()
            self._console.rule(f"round {record['round']}", style="grey50", align="left")
        self.say(self._framed(record, decode.describe(self._roles.mark(record))))
        if record["type"] == "round_void":
            self.say(f"{_INDENT}{explain.find(str(record['code'])).cause}", style="italic")

    def _framed(self, record: Record, text: str) -> Text:
        line = Text(f"{record['uptime_ms'] / 1000:9.3f} s  {record['type']:<13} ")
        if record["type"] == "wheel_result":
            line.append_text(number_text(record["pocket"])).append("  ")
            text = text.lstrip().removeprefix(record["pocket"]).lstrip()
        text = text.replace("counter-clockwise", "↺").replace("clockwise", "↻")
        return line.append(text, "bold" if record["type"] == "round_void" else "")

    def _fold(self) -> None:
        """The heartbeats kept so far as one line: from the first to the last."""
        beats, self._beats = self._beats, []
        if not beats:
            return
        first, last = beats[0], beats[-1]
        text = decode.describe(self._roles.mark(last))
        if len(beats) > 1:
            lasted = (last["uptime_ms"] - first["uptime_ms"]) / 1000
            text = f"{text} ({len(beats)} times in {lasted:.1f} s)"
        self.say(self._framed(last, text), style="grey62")

    def taken(self, bet: Bet) -> None:
        """A bet on the cloth."""
        self.say(f"{_INDENT}{bet['player']:<5} lays {euros(bet['stake']):>10} on {named(bet)}")

    def refused(self, bet: Bet, why: str, article: str) -> None:
        """A bet that was not taken."""
        wish = f"{euros(bet['stake'])} on {named(bet)}"
        line = Text(f"{_INDENT}{bet['player']:<5} wants {wish}: ")
        self.say(line.append("REFUSED", "bold red").append(f", {why} ({article})"))

    def stands(self, bets: list[Bet]) -> None:
        """Bets a void left, at the opening of the next round."""
        total = euros(sum(bet["stake"] for bet in bets))
        self.say(f"{_INDENT}{len(bets)} bets of {total} still stand; the ball is spun again")

    def settled(self, settled: Settled) -> None:
        """Every bet of a round with what became of it and the article."""
        for bet, line in zip(settled.bets, settled.lines, strict=True):
            text = Text(f"{_INDENT}{bet['player']:<5} {named(bet):<22} {euros(line.stake):>10}  ")
            text.append(f"{line.outcome.upper():<6}", _OUTCOMES.get(line.outcome, "bold"))
            won = "+" + euros(line.win) if line.win else _NOT_WON.get(line.outcome, "")
            text.append(f"{won:>14}")
            self.say(text.append(f"  {line.rule}", "grey62"))

    def books(self, books: Books) -> None:
        """The balance of the session."""
        self._fold()
        table = Table(title="books, EUR", title_justify="left", header_style="bold")
        table.add_column("player")
        for name in ("staked", "returned", "kept", "in play", "winnings paid", "net"):
            table.add_column(name, justify="right")
        for name, account in sorted(books.accounts.items()):
            table.add_row(name, *_cells(account))
        table.add_section()
        table.add_row("all", *_cells(books.total()), style="bold")
        table.add_row("bank", "", "", "", "", "", _plain(books.bank))
        self.say()
        self._console.print(table, highlight=False)


def named(bet: Bet) -> str:
    """A bet as a croupier would call it: "split 17-20", "dozen 2", "red"."""
    kind: str = bet["bet"].replace("_", " ")
    if "index" in bet:
        return f"{kind} {bet['index']}"
    numbers = bet.get("numbers") or [str(each) for each in bet.get("on", [])]
    if len(numbers) > 4:
        return f"{kind} {numbers[0]}-{numbers[-1]}"
    return f"{kind} {'-'.join(numbers)}" if numbers else kind


def _cells(account: Account) -> list[str]:
    sums = (account.staked, account.returned, account.kept, account.live, account.won, account.net)
    return [_plain(cents) for cents in sums]


def _plain(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
