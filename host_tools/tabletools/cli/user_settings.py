"""The settings of a user: a port, a keyring and a ledger that commands take where none is named.

A TOML file, by default ~/.config/tablewire/tabletool.toml:

    port = "/dev/serial/by-id/usb-FTDI_FT232R-if00-port0"
    keys = "~/keys.json"
    ledger = "postgresql://pit@db.example/pit"
"""

import os
import tomllib
from pathlib import Path
from typing import Any

from tabletools.errors import ToolError

NAMES = ("port", "keys", "ledger")
VARIABLE = "TABLETOOL_CONFIG"
FILE = "tablewire/tabletool.toml"
# Their port is that of a prompt, of the web, or a list; `serve` has a settings file of its own.
_OWN_WAYS = frozenset({"demo", "flash", "port", "serve"})
# Parameter of a command -> the setting.
_SETTING = {"port": "port", "keys": "keys", "ledger": "ledger", "db": "ledger", "place": "ledger"}


def settings_file() -> Path:
    """The file of this user, which need not exist."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / FILE


def user_settings() -> dict[str, str]:
    """Return the settings by name; none where there is no file. Raises ToolError."""
    file = settings_file()
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        why = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        what = f"cannot read the settings: {getattr(error, 'strerror', None) or why}"
        raise ToolError(what, where=str(file), step="correct or remove the file") from error
    for name, value in settings.items():
        if name not in NAMES or not isinstance(value, str):
            raise ToolError(
                f"{name} = {value!r} is no setting",
                where=str(file),
                limit="text for " + ", ".join(NAMES),
                step="correct or remove it",
            )
    paths = {"keys", "ledger"} & settings.keys()
    return settings | {name: os.path.expanduser(settings[name]) for name in paths}


def apply(name: str, command: Any, settings: dict[str, str]) -> None:
    """Let the parameters of a command, and of those below it, have these settings as defaults.

    A port or a ledger is one only where nothing else is required: by its place it could not be
    distinguished from the argument that follows. A required option `ledger` is one beside others:
    a `db` may be another database.
    """
    if name in _OWN_WAYS or not settings:
        return
    for below in getattr(command, "commands", {}).values():
        apply(name, below, settings)
    required = [each for each in command.params if each.required]
    for parameter in command.params:
        setting = _SETTING.get(parameter.name, "")
        is_alone = parameter.required and required == [parameter]
        is_ledger = parameter.required and parameter.name == "ledger"
        is_ring = setting == "keys" and not parameter.multiple
        if setting in settings and (is_ring or is_ledger or is_alone):
            parameter.default, parameter.required = settings[setting], False
