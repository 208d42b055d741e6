"""A game of an agent against perfect play, with each of its decisions judged."""

from __future__ import annotations

from typing import NamedTuple

from farkel.bench.agents import Agent
from farkel.coach.regret import JudgedTurn, against_perfect, share_of_win, worths
from farkel.dice.simulated import ArenaDice
from farkel.game import Action, State
from farkel.rules import Rules
from farkel.simulation.python_games import Broken
from farkel.solve import Duel
from farkel.support.words import percent


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

    def __str__(self) -> str:
        end = f"forfeited: {self.forfeit}" if self.forfeit else f"{self.won:g} won"
        return f"game {self.number} under {self.rules}: {end}, {percent(self.regret)} given away"

    @property
    def regret(self) -> float:
        """Winning chance given away in the game."""
        return sum(each.regret for each in self.decisions) + self.lost


def play_game(rules: Rules, solved: Duel, agent: Agent, seed: int, number: int) -> JudgedGame:
    """Play a game against perfect play, in which every other one begins. Its dice follow from the seed and its number.

    An agent that breaks down, stalls or breaks the rules forfeits the game: it gives away its whole remaining chance.
    """
    seat, decisions, asked = number % 2, list[JudgedTurn](), list[State]()

    def decide(state: State) -> Action:
        asked.append(state)
        decisions.append(JudgedTurn(state, agent.decide(state), worths(solved, state)))
        return decisions[-1].action

    try:
        agent.begin(rules, seat, seed + number)
        end = against_perfect(rules, solved, decide, seat, ArenaDice(seed, number))
    except Broken as broken:
        lost = max(worths(solved, asked[-1]).values())
        return JudgedGame(rules, number, seat, tuple(decisions), 0.0, lost, f"{agent.name} {broken.reason}")
    return JudgedGame(rules, number, seat, tuple(decisions), share_of_win(end, seat))
