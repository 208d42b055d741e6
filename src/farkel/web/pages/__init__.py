"""The pages."""

from __future__ import annotations

import os

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse
from starlette.staticfiles import PathLike, StaticFiles

from farkel.errors import FarkelError
from farkel.web.http.security import Scope
from farkel.web.pages import groups, joining, lobby, mine, offline, rules, start, table, telling
from farkel.web.pages.common import STATIC, page, partial, version

router = APIRouter(include_in_schema=False)
router.include_router(start.router)
router.include_router(joining.router)
router.include_router(table.router)
router.include_router(lobby.router)
router.include_router(rules.router)
router.include_router(telling.router)
router.include_router(groups.router)
router.include_router(mine.router)
router.include_router(offline.router)


KEPT = "public, max-age=31536000, immutable"


class Assets(StaticFiles):
    """Static files: kept for a year under the address that names their content, else asked for again each time."""

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        name = os.path.relpath(full_path, os.path.realpath(STATIC))
        current = scope["query_string"] == f"v={version(name)}".encode()
        response.headers["cache-control"] = KEPT if current else "no-cache"
        return response


static = Assets(directory=STATIC)

HEADINGS = {
    403: "That may not be done from here",
    404: "There is nothing here",
    413: "That is too long",
    429: "One moment, please",
    500: "Something went wrong",
    503: "Not just now",
}
LATER = (429, 500, 503)
"""Requests that may be repeated as they are."""
ADVICE = {
    403: "Nothing was done. Open the page on this server yourself, and do it there.",
    413: "Nothing was done. Go back in your browser and make it shorter.",
    **dict.fromkeys(LATER, "Nothing was lost. Go back in your browser and send it once more."),
}
"""What to do after something was sent."""


@router.get("/favicon.ico")
async def favicon() -> Response:
    """Return the icon, for browsers that ask for it without being told where it is: beside records and
    JSON, for instance.
    """
    return FileResponse(
        STATIC / "icon.ico", media_type="image/x-icon", headers={"cache-control": "public, max-age=86400"}
    )


def wanted(request: Request) -> bool:
    """Return whether the answer should be a page."""
    accepted = request.headers.get("accept", "*/*")
    return not request.url.path.startswith(("/api/", "/static/")) and ("text/html" in accepted or "*/*" in accepted)


def refusal(request: Request, status: int, error: FarkelError) -> Response:
    """Return an error page; for a script in a page only the words, which go beside the board."""
    if partial(request):
        response = page("refusal.html", status, message=error.message)
        response.headers["HX-Retarget"] = "#notice"
        response.headers["HX-Reswap"] = "innerHTML"
        return response
    asked = request.method in ("GET", "HEAD")
    return page(
        "problem.html",
        status,
        heading=HEADINGS.get(status, "That is not possible"),
        message=error.message,
        advice="" if asked else ADVICE.get(status, ""),
        again=asked and status in LATER,
    )
