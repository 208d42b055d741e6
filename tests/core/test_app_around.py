"""The application around a game: setting one up, the terminal that it runs in, and trouble with the disk."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot

from app_helpers import (
    NOW,
    deciding,
    flat,
    new_match,
    offered,
    running,
    said,
    seen,
    shows,
    table,
    text,
    thrown,
    until,
    wait,
)
from farkel.dice import Roll
from farkel.errors import SolveError
from farkel.game import Keep, Leave, Phase, State, TakeOver, Throw
from farkel.game.scoring import score_table
from farkel.play.match import Match, Setup
from farkel.records import Seating, read
from farkel.rules import load
from farkel.terminal.app import game_screen as play_module
from farkel.terminal.app.app import FarkelApp
from farkel.terminal.app.dialogs import AskName, Question, Reading, TooSmall
from farkel.terminal.app.game_over_screen import GameOver
from farkel.terminal.app.game_screen import GameScreen
from farkel.terminal.app.setup_screen import SetupScreen, joined
from farkel.terminal.app.widgets import RollInput
from farkel.terminal.setup import parse_players

pytestmark = pytest.mark.usefixtures("surroundings")


# Setting up -----------------------------------------------------------------------------------------------------------


async def test_enter_starts_a_game_from_nothing() -> None:
    async with running() as pilot:
        assert shows(pilot, SetupScreen)
        await pilot.press("enter")
        match = table(pilot).match
        assert match.rules.name == "extended"
        assert match.names == ("Ann", "Cautious")
        assert match.record.header.dice.kind == "system"
        assert match.path.parent == Path("games")


async def test_every_key_of_the_set_up() -> None:
    async with running() as pilot:
        await pilot.press("up", "up")
        assert "lives" in said(pilot, "about")
        await pilot.press("question_mark")
        assert shows(pilot, Reading)
        await pilot.press("escape", "n", "n")
        assert shows(pilot, AskName)
        await pilot.press(*"Reds=Cy+Di", "enter")
        await pilot.press("n", "2")
        await pilot.press("tab", "home", "down", "x")
        assert [seat.name for seat in screen_of(pilot).seats] == ["Ann", "Reds", "Bold"]
        await pilot.press("home", "e", *["backspace"] * 3, *"Eve", "enter")
        await pilot.press("n", "n", "escape", "n", "escape", "g")
        await pilot.press("n", "n", *"Eve", "enter")
        assert 'the name "Eve" is used twice' in flat(said(pilot, "problem"))
        await pilot.press("tab", "end")
        await pilot.press("enter")
        match = table(pilot).match
        assert match.rules.name == "original"
        assert match.names == ("Eve", "Reds", "Bold")
        assert match.record.header.seats[1].people == ("Cy", "Di")
        assert match.manual


def screen_of(pilot: Pilot[int]) -> SetupScreen:
    assert isinstance(pilot.app.screen, SetupScreen)
    return pilot.app.screen


async def test_clicks_choose_rules_and_dice() -> None:
    async with running() as pilot:
        await pilot.click("#rules", offset=(4, 2))
        assert screen_of(pilot).rules.name == "standard"
        await pilot.click("#kinds", offset=(6, 2))
        await pilot.press("enter")
        match = table(pilot).match
        assert match.record.header.dice.kind == "committed"
        await pilot.press("l")
        await seen(pilot, "secret with the fingerprint")


async def test_seats_that_do_not_fit_the_rules_are_refused() -> None:
    async with running() as pilot:
        await pilot.press("tab", "x", "x", "x", "enter")
        assert said(pilot, "problem")
        assert shows(pilot, SetupScreen)
        await pilot.press("e", "n", "9", "escape")


async def test_the_set_up_remembers_players_rules_dice_and_files() -> None:
    Path("ours.toml").write_text('base = "renaissance"\nname = "ours"\ntarget = 4000\n')
    async with running() as pilot:
        await pilot.press(
            "o", *"ours.toml", "enter", "tab", "end", "x", "n", "n", *"Ben", "enter", "shift+up", "tab", "end"
        )
        assert [seat.name for seat in screen_of(pilot).seats] == ["Ben", "Ann"]
        assert screen_of(pilot).rules.name == "ours"
        await seen(pilot, "4,000 points, take-overs")
        await pilot.press("enter")
        assert table(pilot).match.manual
    Path("ours.toml").write_text("target = no number")
    async with running() as pilot:
        assert [seat.name for seat in screen_of(pilot).seats] == ["Ben", "Ann"]
        assert (screen_of(pilot).rules.name, screen_of(pilot).rules.target) == ("ours", 4_000)
        assert screen_of(pilot).kind == "manual"
        assert screen_of(pilot).files == []
        await pilot.press("o", *"ours.toml", "enter")
        await seen(pilot, "is not TOML")
        await pilot.press("tab", "x", "x", "enter")
        assert shows(pilot, SetupScreen)


@pytest.mark.parametrize(
    "content",
    ["", "[" * 5_000, '{"seats": 7, "rules": ["x"], "dice": {}, "files": [1], "theme": []}', "x" * 30_000, "\ufffe"],
)
async def test_a_damaged_memory_is_ignored(content: str) -> None:
    Path("setup.json").write_text(content)
    async with running() as pilot:
        assert screen_of(pilot).rules.name == "extended"
        assert [seat.name for seat in screen_of(pilot).seats] == ["Ann", "Cautious"]


async def test_people_are_joined_into_teams_and_split() -> None:
    async with running() as pilot:
        await pilot.press("n", "n", *"Ben,Cy", "enter", "tab", "home", "space")
        await seen(pilot, "Who plays as a team?", "1 [x] Ann", "3 [ ] Cy")
        await pilot.press("enter")
        assert said(pilot, "problem") == "Mark 2 to 8 people for a team."
        await pilot.press("space", "3", "enter")
        seats = screen_of(pilot).seats
        assert seats[0] == Seating("Ann & Cy", ("Ann", "Cy"))
        assert [seat.name for seat in seats[1:]] == ["Cautious", "Ben"]
        await pilot.press("space")
        assert [seat.name for seat in screen_of(pilot).seats] == ["Ann", "Cy", "Cautious", "Ben"]
        long = [Seating(name, (name,)) for name in ("Bartholomew", "Maximilian")]
        assert joined(long, ["Bartholomew", "Maximilian"])[0].name == "Team 1"


async def test_the_command_line_sets_the_defaults() -> None:
    app = FarkelApp(
        folder=Path("games"),
        record=Path("mine.farkel"),
        rules=load("standard(target=3000)"),
        dice="seeded",
        seed="7",
        animate=False,
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        match = table(pilot).match
        assert match.rules.target == 3_000
        assert match.record.header.dice.value == "7"
        assert match.path == Path("mine.farkel")
    app.close_record()


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_known")
async def test_bots_that_think_are_ready_before_the_game_begins() -> None:
    app = FarkelApp(folder=Path("games"), rules=load("minimal(target=1500)"), animate=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("n")
        await seen(pilot, "7 exact plays to win, one against one", "threshold:500 banks at 500 points")
        await pilot.press("7", "n", "8", "enter")
        await until(pilot, SetupScreen, "bot:exact plays games of two and three; for more seats take bot:race.")
        await pilot.press("tab", "home", "x", "x", "end", "x", "n", "n", *"Ann", "enter", "enter")
        await until(pilot, GameScreen)
        match = table(pilot).match
        assert [seat.player for seat in match.record.header.seats] == ["bot:exact", "human"]
        assert match.bots.ready
        await pilot.press("r")
        match.act(Leave(1))
        table(pilot).go_on()
        await until(pilot, GameOver)
        await pilot.press("enter")
        assert table(pilot).match is not match
    app.close_record()


@pytest.mark.usefixtures("nothing_known")
async def test_a_game_from_the_command_line_waits_for_its_bots() -> None:
    match = new_match("minimal(target=1500)", "Ann,bot:exact")
    async with running(match) as pilot:
        await until(pilot, GameScreen)
        assert match.bots.ready
        await pilot.press("q", "q")


@pytest.mark.usefixtures("nothing_known")
async def test_a_game_whose_bots_fail_to_prepare_is_kept_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    match = new_match("minimal(target=1500)", "Ann,bot:exact")

    def full(progress: Any) -> None:
        raise SolveError("no_memory", "solving minimal needs 9.9 GiB of memory; 0.1 GiB are free")

    monkeypatch.setattr(match.bots, "prepare", full)
    async with running(match) as pilot:
        await until(pilot, SetupScreen)
        await seen(pilot, "solving minimal needs 9.9 GiB of memory; 0.1 GiB are free.")
        await pilot.press("g", "enter")
        await until(pilot, GameScreen)
        assert table(pilot).match.path == match.path


async def test_an_impossible_bot_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.support.extras.find_spec", lambda name: None)
    async with running() as pilot:
        screen_of(pilot).seats[1:] = [Seating(name, (name,), "bot:exact") for name in ("Exact", "Other")]
        await pilot.press("enter")
        await until(pilot, SetupScreen)
        await seen(pilot, "bot:exact in a game of three needs numba")  # the rest may be as long as a path


async def test_a_bell_and_a_theme_are_chosen_in_the_palette_and_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[str] = []
    monkeypatch.setattr(FarkelApp, "bell", lambda app: rung.append("bell"))
    async with running(new_match("minimal(start=first_seat)", "Ann,Ben")) as pilot:
        assert not rung
        await pilot.press("ctrl+p", *"bell")
        await until(pilot, CommandPalette)
        await seen(pilot, "Ring when it is your turn")
        await pilot.press("down", "enter")
        await until(pilot, GameScreen)
        assert rung == ["bell"]
        thrown(table(pilot).match, "223446")
        table(pilot).go_on()
        assert rung == ["bell"] * 2
        table(pilot).go_on()
        assert rung == ["bell"] * 2
        pilot.app.theme = "nord"
        await pilot.pause()
    async with running() as pilot:
        assert pilot.app.theme == "nord"
        assert screen_of(pilot).farkel.preferences.bell


# The terminal ---------------------------------------------------------------------------------------------------------


async def test_a_terminal_that_is_too_small() -> None:
    match = new_match("standard", "Ann,Ben")
    async with running(match, size=(59, 20)) as pilot:
        assert shows(pilot, TooSmall)
        await seen(pilot, "60 columns and 20 rows. This terminal has 59 and 20.")
        await pilot.press("r")
        assert not match.moves
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert shows(pilot, GameScreen)
        await pilot.press("r")
        assert match.moves
        await pilot.resize_terminal(60, 19)
        await pilot.pause()
        assert shows(pilot, TooSmall)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        await seen(pilot, "Ann")


async def test_without_colour_everything_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    match = new_match("standard", "Ann")
    thrown(match, "112345")
    async with running(match) as pilot:
        await pilot.press("1")
        colours = {
            colour.name
            for strip in pilot.app.screen._compositor.render_strips()
            for segment in strip.apply_filter(pilot.app._filters[-1], pilot.app.background_colors[0])
            if segment.style
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour
        }
        assert colours <= {"default"}
        await seen(pilot, "[1] ✓")
        assert "✗ T" not in text(pilot)


@pytest.mark.parametrize("name", ["NO_MOTION", "FARKEL_NO_ANIMATION"])
def test_the_environment_stops_motion(name: str) -> None:
    assert FarkelApp(environment={}).motion
    assert not FarkelApp(environment={name: "1"}).motion
    assert not FarkelApp(animate=False, environment={}).motion


def paced(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let every pause and every tumble of the dice take this long."""
    for name in ("BOT_PAUSE", "FARKLE_PAUSE", "TUMBLE"):
        monkeypatch.setattr(play_module, name, seconds)


