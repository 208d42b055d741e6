"""Calculations beside the server: shared, bounded, fair, and no harm when one fails."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import sys
from collections.abc import AsyncIterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from farkel.errors import RecordError, RulesError, SolveError
from farkel.web.coaching import calculations, calculator
from farkel.web.coaching.calculator import Lane, ProcessCalculator, Queue, _Question
from farkel.web.http.limits import ASKER, Full, Limits
from farkel.web.settings import Settings
from serving import HANG
from web_helpers import FIRST, bearer, choice, sited

LIMITS = Settings("", most_calculations=3)


# Calculations: plain functions, which the process finds by their names. -----------------------------------------------


def twice(number: int) -> int:
    return 2 * number


def process() -> int:
    return os.getpid()


def appended(path: str) -> int:
    with Path(path).open("a") as file:
        file.write("x")
    return len(Path(path).read_text())


def waited(port: int) -> int:
    """Wait at a gate until it is opened."""
    with socket.create_connection(("127.0.0.1", port)) as gate:
        gate.recv(1)
    return port


def ended() -> None:
    os._exit(3)


def failed(code: str) -> None:
    raise {"bad_rules": RulesError("bad_rules", "no", ("one", "two")), "cut": RecordError("cut", "no", 7)}[code]


def faulty() -> None:
    raise ZeroDivisionError("a fault of ours")


def greedy() -> int:
    return len(bytearray(4 << 30))


class Gate:
    """Where calculations wait until a test opens it."""

    port: int

    def __init__(self) -> None:
        self._opened = asyncio.Event()
        self._came: asyncio.Queue[None] = asyncio.Queue()

    async def keep(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._came.put_nowait(None)
        await self._opened.wait()
        writer.close()

    async def reached(self) -> None:
        """Wait until a calculation has come to it."""
        await asyncio.wait_for(self._came.get(), HANG)

    def open(self) -> None:
        self._opened.set()


@pytest.fixture
async def gate() -> AsyncIterator[Gate]:
    gate = Gate()
    async with await asyncio.start_server(gate.keep, "127.0.0.1", 0) as server:
        gate.port = server.sockets[0].getsockname()[1]
        yield gate
        gate.open()


@pytest.fixture
async def asked() -> AsyncIterator[ProcessCalculator]:
    calculator = ProcessCalculator(Limits(LIMITS))
    yield calculator
    await calculator.close()


async def test_an_answer_comes_from_another_process(asked: ProcessCalculator) -> None:
    assert await asked.ask("twice", twice, 21) == 42
    pid = await asked.ask("process", process)
    assert pid != os.getpid()
    assert await asked.ask("process", process) == pid


async def test_errors_come_back_whole(asked: ProcessCalculator) -> None:
    with pytest.raises(RulesError) as rules:
        await asked.ask("failed", failed, "bad_rules")
    assert (rules.value.code, rules.value.defects, str(rules.value)) == ("bad_rules", ("one", "two"), "no")
    with pytest.raises(RecordError) as record:
        await asked.ask("failed", failed, "cut")
    assert (record.value.line, record.value.message) == (7, "line 7: no")
    with pytest.raises(RuntimeError, match="a fault of ours"):
        await asked.ask("faulty", faulty)
    with pytest.raises(SolveError, match="more memory") as large:
        await asked.ask("greedy", greedy)
    assert large.value.code == "too_large"


async def test_a_process_that_dies_is_replaced(asked: ProcessCalculator) -> None:
    before = await asked.ask("process", process)
    with pytest.raises(Full) as full:
        await asked.ask("ended", ended)
    assert full.value.code == "busy"
    assert await asked.ask("process", process) != before


async def test_a_process_that_has_grown_large_is_replaced_when_it_has_nothing_to_do(
    asked: ProcessCalculator, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await asked.ask("process", process)
    monkeypatch.setattr(calculator._process, "_replaced", -calculator.REPLACED)
    monkeypatch.setattr(calculator, "LARGE", 1 << 20)
    solving = asyncio.create_task(asked.ask("solving", _solving, gate.port))
    await gate.reached()
    busy = await asked.ask("process", process)
    gate.open()
    assert await solving == "solved"
    assert (busy != before) == (sys.platform == "linux")  # only before the other lane had anything to do
    assert await asked.ask("process", process) == busy  # for a minute
    monkeypatch.setattr(calculator, "REPLACED", 0.0)
    assert (await asked.ask("process", process) != busy) == (sys.platform == "linux")


async def test_calculations_have_a_time_limit(asked: ProcessCalculator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of builtin functions, for which nothing is imported in that time."""
    with pytest.raises(Full):
        await asked.ask("ended", ended)
    with monkeypatch.context() as patch:
        patch.setitem(calculator.SECONDS, Lane.QUICK, 0.5)  # for the process that is started next
        before = await asked.ask("process", os.getpid)
    with pytest.raises(SolveError, match="longer to calculate") as error:
        await asked.ask("endless", exec, "while True: pass")
    assert error.value.code == "too_long"
    assert await asked.ask("process", os.getpid) != before


