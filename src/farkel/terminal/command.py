"""Groups and commands: help without cut sentences, and the extras that a command needs."""

from __future__ import annotations

from typing import Any

import click

from farkel.support import extras

WHOLE = 500
"""Characters of a summary, so that none is cut: click cuts at 45."""


class Command(click.Command):
    """A command that needs an extra of the package: it says so before it does anything, and how to get it."""

    def __init__(self, *args: Any, needs: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.needs = needs

    def invoke(self, context: click.Context) -> Any:
        if self.needs:
            extras.needs(self.needs, f"farkel {self.name}")
        return super().invoke(context)


class Group(click.Group):
    """A group whose list of commands has the whole first sentence of each."""

    command_class = Command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary(command)) for name, command in shown(self, context)])


def shown(group: click.Group, context: click.Context) -> list[tuple[str, click.Command]]:
    """Return the commands of a group that are not hidden, by name."""
    found = ((name, group.get_command(context, name)) for name in group.list_commands(context))
    return [(name, command) for name, command in found if command is not None and not command.hidden]


def summary(command: click.Command) -> str:
    """Return the first sentence of the help of a command."""
    return command.get_short_help_str(limit=WHOLE)
