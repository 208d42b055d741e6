"""The application in terminals of several sizes: what stays in sight, and that nothing is cut."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from app_helpers import deciding, flat, running, shows, text, until, wait
from farkel.terminal.app.dialogs import HintScreen, Question
from farkel.terminal.app.game_screen import GameScreen

pytestmark = pytest.mark.usefixtures("surroundings")

SIZES = [(80, 24), (140, 40)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("keys", "says"), [("q", "Leave the game?"), ("q1", "Ann gives up?"), ("h", "no choice but")])
async def test_dialogs_leave_dice_and_scores_in_sight(keys: str, says: str, size: tuple[int, int]) -> None:
    match = deciding("extended", "Ann,Maximilian,Bob", "123446")
    async with running(match, size) as pilot:
        before = text(pilot)
        await pilot.press(*keys)
        await until(pilot, HintScreen if keys == "h" else Question, says)
        now = text(pilot)
        assert says in flat(now)
        dice = [[line[:48].rstrip() for line in page.splitlines()[3:10]] for page in (before, now)]
        assert dice[0] == dice[1]
        sheets = [[line[size[0] - 31 :] for line in page.splitlines()[1 : size[1] - 1]] for page in (before, now)]
        assert all(name in now for name in match.names)
        assert sheets[0] == sheets[1]
        await pilot.press("escape")
        assert shows(pilot, GameScreen)


async def test_a_dialog_moves_beside_the_dice_when_the_terminal_grows() -> None:
    def top(pilot: Pilot[int]) -> int:
        return next(at for at, line in enumerate(text(pilot).splitlines()) if "═══" in line)

    async with running(deciding("extended", "Ann,Ben", "123446")) as pilot:
        await pilot.press("q")
        assert top(pilot) == 16
        await pilot.resize_terminal(140, 40)
        await wait(pilot, lambda: top(pilot) == 1, "the dialog beside the dice")
        await pilot.resize_terminal(80, 24)
        await wait(pilot, lambda: top(pilot) == 16, "the dialog below the dice")
