"""Commands that say what they need beside the package itself."""

from __future__ import annotations

from typing import Any

import click

from farkel import extras


class Command(click.Command):
    """A command that needs an extra of the package: it says so before it does anything, and how to get it."""

    def __init__(self, *args: Any, needs: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.needs = needs

    def invoke(self, context: click.Context) -> Any:
        if self.needs:
            extras.needs(self.needs, f"farkel {self.name}")
        return super().invoke(context)
