"""A figure of a bench: name, value, unit, target and verdict, as run.py prints it."""

Figure = dict[str, object]


def reported(name: str, value: float, unit: str) -> Figure:
    """Return a figure without a target of its own."""
    return {"name": name, "value": value, "unit": unit, "target": None, "verdict": "reported"}


def judged(name: str, value: float, unit: str, target: object, *, is_met: bool) -> Figure:
    """Return a figure with a target, as shown: a number, or text such as `>= 2`."""
    verdict = "met" if is_met else "short"
    return {"name": name, "value": value, "unit": unit, "target": target, "verdict": verdict}
