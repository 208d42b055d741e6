"""How long a new user waits for the first answer: each command once, with nothing compiled, loaded or solved before.

``make bench`` measures fresh installations in folders of their own, one after the other in each round: the base, with
the extra ``native``, and, if a revision is named (``benchmarks/cold.py v0.1``), that one with all it needed. A figure
is the median of the rounds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
ROUNDS = 3
GAME = "play --plain --rules minimal --players Ann,bot:cautious --seed 1"
HINT, CHANCES = "the first hint, after hint", "winning chances, after solve"
MARKS = {
    "odds --rules minimal": None,
    "solve --rules minimal": 2.0,
    "simulate --rules standard --players cautious,bold --games 1000": 1.5,
    "simulate --rules standard --players turn,cautious --games 1000": 2.5,
    HINT: 2.0,
    CHANCES: 4.0,
}
"""What is measured, and the seconds that the project allows for it in a base installation."""


def installed(folder: Path, source: Path, extra: str) -> Path:
    """Install Farkel from a folder; the Python that has it. Prints how large that is."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    what = f"{source}[{extra}]" if extra else str(source)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), what], check=True)
    size = sum(path.stat().st_size for path in (folder / "lib").rglob("*") if path.is_file())
    print(f"{folder.name}: {size / 1e6:,.0f} MB")
    return python


@contextmanager
def empty_home() -> Iterator[dict[str, str]]:
    """Yield the surroundings of a user who has never run Farkel."""
    with tempfile.TemporaryDirectory() as home:
        left_out = {"PYTHONPATH", "NUMBA_CACHE_DIR", "FARKEL_KERNELS"}
        kept = {name: value for name, value in os.environ.items() if name not in left_out}
        yield kept | {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "XDG_DATA_HOME": f"{home}/data"}


def waited(python: Path, command: str) -> float:
    """Seconds that a command of farkel takes. Raises if it fails."""
    with empty_home() as surroundings:
        began = perf_counter()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([str(python), "-m", "farkel", *command.split()], env=surroundings, check=True, **quiet)  # type: ignore[call-overload]
        return perf_counter() - began


def waited_in_game(python: Path, request: str) -> float:
    """Seconds from a request at the first decision of a game, in plain lines, to the next prompt."""
    with empty_home() as surroundings:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        command = [str(python), "-u", "-m", "farkel", *GAME.split()]
        with subprocess.Popen(command, env=surroundings, **pipes) as game:  # type: ignore[call-overload]
            prompted(game.stdout.read)
            say(game, "")
            prompted(game.stdout.read)
            began = perf_counter()
            say(game, request)
            prompted(game.stdout.read)
            took = perf_counter() - began
            game.kill()
            return took


def say(game: subprocess.Popen[bytes], line: str) -> None:
    """Type a line."""
    assert game.stdin is not None
    game.stdin.write(line.encode() + b"\n")
    game.stdin.flush()


def prompted(read: Callable[[int], bytes]) -> None:
    """Read until Ann is asked for something. Raises `EOFError` if the game ends instead."""
    line = b""
    while not (line.startswith(b"Ann, ") and line.endswith(b": ")):
        found = read(1)
        if not found:
            raise EOFError("the game has ended")
        line = b"" if found == b"\n" else line + found


def measured(python: Path, what: str) -> float:
    """Seconds that one of `MARKS` takes."""
    request = {HINT: "hint", CHANCES: "solve"}.get(what)
    return waited_in_game(python, request) if request else waited(python, what)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("before", nargs="?", help="a revision to compare with")
    asked.add_argument("--extras", default="know", help="the extras that the revision needs (default: %(default)s)")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        pythons = {"base": installed(here / "base", ROOT, ""), "native": installed(here / "native", ROOT, "native")}
        if given.before:
            source = here / "source"
            subprocess.run(
                ["git", "-C", str(ROOT), "worktree", "add", "--detach", str(source), given.before], check=True
            )
            try:
                pythons["before"] = installed(here / "before", source, given.extras)
            finally:
                subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(source)], check=True)
        took: dict[tuple[str, str], list[float]] = {}
        for _ in range(ROUNDS):
            for what in MARKS:
                for name, python in pythons.items():
                    took.setdefault((what, name), []).append(measured(python, what))
        print(f"{'cold start, seconds':<66}{'mark':>6}" + "".join(f"{name:>8}" for name in pythons))
        for what, mark in MARKS.items():
            figures = "".join(f"{statistics.median(took[what, name]):>8.2f}" for name in pythons)
            print(f"{what:<66}{'' if mark is None else f'{mark:g}':>6}{figures}")


if __name__ == "__main__":
    main()
