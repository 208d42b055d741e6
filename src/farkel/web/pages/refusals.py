"""Refusals and errors as pages."""

from __future__ import annotations

from math import ceil

from fastapi import Request, Response

from farkel.errors import FarkelError
from farkel.web.http.limits import Full
from farkel.web.pages.rendering import page, partial

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
    403: "Nothing was done. Open the page yourself, and do it there.",
    413: "Nothing was done. Go back in your browser and make it shorter.",
    **dict.fromkeys(LATER, "Nothing was lost. Go back in your browser and send it once more."),
}
"""What to do after something was sent."""


def page_wanted(request: Request) -> bool:
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
        wait=ceil(error.wait) if asked and isinstance(error, Full) else 0,
    )
