"""Webhooks: a request to an address of one's own says whose turn it is.

A notice is stored in the transaction of the event that begins the turn, and any process claims and sends it. So a turn
is announced once, in order, whatever happens to a process; one that dies while it sends has the notice sent again.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import socket
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Literal, NamedTuple

import httpx

from farkel import __version__
from farkel.dice.chance import Chance
from farkel.errors import FarkelError
from farkel.web.settings import Settings
from farkel.web.store.values import StoreError
from farkel.web.tokens import new_name
from farkel.web.webhooks.store import HELLO, Hook, HookStore, Notice

log = logging.getLogger(__name__)

Form = Literal["json", "discord", "ntfy"]
Address = IPv4Address | IPv6Address

MOST_URL = 500
MOST_OF_A_SEAT = 3
AT_ONCE = 64
"""Notices that a process sends at a time."""
PATIENCE = 4.0
"""Seconds that a receiver has to answer, name and connection included."""
CLAIMED = 10_000
"""Milliseconds for which a notice is this process's own; longer than `PATIENCE`."""
PAUSES = (2, 8, 30, 120, 600)
"""Seconds before each further try; after the last one a notice is given up."""
LAST = 2.0
"""Seconds that receivers have to answer while the server stops."""
GONE = 410
NAT64 = IPv6Network("64:ff9b::/96")


class HookError(FarkelError):
    """A webhook that cannot be added; ``code`` is stable."""


class Target(NamedTuple):
    """What a webhook tells of: the turns of a seat, or those of all games of a group."""

    of: str
    """The game or the group."""
    seat: int | None
    name: str
    """Of the seat or the group."""
    title: str
    """Of the rules or the group."""


class Delivery(NamedTuple):
    """What became of a try to send something."""

    sent: bool
    said: str
    """In words for the owner of the webhook."""
    gone: bool = False
    """Whether the receiver wants nothing more."""


def checked_url(url: str, *, private: bool) -> httpx.URL:
    """Read the address of a webhook. Raises `HookError` ``bad_url`` or ``private_address``."""
    right = "write an address such as https://ntfy.sh/your-topic"
    try:
        found = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        raise HookError("bad_url", f"a webhook needs a complete address; {right}") from None
    if len(url) > MOST_URL or found.scheme not in ("http", "https") or not found.host or found.fragment:
        raise HookError("bad_url", f"a webhook is an http or https address of at most {MOST_URL} characters; {right}")
    if found.userinfo:
        raise HookError("bad_url", f"a webhook's address holds no password; {right}")
    if not private and _named_private(found.host):
        raise HookError("private_address", f"{found.host} is not a public address; {right}")
    return found


def public(address: str) -> bool:
    """Return whether an address is one of the internet's own, also inside an address of IPv6 that stands for IPv4."""
    found: Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        inside = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
        if inside is None and found in NAT64:
            inside = IPv4Address(found.packed[-4:])
        if inside is not None:
            found = inside
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


def _named_private(host: str) -> bool:
    """Return whether a host is this machine, or an address that is not public."""
    name = host.rstrip(".").casefold()
    if name == "localhost" or name.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        return not public(name)
    except ValueError:
        return False


def signature(secret: str, at: int, body: bytes) -> str:
    """Sign a body sent at that second, for the header ``X-Farkel-Signature``."""
    signed = hmac.digest(secret.encode(), f"{at}.".encode() + body, hashlib.sha256)
    return f"t={at},v1={signed.hex()}"


