"""The documentation site: it is whole, fetches nothing, and can be searched from the disk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser_helpers import DESKTOP, WAIT
from farkel.rules import named, names

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.fixture
def page(browser: Any, site: Path) -> Iterator[Any]:
    """A page of the site, opened from the disk."""
    page = browser.new_page(viewport=DESKTOP)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "library" / "standard.html").as_uri())
    yield page
    page.close()
    assert [url for url in asked if not url.startswith("file:")] == []


def found(page: Any, words: str) -> list[list[str]]:
    """Return the headings of each page that the search finds, as it ranks them."""
    page.fill(".md-search__input", words)
    page.press(".md-search__input", "End")  # a key asks, once
    page.wait_for_selector(".md-search-result__item", timeout=WAIT)
    items = page.query_selector_all(".md-search-result__item")
    return [[one.inner_text() for one in item.query_selector_all("h1, h2")] for item in items]


def test_the_site_is_whole_and_fetches_nothing_from_elsewhere(site: Path) -> None:
    assert {path.stem for path in (site / "library").glob("*.html")} == {*names(), "index"}
    for page in site.rglob("*.html"):
        fetched = re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*?(?:src|href)=\"?(https?:[^\"\s>]*)", page.read_text("utf-8")
        )
        assert not fetched, (page.name, fetched)
    assert 'id="farkel.game.legal_actions"' in (site / "reference" / "game.html").read_text("utf-8")


def test_the_search_ranks_titles_first(page: Any) -> None:
    titled = [any("bank" in heading.lower() for heading in headings) for headings in found(page, "bank")]
    assert sum(titled) >= 5
    assert titled == sorted(titled, reverse=True)


def test_the_search_finds_a_rule_set_by_its_title(page: Any) -> None:
    assert found(page, "hot dice")[0] == ["Hot Dice of Minnesota"]


def test_the_search_leaves_out_what_every_rule_set_has(page: Any) -> None:
    headings = {one for headings in found(page, "aside") for one in headings}
    assert headings
    assert not {named(name).title for name in names()} & headings
