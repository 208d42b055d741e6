"""The origin of a request, and the addresses in links for others."""

from __future__ import annotations

import zlib
from base64 import urlsafe_b64encode
from hmac import compare_digest
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlencode, urlsplit

from fastapi import Request

from farkel.web.settings import Settings
from farkel.web.tokens import bearer_token

MOST_LINK = 8_192
"""Characters of a link with a record: browsers take more, but not everything through which links are sent."""
FORWARDED = (b"x-forwarded-", b"x-real-ip", b"forwarded", b"via", b"x-client-ip", b"cf-", b"true-client-ip")
"""How the names of headers begin with which a proxy says that it passes on a request."""


def is_loopback(name: str) -> bool:
    """Return whether a host name or an address leads from a machine back to itself: localhost, 127.0.0.1, ::1."""
    if name.casefold() == "localhost":
        return True
    address = _address(name)
    return address is not None and address.is_loopback


def base_url(request: Request) -> str:
    """Return the address that links begin with, the root with it, without a slash at the end.

    That is the server's public address, which names the root itself, else the one by which the browser reached it. The
    host's own browser may have reached it by a name that leads every other device to itself; then it is the server's
    address in the room.
    """
    settings = _settings(request)
    if settings.public_url:
        return settings.public_url.rstrip("/")
    room = settings.room_url if _stays_here(request.url.hostname) else ""
    return (room or f"{request.url.scheme}://{request.url.netloc}") + settings.root.rstrip("/")


def rules_link(request: Request, notation: str) -> str:
    """Return the link with which rules are passed on. A folder has one page for all that comes from elsewhere."""
    query = urlencode({"rules": notation})
    return f"{base_url(request)}/#{query}" if _settings(request).alone else f"{base_url(request)}/rules/sheet?{query}"


def record_link(request: Request, record: str) -> str:
    """Return the link with which a game is shown to somebody: the whole record is in it. "" if it would be too long.

    Nothing after the ``#`` is sent to a server; ``record_link.js`` unpacks it in the page that it leads to.
    """
    packing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = urlsafe_b64encode(packing.compress(record.encode()) + packing.flush()).decode().rstrip("=")
    page = "/" if _settings(request).alone else "/watch"
    link = f"{base_url(request)}{page}#record={packed}"
    return link if len(link) <= MOST_LINK else ""


def only_here(request: Request) -> bool:
    """Return whether no other device can open the links that `base_url` makes. Of a folder it is not said."""
    return not _settings(request).alone and _stays_here(urlsplit(base_url(request)).hostname)


def is_operator(request: Request) -> bool:
    """Return whether the operator asks: with the operator's token, or from the machine itself.

    A proxy on this machine passes on what strangers ask, and a page of another site can have a name of its own that
    leads here. So a request without the token must not name another machine, in its headers or as its host.
    """
    expected, token = _settings(request).operator_token, bearer_token(request.headers.get("authorization", ""))
    if expected and compare_digest(token.encode(), expected.encode()):
        return True
    passed_on = any(name.startswith(FORWARDED) for name, _ in request.headers.raw)
    peer = request.client.host if request.client is not None else ""
    return not passed_on and peer != "" and is_loopback(peer) and is_loopback(request.url.hostname or "")


def _stays_here(name: str | None) -> bool:
    """Return whether a browser that goes to this host stays on its own machine."""
    address = _address(name or "")
    return is_loopback(name or "") or (address is not None and address.is_unspecified)


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(name)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.service.settings
    return settings
