"""Configuration of the nats-servers of an estate: one at each site, one at the centre.

A site is a leaf of the centre and protects itself: over the leaf connection nothing can be
published in its name, and its stream can be read but not changed.
"""

from pathlib import Path

CENTRE = "centre"
_CHANGES = ("STREAM.CREATE", "STREAM.UPDATE", "STREAM.DELETE", "STREAM.PURGE", "STREAM.MSG.DELETE")


def of_centre(listen: str, leaves: str, folder: Path) -> str:
    """Return the configuration of the centre. listen, leaves: HOST:PORT for clients, for sites."""
    return _server(CENTRE, listen, folder) + f'leafnodes {{ listen: "{leaves}" }}\n'


def of_site(site: str, listen: str, leaves: str, folder: Path) -> str:
    """Return the configuration of a site. leaves: HOST:PORT at which the centre accepts sites."""
    denied = ["tablewire.>", *(f"$JS.{site}.API.{name}.>" for name in _CHANGES)]
    lines = "".join(f'      "{subject}"\n' for subject in denied)
    return _server(site, listen, folder) + (
        "leafnodes {\n  reconnect: 1\n  remotes: [ {\n"
        f'    url: "nats-leaf://{leaves}"\n'
        f'    deny_imports: [\n{lines}    ]\n    deny_exports: "tablewire.>"\n  }} ]\n}}\n'
    )


def _server(name: str, listen: str, folder: Path) -> str:
    return (
        f'server_name: "{name}"\nlisten: "{listen}"\n'
        f'jetstream {{ domain: "{name}", store_dir: "{folder}" }}\n'
    )
