"""``farkel serve`` and ``farkel bot``: the game in a browser, and a player of one's own in such a game."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from farkel.errors import PlayerError
from farkel.support.bounds import MOST_SEATS
from farkel.terminal.command import Command
from farkel.terminal.streams import STOPPED

if TYPE_CHECKING:
    from farkel.client import Client, Followed

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
@click.option("--open", "browser", is_flag=True, help="Open the page in this machine's browser.")
def serve(
    host: str,
    port: int,
    database: str | None,
    public_url: str,
    proxied: bool,
    workers: int,
    private_hooks: bool,
    browser: bool,
) -> None:
    """Play with everyone in the room, and beyond, in a browser on any device.

    \b
    farkel serve
    farkel serve --host 127.0.0.1 --open
    farkel serve --database postgresql+psycopg://localhost/farkel --workers 4

    Every move is stored before anyone sees it. Ctrl-C stops the server; nothing is lost, and games continue when it is
    started again. Requests with the token in FARKEL_OPERATOR_TOKEN may read /metrics and /healthz.
    """  # noqa: D301  click reads the character, not its escape
    from farkel.web import serve as server
    from farkel.web.settings import Settings
    from farkel.web.store import default_url

    if public_url and not public_url.startswith(("http://", "https://")):
        raise click.UsageError(f'--public-url "{public_url}" is no address: write https://HOST')
    settings = Settings(
        database or default_url(),
        public_url=public_url.rstrip("/"),
        proxied=proxied,
        private_hooks=private_hooks,
        operator_token=_operator_token(),
    )
    server.check(settings, workers)
    with server.bound(host, port) as sock:
        port = sock.getsockname()[1]
        address = server.address_in_the_room() if host in EVERYWHERE else ""
        room = f"http://{address}:{port}" if address else ""
        here = f"http://{_written('127.0.0.1' if host in EVERYWHERE else host)}:{port}"
        settings = replace(settings, room_url=room)
        for line in _opening(here, room, settings.public_url, settings.database, everywhere=host in EVERYWHERE):
            click.echo(line)
        if browser:
            import webbrowser

            webbrowser.open(settings.public_url or room or here)  # where all others play, too
        server.serve(settings, sock, workers)
    click.echo("Stopped. Nothing was lost.")


def _operator_token() -> str:
    """Return the operator's token, from the environment, where no list of processes shows it."""
    token = os.environ.get(OPERATOR_TOKEN, "")
    if token and len(token) < SHORTEST_TOKEN:
        said = f"{OPERATOR_TOKEN} has {len(token)} characters: give it {SHORTEST_TOKEN} or more, drawn at random"
        raise click.UsageError(said)
    return token


def _opening(here: str, room: str, public: str, database: str, *, everywhere: bool) -> list[str]:
    """Return the message for when the server is up."""
    from sqlalchemy import make_url

    address = make_url(database)
    kept = address.render_as_string(hide_password=True)
    if address.drivername == "sqlite":
        kept = str(Path(address.database).resolve()) if address.database else "in memory, until it stops"
    others = public or room
    lines = ["Farkel is open.", f"  Here:            {here}"]
    if room:
        lines.append(f"  In this network: {room}")
    if public:
        lines.append(f"  From anywhere:   {public}")
    lines.append(f"  Games are kept:  {kept}")
    if others and _draws():
        lines += ["", *_code(others), ""]
    if room:
        lines.append("Every device in this network can open it. For this machine alone: --host 127.0.0.1")
    elif everywhere and not public:
        lines.append("No address of this machine in a network was found; if it has one, name it with --public-url.")
    return [*lines, "Stop it with Ctrl-C; games go on when it is started again."]


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


@click.command(cls=Command, needs="web")
@click.argument("url")
@click.argument("player")
@click.option("--token", metavar="TOKEN", help="With the address of a game instead of the link of a seat.")
@click.option(
    "--seat", metavar="N", type=click.IntRange(1, MOST_SEATS), help="With a token that holds several seats: which."
)
@click.option(
    "--patience",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=600.0,
    show_default=True,
    help="How long it tries to reach a server that has gone.",
)
@click.option("--again", is_flag=True, help="Then wait for the next game of the same seats, and play that too.")
def bot(url: str, player: str, token: str | None, seat: int | None, patience: float, again: bool) -> None:
    """Let a player play a seat of a game on a server, to the end.

    URL is the link of the seat, or the address of a game with its --token. PLAYER is cautious, bold, threshold:N,
    random, turn, exact or race, or a class in a Python file of your own.

    \b
    farkel bot http://192.168.1.5:8000/s/TOKEN ./mine.py:Greedy
    farkel bot http://192.168.1.5:8000/api/v1/games/GAME --token TOKEN bold

    If the connection is lost or the server is started again, it continues. Stopped in any way, the same command goes
    on where it was.
    """  # noqa: D301  click reads the character, not its escape
    from farkel.client import Client, Link, play
    from farkel.players.own import load_player
    from farkel.terminal.output import result_only
    from farkel.terminal.progress import telling

    link = Link.of(url)
    if not link.token and not token:
        raise click.UsageError("the address of a game needs a --token; the link of a seat, .../s/TOKEN, has it in it")
    held, game = token or link.token, link.game
    try:
        with telling(), result_only() as out:
            made = load_player(player)
            while True:
                with Client(link.server, held, patience=patience) as client:
                    game, place = _place(client, game, None if seat is None else seat - 1)
                    followed = play(client, game, place, made, partial(click.echo, file=out))
                    click.echo(_result(followed), file=out)
                    if not again:
                        return
                    click.echo("Waiting for the next game of the same seats.", file=out)
                    held, game = _next(client, game, place)
    except KeyboardInterrupt:
        click.echo("Stopped. The seat is kept: the same command goes on.", err=True)
        sys.exit(STOPPED)


def _place(client: Client, game: str, seat: int | None) -> tuple[str, int]:
    """Return the game and the seat that the token holds."""
    if not game:
        return client.seat()
    view = client.game(game)
    held = [index for index, each in enumerate(view["seats"]) if each["yours"]]
    if seat is not None:
        return game, seat
    if len(held) != 1:
        those = ", ".join(f"{index + 1} ({view['seats'][index]['name']})" for index in held)
        raise PlayerError(
            "which_seat", f"this token holds {f'the seats {those}: say which with --seat' if held else 'no seat'}"
        )
    return game, held[0]


def _next(client: Client, game: str, seat: int) -> tuple[str, str]:
    """Wait until the host has opened the next game of the same seats: the token there, and the game."""
    next(told for told in client.follow(game) if told.get("kind") == "again")
    opened = client.again(game)
    token = opened["host"] or opened["seats"].get(str(seat))
    if not token:
        raise PlayerError("newer_link", "the seat has a newer link in the next game: give that one")
    return token, opened["game"]


def _result(followed: Followed) -> str:
    from farkel.game.story import ending

    state = followed.state
    return "" if state is None else ending(state, followed.names)