async def test_dice_tumble_and_bots_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    paced(monkeypatch, 3600)
    match = new_match("standard(target=1000)", "Ann,bot:cautious")
    app = FarkelApp(match, environment={})
    async with app.run_test(size=(80, 24)) as pilot:
        screen = table(pilot)
        await pilot.press("r")
        assert tumbles(screen)
        await pilot.press("r")
        assert not tumbles(screen)
        assert screen._next_step is not None
        await pilot.press("b")
        assert "Cautious is playing." in said(pilot)
        paced(monkeypatch, 0.001)
        await pilot.press("m", "m")
        for _ in range(400):
            await wait(pilot, lambda: match.state.over or asked(screen), "a turn of Ann's")
            if match.state.over:
                break
            await pilot.press(*("r" if match.state.dice_due else "ab"))
        await until(pilot, GameOver)
    app.close_record()


def asked(screen: GameScreen) -> bool:
    """Whether it is for a person to go on."""
    return screen.match.seating.human and not tumbles(screen)


def tumbles(screen: GameScreen) -> bool:
    return screen._tumbling is not None


async def drawn(pilot: Pilot[int]) -> None:
    """Wait until the keys are on the last line: they are taken away and put there again when others are offered."""
    await wait(pilot, lambda: text(pilot).splitlines()[-1].strip().startswith(("F1", "?")), "the keys on the last line")


