"""Agents that play a seat on a Farkel server: the benchmark opens the games, and plays perfectly on the other seat."""

from __future__ import annotations

from collections.abc import Callable

from farkel.bench.courses import Course
from farkel.bench.games import JudgedGame
from farkel.bench.scores import Score, score
from farkel.client import Client, Followed, play
from farkel.coach.regret import JudgedTurn, share_of_win, worths
from farkel.game import Fresh, Keep, Leave, TakeOver
from farkel.players.best_play import Exact
from farkel.players.knowledge import solution
from farkel.rules import Rules
from farkel.solve import Duel

AGENT = "Agent"


def measure_site(
    server: str, course: Course, games: int, say: Callable[[str], None], sink: Callable[[str, JudgedGame], None]
) -> list[Score]:
    """Open games on a server, show the links of the agent's seats, and judge the games played there.

    Under each rule set half of the games have the agent on the first seat and half on the second; the games of a seat
    follow one another, so that ``farkel bot LINK PLAYER --again`` plays them all. Raises what `Client` raises.
    """
    found = []
    for rules in course.rules:
        solved, played = solution(rules), list[JudgedGame]()
        for seat, number in enumerate((games - games // 2, games // 2)):
            for game in _series(server, rules, solved, seat, number, len(played), say):
                played.append(game)
                sink(AGENT, game)
        found.append(score(AGENT, course.name, rules, played))
    return found


def _series(
    server: str, rules: Rules, solved: Duel, seat: int, games: int, first: int, say: Callable[[str], None]
) -> list[JudgedGame]:
    """Play the games in which the agent has one seat."""
    if not games:
        return []
    seats = [{"name": "Perfect play", "who": "far"}]
    seats.insert(seat, {"name": AGENT, "who": "far"})
    with Client(server) as client:
        opened = client.open(rules, seats)
    say(f"{rules}, seat {seat + 1}, {games} in a row: {opened['links'][str(seat)]}")
    game, held, mine, found = opened["game"], opened["host"], opened["seats"][str(1 - seat)], list[JudgedGame]()
    for number in range(games):
        with Client(server, held) as host, Client(server, mine) as other:
            host.submit(game, {"do": "start"})
            found.append(_judged(rules, solved, play(other, game, 1 - seat, Exact()), seat, first + number))
            if number + 1 < games:
                following = host.again(game)
                mine = other.again(game)["seats"][str(1 - seat)]
                game, held = following["game"], following["host"]
    return found


def _judged(rules: Rules, solved: Duel, followed: Followed, seat: int, number: int) -> JudgedGame:
    """Judge the decisions of a seat in a game that is over."""
    decisions, lost, why = list[JudgedTurn](), 0.0, ""
    moves = followed.record.moves if followed.record else []
    for move in moves:
        if isinstance(move.event, Leave) and move.event.seat == seat:
            lost, why = max(solved.chances(move.before)[seat], 0.0), f"{AGENT} left the game"
        elif isinstance(move.event, Keep | TakeOver | Fresh) and move.before.seat == seat:
            decisions.append(JudgedTurn(move.before, move.event, worths(solved, move.before)))
    won = share_of_win(moves[-1].after, seat) if moves else 0.0
    return JudgedGame(rules, number, seat, tuple(decisions), won, lost, why)
