"""The training environments: the libraries' own checks for every rule set, and what they promise beyond them."""
# ruff: noqa: E402

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games_in_words import deciding, on_turn
from named_rules import SPAN, rules_of
from random_play import random_people, random_states
from random_rules import examples, rule_sets

pytest.importorskip("numba", reason="needs farkel[train]")
gymnasium = pytest.importorskip("gymnasium", reason="needs farkel[train]")
pytest.importorskip("pettingzoo", reason="needs farkel[train]")

import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from farkel.errors import FarkelError
from farkel.game import Keep, Phase, State, apply, law, legal_actions
from farkel.players import Random, Threshold
from farkel.rules import Rules, named
from farkel.training import (
    SOLO,
    VERSUS,
    Actions,
    Encoder,
    EnvError,
    FarkelAEC,
    FarkelSolo,
    FarkelVersus,
    actions,
    env,
    rewards,
)
from farkel.training.action_numbers import Slot

ROOT = Path(__file__).parents[2]


def states(rules: Rules, seed: int, number: int = 60) -> list[State]:
    """States met in random games of one table."""
    people = random_people(rules, random.Random(seed))
    return list(random_states(rules, seed, number, people))


def legal_action(mask: Any, chance: random.Random) -> int:
    return int(chance.choice(np.flatnonzero(mask).tolist()))


# Actions -------------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(rule_sets(), st.integers(0, 1_000))
def test_every_legal_action_has_a_number_and_no_other(rules: Rules, seed: int) -> None:
    numbers = Actions(rules)
    for state in states(rules, seed):
        wanted = legal_actions(state)
        legal = numbers.legal(state)
        assert {action for action in legal.actions if action is not None} == set(wanted)
        assert int(legal.mask.sum()) == len(wanted)
        for action in wanted:
            index = numbers.index(state, action)
            assert legal.mask[index]
            assert numbers.action(state, index) == action


@pytest.mark.parametrize("name", SPAN)
def test_there_are_few_actions(name: str) -> None:
    numbers = actions(rules_of(name))
    assert len(numbers.slots) in (15, 16)
    take_over = rules_of(name).take_over.price != "none"
    assert numbers.size == 2 * len(numbers.slots) + (7 if take_over else 0)
    assert len({numbers.words(index) for index in range(numbers.size)}) == numbers.size


def test_a_number_means_dice_and_rank() -> None:
    numbers = actions(named("standard"))
    state = deciding(on_turn("standard", 0), (1, 1, 1, 5, 5, 6))
    slot = numbers.slots.index(Slot(3, 0))
    assert numbers.action(state, 2 * slot) == Keep((1, 1, 1), "roll")
    assert numbers.action(state, 2 * slot + 1) == Keep((1, 1, 1), "bank")
    assert numbers.words(2 * slot + 1) == "keep 3 dice, bank"
    slot = numbers.slots.index(Slot(3, 1))
    assert numbers.action(state, 2 * slot) == Keep((1, 1, 5), "roll")
    assert numbers.words(2 * slot) == "keep 3 dice, rank 1, roll"


def test_numbers_that_are_not_legal() -> None:
    numbers = actions(named("build-on"))
    state = deciding(on_turn("build-on", 0, 0), (1, 2, 2, 3, 4, 6))
    assert numbers.words(numbers.fresh) == "start fresh"
    assert numbers.words(numbers.fresh + 1) == "take over 1 die"
    for index in (-1, numbers.fresh, numbers.size):
        with pytest.raises(EnvError, match=f"action {index} is not legal now; legal are") as error:
            numbers.action(state, index)
        assert error.value.code == "illegal_action"
    with pytest.raises(EnvError, match="no keep of the roll"):
        numbers.index(state, Keep((2, 2), "roll"))


# Observations --------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(40))
@given(rule_sets(), st.integers(0, 1_000))
def test_observations_are_within_their_bounds(rules: Rules, seed: int) -> None:
    met = states(rules, seed)
    encoder = Encoder(rules, [seat.people for seat in met[0].seats])
    for state in met:
        for seat in range(encoder.seats):
            seen = encoder.encode(state, seat)
            assert seen.shape == (encoder.size,)
            assert (encoder.low <= seen).all()
            assert (seen <= encoder.high).all()
            # Nothing is left over from the state before.
            np.testing.assert_array_equal(seen, Encoder(rules, [one.people for one in state.seats]).encode(state, seat))


