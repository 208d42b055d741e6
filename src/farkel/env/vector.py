"""Thousands of games side by side, stepped in machine code: `gymnasium.vector.VectorEnv` for any rules."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from farkel.draws import DICE, SEEDS, key
from farkel.env.actions import actions
from farkel.env.errors import EnvError
from farkel.env.kernel import step_all
from farkel.env.observation import Encoder
from farkel.env.play import TURN_LIMIT, Ledger, Reward, table
from farkel.env.tables import PER_POINT, PER_TURN, RESULT, Arrays, arrays, games, tables
from farkel.game.law import OVER, PHASE
from farkel.rules import Rules

Stepped = tuple[Any, Any, Any, Any, dict[str, Any]]


class VectorFarkel(VectorEnv[Any, Any, Any]):
    """``num_envs`` games under any rules, one seat deciding in each at a time.

    Observations are [game, field] as `farkel.env.Encoder` has them, from the seat that decides; actions are [game],
    numbers of `farkel.env.Actions`. Rewards are [game], of the seat that decided: with one seat those of
    `farkel.env.FarkelSolo`, else those of `farkel.env.rewards` at the end of a game. A game that is over is dealt
    again in the same step (``AutoresetMode.SAME_STEP``). A number that is not legal is replaced by the lowest legal
    one.

    ``infos`` has arrays: ``action_mask`` [game, action]; ``seat`` [game], the one that decides now; ``rewards``
    [game, seat], of every seat where there are several; ``ended`` [game], whether the turn of the one who decided is
    over; ``turns`` [game], how many turns were finished since the step before; ``replaced`` [game]; and where a game
    is over ``final_obs`` [game, field], with ``_final_obs`` [game].

    With ``copy=False`` the arrays are those of the environment, which the next step writes over: that is faster. After
    ``reset(seed=s)`` game i has the dice of `farkel.draws.ArenaDice` (s, i), throw by throw, the games that are
    dealt after it included. ``threads`` share the games; several pay from some ten thousand games on, where there are
    free cores. Raises `EnvError`.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        rules: Rules | str = "extended",
        num_envs: int = 4096,
        seats: int = 1,
        reward: Reward | None = None,
        people: Sequence[int] | None = None,
        turn_limit: int = TURN_LIMIT,
        threads: int = 1,
        copy: bool = True,
        render_mode: None = None,
    ) -> None:
        super().__init__()
        for name, given in (("num_envs", num_envs), ("turn_limit", turn_limit), ("threads", threads)):
            if given < 1:
                raise EnvError("bad_option", f"{name} = {given}: at least 1 is wanted")
        if seats > 1 and reward is not None:
            raise EnvError("bad_option", f'reward = "{reward}" is for one seat, but seats = {seats}')
        self.rules, self.people = table(rules, seats, people)
        self.num_envs = num_envs
        self.copy = copy
        self.numbers = actions(self.rules)
        """What the numbers of actions stand for."""
        self.encoder = Encoder(self.rules, self.people)
        """What the numbers of an observation stand for."""
        self.single_action_space = spaces.Discrete(self.numbers.size)
        self.single_observation_space = spaces.Box(self.encoder.low, self.encoder.high, dtype=np.float32)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        wanted = RESULT if seats > 1 else PER_TURN if Ledger(self.rules, reward).reward == "turns" else PER_POINT
        self._tables = tables(self.encoder, self.people, wanted, turn_limit)
        self._games = games(num_envs, seats)
        self._arrays = arrays(num_envs, self.encoder)
        self._bounds = np.linspace(0, num_envs, threads + 1).astype(int).tolist()
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._dealt = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal every game anew: observations and infos. A seed makes all that follows repeatable."""
        super().reset(seed=seed)
        dice = int(self.np_random.integers(1 << 62)) if seed is None else seed % SEEDS
        self._games.keys[:] = [key(dice, game, DICE) for game in range(self.num_envs)]
        self._games.thrown[:] = 0
        self._games.now[:, PHASE] = OVER
        self._step(np.zeros(self.num_envs, np.int64), 0, self.num_envs)
        self._dealt = True
        given = self._given()
        return given.seen, {"action_mask": given.masks, "seat": given.seats}

    def step(self, actions: Any) -> Stepped:
        """Decide in every game: observations, rewards, terminations, truncations, infos."""
        numbers = np.ascontiguousarray(actions, np.int64)
        if not self._dealt:
            raise EnvError("bad_option", "reset the environment before its first step")
        if numbers.shape != (self.num_envs,):
            raise EnvError("bad_option", f"actions of shape {numbers.shape}: one for each of {self.num_envs} games")
        bounds = list(zip(self._bounds, self._bounds[1:], strict=False))
        work = [self._pool.submit(self._step, numbers, *part) for part in bounds[1:]] if self._pool else []
        self._step(numbers, *bounds[0])
        for part in work:
            part.result()
        given = self._given()
        infos: dict[str, Any] = {
            "action_mask": given.masks,
            "seat": given.seats,
            "ended": given.ended,
            "turns": given.turns,
            "replaced": given.replaced,
        }
        if len(self.people) > 1:
            infos["rewards"] = given.shares
        done = given.terminated | given.truncated
        if done.any():
            infos["final_obs"], infos["_final_obs"] = given.final, done
        return given.seen, given.rewards, given.terminated, given.truncated, infos

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()

    def _step(self, numbers: Any, first: int, last: int) -> None:
        step_all(self._tables, self._games, numbers, self._arrays, first, last)

    def _given(self) -> Arrays:
        return Arrays._make(part.copy() for part in self._arrays) if self.copy else self._arrays
