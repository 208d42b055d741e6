"""Every command with output that is full, closed or not read: one clear line, an exit status, and no traceback."""

from __future__ import annotations

import io
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from farkel.errors import FarkelError
from farkel.terminal import output, progress
from farkel.terminal.cli import main
from farkel.terminal.output import whole
from serving import HANG

FULL = Path("/dev/full")
QUICK = ("--rules", "minimal(target=1000)")
RECORD = "game.farkel"
COMMANDS: dict[str, tuple[str, ...]] = {
    "play": ("--plain", "--players", "bot:bold,bot:cautious", "--rules", "kcd"),
    "games": (),
    "help": (),
    "completion": ("fish",),
    "settings": (),
    "rules": ("standard",),
    "score": ("--all",),
    "replay": (RECORD,),
    "verify": (RECORD,),
    "odds": QUICK,
    "turn": QUICK,
    "race": QUICK,
    "solve": QUICK,
    "advise": (*QUICK, "--scores", "500,600", "--roll", "112345"),
    "review": (RECORD,),
    "exploit": ("bold", *QUICK),
    "regret": ("--players", "bold", *QUICK),
    "bench": ("bold", *QUICK, "--games", "2"),
    "chart": ("card.svg", "--full", *QUICK),
    "simulate": ("--players", "bold,cautious", "--games", "10", *QUICK),
    "tournament": ("plan.toml",),
    "dice": ("--rolls", "100"),
    "serve": ("--host", "127.0.0.1", "--port", "0", "--database", "sqlite:///web.sqlite"),
    "mcp": (),
    "bot": ("http://127.0.0.1:9/s/TOKEN", "bold", "--patience", "0"),
}
FILES: dict[str, tuple[str, ...]] = {
    "chart": ("-o", "PLACE/card.svg", "--full", *QUICK),
    "review": (RECORD, "--plot", "PLACE/curve.svg"),
    "regret": (*COMMANDS["regret"], "--plot", "PLACE/regret.svg"),
    "bench": (*COMMANDS["bench"], "--decisions", "PLACE/decisions.parquet"),
    "simulate": (*COMMANDS["simulate"], "--plot", "PLACE/games.svg"),
    "simulate --parquet": (*COMMANDS["simulate"], "--parquet", "PLACE/games.parquet"),
    "tournament": ("plan.toml", "--plot", "PLACE/table.svg"),
    "tournament --store": ("plan.toml", "--store", "PLACE/games.sqlite"),
    "play": (*COMMANDS["play"], "--record", "PLACE/game.farkel"),
}
"""Commands that write a file, and how they are told where."""
PARQUET = ("bench", "simulate --parquet")
"""Those that need pyarrow."""
WRITTEN = {"--decisions", "--plot", "--parquet", "--output", "--store", "--record"}


