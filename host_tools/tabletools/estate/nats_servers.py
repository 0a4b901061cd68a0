"""Configuration of the nats-servers of an estate: one at each site, one at the centre.

A site is a leaf of the centre and protects itself: over the leaf connection nothing can be
published in its name, and its stream can be read but not changed.
"""

from pathlib import Path
from typing import NamedTuple

CENTRE = "centre"
_CHANGES = ("STREAM.CREATE", "STREAM.UPDATE", "STREAM.DELETE", "STREAM.PURGE", "STREAM.MSG.DELETE")


class Certificates(NamedTuple):
    """Files of a server that talks to holders of certificates alone, as PEM."""

    authority: Path
    certificate: Path
    key: Path

    def __str__(self) -> str:
        return (
            f'tls {{ ca_file: "{self.authority}", cert_file: "{self.certificate}",'
            f' key_file: "{self.key}", verify: true }}'
        )


def of_centre(listen: str, leaves: str, folder: Path, tls: Certificates | None = None) -> str:
    """Return the configuration of the centre. listen, leaves: HOST:PORT for clients, for sites."""
    own = f"  {tls}\n" if tls else ""
    return _server(CENTRE, listen, folder, tls) + (
        f'leafnodes {{\n  listen: "{leaves}"\n{own}}}\n'
    )


def of_site(
    site: str, listen: str, leaves: str, folder: Path, tls: Certificates | None = None
) -> str:
    """Return the configuration of a site. leaves: HOST:PORT at which the centre accepts sites."""
    scheme, own = ("tls", f"    {tls}\n") if tls else ("nats-leaf", "")
    denied = ["tablewire.>", *(f"$JS.{site}.API.{name}.>" for name in _CHANGES)]
    lines = "".join(f'      "{subject}"\n' for subject in denied)
    return _server(site, listen, folder, tls) + (
        "leafnodes {\n  reconnect: 1\n  remotes: [ {\n"
        f'    url: "{scheme}://{leaves}"\n{own}'
        f'    deny_imports: [\n{lines}    ]\n    deny_exports: "tablewire.>"\n  }} ]\n}}\n'
    )


def _server(name: str, listen: str, folder: Path, tls: Certificates | None) -> str:
    own = f"{tls}\n" if tls else ""
    return (
        f'server_name: "{name}"\nlisten: "{listen}"\n{own}'
        f'jetstream {{ domain: "{name}", store_dir: "{folder}" }}\n'
    )
