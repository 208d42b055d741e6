"""``farkel serve``: the game in a browser, for everyone in the room and beyond."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import replace
from pathlib import Path

import click

from farkel.terminal.command import Command
from farkel.terminal.fitting import room
from farkel.terminal.lines import say

OPERATOR_TOKEN = "FARKEL_OPERATOR_TOKEN"  # noqa: S105  (the name of the variable)
SHORTEST_TOKEN = 16
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  (said to those who start it)


@click.command(cls=Command, needs="web")
@click.option(
    "--host",
    default=EVERYWHERE[0],
    show_default=True,
    help="Address to listen on: 0.0.0.0 for the whole network, 127.0.0.1 for this machine only.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=8_000, show_default=True, help="0 takes any free port.")
@click.option("--database", metavar="URL", help="Where games are stored. Default: SQLite in the user's data folder.")
@click.option("--public-url", metavar="URL", default="", help="Address that players far away use; links begin with it.")
@click.option("--proxied", is_flag=True, help="Trust X-Forwarded-For from the proxy in front of the server.")
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes; more than one needs PostgreSQL.",
)
@click.option("--private-hooks", is_flag=True, help="Allow webhooks to private addresses, such as this network.")
@click.option(
    "--prepare/--no-prepare",
    "prepares",
    default=True,
    show_default=True,
    help="Solve what bots need before anyone plays them: a minute or two of processor time, when it is free.",
)
@click.option("--open", "browser", is_flag=True, help="Open the page in this machine's browser.")
def serve(
    host: str,
    port: int,
    database: str | None,
    public_url: str,
    proxied: bool,
    workers: int,
    private_hooks: bool,
    prepares: bool,
    browser: bool,
) -> None:
    """Play with everyone in the room, and beyond, in a browser on any device.

    \b
    farkel serve
    farkel serve --host 127.0.0.1 --open
    farkel serve --database postgresql+psycopg://localhost/farkel --workers 4

    Every move is stored before anyone sees it. Ctrl-C stops the server; nothing is lost, and games continue when it is
    started again. Requests with the token in FARKEL_OPERATOR_TOKEN may read /metrics and /healthz.
    """
    from farkel.web import serve as server
    from farkel.web.settings import Settings
    from farkel.web.store.database import default_url

    if public_url and not public_url.startswith(("http://", "https://")):
        raise click.UsageError(f'--public-url "{public_url}" is not an address: write https://HOST')
    settings = Settings(
        database or default_url(),
        public_url=public_url.rstrip("/"),
        proxied=proxied,
        private_hooks=private_hooks,
        prepares=prepares,
        operator_token=_operator_token(),
    )
    server.check(settings, workers)
    with server.bound(host, port) as sock:
        port = sock.getsockname()[1]
        address = server.address_in_the_room() if host in EVERYWHERE else ""
        room_url = f"http://{address}:{port}" if address else ""
        here = f"http://{_written('127.0.0.1' if host in EVERYWHERE else host)}:{port}"
        settings = replace(settings, room_url=room_url)
        for line in _opening(here, room_url, settings.public_url, settings.database, everywhere=host in EVERYWHERE):
            say(line)
        if browser:
            import webbrowser

            webbrowser.open(settings.public_url or room_url or here)  # where all others play, too
        server.serve(settings, sock, workers)
    say("Stopped. Nothing was lost.")


def _operator_token() -> str:
    """Return the operator's token, from the environment, where no list of processes shows it."""
    token = os.environ.get(OPERATOR_TOKEN, "")
    if token and len(token) < SHORTEST_TOKEN:
        said = f"{OPERATOR_TOKEN} has {len(token)} characters: give it {SHORTEST_TOKEN} or more, drawn at random"
        raise click.UsageError(said)
    return token


def _opening(here: str, room_url: str, public: str, database: str, *, everywhere: bool) -> list[str]:
    """Return the message for when the server is up."""
    from sqlalchemy import make_url

    address = make_url(database)
    saved = address.render_as_string(hide_password=True)
    if address.drivername == "sqlite":
        saved = str(Path(address.database).resolve()) if address.database else "in memory, until it stops"
    others = public or room_url
    lines = ["Farkel is open.", f"  Here:            {here}"]
    if room_url:
        lines.append(f"  In this network: {room_url}")
    if public:
        lines.append(f"  From anywhere:   {public}")
    lines.append(f"  Saved games:     {saved}")
    code = _code(others) if others and _draws() else []
    if code and max(map(len, code)) <= (room() or 0):
        lines += ["", *code, ""]
    if room_url:
        lines.append("Any device in this network can open it. For this machine only: --host 127.0.0.1")
    elif everywhere and not public:
        lines.append("No network found. If others reach this machine at an address: --public-url URL")
    return [*lines, "Stop it with Ctrl-C. Games continue when you start it again."]


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _draws() -> bool:
    """Return whether standard output is a terminal that can draw a code."""
    return sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf")


def _code(url: str) -> list[str]:
    """Return the QR code of an address, for phones in the room."""
    import segno

    drawn = io.StringIO()
    segno.make(url, micro=False, error="l").terminal(drawn, border=2, compact=True)
    return [f"  {line}" for line in drawn.getvalue().splitlines()]
