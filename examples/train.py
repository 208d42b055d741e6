"""A small agent learns Farkle by play alone, on one processor in about a minute.

It keeps one number for every turn total and number of dice: what rolling on is worth, in points. It sees what each keep
adds to the turn total, takes the keep and the bank or roll that are worth most, at times another one, and moves its
number towards what the throw then offered (Q-learning of what comes after a decision). It is never told the chances of
dice. The end compares its points a turn with the exact best of `farkel.solve`.

    python examples/train.py                     # the extended rules
    python examples/train.py --rules kcd --seconds 20
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.rules import Rules, load
from farkel.solve import best_turn
from farkel.training import VectorFarkel

GAMES = 4096
TOTALS = 400
"""Turn totals that are told apart, in units of the rules; those above count as the last one."""
ENDLESS = 10_000_000
"""A target that is never reached, so that only points count."""

Values = NDArray[np.float32]
"""[turn total, dice]: what rolling is worth, in units."""


class Choices(NamedTuple):
    """What can be decided in each game, by the number of an action that keeps."""

    total: NDArray[np.int32]
    """[game, action]: the turn total with that keep, in units."""
    dice: NDArray[np.int32]
    """[game, action]: dice to roll then."""
    legal: NDArray[np.bool_]


class Agent:
    """Values of rolling, and the decisions that follow from them."""

    def __init__(self, rules: Rules, envs: VectorFarkel) -> None:
        encoder, numbers = envs.encoder, envs.numbers
        self.values: Values = np.zeros((TOTALS, rules.dice + 1), np.float32)
        self._unit = encoder.scale / rules.unit
        self._all = rules.dice
        self._keeps = slice(encoder.place["keep_1_0"], encoder.place["keep_1_0"] + len(numbers.slots))
        self._total, self._dice = encoder.place["total"], encoder.place["dice"]
        self._aside = np.array([slot.dice for slot in numbers.slots], np.int32)

    def choices(self, seen: Any, masks: Any) -> Choices:
        """Read an observation."""
        added = seen[:, self._keeps] + seen[:, self._total, None]
        left = seen[:, self._dice, None].astype(np.int32) - self._aside
        return Choices(
            np.minimum(np.rint(added * self._unit).astype(np.int32), TOTALS - 1),
            np.where(left > 0, left, self._all),
            masks[:, : 2 * self._aside.size].astype(np.bool_),
        )

    def worth(self, choices: Choices) -> Any:
        """[game, action]: what each decision is worth, in units."""
        both = np.empty(choices.legal.shape, np.float32)
        both[:, 0::2] = self.values[choices.total, choices.dice]
        both[:, 1::2] = choices.total
        return np.where(choices.legal, both, np.float32(-1))

    def learn(self, total: Any, dice: Any, offered: Any, rate: float) -> None:
        """Move the values of what was rolled towards the mean of what the throws offered, 0 for a farkle."""
        where = total * self.values.shape[1] + dice
        size = self.values.size
        times = np.bincount(where, minlength=size)
        sums = np.bincount(where, offered, size)
        met = times > 0
        flat = self.values.reshape(-1)
        step = 1 - (1 - rate) ** times[met]
        flat[met] += step * (sums[met] / times[met] - flat[met])


def points_only(name: str) -> Rules:
    """The rules without a target that could be reached, and without an entry score: only points a turn count."""
    return load(name, [f"target={ENDLESS}", "finish=at_once", "rounds=0", "entry=0", "entry_each=false"])


def train(rules: Rules, seconds: float, steps: int | None = None, seed: int = 1) -> tuple[Agent, int]:
    """Learn for so many seconds, or so many steps of all games: the agent, and how many decisions it has made."""
    envs = VectorFarkel(rules, GAMES, reward="points", copy=False)
    agent, chance = Agent(rules, envs), np.random.default_rng(seed)
    envs.reset(seed=seed)
    envs.step(np.zeros(GAMES, int))  # Compiling is not learning.
    seen, infos = envs.reset(seed=seed)
    choices = agent.choices(seen, infos["action_mask"])
    worth = agent.worth(choices)
    every, begin, done = np.arange(GAMES), time.perf_counter(), 0
    while done < steps if steps else time.perf_counter() - begin < seconds:
        spent = done / steps if steps else (time.perf_counter() - begin) / seconds
        actions = worth.argmax(1)
        tries = chance.random(GAMES) < 0.2 * (1 - spent)
        random = (choices.legal[tries] * chance.random((int(tries.sum()), choices.legal.shape[1]))).argmax(1)
        actions[tries] = random
        rolls = actions % 2 == 0
        total, dice = choices.total[every, actions // 2], choices.dice[every, actions // 2]
        seen, _, _, _, infos = envs.step(actions)
        choices = agent.choices(seen, infos["action_mask"])
        worth = agent.worth(choices)
        offered = np.where(infos["ended"], np.float32(0), worth.max(1))
        agent.learn(total[rolls], dice[rolls], offered[rolls], 0.02 * (1 - spent) + 0.0002)
        done += 1
    envs.close()
    return agent, done * GAMES


def measure(rules: Rules, agent: Agent, turns: int, seed: int = 2) -> float:
    """Points a turn of the agent, over so many turns or a few more."""
    envs = VectorFarkel(rules, GAMES, reward="points", turn_limit=1_000_000, copy=False)
    seen, infos = envs.reset(seed=seed)
    points, played = 0.0, 0
    while played < turns:
        worth = agent.worth(agent.choices(seen, infos["action_mask"]))
        seen, rewards, _, _, infos = envs.step(worth.argmax(1))
        points += float(rewards.sum())
        played += int(infos["turns"].sum())
    envs.close()
    return points / played


def main() -> None:
    """Learn, measure, and say how good it is."""
    words = argparse.ArgumentParser(description="Teach a small agent to play for points.")
    words.add_argument("--rules", default="extended", help="a rule set or a notation (default: extended)")
    words.add_argument("--seconds", type=float, default=45, help="how long it learns (default: 45)")
    words.add_argument("--turns", type=int, default=3_000_000, help="turns that measure it (default: 3,000,000)")
    given = words.parse_args()
    rules = points_only(given.rules)
    agent, decisions = train(rules, given.seconds)
    print(f"{rules.name}: {decisions:,} decisions in {given.seconds:g} s")
    found, best = measure(rules, agent, given.turns), best_turn(rules).expected_points
    print(f"{found:.1f} points a turn; the best is {best:.1f}; that is {found / best:.1%}")


if __name__ == "__main__":
    main()
