"""The layer between the network and the pages: limits of size, no posts from other sites, and strict headers."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network

from starlette.exceptions import HTTPException

from farkel.web.http.limits import ASKER
from farkel.web.http.middleware import App, Message, Middleware, Receive, Scope, Send, at_start
from farkel.web.settings import Settings

Refuse = Callable[[Scope, int, str, str, float], App]
"""Makes the answer that says no: for whom, the status, our code, the words, and the seconds to wait or 0."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing from elsewhere, nothing written into the page, no frames."""

HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),  # links hold tokens
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
FRAMED = (
    (b"content-security-policy", POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'").encode()),
    *(header for header in HEADERS[1:] if header[0] != b"cross-origin-opener-policy"),
)
"""For pages that are alone: the page of their folder in which Python runs shows them in a frame."""
HTTPS_ONLY = (b"strict-transport-security", b"max-age=31536000")
"""For a year, once the site was reached by https."""
SAFE = ("GET", "HEAD", "OPTIONS")
RECORDS = "/watch"
"""The address that takes whole records."""


class Guard(Middleware):
    """Middleware around everything."""

    def __init__(self, app: App, settings: Settings, refuse: Refuse) -> None:
        super().__init__(app)
        self._refuse = refuse
        self._settings = settings

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        def guard(message: Message) -> None:
            message["headers"] = [*message.get("headers", ()), *headers_of(self._settings, scope["scheme"])]

        left = most_bytes(self._settings, scope["path"])

        async def measured() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413)
            return message

        await self._let_in(scope)(scope, measured, at_start(send, guard))

    def _let_in(self, scope: Scope) -> App:
        """Return what answers: the application, or a refusal."""
        ASKER.set(address_of(scope))
        if scope["method"] not in SAFE and _from_elsewhere(dict(scope["headers"])):
            message = "this request comes from a page of another site, which is not allowed"
            return self._refuse(scope, 403, "cross_site", message, 0.0)
        return self._app


def headers_of(settings: Settings, scheme: str) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers of every answer. ``scheme``: as the browser asks, by the word of a proxy that is trusted."""
    if settings.alone:
        return FRAMED
    return (*HEADERS, HTTPS_ONLY) if scheme == "https" else HEADERS


def most_bytes(settings: Settings, path: str) -> int:
    """Return how many bytes a request to this address may have; a record comes with a form around it."""
    return settings.most_body + (settings.most_record if path == RECORDS else 0)


def address_of(scope: Scope) -> str:
    """Return who asks: the address, or the network of 64 bits that an IPv6 address is in, as one household has it."""
    client = scope.get("client")
    return network_of(client[0]) if client else ""


def network_of(address: str) -> str:
    """Return the address as limits count it: IPv6 by the 64 bits of its network."""
    try:
        found = IPv6Address(address)
    except ValueError:
        return address
    return str(found.ipv4_mapped or IPv6Network((found, 64), strict=False))


def _from_elsewhere(headers: dict[bytes, bytes]) -> bool:
    """Return whether a browser says that a page of another site sends this. Other programs say nothing of the kind."""
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return site not in (b"same-origin", b"none")
    origin = headers.get(b"origin")
    return origin is not None and origin.partition(b"//")[2] != headers.get(b"host", b"")
