"""Offers of the centre at the console: read, taken with a reason, withdrawn; in a browser."""

import re

import pytest
from cryptography.hazmat.primitives import serialization
from playwright.sync_api import expect

from host_tools.tests.browser import breaches, console, go
from host_tools.tests.served import Host
from host_tools.tests.test_offers import Centre
from tabletools import release

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def centre(tmp_path):
    return Centre(tmp_path / "offers", 1_800_000_000 * 10**9)


@pytest.fixture
def host(centre, tmp_path):
    """A host with a release, a configuration, and a file that is no offer."""
    centre.firmware(1, 12, name="Firmware 1.12")
    centre.offer(2, name=EVIL)
    centre.folder.joinpath("other.offer").touch()
    files = {"offers_key": centre.key, "release_key": centre.publisher}
    settings = {"site": "athens", "offers": str(centre.folder)}
    for name, key in files.items():
        release.make_keys(tmp_path / name)
        public = tmp_path / f"{name}.pub"
        public.write_bytes(pem_of(key))
        settings[name] = str(public)
    with Host(str(tmp_path / "ledger"), **settings) as new_host:
        for name, role in (("Tim", "technician"), ("Dan", "dealer")):
            new_host.user(name, role)
        yield new_host


def pem_of(key):
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form)


def row(page, text):
    return page.get_by_role("row").filter(has_text=text)


def test_a_technician_takes_an_offer_and_sees_that_it_was_withdrawn(chromium, host, centre):
    size = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    with console(chromium, host.url, name="Tim", **size) as page:
        go(page, "#/offers", "Offers")
        expect(row(page, EVIL)).to_contain_text("Roulette 1")  # markup is text
        expect(row(page, "other.offer")).to_contain_text("not the file of an offer")
        page.get_by_role("button", name="Decide offer 1").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text(re.compile("For rpi_pico2. SHA-256 [0-9a-f]{64}"))
        assert dialog.evaluate("one => one.scrollWidth <= one.clientWidth")  # the digest wraps
        dialog.get_by_label("Reason").fill("tried on table 3")
        assert breaches(page) == []
        dialog.get_by_role("button", name="Take", exact=True).click()
        expect(row(page, "Firmware 1.12")).to_contain_text("Taken")
        expect(row(page, "Firmware 1.12")).to_contain_text("Tim: tried on table 3")
        assert breaches(page) == []
        centre.withdraw(3, offer=1)
        go(page, "#/", "Pit")
        go(page, "#/offers", "Offers")
        expect(row(page, "Firmware 1.12")).to_contain_text("Withdrawn since: do not install")


def test_a_dealer_reads_offers_and_decides_none(chromium, host):
    with console(chromium, host.url, name="Dan") as page:
        go(page, "#/offers", "Offers")
        expect(row(page, "Firmware 1.12")).to_contain_text("Open")
        expect(page.get_by_role("button", name=re.compile("Decide"))).to_have_count(0)
