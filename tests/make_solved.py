"""Solves the catalogue by the program's own commands and writes `docs/solved.md` from their answers.

``python tests/make_solved.py [--jobs N] [--limit SECONDS] [--only COMMAND] [NAME ...]`` asks about the named sets, or
all of them, keeps the answers in `solved.json`, and writes the page; ``page`` for names only writes the page. Each
command has two processors of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from farkel.rules import Rules, load, names
from farkel.rules.settings import settings

HERE = Path(__file__).parent
FOUND = HERE / "solved.json"
PAGE = HERE.parent / "docs" / "solved.md"
THREADS = 2
NOTHING = "–"

ABOUT_ENTRY = ("entry_each", "entry_by", "take_over.toward_entry", "take_over.on_board")
ABOUT_TAKING = tuple(one.name for one in settings(Rules()) if one.name.startswith("take_over."))

Answer = dict[str, Any]

PUBLISHED: dict[tuple[str, str], tuple[float, str]] = {
    ("minimal", "head"): (200, "Busche and Neller 2017"),
    ("ten-thousand", "points"): (590.66, "Amund211/10001"),
    ("zilch", "points"): (620.855, "Busche 2010"),
}
"""What others have published about sets of the catalogue, and who."""


class Command(NamedTuple):
    """A command whose answer the page holds."""

    key: str
    words: tuple[str, ...]
    changes: tuple[str, ...] = ()

    def line(self, name: str) -> list[str]:
        """Return its arguments, as people type them."""
        changed = [word for change in self.changes for word in ("--set", change)]
        return [*self.words, "--rules", name, *changed, "--json"]


def commands(rules: Rules) -> Iterator[Command]:
    """Yield the commands about a set."""
    yield Command("solve", ("solve", "--fresh"))
    yield Command("turn", ("turn",))
    yield Command("chart", ("chart",))
    if rules.target:
        yield Command("race", ("race",))
        if rules.entry:
            yield Command("race_without_entry", ("race",), ("entry=0", *_defaults(rules, ABOUT_ENTRY)))
    if rules.take_over.price != "none":
        yield Command("solve_without_taking", ("solve", "--fresh"), tuple(_defaults(rules, ABOUT_TAKING)))


def _defaults(rules: Rules, names: Container[str]) -> Iterator[str]:
    """Yield what sets these fields to their defaults, if they are not."""
    for name, value, default in settings(rules):
        if name in names and value != default:
            yield f"{name}={str(default).lower() if isinstance(default, bool) else default}"


class Machine:
    """Processors that commands run on, two for each."""

    def __init__(self, jobs: int) -> None:
        free = sorted(os.sched_getaffinity(0))
        self.free: SimpleQueue[list[int]] = SimpleQueue()
        for job in range(jobs):
            self.free.put(free[job * THREADS : (job + 1) * THREADS] or free)

    def ask(self, name: str, command: Command, limit: float) -> Answer:
        """Run a command with a folder of its own for solutions and return what it says, its time and its memory."""
        mine = self.free.get()
        line = [sys.executable, str(HERE / "make_solved.py"), "--run", *command.line(name)]
        try:
            process = subprocess.run(
                line,
                capture_output=True,
                text=True,
                timeout=limit,
                preexec_fn=lambda: os.sched_setaffinity(0, mine),
            )
        except subprocess.TimeoutExpired:
            return {"stopped": limit}
        finally:
            self.free.put(mine)
        *log, last = process.stderr.strip().splitlines()
        usage: Answer = json.loads(last)
        if process.returncode:
            return {"refused": log[-1].removeprefix("Error: ")}
        return {**json.loads(process.stdout), **usage}


def run(words: Sequence[str]) -> None:
    """Run the program and print, as the last line of standard error, its memory at most and its processor time."""
    import resource

    from farkel.terminal.cli import main

    os.cpu_count = lambda: THREADS
    try:
        main(list(words))
    finally:
        used = resource.getrusage(resource.RUSAGE_SELF)
        usage = {"gib": used.ru_maxrss / 2**20, "processor": used.ru_utime + used.ru_stime}
        sys.stderr.write(json.dumps(usage) + "\n")


def measure(names: Sequence[str], jobs: int, limit: float, only: str) -> None:
    """Ask everything about these sets, or one command, and keep each answer as soon as it is there."""
    machine = Machine(jobs)
    found: dict[str, dict[str, Answer]] = json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    asked = [(name, command) for name in names for command in commands(load(name)) if only in ("", command.key)]

    def one(about: tuple[str, Command]) -> None:
        name, command = about
        found.setdefault(name, {})[command.key] = machine.ask(name, command, limit)
        FOUND.write_text(json.dumps(dict(sorted(found.items())), indent=1) + "\n", "utf-8")
        sys.stderr.write(f"{name} {command.key} {found[name][command.key]}\n")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, asked))


# The page ------------------------------------------------------------------------------------------------------------

HEAD = """# The catalogue, solved

Every rule set of the catalogue under best play, by the commands above each table. `tests/make_solved.py` asks them and
writes this page; `make slow` asks some of them again. Figures in bold have been published before, with the source below
the tables. As far as we know, the others have not been published before.
"""

SOLVE = """## Who wins

`farkel solve --rules NAME`: two players who both play perfectly. *Head start* is the number of points for the second
player that makes the game as fair as it can be, and the first player's chance then; a player who begins with points is
on the board. *A life* is the chance that the first player loses by beginning with one life fewer. *Without taking over*
is the first player's chance with `--set take_over.price=none`. CPU seconds are those of two threads of an x86-64
machine together; memory is the most that the whole process used.