@pytest.mark.parametrize(
    ("rules", "seats"),
    [("original", "A,B,C,D,E"), ("extended", "Maximilian,Bob,Cy,Di,Ed,Fay,Gus,Hugo"), ("facebook", "Ann")],
)
async def test_everything_fits_in_80_by_24(rules: str, seats: str) -> None:
    match = new_match(rules, seats)
    async with running(match) as pilot:
        for _ in range(20):
            await drawn(pilot)
            for name in ("banner", "aside", "panel", "hint", "sheet", "log"):
                widget = pilot.app.screen.query_one(f"#{name}")
                width = widget.content_size.width
                lines = [part for line in said(pilot, name).splitlines() for part in wrap(line, width) or [""]]
                assert len(lines) <= widget.content_size.height, name
            assert all(len(line) <= 80 for line in text(pilot).splitlines())
            keys = {Phase.OFFER: ("f",), Phase.KEEP: ("a", "b")}.get(match.state.phase, ("r",))
            before = match.state
            await pilot.press(*keys)
            if match.state == before:
                await pilot.press("r")


# Trouble --------------------------------------------------------------------------------------------------------------


async def test_a_full_disk_stops_the_game_and_not_the_truth(disk: dict[str, bool]) -> None:
    match = new_match("standard", "Ann,bot:cautious")
    while match.state.phase is Phase.START:
        match.throw()
    async with running(match) as pilot:
        while not (match.seating.human and match.state.phase is Phase.KEEP):
            await pilot.press("r")
        before, written = match.state, match.path.read_bytes()
        disk["full"] = True
        await pilot.press("a", "b")
        assert shows(pilot, Question)
        await until(pilot, Question, "it hasn't happened yet")
        await until(pilot, Question, "No space left on device")
        assert match.state == before
        assert match.path.read_bytes() == written
        await pilot.press("enter", "enter", "enter")
        assert match.state == before
        assert shows(pilot, Question)
        disk["full"] = False
        await pilot.press("enter")
        assert shows(pilot, GameScreen)
        assert match.moves[-1].event == Keep(best(before), "bank") or match.seating.human


