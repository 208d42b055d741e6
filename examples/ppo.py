"""Train a network, by imitation of perfect play, by masked PPO, or both, and let it sit down in simulations.

It needs the extras `train` and `parquet`, and PyTorch and sb3-contrib: pip install torch sb3-contrib

    python examples/ppo.py                       # plays against turn for five minutes and writes ppo.zip
    farkel simulate --players examples/ppo.py:Trained,turn --games 200

    farkel bench exact turn bold --rules extended --games 3000 --decisions decisions.parquet
    python examples/ppo.py --imitate decisions.parquet --seconds 0
    farkel bench examples/ppo.py:Trained --rules extended --games 200

`Trained` reads ppo.zip in the working folder, or the file that FARKEL_PPO names.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from farkel.training import PolicyPlayer, VectorFarkel
from farkel.training.stable import StableFarkel

GAMES = 256
FILE = "ppo.zip"
LARGER, MOST = 20.0, 4.0
"""Points are shares of the target, so that a turn would be seen as next to nothing: they are shown larger as well."""
SURE = 0.001
"""Winning chances that differ by less are imitated nearly alike."""
BATCH = 2048
NEVER = -1e9


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


class Larger(BaseFeaturesExtractor):  # type: ignore[misc]  # it has no types where it is not installed
    """Observations with the fields that are shares of the target a second time, larger."""

    def __init__(self, space: Any, shares: tuple[int, ...]) -> None:
        super().__init__(space, space.shape[0] + len(shares))
        self._shares = list(shares)

    def forward(self, seen: Any) -> Any:
        """Return what the network sees."""
        larger = (LARGER * seen[:, self._shares]).clamp(-MOST, MOST)
        return torch.cat([seen, larger], 1)


# Imitation -----------------------------------------------------------------------------------------------------------


class Decisions(NamedTuple):
    """What ``farkel bench --decisions`` has written, decisions in random order."""

    seen: Any
    """[decision, field]"""
    masks: Any
    """[decision, action]"""
    values: Any
    """[decision, action]: winning chances; 0 if it is not legal."""

    @classmethod
    def read(cls, path: Path, rules: str) -> Decisions:
        """Read the decisions under the rules."""
        import pyarrow.parquet as pq

        from farkel.rules import load

        found = pq.read_table(
            path, columns=["observation", "mask", "values"], filters=[("rules", "=", str(load(rules)))]
        )
        parts = []
        for name in cls._fields:
            column = found["observation" if name == "seen" else name.replace("masks", "mask")].combine_chunks()
            parts.append(column.flatten().to_numpy(zero_copy_only=False).reshape(found.num_rows, -1))
        order = np.random.default_rng(1).permutation(found.num_rows)
        seen, masks, values = (torch.from_numpy(part[order]) for part in parts)
        return cls(seen, masks == 1, values.nan_to_num(0.0))


def imitate(model: Any, decisions: Decisions, epochs: int) -> None:
    """Teach the policy what perfect play would do, and its critic the winning chances; the last tenth is for a test."""
    policy, number = model.policy, len(decisions.seen) * 9 // 10
    optimizer = torch.optim.Adam(policy.parameters())
    steps = epochs * -(-number // BATCH)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
    begin = time.perf_counter()
    for epoch in range(epochs):
        for batch in torch.randperm(number).split(BATCH):
            seen, masks, values = (part[batch] for part in decisions)
            logits, critic = thoughts(policy, seen, masks)
            wanted = torch.softmax((values / SURE).masked_fill(~masks, NEVER), 1)
            unlike = -(wanted * torch.log_softmax(logits, 1)).sum(1).mean()
            wrong = (critic[:, 0] - (2 * values.max(1).values - 1)).square().mean()
            optimizer.zero_grad()
            (unlike + wrong).backward()
            optimizer.step()
            rate.step()
        with torch.no_grad():
            seen, masks, values = (part[number:] for part in decisions)
            chosen = thoughts(policy, seen, masks)[0].argmax(1, keepdim=True)
            regret = values.max(1).values - values.gather(1, chosen)[:, 0]
        spent, best = time.perf_counter() - begin, (regret < 1e-9).float().mean()
        print(
            f"{spent:5.0f} s  epoch {epoch + 1:>2}   regret {regret.mean():.3%} per decision, {best:.1%} best",
            flush=True,
        )


def thoughts(policy: Any, seen: Any, masks: Any) -> tuple[Any, Any]:
    """Return the weights of the actions and what the critic expects."""
    actor, critic = policy.mlp_extractor(policy.extract_features(seen))
    return policy.action_net(actor).masked_fill(~masks, NEVER), policy.value_net(critic)


# Reinforcement -------------------------------------------------------------------------------------------------------


class Clock(BaseCallback):  # type: ignore[misc]
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
    envs = VectorFarkel(rules, games, 2, opponent=opponent, seat=None)
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


def new_model(rules: str, opponent: str, rate: float, lead: float, seed: int = 1) -> Any:
    """Return a model that has learned nothing, with the games in which it will."""
    torch.set_num_threads(1)
    games = VectorFarkel(rules, GAMES, 2, opponent=opponent)
    shares = tuple(place for place, field in enumerate(games.encoder.fields) if field.unit.startswith("share"))
    return MaskablePPO(
        "MlpPolicy",
        StableFarkel(games, lead=lead),
        learning_rate=rate,
        n_steps=128,
        batch_size=2048,
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.002,
        policy_kwargs={
            "net_arch": [256, 256],
            "activation_fn": torch.nn.ReLU,
            "features_extractor_class": Larger,
            "features_extractor_kwargs": {"shares": shares},
        },
        seed=seed,
        device="cpu",
    )


def main() -> None:
    """Learn, keep the model, and report its win rates."""
    words = argparse.ArgumentParser(description="Teach a network to win, by imitation and by masked PPO.")
    words.add_argument("--rules", default="extended", help="a rule set or a notation (default: extended)")
    words.add_argument("--imitate", type=Path, metavar="FILE", help="decisions from farkel bench --decisions, first")
    words.add_argument("--epochs", type=int, default=16, help="how often they are gone through (default: 16)")
    words.add_argument("--opponent", default="turn", help="the player to learn against (default: turn)")
    words.add_argument("--seconds", type=float, default=300, help="how long it plays (default: 300)")
    words.add_argument("--games", type=int, default=10_000, help="games that measure it (default: 10,000)")
    words.add_argument("--file", default=FILE, help=f"where to keep it (default: {FILE})")
    given = words.parse_args()
    # The critic of an imitator knows winning chances, and needs no reward but the result.
    rate, lead = (1e-4, 0.0) if given.imitate else (7e-4, 1.0)
    model = new_model(given.rules, given.opponent, rate, lead)
    if given.imitate:
        imitate(model, Decisions.read(given.imitate, given.rules), given.epochs)
    if given.seconds:
        model.learn(10**9, callback=Clock(given.rules, given.opponent, given.seconds))
    model.save(given.file)
    for opponent in ("cautious", "turn", "exact"):
        won, error = measure(model, given.rules, opponent, given.games)
        print(f"wins {won:.1%} ± {error:.1%} against {opponent}", flush=True)


if __name__ == "__main__":
    main()
