"""Limits of each address, which hold for all processes of a server together.

They share one piece of memory without a lock, so that a process that is killed leaves nothing locked. A rate is one
number that any process may move on: two that do so in the same instant may count one request instead of two. A count
has a number for every process, which that process alone writes, so that places held by a dead one can be given back.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, MutableSequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPv6Network
from typing import NamedTuple

from farkel.dice.chance import SYSTEM, Chance
from farkel.errors import FarkelError
from farkel.web.settings import HOUR, MINUTE, Settings

PLACES = 2**16
"""Places for addresses. Two that fall on the same one share their limits; which two is not known outside."""

WIDER = ((56, 4), (48, 16))
"""Bits of the wider networks that an address of IPv6 counts for too, and how many times as much they may do."""

ASKER: ContextVar[str] = ContextVar("ASKER", default="")
"""The address that the present work is done for; "" for the server's own."""

OPENED: ContextVar[int] = ContextVar("OPENED", default=0)
"""How many games that address had opened lately before the present one."""


class Full(FarkelError):
    """The server takes no more just now. ``wait``: seconds until it may; 0 if unknown."""

    def __init__(self, code: str, message: str, wait: float = 0.0) -> None:
        super().__init__(code, message)
        self.wait = wait


class Rate(IntEnum):
    """What each address may do only so often."""

    WORK = 0
    """Seconds of processor time."""
    OPENINGS = 1
    CODES = 2


class Held(IntEnum):
    """What each address may hold only this many of."""

    CONNECTIONS = 0
    STREAMS = 1
    CALCULATIONS = 2


class Share(NamedTuple):
    """The memory that the processes of a server share. It can be sent to a process that is being started."""

    key: bytes
    """Chooses the places of addresses."""
    rates: MutableSequence[float]
    """When all that an address has done is forgotten, in seconds of the clock: [rate, place]."""
    counts: MutableSequence[int]
    """[process, kind, place]."""

    @classmethod
    def new(cls, processes: int = 1, chance: Chance = SYSTEM) -> Share:
        """Return memory for that many processes, which are numbered from 0."""
        key, rates, counts = chance.draw(16, "places of addresses"), len(Rate) * PLACES, processes * len(Held) * PLACES
        if processes == 1:
            return cls(key, array("d", bytes(8 * rates)), array("q", bytes(8 * counts)))
        from multiprocessing import get_context

        spawn = get_context("spawn")
        return cls(key, spawn.RawArray("d", rates), spawn.RawArray("q", counts))


class Limits:
    """The used part of each address's limits, which are in `farkel.web.settings`."""

    def __init__(
        self,
        settings: Settings,
        share: Share | None = None,
        process: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with nothing held by this process, which may stand in for one that died. ``clock`` gives seconds."""
        self._clock = clock
        self._share = share or Share.new()
        self._first = process * len(Held) * PLACES
        for place in range(self._first, self._first + len(Held) * PLACES) if share else ():
            if self._share.counts[place]:
                self._share.counts[place] = 0
        often = {
            Rate.WORK: (settings.work_a_minute, MINUTE),
            Rate.OPENINGS: (settings.opened_an_hour, HOUR),
            Rate.CODES: (settings.codes_an_hour, HOUR),
        }
        self._rates = {rate: times / seconds for rate, (times, seconds) in often.items()}
        self._bursts = {rate: max(1.0, times / 4) for rate, (times, _) in often.items()}
        self._most = {
            Held.CONNECTIONS: settings.most_connections,
            Held.STREAMS: settings.most_streams,
            Held.CALCULATIONS: settings.most_calculations,
        }

    def wait(self, rate: Rate, address: str) -> float:
        """Count one more, and return 0; or count nothing, and return the seconds until there may be one."""
        late = self.late(rate, address, 1.0)
        if not late:
            self.count(rate, address)
        return late

    def late(self, rate: Rate, address: str, more: float = 0.0) -> float:
        """Return the seconds until the address may do so much more; 0 if it may now."""
        now = self._clock()
        times = (
            max(self._share.rates[rate * PLACES + self.place(network)] - now, 0.0)
            + (more / share - self._bursts[rate]) / self._rates[rate]
            for network, share in networks(address)
        )
        return max((late for late in times if late > 1e-9), default=0.0)

    def count(self, rate: Rate, address: str, much: float = 1.0) -> None:
        """Count so much, whether or not the address may do it; with less than 0, take back what was counted."""
        now = self._clock()
        for network, share in networks(address):
            place = rate * PLACES + self.place(network)
            self._share.rates[place] = max(self._share.rates[place], now) + much / share / self._rates[rate]

    def done(self, rate: Rate, address: str) -> float:
        """Return how much the address has done that is not forgotten yet; or its network, as part of what that may."""
        places = [rate * PLACES + self.place(network) for network, _ in networks(address)]
        return max(max(self._share.rates[place] for place in places) - self._clock(), 0.0) * self._rates[rate]

    def held(self, what: Held, address: str) -> int:
        """Return how many the address, or a network, holds in all processes."""
        place = what * PLACES + self.place(address)
        return sum(self._share.counts[place :: len(Held) * PLACES])

    def full(self, what: Held, address: str) -> bool:
        """Return whether the address may hold no more."""
        return any(self.held(what, network) >= share * self._most[what] for network, share in networks(address))

    def take(self, what: Held, address: str) -> bool:
        """Hold one more for the address, to be given back with `give_back`; False if it may hold no more."""
        if self.full(what, address):
            return False
        self._hold(what, address, 1)
        return True

    def give_back(self, what: Held, address: str) -> None:
        """Hold one less for the address."""
        self._hold(what, address, -1)

    def _hold(self, what: Held, address: str, more: int) -> None:
        for network, _ in networks(address):
            self._share.counts[self._first + what * PLACES + self.place(network)] += more

    @contextmanager
    def holding(self, what: Held, address: str, refusal: Full) -> Iterator[None]:
        """Hold one for the address until the end of the block. Raises the refusal if it may hold no more."""
        if not self.take(what, address):
            raise refusal
        try:
            yield
        finally:
            self.give_back(what, address)

    def place(self, address: str) -> int:
        """Return the number under which an address is counted."""
        return int.from_bytes(blake2b(address.encode(), key=self._share.key, digest_size=2).digest())


@lru_cache(maxsize=4_096)
def networks(address: str) -> tuple[tuple[str, int], ...]:
    """Return what an address counts for, and how many times as much each of them may do: itself, and wider networks.

    A provider gives its customers whole networks of IPv6, of 64 bits or of many times as many addresses.
    """
    try:
        network = IPv6Network(address)
    except ValueError:  # of IPv4, or what a proxy says instead of an address
        return ((address, 1),)
    return (address, 1), *((str(network.supernet(new_prefix=bits)), share) for bits, share in WIDER)
