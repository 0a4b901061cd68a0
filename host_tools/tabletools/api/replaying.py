"""The replay of a round from its trace in the ledger: verdict, story and picture."""

from base64 import b64encode
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabletools.api.fairness import DRAWING
from tabletools.replay import AGREES, Run, Trace, TraceError, Verdict, draw, is_drawn, replayed
from tabletools.replay.parsed_trace import contents
from tabletools.replay.story import headline, timeline
from tabletools.replay.traced_frame import size_of as tray_size

Row = dict[str, Any]
NONE: Row = {"has_trace": False, "has_picture": False, "word": None, "trouble": None, "story": []}
US_PER_S = 1_000_000


def summary(data: bytes | None) -> Row:
    """The result of replaying a trace, or a note that there is none."""
    if data is None:
        return dict(NONE)
    try:
        trace, run, verdict = replayed(data)
    except TraceError as error:
        trouble = f"{error.what}; {error.cause}; {error.step}"
        has_picture = _photograph(data) is not None
        return NONE | {
            "has_trace": True,
            "has_picture": has_picture,
            "word": "is not possible",
            "trouble": trouble,
        }
    return {
        "has_trace": True,
        "has_picture": is_drawn(trace) or trace.frame is not None,
        "word": verdict.word,
        "trouble": "; ".join(verdict.differences) or None,
        "story": _story(trace, run, verdict),
    }


def _photograph(data: bytes) -> tuple[Trace, bytes] | None:
    """Return a trace with the photograph in it, of any release; None where it has none."""
    try:
        trace = contents(data)
    except TraceError:
        return None
    return None if trace.frame is None else (trace, trace.frame)


def photograph(trace: Trace, frame: bytes) -> bytes:
    """What the camera of a tray saw, as SVG."""
    from PIL import Image

    size = width, height = tray_size(trace.config)
    file = BytesIO()
    Image.frombytes("L", size, frame).save(file, "PNG")
    data = b64encode(file.getvalue()).decode()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f'<image width="{width}" height="{height}" href="data:image/png;base64,{data}"/></svg>'
    ).encode()


def _story(trace: Trace, run: Run, verdict: Verdict) -> list[str]:
    lines = [headline(trace)]
    lines += [f"{at_us / US_PER_S:9.3f} s  {text}" for at_us, text in timeline(run)]
    if verdict.word == AGREES:
        lines.append("the table's own logic, run again, gives the same record")
    return lines


def picture(data: bytes) -> bytes | None:
    """The replay as SVG, None where there is no picture of it."""
    if (photographed := _photograph(data)) is not None:
        return photograph(*photographed)
    try:
        trace, run, verdict = replayed(data)
    except TraceError:
        return None
    if not is_drawn(trace):
        return None
    with DRAWING, TemporaryDirectory() as folder:
        path = Path(folder) / "replay.svg"
        draw(path, trace, run, verdict)
        return path.read_bytes()