| rules | first player wins | nobody wins | head start | a life | without taking over | positions | CPU seconds | GiB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""

TURN = """## Points and turns

`farkel turn --rules NAME` is the most points per turn; in sets with a penalty for several farkles in a row it is the
average in the long run. `farkel race --rules NAME` is the fewest turns that one player needs to reach the target alone,
on average. *Entry* is the part of them that the entry score costs: the difference to `--set entry=0`.

| rules | points per turn | turns alone | entry |
| --- | ---: | ---: | ---: |
"""

CARD = """## A card to play by

`farkel chart --rules NAME`: the card of at most eight numbers that `bot:card` plays. *Wins* is its chance against
perfect play, and *at worst* the one against its best reply, with both seats counted equally. *Gives away* is the
difference to the share of perfect play.

| rules | wins | at worst | gives away (percentage points) |
| --- | ---: | ---: | ---: |
"""

REFUSED = """## Not solved

| rules | command | why |
| --- | --- | --- |
"""

COMPARED = """## Published before

| rules | figure | published | here | source |
| --- | --- | ---: | ---: | --- |
"""


def page(found: Mapping[str, Mapping[str, Answer]]) -> str:
    """Return the whole page."""
    sets = [name for name in names() if name in found]
    solved = [name for name in sets if "first_player_wins" in found[name]["solve"]]
    told = [name for name in sets if "expected_points" in found[name]["turn"]]
    lines = [HEAD, SOLVE.rstrip()]
    lines += [_row(name, *_solve_cells(name, found[name])) for name in solved]
    lines += ["", TURN.rstrip(), *(_row(name, *_turn_cells(name, found[name])) for name in told)]
    carded = [name for name in sets if "wins" in found[name]["chart"]]
    lines += ["", CARD.rstrip(), *(_row(name, *_card_cells(found[name])) for name in carded)]
    refused = [
        _row(name, f"`{command.words[0]}`", _why(found[name][command.key]))
        for name in sets
        for command in commands(load(name))
        if not command.changes and (_why(found[name][command.key]))
    ]
    if refused:
        lines += ["", REFUSED.rstrip(), *refused]
    lines += ["", COMPARED.rstrip()]
    lines += [_row(name, *_compared(name, key, found[name])) for name, key in PUBLISHED if name in found]
    return "\n".join(lines) + "\n"


def _row(name: str, *cells: str) -> str:
    return f"| `{name}` | {' | '.join(cells)} |"


def figures(one: Mapping[str, Answer]) -> dict[str, float]:
    """Return the figures of a set that may have been published."""
    solve, turn = one["solve"], one["turn"]
    found = {}
    if "first_player_wins" in solve:
        found = {"first": solve["first_player_wins"], "head": solve["head_start"]["points"]}
    return found | ({"points": turn["expected_points"]} if "expected_points" in turn else {})


def _written(key: str, value: float) -> str:
    return {"first": f"{value:.6f}", "head": f"{value:,.0f}", "points": f"{value:,.4f}"}[key]


def _figure(name: str, key: str, one: Mapping[str, Answer]) -> str:
    text = _written(key, figures(one)[key])
    return f"**{text}**" if (name, key) in PUBLISHED else text


def _solve_cells(name: str, one: Mapping[str, Answer]) -> list[str]:
    solve, without = one["solve"], one.get("solve_without_taking", {})
    nobody = solve.get("nobody_wins")
    life = solve.get("life_lost")
    head = f"{_figure(name, 'head', one)} ({solve['head_start']['first_player_wins']:.4f})"
    return [
        _figure(name, "first", one),
        NOTHING if nobody is None else f"{nobody:.6f}",
        head,
        NOTHING if life is None else f"{life:.4f}",
        f"{without['first_player_wins']:.6f}" if "first_player_wins" in without else NOTHING,
        f"{solve['states']:,}",
        f"{solve['processor']:,.0f}",
        f"{solve['gib']:.1f}",
    ]


def _turn_cells(name: str, one: Mapping[str, Answer]) -> list[str]:
    race, without = one.get("race", {}), one.get("race_without_entry", {})
    turns = race.get("expected_turns")
    alone = (
        NOTHING
        if turns is None
        else f"{turns:.4f}" + (f" (reached: {race['reaches']:.4f})" if "reaches" in race else "")
    )
    entry = turns - without["expected_turns"] if turns is not None and without.get("expected_turns") else None
    return [_figure(name, "points", one), alone, NOTHING if entry is None else f"{entry:.4f}"]


def _card_cells(one: Mapping[str, Answer]) -> list[str]:
    wins, worst = one["chart"]["wins"], one["chart"]["worst"]
    given = (1 - (one["solve"].get("nobody_wins") or 0.0)) / 2 - wins
    return [f"{100 * wins:.2f}%", f"{100 * worst:.2f}%", f"{100 * given:.2f}"]


def _why(answer: Answer) -> str:
    if "stopped" in answer:
        return f"not finished after {answer['stopped']:,.0f} seconds"
    return str(answer.get("refused", ""))


def _compared(name: str, key: str, one: Mapping[str, Answer]) -> list[str]:
    value, source = PUBLISHED[name, key]
    words = {"head": "head start", "points": "points per turn", "first": "first player wins"}[key]
    return [words, f"{value}", _written(key, figures(one)[key]), source]


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=1800.0)
    parser.add_argument("--only", default="", metavar="COMMAND")
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args()
    chosen_sets = chosen.names or list(names())
    if chosen_sets != ["page"]:
        measure(chosen_sets, chosen.jobs, chosen.limit, chosen.only)
    PAGE.write_text(page(json.loads(FOUND.read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2:])
    else:
        main()
