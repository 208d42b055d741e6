"""Answers that say no, as OpenAPI documents them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """Why something was not done."""

    code: str
    """Stable."""
    message: str
    """For people: the fault, and the right form."""
    number: int | None = None
    """``stale``: number of the last event now."""
    missed: list[dict[str, Any]] | None = None
    """``stale``: the events that the sender had not seen."""
    doubts: list[dict[str, str]] | None = None
    """``doubtful``: each reason to ask again, with its code."""
    defects: list[str] | None = None
    """Rules that contradict themselves: a sentence for each fault."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the answers that say no, for OpenAPI: these, and those that any request may meet."""
    said = {
        401: "The token belongs to no seat of this table",
        403: "The sender may not do this, or a page of another site sent it",
        404: "There is no such game, seat or rule set",
        409: "Something happened that the sender had not seen",
        413: "The body is too long",
        422: "Understood, but not possible",
        429: "Too much from one address; Retry-After says how many seconds to wait",
        503: "The server cannot do it just now; try again later",
    }
    return {status: {"model": Problem, "description": said[status]} for status in sorted({*statuses, 422, 429, 503})}


def problems_of_text(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the answers that say no, for OpenAPI, of a request whose answer that says yes is not JSON."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    said = problems(*statuses)
    return {status: {"description": one["description"], "content": content} for status, one in said.items()}


POSTED = (403, 413)
AT_TABLE = (401, 404)
