"""The application in terminals of several sizes: what stays in sight, and that nothing is cut."""

from __future__ import annotations

from functools import partial
from textwrap import wrap

import pytest
from textual.pilot import Pilot

from app_helpers import deciding, flat, new_match, running, said, seen, shows, text, until, wait
from farkel.game import Leave, Phase, State
from farkel.play.match import Match
from farkel.terminal.app.dialogs import HintScreen, Question, Reading
from farkel.terminal.app.game_over_screen import GameOver
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.app.games_screen import GamesScreen
from farkel.terminal.app.watch_screen import WatchScreen
from farkel.terminal.app.widgets import ChoiceButton

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


async def test_the_keys_of_a_covered_table_are_gone_until_it_is_back() -> None:
    async with running(deciding("extended", "Ann,Ben", "123446"), (60, 20)) as pilot:
        assert "Q Leave" in text(pilot).splitlines()[-1]
        await pilot.press("q", "1")
        await until(pilot, Question, "Ann gives up?")
        assert text(pilot).splitlines()[-2].endswith("Esc  Keep playing")
        assert "Motion" not in text(pilot)
        await pilot.press("escape")
        await wait(pilot, lambda: shows(pilot, GameScreen), "the table")
        await wait(pilot, lambda: "Q Leave" in text(pilot).splitlines()[-1], "its keys")


async def test_a_dialog_makes_room_for_two_lines_of_keys() -> None:
    async with running(deciding("build-on", "Ann,Ben", "114556"), (60, 20)) as pilot:
        await pilot.press("h")
        await until(pilot, HintScreen, "Keep 1 and roll on.")
        await wait(pilot, lambda: pilot.app.screen.max_scroll_y == 0, "a dialog that fits")
        assert text(pilot).splitlines()[-1] == " Esc Back"


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


LONG = "Bartholomew Maximill"


def whole(pilot: Pilot[int]) -> None:
    """Check that nothing on the screen is cut: all texts of the table have the lines that they need."""
    width, height = pilot.app.size
    lines = text(pilot).splitlines()
    assert "…" not in text(pilot), text(pilot)
    assert len(lines) <= height
    assert all(len(line) <= width for line in lines)
    assert "Q Leave" in "\n".join(lines[-3:]), text(pilot)
    assert not [line for line in lines if line.rstrip(" │").endswith("not on")], text(pilot)
    for name in ("banner", "aside", "panel", "hint", "sheet", "log"):
        room = pilot.app.screen.query_one(f"#{name}").content_size
        wrapped = [part for line in said(pilot, name).splitlines() for part in wrap(line, room.width) or [""]]
        assert len(wrapped) <= room.height, (name, text(pilot))
    for choice in pilot.app.screen.query(ChoiceButton):
        assert not choice.display or choice.region.right <= width


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
@pytest.mark.parametrize(
    ("rules", "players"),
    [
        ("extended(target=1500)", f"Ann,{LONG}"),
        ("original(target=3000)", "Ann,Ben"),
        ("original(target=3000)", ",".join(f"{LONG[:-1]}{end}" for end in "abcd")),
        ("build-on(target=1500)", ",".join(f"{LONG[:-1]}{end}" for end in "abcdef")),
        ("dicey-dice", "Ann,Ben,Cy"),
    ],
)
async def test_a_game_is_played_and_nothing_of_it_is_cut(rules: str, players: str, size: tuple[int, int]) -> None:
    match = new_match(rules, players)
    async with running(match, size) as pilot:
        for step in range(60):
            if not shows(pilot, GameScreen):
                break
            await wait(pilot, lambda: "Leave" in text(pilot).splitlines()[-1], "the keys on the last line")
            whole(pilot)
            assert all(name in text(pilot) for name in match.names)
            before, phase = match.state, match.state.phase
            if phase is Phase.KEEP:
                await pilot.press("a")
                await pilot.pause()
                whole(pilot)
                await pilot.press("b" if step % 2 else "r")
                if match.state == before:
                    await pilot.press("r" if step % 2 else "b")
            elif phase is Phase.OFFER:
                await pilot.press(*("f" if step % 2 else "t1"))
                if match.state == before:
                    await pilot.press("escape", "f")
            else:
                await pilot.press("r")
            await wait(pilot, partial(moved_on, match, before), "what the keys do")


