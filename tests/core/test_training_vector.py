"""The vectorised environment plays what the engine plays: the same dice, the same decisions, the same everything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from named_rules import SPAN, rules_of
from random_rules import examples, rule_sets, tables

pytest.importorskip("numba", reason="needs farkel[train]")
pytest.importorskip("gymnasium", reason="needs farkel[train]")
pytest.importorskip("pettingzoo", reason="needs farkel[train]")

import gymnasium.wrappers.vector
import numpy as np
from gymnasium.vector import AutoresetMode

from farkel.dice.simulated import ArenaDice, ArenaRandom
from farkel.game import Throw
from farkel.players import make_player
from farkel.rules import Rules
from farkel.training import Encoder, EnvError, Ledger, Play, VectorFarkel, rewards
from farkel.training.action_numbers import Mask

SEED = 20_260


class Engine:
    """A game of the engine's, with the dice of a vectorised one."""

    def __init__(self, rules: Rules, people: tuple[int, ...], limit: int, game: int, reward: Any) -> None:
        self.play, self.encoder = Play(rules, people, limit), Encoder(rules, people)
        self.ledger = Ledger(rules, reward) if len(people) == 1 else None
        self._dice, self._numbers = ArenaDice(SEED, game), count()
        self.deal()

    def deal(self) -> None:
        self.play.deal(self._throw)
        self.turns = 0
        if self.ledger:
            self.ledger.begin()

    def step(self, index: int) -> None:
        self.play.act(self.encoder.actions.action(self.play.state, index), self._throw)

    def told(self) -> int:
        """Turns since this was asked last."""
        before, self.turns = self.turns, self.play.turns
        return self.turns - before

    def reward(self, seat: int) -> float:
        return self.ledger.entry(self.play) if self.ledger else rewards(self.play.state)[seat]

    def _throw(self, dice: int) -> Throw:
        return Throw(self._dice.throw(next(self._numbers), dice))


def chosen(masks: Mask, chance: np.random.Generator) -> Any:
    """A legal action of each game, all equally likely."""
    return (masks * chance.random(masks.shape)).argmax(1)


def compare(rules: Rules, people: tuple[int, ...], games: int, steps: int, limit: int, reward: Any = None) -> int:
    """Step both side by side; gives the number of games that came to an end."""
    envs = VectorFarkel(rules, games, len(people), reward, people, limit)
    seen, infos = envs.reset(seed=SEED)
    engines = [Engine(rules, people, limit, game, reward) for game in range(games)]
    chance = np.random.default_rng(1)
    over = 0
    for _ in range(steps):
        seats = infos["seat"].tolist()
        for game, engine in enumerate(engines):
            state = engine.play.state
            assert seats[game] == state.seat
            np.testing.assert_array_equal(infos["action_mask"][game], engine.encoder.actions.legal(state).mask)
            np.testing.assert_array_equal(seen[game], engine.encoder.encode(state, state.seat))
        actions = chosen(infos["action_mask"], chance)
        seen, given_rewards, terminated, truncated, infos = envs.step(actions)
        for game, engine in enumerate(engines):
            before = engine.play.turns
            engine.step(int(actions[game]))
            state = engine.play.state
            assert terminated[game] == state.over
            assert truncated[game] == engine.play.truncated
            assert infos["ended"][game] == (engine.play.turns > before)
            assert infos["turns"][game] == engine.told()
            assert given_rewards[game] == pytest.approx(engine.reward(seats[game]))
            if len(people) > 1:
                assert infos["rewards"][game] == pytest.approx(rewards(state))
            if engine.play.over:
                assert infos["_final_obs"][game]
                np.testing.assert_array_equal(infos["final_obs"][game], engine.encoder.encode(state, seats[game]))
                engine.deal()
                over += 1
    envs.close()
    return over


@pytest.mark.parametrize("name", SPAN)
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_it_plays_the_same_games_as_the_engine(name: str, seats: int) -> None:
    assert compare(rules_of(name), (1,) * seats, games=6, steps=60, limit=4) > 0


