"""A number with its noun, as a sentence has it."""


def count_of(number: int, noun: str) -> str:
    """Return "1 card", "2 cards". noun: in the singular."""
    plural = "dice" if noun == "die" else f"{noun}es" if noun[-1:] in "sh" else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
