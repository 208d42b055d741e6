"""What all pages share: the templates, the cookie, and pictures that are made for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import segno
from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from farkel.web.api import MOST_TOKENS, base_url, cookie_of, tokens_of

WEB = Path(__file__).parent.parent
YEAR = 365 * 24 * 60 * 60


def sentence(text: str) -> str:
    """A message of the program as a sentence of its own."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def percent(chance: float) -> str:
    """A chance for people: ``27.8 %``."""
    return f"{chance:.1%}".replace("%", "\N{NO-BREAK SPACE}%")


def signed(chance: float) -> str:
    """A change of a chance: ``+2.3 %``; what rounds to nothing has no sign."""
    text = f"{chance:+.1%}".replace("%", "\N{NO-BREAK SPACE}%").replace("-", "\N{MINUS SIGN}")
    return text if text.strip("+\N{MINUS SIGN}") != percent(0) else percent(0)


def points(number: float) -> str:
    """Points for people: ``12,350``."""
    return f"{number:,.0f}".replace("-", "\N{MINUS SIGN}")


def qr(link: str) -> Markup:
    """A link as a QR code, as SVG; black on white in any light, as some cameras read nothing else."""
    code = segno.make(link, micro=False).svg_inline(border=2, dark="#000", light="#fff", omitsize=True)
    return Markup(code.replace("<svg ", '<svg role="img" aria-label="QR code of the link" ', 1))  # noqa: S704


templates = Environment(
    loader=FileSystemLoader(WEB / "templates"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
templates.filters |= {"sentence": sentence, "percent": percent, "signed": signed, "points": points, "qr": qr}


def page(name: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page, or a part of one, from its template."""
    return HTMLResponse(templates.get_template(name).render(context), status)


def partial(request: Request) -> bool:
    """Whether a script in a page asks, and wants only a part of one."""
    return request.headers.get("hx-request") == "true"


def keep_tokens(request: Request, response: Response, game: str, *tokens: str) -> None:
    """Add tokens to those that the browser keeps for the game, the latest ones first."""
    kept = dict.fromkeys((*tokens, *filter(None, tokens_of(request, game))))
    keep(request, response, cookie_of(game), ".".join([*kept][:MOST_TOKENS]), "/")


def keep(request: Request, response: Response, name: str, value: str, path: str) -> None:
    """Let the browser keep a value for a year, out of reach of scripts and of other sites."""
    secure = base_url(request).startswith("https://")
    response.set_cookie(name, value, max_age=YEAR, path=path, httponly=True, samesite="lax", secure=secure)
