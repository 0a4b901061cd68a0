"""Configuration of the nats-servers of an estate: one at each site, one at the centre.

A site is a leaf of the centre and protects itself: over the leaf connection nothing can be
published in its name, and its stream can be read but not changed. At the centre each site has an
account of its own, of which the centre sees the stream of the site and nothing else: so no site
reaches the streams of the centre or of another site.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tabletools.cms.origin import stream_of

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


def of_centre(
    listen: str,
    leaves: str,
    folder: Path,
    secrets: Mapping[str, str],
    tls: Certificates | None = None,
) -> str:
    """Return the configuration of the centre. listen, leaves: HOST:PORT for clients, for sites.

    secrets: passwords by site, and of the centre's own programs, which need theirs with tls only:
    without it clients are of this machine, but a certificate may be that of a site.
    """
    own = f"  {tls}\n" if tls else ""
    alone = "" if tls else f'no_auth_user: "{CENTRE}"\n'
    sites = [name for name in secrets if name != CENTRE]
    shared = {site: _shared(site) for site in sites}
    accounts = "".join(_account(site, shared[site]) for site in sites)
    imports = "".join(
        f'      {{ {kind}: {{ account: "{_owner(site)}", subject: "{subject}" }} }}\n'
        for site in sites
        for kind, subject in shared[site]
    )
    users = "".join(
        f'      {{ user: "{site}", password: "{secrets[site]}", account: "{_owner(site)}" }}\n'
        for site in sites
    )
    return _server(CENTRE, listen, folder, tls) + (
        f"accounts {{\n  {CENTRE} {{\n    jetstream: enabled\n"
        f'    users: [ {{ user: "{CENTRE}", password: "{secrets[CENTRE]}" }} ]\n'
        f"    imports: [\n{imports}    ]\n  }}\n{accounts}}}\n{alone}"
        f'leafnodes {{\n  listen: "{leaves}"\n{own}'
        f"  authorization {{\n    users: [\n{users}    ]\n  }}\n}}\n"
    )


def _shared(site: str) -> list[tuple[str, str]]:
    """Return what the centre and the account of a site share: its stream is read by these."""
    return [
        ("service", f"$JS.{site}.API.>"),
        ("service", f"$JS.FC.{stream_of(site)}.>"),
        ("stream", f"{delivery_of(site)}.>"),
    ]


def _owner(site: str) -> str:
    return f"site-{site}"


def _account(site: str, shared: list[tuple[str, str]]) -> str:
    exports = "".join(f'      {{ {kind}: "{subject}" }}\n' for kind, subject in shared)
    return f"  {_owner(site)} {{\n    exports: [\n{exports}    ]\n  }}\n"


def delivery_of(site: str) -> str:
    """Return the subject by which a site sends its stream to the centre."""
    return f"tablewire-deliver.{site}"


def of_site(
    site: str, listen: str, leaves: str, folder: Path, tls: Certificates | None = None
) -> str:
    """Return the configuration of a site.

    leaves: SITE:PASSWORD@HOST:PORT, at which the centre accepts it.
    """
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