def best(state: State) -> Roll:
    return next(iter(score_table(state.rules)[state.roll].keeps))


async def after_a_full_disk(pilot: Pilot[int], disk: dict[str, bool], match: Match, *keys: str) -> None:
    """Press keys while nothing can be stored, try again in vain, make room, and try once more."""
    number = match.record.number
    disk["full"] = True
    await pilot.press(*keys)
    assert shows(pilot, Question)
    await pilot.press("enter")
    assert shows(pilot, Question)
    assert match.record.number == number
    disk["full"] = False
    await pilot.press("enter")
    assert shows(pilot, GameScreen)


async def test_trying_again_continues_as_intended(disk: dict[str, bool]) -> None:
    match = new_match("standard(start=first_seat)", "Ann,Ben,Cy")
    thrown(match, "112345")
    async with running(match) as pilot:
        await after_a_full_disk(pilot, disk, match, "a", "r")
        assert [type(move.event) for move in match.moves] == [Throw, Keep, Throw]
        await after_a_full_disk(pilot, disk, match, "q", "2", "y")
        assert match.moves[-1].event == Leave(1)


async def test_trying_again_with_real_dice(disk: dict[str, bool]) -> None:
    match = new_match("standard(start=first_seat)", "Ann,Ben", dice="manual")
    async with running(match) as pilot:
        await after_a_full_disk(pilot, disk, match, "d")
        assert match.record.fallen == 1
        await after_a_full_disk(pilot, disk, match, "u")
        assert match.record.fallen == 0
        await after_a_full_disk(pilot, disk, match, *"112346", "enter")
        assert match.state.roll == (1, 1, 2, 3, 4, 6)
        assert pilot.app.screen.query_one(RollInput).value == ""
        await after_a_full_disk(pilot, disk, match, "u")
        assert not match.moves