def test_a_seat_observes_its_own_game() -> None:
    encoder = Encoder(named("extended"), (1, 1))
    state = deciding(on_turn("extended", 2_500, 4_000), (1, 1, 5, 6), points=300, dice=4)

    def seen(seat: int, given: State = state) -> dict[str, float]:
        found = encoder.encode(given, seat).tolist()
        return {name: round(found[place], 6) for name, place in encoder.place.items() if found[place]}

    turn = {
        "rolled_1": 2,
        "rolled_5": 1,
        "rolled_6": 1,
        "keep_1_0": 0.01,
        "keep_1_1": 0.005,
        "keep_2_0": 0.02,
        "keep_2_1": 0.015,
        "keep_3_0": 0.025,
        "dice": 4,
        "total": 0.03,
    }
    flags = {"own_in": 1, "own_entered_0": 1, "next_1_in": 1, "next_1_entered_0": 1}
    mine = {"own_score": 0.25, "own_first": 1, "own_moves": 1, "next_1_score": 0.4}
    theirs = {"own_score": 0.4, "next_1_first": 1, "next_1_moves": 1, "next_1_score": 0.25}
    assert seen(0) == turn | flags | mine
    assert seen(1) == turn | flags | theirs
    ended: Any = {"points": 0, "dice": 0, "rolled": 0, "winners": 0b10, "reason": law.Reason.LAST_TURNS}
    over = state._replace(phase=Phase.OVER, closer=1, **ended)
    assert seen(1, over) == {"over": 1, "own_closer": 1} | flags | theirs


def test_K5_the_bonus_of_hot_dice_is_not_shown_while_dice_of_an_offer_lie_idle() -> None:
    rules = rules_of("standard(hot_dice_bonus=500, take_over.price=free, take_over.choose_dice=true)")
    encoder = Encoder(rules, (1, 1))
    place = encoder.place["keep_2_0"]
    state = deciding(on_turn(rules, 0, 0), (1, 1), points=300, dice=2)
    assert encoder.encode(state, 0)[place] == np.float32(700 / 10_000)
    assert encoder.encode(state._replace(idle=1), 0)[place] == np.float32(200 / 10_000)


def test_the_page_has_the_table_of_fields() -> None:
    page = (ROOT / "docs/training.md").read_text()
    assert Encoder(named("extended"), (1, 1)).markdown() in page


