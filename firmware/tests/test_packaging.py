"""What is frozen and what mip installs is what the rig runs.

mip.json lists every file; after adding one run `python firmware/tests/test_packaging.py`.
"""

import json
import os
import subprocess
import sys
import threading
import tomllib
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tableemulator.board.stock import StockBoard
from tableemulator.shipped_controller import program

FIRMWARE = Path(__file__).resolve().parents[1]
ROOT = FIRMWARE.parent
PACKAGE = ROOT / "mip.json"
# The board's data is chosen by whoever builds the table.
SHIPPED = sorted(name.lstrip("/") for name in program() if name != "/board.py")


def released():
    """The version of the distribution."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]["version"]


def mip_json():
    """What mip.json has to hold: places below its own, which every index and server takes."""
    urls = [
        [n, f"{'protocol' if n.startswith('tablewire/') else 'firmware'}/{n}"] for n in SHIPPED
    ]
    lines = ",\n".join(f"    {json.dumps(url)}" for url in urls)
    return f'{{\n  "version": "{released()}",\n  "deps": [],\n  "urls": [\n{lines}\n  ]\n}}\n'


def test_the_manifest_freezes_every_file():
    """Run with the names makemanifest gives it."""
    files = []

    def package(name, base_path="."):
        folder = (FIRMWARE / base_path / name).resolve()
        files.extend(f"{name}/{path.relative_to(folder)}" for path in folder.rglob("*.py"))

    def module(name):
        assert (FIRMWARE / name).is_file()
        files.append(name)

    names = {"package": package, "module": module, "include": lambda path: None}
    exec((FIRMWARE / "manifest.py").read_text(encoding="utf-8"), names)
    assert sorted(files) == SHIPPED


def test_mip_installs_every_file():
    """From places that are there; run this file to write the list again."""
    assert PACKAGE.read_text(encoding="utf-8") == mip_json()
    for _, source in json.loads(mip_json())["urls"]:
        assert (ROOT / source).is_file()
        assert ".." not in source


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that does not tell what it served."""

    def log_message(self, format, *args):
        pass


@contextmanager
def serve(folder):
    """The address of a plain web server of a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def mip_install(port, package, folder):
    """Have the real mpremote install a package at a port."""
    words = ["connect", port, "mip", "install", "--target", "/", package]
    done = subprocess.run(
        [sys.executable, "-m", "mpremote", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "no_proxy": "127.0.0.1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_mip_of_mpremote_takes_the_list(tmp_path):
    """Every eighteenth file onto a stock board, half from a folder, half from a web server."""
    chosen = json.loads(mip_json())["urls"][::18]
    for _, source in chosen:
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / source).write_bytes((ROOT / source).read_bytes())
    with StockBoard() as board, serve(tmp_path) as address:
        for half, base in ((chosen[1::2], ""), (chosen[::2], f"{address}/")):
            (tmp_path / "mip.json").write_text(json.dumps({"urls": half, "version": released()}))
            mip_install(board.prompt, f"{base}mip.json", tmp_path)
        assert board.files == {f"/{name}": (ROOT / source).read_bytes() for name, source in chosen}


def test_the_device_tells_the_version_released():
    """One number for the distribution and the identity message."""
    from tabledev.app import version

    assert f"{version.MAJOR}.{version.MINOR}.{version.PATCH}" == released()


if __name__ == "__main__":
    PACKAGE.write_text(mip_json(), encoding="utf-8")