@pytest.mark.parametrize("reward", ["turns", "points"])
def test_rewards_of_one_seat(reward: str) -> None:
    compare(rules_of("original(target=10000, lives.each=3)"), (1,), games=8, steps=150, limit=50, reward=reward)


@settings(max_examples=examples(40))
@given(st.data(), rule_sets())
def test_it_plays_the_same_games_as_the_engine_under_any_rules(data: st.DataObject, rules: Rules) -> None:
    people = data.draw(tables(rules))
    compare(rules, people, games=4, steps=40, limit=data.draw(st.sampled_from([2, 30])))


def play(envs: VectorFarkel, steps: int) -> Iterator[tuple[Any, ...]]:
    """Random steps after a reset: what each gives."""
    _, infos = envs.reset(seed=3)
    chance = np.random.default_rng(2)
    for _ in range(steps):
        seen, rewarded, terminated, truncated, infos = envs.step(chosen(infos["action_mask"], chance))
        yield seen.copy(), rewarded.copy(), terminated.copy(), truncated.copy(), infos["action_mask"].copy()


def test_threads_and_copies_change_nothing() -> None:
    one = VectorFarkel("extended", 64, seats=2, threads=1)
    several = VectorFarkel("extended", 64, seats=2, threads=3, copy=False)
    for alone, together in zip(play(one, 50), play(several, 50), strict=True):
        for a, b in zip(alone, together, strict=True):
            np.testing.assert_array_equal(a, b)
    several.close()


def test_arrays_are_given_away_or_not() -> None:
    for copy in (True, False):
        envs = VectorFarkel("minimal", 4, copy=copy)
        first, infos = envs.reset(seed=1)
        second, *_ = envs.step(infos["action_mask"].argmax(1))
        assert np.shares_memory(first, second) is not copy


def test_gymnasium_makes_it() -> None:
    envs = gymnasium.make_vec("farkel/Solo-v1", num_envs=3, rules="kcd", vectorization_mode="vector_entry_point")
    seen, infos = envs.reset(seed=5)
    assert seen in envs.observation_space
    assert envs.action_space.shape == (3,)
    assert infos["action_mask"].sum(1).min() > 0
    seen, *_ = envs.step(infos["action_mask"].argmax(1))
    assert seen in envs.observation_space
    envs.close()


def test_an_illegal_action_is_replaced_by_the_lowest_legal_one() -> None:
    games = [VectorFarkel("standard", 5) for _ in range(2)]
    masks = [envs.reset(seed=9)[1]["action_mask"] for envs in games]
    wrong = np.array([-1, 10_000, *masks[0][2:].argmin(1)])
    seen, _, _, _, infos = games[0].step(wrong)
    assert infos["replaced"].all()
    right, _, _, _, others = games[1].step(masks[1].argmax(1))
    assert not others["replaced"].any()
    np.testing.assert_array_equal(seen, right)


def test_a_reset_without_a_seed_follows_from_the_seed_before() -> None:
    envs = VectorFarkel("standard", 8)
    found = [(envs.reset(seed=4)[0], envs.reset()[0], envs.reset()[0]) for _ in range(2)]
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(found[0][1], found[0][2])


