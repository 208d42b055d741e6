"""The game of any number of seats for PettingZoo: agents take turns, as `pettingzoo.AECEnv` has it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from farkel.errors import EnvError
from farkel.game import position
from farkel.rules import AnyRules
from farkel.training.action_numbers import actions
from farkel.training.episode import TURN_LIMIT, Play, rewards, table, thrower
from farkel.training.observations import Encoder

ENV_VERSION = 1
"""Raised when observations, actions or rewards change for the same rules."""


class FarkelAEC(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """A whole table under any rules, one agent a seat: ``player_0``, ``player_1``, ...

    ``rules`` is a value, a name or a notation; ``people`` are those of each seat, one each if none are given.
    ``mask`` says where the mask of legal actions goes: with "observation", the usual place, an observation is a
    dictionary of ``observation`` and ``action_mask``; with "info" it is the vector alone. ``infos`` has the mask
    either way. A seat that may not decide has a mask of zeros. ``turn_limit`` is a number of turns for each seat,
    after which the game is truncated without rewards.

    The rewards come at the end and add up to zero: see `rewards`. Raises `EnvError`.
    """

    metadata = {"render_modes": ["ansi"], "name": f"farkel-v{ENV_VERSION}", "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        rules: AnyRules = "extended",
        seats: int = 2,
        people: Sequence[int] | None = None,
        mask: Literal["observation", "info"] = "observation",
        turn_limit: int = TURN_LIMIT,
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        super().__init__()
        self.rules, self.people = table(rules, seats, people)
        self.metadata = {**self.metadata, "name": f"farkel/{self.rules.name}-v{ENV_VERSION}"}
        if mask not in ("observation", "info"):
            raise EnvError("bad_option", f'mask = "{mask}": it goes into the "observation" or the "info"')
        if render_mode not in (None, "ansi"):
            raise EnvError("bad_option", f'render_mode = "{render_mode}": there is "ansi" or none')
        self.render_mode = render_mode
        self.numbers = actions(self.rules)
        """The meaning of the action numbers."""
        self.encoder = Encoder(self.rules, self.people)
        """The meaning of the numbers of an observation."""
        self.play = Play(self.rules, self.people, turn_limit)
        """The game: ``play.state`` is its `farkel.game.State`."""
        self.possible_agents = [f"player_{seat}" for seat in range(seats)]
        self._places = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._dict = mask == "observation"
        self.action_spaces = {agent: spaces.Discrete(self.numbers.size) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._space() for agent in self.possible_agents}
        self._throw = thrower(random.Random())
        self._legal = self.numbers.nothing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. A seed makes it, and those that follow without one, repeatable; there are no options."""
        if seed is not None:
            self._throw = thrower(random.Random(seed))
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self.numbers.nothing.mask.copy()} for agent in self.agents}
        self._skip_agent_selection = None
        self.play.deal(self._throw)
        self._turn_to(self.agents[0])

    def step(self, action: Any) -> None:
        """Take the selected agent's action by its number, or None once the game is over for it.

        Raises `EnvError` ``illegal_action``.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self._legal
        chosen = legal.actions[action] if 0 <= action < self.numbers.size else None
        if chosen is None:
            chosen = self.numbers.action(self.play.state, int(action))
        self.play.act(chosen, self._throw)
        self._cumulative_rewards[agent] = 0.0
        if self.play.over:
            self._finish(agent)
        else:
            self._turn_to(agent)

    def observe(self, agent: str) -> Any:
        """Return the observation of the agent's seat. The mask is that of ``infos``: a new array at each step."""
        seen = self.encoder.encode(self.play.state, self._places[agent])
        if not self._dict:
            return seen
        return {"observation": seen, "action_mask": self.infos[agent]["action_mask"]}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def render(self) -> str | None:
        """Return the state of the game in a line, if the render mode is "ansi"."""
        return position(self.play.state) if self.render_mode else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _turn_to(self, before: str) -> None:
        """Select the agent that decides now, after ``before`` did."""
        play = self.play
        self._legal = self.numbers.legal(play.state)
        agent = self.agent_selection = self.possible_agents[play.state.seat]
        if agent != before:
            self.infos[before] = {"action_mask": self.numbers.nothing.mask.copy()}
        self.infos[agent] = {"action_mask": self._legal.mask.copy()}

    def _finish(self, last: str) -> None:
        """End the game, over or cut off, after the decision of ``last``."""
        self._legal = self.numbers.nothing
        self.infos[last] = {"action_mask": self.numbers.nothing.mask.copy()}
        ended = self.terminations if self.play.state.over else self.truncations
        for agent, reward in zip(self.agents, rewards(self.play.state), strict=True):
            ended[agent] = True
            self.rewards[agent] = reward
        self._accumulate_rewards()
        self._deads_step_first()

    def _space(self) -> Any:
        seen = spaces.Box(self.encoder.low, self.encoder.high, dtype=np.float32)
        if not self._dict:
            return seen
        return spaces.Dict({"action_mask": spaces.MultiBinary(self.numbers.size), "observation": seen})


def env(**options: Any) -> FarkelAEC:
    """Return the environment, as modules of PettingZoo name it; the options are those of `FarkelAEC`."""
    return FarkelAEC(**options)


raw_env = env