# The environments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPAN)
def test_pettingzoo_passes_its_own_tests_without_a_warning(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(env(rules=name, mask="info"), num_cycles=100)
    seed_test(lambda: env(rules=name, mask="info"), num_cycles=50)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("name", SPAN)
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_pettingzoo_passes_its_own_tests_with_masks_in_observations(name: str) -> None:
    """The three warnings are what PettingZoo says of every such environment that it does not know by name."""
    api_test(env(rules=name, seats=3), num_cycles=60)
    seed_test(lambda: env(rules=name, seats=3), num_cycles=50)


@pytest.mark.parametrize("name", SPAN)
@pytest.mark.parametrize("kind", [SOLO, VERSUS])
def test_gymnasium_passes_its_own_check(name: str, kind: str) -> None:
    check_env(gymnasium.make(kind, rules=name).unwrapped)


def play_out(table: FarkelAEC, seed: int) -> dict[str, float]:
    """Play one game at random: what every agent got in all."""
    table.reset(seed=seed)
    chance, got = random.Random(seed), dict.fromkeys(table.possible_agents, 0.0)
    for agent in table.agent_iter():
        _, reward, terminated, truncated, info = table.last()
        got[agent] += reward
        table.step(None if terminated or truncated else legal_action(info["action_mask"], chance))
    return got


@pytest.mark.parametrize("spec", ["kcd", "original(target=20000)", "standard(target=1000, finish=equal_turns)"])
def test_rewards_are_those_of_the_result(spec: str) -> None:
    table = FarkelAEC(rules_of(spec), seats=3)
    for seed in range(10):
        got = play_out(table, seed)
        assert table.play.state.over
        assert tuple(got.values()) == rewards(table.play.state)
        assert sum(got.values()) == pytest.approx(0)


@pytest.mark.parametrize(
    ("seats", "winners", "wanted"),
    [
        (2, (0,), (1, -1)),
        (2, (0, 1), (0, 0)),
        (2, (), (0, 0)),
        (1, (0,), (0,)),
        (4, (2,), (-1 / 3, -1 / 3, 1, -1 / 3)),
        (4, (0, 3), (1 / 2, -1 / 2, -1 / 2, 1 / 2)),
    ],
)
def test_rewards_add_up_to_zero(seats: int, winners: tuple[int, ...], wanted: tuple[float, ...]) -> None:
    state = on_turn("standard", *(0 for _ in range(seats)))
    bits = sum(1 << seat for seat in winners)
    state = state._replace(phase=Phase.OVER, winners=bits, reason=law.Reason.LAST_TURNS)
    assert rewards(state) == pytest.approx(wanted)


def test_a_game_without_an_end_is_cut_off() -> None:
    table = FarkelAEC("standard", turn_limit=3)
    assert set(play_out(table, 1).values()) == {0.0}
    assert table.play.truncated
    assert table.play.turns == 6
    alone = FarkelSolo("standard", turn_limit=1)
    alone.reset(seed=1)
    bank = next(index for index in range(1, alone.numbers.fresh, 2) if alone.action_masks()[index])
    _, reward, terminated, truncated, info = alone.step(bank)
    assert (reward, terminated, truncated, info["turns"]) == (-1, False, True, 1)
    assert not info["action_mask"].any()
    with pytest.raises(EnvError, match="reset it"):
        alone.step(0)


def returns(alone: FarkelSolo, seed: int) -> float:
    """The sum of rewards of one game at random."""
    _, info = alone.reset(seed=seed)
    chance, total, over = random.Random(seed), 0.0, False
    while not over:
        _, reward, terminated, truncated, info = alone.step(legal_action(info["action_mask"], chance))
        total, over = total + reward, terminated or truncated
    return total


@pytest.mark.parametrize("seed", range(5))
def test_returns_of_one_seat(seed: int) -> None:
    by_turns, by_points = FarkelSolo("kcd"), FarkelSolo("kcd", reward="points")
    assert returns(by_turns, seed) == -by_turns.play.turns
    assert returns(by_points, seed) == by_points.play.state.seats[0].score
    assert by_turns.play.state == by_points.play.state
    lost = FarkelSolo("original(target=1000000, lives.each=2)", turn_limit=40)
    assert returns(lost, seed) == -40
    assert lost.play.turns < 40


def test_points_count_without_a_target() -> None:
    rules = rules_of("standard(target=0, rounds=5)")
    assert FarkelSolo(rules).reward == "points"
    with pytest.raises(EnvError, match="needs a target"):
        FarkelSolo(rules, reward="turns")


@pytest.mark.parametrize("seat", [0, 1, 2, None])
def test_one_seat_against_a_player(seat: int | None) -> None:
    against = FarkelVersus("kcd", Threshold(300), seats=3, seat=seat)
    sat = set()
    for seed in range(12):
        _, info = against.reset(seed=seed)
        chance, over, reward = random.Random(seed), False, 0.0
        while not over:
            assert reward == 0
            _, reward, over, _, info = against.step(legal_action(info["action_mask"], chance))
            assert over or seat is None or against.play.state.seat == seat
        sat.add(against._seat)
        assert reward == rewards(against.play.state)[against._seat]
    assert sat == ({0, 1, 2} if seat is None else {seat})


def test_a_seed_makes_games_that_repeat() -> None:
    def game(opponent: Random | str) -> list[float]:
        against = FarkelVersus("original", opponent)
        return [*against.reset(seed=8)[0].tolist(), *against.reset()[0].tolist()]

    assert game("random") == game(Random())


def test_an_illegal_action_is_replaced_or_refused() -> None:
    alone = FarkelSolo("extended")
    _, info = alone.reset(seed=2)
    lowest = int(info["action_mask"].argmax())
    wanted = apply(alone.play.state, alone.numbers.action(alone.play.state, lowest))
    wrong = int(info["action_mask"].argmin())
    _, _, _, _, info = alone.step(wrong)
    assert info["replaced"]
    assert alone.play.state.points == wanted.points or alone.play.turns
    table = FarkelAEC("extended")
    table.reset(seed=2)
    for index in (-1, wrong, 99):
        with pytest.raises(EnvError, match="is not legal now"):
            table.step(index)


def test_observations_show_the_state_of_the_game() -> None:
    table, alone = FarkelAEC("kcd", render_mode="ansi"), FarkelSolo("kcd", render_mode="ansi")
    table.reset(seed=1)
    alone.reset(seed=1)
    assert str(table) == "farkel/kcd-v1"
    assert "turn total" in str(table.render())
    assert "turn total" in str(alone.render())
    assert FarkelAEC("kcd").render() is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: FarkelAEC(mask="somewhere"),  # type: ignore[arg-type]
        lambda: FarkelAEC(render_mode="human"),  # type: ignore[arg-type]
        lambda: FarkelAEC(turn_limit=0),
        lambda: FarkelAEC(seats=2, people=(1, 1, 1)),
        lambda: FarkelSolo(render_mode="human"),
        lambda: FarkelSolo(reward="chips"),  # type: ignore[arg-type]
        lambda: FarkelVersus(seats=1),
        lambda: FarkelVersus(seat=2),
    ],
)
def test_invalid_options_are_refused(make: Any) -> None:
    with pytest.raises(EnvError) as error:
        make()
    assert error.value.code == "bad_option"


def test_more_seats_than_the_rules_know() -> None:
    with pytest.raises(FarkelError, match="is for at most 5"):
        FarkelAEC("original", seats=6)


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("farkel.support.extras.find_spec", lambda name: None if name == "pettingzoo" else find(name))
    with pytest.raises(FarkelError, match=r"farkel\.training needs pettingzoo: ") as error:
        importlib.reload(importlib.import_module("farkel.training"))
    assert error.value.code == "not_installed"


def test_farkel_alone_stays_light() -> None:
    code = "import sys, farkel, farkel.game; sys.exit(bool({'numpy', 'gymnasium', 'pettingzoo'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_warns_of_nothing() -> None:
    code = (
        "import warnings; warnings.simplefilter('error'); import farkel.training, importlib; farkel.training.FarkelAEC"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# The example ---------------------------------------------------------------------------------------------------------


def test_the_example_learns() -> None:
    spec = importlib.util.spec_from_file_location("train", ROOT / "examples/train.py")
    assert spec
    assert spec.loader
    train = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(train)
    rules = train.points_only("minimal")
    agent, decisions = train.train(rules, seconds=0, steps=400)
    assert decisions == 400 * train.GAMES
    assert train.measure(rules, agent, turns=200_000) > 0.9 * train.best_turn(rules).expected_points
