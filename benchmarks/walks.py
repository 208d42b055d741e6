"""How many rooms one walk passes: modules of Farkel that a move in the browser and simulated games need, by tracing.

A key in the terminal should not look rules up in the catalogue; the last row counts the lines that do. The figures are
the same on every machine. Run it with ``make bench``.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

CATALOGUE = "farkel.rules.as_text", "farkel.rules.catalogue_files"
SIMULATED = """
import sys
from farkel.simulation import simulate
simulate("standard", ["cautious", "bold"], 300, seed=1, threads=1)
print(sum(name.split(".")[0] == "farkel" for name in sys.modules))
"""


class Walk:
    """Counts lines of Farkel while it is on, by module, in all threads that begin after it was made."""

    def __init__(self) -> None:
        self.on = False
        self.lines: Counter[str] = Counter()
        threading.settrace(self._trace)
        sys.settrace(self._trace)

    def _trace(self, frame: FrameType, event: str, told: object) -> Any:
        name = frame.f_globals.get("__name__")
        if not name or not name.startswith("farkel"):
            return None
        if self.on:
            self.lines[name] += 1
        return self._trace


async def browser(folder: Path) -> int:
    """Modules that a move passes, from the request to the board after it."""
    import httpx

    from farkel.web.app import make_app
    from farkel.web.settings import Settings

    walk = Walk()
    app = make_app(Settings(f"sqlite:///{folder}/games.sqlite"))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        seats = [{"name": "Ann", "who": "here"}, {"name": "Ben", "who": "here"}]
        plan = {"rules": "standard(start=first_seat)", "seats": seats}
        opened = (await client.post("/api/v1/games", json=plan)).json()
        path, key = f"/api/v1/games/{opened['game']}", {"authorization": f"Bearer {opened['host']}"}
        (await client.post(f"{path}/moves", json={"move": {"do": "start"}}, headers=key)).raise_for_status()
        for counted in (False, True):  # once before, as the first of all loads and compiles what the others have
            walk.on = counted
            (await client.post(f"{path}/moves", json={"move": {"do": "roll"}}, headers=key)).raise_for_status()
            view = (await client.get(path, headers=key)).raise_for_status().json()
            walk.on = False
            if not counted:
                await _settle(client, path, key, view)
                for _ in range(2):  # what the bank began for webhooks is no part of the next move; it may come second
                    await app.state.webhooks.look()
    sys.settrace(None)
    return len(walk.lines)


async def _settle(client: Any, path: str, key: dict[str, str], view: dict[str, Any]) -> None:
    """Bring a game to the next roll."""
    while view["keeps"]:
        move = {"do": "keep", "dice": view["keeps"][0]["dice"], "then": "bank"}
        (await client.post(f"{path}/moves", json={"move": move}, headers=key)).raise_for_status()
        view = (await client.get(path, headers=key)).json()


def simulated() -> int:
    """Modules that are loaded when two rules of thumb have played."""
    run = subprocess.run([sys.executable, "-c", SIMULATED], check=True, capture_output=True, text=True)
    return int(run.stdout)


async def key(folder: Path) -> int:
    """Lines of the catalogue and of notation that a key in the terminal passes."""
    from farkel.play.match import Match, Setup
    from farkel.rules import named
    from farkel.terminal.app.app import FarkelApp
    from farkel.terminal.setup import parse_players

    setup = Setup(named("extended"), parse_players("Ann,Ben", ""), "seeded", "1")
    match = Match.start(setup, folder / "game.farkel", datetime(2026, 1, 1))
    walk = Walk()
    app = FarkelApp(match, folder=folder, animate=False)
    async with app.run_test() as pilot:
        for counted in (False, True):
            await pilot.pause()
            walk.on = counted
            await pilot.press("r")
            await pilot.pause()
            walk.on = False
    sys.settrace(None)
    app.close_record()
    return sum(walk.lines[name] for name in CATALOGUE)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            ("modules that a move in the browser passes", asyncio.run(browser(Path(folder))), 40),
            ("modules loaded for simulate with two rules of thumb", simulated(), 60),
            ("lines of the catalogue at a key in the terminal", asyncio.run(key(Path(folder))), 0),
        ]
    print(f"{'walk':<56}{'found':>7}{'mark':>7}")
    for name, found, mark in rows:
        print(f"{name:<56}{found:>7}{mark:>7}")


if __name__ == "__main__":
    main()