@pytest.mark.parametrize(
    "options",
    [
        {"num_envs": 0},
        {"turn_limit": 0},
        {"threads": -1},
        {"seats": 2, "reward": "points"},
        {"reward": "chips"},
        {"seats": 2, "people": (1,)},
        {"rules": "standard(target=0, rounds=3)", "reward": "turns"},
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(EnvError) as error:
        VectorFarkel(**{"rules": "standard", "num_envs": 4, **options})
    assert error.value.code == "bad_option"


def test_invalid_steps_are_refused() -> None:
    envs = VectorFarkel("standard", 4)
    with pytest.raises(EnvError, match="reset the environment"):
        envs.step(np.zeros(4, int))
    envs.reset(seed=1)
    with pytest.raises(EnvError, match="one for each of 4 games"):
        envs.step(np.zeros(3, int))


def against(engine: Engine, player: Any, learner: int, chance: ArenaRandom) -> None:
    """Let the opponent play until the learner decides or the game is over."""
    while not engine.play.over and engine.play.state.seat != learner:
        engine.play.act(player.decide(engine.play.state, chance), engine._throw)


@pytest.mark.parametrize(
    ("name", "opponent", "seats"),
    [
        ("extended(target=3000)", "turn", 2),
        pytest.param("original(target=3000)", "cautious", 3, marks=pytest.mark.slow),
        pytest.param("build-on(target=4000)", "bold", 2, marks=pytest.mark.slow),
        pytest.param("standard(target=1500, finish=exact)", "turn", 2, marks=pytest.mark.slow),
        ("kcd(target=1000)", "random", 2),
        pytest.param("minimal(target=600)", "exact", 2, marks=pytest.mark.slow),
    ],
)
def test_an_opponent_in_machine_code_plays_as_its_class_does(name: str, opponent: str, seats: int) -> None:
    rules, games, limit = rules_of(name), 5, 12
    envs = VectorFarkel(rules, games, seats, turn_limit=limit, opponent=opponent)
    seen, infos = envs.reset(seed=SEED)
    player, chance, ended = make_player(opponent), np.random.default_rng(1), 0
    engines = [Engine(rules, (1,) * seats, limit, game, None) for game in range(games)]
    draws = [ArenaRandom(SEED, game) for game in range(games)]
    learners = [draw.choice(range(seats)) for draw in draws]

    def dealt(game: int) -> None:
        while True:
            against(engines[game], player, learners[game], draws[game])
            if not engines[game].play.over:
                return
            engines[game].deal()
            learners[game] = draws[game].choice(range(seats))

    for game in range(games):
        dealt(game)
    for _ in range(80):
        for game, engine in enumerate(engines):
            state = engine.play.state
            assert infos["seat"][game] == learners[game] == state.seat
            np.testing.assert_array_equal(infos["action_mask"][game], engine.encoder.actions.legal(state).mask)
            np.testing.assert_array_equal(seen[game], engine.encoder.encode(state, state.seat))
        actions = chosen(infos["action_mask"], chance)
        seen, won, terminated, truncated, infos = envs.step(actions)
        for game, engine in enumerate(engines):
            engine.step(int(actions[game]))
            against(engine, player, learners[game], draws[game])
            state = engine.play.state
            assert (terminated[game], truncated[game]) == (state.over, engine.play.truncated)
            assert won[game] == pytest.approx(rewards(state)[learners[game]])
            assert infos["turns"][game] == engine.told()
            if engine.play.over:
                ended += 1
                final = engine.encoder.encode(state, learners[game])
                np.testing.assert_array_equal(infos["final_obs"][game], final)
                assert infos["_final_info"][game]
                assert infos["final_info"]["turns"][game] == infos["turns"][game]
                engine.deal()
                learners[game] = draws[game].choice(range(seats))
                dealt(game)
    assert ended > 0


def test_gymnasium_makes_many_games_against_an_opponent() -> None:
    envs = gymnasium.make_vec("farkel/Versus-v1", num_envs=3, rules="kcd", opponent="bold")
    assert isinstance(envs.unwrapped, VectorFarkel)
    seen, infos = envs.reset(seed=5)
    assert seen in envs.observation_space
    assert set(infos) == {"action_mask", "_action_mask", "seat", "_seat"}
    envs.close()


@pytest.mark.parametrize("options", [{"opponent": "race", "seats": 3}, {"opponent": "turn", "seats": 1}, {"seat": 0}])
def test_opponents_that_do_not_fit_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(EnvError) as error:
        VectorFarkel("standard", 4, **options)
    assert error.value.code == "bad_option"


# Gymnasium's conventions ----------------------------------------------------------------------------------------------


def highest(masks: Mask) -> Any:
    """The legal action of the highest number: it banks."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def modes(mode: AutoresetMode, opponent: str | None, steps: int) -> list[list[tuple[Any, ...]]]:
    """Observations, rewards and ends of each game, without the steps that only deal."""
    rules = "extended(target=600, entry=0)"
    envs = VectorFarkel(rules, 6, 2, opponent=opponent, autoreset_mode=mode, copy=mode is not AutoresetMode.NEXT_STEP)
    assert envs.metadata["autoreset_mode"] is mode
    found: list[list[tuple[Any, ...]]] = [[] for _ in range(6)]
    seen, infos = envs.reset(seed=8)
    over = np.zeros(6, np.bool_)
    for _ in range(steps):
        seen, rewards, terminated, truncated, infos = envs.step(highest(infos["action_mask"]))
        done = terminated | truncated
        ends = infos["final_obs"] if mode is AutoresetMode.SAME_STEP and done.any() else seen
        for game in range(6):
            if over[game] and mode is AutoresetMode.NEXT_STEP:
                assert (rewards[game], done[game], infos["turns"][game]) == (0, False, 0)
            else:
                last = ends[game] if done[game] else seen[game]
                found[game].append(
                    (last.tobytes(), float(rewards[game]), bool(terminated[game]), bool(truncated[game]))
                )
        over = done
        if mode is not AutoresetMode.SAME_STEP:
            assert not infos["action_mask"][done].any()
            assert "final_obs" not in infos
        if mode is AutoresetMode.DISABLED and done.any():
            with pytest.raises(EnvError, match="are over: reset"):
                envs.step(np.zeros(6, np.int64))
            seen, infos = envs.reset(options={"reset_mask": done})
            np.testing.assert_array_equal(infos["_action_mask"], done)
        assert infos["action_mask"].any(1).all() or mode is AutoresetMode.NEXT_STEP
    return found


@pytest.mark.parametrize("opponent", [None, "turn"])
def test_games_are_the_same_whenever_they_are_dealt_again(opponent: str | None) -> None:
    same = modes(AutoresetMode.SAME_STEP, opponent, 120)
    assert sum(step[2] for game in same for step in game) > 10
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED):
        for one, other in zip(same, modes(mode, opponent, 100), strict=True):
            assert one[: len(other)] == other


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_gymnasiums_wrappers_count_the_episodes(mode: AutoresetMode) -> None:
    envs = gymnasium.make_vec(
        "farkel/Versus-v1",
        num_envs=5,
        rules="extended(target=600, entry=0)",
        autoreset_mode=mode.value,
        vectorization_mode="vector_entry_point",
    )
    counted = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    _, infos = counted.reset(seed=3)
    returns, steps, over, ends = np.zeros(5), np.zeros(5, int), np.zeros(5, np.bool_), 0
    for _ in range(150):
        _, rewards, terminated, truncated, infos = counted.step(highest(infos["action_mask"]))
        played = ~over if mode is AutoresetMode.NEXT_STEP else np.ones(5, np.bool_)
        returns[played] += rewards[played]
        steps[played] += 1
        done = terminated | truncated
        for game in np.flatnonzero(done):
            assert infos["_episode"][game]
            assert (infos["episode"]["r"][game], infos["episode"]["l"][game]) == (returns[game], steps[game])
            ends += 1
        returns[done], steps[done], over = 0, 0, done
    assert ends > 10
    counted.close()


def test_a_seed_deals_some_games_as_it_deals_all() -> None:
    envs = VectorFarkel("extended", 4, 2, autoreset_mode="Disabled")
    first, _ = envs.reset(seed=5)
    _, infos = envs.reset(seed=6)
    some = np.array([True, False, True, False])
    after, *_ = envs.step(highest(infos["action_mask"]))
    mixed, _ = envs.reset(seed=5, options={"reset_mask": some})
    np.testing.assert_array_equal(mixed[some], first[some])
    np.testing.assert_array_equal(mixed[~some], after[~some])


@pytest.mark.parametrize(
    ("mask", "why"),
    [
        ([True, True], "must be an array of 2 booleans"),
        (np.zeros(2, np.bool_), "names no game"),
        (np.ones(3, np.bool_), "2 booleans"),
    ],
)
def test_masks_that_do_not_fit_are_refused(mask: Any, why: str) -> None:
    envs = VectorFarkel("minimal", 2)
    envs.reset(seed=1)
    with pytest.raises(EnvError, match=why):
        envs.reset(options={"reset_mask": mask})
    with pytest.raises(EnvError, match='there are "NextStep", "SameStep", "Disabled"'):
        VectorFarkel("minimal", 2, autoreset_mode="later")
