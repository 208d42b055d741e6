"""Webhooks: told once per turn, in order, tried again, signed, and never sent where the operator does not allow it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import random
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
import pytest

from farkel.web.store.database import connect, disconnect
from farkel.web.webhooks import messenger
from farkel.web.webhooks.addresses import HookError, checked_url, public
from farkel.web.webhooks.store import Hook, HookStore, Room
from serving import HANG
from web_helpers import FIRST, NEVER, Hands, Seated, Site, sited


class Got(NamedTuple):
    """A request that the receiver got."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.body)
        return told


class Receiver:
    """A web server that keeps what it is sent, and answers as a test wants."""

    def __init__(self) -> None:
        self.got: asyncio.Queue[Got] = asyncio.Queue()
        self.answers: list[str] = []
        """Heads of the next answers; then 204."""
        self.url = ""

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:-2])}
        body = await reader.readexactly(int(headers["content-length"]))
        answer = self.answers.pop(0) if self.answers else "204 No Content\r\n"
        writer.write(f"HTTP/1.1 {answer}content-length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()
        self.got.put_nowait(Got(head[0].split()[1], headers, body))

    async def next(self) -> Got:
        return await asyncio.wait_for(self.got.get(), HANG)

    async def turn(self) -> dict[str, Any]:
        return (await self.next()).told


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver that is always in time."""
    receiver = Receiver()
    server = await asyncio.start_server(receiver.take, "127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/turn"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messenger, "PATIENCE", NEVER)
        patch.setattr(messenger, "FAILED_AFTER", 0.0)
        patch.setattr(messenger, "LAST", 0.0)
        async with server:
            yield receiver


async def hooked(seated: Seated, url: str, seat: int = 0, form: str = "json") -> dict[str, Any]:
    """Add a webhook to a seat with its own token."""
    answer = await seated.post("/hooks", seated.seats[seat], seat=seat, url=url, form=form)
    assert answer.status_code == 201, answer.text
    added: dict[str, Any] = answer.json()
    return added


async def quiet(site: Site) -> None:
    """Send due notices, and those after them, until there are no more."""
    for _ in range(50):
        await site.webhooks.look()
        await site.webhooks.settled()


async def pass_the_dice(seated: Seated) -> None:
    """Play until the turn passes."""
    view = await seated.view()
    chance, seat = random.Random(5), view["seat"]
    while not view["over"] and view["seat"] == seat:
        await seated.play(chance, 1)
        view = await seated.view()


async def test_a_seat_is_notified_of_each_turn_once_and_in_order(database: str) -> None:
    async with receiving() as receiver, sited(database, Hands(), private_hooks=True) as site:
        seated = await site.open(FIRST, dice="system")
        added = await hooked(seated, receiver.url)
        hello = await receiver.turn()
        assert hello["event"] == "hello"
        assert (await seated.do("start")).status_code == 200
        for turn in range(1, 10, 2):
            got = await receiver.next()
            told = got.told
            assert (told["event"], told["turn"], told["seat"], told["name"]) == ("turn", turn, 0, "Ann")
            assert told["link"] == f"http://farkel.test/g/{seated.game}"
            seconds, made = (part.partition("=")[2] for part in got.headers["x-farkel-signature"].split(","))
            signed = hmac.new(added["secret"].encode(), f"{seconds}.".encode() + got.body, hashlib.sha256)
            assert made == signed.hexdigest()
            await pass_the_dice(seated)
            await pass_the_dice(seated)
        await quiet(site)
        assert receiver.got.qsize() == 1  # the turn that is on
        listed = (await seated.get("/hooks", seated.seats[0])).json()
        assert [(one["last"], one["off"], "secret" in one) for one in listed] == [("delivered", False, False)]


async def test_a_replayed_turn_is_not_announced_twice(sqlite: str) -> None:
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        seated = await site.begin("standard(start=first_seat, entry=0, minimum=0)", dice="manual")
        await hooked(seated, receiver.url, 1)
        assert (await receiver.turn())["event"] == "hello"
        for _ in range(3):
            assert (await seated.do("note", points=500, dice=2, farkle=False)).status_code == 200
            assert (await seated.do("undo")).status_code == 200
        assert (await seated.do("note", points=500, dice=2, farkle=False)).status_code == 200
        first = (await seated.view())["sheet"][0]["number"]
        assert (await seated.do("correct", turn=first, points=400, dice=2, farkle=False)).status_code == 200
        assert (await seated.do("fell")).status_code == 200
        assert (await receiver.turn())["turn"] == 2
        await quiet(site)
        assert receiver.got.empty()
        for _ in range(2):
            assert (await seated.do("note", points=500, dice=2, farkle=False)).status_code == 200
        assert (await receiver.turn())["turn"] == 4


async def test_the_forms_are_those_that_ntfy_and_discord_take(sqlite: str) -> None:
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        seated = await site.open(FIRST, dice="system")
        await hooked(seated, receiver.url, form="ntfy")
        await receiver.next()
        await hooked(seated, receiver.url, form="discord")
        await receiver.next()
        await seated.do("start")
        both = sorted([await receiver.next(), await receiver.next()], key=lambda got: got.headers["content-type"])
        link = f"http://farkel.test/g/{seated.game}"
        line = "Ann, it's your turn in Standard."
        discord, ntfy = both[0].told, both[1]
        assert discord["allowed_mentions"] == {"parse": []}
        assert discord["content"].endswith(link)
        assert discord["content"].startswith("Ann, it's your turn in ")
        assert ntfy.body.decode() == discord["content"].removesuffix(f" {link}")
        assert ntfy.headers["click"] == link
        assert line.split(" in ")[0] in ntfy.body.decode()


async def test_a_receiver_that_fails_is_asked_again_and_in_the_end_no_more(sqlite: str) -> None:
    clock = Hands()
    async with receiving() as receiver, sited(sqlite, clock, private_hooks=True) as site:
        seated = await site.open(FIRST, dice="system")
        await hooked(seated, receiver.url)
        await receiver.next()
        receiver.answers = ["503 Busy\r\n", "302 Found\r\nlocation: /elsewhere\r\n"]
        await seated.do("start")
        deliveries = []
        for pause in (0, *messenger.PAUSES[:2]):
            clock.move(pause)
            await site.webhooks.look()
            got = await receiver.next()
            assert got.path == "/turn"  # never where a redirect leads
            deliveries.append(got.headers["x-farkel-delivery"])
            await site.webhooks.settled()
        assert len(set(deliveries)) == 1
        receiver.answers = ["500 Broken\r\n"] * 100
        for _ in range(8):
            await pass_the_dice(seated)
        for _ in range(40):
            clock.move(messenger.PAUSES[-1])
            await quiet(site)
        assert receiver.got.qsize() == 3 * (len(messenger.PAUSES) + 1)
        turns = [receiver.got.get_nowait().told["turn"] for _ in range(receiver.got.qsize())]
        assert turns == sorted(turns)
        [listed] = (await seated.get("/hooks", seated.seats[0])).json()
        assert (listed["off"], listed["last"]) == (True, "not delivered")


async def test_two_processes_tell_of_a_turn_once(database: str) -> None:
    if database.startswith("sqlite"):
        pytest.skip("one process serves a SQLite database")
    clock = Hands()
    async with (
        receiving() as receiver,
        sited(database, clock, private_hooks=True) as site,
        sited(database, clock, private_hooks=True) as other,
    ):
        seated = await site.open(FIRST, dice="system")
        there = seated._replace(client=other.client)
        await hooked(seated, receiver.url)
        assert (await receiver.turn())["event"] == "hello"
        await there.do("start")
        for turn in range(1, 16, 2):
            await asyncio.gather(site.webhooks.look(), other.webhooks.look())
            assert (await receiver.turn())["turn"] == turn
            await pass_the_dice(seated)
            await pass_the_dice(there)
        await asyncio.gather(quiet(site), quiet(other))
        assert receiver.got.qsize() == 1


async def test_nothing_is_sent_to_private_addresses_unless_the_operator_allows_it(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leads_to(*addresses: str) -> Callable[..., Any]:
        return lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 80)) for one in addresses]

    async with receiving() as receiver, sited(sqlite, Hands()) as site:
        seated = await site.open(FIRST, dice="system")
        answer = await seated.post("/hooks", seated.seats[0], seat=0, url=receiver.url)
        assert (answer.status_code, answer.json()["code"]) == (422, "private_address")
        monkeypatch.setattr("farkel.web.webhooks.addresses.socket.getaddrinfo", leads_to("93.184.216.34", "127.0.0.1"))
        added = await hooked(seated, "http://rebinding.example.org/turn")
        await quiet(site)
        [listed] = (await seated.get("/hooks", seated.seats[0])).json()
        assert listed["last"] == "not delivered"
        assert receiver.got.empty()
        dropped = await site.client.delete(
            f"{seated.path}/hooks/{added['hook']}", headers={"authorization": f"Bearer {seated.seats[0]}"}
        )
        assert dropped.status_code == 204
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        monkeypatch.setattr("farkel.web.webhooks.addresses.socket.getaddrinfo", leads_to("127.0.0.1"))
        seated = await site.open(FIRST, dice="system")
        await hooked(seated, receiver.url.replace("127.0.0.1", "in.the.room"))
        assert (await receiver.next()).headers["host"].startswith("in.the.room:")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "192.168.1.5",
        "0.0.0.0",
        "224.0.0.1",
        "::1",
        "fe80::1%eth0",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::5db8:d822",
        "2002:7f00:1::",
        "2002:5db8:d822::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "fec0::1",
        "ff0e::1",
        "4000::1",
    ],
)
def test_addresses_that_are_not_the_internets_own_are_private(address: str) -> None:
    assert not public(address)
    assert public("93.184.216.34")
    assert public("2606:2800:220:1:248:1893:25c8:1946")
    assert public("64:ff9b::5db8:d822")  # what a network without IPv4 makes of the first one


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://example.org/", "bad_url"),
        ("example.org", "bad_url"),
        ("https://ann:secret@example.org/", "bad_url"),
        ("https://example.org/#part", "bad_url"),
        ("https://example.org/" + "a" * 500, "bad_url"),
        ("http://localhost:8000/", "private_address"),
        ("http://[::1]/", "private_address"),
        ("http://printer.local/", "private_address"),
        ("http://[fec0::1]/", "private_address"),
        ("http://xn--/", "bad_url"),
        ("http://example.org:22/", "bad_url"),
        ("https://example.org:5432/", "bad_url"),
    ],
)
def test_an_impossible_address_is_refused(url: str, code: str) -> None:
    with pytest.raises(HookError) as refused:
        checked_url(url, private=False)
    assert refused.value.code == code


async def test_a_name_that_is_none_is_refused_with_a_sentence(sqlite: str) -> None:
    async with sited(sqlite, Hands()) as site:
        seated = await site.open(FIRST)
        answer = await seated.post("/hooks", seated.seats[0], seat=0, url="http://xn--/")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_url")
    assert "write an address such as" in answer.json()["message"]


# Fairness ------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def stalling() -> AsyncIterator[str]:
    """The address of a receiver that takes what it is sent, and never answers."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def crowded(site: Site, address: str, url: str) -> None:
    """Register 24 webhooks from an address, as many as one game of eight can have."""
    transport = httpx.ASGITransport(site.app, client=(address, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://farkel.test") as client:
        seated = await site._replace(client=client).open(FIRST, *["far"] * 8)
        for number in range(24):
            await hooked(seated, url.format(number), number % 8)


async def test_receivers_that_stall_delay_nobody_elses_message(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messenger, "AT_ONCE", 8)
    async with receiving() as receiver, stalling() as stalls, sited(sqlite, Hands(), private_hooks=True) as site:
        await crowded(site, "192.0.2.1", stalls)
        await hooked(await site.open(FIRST), receiver.url)
        assert (await receiver.turn())["event"] == "hello"


async def test_names_that_do_not_resolve_delay_nobody_elses_message(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()

    def look_up(host: str, *_: object, **__: object) -> list[Any]:
        if host != "in.the.room":
            answered.wait(HANG)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]

    monkeypatch.setattr("farkel.web.webhooks.addresses.socket.getaddrinfo", look_up)
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        await crowded(site, "192.0.2.1", "http://{}.example.org/")
        await hooked(await site.open(FIRST), receiver.url.replace("127.0.0.1", "in.the.room"))
        assert (await receiver.turn())["event"] == "hello"
        answered.set()


async def test_owners_take_turns_and_neither_they_nor_hosts_have_more_than_their_places(database: str) -> None:
    engine = connect(database)
    store = HookStore(engine)

    async def add(name: str, owner: int, host: str) -> None:
        assert await store.add(Hook(name, name, 0, f"http://{host}/", "json", "", "", owner, host), "{}", 0, 3)

    async def claimed(most: int, owners: dict[int, int], hosts: dict[str, int]) -> list[str]:
        """The hooks whose notices may be sent; these stay due."""
        return sorted(one.hook.hook for one in await store.claim(0, 0, Room(most, 3, owners, 4, hosts)))

    try:
        for number in range(5):
            await add(f"a{number}", 1, "here.example.org")
        for number in range(5):
            await add(f"b{number}", 2, "here.example.org")
        await add("c0", 3, "there.example.org")
        assert await claimed(64, {}, {}) == ["a0", "a1", "b0", "b1", "c0"]
        assert await claimed(2, {}, {}) == ["a0", "b0"]
        assert await claimed(1, {1: 1, 2: 1}, {}) == ["c0"]
        assert await claimed(64, {1: 3}, {}) == ["b0", "b1", "b2", "c0"]
        assert await claimed(64, {1: 2}, {"here.example.org": 3}) == ["b0", "c0"]
        assert await claimed(64, {3: 3}, {"here.example.org": 4}) == []
    finally:
        disconnect(engine)


async def test_a_network_of_ipv6_is_one_owner_however_many_addresses_it_has(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messenger, "AT_ONCE", 8)
    async with receiving() as receiver, stalling() as stalls, sited(sqlite, Hands(), private_hooks=True) as site:
        for number in range(3):
            await crowded(site, f"2001:db8:1:{number << 8:x}::1", stalls)
        await hooked(await site.open(FIRST), receiver.url)
        assert (await receiver.turn())["event"] == "hello"


async def test_what_failed_is_not_told_and_takes_the_same_time(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rested: list[float] = []

    async def rest(_: object, seconds: float) -> None:
        rested.append(seconds)

    monkeypatch.setattr(messenger.Messenger, "_rest", rest)
    with socket.create_server(("127.0.0.1", 0)) as unused:
        refusing = f"http://127.0.0.1:{unused.getsockname()[1]}/"
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        monkeypatch.setattr(messenger, "FAILED_AFTER", NEVER)
        seated = await site.open(FIRST)
        receiver.answers = ["410 Gone\r\n"]
        await hooked(seated, receiver.url)
        await receiver.next()
        await site.webhooks.settled()
        assert not rested[1:]
        await hooked(seated, refusing)
        await quiet(site)
        both = (await seated.get("/hooks", seated.seats[0])).json()
        assert [(one["last"], one["off"]) for one in both] == [("not delivered", False)] * 2
        assert len(rested) == 2
        assert all(seconds > NEVER / 2 for seconds in rested)


async def test_certificates_are_read_once_and_not_while_pages_wait(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = []

    def read(*_: object, **__: object) -> ssl.SSLContext:
        readers.append(threading.current_thread())
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    monkeypatch.setattr("ssl.create_default_context", read)
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        seated = await site.open(FIRST)
        for _ in range(3):
            await hooked(seated, receiver.url)
        for _ in range(3):
            await receiver.next()
    assert len(readers) == 1
    assert threading.main_thread() not in readers


async def test_only_the_owner_of_a_seat_adds_a_webhook_and_a_new_link_removes_it(sqlite: str) -> None:
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        seated = await site.open(FIRST, dice="system")
        for token in (None, seated.seats[1], seated.host):
            answer = await seated.post("/hooks", token, seat=0, url=receiver.url)
            assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
        for _ in range(3):
            await hooked(seated, receiver.url)
        answer = await seated.post("/hooks", seated.seats[0], seat=0, url=receiver.url)
        assert answer.json()["code"] == "too_many_hooks"
        assert (await seated.get("/hooks", seated.seats[1])).json() == []
        await quiet(site)
        token = (await seated.post("/seats/0/link", seated.host)).json()["token"]
        assert (await seated.get("/hooks", token)).json() == []


async def test_webhooks_go_with_the_seats_into_the_next_game(sqlite: str) -> None:
    async with receiving() as receiver, sited(sqlite, Hands(), private_hooks=True) as site:
        seated = await site.begin("standard(start=first_seat, target=500, entry=0, minimum=0)", dice="manual")
        await hooked(seated, receiver.url)
        assert (await receiver.turn())["event"] == "hello"
        while not (await seated.view())["over"]:
            assert (await seated.do("note", points=500, dice=2, farkle=False)).status_code == 200
        following = (await seated.post("/again", seated.host)).json()
        there = Seated(site.client, following["game"], following["host"], {})
        while not receiver.got.empty():
            receiver.got.get_nowait()
        await there.do("start")
        told = await receiver.turn()
        assert (told["game"], told["turn"], told["name"]) == (there.game, 1, "Ann")
