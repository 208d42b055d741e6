"""What all pages share: the templates, and pictures that are made for them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import segno
from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import BaseLoader, Environment, FileSystemLoader, ModuleLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from farkel.support.bounds import MOST_NOTED
from farkel.support.words import capital, percent, sentence
from farkel.web.event_loop import off_loop
from farkel.web.http.middleware import App, Middleware, Receive, Scope, Send
from farkel.web.pages.chances import chance, cost, in_points, risk
from farkel.web.settings import NEEDS_SERVER, Settings

WEB = Path(__file__).parent.parent
STATIC = WEB / "static"
COMPILED = WEB.parent.parent / "farkel_templates"
"""The templates as modules, as ``templates.compile_templates`` makes them; if they are there, no others are read."""
MODULES = ("table",)
"""Folders of static files that import each other."""
VERSIONS = WEB / "versions.json"
"""The version of each static file by its name; if it is there, the files themselves may be elsewhere."""


class Place(NamedTuple):
    """Where pages stand. Every template knows these."""

    root: str = "/"
    """The path under which everything lies, with a slash at its end."""
    alone: bool = False
    """Whether they stand in a folder, and nobody but the people at this browser is there."""


SERVER = Place()
_place: ContextVar[Place] = ContextVar("_place", default=SERVER)


def place() -> Place:
    """Return where the pages of the present request stand."""
    return _place.get()


def stand(settings: Settings) -> None:
    """Let pages that are made from here on stand where the settings say."""
    _place.set(Place(settings.root, settings.alone))


class Standing(Middleware):
    """Middleware that lets the pages of an application stand where its settings say."""

    def __init__(self, app: App, settings: Settings) -> None:
        super().__init__(app)
        self._settings = settings

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        stand(self._settings)
        await self._app(scope, receive, send)


def points(number: float) -> str:
    """Return points for people: ``12,350``."""
    return f"{number:,.0f}".replace("-", "\N{MINUS SIGN}")


def qr(link: str) -> Markup:
    """Return a link as a QR code, as SVG; black on white in any light, as some cameras read nothing else."""
    code = segno.make(link, micro=False).svg_inline(border=4, dark="#000", light="#fff", omitsize=True)
    return Markup(code.replace("<svg ", '<svg role="img" aria-label="QR code of the link" ', 1))  # noqa: S704


def commands(text: str) -> Markup:
    """Return text of ours with its commands marked as such."""
    return Markup(re.sub("(make|farkel) serve", r"<code>\g<0></code>", text))  # noqa: S704


@cache
def versions() -> Mapping[str, str]:
    """Return the content hash of each static file, and of each folder of modules, by its name."""
    if VERSIONS.is_file():
        return dict[str, str](json.loads(VERSIONS.read_text("utf-8")))
    files = sorted(path for path in STATIC.rglob("*") if path.is_file())
    contents = {path.relative_to(STATIC).as_posix(): path.read_bytes() for path in files}
    for folder in MODULES:
        contents[folder] = b"".join(content for name, content in contents.items() if name.startswith(f"{folder}/"))
    return {name: sha256(content).hexdigest()[:12] for name, content in contents.items()}


def asset(name: str) -> str:
    """Return the address of a static file, which is another one as soon as the file is.

    Modules that import each other lie in a folder which has one version, so that they find each other's under it.
    """
    folder, _, file = name.rpartition("/")
    known = versions()
    if folder in MODULES:
        return f"{place().root}static/{folder}@{known[folder]}/{file}"
    return f"{place().root}static/{name}?v={known.get(name, '')}"


@cache
def _imports(name: str) -> tuple[str, ...]:
    """Return the modules of the same folder that a script needs, itself among them."""
    folder, found = (STATIC / name).parent, [name]
    for one in found:
        named = re.findall(r'^import .*"\./(\w+\.js)";$', (STATIC / one).read_text("utf-8"), re.MULTILINE)
        known = (f"{folder.name}/{module}" for module in named)
        found += [module for module in known if module not in found]
    return tuple(found)


def preload(name: str) -> Markup:
    """Return what lets a browser fetch a script with all its modules together, instead of one after the other. In a
    folder they are at hand.
    """
    names = () if place().alone else _imports(name)
    return Markup("").join(Markup('<link rel="modulepreload" href="{}">').format(asset(one)) for one in names)


def loader() -> BaseLoader:
    """Return what loads the templates."""
    return ModuleLoader(COMPILED) if COMPILED.is_dir() else FileSystemLoader(WEB / "templates")


templates = Environment(
    loader=loader(),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
templates.filters |= {"capital": capital, "sentence": sentence, "points": points, "qr": qr}
templates.filters |= {"chance": chance, "in_points": in_points, "cost": cost, "exact_percent": percent}
templates.globals |= {
    "asset": asset,
    "preload": preload,
    "risk": risk,
    "most_noted": MOST_NOTED,
    "needs_server": commands(sentence(NEEDS_SERVER)),
}


def page(name: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a page, or a part of one, from its template."""
    return HTMLResponse(templates.get_template(name).render(place()._asdict() | context), status)


async def rendered(name: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a page as `page` does, made off the loop, as it takes more than a few milliseconds."""
    return await off_loop(page, name, status, **context)


def partial(request: Request) -> bool:
    """Return whether a script in a page asks, and wants only a part of one."""
    return request.headers.get("hx-request") == "true"
