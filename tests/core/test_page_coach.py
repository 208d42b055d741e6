"""The coach of a page: questions to a worker, how far they are, and what is stopped."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import httpx
import pytest

from farkel.errors import SolveError
from farkel.page import coach, coach_pages
from farkel.page.calculator import Doing, PageCalculator
from farkel.support.progress import told
from farkel.web.app import PAGES, make_app
from farkel.web.coaching import calculations
from memory_store import Memory
from named_rules import rules_of
from seeded import Seeded
from web_helpers import Hands, settings_of

RULES = rules_of("minimal(target=500)")


class Worker:
    """In place of a worker of the browser; it answers when it is told to."""

    def __init__(self, calculator: PageCalculator) -> None:
        self.calculator = calculator
        self.asked: list[tuple[int, bytes]] = []
        self.ended = False

    def send(self, number: int, work: bytes) -> None:
        assert not self.ended
        self.asked.append((number, work))

    def end(self) -> None:
        self.ended = True

    def answer(self) -> None:
        """Answer the first question."""
        number, work = self.asked.pop(0)
        self.calculator.answered(number, coach.answer(work, lambda done, of: None))


class Page:
    """A calculator and its workers."""

    def __init__(self) -> None:
        self.now = 0.0
        self.changes = 0
        self.workers: list[Worker] = []
        self.calculator = PageCalculator(self.start, self.change, lambda: self.now)

    def start(self, calculator: PageCalculator) -> Worker:
        self.workers.append(Worker(calculator))
        return self.workers[-1]

    def change(self) -> None:
        self.changes += 1

    async def value(self, about: Any) -> asyncio.Task[Any]:
        """Ask for the value of a game."""
        asked = asyncio.create_task(self.calculator.ask(about, calculations.value, RULES))
        await asyncio.sleep(0)
        return asked


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setitem(calculations.AT_HAND, calculations.value, lambda rules: False)
    return Page()


async def test_what_is_known_at_once_needs_no_worker(page: Page) -> None:
    assert len(await page.calculator.ask("odds", calculations.odds, RULES)) == RULES.dice
    assert page.workers == []
    assert page.calculator.doing is None


async def test_the_same_questions_share_one_calculation(page: Page) -> None:
    one, other, third = await page.value("a"), await page.value("a"), await page.value("b")
    (worker,) = page.workers
    assert [number for number, _ in worker.asked] == [1, 2]
    worker.answer()
    assert (await one)["states"] == (await other)["states"] > 0
    worker.answer()
    assert (await third)["rules"] == str(RULES)
    assert page.calculator.doing is None


async def test_errors_of_a_calculation_are_its_own(page: Page) -> None:
    asked = asyncio.create_task(
        page.calculator.ask("a", calculations.value, rules_of("standard(target=0, rounds=500)"))
    )
    await asyncio.sleep(0)
    page.workers[0].answer()
    with pytest.raises(SolveError):
        await asked


async def test_it_is_told_how_far_a_calculation_is_and_how_long_it_takes(page: Page) -> None:
    await page.value("a")
    assert page.calculator.doing == Doing(1, "best play", 0.0, 0.0, None)
    assert page.calculator.doing.sentence == "Calculating best play …"
    before, page.now = page.changes, 4.0
    page.calculator.progressed(1, 25, 100)
    found = page.calculator.doing
    assert found is not None
    assert found.sentence == "Calculating best play: 25%, about 12 s left"
    assert page.changes == before + 1
    page.now = 60.0
    found = page.calculator.doing
    assert found is not None
    assert found.sentence == "Calculating best play: 25%, about 3 min left"
    page.calculator.progressed(1, 1, 10)  # of the next part
    assert page.calculator.doing == Doing(1, "best play", 0.0, 0.1, None)
    page.calculator.progressed(7, 1, 1)  # of a question that nobody asked
    await page.calculator.close()


async def test_what_is_stopped_is_given_up_and_the_rest_is_asked_again(page: Page) -> None:
    one, other = await page.value("a"), await page.value("b")
    page.calculator.stop(2)  # it has not begun
    page.calculator.stop(1)
    with pytest.raises(SolveError, match="was stopped; ask again"):
        await one
    first, second = page.workers
    assert first.ended
    first.calculator.answered(1, pickle.dumps(None))  # it was on its way
    second.answer()
    assert (await other)["states"] > 0
    page.calculator.stop(2)  # it is done
    assert not second.ended


async def test_a_worker_that_breaks_down_is_replaced(page: Page) -> None:
    one = await page.value("a")
    page.calculator.failed("out of memory")
    with pytest.raises(SolveError, match=r"broke off \(out of memory\); try again"):
        await one
    assert page.workers[0].ended
    again = await page.value("a")
    page.workers[1].answer()
    assert (await again)["states"] > 0


async def test_who_goes_does_not_take_the_answer_from_the_others(page: Page) -> None:
    one, other = await page.value("a"), await page.value("a")
    one.cancel()
    await asyncio.sleep(0)
    page.workers[0].answer()
    assert (await other)["states"] > 0


async def test_at_the_end_everything_is_given_up(page: Page) -> None:
    one = await page.value("a")
    await page.calculator.close()
    with pytest.raises(asyncio.CancelledError):
        await one
    assert page.workers[0].ended


async def test_pages_show_a_calculation_and_stop_it(page: Page) -> None:
    app = make_app(settings_of("", alone=True), Hands(), Seeded(), store=Memory(), pages=(*PAGES, coach_pages.router))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="https://games.example") as client:
            assert 'id="coach"' in (await client.get("/rules/minimal")).text
            assert not (await client.get("/coach")).text.strip()
            app.state.service.calculator = page.calculator
            asked = await page.value("a")
            assert not (await client.get("/coach")).text.strip()  # it may be over in a moment
            page.now = 4.0
            page.calculator.progressed(1, 25, 100)
            shown = (await client.get("/coach")).text
            assert "Calculating best play: 25%, about 12 s left" in shown
            assert 'name="number" value="1"' in shown
            assert 'value="0.250"' in shown
            assert not (await client.post("/coach/stop", data={"number": "1"})).text.strip()
    with pytest.raises(SolveError, match="was stopped"):
        await asked


def work(done: float, of: float) -> str:
    told(done, of)
    return "done"


def test_a_worker_tells_what_a_calculation_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[float, float]] = []
    monkeypatch.setattr(coach, "OFTEN", 0.0)
    reply = coach.answer(pickle.dumps((work, (1, 4))), lambda done, of: heard.append((done, of)))
    assert pickle.loads(reply) == "done"
    assert heard == [(1, 4)]
    told(2, 4)
    assert heard == [(1, 4)]


def test_reports_come_now_and_then() -> None:
    heard, now = list[float](), [0.0]
    progress = coach.now_and_then(lambda done, of: heard.append(done), lambda: now[0])
    for step in range(10):
        now[0] = step / 10
        progress(step, 10)
    assert heard == [3, 6, 9]


def broken() -> None:
    raise MemoryError


def wrong() -> None:
    raise KeyError("that")


def test_what_goes_wrong_in_a_worker_comes_back() -> None:
    found = pickle.loads(coach.answer(pickle.dumps((broken, ())), told))
    assert isinstance(found, SolveError)
    assert "more memory to calculate than the browser has" in found.message
    found = pickle.loads(coach.answer(pickle.dumps((wrong, ())), told))
    assert isinstance(found, RuntimeError)
    assert "KeyError: 'that'" in str(found)
