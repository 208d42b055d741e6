"""The application in a real terminal: a pseudo-terminal of 80x24, real keys, a real kill."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pexpect
import pytest

from farkel.records import read
from farkel.terminal.streams import STOPPED
from home import environment as bare
from serving import HANG


def terminal(*words: str, home: Path, size: tuple[int, int] = (80, 24), **environment: str) -> pexpect.spawn[str]:
    """Start the ``farkel`` command in a terminal of its own, with this many columns and rows."""
    settings = bare(**{"TERM": "xterm-256color", "XDG_DATA_HOME": str(home), **environment})
    return pexpect.spawn(
        sys.executable,
        ["-m", "farkel", *words],
        env=settings,
        dimensions=size[::-1],
        encoding="utf-8",
        timeout=HANG,
    )


def finish(child: pexpect.spawn[str], status: int = 0) -> str:
    """The text printed after the application had left the screen; it must have ended with that status."""
    child.expect(pexpect.EOF)
    child.wait()
    child.close()
    assert child.exitstatus == status, child.before
    return re.sub(r"\x1b\[[0-9;?<>=]*[a-zA-Z]", "", str(child.before)).replace("\r\n", "")


def test_a_finished_game_names_the_winner_and_the_record(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    players = ("--players", "bot:bold,bot:cautious", "--seed", "4", "--rules", "kcd", "--set", "target=1000")
    child = terminal("play", *players, "--no-animation", "--record", str(record), home=tmp_path)
    child.expect("Play again")
    child.send("q")
    said = finish(child)
    assert re.search(r"(Bold|Cautious) wins with [\d,]+, the first to reach 1,000\.", said)
    assert str(record) in said
    assert read(record).state.over


NAMES = [f"Bartholomew {name}" for name in ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple")]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_eight_long_names_are_whole_on_the_score_sheet(tmp_path: Path, size: tuple[int, int]) -> None:
    rules = ("--rules", "standard", "--set", "start=first_seat", "--seed", "1", "--no-animation")
    child = terminal("play", "--players", ",".join(NAMES), *rules, home=tmp_path, size=size)
    for name in NAMES:
        child.expect(rf"{name} +0")
    child.send("r")
    child.expect("Bartholomew Ash rolls")
    child.sendcontrol("q")
    assert "Resume it with: farkel play --resume" in finish(child)


def test_a_small_terminal_offers_plain_lines_and_continues_the_same_game(tmp_path: Path) -> None:
    child = terminal("play", "--players", "Ann,Ben", "--rules", "minimal", home=tmp_path, size=(59, 24))
    child.expect("press P to continue in plain lines")
    child.send("p")
    child.expect("Enter to roll 6 dice: ")
    child.sendline("q")
    child.expect(r"farkel play\s+--plain\s+--resume")
    finish(child)
    assert len(list((tmp_path / "farkel" / "games").glob("*.farkel"))) == 1


def test_a_saved_game_is_watched_step_by_step(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    rules = ("--rules", "original", "--set", "start=first_seat", "--seed", "1", "--no-animation")
    child = terminal("play", "--players", "Ann", *rules, "--record", str(record), home=tmp_path)
    child.expect("Roll 6 dice")
    child.send("r")
    child.expect("Ann rolls")
    child.sendcontrol("c")
    finish(child, STOPPED)
    child = terminal("watch", str(record), home=tmp_path)
    child.expect("There are no winning chances")
    child.send("\x1b[C")  # →
    child.expect("Ann rolls")
    child.send("q")
    finish(child)


def test_a_list_longer_than_the_screen_is_read_in_a_pager(tmp_path: Path) -> None:
    read = finish(terminal("rules", home=tmp_path, PAGER="sed -n 1,2p"))
    assert "original" in read
    assert "standard" not in read
    assert "Find one" in finish(terminal("rules", home=tmp_path, PAGER="sed -n 1,2p", TERM="dumb"))


def test_leaving_in_the_middle_says_how_to_resume(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    child = terminal("play", "--players", "Ann,Ben", "--rules", "minimal", "--record", str(record), home=tmp_path)
    child.expect("Roll 6 dice")
    child.send("q")
    child.expect("Leave the game")
    child.send("q")
    assert re.search(rf"farkel play --resume *{re.escape(str(record))}", finish(child))


def test_a_killed_tournament_resumes(tmp_path: Path) -> None:
    child = terminal(
        "play", "--players", "Ann,Ben", "--rules", "minimal", "--no-animation", "--seed", "5", home=tmp_path
    )
    child.expect("Roll 6 dice")
    child.send("r")
    child.expect("Ann rolls ([1-6-]+)")
    rolled = str(child.match.group(1)) if isinstance(child.match, re.Match) else ""
    child.kill(signal.SIGKILL)
    child.wait()
    child.close()
    child = terminal("play", "--resume", home=tmp_path)
    child.expect(f"Ann rolls {rolled}")
    child.sendcontrol("c")
    assert "farkel play --resume" in finish(child, STOPPED)


@pytest.mark.parametrize("kind", ["dumb", "xterm-256color"])
def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path, kind: str) -> None:
    words = ("play", "--players", "Ann,Ben", "--rules", "minimal", *([] if kind == "dumb" else ["--plain"]))
    child = terminal(*words, home=tmp_path, TERM=kind)
    child.expect("Ann, Enter to roll 6 dice: ")
    child.sendeof()
    child.expect("The input has ended")
    child.expect(pexpect.EOF)
    child.wait()
    child.close()
    assert child.exitstatus == 1