async def test_equal_questions_share_one_calculation(asked: ProcessCalculator, tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    assert await asyncio.gather(*(asked.ask("appended", appended, path) for _ in range(5))) == [1] * 5
    assert await asked.ask("appended", appended, path) == 2


async def test_long_calculations_do_not_hold_up_known_answers(asked: ProcessCalculator, gate: Gate) -> None:
    solving = asyncio.create_task(asked.ask("solving", _solving, gate.port))
    await gate.reached()
    assert await asked.ask("twice", twice, 4) == 8
    assert not solving.done()
    gate.open()
    assert await solving == "solved"


def _solving(*gates: int) -> str:
    for port in gates:
        waited(port)
    return "solved"


def _is_solved(*gates: int) -> bool:
    return False


calculations.AT_HAND[_solving] = _is_solved  # in the process too, which imports this file for its functions


async def test_a_server_that_stops_gives_up_its_calculations(asked: ProcessCalculator, gate: Gate) -> None:
    solving = asyncio.create_task(asked.ask("solving", _solving, gate.port))
    await gate.reached()
    await asked.close()
    with pytest.raises(asyncio.CancelledError):
        await solving
    async with asyncio.timeout(HANG):  # the slow lane is free for the next server
        assert await ProcessCalculator(Limits(LIMITS)).ask("solving", _solving) == "solved"


async def test_calculations_are_limited_per_address_and_in_total(
    asked: ProcessCalculator, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [asyncio.create_task(asked.ask(("waited", number), waited, gate.port)) for number in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Full) as full:
        await asked.ask("twice", twice, 1)
    assert (full.value.code, full.value.wait) == ("too_many_calculations", 5)
    again = asyncio.create_task(asked.ask(("waited", 1), waited, gate.port))  # waits for the one under way
    bot = asyncio.create_task(asked.ask("bot", twice, 1, bounded=False))
    ASKER.set("somebody else")
    monkeypatch.setattr(calculator, "MOST_WAITING", 3)
    with pytest.raises(Full) as full:
        await asked.ask("twice", twice, 1)
    assert full.value.code == "busy"
    for task in tasks[:2]:  # who goes away gives nothing back before it is done
        task.cancel()
    await asyncio.sleep(0)
    assert asked.under_way == 4
    gate.open()
    assert [await tasks[2], await again, await bot] == [gate.port, gate.port, 2]
    monkeypatch.undo()
    ASKER.set("")
    assert await asked.ask("twice", twice, 1) == 2
    assert not asked.under_way


def test_addresses_take_turns() -> None:
    queue = Queue()
    for address, number in [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("a", 5), ("c", 6), ("b", 7)]:
        queue.put(address, _Question(bytes([number]), Future()))
    assert [queue.next().work[0] for _ in range(7)] == [1, 4, 6, 2, 7, 3, 5]


async def test_refusals_have_codes_for_programs(sqlite: str, gate: Gate) -> None:
    async with sited(sqlite, most_calculations=1) as site:
        ASKER.set("127.0.0.1")
        first = asyncio.create_task(site.service.calculator.ask("first", waited, gate.port))
        await asyncio.sleep(0)
        answer = await site.client.post("/api/v1/rules/value", json={"rules": "minimal(target=500)"})
        assert (answer.status_code, answer.json()["code"]) == (429, "too_many_calculations")
        assert answer.headers["retry-after"] == "5"
        gate.open()
        await first
        answer = await site.client.post("/api/v1/rules/value", json={"rules": "original"})
        assert (answer.status_code, answer.json()["code"]) == (422, "too_long")


async def test_bots_that_calculate_play_in_that_process(sqlite: str) -> None:
    async with sited(sqlite) as site:
        game = await site.open(FIRST.replace(")", ", target=500)"), "far", "bot:turn")
        chance = random.Random(3)
        assert (await game.do("start")).status_code == 200
        for _ in range(400):
            await site.service.settled()
            view = (await site.client.get(game.path, headers=bearer(game.seats[0]))).json()
            if view["over"]:
                break
            answer = await game.do(**choice(view, chance), token=game.seats[0], seen=view["number"])
            assert answer.status_code == 200, answer.text
        assert view["over"]
