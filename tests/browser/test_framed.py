"""Pages that stand alone in a folder, below a path, in the frame of another page of that folder."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.responses import HTMLResponse

from browser_helpers import PHONE, Visitor, findings, play_out, served
from farkel.web.app import make_app
from farkel.web.http.middleware import App, Message, Receive, Scope, Send, at_start
from farkel.web.pages.static_files import static
from farkel.web.settings import Settings
from memory_store import Memory
from seeded import Seeded

ROOT = "/games/farkel/"
SHELL = """<!doctype html><html lang="en"><title>Folder</title><link rel="icon" href="data:,">
<iframe title="Farkel" name="page" src="./"></iframe>
<style>iframe { position: fixed; inset: 0; width: 100%; height: 100%; border: 0 }</style>"""
FREE: dict[str, Any] = {"work_a_minute": 10**6, "opened_an_hour": 10**6}


def folder(app: App) -> App:
    """A folder with its static files and a page with a frame, whose other requests go to the application."""

    def add(message: Message) -> None:
        """Put the root before what an answer says of paths."""
        placed = {b"location": lambda value: ROOT.encode() + value[1:]}
        placed[b"set-cookie"] = lambda value: value.replace(b"Path=/", b"Path=" + ROOT.encode())
        message["headers"] = [(name, placed.get(name, bytes)(value)) for name, value in message["headers"]]

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        path = scope["path"].removeprefix(ROOT[:-1])
        assert path != scope["path"], f"{path} is outside of the folder"
        if path == "/shell":
            await HTMLResponse(SHELL)(scope, receive, send)
        elif path.startswith("/static/"):
            await static({**scope, "path": path.removeprefix("/static")}, receive, send)
        else:
            await app({**scope, "path": path}, receive, at_start(send, add))

    return answer


@pytest.fixture
def framed(browser: Any) -> Iterator[tuple[Visitor, Any]]:
    """A visitor who plays in the frame, and the page around it."""
    settings = Settings("", root=ROOT, alone=True, pace=0.0, **FREE)
    with served(folder(make_app(settings, chance=Seeded(), store=Memory()))) as address:
        visitor = Visitor(browser, address + ROOT[:-1], PHONE)
        around = visitor.page
        around.goto(f"{address}{ROOT}shell")
        visitor.page = around.frame(name="page")
        visitor.page.locator("#home").wait_for()
        yield visitor, around
        visitor.close()


def test_a_game_is_played_in_a_frame_without_a_network(framed: tuple[Visitor, Any]) -> None:
    visitor, around = framed
    frame, asked = visitor.page, []
    around.on("request", lambda request: asked.append(request.url))
    assert around.title() == frame.title()
    assert findings(around) == []
    frame.evaluate("Object.defineProperty(navigator, 'onLine', { get: () => false })")
    visitor.start("minimal(target=2000)")
    visitor.until_a_choice(random.Random(1))
    told = "async () => { document.title = 'Your turn'; await null; return parent.document.title }"
    assert frame.evaluate(told) == "Your turn"
    around.keyboard.press("a")  # without a click before: the frame has the keys
    assert frame.locator("fieldset.roll input:checked").count()
    around.keyboard.press("a")
    assert not frame.locator("fieldset.roll input:checked").count()
    frame.evaluate("window.dispatchEvent(new Event('offline'))")
    assert frame.locator("#offline").is_hidden()
    play_out([visitor], random.Random(2))
    frame.locator("#verify.verified").wait_for()
    with around.expect_download() as download:
        frame.get_by_text("Download the record").click()
    assert download.value.suggested_filename.endswith(".farkel")
    assert visitor.complaints == []  # a page that is left may complain of its stream
    frame.get_by_role("button", name="Menu").click()
    frame.locator("#menu").get_by_role("link", name="Rules").click()
    frame.get_by_role("heading", name="Minimal").wait_for()
    assert len(around.context.pages) == 1
    assert all(ROOT in url for url in asked)
    assert {url.partition(ROOT)[0] for url in asked} == {visitor.address.removesuffix(ROOT[:-1])}
