"""What `pipx install` gives: the whole tour beside no checkout; a small tool without extras."""

import re
import shlex
import signal
import subprocess
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest

from hil_tests.thinned import IS_SOAK, soak_only, thinned
from host_tools.delivery import dist
from host_tools.delivery.packages import ROOT
from host_tools.tests.wheel import Installation
from tabletools.cli.commands import COMMANDS

TOUR = (ROOT / "host_tools/docs/TOUR.md").read_text(encoding="utf-8")
FOLDER = "rm -rf tour && mkdir tour && cd tour"
# Runs until it is interrupted -> its first line once it can be reached.
SERVING = {"--serve": "serving on", "stock": "next: tabletool flash"}
MOST_BYTES = 80_000_000
ROUND = (
    '{"rules":"hc2023","game":"roulette","variant":"french","bets":[{"id":"1","bet":"split",'
    '"numbers":["0","1"],"stake":500}],"outcome":{"pocket":"1"}}'
)
# A line that needs the extra.
LACKING = {
    "play": "pit,dice",
    "demo": "pit,dice",
    "serve": "pit",
    "collect socket://127.0.0.1:1 --db x": "pit",
    "users list": "pit",
    "ledger verify x": "pit",
    "evidence x": "pit",
    "dice x.png": "dice",
    "emulate dice --spins 1": "dice",
    "audit --power": "audit",
    "trial x --db x --numbers x": "pit,audit",
    "replay traces/1.trace --plot x.png": "audit",
}


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Installation:
    """The wheel without extras; it compiles its modules when they first run."""
    wheel = dist.make(tmp_path_factory.mktemp("dist"))
    return Installation(tmp_path_factory.mktemp("bare"), wheel)


def blocks() -> list[list[str]]:
    """Return the lines of each sh block of the tour."""
    return [
        block.splitlines() for block in re.findall(r"```sh\n(.*?)```", TOUR, re.DOTALL) if block
    ]


def serve(installed: Installation, line: str, folder: Path, stack: ExitStack) -> None:
    """Start what runs until it is interrupted, and wait until it can be reached."""
    (first,) = (text for word, text in SERVING.items() if word in line.split())
    process = subprocess.Popen(
        shlex.split(line),
        executable=installed.bin / "tabletool",
        cwd=folder,
        env=installed.environment(folder),
        stdout=subprocess.PIPE,
        text=True,
    )
    stack.enter_context(process)
    stack.callback(process.send_signal, signal.SIGINT)
    assert any(text.startswith(first) for text in process.stdout), line


def tour(installed: Installation, home: Path) -> None:
    """Type every line of the page; what is served ends with its block.

    `make test` types one block in four.
    """
    begins, *more = blocks()
    for block in (begins, *thinned(more, 4)):
        with ExitStack() as stack:
            folder = home if block == [FOLDER] else home / "tour"
            for line in block:
                if set(SERVING) & set(line.split()):
                    serve(installed, line, folder, stack)
                    continue
                done = installed.run(line + " --once" * ("monitor" in line), folder)
                assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
                assert done.stdout.strip() or "--out" in line or line == FOLDER, line


@pytest.mark.waits
def test_every_line_of_the_tour_runs_beside_no_checkout(tmp_path, bare):
    """Emulated tables, a flashed board, keys, replays: in a folder that has nothing else."""
    where = "import tabletools.tree as t, tableemulator; print(t.TREE, t.IS_CHECKOUT)"
    done = bare.run(f'python -c "{where}"', tmp_path)
    assert done.stdout.split() == [str(bare.site / "tabletools" / "tree"), "False"]
    assert bare.run("python -c 'import hil_tests'", tmp_path).returncode != 0
    with bare.with_extras(*dist.HOST):
        for _ in range(2 if IS_SOAK else 1):
            tour(bare, tmp_path)


def test_without_extras_it_decodes_settles_and_emulates(tmp_path, bare):
    """And a command that needs an extra says which, and how to get it."""
    for line in (
        "tabletool emulate roulette --wheel single --spins 1 --traces traces --out a.capture",
        "tabletool decode a.capture --json",
        f"echo '{ROUND}' | tabletool settle -",
        "tabletool explain short_spin",
        "tabletool replay traces/*-1.trace",
        "tabletool --help",
    ):
        done = bare.run(line, tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), f"{line}\n{done.stdout}\n{done.stderr}"
    for line, extras in thinned([*LACKING.items()], 6):
        done = bare.run(f"tabletool {line.replace('traces/1', 'traces/*-1')}", tmp_path)
        assert f"pipx inject tablewire 'tablewire[{extras}]'" in done.stderr, done.stderr
        assert done.returncode == 1


def test_without_extras_it_is_small(bare):
    """Bytes of every file in the venv, with pip; compiled modules are as large as their source."""
    pip = sum(size_of(path) for path in Path(pytest.__file__).parents[1].glob("pip*"))
    ours = [path for path in bare.site.glob("table*/**/*") if path.suffix != ".pyc"]
    source = sum(path.stat().st_size for path in ours if path.is_file())
    packages = [path for path in bare.site.iterdir() if not path.name.startswith("table")]
    assert sum(map(size_of, packages)) + pip + 2 * source <= MOST_BYTES


def size_of(place: Path) -> int:
    """Bytes of a file, or of those below a folder, links to packages followed."""
    return place.stat().st_size if place.is_file() else sum(map(size_of, place.iterdir()))


@soak_only
def test_without_extras_a_board_is_flashed(tmp_path, bare):
    """The compiler and the prompt are part of the bare tool."""
    with ExitStack() as stack:
        serve(bare, "tabletool emulate stock --ports board", tmp_path, stack)
        words = "--board rpi_pico2 --role roulette --port board/prompt --link board/link"
        done = bare.run(f"tabletool flash {words} --keys keys.json", tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "files match" in done.stdout


def test_every_command_is_listed_with_its_module():
    """The list of the help names modules that are there, and no summary is cut."""
    for command in COMMANDS.values():
        assert find_spec(command.path) is not None
        assert len(command.summary) <= 80 - len("  clear-fault  ")
