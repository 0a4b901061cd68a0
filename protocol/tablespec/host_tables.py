"""What a host has in place of the tables of a device, out of the Structs.

Importing this puts it there. A host decodes every table, so it has the words of every role, and a
faster unstuffing.
"""

from importlib import import_module

import tablewire.unstuffing  # noqa: F401  (installs itself)
from tablespec.checks import compiled
from tablespec.layout_source import fills, layout
from tablespec.message_list import MESSAGES
from tablespec.roles import ROLES
from tablewire.codec import QUICKER
from tablewire.layouts import APPENDED, LAYOUTS


def _install() -> None:
    for role in ROLES:  # a role's words put the device's tables there when they are imported
        import_module(f"tablewire.{role.name}")
    grown = {message.id: fills(message) for message in MESSAGES}
    derived = (
        (LAYOUTS, {message.id: layout(message) for message in MESSAGES}),
        (APPENDED, {ident: fillers for ident, fillers in grown.items() if fillers}),
        (QUICKER, compiled(MESSAGES)),
    )
    for table, content in derived:
        table.clear()
        table.update(content)


_install()
