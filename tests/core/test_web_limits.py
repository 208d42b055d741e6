"""Limits of each address, in one process and in several."""

from __future__ import annotations

from multiprocessing import get_context

import pytest

from farkel.dice.chance import Chance
from farkel.web.http.limits import Full, Held, Limits, Rate, Share
from farkel.web.settings import Settings

SETTINGS = Settings("", work_a_minute=60, opened_an_hour=4, most_streams=3)
REFUSAL = Full("too_many_streams", "close one first")


def test_a_rate_refills_evenly_with_bursts_of_a_quarter() -> None:
    now = [0.0]
    limits = Limits(SETTINGS, clock=lambda: now[0])
    assert [limits.wait(Rate.WORK, "a") for _ in range(15)] == [0.0] * 15
    assert limits.wait(Rate.WORK, "a") == pytest.approx(1.0)
    assert limits.wait(Rate.WORK, "b") == 0.0
    now[0] = 0.5
    assert limits.wait(Rate.WORK, "a") == pytest.approx(0.5)
    now[0] = 1.0
    assert limits.wait(Rate.WORK, "a") == 0.0
    now[0] = 1_000.0
    assert [limits.wait(Rate.WORK, "a") for _ in range(16)].count(0.0) == 15
    assert limits.wait(Rate.OPENINGS, "a") == 0.0
    assert limits.wait(Rate.OPENINGS, "a") == pytest.approx(900.0)


def test_an_address_holds_a_limited_number_of_places() -> None:
    limits = Limits(SETTINGS)
    assert [limits.take(Held.STREAMS, "a") for _ in range(4)] == [True, True, True, False]
    assert limits.take(Held.STREAMS, "b")
    assert [limits.held(Held.STREAMS, address) for address in "ab"] == [3, 1]
    with pytest.raises(Full), limits.holding(Held.STREAMS, "a", REFUSAL):
        raise AssertionError("it may hold no more")
    limits.give_back(Held.STREAMS, "a")
    with limits.holding(Held.STREAMS, "a", REFUSAL):
        assert limits.full(Held.STREAMS, "a")
    assert limits.held(Held.STREAMS, "a") == 2
    assert not limits.held(Held.CONNECTIONS, "a")


def test_work_is_counted_by_what_it_took() -> None:
    now = [0.0]
    limits = Limits(SETTINGS, clock=lambda: now[0])
    limits.count(Rate.WORK, "a", 14.0)
    assert limits.late(Rate.WORK, "a") == 0.0
    limits.count(Rate.WORK, "a", 6.0)
    assert limits.late(Rate.WORK, "a") == pytest.approx(5.0)
    assert limits.late(Rate.WORK, "b") == 0.0
    now[0] = 5.0
    assert limits.late(Rate.WORK, "a") == 0.0
    assert limits.done(Rate.WORK, "a") == pytest.approx(15.0)


def test_addresses_of_ipv6_count_for_wider_networks_too() -> None:
    limits = Limits(SETTINGS, clock=lambda: 0.0)
    near = [f"2001:db8:1:{number:x}::/64" for number in range(5)]  # in one network of 56 bits
    assert [limits.wait(Rate.OPENINGS, address) for address in near[:4]] == [0.0] * 4
    assert limits.wait(Rate.OPENINGS, near[4]) > 0
    far = [f"2001:db8:1:{number << 8:x}::/64" for number in range(1, 14)]  # in one of 48
    assert [limits.wait(Rate.OPENINGS, address) > 0 for address in far] == [False] * 12 + [True]
    assert limits.wait(Rate.OPENINGS, "2001:db8:2::/64") == 0.0
    assert all(limits.take(Held.STREAMS, address) for address in near[:4] for _ in range(3))
    assert not limits.take(Held.STREAMS, near[4])
    limits.give_back(Held.STREAMS, near[0])
    assert limits.take(Held.STREAMS, near[4])
    assert limits.take(Held.STREAMS, "unknown/64")


def _spend(share: Share, number: int) -> None:
    """Be another process of the server, which dies without giving anything back."""
    limits = Limits(SETTINGS, share, number, lambda: 0.0)
    assert limits.take(Held.STREAMS, "a")
    assert limits.take(Held.STREAMS, "a")
    assert [limits.wait(Rate.WORK, "a") for _ in range(10)] == [0.0] * 10


def test_limits_hold_for_all_processes_and_outlive_none() -> None:
    share = Share.new(2)
    limits = Limits(SETTINGS, share, 0, lambda: 0.0)
    assert limits.take(Held.STREAMS, "a")
    other = get_context("spawn").Process(target=_spend, args=(share, 1))
    other.start()
    other.join()
    assert other.exitcode == 0
    assert limits.full(Held.STREAMS, "a")
    assert not limits.take(Held.STREAMS, "a")
    assert [limits.wait(Rate.WORK, "a") > 0 for _ in range(6)] == [False] * 5 + [True]
    Limits(SETTINGS, share, 1)  # the one that takes the place of the dead one
    assert limits.held(Held.STREAMS, "a") == 1


def test_shared_places_are_unpredictable_from_outside() -> None:
    def places() -> list[int]:
        limits = Limits(SETTINGS, Share.new(chance=Chance()))
        return [limits.place(f"192.0.2.{host}") for host in range(50)]

    assert places() != places()
