"""Groups and commands: help without cut sentences, the extras that a command needs, and errors in one message."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain, zip_longest
from typing import Any

import click

from farkel.errors import FarkelError
from farkel.support import extras
from farkel.terminal import streams
from farkel.terminal.fitting import fitted

UNEXPECTED = re.compile(r"Got unexpected extra argument \(([a-z][^ ]*)\)")
"""What click says of one word too many that may name rules."""
WHOLE = 500
"""Characters of a summary, so that none is cut: click cuts at 45."""


class FittedHelp(click.Command):
    """A command whose help fits the terminal, lines of examples too. What is missing is named with such an example."""

    def get_help(self, context: click.Context) -> str:
        return fitted(super().get_help(context))

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(context, args)
        except click.MissingParameter as error:
            if error.param is None:
                raise
            raise click.UsageError(_in_one_message(_missing(error.param, context)), context) from None
        except click.UsageError as error:
            rules = UNEXPECTED.fullmatch(error.message)
            if not rules or not any("--rules" in param.opts for param in self.params):
                raise
            raise click.UsageError(_in_one_message(_misplaced(rules[1], context)), context) from None


def _misplaced(word: str, context: click.Context) -> str:
    """Return where the name of rules belongs that was given as in ``farkel rules NAME``."""
    return f"{word} has no place there; give rules like this: {_path(context)} --rules {shlex.quote(word)}"


def _path(context: click.Context) -> str:
    """Return the command as people type it, however it was started."""
    return " ".join(("farkel", *context.command_path.split()[1:]))


def _missing(param: click.Parameter, context: click.Context) -> str:
    """Return which option or argument to give, what it is for, and the first example of it in the help."""
    if isinstance(param, click.Option):
        named, about, word = f"{param.opts[0]} {param.metavar or ''}".rstrip(), param.help or "", param.opts[0]
    else:
        named, about, word = param.make_metavar(context), param.type.get_missing_message(param, context) or "", ""
        about = " ".join(about.split())
    about = f": {about[:1].lower()}{about[1:]}".rstrip(".") if about else ""
    path = f"{_path(context)} "
    lines = (line.strip() for line in (context.command.help or "").splitlines())
    example = next((f". For example: {line}" for line in lines if line.startswith(path) and word in line), "")
    return f"give {named}{about}{example}"


def _in_one_message(text: str) -> str:
    """Return the text of an error as it fits the terminal behind "Error: "."""
    return fitted(f"Error: {text}").removeprefix("Error: ")


class Command(FittedHelp):
    """A command that needs an extra of the package: it says so before it does anything, and how to get it."""

    def __init__(self, *args: Any, needs: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.needs = needs

    def invoke(self, context: click.Context) -> Any:
        if self.needs:
            extras.needs(self.needs, f"farkel {self.name}")
        return super().invoke(context)


class CommandGroup(FittedHelp, click.Group):
    """A group whose list of commands has the whole first sentence of each."""

    command_class = Command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary(command)) for name, command in shown(self, context)])


class Farkel(CommandGroup):
    """The program: commands by what people come for, which report user errors in one message, without a traceback."""

    groups: Mapping[str, Mapping[click.Command, str]] = {}

    def add_groups(self, groups: Mapping[str, Mapping[click.Command, str]]) -> None:
        """Add commands under headings, each with its line in the list."""
        self.groups = groups
        for commands in groups.values():
            for command, line in commands.items():
                command.short_help = line
                self.add_command(command)

    def format_help(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands: in two columns where there is room, so that it fits a small terminal."""
        formatter.write_text(" ".join((self.help or "").split()))
        formatter.write_paragraph()
        blocks = [
            [heading, *(f"  {command.name:<10}  {line}" for command, line in commands.items()), ""]
            for heading, commands in self.groups.items()
        ]
        half = (len(blocks) + 1) // 2
        left, right = [*chain(*blocks[:half])], [*chain(*blocks[half:])]
        width = max(map(len, left)) + 2
        if width + max(map(len, right)) <= formatter.width:
            rows = [f"{one:<{width}}{other}".rstrip() for one, other in zip_longest(left, right, fillvalue="")]
        else:
            rows = left + right
        formatter.write("\n".join(rows).rstrip() + "\n\n")
        formatter.write_text("Explain a command: farkel help COMMAND. Show the version: farkel --version.")

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        run: Callable[..., Any] = partial(super().main, standalone_mode=False)
        return streams.ended(lambda: run(*args, **extra)) if standalone_mode else run(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with streams.told_if_unread():  # --help is printed here
            return super().make_context(*args, **extra)

    def invoke(self, context: click.Context) -> Any:
        try:
            with streams.told_if_unread():
                return super().invoke(context)
        except FarkelError as error:
            raise click.ClickException(_in_one_message(error.message)) from None


def shown(group: click.Group, context: click.Context) -> list[tuple[str, click.Command]]:
    """Return the commands of a group that are not hidden, by name."""
    found = ((name, group.get_command(context, name)) for name in group.list_commands(context))
    return [(name, command) for name, command in found if command is not None and not command.hidden]


def summary(command: click.Command) -> str:
    """Return the first sentence of the help of a command."""
    return command.get_short_help_str(limit=WHOLE)