def moved_on(match: Match, before: State) -> bool:
    return match.state != before


async def test_a_whole_game_is_played_at_60_by_20_and_looked_back_on() -> None:
    match = new_match("standard(target=1500)", f"Ann,{LONG},bot:cautious")
    async with running(match, (60, 20)) as pilot:
        for _ in range(400):
            if not shows(pilot, GameScreen):
                break
            before = match.state
            await pilot.press(*("ab" if match.state.phase is Phase.KEEP else "r"))
            if match.state == before:
                await pilot.press("r")
            await wait(pilot, partial(moved_on, match, before), "what the keys do")
        await wait(pilot, lambda: shows(pilot, GameOver), "the end")
        await wait(pilot, lambda: "Q Leave" in text(pilot).splitlines()[-1], "the keys on the last line")
        assert "wins with" in text(pilot)
        assert all(name in text(pilot) for name in match.names)
        assert f"Look back on it with: farkel watch {match.path}" in " ".join(text(pilot).split())
        for key, says in [("s", "wins"), ("l", "wins with"), ("question_mark", "The aim"), ("w", "move 0 of")]:
            await pilot.press(key)
            await seen(pilot, says)
            if key == "w":
                await until(pilot, WatchScreen, "Winning chances:")
                await pilot.press("end")
                await seen(pilot, "wins with")
            fits(pilot)
            await pilot.press("escape")
            assert shows(pilot, GameOver)


def fits(pilot: Pilot[int]) -> None:
    """Check that nothing on the screen is cut, and that its keys are there."""
    width, height = pilot.app.size
    lines = text(pilot).splitlines()
    assert "…" not in text(pilot)
    assert len(lines) <= height
    assert all(len(line) <= width for line in lines)
    assert "Esc Back" in " ".join(lines[-2:]), text(pilot)


async def test_the_scores_and_chances_of_eight_players_are_reached_at_60_by_20() -> None:
    names = [f"Bartholomew {letter}" for letter in "ABCDEFGH"]
    match = new_match("minimal(target=1500, start=first_seat)", ",".join(names))
    async with running(match, (60, 20)) as pilot:
        await seen(pilot, "and 3 more: press S")
        await pilot.press("s")
        fits(pilot)
        shown = text(pilot)
        await pilot.press("pageup")
        fits(pilot)
        shown += text(pilot)
        assert all(name in shown for name in names)
        await pilot.press("escape", "r")
        pilot.app.push_screen(WatchScreen(match.record))
        await until(pilot, WatchScreen, "Winning chances, approximately:")
        fits(pilot)
        assert all(name in said(pilot, "chances") for name in names)


async def test_the_game_at_the_mark_is_shown_in_full_below_a_list_that_cuts_it() -> None:
    match = new_match("minimal", f"{LONG},Maximiliane Jones,Ann")
    match.close()
    async with running(size=(60, 20)) as pilot:
        await pilot.press("g")
        await until(pilot, GamesScreen, "(unfinished)")
        assert said(pilot, "problem").endswith(f"minimal: {LONG} 0, Maximiliane Jones 0, Ann 0 (unfinished)")
        assert "Esc Back" in text(pilot).splitlines()[-1]


async def test_a_review_is_read_at_60_by_20() -> None:
    match = new_match("minimal(target=1500)", f"{LONG},bot:random")
    match.throw()
    match.act(Leave(0))
    async with running(match, (60, 20)) as pilot:
        await pilot.press("v")
        await until(pilot, Reading, "own")
        fits(pilot)
        page = said(pilot, "text")
        assert max(map(len, page.splitlines())) <= 56
        assert "inaccuracies" in page
