"""``farkel rules``: the list of rule sets, all of them or those that fit a search, and the sheet of one."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import click

from farkel.terminal.command import Command
from farkel.terminal.fitting import fitted, prose
from farkel.terminal.options import changes_option, chosen_rules, complete_rules
from farkel.terminal.output import page, show

READ = (
    "Read one aloud, with its variations: farkel rules NAME\n"
    "Find one: farkel rules --search WORDS\n"
    "Make your own: farkel rules NAME --toml > ours.toml"
)


@click.command(cls=Command)
@click.argument("name", required=False, shell_complete=complete_rules)
@changes_option
@click.option(
    "--search",
    "asked",
    metavar="WORDS",
    help='List only matching sets: a name, game, language or rule, such as "lives" or "German five dice".',
)
@click.option(
    "--toml", "as_toml", is_flag=True, help="Print every field as TOML with explanations, to start your own rules from."
)
@click.option("--json", "as_json", is_flag=True, help="Print every field as JSON.")
def rules(name: str | None, changes: tuple[str, ...], asked: str | None, as_toml: bool, as_json: bool) -> None:
    """List the rule sets, or print one as a sheet to read aloud at the table."""
    from farkel.rules import is_file, sheet, to_json, to_toml

    if as_toml and as_json:
        raise click.UsageError("--toml or --json, not both")
    if asked is not None and (name is not None or changes or as_toml):
        raise click.UsageError("--search lists rule sets: leave out NAME, --set and --toml")
    if name is None and not changes and not as_toml:
        page(listed_json(asked) if as_json else listed(asked))
        return
    chosen = chosen_rules(name, changes)
    if as_toml:
        page(to_toml(chosen).rstrip("\n"))
    elif as_json:
        click.echo(to_json(chosen))
    else:
        file = Path(name).name if name is not None and is_file(name) else ""
        show(sheet(chosen, file).text(prose()).rstrip("\n"))


def listed(asked: str | None = None) -> str:
    """Return the list as text: a name and the set's special rules, under the name of its family."""
    from farkel.rules import families, names, search

    read = fitted(READ)
    if asked is not None:
        found = search(asked)
        widest = max(len(one.name) for one in found)
        lines = [line for one in found for line in _lines(one.name, widest, one.because)]
        return "\n".join([*lines, "", read])
    widest = max(map(len, names()))
    blocks = [
        [family, *(line for name in sets for line in _lines(name, widest))] for family, sets in families().items()
    ]
    return "\n\n".join(["\n".join(block) for block in blocks] + [read])


def listed_json(asked: str | None = None) -> str:
    """Return the list as JSON."""
    from farkel.rules import names, search

    found = dict.fromkeys(names(), "") if asked is None else {one.name: one.because for one in search(asked)}
    return json.dumps([_about(name, because) for name, because in found.items()], indent=2, ensure_ascii=False)


def _lines(name: str, widest: int, because: str = "") -> list[str]:
    from farkel.rules.finding import described

    shown = [described(name), *([f'"{because}"'] if because else [])]
    wrapped = [line for text in shown for line in textwrap.wrap(text, prose() - widest - 4)]
    return [f"  {name if at == 0 else '':<{widest}}  {line}" for at, line in enumerate(wrapped)]


def _about(name: str, because: str) -> dict[str, Any]:
    from farkel.rules import entry, named

    rules, known = named(name), entry(name)
    about = {
        "name": name,
        "title": rules.title,
        "about": rules.about,
        "family": known.family,
        "language": known.language,
        "aliases": known.aliases,
        "digest": rules.digest,
    }
    return about | ({"because": because} if because else {})
