"""``farkel mcp``: a server for assistants that speak the Model Context Protocol."""

from __future__ import annotations

import click

from farkel.terminal.command import Command


@click.command(cls=Command, needs="mcp")
def mcp() -> None:
    """Serve an assistant that speaks the Model Context Protocol, on standard input and output.

    It explains rule sets, scores rolls, gives exact advice, and plays a seat of a game on a Farkel server. In the
    settings of the assistant:

    \b
    {"mcpServers": {"farkel": {"command": "farkel", "args": ["mcp"]}}}
    """
    from farkel.terminal.commands.serve.mcp_tools import server

    server().run("stdio")
