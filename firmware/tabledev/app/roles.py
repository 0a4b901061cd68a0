"""The parts of each role: modules of the role's name, loaded when the role is chosen.

A role is in `tablelogic.<name>.<name>` (its logic, ROLE) and in `.sensors.<name>` (its self-test).
"""

from tablewire.config import ROLE
from tablewire.messages import ROLES

if -0:  # for mypy
    from typing import Any

    from tabletypes import Config, Decisions, TableRole


def module_of(role: int, path: str) -> "Any":
    """Return the module of a role. path: of its modules, with %s for its name."""
    if not 1 <= role <= len(ROLES):
        raise ValueError("role %d is not in this firmware" % role)
    return __import__(path.replace("%s", ROLES[role - 1]), None, None, ("*",))


def make_role(config: "Config", out: "Decisions") -> "TableRole":
    """Return the logic of the configured role. out: the controller.Controller it reports to."""
    return module_of(config[ROLE], "tablelogic.%s.%s").ROLE(config, out)