def message_of(notice: Notice, at: int) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body that tell of a notice, signed, ``at`` milliseconds since 1970."""
    said: dict[str, Any] = json.loads(notice.said)
    hook = notice.hook
    link = f"{hook.base}/g/{notice.game}" if notice.turn != HELLO or hook.seat is not None else hook.base
    if notice.turn == HELLO:
        line = "This is where Farkel tells you when it is your turn."
    else:
        line = f"{said['person']}, it's your turn in {said['title']}."
    headers = {"user-agent": f"farkel/{__version__}", "x-farkel-delivery": f"{notice.game}-{notice.turn}-{notice.seat}"}
    match hook.form:
        case "discord":
            # No mention in a name may call anybody.
            content = {"content": f"{line} {link}", "username": "Farkel", "allowed_mentions": {"parse": []}}
            headers["content-type"], body = "application/json", _json(content)
        case "ntfy":
            headers |= {
                "content-type": "text/plain; charset=utf-8",
                "title": "Farkel",
                "click": link,
                "tags": "game_die",
            }
            body = line.encode()
        case _:
            event = "hello" if notice.turn == HELLO else "turn"
            told = {"event": event, "game": notice.game, **said, "text": line, "link": link, "at": at}
            headers["content-type"], body = "application/json", _json(told)
    headers["x-farkel-signature"] = signature(hook.secret, at // 1_000, body)
    return headers, body


class Messenger:
    """Sends notices to webhooks."""

    def __init__(self, settings: Settings, store: HookStore, clock: Callable[[], int], chance: Chance) -> None:
        self.store = store
        self._settings = settings
        self._clock = clock
        self._chance = chance
        self._awake = asyncio.Event()
        self._looking = asyncio.Lock()
        self._sending: set[asyncio.Task[None]] = set()
        # Names are looked up in threads of their own: slow ones must not hold up those of the database.
        self._lookups = ThreadPoolExecutor(8, "farkel-names")

    async def add(self, target: Target, url: str, form: str, base: str) -> Hook:
        """Add a webhook with a first notice. Raises `HookError`."""
        checked_url(url, private=self._settings.private_hooks)
        name = new_name(self._chance, target.of, "hook")
        secret = urlsafe_b64encode(self._chance.unique(32, name, "secret")).decode().rstrip("=")
        hook = Hook(name, target.of, target.seat, url, form, secret, base)
        said: dict[str, Any] = {
            "turn": HELLO,
            "number": 0,
            "seat": target.seat,
            "name": target.name,
            "person": target.name,
            "title": target.title,
            "scores": {},
        }
        if not await self.store.add(hook, json.dumps(said, ensure_ascii=False), self._clock(), MOST_OF_A_SEAT):
            raise HookError("too_many_hooks", f"{target.name} has {MOST_OF_A_SEAT} webhooks already; remove one first")
        self.wake()
        return hook

    async def follow(self, game: str, following: str) -> None:
        """Let the webhooks of a game's seats tell of the next game of the same seats, too."""
        hooks = await self.store.list(game)
        await self.store.copy([(hook, new_name(self._chance, following, "hook")) for hook in hooks], following)

    def wake(self) -> None:
        """Look at once: a turn has begun."""
        self._awake.set()

    async def run(self, closing: asyncio.Event) -> None:
        """Send notices until the server closes."""
        while not closing.is_set():
            self._awake.clear()
            try:
                await self.look()
            except StoreError as error:
                log.warning("webhooks wait, as the database does not answer: %s", error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._awake.wait(), self._settings.look)

    async def look(self) -> None:
        """Begin to send due notices; one look after the other, so that what was claimed before is sent or settled."""
        async with self._looking:
            free = AT_ONCE - len(self._sending)
            if free <= 0:
                return
            now = self._clock()
            for notice in await self.store.claim(now, now + CLAIMED, free):
                task = asyncio.create_task(self._tell(notice))
                self._sending.add(task)
                task.add_done_callback(self._done)

    async def settled(self) -> None:
        """Wait until nothing is being sent."""
        while self._sending:
            await asyncio.wait(set(self._sending))

    async def close(self) -> None:
        """Stop. Unsent notices stay in the database."""
        if self._sending:
            await asyncio.wait(set(self._sending), timeout=LAST)
        for task in self._sending:
            task.cancel()
        await self.settled()
        self._lookups.shutdown(wait=False, cancel_futures=True)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("a webhook could not be told: %s", error)
        else:
            self.wake()  # the next notice of the same webhook may go

    async def _tell(self, notice: Notice) -> None:
        answer = await self._send(notice)
        due, failed = None, 0
        if not answer.sent:
            given_up = answer.gone or notice.tries >= len(PAUSES)
            failed = notice.hook.failed + given_up if not answer.gone else 1_000
            due = None if given_up else self._clock() + 1_000 * PAUSES[notice.tries]
        await self.store.settle(notice, answer.said, due, failed)

    async def _send(self, notice: Notice) -> Delivery:
        try:
            async with asyncio.timeout(PATIENCE):
                headers, body = message_of(notice, self._clock())
                return await post(notice.hook, headers, body, self._addresses)
        except TimeoutError:
            return Delivery(sent=False, said=f"no answer within {PATIENCE:.0f} seconds")
        except httpx.HTTPError:
            return Delivery(sent=False, said="the connection failed")

    async def _addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host; none if one of them is not public and the operator wants only such."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._lookups, _look_up, host, port)
        except (OSError, UnicodeError):
            return []
        return found if self._settings.private_hooks or all(map(public, found)) else []


async def post(
    hook: Hook, headers: dict[str, str], body: bytes, look_up: Callable[[str, int], Awaitable[Sequence[str]]]
) -> Delivery:
    """Send a body to a webhook, to an address that was checked and no other. Raises `httpx.HTTPError`."""
    url = httpx.URL(hook.url)
    host = url.raw_host.decode()
    found = await look_up(host, url.port or (443 if url.scheme == "https" else 80))
    if not found:
        return Delivery(sent=False, said=f"{host} has no public address")
    # The name is not looked up again: it could lead elsewhere by then. The certificate is checked for the name.
    pinned = url.copy_with(host=found[0])
    headers = {**headers, "host": url.netloc.decode()}
    async with (
        httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=PATIENCE) as client,
        client.stream("POST", pinned, content=body, headers=headers, extensions={"sni_hostname": host}) as answer,
    ):
        said = f"answered {answer.status_code}"
        if answer.is_redirect:
            said += "; redirects are not followed"
        return Delivery(answer.is_success, said, answer.status_code == GONE)


def _look_up(host: str, port: int) -> list[str]:
    """Look up the addresses of a host, those of IPv4 first, as more machines reach them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in sorted(found, key=lambda one: one[0] != socket.AF_INET)))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
