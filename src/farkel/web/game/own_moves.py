"""What the server does itself at a table, and when: for bots, and for players who are away."""

from __future__ import annotations

from collections.abc import Mapping

from farkel.dice.chance import Chance
from farkel.game import Event, Note, Phase
from farkel.players import KNOWING, make_player
from farkel.web.game import bots
from farkel.web.game.given import Calculator
from farkel.web.game.setup import PAUSES
from farkel.web.game.table import Draft, Presence, Table
from farkel.web.settings import Settings


def due(settings: Settings, table: Table, made: Draft, now: int) -> int | None:
    """Return when the server, this process or another, has to look at the game once the draft is stored."""
    if is_over(table, made):
        return None
    if made.after is None:
        return now + 1_000
    seat = made.after.seat
    if table.plays(seat) != "human":  # this process plays on at once; another one takes over if it is gone
        return now + int(1_000 * settings.working)
    if table.allowed.absent == "wait" or seat not in table.far:
        return None
    return now + 1_000 * table.allowed.patience


def pause(settings: Settings, table: Table) -> float:
    """Return the seconds that a bot waits before it does something, so that people can follow."""
    return settings.pace * PAUSES[table.allowed.speed]


async def decide(table: Table, calculator: Calculator, chance: Chance) -> Event | None:
    """Return the move of the bot on turn; None if it is time to roll."""
    state, by = table.state, table.plays(table.state.seat)
    if by == "pass" and state.phase is not Phase.START:
        return Note(0, 0)
    if state.dice_due:
        return None
    name = by.removeprefix("bot:") if by != "pass" else "cautious"
    about = ("decide", table.game, table.number)
    if name in KNOWING:
        seed = chance.draw(32, *about)
        return await calculator.ask(about, bots.decide, name, state, seed, bounded=False)
    return make_player(name).decide(state, chance.generator(*about))


def _is_there(settings: Settings, seen: int, now: int) -> bool:
    """Return whether a page is open that was last seen then."""
    return seen > 0 and now - seen <= 1_000 * settings.away_after


def patience(settings: Settings, table: Table, seen_by: Mapping[int, int], now: int) -> float | None:
    """Return seconds until a bot sits in for the seat on turn; None if its owner has all the time in the world."""
    if table.record is None or table.over:
        return None
    seat = table.state.seat
    if table.allowed.absent == "wait" or seat not in table.far or table.plays(seat) != "human":
        return None
    seen = seen_by[seat]
    if _is_there(settings, seen, now):
        return float(table.allowed.patience)
    # Who was here when the turn began, or was seen since, has all the patience that the host grants.
    waited = (now - max(abs(seen), table.moved)) / 1000
    return max(0.0, table.allowed.patience - waited)


def presence(settings: Settings, table: Table, seen_by: Mapping[int, int], now: int) -> Presence:
    """Return who is there and who is not, by when they were last seen."""
    away = {seat: (now - abs(at)) / 1000 for seat, at in seen_by.items() if not _is_there(settings, at, now)}
    left = patience(settings, table, seen_by, now) if table.started and table.state.seat in away else None
    return Presence(away, frozenset(table.free(seen_by)), left)


def is_over(table: Table, made: Draft) -> bool:
    """Return whether the game is over once the draft is stored."""
    return table.over if made.after is None else made.after.over
