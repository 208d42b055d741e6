"""Simulated games: the kernel plays the games of the engine, and what many of them come to is what the solver says."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from farkel.dice import FACES
from farkel.dice import simulated as python
from farkel.errors import FarkelError, PlayerError
from farkel.game import Action, State, new_game, replay
from farkel.game.scoring import score_table
from farkel.kernels import draws as kernels
from farkel.kernels.spaces import Space
from farkel.kernels.words import int64, uint64
from farkel.players import Cautious, make_player
from farkel.rules import Rules, load
from farkel.simulation import (
    ArenaDice,
    ArenaRandom,
    Job,
    SimulationResult,
    Stop,
    Tally,
    batches,
    is_table,
    play,
    run,
    simulate,
    tally,
    total,
    wilson,
)
from farkel.simulation.bots import chances
from farkel.simulation.bots.tables import BELOW, ROWS, BotTables
from farkel.simulation.matches import raw_games
from farkel.simulation.python_games import Count
from farkel.simulation.tally import FARKLES, REASONS, SEATS, counters
from farkel.solve import best_turn, duel
from kernel_games import SPACES, kernel, kernel_game
from named_rules import SPAN, has_best_turn, rules_of, small
from random_rules import examples, rule_sets
from random_rules import tables as seatings

PLAYERS = ("random", "cautious", "bold", "threshold:300", "threshold:1000", "turn")
SEED = st.integers(0, 2**64 - 1)
ERRORS = 4
"""Standard errors within which figures agree."""


@pytest.fixture(autouse=True)
def _solutions(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solutions are kept for all these tests, but nowhere else."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "solutions"))


class Wrapped:
    """A player that decides as another one does, and that no kernel knows."""

    def __init__(self, player: str) -> None:
        self._player = make_player(player)
        self.name = f"wrapped {player}"

    def decide(self, state: State, generator: random.Random) -> Action:
        return self._player.decide(state, generator)


# Chance ---------------------------------------------------------------------------------------------------------------


@kernel
def found_key(seed: int, game: int, stream: int) -> int:
    return kernels.key(uint64(seed), uint64(game), uint64(stream))


@kernel
def found_draw(start: int, number: int) -> int:
    return kernels.draw(uint64(start), uint64(number))


@kernel
def found_below(x: int, most: int) -> int:
    return kernels.below(uint64(x), uint64(most))


@pytest.mark.parametrize("space", SPACES)
@given(SEED, SEED, st.integers(0, 1), st.integers(0, 2**32))
def test_draws_of_kernels_are_those_of_the_engine(space: Space, seed: int, game: int, stream: int, number: int) -> None:
    start = python.key(seed, game, stream)
    assert space.run(found_key, int64(seed), int64(game), stream) == start
    assert space.run(found_draw, int64(start), number) == python.draw(start, number)


@pytest.mark.parametrize("space", SPACES)
@given(SEED, st.sampled_from([1, 2, 3, 7, *(6**dice for dice in range(1, 7))]))
def test_a_kernels_choice_of_a_number_is_that_of_the_engine(space: Space, x: int, most: int) -> None:
    assert space.run(found_below, int64(x), most) == python.below(x, most) < most


def test_draws_never_change() -> None:
    """Or `farkel.dice.simulated.DERIVATION` has to."""
    thrown = [ArenaDice(7, 0).throw(index, 6) for index in range(3)]
    assert thrown == [(1, 2, 2, 3, 4, 6), (2, 3, 4, 4, 4, 6), (1, 3, 4, 4, 4, 6)]
    assert ArenaRandom(7, 0).draw() == 4676756082525635809
    assert python.mix(0) == 0
    assert python.mix(python.GOLDEN) == 0xE220A8397B1DCDAF  # the first number of SplitMix64 from 0
    assert len({python.key(seed, game, stream) for seed in (7, 8) for game in (0, 1) for stream in (0, 1)}) == 8


def test_every_throw_falls_as_often_as_it_should() -> None:
    games, fell = 200, Counter(ArenaDice(1, game).throw(index, 2) for game in range(200) for index in range(180))
    for first in FACES:
        for second in range(first, 7):
            chance = (1 if first == second else 2) / 36
            number = games * 180
            assert abs(fell[first, second] - number * chance) < 4.5 * sqrt(number * chance * (1 - chance))


def test_chance_of_players_is_a_generator() -> None:
    chance = ArenaRandom(3, 5)
    assert [ArenaRandom(3, 5).random() for _ in range(2)] == [chance.random()] * 2
    assert {chance.choice("abc") for _ in range(50)} == set("abc")
    assert all(chance.getrandbits(bits) < 2**bits for bits in (1, 5, 63, 64, 65, 200) for _ in range(20))
    assert chance.getrandbits(0) == 0
    assert sorted(chance.sample(range(10), 10)) == list(range(10))
    assert 1 <= chance.randint(1, 6) <= 6
    before = ArenaRandom(3, 5)
    before.seed(1)
    assert before.random() == ArenaRandom(3, 5).random()
    with pytest.raises(IndexError):
        chance.choice([])
    with pytest.raises(ValueError, match="negative"):
        chance.getrandbits(-1)
    with pytest.raises(NotImplementedError):
        chance.getstate()
    with pytest.raises(NotImplementedError):
        chance.setstate(None)


# The kernel and the engine play the same games ------------------------------------------------------------------------


def same_games(
    rules: Rules, specs: Sequence[str], seed: int, games: Sequence[int], people: Sequence[int] = (), rows: int = ROWS
) -> None:
    players = [make_player(spec) for spec in specs]
    tables = BotTables(rules, players, rows, people)
    for game in games:
        ours = kernel_game(tables, seed, game, people)
        found = counters(len(players), raw=1)
        count = Count(len(players), rules)
        count.begin(game)
        theirs = play(rules, players, seed, game, people, watches=count.watch)
        count.end(theirs.state, found, 0)
        count.add(found)
        pairs = enumerate(zip_longest(ours.events, theirs.events))
        different = next(((number, *pair) for number, pair in pairs if pair[0] != pair[1]), None)
        assert different is None, f"{rules}, {specs}, seed {seed}, game {game}: {different}"
        assert ours.state == theirs.state
        assert Tally.of(1, ours.counted) == Tally.of(1, found)
        assert ours.counted.raw.tolist() == found.raw.tolist()


def seated(rules: Rules, chance: random.Random) -> tuple[list[str], list[int]]:
    """Players at random, with people in their teams, for as many seats as the rules have."""
    specs = [chance.choice(PLAYERS) for _ in range(chance.randint(1, min(8, rules.most_seats)))]
    return specs, [chance.randint(1, min(3, rules.team_size)) for _ in specs]


@pytest.mark.parametrize("name", SPAN)
def test_kernel_plays_the_games_of_the_engine(name: str) -> None:
    rules, chance = rules_of(name), random.Random(name)
    for player in PLAYERS:
        same_games(rules, [player, player], chance.getrandbits(64), range(3))
    for _ in range(examples(12)):
        specs, people = seated(rules, chance)
        first = chance.getrandbits(40)
        same_games(rules, specs, chance.getrandbits(64), range(first, first + 3), people)


@pytest.mark.parametrize("finish", ["last_turns", "equal_turns"])
def test_kernel_plays_turns_in_a_row_as_the_engine_does(finish: str) -> None:
    rules = rules_of(f"zilch(target=1500, turns_in_row=2, finish={finish})")
    same_games(rules, ["bold", "turn", "random"], 6, range(10, 14))


@settings(max_examples=examples(30))
@given(st.data())
def test_kernel_plays_any_rules_as_the_engine_does(data: st.DataObject) -> None:
    rules = data.draw(rule_sets())
    # A score that falls for ever is further from an exact target in every turn, and each is calculated again.
    assume(rules.finish not in ("exact", "welfare") or not rules.penalties.below_zero or not any(rules.rolled.fines))
    people = data.draw(seatings(rules))
    specs = [data.draw(st.sampled_from(PLAYERS)) for _ in people]
    assume("turn" not in specs or has_best_turn(rules))
    # With few turn totals remembered, quiet decisions are looked up and calculated in one game.
    same_games(rules, specs, data.draw(SEED), range(2), people, data.draw(st.sampled_from([1, 8, ROWS])))


# Players that know the winning chances --------------------------------------------------------------------------------

FAMILIES = (
    "standard(target=1000, finish=exact)",
    "standard(target=1000, finish=welfare, minimum=200)",
    "standard(target=1000, finish=equal_turns, minimum=200)",
    "standard(target=700, finish=equal_turns, ties=first)",
    "standard(target=0, rounds=3)",
    "standard(target=1000, rounds=3, entry=300)",
    "standard(target=1000, hot_dice=forced, rolled.aaa=bank)",
    "standard(target=600, hot_dice_multiplier=true)",
    "standard(target=800, dice=5, most_hot_dice=2, minimum=200)",
    "renaissance(target=1000, take_over.price=stake, take_over.stake=100)",
    "renaissance(target=1000, take_over.choose_dice=true, take_over.after_hot_dice=true, take_over.heavy=false, "
    "finish=equal_turns)",
    "build-on(target=800, entry=200, take_over.toward_entry=false)",
    "high-stakes(target=1000, entry=300, take_over.toward_entry=false)",
    "extended(target=1000, entry=300, most_rolls=2)",
    "standard(target=800, most_rolls=3, penalties.farkle=100, minimum=200, least_rolls=2)",
    "renaissance(target=500, take_over.after_farkle=true)",
    "standard(target=600, rolled.2222=farkle)",
    "standard(target=300, rolled.444=-100, penalties.below_zero=true)",
    "original(target=10000, lives.each=2, lives.farkle_all_dice=1, rounds=6)",
    "original(target=8000, lives.each=3, lives.last_standing=wins, finish=last_turns)",
    "patch(target=1000, penalties.farkle_all_dice=100, entry=200)",
)
"""Rules of two that are solved at once, of every kind."""


def likely_games(rules: Rules, games: int, people: Sequence[int] = ()) -> None:
    """The kernel plays the games of the engine, with players that know the winning chances in either seat."""
    chance = random.Random(str(rules))
    for specs in (["exact", "race"], ["exact", "turn"], ["random", "exact"], ["race", "bold"]):
        first = chance.getrandbits(40)
        same_games(rules, specs, chance.getrandbits(64), range(first, first + games), people)


@pytest.mark.parametrize("name", SPAN)
def test_kernel_decides_as_players_that_know(name: str) -> None:
    likely_games(small(name), examples(8))


@pytest.mark.slow
@pytest.mark.parametrize("spec", FAMILIES)
def test_kernel_decides_as_players_that_know_under_rules_of_every_kind(spec: str) -> None:
    likely_games(rules_of(spec), examples(6))


@pytest.mark.slow
def test_kernel_decides_as_players_that_know_in_teams() -> None:
    likely_games(rules_of("high-stakes(target=500, entry=200)"), 4, (2, 2))
    likely_games(rules_of("original(target=10000, lives.each=2)"), 4, (2, 1))


def test_how_much_is_kept_of_chances_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = "extended(target=1500, entry=200)"
    whole = simulate(rules, ["exact", "turn"], 2_000, 5, threads=2).tally
    monkeypatch.setattr("farkel.simulation.bots.tables.of_two", chances.of_two.__wrapped__)
    monkeypatch.setattr(chances, "ROWS", 2)
    assert simulate(rules, ["exact", "turn"], 2_000, 5, threads=1).tally == whole
    same_games(rules_of(rules), ["exact", "turn"], 5, range(20))
    monkeypatch.setattr(chances, "MOST_MEMORY", 1 << 16)
    assert simulate(rules, ["exact", "turn"], 300, 5, threads=2).tally == run(Job(rules, ("exact", "turn"), 5, 0, 300))


# Race among many ------------------------------------------------------------------------------------------------------


def race_games(rules: Rules, games: int, *tables: Sequence[str], people: Sequence[int] = ()) -> None:
    """The kernel plays the games of the engine where ``race`` plays by the model."""
    chance = random.Random(str(rules))
    for specs in tables:
        first = chance.getrandbits(40)
        same_games(rules, specs, chance.getrandbits(64), range(first, first + games), people)


@pytest.mark.parametrize(
    "spec",
    [*(str(small(name)) for name in SPAN), *(pytest.param(spec, marks=pytest.mark.slow) for spec in FAMILIES)],
)
def test_kernel_decides_as_race_among_many(spec: str) -> None:
    race_games(rules_of(spec), examples(3), ["race", "turn", "random"], ["bold", "race", "race"])


def test_kernel_decides_as_race_at_long_tables() -> None:
    seats = ["race", "turn", "bold", "random", "race", "cautious", "threshold:300", "race"]
    for name in ("extended", "renaissance", "facebook"):
        race_games(small(name), 1, seats[:5], seats)


def test_kernel_decides_as_race_in_teams() -> None:
    rules = rules_of("high-stakes(target=500, entry=200)")
    race_games(rules, 3, ["race", "turn"], ["race", "race"], people=(2, 1))
    race_games(rules, 2, ["race", "turn", "race"], people=(1, 3, 2))
    race_games(rules_of("original(target=10000, lives.each=2)"), 2, ["race", "turn", "bold"], people=(2, 1, 1))


def test_games_of_race_do_not_hang_on_those_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, players = "extended(target=2000, entry=200)", ("race", "turn", "cautious")
    rows: list[Any] = []
    whole = simulate(rules, players, 300, 8, threads=1, raw=rows.append).tally
    games = np.concatenate(rows)
    assert games["game"].tolist() == list(range(300))
    job = Job(rules, players, 8)
    assert total((run(job.part(at, size)) for at, size in ((0, 1), (1, 99), (100, 200))), NOTHING_OF_THREE) == whole
    monkeypatch.setattr("farkel.simulation.pieces.ABREAST", 3)
    more: list[Any] = []
    assert simulate(rules, players, 300, 8, threads=2, raw=more.append).tally == whole
    assert np.array_equal(np.concatenate(more), games)
    more.clear()
    simulate(rules, players, 100, 8, first=200, threads=2, raw=more.append)
    assert np.array_equal(np.concatenate(more), games[200:])


NOTHING_OF_THREE = Tally.nothing(50, 3)


def test_race_and_tables_that_are_asked_for() -> None:
    """Besides its turns others ask for theirs: players for points if the target must be hit."""
    rules = "standard(target=500, finish=exact, penalties.farkle_all_dice=50)"
    job = Job(rules, ("turn", "race", "turn"), 4)
    whole = simulate(rules, job.players, 120, 4, threads=2).tally
    assert whole == run(job.part(0, 50)) + run(job.part(50, 70))


def test_race_stops_when_it_is_asked_to() -> None:
    def stop(tally: Tally) -> None:
        raise Stop

    rules = "extended(target=1000, entry=200)"
    result = simulate(rules, ["race", "turn", "turn"], 10**9, 1, progress=stop)
    assert not result.complete
    assert 0 < result.tally.games < 10**6
    assert run(Job(rules, ("race", "turn", "turn"), 1, 0, result.tally.games)) == result.tally


# Who is a table -------------------------------------------------------------------------------------------------------


def test_table_players_depend_on_the_table() -> None:
    exact, race, rules = make_player("exact"), make_player("race"), small("high-stakes")
    assert is_table(exact, rules, (1, 1))
    assert is_table(race, rules, (2, 2))
    assert is_table(race, rules, (1,))
    assert is_table(race, rules, (2, 1))
    assert is_table(race, rules, (1, 1, 1))
    assert not is_table(exact, rules, (2, 1))
    assert not is_table(exact, rules, (1,))
    alone = simulate(small("kcd"), ["race"], 50, 2)
    assert same(alone, simulate(small("kcd"), ["turn"], 50, 2))
    with pytest.raises(PlayerError, match="games of two"):
        simulate(small("kcd"), ["exact"] * 4, 5)


def test_a_game_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    result = simulate("standard", ["threshold:1000000"], 3)
    assert result.tally.reasons == {"endless": 3}
    assert result.tally.nobody == 3
    assert result.tally.all_turns == 3 * tally.MOST_TURNS
    monkeypatch.setattr("farkel.simulation.python_games.MOST_TURNS", 30)
    result = simulate("standard", [Wrapped("threshold:1000000")], 3, limit=60)
    assert result.tally.reasons == {"endless": 3}
    assert result.tally.all_turns == 90


def test_events_of_a_simulated_game_replay() -> None:
    rules = rules_of("original")
    game = play(rules, [make_player("bold"), make_player("turn")], 5, 3)
    assert replay(rules, (1, 1), game.events) == game.state
    assert game.state.over


# Tallies --------------------------------------------------------------------------------------------------------------


def tallied(first: int, games: int, seed: int = 3) -> Tally:
    return simulate("kcd", ["bold", "cautious", "random"], games, seed, first=first, threads=1).tally


@settings(max_examples=examples(15))
@given(st.lists(st.integers(0, 40), min_size=1, max_size=5), SEED, st.randoms(use_true_random=False))
def test_parts_add_up_to_the_whole_in_any_order(sizes: list[int], seed: int, chance: random.Random) -> None:
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    parts = [tallied(start, size, seed) for start, size in zip(starts, sizes, strict=True)]
    whole = tallied(0, sum(sizes), seed)
    chance.shuffle(parts)
    nothing = Tally.nothing(50, 3)
    assert total(parts, nothing) == whole
    assert nothing + whole == whole == whole + nothing
    left, right = parts[: len(parts) // 2], parts[len(parts) // 2 :]
    assert total(left, nothing) + total(right, nothing) == whole


def test_tallies_of_other_games_do_not_add() -> None:
    with pytest.raises(ValueError, match="different kinds"):
        Tally.nothing(50, 2) + Tally.nothing(50, 3)
    assert Tally.nothing(50, 2) != Tally.nothing(500, 2)
    assert Tally.nothing(50, 2) != "nothing"


def test_a_tally_counts_the_games() -> None:
    found = tallied(0, 500)
    assert found.games == sum(found.reasons.values()) == sum(found.lengths) == 500
    assert sum(found.wins) + found.nobody == pytest.approx(500)
    assert sum(found.outright) + sum(found.order_wins) == pytest.approx(1000)
    assert found.shared == (0, 0, 0)
    assert found.all_turns == sum(map(found.turns, range(3))) == sum(map(sum, found.turn_points))
    assert found.turns_mean == found.all_turns / 500
    assert "games=500" in repr(found)
    assert hash(found) == hash(tallied(0, 500))
    for player in range(3):
        turns = found.turn_points[player]
        mean = sum(number * units for units, number in enumerate(turns)) * 50 / found.turns(player)
        assert found.points_mean(player) == pytest.approx(mean)
        spread = sum(number * (units * 50 - mean) ** 2 for units, number in enumerate(turns))
        error = sqrt(spread / found.turns(player) / (found.turns(player) - 1))
        assert found.points_error(player) == pytest.approx(error)
        assert 0 < found.farkle_rate(player) < 1 <= found.throws_mean(player)
        assert found.lost_mean(player) == 0
        assert found.hot_dice_rate(player) < 1


def test_shared_wins_count_in_shares() -> None:
    rules = "kcd(target=0, rounds=1, most_seats=8)"
    found = simulate(rules, ["threshold:50"] * 8, 4_000, 1).tally
    assert sum(found.shared) > 100
    assert sum(found.wins) == pytest.approx(4_000)
    assert Tally.nothing(50, 1).intervals == (wilson(0, 0),) == ((0.0, 1.0),)
    assert Tally.nothing(50, 1).points_mean(0) == Tally.nothing(50, 1).points_error(0) == 0.0


def test_intervals_are_wilsons() -> None:
    low, high = wilson(5, 10)
    assert (low, high) == pytest.approx((0.236593, 0.763407), abs=1e-6)
    assert wilson(0, 50).low == 0.0
    assert wilson(50, 50).high == 1.0


def test_sums_of_squares_do_not_overflow() -> None:
    found = counters(1)
    found.counts[0, tally.SQUARES] = found.counts[0, tally.BANKS] = 2**62
    part = Tally.of(1, found)
    assert (part + part + part).count(0, tally.SQUARES) == 3 * 2**62


# Simulations ----------------------------------------------------------------------------------------------------------


def same(one: SimulationResult, two: SimulationResult) -> bool:
    return one.tally == two.tally


def test_threads_and_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = simulate("extended", ["turn", "bold", "cautious"], 5_000, 11, threads=1)
    assert whole.complete
    assert same(whole, simulate("extended", ["turn", "bold", "cautious"], 5_000, 11, threads=2))
    monkeypatch.setattr(sys.modules["farkel.simulation.matches"], "MOST", 173)
    assert same(whole, simulate("extended", ["turn", "bold", "cautious"], 5_000, 11, threads=3))
    assert not same(whole, simulate("extended", ["turn", "bold", "cautious"], 5_000, 12))
    job = Job("extended", ("turn", "bold", "cautious"), 11)
    assert run(job.part(0, 2_000)) + run(job.part(2_000, 3_000)) == whole.tally


def test_tables_that_are_asked_for_change_nothing() -> None:
    rules = "standard(target=500, finish=exact, penalties.farkle_all_dice=50)"
    whole = simulate(rules, ["turn", "cautious"], 600, 4, threads=2)
    assert whole.tally == total((run(Job(rules, ("turn", "cautious"), 4, at, 200)) for at in (0, 200, 400)), NOTHING)


def test_who_plays_on_with_older_tables_finds_nothing_in_them_that_only_newer_ones_have() -> None:
    tables = BotTables(load("standard(target=500, finish=exact)"), [make_player("turn")])
    grown = 0
    for missing in range(1, 11):
        before = tables.policies.points
        known = [before.below_at[0, one] for one in range(before.below_at.shape[1])]
        tables.learn(BELOW, 0, missing)
        if tables.policies.points.below.size > before.below.size:
            grown += 1
            assert [before.below_at[0, one] for one in range(before.below_at.shape[1])] == known
    assert grown > 1


NOTHING = Tally.nothing(50, 2)


def test_seats_are_swapped() -> None:
    found = simulate("minimal(target=1000)", ["bold", "bold"], 20_000, 5).tally
    first, second = found.order_rates
    assert first > second + 0.02, "going first is an advantage"
    assert abs(found.win_rates[0] - 0.5) < ERRORS * sqrt(0.25 / 20_000), "which equal players share"
    assert found.order_intervals[0].low < first < found.order_intervals[0].high


def test_raw_games_come_in_order_and_make_the_tally() -> None:
    found: list[Any] = []
    result = simulate("original", ["bold", "turn", "random"], 700, 2, threads=2, raw=found.append)
    games = np.concatenate(found)
    assert games["game"].tolist() == list(range(700))
    assert int(games["turns"].sum()) == result.tally.all_turns
    for player in range(3):
        alone = games["winners"] == 1 << player
        assert int(alone.sum()) == result.tally.outright[player]
    reasons = Counter(REASONS[reason] for reason in games["reason"])
    assert reasons == result.tally.reasons
    one = games[137]
    game = play(rules_of("original"), [make_player(name) for name in result.players], 2, 137)
    assert [int(one[f"score_{(seat + 137) % 3}"]) for seat in range(3)] == [seat.score for seat in game.state.seats]
    assert int(one["first"]) == (game.state.first + 137) % 3


def test_stopping_returns_partial_results() -> None:
    for error in (Stop, KeyboardInterrupt):

        def stop(so_far: Tally, error: type[BaseException] = error) -> None:
            if so_far.games > 100:
                raise error

        result = simulate("standard", ["cautious", "bold"], 10**9, 1, progress=stop)
        assert not result.complete
        assert 100 < result.tally.games < 10**7
        assert run(Job("standard", ("cautious", "bold"), 1, 0, result.tally.games)) == result.tally


def test_result_as_data() -> None:
    result = simulate("kcd", ["bold", "cautious"], 300, 7)
    data = result.data()
    assert set(data) == {"games", "seconds", "games_per_second", "wins", "intervals", "turns_mean"}
    assert data["games"] == 300
    assert data["wins"] == list(result.tally.wins)
    assert all(low <= wins / 300 <= high for wins, (low, high) in zip(data["wins"], data["intervals"], strict=True))
    assert result.players == ("bold", "cautious")


def test_zero_games_give_an_empty_tally() -> None:
    result = simulate("kcd", ["bold"], 0)
    assert result.tally == Tally.nothing(50, 1)
    assert result.data()["wins"] == [0.0]
    assert result.tally.win_rates == result.tally.order_rates == (0.0,)


@pytest.mark.parametrize("name", ["extended", "original", "facebook", "renaissance"])
def test_games_through_the_engine_come_to_the_same(name: str) -> None:
    rules = rules_of(name)
    fast = simulate(rules, ["cautious", "bold", "random"], 40, 9)
    slow = simulate(rules, ["cautious", Wrapped("bold"), "random"], 40, 9, limit=60)
    assert same(fast, slow)
    rows: list[Any] = []
    more: list[Any] = []
    simulate(rules, ["cautious", "bold", "random"], 40, 9, raw=rows.append)
    simulate(rules, ["cautious", Wrapped("bold"), Wrapped("random")], 40, 9, raw=more.append, limit=60)
    assert np.array_equal(np.concatenate(rows), np.concatenate(more))


def test_batches_say_which_games_they_are() -> None:
    found = list(batches(Job("kcd", ("bold",), 3, first=50, games=1_000), raw=True))
    assert [batch.first for batch in found] == [50 + sum(b.games for b in found[:at]) for at in range(len(found))]
    assert sum(batch.games for batch in found) == 1_000
    assert raw_games(found[0], 1)["game"][0] == 50


@pytest.mark.parametrize(
    ("code", "players", "numbers"),
    [
        ("bad_seed", ["bold"], {"seed": -1}),
        ("bad_seed", ["bold"], {"seed": 2**64}),
        ("bad_games", ["bold"], {"games": -1}),
        ("bad_games", ["bold"], {"first": 2**64}),
        ("bad_limit", ["bold"], {"limit": 0.0}),
        ("bad_seats", [], {}),
        ("bad_seats", ["bold"] * 21, {}),
        ("bad_seats", ["bold"], {"people": (1, 2)}),
        ("bad_seats", ["bold"], {"people": (99,)}),
        ("unknown_player", ["blod"], {}),
        ("bad_player", ["threshold:x"], {}),
    ],
)
def test_invalid_arguments_are_refused(code: str, players: list[str], numbers: dict[str, int]) -> None:
    with pytest.raises(FarkelError) as caught:
        simulate("standard", players, **{"games": 5, **numbers})  # type: ignore[arg-type]
    assert caught.value.code == code


def test_other_players_are_not_played_by_the_kernel() -> None:
    with pytest.raises(PlayerError) as caught:
        BotTables(rules_of("standard"), [Wrapped("bold")])
    assert caught.value.code == "no_table"


# What the solver says -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPAN)
def test_points_of_the_best_turn_are_those_of_the_solver(name: str) -> None:
    """Alone and without a target every turn is the best one, but for the last, whose bank wins whatever it is."""
    alone = {"target": 0, "rounds": 1000, "entry": 0, "entry_each": False, "finish": "last_turns"}
    rules = Rules.model_validate(rules_of(name).model_dump() | alone | {"take_over": {}, "lives": {}})
    found = simulate(rules, ["turn"], 200, 1).tally
    error = found.points_error(0)
    if rules.penalties.farkles_in_row:
        error *= 1.5  # turns hang together a little
    brings = found.points_mean(0) - found.lost_mean(0)
    assert brings == pytest.approx(best_turn(rules).expected_points, abs=ERRORS * error)


@pytest.mark.parametrize("name", SPAN)
def test_farkles_of_the_first_throw_are_as_frequent_as_in_the_score_table(name: str) -> None:
    """A player who banks whenever allowed rolls once per turn, unless it is a last one that would be lost."""
    rules = rules_of(f"{name}(entry=0, entry_each=false, minimum=0, take_over.toward_entry=true, finish=at_once)")
    table = score_table(rules)
    expected = float(table.farkles(rules.dice))
    found = simulate(rules, ["threshold:1", "threshold:1"], 2_000, 1).tally
    turns, farkles = found.all_turns, found.count(0, FARKLES) + found.count(1, FARKLES)
    assert abs(farkles - turns * expected) <= ERRORS * sqrt(turns * expected * (1 - expected))


@pytest.mark.parametrize("spec", ["minimal(target=400)", "extended(target=600, entry=200, start=first_seat)"])
def test_exact_players_win_as_often_as_the_solved_game_says(spec: str) -> None:
    rules, games = rules_of(spec), 20_000
    exact = make_player("exact")
    solved = duel(rules).first_player_wins
    found = simulate(rules, [exact, exact], games, 1).tally
    assert abs(found.order_rates[0] - solved) < ERRORS * sqrt(solved * (1 - solved) / games)


def test_there_is_room_for_every_seat() -> None:
    assert counters(SEATS).wins.shape == (SEATS, SEATS)
    assert new_game(rules_of("standard"), (1,) * SEATS).seats
    assert Cautious().name == "cautious"
