"""The coach in the folder: it solves house rules, shows chances, reviews, and can be stopped; without the site, too."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from browser_helpers import DESKTOP, findings, play_out
from farkel.play.match import Match, Setup
from farkel.records import Seating
from farkel.rules import load
from farkel.solve import duel
from page_folder import PLACE, Inside, Site

pytestmark = pytest.mark.slow

HOUSE = "minimal(target=600)"
LONG = "board-game-arena(target=9000)"
"""House rules without values of their own, which take some seconds."""
WITH_VALUES = "build-on"


def arrived(ann: Inside, path: str) -> None:
    """Open a page of the folder, once there is something that answers."""
    ann.arrive()
    ann.controlled()
    ann.arrive(path)


def reviewed(ann: Inside) -> str:
    """The account of luck and decisions in the review of a game that is over."""
    ann.page.locator("#to-review").click()
    ann.page.get_by_role("heading", name="Luck and decisions").wait_for()
    return str(ann.page.locator("#review").inner_text())


def test_a_house_rule_is_solved_played_with_chances_and_reviewed_also_without_the_site(
    visits: Any, folder_site: Site
) -> None:
    ann = visits(DESKTOP)
    arrived(ann, "rules/edit?rules=minimal")
    ann.page.locator("#editor[data-htmx-powered]").wait_for()
    ann.page.locator("#target").fill("600")
    ann.page.locator("#standing", has_text="1 rule differs from Minimal Farkle").wait_for()
    ann.page.get_by_role("link", name="Play them").click()
    ann.page.locator("#rules-title").filter(has_text="to 600").wait_for()
    ann.start(HOUSE, dice="system")
    ann.page.locator("#board").wait_for()
    if ann.page.get_by_role("button", name="Start the game").count():
        ann.press("button.primary")
    ann.page.get_by_role("button", name="Show winning chances").click()
    ann.page.locator("#chances table").wait_for()
    exact = duel(load(HOUSE)).first_player_wins
    shown = ann.page.locator("#chances progress").first.get_attribute("value")
    assert min(abs(float(str(shown)) - chance) for chance in (exact, 1 - exact)) < 1e-9
    assert findings(ann.page) == []
    play_out([ann], random.Random(1))
    assert "Luck" in reviewed(ann)
    ann.kept()
    folder_site.stop()
    ann.reload()
    assert "Luck" in reviewed(ann)
    folder_site.start()


def test_what_takes_long_shows_how_far_it_is_and_can_be_stopped(visits: Any) -> None:
    ann = visits(DESKTOP)
    ann.arrive()
    ann.start(LONG, dice="system")
    ann.ready()
    ann.page.get_by_role("button", name="Show winning chances").click()
    ann.page.locator("form.doing progress").wait_for()
    assert "Calculating the winning chances" in ann.page.locator("form.doing").inner_text()
    ann.page.get_by_role("button", name="Stop").click()
    ann.page.locator("#chances", has_text="the calculation was stopped").or_(
        ann.page.locator("#chances", has_text="The calculation was stopped")
    ).wait_for()
    ann.until_a_choice(random.Random(1))  # the game goes on


def test_values_are_fetched_when_they_are_asked_for_and_kept(visits: Any, folder_site: Site) -> None:
    ann = visits(DESKTOP)
    ann.arrive()
    ann.kept()
    assert not [address for address in ann.asked if "/values/" in address]
    ann.start(WITH_VALUES, dice="system")
    ann.ready()
    ann.page.get_by_role("button", name="Show winning chances").click()
    ann.page.locator("#chances table").wait_for()
    folder_site.stop()
    ann.reload()
    ann.page.locator("#chances table").wait_for()
    folder_site.start()


def test_a_record_from_the_terminal_is_watched_and_shown_by_a_link(visits: Any, tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    seats = tuple(Seating(name, (name,), "bot:cautious") for name in ("Ann", "Ben"))
    match = Match.start(Setup(load("minimal", ["target=600"]), seats, "committed", words=("hop",)), path)
    while not match.state.over:
        if match.state.dice_due:
            match.throw()
        else:
            action = match.decide()
            assert action is not None
            match.act(action)
    match.close()
    ann = visits(DESKTOP)
    arrived(ann, "kept")
    ann.page.locator("#record").set_input_files(path)
    ann.page.get_by_role("button", name="Open a file").click()
    ann.ready("watching")
    ann.tab.keyboard.press("End")
    ann.page.locator("section.ended").wait_for()
    game = ann.page.url.rsplit("/", 1)[0]
    ann.tab.goto(f"{game}/show")
    ann.shown()
    link = ann.page.locator("#show-link").input_value()
    ben = visits()
    ben.tab.goto(link)
    ben.page.get_by_text("The link has brought the record of a game.").wait_for()
    ben.page.get_by_role("button", name="Watch it").click()
    ben.ready("watching")


def test_a_link_brings_house_rules(visits: Any) -> None:
    ann = visits(DESKTOP)
    ann.tab.goto(f"{ann.address}/#rules=standard(target%3D2000)")
    ann.page.get_by_text("Standard Farkle to 2,000").first.wait_for()


class _Host(SimpleHTTPRequestHandler):
    """A file host that shows ``404.html`` of the folder for what is missing, as some do."""

    def log_message(self, *_: Any) -> None: ...

    def send_error(self, code: int, *given: Any, **named: Any) -> None:
        if code != 404:
            return super().send_error(code, *given, **named)
        page = (Path(self.directory) / PLACE / "404.html").read_bytes()
        self.send_response(404)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)
        return None


@contextmanager
def hosted(folder: Path, place: Path) -> Iterator[str]:
    """The folder on such a host, and its address."""
    (place / PLACE).parent.mkdir(parents=True)
    (place / PLACE).symlink_to(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Host, directory=str(place)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/{PLACE}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_deep_link_works_on_the_first_visit_where_the_host_shows_404_html(
    browser: Any, folder: Path, tmp_path: Path
) -> None:
    with hosted(folder, tmp_path / "host") as address:
        ann = Inside(browser, address)
        ann.tab.goto(f"{address}/rules/sheet?rules=standard")
        ann.tab.frame_locator("#page").get_by_role("link", name="Play these rules").wait_for()
        ann.close()
