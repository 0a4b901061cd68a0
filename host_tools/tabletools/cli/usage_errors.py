"""What the parser of the command line says, in the words of this program."""

import re
from difflib import get_close_matches

# (what the parser says, what this program says): the first that fits.
_WHOLE = (
    (r"Missing (?:argument|parameter) '?(.*?)'?", r"\1 is missing"),
    (r"Missing option '(.*)'", r"\1 is missing"),
    (r"Missing command", "a command is missing"),
    (r"No such command ('.*?')\. Did you mean (.*)\?", r"no command \1: did you mean \2?"),
    (r"No such command ('.*')", r"no command \1"),
    (r"No such option: (\S+)", r"no option \1"),
    (r"Got unexpected extra argument(?:\(s\)|s)? \((.*)\)", r"more arguments than it takes: \1"),
    (r"Option '(.*)' requires an argument", r"\1 needs a value"),
    (r"Option '(.*)' does not take a value", r"\1 takes no value"),
)
_OPTION = re.compile(r"No such option: (\S+) \(Possible options: (.*)\)")
_VALUE = re.compile(r"Invalid value for '?(.*?)'?: (.*)")
_REASONS = (
    (r"Value error, (.*)", r"\1"),
    (r"Input should be a valid number.*", "not a number"),
    (r"Input should be a valid integer.*", "not a whole number"),
    (r"Input should be greater than or equal to (.*)", r"the least is \1"),
    (r"Input should be less than or equal to (.*)", r"the most is \1"),
    (r"Input should be (.*)", r"it has to be \1"),
)


def in_our_words(message: str) -> str:
    """Return a message of the parser as one line in lower case, without its full stop."""
    text = " ".join(message.split()).rstrip(".")
    if value := _VALUE.fullmatch(text):
        return f"{value[1].split(' / ')[-1]}: {_first(_REASONS, value[2])}"
    if option := _OPTION.fullmatch(text):
        return _no_option(option[1], option[2].split(", "))
    return _first(_WHOLE, text)


def _no_option(name: str, offers: list[str]) -> str:
    """Of the options that the parser offers, those that are near without the dashes they share."""
    words = {offer.lstrip("-"): offer for offer in offers}
    near = ", ".join(words[word] for word in get_close_matches(name.lstrip("-"), words))
    return f"no option {name}" + (f": did you mean {near}?" if near else "")


def _first(words: tuple[tuple[str, str], ...], text: str) -> str:
    for pattern, ours in words:
        if match := re.fullmatch(pattern, text):
            return match.expand(ours)
    return text
