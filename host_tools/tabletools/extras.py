"""The extras of the distribution, and what a command says that lacks a package of one.

The facts are those of the installed metadata, which pyproject.toml declares.
"""

import re
from importlib.metadata import PackageNotFoundError, distribution, requires

from tabletools.errors import ToolError

# Modules whose package has another name.
_PACKAGES = {
    "PIL": "pillow",
    "argon2": "argon2-cffi",
    "cv2": "opencv-python-headless",
    "nats": "nats-py",
    "paho": "paho-mqtt",
    "prometheus_client": "prometheus-client",
    # Parts of FastAPI.
    "pydantic": "fastapi",
    "starlette": "fastapi",
}
_REQUIREMENT = re.compile(r"""^([\w.-]+).*;\s*extra\s*==\s*["'](\w+)["']""")


def packages_by_extra() -> dict[str, frozenset[str]]:
    """Extra -> the packages that it brings."""
    pairs = [
        (match[2], match[1].lower())
        for line in requires("tablewire") or []
        if (match := _REQUIREMENT.match(line))
    ]
    return {
        extra: frozenset(name for other, name in pairs if other == extra) for extra, _ in pairs
    }


def lacking(error: ModuleNotFoundError, command: str, wanted: tuple[str, ...]) -> ToolError | None:
    """The message for a command that imported what is not installed; None if no extra has it.

    wanted: the extras that the command always needs; where none of them has the module, which an
    option of the command needs, the first extra that has it is named.
    """
    module = (error.name or "").partition(".")[0]
    package = _PACKAGES.get(module, module)
    extras = packages_by_extra()
    having = [extra for extra, packages in extras.items() if package in packages]
    if not having:
        return None
    fitting = [extra for extra in wanted if not _is_installed(extras[extra])]
    names = ",".join(fitting if set(fitting) & set(having) else having[:1])
    return ToolError(
        f"`{command}` needs {package}, which is not installed",
        step=f"pipx inject tablewire 'tablewire[{names}]' (without pipx:"
        f" pip install 'tablewire[{names}]')",
    )


def _is_installed(packages: frozenset[str]) -> bool:
    try:
        return all(distribution(package) for package in packages)
    except PackageNotFoundError:
        return False
