"""``farkel solve``: each player's chance of winning if all play perfectly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from farkel.terminal.command import Command
from farkel.terminal.options import chosen_rules, json_option, rules_options
from farkel.terminal.output import show, table
from farkel.terminal.progress import working

if TYPE_CHECKING:
    from farkel.solve import Duel, Trio


@click.command(cls=Command)
@rules_options
@json_option
@click.option("--seats", type=click.IntRange(2, 3), default=2, help="Number of players: 2 (default) or 3.")
@click.option("--fresh", is_flag=True, help="Solve again, even if a solution is stored.")
def solve(rules: str | None, changes: tuple[str, ...], as_json: bool, seats: int, fresh: bool) -> None:
    """Solve the game of two or three players.

    Prints each player's chance of winning if all play perfectly. With three players each maximises their own chance,
    and the result is an equilibrium. The solution is stored, so that everything that needs it later is quick. A long
    calculation that you stop continues the next time.
    """
    chosen = chosen_rules(rules, changes)
    with working("Solving the game") as progress:
        from farkel.solve import duel, trio

        if seats == 2:
            two = duel(chosen, progress, fresh=fresh)
        else:
            three = trio(chosen, progress, fresh=fresh)
    if seats == 2:
        show(_two_content(two) if as_json else _two_text(two))
    else:
        show(_three_content(three) if as_json else _three_text(three))


def _two_content(duel: Duel) -> dict[str, Any]:
    """Return the chances and how they were found; ``nobody_wins`` only if the rules know such an end."""
    from farkel.solve import head_start, life_lost

    life = life_lost(duel)
    return (
        {"first_player_wins": duel.first_player_wins}
        | ({} if duel.nobody_wins is None else {"nobody_wins": duel.nobody_wins})
        | {"head_start": head_start(duel)._asdict()}
        | ({} if life is None else {"life_lost": life})
        | _content(duel)
    )


def _two_text(duel: Duel) -> str:
    """Return the chances of both sides, and how they were found."""
    from farkel.solve import head_start, life_lost

    nobody = duel.nobody_wins or 0.0
    rows = [
        ["the first player wins", f"{duel.first_player_wins:.8f}"],
        ["the second player wins", f"{1 - nobody - duel.first_player_wins:.8f}"],
    ]
    rows += [["nobody wins", f"{nobody:.8f}"]] if duel.nobody_wins is not None else []
    fair, life = head_start(duel), life_lost(duel)
    rows += [["fairest head start", f"{fair.points:,}"]]
    rows += [["a life less costs", f"{life:.4f}"]] if life is not None else []
    return _text(f"Best play of two players under {duel.rules}", rows, duel)


def _three_content(trio: Trio) -> dict[str, Any]:
    """Return the chances of three seats, and how they were found."""
    return {"wins": list(trio.wins)} | _content(trio)


def _three_text(trio: Trio) -> str:
    """Return the chances of three seats, and how they were found."""
    seats = zip(("first", "second", "third"), trio.wins, strict=True)
    rows = [[f"the {which} player wins", f"{chance:.8f}"] for which, chance in seats]
    return _text(f"An equilibrium of three players under {trio.rules}", rows, trio)


def _content(found: Duel | Trio) -> dict[str, Any]:
    """Return how the chances were found."""
    from farkel.solve import Duel

    return (
        {"states": found.states, "residual": found.residual}
        | ({} if isinstance(found, Duel) else {"mixed": found.mixed})
        | {"seconds": found.seconds, "rules": str(found.rules), "digest": found.rules.digest}
    )


def _text(heading: str, rows: list[list[str]], found: Duel | Trio) -> str:
    """Return the chances, how they were found, and where they are kept."""
    from farkel.solve import Duel

    rows = [
        *rows,
        ["states", f"{found.states:,}"],
        ["residual", f"{found.residual:.1e}"],
        *([] if isinstance(found, Duel) else [["mixed circles", f"{found.mixed:,}"]]),
        ["seconds", f"{found.seconds:,.1f}"],
    ]
    return f"{heading}\n\n{table(rows, '<>')}" + (f"\n\nKept in {found.path}" if found.path else "")
