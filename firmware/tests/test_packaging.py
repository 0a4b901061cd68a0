"""What is frozen and what mip installs is what the rig runs.

package.json lists every file; after adding one run `python firmware/tests/test_packaging.py`.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

from hil_tests.controller import program
from hil_tests.rigs.stock import StockBoard

FIRMWARE = Path(__file__).resolve().parents[1]
PACKAGE = FIRMWARE / "package.json"
# The board's data is chosen by whoever builds the table.
SHIPPED = sorted(name.lstrip("/") for name in program() if name != "/board.py")


def released():
    """The version of the distribution."""
    text = (FIRMWARE.parent / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]["version"]


def package_json():
    """What package.json has to hold: places relative to itself."""
    urls = [[n, f"../protocol/{n}" if n.startswith("tablewire/") else n] for n in SHIPPED]
    lines = ",\n".join(f"    {json.dumps(url)}" for url in urls)
    return f'{{\n  "version": "{released()}",\n  "deps": [],\n  "urls": [\n{lines}\n  ]\n}}\n'


def test_the_manifest_freezes_every_file():
    """Run with the names makemanifest gives it."""
    found = []

    def package(name, base_path="."):
        folder = (FIRMWARE / base_path / name).resolve()
        found.extend(f"{name}/{path.relative_to(folder)}" for path in folder.rglob("*.py"))

    def module(name):
        assert (FIRMWARE / name).is_file()
        found.append(name)

    names = {"package": package, "module": module, "include": lambda path: None}
    exec((FIRMWARE / "manifest.py").read_text(encoding="utf-8"), names)
    assert sorted(found) == SHIPPED


def test_mip_installs_every_file():
    """From places that are there; run this file to write the list again."""
    assert PACKAGE.read_text(encoding="utf-8") == package_json()
    for _, source in json.loads(package_json())["urls"]:
        assert (FIRMWARE / source).is_file()


def test_mip_of_mpremote_takes_the_list(tmp_path):
    """Every twentieth file of it, by the real mpremote, onto a stock board, each in its place."""
    chosen = json.loads(package_json())["urls"][::20]
    place = tmp_path / "firmware"
    for _, source in chosen:
        (place / source).parent.mkdir(parents=True, exist_ok=True)
        (place / source).write_bytes((FIRMWARE / source).read_bytes())
    (place / "package.json").write_text(json.dumps({"urls": chosen, "version": released()}))
    with StockBoard() as board:
        words = ["connect", board.prompt, "mip", "install", "--target", "/", "package.json"]
        done = subprocess.run(
            [sys.executable, "-m", "mpremote", *words], cwd=place, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert board.files == {
            f"/{name}": (place / source).read_bytes() for name, source in chosen
        }


def test_the_device_tells_the_version_released():
    """One number for the distribution and the identity message."""
    from tabledev.app import version

    assert f"{version.MAJOR}.{version.MINOR}.{version.PATCH}" == released()


if __name__ == "__main__":
    PACKAGE.write_text(package_json(), encoding="utf-8")
