"""Where webhooks may lead: addresses that are refused, and the look-up of names."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Network, ip_address

import httpx

from farkel.errors import FarkelError

MOST_URL = 500
PORTS = {"http": 80, "https": 443}
PUBLIC_PORTS = (80, 443, 8080, 8443)
"""Ports that receivers on the internet have; any other is somebody's mail, shell or database."""
LOOKUPS, LOOKUPS_OF_ONE = 64, 4
"""Names that a process looks up at a time: all of them, and those of one owner's webhooks."""
UNICAST = IPv6Network("2000::/3")
STANDING_FOR_IPV4 = IPv6Network("64:ff9b::/96")
"""What a network without IPv4 makes of its addresses (NAT64)."""


class HookError(FarkelError):
    """A webhook that cannot be added; ``code`` is stable."""


def checked_url(url: str, *, private: bool) -> httpx.URL:
    """Read the address of a webhook. Raises `HookError` ``bad_url`` or ``private_address``.

    ``private``: whether it may lead to this machine and those beside it, and to any port.
    """
    right = "write an address such as https://ntfy.sh/your-topic"
    try:
        found = httpx.URL(url)
        host = found.host
    except (httpx.InvalidURL, ValueError):  # also a name that is none: idna's error
        raise HookError("bad_url", f"a webhook needs a complete address; {right}") from None
    if len(url) > MOST_URL or found.scheme not in PORTS or not host or found.fragment:
        raise HookError("bad_url", f"a webhook is an http or https address of at most {MOST_URL} characters; {right}")
    if found.userinfo:
        raise HookError("bad_url", f"a webhook's address holds no password; {right}")
    if private:
        return found
    if _named_private(host):
        raise HookError("private_address", f"{host} is not a public address; {right}")
    if port_of(found) not in PUBLIC_PORTS:
        ports = ", ".join(map(str, PUBLIC_PORTS[:-1]))
        raise HookError("bad_url", f"a webhook goes to port {ports} or {PUBLIC_PORTS[-1]}; {right}")
    return found


def port_of(url: httpx.URL) -> int:
    """Return the port that an address leads to."""
    return PORTS[url.scheme] if url.port is None else url.port


def public(address: str) -> bool:
    """Return whether an address is one of the internet's own: global, of one machine, and no way into another net."""
    found = ip_address(address.partition("%")[0])
    if not isinstance(found, IPv4Address):
        inside = IPv4Address(found.packed[-4:]) if found in STANDING_FOR_IPV4 else found.ipv4_mapped
        if inside is None:
            return found in UNICAST and found.is_global and not (found.sixtofour or found.teredo)
        found = inside
    return found.is_global and not (found.is_multicast or found.is_reserved)


def _named_private(host: str) -> bool:
    """Return whether a host is this machine, or an address that is not public."""
    name = host.rstrip(".").casefold()
    if name == "localhost" or name.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        return not public(name)
    except ValueError:
        return False


class Names:
    """Looks names up, each in a thread that nothing else waits for.

    The system's resolver cannot be interrupted: a name that does not resolve holds its thread for half a minute. So
    it counts for its owner until it is done, though whoever asked has long given up.
    """

    def __init__(self) -> None:
        self._under_way: Counter[int] = Counter()

    async def addresses(self, host: str, port: int, owner: int) -> list[str]:
        """Return the addresses of a host; none if it has none, or the owner's webhooks look up too many at once."""
        if self._under_way[owner] >= LOOKUPS_OF_ONE or self._under_way.total() >= LOOKUPS:
            return []
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def settle(found: list[str]) -> None:
            self._under_way[owner] -= 1
            if not answer.done():
                answer.set_result(found)

        def look() -> None:
            found = _look_up(host, port)
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(settle, found)

        self._under_way[owner] += 1
        threading.Thread(target=look, name="farkel-name", daemon=True).start()
        return await answer


def _look_up(host: str, port: int) -> list[str]:
    """Look up the addresses of a host, those of IPv4 first, as more machines reach them."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(one[4][0]) for one in sorted(found, key=lambda one: one[0] != socket.AF_INET)))
