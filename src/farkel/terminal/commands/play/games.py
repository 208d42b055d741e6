"""My games: `farkel games` lists, resumes, reviews and deletes them, and sums them up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from farkel.support.words import percent
from farkel.terminal.command import CommandGroup
from farkel.terminal.commands.learn.review import review as review_command
from farkel.terminal.commands.play.play import play
from farkel.terminal.options import GAME, SHOWN, counted_games, json_option, listed_games, plot_option, table_options
from farkel.terminal.output import show, table
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from farkel.terminal.player_results import Collected
    from farkel.terminal.saved_games import PlayerEntry, SavedGame


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.option("--all", "every", is_flag=True, help=f"List all games, not only the last {SHOWN}.")
@click.option("--unfinished", is_flag=True, help="List only games that can be resumed.")
@click.option("--trash", is_flag=True, help="List deleted games.")
@click.option("--json", "as_json", is_flag=True, help="Print all games as JSON.")
@click.pass_context
def games(context: click.Context, every: bool, unfinished: bool, trash: bool, as_json: bool) -> None:
    """List your games, and resume, review or delete them.

    A game is called by its number in the list, by its name, or by its file. Other commands take these too:
    farkel replay 1

    \b
    farkel games --unfinished
    farkel games resume 2
    farkel games statistics
    """
    if context.invoked_subcommand is not None:
        if every or unfinished or trash or as_json:
            raise click.UsageError(f"write options after the command: farkel games {context.invoked_subcommand} ...")
        return
    if trash and unfinished:
        raise click.UsageError("--unfinished or --trash, not both")
    folder = _trash() if trash else _folder()
    entries = listed_games(folder)
    numbered = [(number, one) for number, one in enumerate(entries, 1) if one.resumable or not unfinished]
    if as_json:
        show({"folder": str(folder), "games": [_content(*one) for one in numbered]})
    else:
        show(_list(numbered if every else numbered[:SHOWN], entries, folder, len(numbered)))


@games.command()
@click.argument("game", type=GAME, required=False)
@table_options
@click.pass_context
def resume(context: click.Context, game: Path | None, plain: bool | None, speed: str | None) -> None:
    """Resume a game (default: the last unfinished one)."""
    context.invoke(play, resume=str(game or ""), plain=plain, speed=speed)


@games.command()
@click.argument("game", type=GAME)
@click.option("--all", "every", is_flag=True, help="List every decision, not only the errors.")
@plot_option("the chances")
@json_option
@click.pass_context
def review(context: click.Context, /, game: Path, **options: Any) -> None:
    """Show the mistakes and the luck of a game, as farkel review does.

    \b
    farkel games review 1
    """
    context.invoke(review_command, record=game, **options)


@games.command()
@click.argument("game", type=GAME, nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(game: Sequence[Path], yes: bool) -> None:
    """Move games to the trash, a folder beside them; bring them back with: farkel games restore

    \b
    farkel games delete 1
    """
    from farkel.terminal.saved_games import discard, entry

    for path in dict.fromkeys(game):
        if not path.is_file():
            raise click.ClickException(f"there is no record {path}")
        if yes or click.confirm(f"Move this game to the trash? {_line(entry(path))}"):
            click.echo(f"Moved to {discard(path)}")


@games.command()
@click.argument("name", nargs=-1, required=True)
def restore(name: Sequence[str]) -> None:
    """Bring games back from the trash, by their names or numbers in: farkel games --trash

    \b
    farkel games restore 1
    """
    from farkel.terminal.saved_games import restore as restored

    deleted = listed_games(_trash())
    known = {entry.name: entry.path for entry in reversed(deleted)}
    known |= {str(number): entry.path for number, entry in enumerate(deleted, 1)}
    for one in name:
        if one not in known:
            raise click.ClickException(
                f'there is no deleted game "{one}"; list them with: farkel games --trash'
                if deleted
                else f"there are no deleted games in {_trash()}"
            )
    for path in dict.fromkeys(known[one] for one in name):
        click.echo(f"Restored {restored(path)}")


@games.command()
@click.option("--no-luck", is_flag=True, help="Leave out the results without luck, which need a calculation.")
@json_option
def statistics(no_luck: bool, as_json: bool) -> None:
    """Sum up all your games: wins, points per turn, farkles, and results with luck taken out.

    Luck is known for rules that have been solved, or that are solved quickly.
    """
    entries = listed_games()
    playable = [entry for entry in entries if entry.players and not entry.problem]
    if not playable:
        raise click.ClickException(f"there are no games in {_folder()}; play one with: farkel play")
    found = totals(playable)
    luck = None if no_luck else _luck([entry.path for entry in playable if entry.over])
    if as_json:
        content: dict[str, Any] = {"folder": str(_folder()), "totals": [one._asdict() for one in found], "luck": None}
        if luck is not None:
            from farkel.terminal.player_results import results_content

            content["luck"] = results_content(luck)
        show(content)
        return
    text = _totals_text(found, playable, _folder())
    if luck is not None and luck.games:
        from farkel.terminal.player_results import results_text

        text += "\n\n" + results_text(luck)
    elif luck is not None:
        why = f" {luck.left[0].path.name}: {luck.left[0].why}" if luck.left else ""
        text += f"\n\nNo finished game can be corrected for luck.{why}"
    show(text)


def _luck(finished: Sequence[Path]) -> Collected:
    """Return the results of finished games with their luck."""
    from farkel.players.knowledge import quick_chances
    from farkel.terminal.player_results import collected

    with working("Reviewing games") as progress:
        return collected(_folder(), finished, progress, quick_chances)


# Views ----------------------------------------------------------------------------------------------------------------


class Total(NamedTuple):
    """A player's record over many games."""

    name: str
    games: int
    finished: int
    wins: float
    """Shared wins count in equal parts."""
    turns: int
    farkles: int
    banked: int
    best: int


