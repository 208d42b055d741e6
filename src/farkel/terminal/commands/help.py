"""`farkel help` and `farkel completion`: the help of every command, as a man page too, and keys that finish words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from farkel import __version__
from farkel.terminal.command import Command, shown, summary
from farkel.terminal.output import show
from farkel.terminal.streams import STATUSES

SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command("help", cls=Command)
@click.argument("command", nargs=-1)
@click.option("--man", is_flag=True, help="Print a man page of all commands: farkel help --man | man -l -")
@click.pass_context
def help_(context: click.Context, command: tuple[str, ...], man: bool) -> None:
    """Show the help of a command, such as: farkel help games delete"""
    top = context.find_root()
    if man:
        if command:
            raise click.UsageError("--man prints all commands: leave out COMMAND")
        click.echo(man_page(top), nl=False)
        return
    found, inside = top.command, top
    for name in command:
        child = found.get_command(inside, name) if isinstance(found, click.Group) else None
        if child is None:
            raise click.UsageError(f'there is no command "{" ".join(command)}"; list them with: farkel help')
        found, inside = child, _context(child, name, inside)
    show(found.get_help(inside))


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and rule sets.

    \b
    farkel completion bash

    Add the line for your shell to its file, and open a new shell.

    \b
    bash, ~/.bashrc:                    eval "$(farkel completion bash)"
    zsh, ~/.zshrc:                      eval "$(farkel completion zsh)"
    fish, ~/.config/fish/config.fish:   farkel completion fish | source
    """
    script = SHELLS[shell](context.find_root().command, {}, "farkel", "_FARKEL_COMPLETE")
    click.echo(script.source())


# The man page --------------------------------------------------------------------------------------------------------


def man_page(top: click.Context) -> str:
    """Return the help of all commands as a man page: roff with the macros of ``man``."""
    lines = [
        f'.TH FARKEL 1 "{date.today():%Y-%m-%d}" "farkel {__version__}" "User commands"',
        ".SH NAME",
        f"farkel \\- {_text('the dice game Farkle in all its forms, under any house rules')}",
        ".SH SYNOPSIS",
        ".B farkel",
        _text("COMMAND [OPTIONS] [ARGUMENTS]"),
        ".SH DESCRIPTION",
        *_paragraphs(top.command.help or ""),
        ".SH COMMANDS",
    ]
    for names, context in _all(top):
        lines += _command(names, context)
    lines.append(".SH EXIT STATUS")
    for status, meaning in STATUSES.items():
        lines += [".TP", f".B {status}", _text(meaning)]
    return "\n".join(lines) + "\n"


def _all(top: click.Context, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Context]]:
    """Yield all commands, those of groups after their group."""
    if isinstance(top.command, click.Group):
        for name, command in shown(top.command, top):
            inside = _context(command, name, top)
            yield (*names, name), inside
            yield from _all(inside, (*names, name))


def _context(command: click.Command, name: str, parent: click.Context) -> click.Context:
    return command.context_class(command, info_name=name, parent=parent, **command.context_settings)


def _command(names: tuple[str, ...], context: click.Context) -> list[str]:
    command = context.command
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f".SS farkel {' '.join(names)}", f".B farkel {' '.join(names)}", _text(usage)]
    lines += [".PP", *_paragraphs(command.help or summary(command))]
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record is not None and "--help" not in param.opts:
            lines += [".TP", f".B {_text(record[0])}", _text(record[1])]
    return lines


def _paragraphs(told: str) -> list[str]:
    """Return paragraphs of help; one that begins with click's mark keeps its lines."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", told.strip()):
        marked, _, rest = paragraph.partition("\b\n")
        if marked.strip():
            lines += [".PP", _text(" ".join(paragraph.split()))]
        else:
            lines += [".PP", ".nf", *(_text(line.strip()) for line in rest.splitlines()), ".fi"]
    return lines[1:]


def _text(told: str) -> str:
    r"""Return text as roff reads it: hyphens that can be copied, and no line that looks like a request."""
    told = told.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return f"\\&{told}" if told.startswith(".") else told