@pytest.fixture(autouse=True)
def _here(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a short record and a small tournament, and solutions that are kept for all these tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    Path("plan.toml").write_text('players = ["bold", "cautious"]\nrules = ["minimal(target=1000)"]\ngames = 2\n')
    record = ("--players", "bot:bold,bot:cautious", "--seed", "1", "--record", RECORD)
    status, said = ended("play", "--plain", *QUICK, *record, out=io.StringIO())
    assert (status, said) == (0, "")


def ended(*words: str, out: io.TextIOBase) -> tuple[object, str]:
    """The exit status of a command that prints there, and what it says on standard error, but of how long it takes."""
    error = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", error)
        patch.setattr(progress, "LINES", math.inf)
        with pytest.raises(SystemExit) as end:
            main(words, prog_name="farkel")
    return end.value.code, re.sub("^Compiling for this computer.*\n", "", error.getvalue(), flags=re.MULTILINE)


def test_no_command_is_forgotten_here() -> None:
    # Watch prints nothing, as it needs a terminal; and page needs Node, and a minute.
    assert {*COMMANDS, "watch", "page"} == set(main.commands)
    for words in FILES:
        assert words.split()[0] in main.commands
    takes = {
        name
        for name, command in main.commands.items()
        for option in command.params
        if isinstance(option, click.Option) and WRITTEN & {*option.opts}
    }
    assert takes == {words.split()[0] for words in FILES}


@pytest.mark.parametrize("command", [each for each in COMMANDS if each != "mcp"])  # it waits to be asked
def test_a_full_output_is_one_clear_line(command: str) -> None:
    with FULL.open("w") as out:
        status, said = ended(command, *COMMANDS[command], out=out)
    assert status == 1
    assert said.count("\n") == 1, said
    if command != "bot":  # it finds no server
        assert said == "Error: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_unwritable_help_is_one_clear_line(command: str | None) -> None:
    with FULL.open("w") as out:
        status, said = ended(*filter(None, [command]), "--help", out=out)
    assert (status, said) == (1, "Error: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize(
    "command", [pytest.param(each, marks=pytest.mark.slow if each in PARQUET else ()) for each in FILES]
)
def test_a_folder_that_is_not_there_is_one_clear_line(command: str) -> None:
    Path("file").touch()
    words = [word.replace("PLACE", "file") for word in FILES[command]]
    status, said = ended(command.split()[0], *words, out=io.StringIO())
    assert status == 1
    assert said.startswith("Error: file")
    assert said.count("\n") == 1, said


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(each, marks=pytest.mark.slow if each in PARQUET else ())
        for each in FILES
        if each not in ("play", "tournament --store")
    ],
)
def test_a_full_disk_is_one_clear_line_and_leaves_nothing(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def sync(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output, "sync", sync)
    Path("place").mkdir()
    words = [word.replace("PLACE", "place") for word in FILES[command]]
    status, said = ended(command.split()[0], *words, out=io.StringIO())
    assert status == 1
    assert said.endswith("cannot be written: No space left on device\n")
    assert said.count("\n") == 1, said
    assert not list(Path("place").iterdir())


def test_a_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    """A named pipe stands for /dev/null, which would be gone for all if this failed."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FarkelError, match="it is not a regular file"), whole(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("score --all > /dev/full", 1, "Error: the output cannot be written: No space left on device\n"),
        ("score 123335 >&-", 1, "Error: standard output is closed; send it to a file or to /dev/null\n"),
        ("nonsense 2>&-", 2, ""),
        ("nonsense 2>/dev/full", 2, ""),
        ("score --all | true", 141, ""),
        ("--help | true", 141, ""),
        ("play --plain --players Ann,Ben --record mine.farkel <&- 2>&- >/dev/null", 1, ""),
    ],
)
def test_in_a_shell(command: str, status: int, said: str) -> None:
    done = subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", f"{sys.executable} -m farkel {command}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (status, said)


def test_spoken_messages_stay_out_of_records() -> None:
    """With closed streams, the record would be the file that standard error writes to."""
    command = f"{sys.executable} -m farkel play --plain --players Ann,Ben --record mine.farkel <&- 2>&- >/dev/null"
    subprocess.run(["/bin/bash", "-c", command], check=False)
    assert "not over" in ended_well("verify", "mine.farkel")


def ended_well(*words: str) -> str:
    out = io.StringIO()
    assert ended(*words, out=out)[0] == 0
    return out.getvalue()


# The keyboard ---------------------------------------------------------------------------------------------------------

COMPILING = """
import signal
import time
from contextlib import suppress
from farkel.support.clock import CLOCK
from farkel.terminal.streams import ended, if_stopped

def compiles():
    with CLOCK, if_stopped(lambda: print("left in order", flush=True)):
        print("compiling", flush=True)
        while True:
            with suppress(KeyboardInterrupt):
                time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a test in the background would ignore
ended(compiles)
"""
"""A command that compiles: what Ctrl-C raises there is swallowed."""


def test_ctrl_c_ends_a_command_that_compiles() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", COMPILING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "compiling\n"
        child.send_signal(signal.SIGINT)
        try:
            told, said = child.communicate(timeout=HANG)
        finally:
            child.kill()
    assert (child.returncode, told, said) == (130, "left in order\n", "Stopped.\n")


def test_ctrl_c_in_a_plain_game_says_where_it_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("farkel.terminal.plain.ask", lambda prompt: interrupted())
    told = io.StringIO()
    status, said = ended("play", "--plain", "--players", "Ann,Ben", "--record", "mine.farkel", out=told)
    assert (status, said) == (130, "")
    assert told.getvalue().endswith("Your game is saved. Resume it with: farkel play --plain --resume mine.farkel\n")
