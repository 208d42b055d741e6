"""`VectorFarkel` as the vectorised environment of Stable-Baselines3, with masks for sb3-contrib's MaskablePPO."""

# ruff: noqa: E402
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from farkel.errors import EnvError
from farkel.support.extras import beside

beside("stable_baselines3", "sb3-contrib", "farkel.training.stable", EnvError)

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from farkel.training.vector import VectorFarkel


class StableFarkel(VecEnv):  # type: ignore[misc]  # it has no types if it is not installed
    """The games of a `VectorFarkel` in which one seat decides: alone, or against an opponent.

    ``lead`` adds the change of the lead over the next seat to each reward, in shares of the target times ``lead``. At
    the end of a game the lead counts as zero again, so that returns without discount differ by a constant of the first
    position only and the best policy stays the same. Raises `EnvError` if several seats decide.
    """

    def __init__(self, envs: VectorFarkel, lead: float = 0.0) -> None:
        if len(envs.people) > 1 and not envs.has_opponent:
            raise EnvError("bad_option", "several seats decide in these games: give VectorFarkel an opponent")
        self.envs = envs  # asked for its attributes by what follows
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self.lead = lead if len(envs.people) > 1 else 0.0
        self._own = envs.encoder.place["own_score"]
        self._other = envs.encoder.place.get("next_1_score", self._own)
        self._masks: Any = None
        self._led: Any = np.zeros(envs.num_envs)
        self._actions: Any = None

    def reset(self) -> Any:
        """Deal every game, with the seed that `seed` gave."""
        seen, infos = self.envs.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._masks = infos["action_mask"].astype(np.bool_)
        self._led = self._leads(seen)
        return seen

    def step_async(self, actions: Any) -> None:
        """Take the decisions of the next step."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Return observations, rewards, ends and a dictionary for each game."""
        seen, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        self._masks = infos["action_mask"].astype(np.bool_)
        done = terminated | truncated
        leads = self._leads(seen)
        rewards = rewards + np.where(done, 0.0, leads) - self._led
        self._led = leads
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(done).tolist():
            told[game] = {
                "terminal_observation": infos["final_obs"][game],
                "TimeLimit.truncated": bool(truncated[game]),
            }
        return seen, rewards.astype(np.float32), done, told

    def action_masks(self) -> Any:
        """Return [game, action]: which actions are legal."""
        return self._masks

    def close(self) -> None:
        """End the threads."""
        self.envs.close()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Return the masks of games; no other method is one of a single game."""
        if method_name != "action_masks":
            raise AttributeError(f"games in machine code have no method {method_name}; there is action_masks")
        return [self._masks[game] for game in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, the same for all games."""
        found = self.action_masks if attr_name == "action_masks" else getattr(self.envs, attr_name)
        return [found for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: games have no attributes of their own."""
        raise AttributeError(f"{attr_name} cannot be set: games in machine code share their attributes")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Sequence[bool]:
        """Return False for each game."""
        return [False for _ in self._get_indices(indices)]

    def _leads(self, seen: Any) -> Any:
        return self.lead * (seen[:, self._own] - seen[:, self._other]).astype(np.float64)
