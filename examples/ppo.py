"""Train a network by masked PPO against a table player, then let it sit down in simulations.

It needs the extra `train`, and PyTorch and sb3-contrib: pip install torch sb3-contrib

    python examples/ppo.py                       # learns for five minutes and writes ppo.zip
    farkel simulate --players examples/ppo.py:Trained,turn --games 200

`Trained` reads ppo.zip in the working folder, or the file that FARKEL_PPO names.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import cache
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from farkel.env import PolicyPlayer, VectorFarkel
from farkel.env.stable import StableFarkel

GAMES = 256
FILE = "ppo.zip"


class Trained(PolicyPlayer):
    """The policy that `main` has trained."""

    def __init__(self) -> None:
        model = loaded(os.environ.get("FARKEL_PPO", FILE))
        torch.set_num_threads(1)

        def predict(seen: Any, mask: Any) -> int:
            return int(model.predict(seen, action_masks=mask.astype(np.bool_), deterministic=True)[0])

        super().__init__(predict, "ppo")


@cache
def loaded(path: str) -> Any:
    """Read a model once."""
    return MaskablePPO.load(path, device="cpu")


class Clock(BaseCallback):  # type: ignore[misc]  # it has no types where it is not installed
    """Stops training after so many seconds, and measures about eight times on the way."""

    def __init__(self, rules: str, opponent: str, seconds: float) -> None:
        super().__init__()
        self._rules, self._opponent, self._seconds = rules, opponent, seconds
        self._begin, self._measured = time.perf_counter(), 0.0

    def _on_rollout_start(self) -> None:
        spent = time.perf_counter() - self._begin
        if spent - self._measured > self._seconds / 8:
            self._measured = spent
            won, error = measure(self.model, self._rules, self._opponent, 2_000)
            print(f"{spent:5.0f} s {self.num_timesteps:>12,} steps   {won:.1%} ± {error:.1%}", flush=True)

    def _on_step(self) -> bool:
        return time.perf_counter() - self._begin < self._seconds


def measure(model: Any, rules: str, opponent: str, games: int, seed: int = 2) -> tuple[float, float]:
    """Return the share of games won, ties as their share, and half of its 95% interval."""
    # One game from each deal only: those that are over early would otherwise be counted more often.
    envs = VectorFarkel(rules, games, 2, opponent=opponent)
    seen, infos = envs.reset(seed=seed)
    won, over = np.zeros(games), np.zeros(games, np.bool_)
    while not over.all():
        actions, _ = model.predict(seen, action_masks=infos["action_mask"].astype(np.bool_), deterministic=True)
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        new = (terminated | truncated) & ~over
        won[new] = (rewards[new] + 1) / 2
        over |= new
    envs.close()
    return float(won.mean()), float(1.96 * won.std() / games**0.5)


def train(rules: str, opponent: str, seconds: float, seed: int = 1) -> Any:
    """Return a model that has learned for so many seconds."""
    torch.set_num_threads(1)
    envs = StableFarkel(VectorFarkel(rules, GAMES, 2, opponent=opponent), lead=1.0)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=7e-4,
        n_steps=128,
        batch_size=2048,
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.002,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
    )
    model.learn(10**9, callback=Clock(rules, opponent, seconds))
    envs.close()
    return model


def main() -> None:
    """Learn, keep the model, and report its win rates."""
    words = argparse.ArgumentParser(description="Teach a network to win, by masked PPO.")
    words.add_argument("--rules", default="extended", help="a rule set or a notation (default: extended)")
    words.add_argument("--opponent", default="turn", help="the player to learn against (default: turn)")
    words.add_argument("--seconds", type=float, default=300, help="how long it learns (default: 300)")
    words.add_argument("--games", type=int, default=10_000, help="games that measure it (default: 10,000)")
    words.add_argument("--file", default=FILE, help=f"where to keep it (default: {FILE})")
    given = words.parse_args()
    model = train(given.rules, given.opponent, given.seconds)
    model.save(given.file)
    for opponent in ("cautious", "turn", "exact"):
        won, error = measure(model, given.rules, opponent, given.games)
        print(f"wins {won:.1%} ± {error:.1%} against {opponent}", flush=True)


if __name__ == "__main__":
    main()