def totals(entries: Iterable[SavedGame]) -> tuple[Total, ...]:
    """Sum up games by the names of players, those with the most games first."""
    played: dict[str, list[tuple[SavedGame, PlayerEntry]]] = {}
    for entry in entries:
        for player in entry.players:
            played.setdefault(player.name, []).append((entry, player))
    found = (
        Total(
            name,
            games=len(own),
            finished=sum(entry.over for entry, _ in own),
            wins=sum(1 / len(entry.winners) for entry, _ in own if name in entry.winners),
            turns=sum(player.turns for _, player in own),
            farkles=sum(player.farkles for _, player in own),
            banked=sum(player.banked for _, player in own),
            best=max(player.best for _, player in own),
        )
        for name, own in played.items()
    )
    return tuple(sorted(found, key=lambda one: (-one.games, one.name)))


def _totals_text(found: Sequence[Total], entries: Sequence[SavedGame], folder: Path) -> str:
    """Return the sums as a table."""
    rows = [["", "games", "finished", "won", "", "points per turn", "farkles per turn", "best turn"]]
    rows += [
        [
            one.name,
            f"{one.games:,}",
            f"{one.finished:,}",
            f"{one.wins:,.1f}".removesuffix(".0"),
            _share(one.wins, one.finished),
            f"{one.banked / one.turns:,.0f}" if one.turns else "",
            _share(one.farkles, one.turns),
            f"{one.best:,}",
        ]
        for one in found
    ]
    return f"{counted_games(entries)} in {folder}\n\n" + table(rows, "<>>>>>>>")


def _share(part: float, whole: int) -> str:
    return percent(part / whole) if whole else ""


def _list(shown: Sequence[tuple[int, SavedGame]], entries: Sequence[SavedGame], folder: Path, of: int) -> str:
    """Return the list: number, when it was last played, rules, players with their scores, and how it ended."""
    if not entries:
        return f"There are no games in {folder}."
    rows = [[str(number), _when(one), one.rules or "?", one.scores, _ended(one)] for number, one in shown]
    lines = [table(rows, "><<<<"), ""] if rows else []
    lines.append(f"{counted_games(entries)} in {folder}")
    if of > len(shown):
        lines.append(f"Only the last {len(shown)} are listed; see the rest with: --all")
    if folder.name == "trash":
        lines.append("Bring one back: farkel games restore NUMBER")
    else:
        lines.append("Resume one: farkel games resume NUMBER; see also: farkel games --help")
    return "\n".join(lines)


def _content(number: int, entry: SavedGame) -> dict[str, Any]:
    content = entry._asdict() | {"path": str(entry.path), "players": [one._asdict() for one in entry.players]}
    return {"number": number, "name": entry.name} | content


def _line(entry: SavedGame) -> str:
    return ", ".join(filter(None, (_when(entry), entry.rules, entry.scores, _ended(entry)))) or entry.name


def _when(entry: SavedGame) -> str:
    from datetime import datetime

    return f"{datetime.fromtimestamp(entry.written):%Y-%m-%d %H:%M}"


def _ended(entry: SavedGame) -> str:
    if entry.problem:
        return "damaged" if entry.players else f"{entry.path.name} cannot be read"
    if not entry.over:
        return "unfinished"
    return f"{' and '.join(entry.winners)} won" if entry.winners else "nobody won"


def _folder() -> Path:
    from farkel.terminal.setup import games_folder

    return games_folder()


def _trash() -> Path:
    from farkel.terminal.saved_games import TRASH

    return _folder() / TRASH
