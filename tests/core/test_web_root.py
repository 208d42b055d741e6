"""Addresses in pages and scripts begin with the root, under which everything lies."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from farkel.web.pages.rendering import WEB
from web_helpers import sited

ROOT = "/farkel/"
BARE = re.compile(r"""["'`=(,\s]/(?![/*>\s])[\w?#"'`${]""")
"""An address that begins with a slash, in a template or a script."""
NONE = re.compile(
    r"/\^.*?/[a-z]*\.|replaceAll\(.*?\)|replace\(/.*?/[a-z]*,|endsWith\(.*?\)|^\s*(//|/?\*).*$", re.MULTILINE
)
"""What only looks like one: regular expressions, ends of addresses, comments."""
SOURCES = sorted(
    path
    for folder in ("templates", "static")
    for path in (WEB / folder).rglob("*")
    if path.suffix in (".html", ".js", ".css") and "vendor" not in path.parts
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_template_script_or_style_has_an_address_that_leaves_out_the_root(path: Path) -> None:
    text = NONE.sub("", path.read_text("utf-8"))
    assert BARE.findall(text) == []


async def test_pages_below_a_root_lead_nowhere_else(sqlite: str) -> None:
    async with sited(sqlite, root=ROOT) as site:
        form = {"name-0": "Ann", "name-1": "Ben", "rules": "minimal", "way": "own"}
        opened = await site.client.post("/", data=form)
        game = opened.headers["location"]
        assert game.startswith("/g/")  # whatever passes requests on adds the root
        cookies = "; ".join(f"{one.name}={one.value}" for one in site.client.cookies.jar)
        for path in (
            "/",
            "/new",
            "/rules",
            "/rules/edit",
            "/rules/sheet",
            "/groups",
            "/offline",
            game,
            f"{game}/screen",
        ):
            text = (await site.client.get(path, headers={"cookie": cookies})).text
            assert f'data-root="{ROOT}"' in text
            addresses = re.findall(r'(?:href|src|action|hx-[a-z:]+)="(/[^"]*)"', text)
            assert len(addresses) > 8, path
            assert [one for one in addresses if not one.startswith(ROOT)] == []
            links = re.findall(r"https?://[^/\"\s<]+(/[^\"\s<]*)", text)
            assert [one for one in links if not one.startswith(ROOT) and "www.w3.org" not in one] == []
        manifest = (await site.client.get("/manifest.webmanifest")).json()
        assert (manifest["start_url"], manifest["scope"]) == (ROOT, ROOT)
        assert all(icon["src"].startswith(f"{ROOT}static/") for icon in manifest["icons"])
        worker = (await site.client.get("/sw.js")).text
        assert worker.startswith(f"const ROOT = {json.dumps(ROOT)};")
        assert f'"{ROOT}static/style.css' in worker


async def test_two_applications_in_one_process_have_roots_of_their_own(sqlite: str, tmp_path: Path) -> None:
    async with sited(sqlite, root=ROOT) as below, sited(f"sqlite:///{tmp_path / 'other.db'}") as plain:
        for site, root in ((below, ROOT), (plain, "/"), (below, ROOT)):
            assert f'data-root="{root}"' in (await site.client.get("/")).text
