"""The pages."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.staticfiles import StaticFiles

from farkel.errors import FarkelError
from farkel.web.pages import rules, start, table
from farkel.web.pages.common import WEB, page, partial

router = APIRouter(include_in_schema=False)
router.include_router(start.router)
router.include_router(table.router)
router.include_router(rules.router)
static = StaticFiles(directory=WEB / "static")


def wanted(request: Request) -> bool:
    """Whether the answer should be a page."""
    return not request.url.path.startswith(("/api/", "/static/"))


def refusal(request: Request, status: int, error: FarkelError) -> Response:
    """A page that says what is wrong; for a script in a page only the words, which go beside the board."""
    if partial(request):
        response = page("refusal.html", status, message=error.message)
        response.headers["HX-Retarget"] = "#notice"
        response.headers["HX-Reswap"] = "innerHTML"
        return response
    return page("problem.html", status, message=error.message)
