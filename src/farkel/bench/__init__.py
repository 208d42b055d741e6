"""A benchmark of decisions: what agents give away against perfect play, under rules that cannot be memorised.

Agents are players that come with Farkel, classes in Python files, programs that speak JSON lines, or players of a
seat on a Farkel server. They play games against perfect play under the sets of the catalogue and under house rules
drawn from a seed. Each decision costs the winning chance by which it falls short of the best one.
"""

from farkel.bench.agents import Agent, agent_of
from farkel.bench.courses import Course, catalogue, drawn, drawn_rules, named
from farkel.bench.games import JudgedGame, play_game
from farkel.bench.scores import Score, Summary, measure, summary

__all__ = [
    "Agent",
    "Course",
    "JudgedGame",
    "Score",
    "Summary",
    "agent_of",
    "catalogue",
    "drawn",
    "drawn_rules",
    "measure",
    "named",
    "play_game",
    "summary",
]