async def test_trying_again_takes_over_and_rolls(disk: dict[str, bool]) -> None:
    match = offered()
    async with running(match) as pilot:
        await after_a_full_disk(pilot, disk, match, "t", "3")
        assert [move.event for move in match.moves if isinstance(move.event, TakeOver)] == [TakeOver(3)]
        assert isinstance(match.moves[-1].event, Throw)


async def test_a_line_that_was_cut_off_is_reported_on_resuming() -> None:
    match = deciding("standard", "Ann,bot:bold", "112345")
    match.close()
    with match.path.open("a") as file:
        file.write("   9  Ann: keeps 1 1")
    async with running() as pilot:
        await pilot.press("g", "enter")
        await until(pilot, Question, "was cut off, so it was removed: 9 Ann: keeps 1 1 Everything before it is saved.")
        await pilot.press("enter")
        assert table(pilot).match.state == match.state
        await pilot.press("a", "b")
    assert read(match.path).problem is None


async def test_one_of_several_saved_games_is_chosen() -> None:
    for path, players in (("old", "Ann,Ben"), ("new", "Ann,Cy"), ("aborted", "Ann,Di")):
        setup = Setup(load("minimal"), parse_players(players), "manual")
        match = Match.start(setup, Path(f"games/{path}.farkel"), NOW)
        if path != "aborted":
            thrown(match, "111234")
            match.act(Keep((1, 1, 1), "bank"))
        match.close()
    async with running() as pilot:
        await seen(pilot, "Press G to resume your last game: ", "minimal: Ann 1,000, Cy 0.")
        await pilot.press("g")
        await seen(pilot, "▸ 2026-11-21 14:03, minimal: Ann 1,000, Cy 0 (unfinished)", "minimal: Ann 0, Di 0")
        names = [line for line in text(pilot).splitlines() if "minimal: " in line]
        await pilot.press("home", *["down"] * next(at for at, line in enumerate(names) if "Ben" in line), "enter")
        assert table(pilot).match.names == ("Ann", "Ben")
        await pilot.press("q", "q")
    match = Match.resume(Path("games/new.farkel"))
    app = FarkelApp(match, animate=False, others=2)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "You have 2 other unfinished games. To choose one: farkel play, then G." in said(pilot)
    app.close_record()


async def test_a_full_disk_while_a_bot_plays(disk: dict[str, bool]) -> None:
    match = new_match("standard", "bot:bold,Ann")
    disk["full"] = True
    async with running(match) as pilot:
        await pilot.pause()
        assert shows(pilot, Question)
        assert not match.moves
        await pilot.press("enter")
        assert shows(pilot, Question)
        disk["full"] = False
        await pilot.press("enter")
        assert match.moves
        disk["full"] = True
        await pilot.press("r", "q")
    assert pilot.app.return_value == 0


async def test_bots_wait_while_a_dialog_covers_the_table() -> None:
    match = new_match("standard(start=first_seat)", "Ann,bot:bold")
    async with running(match) as pilot:
        game = table(pilot)
        await pilot.press("q")
        thrown(match, "223346")
        number = match.record.number
        game.go_on()
        assert match.record.number == number
        assert shows(pilot, Question)
        await pilot.press("escape")
        assert match.record.number > number


async def test_a_failed_record_is_reported(disk: dict[str, bool]) -> None:
    async with running() as pilot:
        disk["full"] = True
        await pilot.press("enter")
        assert "cannot be written" in flat(said(pilot, "problem"))
