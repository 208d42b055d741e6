"""Webhooks: a request to an address of one's own says whose turn it is.

A notice is stored in the transaction of the event that begins the turn, and any process claims and sends it. So a turn
is announced once, in order, whatever happens to a process; one that dies while it sends has the notice sent again.

Receivers may be slow, on purpose too. So the addresses that registered webhooks take turns, and neither one of them nor
one receiving host has more than a few notices under way. Their owners learn whether a notice arrived and no more:
anything else would tell them what machines and ports there are.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import ssl
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import httpx

from farkel import __version__
from farkel.dice.chance import Chance
from farkel.web.settings import Settings
from farkel.web.store.values import StoreError
from farkel.web.tokens import new_name
from farkel.web.webhooks.addresses import HookError, Names, checked_url, port_of, public
from farkel.web.webhooks.store import HELLO, Hook, HookStore, Notice, Room

log = logging.getLogger(__name__)

Form = Literal["json", "discord", "ntfy"]

MOST_OF_A_SEAT = 3
AT_ONCE = 64
"""Notices that a process sends at a time."""
OF_ONE = 4
"""Of them, those of webhooks that one address registered."""
TO_ONE = 16
"""Of them, those to one host."""
PATIENCE = 4.0
"""Seconds that a receiver has to answer, name and connection included."""
FAILED_AFTER = PATIENCE
"""Seconds after which a try has failed, whatever failed: if it was sooner, that would tell why."""
CLAIMED = 10_000
"""Milliseconds for which a notice is this process's own; longer than `PATIENCE`."""
PAUSES = (2, 8, 30, 120, 600)
"""Seconds before each further try; after the last one a notice is given up."""
LAST = 2.0
"""Seconds that receivers have to answer while the server stops."""
DELIVERED, NOT_DELIVERED = "delivered", "not delivered"


class Target(NamedTuple):
    """What a webhook tells of: the turns of a seat, or those of all games of a group."""

    of: str
    """The game or the group."""
    seat: int | None
    name: str
    """Of the seat or the group."""
    title: str
    """Of the rules or the group."""


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
        self._sending: dict[asyncio.Task[None], Hook] = {}
        self._names = Names()
        self._tls: ssl.SSLContext | None = None
        self._making = asyncio.Lock()

    async def add(self, target: Target, url: str, form: str, base: str, owner: int) -> Hook:
        """Add a webhook of the owner, as `Limits.place` numbers addresses, with a first notice. Raises `HookError`."""
        host = checked_url(url, private=self._settings.private_hooks).host
        name = new_name(self._chance, target.of, "hook")
        secret = urlsafe_b64encode(self._chance.unique(32, name, "secret")).decode().rstrip("=")
        hook = Hook(name, target.of, target.seat, url, form, secret, base, owner, host)
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
            hooks = self._sending.values()
            owners, hosts = Counter(hook.owner for hook in hooks), Counter(hook.host for hook in hooks)
            room = Room(free, OF_ONE, owners, TO_ONE, hosts)
            for notice in await self.store.claim(now, now + CLAIMED, room):
                task = asyncio.create_task(self._tell(notice))
                self._sending[task] = notice.hook
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

    def _done(self, task: asyncio.Task[None]) -> None:
        del self._sending[task]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("a webhook could not be told: %s", error)
        else:
            self.wake()  # the next notice of the same webhook may go

    async def _tell(self, notice: Notice) -> None:
        """Send a notice and note what became of it, of all failures at the same time."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        if await self._sent(notice):
            await self.store.settle(notice, DELIVERED, None, 0)
            return
        await self._rest(begun + FAILED_AFTER - loop.time())
        given_up = notice.tries >= len(PAUSES)
        due = None if given_up else self._clock() + 1_000 * PAUSES[notice.tries]
        await self.store.settle(notice, NOT_DELIVERED, due, notice.hook.failed + given_up)

    async def _rest(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _sent(self, notice: Notice) -> bool:
        """Send a notice to an address of its webhook that was checked, and to no other; whether it was taken."""
        url = httpx.URL(notice.hook.url)
        try:
            async with asyncio.timeout(PATIENCE):
                name = url.raw_host.decode()
                found = await self._names.addresses(name, port_of(url), notice.hook.owner)
                if not found or not (self._settings.private_hooks or all(map(public, found))):
                    return False
                return await post(url, found[0], *message_of(notice, self._clock()), await self._secure())
        except (TimeoutError, httpx.HTTPError):
            return False

    async def _secure(self) -> ssl.SSLContext:
        """Return what is needed to check certificates. To read it takes as long as a hundred requests."""
        async with self._making:
            if self._tls is None:
                self._tls = await asyncio.to_thread(httpx.create_ssl_context, trust_env=False)
        return self._tls


async def post(url: httpx.URL, address: str, headers: dict[str, str], body: bytes, tls: ssl.SSLContext) -> bool:
    """Post a body to an address of the host of ``url``; whether it was taken. Raises `httpx.HTTPError`.

    The name is not looked up again: it could lead elsewhere by then. The certificate is checked for the name.
    """
    pinned, names = url.copy_with(host=address), {"sni_hostname": url.raw_host.decode()}
    headers = {**headers, "host": url.netloc.decode()}
    async with (
        httpx.AsyncClient(verify=tls, trust_env=False, follow_redirects=False, timeout=PATIENCE) as client,
        client.stream("POST", pinned, content=body, headers=headers, extensions=names) as answer,
    ):
        return answer.is_success


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
