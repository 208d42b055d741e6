"""A game of an agent against perfect play, with each of its decisions judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from farkel.bench.agents import Agent
from farkel.coach.regret import JudgedTurn, judged_game, share_of_win, worths
from farkel.dice.simulated import ArenaDice
from farkel.game import Action, State
from farkel.rules import Rules
from farkel.simulation.python_games import Broken
from farkel.solve import Duel


class JudgedGame(NamedTuple):
    """A game of an agent."""

    rules: Rules
    number: int
    seat: int
    decisions: tuple[JudgedTurn, ...]
    won: float
    lost: float = 0.0
    """Winning chance that was still there when the agent forfeited the game."""
    forfeit: str = ""
    """Why the agent forfeited the game; "" if it did not."""

    @property
    def regret(self) -> float:
        """Winning chance given away in the game."""
        return sum(each.regret for each in self.decisions) + self.lost


def play_game(rules: Rules, solved: Duel, agent: Agent, seed: int, number: int) -> JudgedGame:
    """Play a game against perfect play, in which every other one begins. Its dice follow from the seed and its number.

    An agent that breaks down, stalls or breaks the rules forfeits the game: it gives away its whole remaining chance.
    """
    seat, decisions, asked = number % 2, list[JudgedTurn](), list[State]()
    try:
        agent.begin(rules, seat, seed + number)
        game = judged_game(rules, solved, _noting(agent.decide, asked), seat, ArenaDice(seed, number))
        while True:
            try:
                decisions.append(next(game))
            except StopIteration as end:
                return JudgedGame(rules, number, seat, tuple(decisions), share_of_win(end.value, seat))
    except Broken as broken:
        lost = max(worths(solved, asked[-1]).values())
        return JudgedGame(rules, number, seat, tuple(decisions), 0.0, lost, f"{agent.name} {broken.reason}")


def _noting(decide: Callable[[State], Action], asked: list[State]) -> Callable[[State], Action]:
    def noted(state: State) -> Action:
        asked.append(state)
        return decide(state)

    return noted
