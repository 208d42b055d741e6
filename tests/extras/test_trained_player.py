"""A trained policy sits down as a player, and learns in the vectorised environment of a library."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from farkel.support.progress import silent
from named_rules import rules_of

pytest.importorskip("numba", reason="needs farkel[train]")
pytest.importorskip("gymnasium", reason="needs farkel[train]")

import numpy as np

from farkel.game import Throw, apply, new_game
from farkel.players import make_player
from farkel.simulation.python_games import play
from farkel.training import Encoder, EnvError, PolicyPlayer, VectorFarkel


def last(seen: Any, mask: Any) -> int:
    return int(np.flatnonzero(mask)[-1])


@pytest.mark.parametrize("name", ["extended(target=2000)", "original(target=2000)", "build-on(target=2000)"])
def test_a_policy_sees_its_seat_and_plays_whole_games(name: str) -> None:
    rules = rules_of(name)
    met = list[tuple[Any, Any]]()

    def predict(seen: Any, mask: Any) -> int:
        met.append((seen, mask))
        return last(seen, mask)

    def watch(before: Any, event: Any, *_: Any) -> None:
        if len(met) > len(checked):
            encoder = Encoder(rules, (1, 1))
            np.testing.assert_array_equal(met[-1][0], encoder.encode(before, before.seat))
            np.testing.assert_array_equal(met[-1][1], encoder.actions.legal(before).mask)
            checked.append(event)

    checked = list[Any]()
    game = play(rules, (PolicyPlayer(predict), make_player("cautious")), seed=3, game=0, watches=watch)
    assert game.state.over
    assert len(checked) == len(met) > 0


def test_an_illegal_decision_of_a_policy_is_refused() -> None:
    state = apply(new_game(rules_of("minimal"), (1, 1)), Throw((1, 2, 3, 4, 6, 6)))
    with pytest.raises(EnvError, match="not legal now"):
        PolicyPlayer(lambda seen, mask: int(mask.argmin())).decide(state, random.Random(1))


def test_stable_baselines_steps_the_games_with_masks() -> None:
    pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
    from farkel.training.stable import StableFarkel

    games = StableFarkel(VectorFarkel("extended(target=1000)", 8, 2, opponent="turn"), lead=1.0)
    plain = VectorFarkel("extended(target=1000)", 8, 2, opponent="turn")
    games.seed(4)
    seen = games.reset()
    same, infos = plain.reset(seed=4)
    np.testing.assert_array_equal(seen, same)
    begun, returns, ends = games._led.copy(), np.zeros(8), 0
    for _ in range(60):
        masks = np.stack(games.env_method("action_masks"))
        np.testing.assert_array_equal(masks, infos["action_mask"] == 1)
        seen, rewards, done, told = games.step(masks.argmax(1))
        same, plainly, terminated, truncated, infos = plain.step(masks.argmax(1))
        np.testing.assert_array_equal(seen, same)
        np.testing.assert_array_equal(done, terminated | truncated)
        returns += rewards
        for game in np.flatnonzero(done):
            np.testing.assert_array_equal(told[game]["terminal_observation"], infos["final_obs"][game])
            assert returns[game] == pytest.approx(plainly[game] - begun[game], abs=1e-5)
            begun[game], returns[game], ends = games._led[game], 0.0, ends + 1
    assert ends > 0
    with pytest.raises(EnvError, match="several seats decide"):
        StableFarkel(VectorFarkel("extended", 8, 2))


@pytest.mark.slow
def test_masked_ppo_learns_to_win_more() -> None:
    contrib = pytest.importorskip("sb3_contrib", reason="needs sb3-contrib")
    from farkel.training.stable import StableFarkel

    games = StableFarkel(VectorFarkel("extended(target=2000)", 64, 2, opponent="random"), lead=1.0)
    model = contrib.MaskablePPO("MlpPolicy", games, n_steps=64, batch_size=1024, gamma=1.0, seed=1, device="cpu")
    before = won(model)
    model.learn(60_000)
    assert won(model) > before + 0.1


@pytest.mark.slow
def test_the_example_imitates_perfect_play_from_exported_decisions(tmp_path: Path) -> None:
    for module in ("sb3_contrib", "pyarrow"):
        pytest.importorskip(module, reason=f"needs {module}")
    from farkel.bench import agent_of, measure, named
    from farkel.bench.data import decisions_file

    path = Path(__file__).parents[2] / "examples" / "ppo.py"
    spec = importlib.util.spec_from_file_location("ppo", path)
    assert spec
    assert spec.loader
    ppo: Any = importlib.util.module_from_spec(spec)
    sys.modules["ppo"] = ppo
    spec.loader.exec_module(ppo)
    rules, file = "minimal(target=1000)", tmp_path / "decisions.parquet"
    with decisions_file(file, 1) as take:
        for name in ("exact", "random"):
            measure(agent_of(name, 1.0), named([rules]), 300, 1, silent, take)
    model = ppo.new_model(rules, "random", 1e-4, 0.0)
    before, _ = ppo.measure(model, rules, "exact", 1_000)
    ppo.imitate(model, ppo.Decisions.read(file, rules), 100)
    after, _ = ppo.measure(model, rules, "exact", 1_000)
    assert after > max(0.4, before + 0.1)
    model.save(tmp_path / "ppo.zip")
    again = ppo.MaskablePPO.load(tmp_path / "ppo.zip", device="cpu")
    assert ppo.measure(again, rules, "exact", 1_000)[0] == after


def won(model: Any) -> float:
    """The share of games won against random play, which takes chances as it has them."""
    envs = VectorFarkel("extended(target=2000)", 400, 2, opponent="random")
    seen, infos = envs.reset(seed=2)
    results, over = np.zeros(400), np.zeros(400, np.bool_)
    while not over.all():
        actions, _ = model.predict(seen, action_masks=infos["action_mask"].astype(np.bool_), deterministic=False)
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        new = (terminated | truncated) & ~over
        results[new] = rewards[new] > 0
        over |= new
    return float(results.mean())
