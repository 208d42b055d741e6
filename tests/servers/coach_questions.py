"""Run by a page's Python under Node: asks the coach, stops it, and asks again."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from farkel.errors import SolveError
from farkel.page.calculator import Doing, PageCalculator, WorkerLink
from farkel.rules import load
from farkel.web.coaching import calculations


async def main(make: Callable[[], Any]) -> str:
    """Return what happened. make: a function of JavaScript that makes a worker."""
    heard: list[Doing | None] = []
    calculator = PageCalculator(lambda found: WorkerLink(make(), found), lambda: heard.append(calculator.doing))

    async def value(rules: str) -> dict[str, Any]:
        began = time.monotonic()
        found = await calculator.ask(rules, calculations.value, load(rules))
        return {"seconds": time.monotonic() - began} | found

    found: dict[str, Any] = {"first": await value("minimal"), "shares": [one.share for one in heard if one]}
    asked = asyncio.ensure_future(value("standard(target=9000)"))
    while not (calculator.doing and calculator.doing.share > 0):
        await asyncio.sleep(0.02)
    calculator.stop(calculator.doing.number)
    try:
        await asked
    except SolveError as error:
        found["stopped"] = error.code
    found["second"] = await value("minimal(target=3000)")
    found["third"] = await value("minimal(target=3000)")
    return json.dumps(found)
