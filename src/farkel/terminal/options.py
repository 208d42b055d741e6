"""Options and arguments that several commands take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from farkel.errors import PositionError
from farkel.support.words import counted
from farkel.terminal.progress import working
from farkel.terminal.settings import SPEEDS, read_settings

if TYPE_CHECKING:
    from farkel.rules import Rules
    from farkel.terminal.saved_games import SavedGame

Command = TypeVar("Command", bound=Callable[..., Any])

SHOWN = 20
"""Games of the list if not all are wanted."""


changes_option = click.option(
    "--set", "changes", metavar="FIELD=VALUE", multiple=True, help="Change one field: target=5000. Repeatable."
)
"""``--set``, as every command takes it that takes rules."""
json_option = click.option("--json", "as_json", is_flag=True, help="Print exact values as JSON.")
"""``--json``, as every command that prints results takes it."""


def rules_options(command: Command) -> Command:
    """Add ``--rules`` and ``--set``."""
    with_rules = click.option(
        "--rules",
        "rules",
        metavar="NAME|FILE",
        shell_complete=complete_rules,
        help="Rule set by name, or a .toml or .json file. See: farkel rules",
    )
    return with_rules(changes_option(command))


def plot_option(what: str) -> Callable[[Command], Command]:
    """Return what adds ``--plot``, as the commands take it that can draw what they print."""
    path = click.Path(path_type=Path)
    return click.option("--plot", metavar="FILE", type=path, help=f"Draw {what}: .svg, .png or .pdf.")


def limit_option(whom: str) -> Callable[[Command], Command]:
    """Return what adds ``--limit``, as the commands take it that let the code of others play."""
    return click.option(
        "--limit",
        metavar="SECONDS",
        type=click.FloatRange(min=0, min_open=True),
        default=1.0,
        show_default=True,
        help=f"Time limit per decision for {whom}.",
    )


def table_options(command: Command) -> Command:
    """Add ``--plain`` and ``--speed``, as the commands take them that begin to play."""
    with_speed = click.option("--speed", type=click.Choice(SPEEDS), help="How fast bots play; still: nothing moves.")
    with_motion = click.option("--no-animation", "speed", flag_value="still", help="The same as --speed still.")
    return plain_option(with_motion(with_speed(command)))


plain_option = click.option(
    "--plain/--no-plain", default=None, help="Plain lines, for screen readers, pipes and scripts."
)
"""``--plain``, as every command takes it that shows a table."""


def machines_options(command: Command) -> Command:
    """Add ``--threads`` and ``--cluster``, as the commands take them that play many games."""
    with_cluster = click.option(
        "--cluster", metavar="auto|ADDRESS", help="Play on a Ray cluster; auto: this machine's, or a new one."
    )
    with_threads = click.option(
        "--threads", metavar="N", type=click.IntRange(min=1), help="Number of threads (default: one per core)."
    )
    return with_threads(with_cluster(command))


def chosen_rules(rules: str | None, changes: Sequence[str]) -> Rules:
    """Return the rules that ``--rules`` and ``--set`` give; those of the settings if no set is named."""
    from farkel.rules import DEFAULT, load

    return load(read_settings().rules or DEFAULT if rules is None else rules, changes)


def numbers(text: str, what: str) -> tuple[int, ...]:
    """Return the numbers of ``4500,6200``. Raises `PositionError` ``not_numbers``."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise PositionError(
            "not_numbers", f'{what}: "{text}" is not a list of numbers; separate them with commas: 4500,6200'
        ) from None


def complete_rules(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a rule set, or of a file."""
    from farkel.rules import named, names

    found = [CompletionItem(name, help=named(name).title) for name in names() if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def listed_games(folder: Path | None = None) -> tuple[SavedGame, ...]:
    """Return the games of a folder (default: yours), in the order of the list of `farkel games`."""
    from farkel.terminal.saved_games import games
    from farkel.terminal.setup import games_folder

    with working("Reading your games") as progress:
        return games(folder or games_folder(), progress)


def counted_games(entries: Sequence[SavedGame]) -> str:
    """Return how many games there are, and how many of them are unfinished."""
    unfinished = sum(entry.resumable for entry in entries)
    return counted(len(entries), "game", "games") + (f", {unfinished:,} unfinished," if unfinished else "")


class GameFile(click.ParamType):  # type: ignore[type-arg]
    """A record: a file, or one of my games by its number or name in the list of `farkel games`."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Path:
        if isinstance(value, Path):
            return value
        path = Path(value)
        if path.exists() or len(path.parts) > 1 or path.suffix:
            return path
        entries = listed_games()
        if not entries:
            self.fail("you have no saved games yet; play one with: farkel play", param, context)
        if value.isascii() and value.isdecimal():
            if 0 < int(value) <= len(entries):
                return entries[int(value) - 1].path
            self.fail(
                f"there is no game {value}: {counted_games(entries)}; list them with: farkel games", param, context
            )
        return next((entry.path for entry in entries if entry.name == value), path)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        return "A saved game by its number in the list of farkel games, or by its file."

    def shell_complete(self, context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        items = [CompletionItem(incomplete, type="file")]
        if incomplete.isdecimal() or not incomplete:
            items += [
                CompletionItem(str(number), help=str(entry))
                for number, entry in enumerate(listed_games()[:SHOWN], 1)
                if str(number).startswith(incomplete)
            ]
        return items


GAME = GameFile()
