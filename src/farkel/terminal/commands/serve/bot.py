"""``farkel bot``: a player of one's own in a game on a server."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from farkel.errors import PlayerError
from farkel.support.bounds import MOST_SEATS
from farkel.terminal.command import Command
from farkel.terminal.output import result_only
from farkel.terminal.progress import telling
from farkel.terminal.streams import stopped

if TYPE_CHECKING:
    from farkel.client import Client, Followed


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
    """
    from farkel.client import Client, Link, play
    from farkel.players.own import load_player

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
        stopped("Stopped. The seat is kept: the same command goes on.")


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
