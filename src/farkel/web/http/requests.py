"""Requests as they come in: JSON, forms and query strings are bounded before anything parses them.

Every route of the pages is a `BoundedRoute`, and of the API an `ApiRoute`. The number of bytes is the guard's business.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from email.message import Message
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.formparsers import MultiPartParser

from farkel.errors import FarkelError
from farkel.support.bounds import MOST_FIELDS, clipped, json_excess, json_value

MultiPartParser.spool_max_size = 1 << 30
"""Uploads stay in memory, as their bytes are bounded: files are read in threads, and a browser has none."""
MOST_FILES = 1
MOST_ASKED = 100
"""Parameters in a query string."""


class Malformed(FarkelError):
    """An unreadable request, or one that is too large."""


class BoundedRequest(Request):
    """A request that reads no more than it should, and only UTF-8."""

    @property
    def content(self) -> Message:
        """The type of the body, as `email` reads it."""
        message = Message()
        message["content-type"] = self.headers.get("content-type", "")
        return message

    def check(self) -> None:
        """Raise `Malformed` for a request whose head is already too large."""
        if self.scope["query_string"].count(b"&") >= MOST_ASKED:
            raise Malformed("too_large", f"too many parameters in the address: at most {MOST_ASKED} are allowed")
        # A sender who chose the encoding could choose a slow one, or one that makes halves of characters.
        if (self.content.get_content_charset() or "utf-8") not in ("utf-8", "us-ascii"):
            raise Malformed("malformed", "the body is in another encoding: send UTF-8")

    async def json(self) -> Any:
        """Return the body as JSON. Raises `Malformed`."""
        if not hasattr(self, "_json"):
            self._json = _parsed(await self.body())
        return self._json

    def form(self, **_: Any) -> Any:
        """Return the body as a form. Raises `HTTPException` 400 for one that cannot be read or has too many fields."""
        return super().form(max_files=MOST_FILES, max_fields=MOST_FIELDS)


class BoundedRoute(APIRoute):
    """A route whose requests are bounded."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        answer = super().get_route_handler()

        async def bounded(request: Request) -> Response:
            asked = BoundedRequest(request.scope, request.receive)
            asked.check()
            if self.body_field is not None and "json" in asked.content.get_content_subtype():
                await asked.json()  # here, where a refusal keeps its code; the framework asks again and gets the same
            return await answer(asked)

        return bounded


class ApiRoute(BoundedRoute):
    """A route for programs, which say nothing that it does not know. Addresses of pages pass through other hands, which
    add to them.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        answer, known = (super().get_route_handler(), [*_parameters(self.dependant)])

        async def strict(request: Request) -> Response:
            for name in request.query_params:
                if name not in known:
                    there = f"there is {', '.join(known)}" if known else "leave it out"
                    raise Malformed("malformed", f'"{clipped(name)}" is unknown; {there}')
            return await answer(request)

        return strict


def _parameters(dependant: Dependant) -> Iterator[str]:
    """Yield the names that a route and what it depends on know in a query string."""
    yield from (one.alias for one in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _parameters(inner)


def _parsed(body: bytes) -> Any:
    try:
        text = body.decode("utf-8-sig")
        if excess := json_excess(text):
            raise Malformed(excess.code, f"the body {excess.clause}")
        return json_value(text)
    except UnicodeDecodeError:
        raise Malformed("malformed", "the body is not UTF-8: send JSON in UTF-8") from None
    except ValueError as error:
        raise Malformed("malformed", f"the body is not JSON: {clipped(str(error))}") from None
