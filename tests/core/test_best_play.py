"""The players that know the best play: whole games under every rule set, how they end games, and what they refuse."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from farkel.dice import RandomDice
from farkel.errors import PlayerError, SolveError
from farkel.game import (
    Action,
    Fresh,
    Keep,
    Phase,
    State,
    TakeOver,
    Throw,
    apply,
    chance_outcomes,
    legal_actions,
    new_game,
)
from farkel.game.scoring import score_table
from farkel.play.match import Bots, Match, Setup
from farkel.players import Player, Thinker, knowledge, make_player
from farkel.records import Seating
from farkel.rules import Rules
from farkel.solve.fields import IN_A_TURN, UNDERSTOOD
from farkel.support.extras import advice
from farkel.support.progress import silent
from games_in_words import offered, on_turn
from named_rules import SPAN, has_best_turn, known_to, rules_of, small
from random_play import random_event, random_people
from random_rules import examples, rule_sets


@pytest.fixture(autouse=True)
def _solutions(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solutions are kept for all these tests, but nowhere else."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "solutions"))


def play_out(state: State, players: list[Player], seed: int, most: int = 20_000) -> State:
    generator = random.Random(seed)
    dice = RandomDice(generator)
    for _ in range(most):
        if state.over:
            return state
        due = state.dice_due
        if due:
            state = apply(state, Throw(dice.throw(0, due)))
        else:
            action = players[state.seat].decide(state, generator)
            assert action in legal_actions(state)
            state = apply(state, action)
    raise AssertionError("the game does not end")


def decides(player: str, state: State) -> Action:
    return make_player(player).decide(state, random.Random(0))


def bots(rules: Rules, *players: str) -> Bots:
    return Bots(rules, [Seating(f"S{number}", (f"S{number}",), player) for number, player in enumerate(players)])


# Whole games ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPAN)
def test_exact_and_race_play_every_rule_set_to_the_end(name: str) -> None:
    rules = small(name)
    for players in (["exact", "exact"], ["exact", "turn"], ["race"], ["race", "random"], ["race"] * 3):
        table = bots(rules, *(f"bot:{player}" for player in players))
        table.prepare(silent)
        assert table.ready
        for seed in range(3):
            assert play_out(new_game(rules, (1,) * len(players)), [make_player(each) for each in players], seed).over


@pytest.mark.parametrize("people", [(2, 1), (1, 2, 1), (2, 2, 2)])
def test_race_and_turn_play_among_teams(people: tuple[int, ...]) -> None:
    rules = small("guts-and-luck")
    assert rules.entry_each
    for player in ("race", "turn"):
        assert play_out(new_game(rules, people), [make_player(player)] * len(people), 4).over


def test_race_plays_with_as_many_as_the_rules_know() -> None:
    rules = small("extended")
    assert play_out(new_game(rules, (1,) * 8), [make_player("race")] * 8, 1).over


@settings(max_examples=examples(5))
@given(st.data())
def test_turn_plays_any_rules_and_takes_wins(data: st.DataObject) -> None:
    rules = known_to(UNDERSTOOD | IN_A_TURN, data.draw(rule_sets()))
    assume(has_best_turn(rules))
    chance = random.Random(data.draw(st.integers(0, 2**32)))
    player = make_player("turn")
    state = new_game(rules, random_people(rules, chance))
    for _ in range(40):
        if state.over:
            break
        if state.dice_due:
            state = apply(state, random_event(state, chance))
            continue
        action = player.decide(state, chance)
        after = {each: apply(state, each) for each in legal_actions(state)}
        alone = (state.seat,)
        if any(each.result is not None and each.result.winners == alone for each in after.values()):
            assert (result := after[action].result) is not None
            assert result.winners == alone
        state = after[action]


@pytest.mark.parametrize("name", ["extended", "build-on", "original", "renaissance", "kcd"])
def test_exact_has_no_regret(name: str) -> None:
    rules = small(name)
    chance, player, solved = random.Random(name), make_player("exact"), knowledge.duel(rules)
    state = new_game(rules)
    decisions = 0
    while decisions < 60:
        if state.over:
            state = new_game(rules)
        if state.dice_due:
            state = apply(state, random_event(state, chance))
            continue
        before, decisions = solved.chances(state)[state.seat], decisions + 1
        after = apply(state, player.decide(state, chance))
        assert solved.chances(after)[state.seat] == pytest.approx(before, abs=1e-9)
        state = apply(state, random_event(state, chance))


# How games end -------------------------------------------------------------------------------------------------------


def rolled(state: State, faces: str) -> State:
    return apply(state, Throw(tuple(int(face) for face in faces)))


@pytest.mark.parametrize("player", ["turn", "exact", "race"])
def test_players_take_a_sure_win(player: str) -> None:
    state = rolled(on_turn(small("minimal"), 900, 0), "123346")
    assert decides(player, state) == Keep((1,), "bank")


@pytest.mark.parametrize("player", ["turn", "exact", "race"])
def test_a_win_is_not_rolled_on_with_hot_dice(player: str) -> None:
    state = rolled(on_turn(small("kcd"), 0, 0), "123456")
    assert decides(player, state) == Keep((1, 2, 3, 4, 5, 6), "bank")


def last_turn(spec: str, score: int, other: int) -> State:
    return on_turn(spec, score, other)._replace(closer=1)


@pytest.mark.parametrize("player", ["turn", "exact"])
def test_in_the_last_turn_nothing_less_than_a_win_is_banked(player: str) -> None:
    spec = "standard(target=1000)"
    behind = rolled(last_turn(spec, 800, 1_100), "123346")
    assert decides(player, behind) == Keep((1,), "roll")
    level = rolled(last_turn(spec, 800, 1_000)._replace(points=100), "123346")
    assert decides(player, level) == Keep((1,), "roll")
    ahead = rolled(last_turn(spec, 800, 1_000)._replace(points=150), "123346")
    assert decides(player, ahead) == Keep((1,), "bank")
    hot = rolled(last_turn(spec, 800, 1_000), "111555")
    assert decides(player, hot) == Keep((1, 1, 1, 5, 5, 5), "bank")


def test_turn_shares_a_win_if_ties_share_and_no_seat_follows() -> None:
    state = last_turn("standard(target=1000, finish=equal_turns)", 500, 1_000)._replace(points=400, dice=3)
    assert decides("turn", rolled(state, "146")) == Keep((1,), "bank")


def test_turn_looks_at_the_seats_that_are_ahead_in_the_last_round() -> None:
    spec = "minimal(target=0, rounds=5)"
    state = on_turn(spec, 0, 600, 0)._replace(rounds_left=1)
    assert decides("turn", rolled(state, "123346")._replace(points=450)) == Keep((1,), "roll")
    assert decides("turn", rolled(state, "222334")._replace(points=450)) == Keep((2, 2, 2), "bank")
    earlier = rolled(state._replace(rounds_left=2, points=450, dice=3), "146")
    assert decides("turn", earlier) == Keep((1,), "bank")


def test_turn_hits_an_exact_target_and_stays_below_it() -> None:
    spec = "minimal(target=1000, finish=exact)"
    assert decides("turn", rolled(on_turn(spec, 850, 0), "123356")) == Keep((1, 5), "bank")
    assert decides("turn", rolled(on_turn(spec, 950, 0), "113356")) == Keep((5,), "bank")
    assert decides("turn", rolled(on_turn(spec, 900, 0), "111346")) == Keep((1,), "bank")
    kept = decides("turn", rolled(on_turn(spec, 700, 0), "111346"))
    assert isinstance(kept, Keep)
    assert len(kept.dice) < 3


def test_turn_banks_an_overshoot_as_the_last_resort() -> None:
    assert decides("turn", rolled(on_turn("minimal(target=1000, finish=exact)", 950, 0), "123346")) == Keep(
        (1,), "bank"
    )


def test_turn_does_not_give_the_game_away() -> None:
    spec = "minimal(target=1000, finish=welfare)"
    assert decides("turn", rolled(on_turn(spec, 950, 950), "123346")) == Keep((1,), "roll")


def test_turn_takes_over_if_it_pays() -> None:
    assert decides("turn", offered("build-on", 1_000, 4, 1_000, 1_000)) == TakeOver(4)
    assert decides("turn", offered("build-on", 500, 1, 1_000, 1_000)) == Fresh()
    over = offered("build-on(finish=exact)", 1_000, 4, 1_000, 9_500)
    assert decides("turn", over) == Fresh()


def test_turn_spends_lives_only_if_they_pay() -> None:
    assert decides("turn", offered("original", 2_000, 5, 0, 0, lives=(12, 12))) == Fresh()
    assert isinstance(decides("turn", offered("original", 60_000, 2, 0, 0, lives=(12, 12))), TakeOver)


def test_exact_rolls_on_if_that_costs_nothing() -> None:
    state = rolled(last_turn("standard(target=1000)", 200, 9_000), "123346")
    assert decides("exact", state) == Keep((1,), "roll")


def test_ties_go_to_the_immediate_win() -> None:
    rules = small("minimal")
    state = rolled(on_turn(rules, 950, 0), "555556")
    action = decides("exact", state)
    assert apply(state, action).over


# What they refuse ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "players", "code", "said"),
    [
        ("extended", ("bot:exact",) + ("human",) * 3, "bad_player", "of two and three; for more seats take bot:race"),
        ("extended", ("bot:exact", "human", "human"), "not_solved", "farkel solve --seats 3 --rules extended"),
        ("high-stakes", ("bot:exact", "human", "human"), "bad_player", "take_over.price"),
        ("extended", ("bot:exact",), "bad_player", "alone take bot:turn"),
        ("original", ("bot:exact", "human"), "not_solved", "farkel solve --rules original"),
        ("original(target=50000)", ("bot:race",) * 3, "not_solved", "--rules 'original(target=50000)'"),
        ("original", ("bot:exact", "human"), "not_solved", "5,760,000 positions"),
        (
            "extended(target=0, rounds=5, penalties.farkle_all_dice=50, penalties.below_zero=false)",
            ("bot:race",) * 3,
            "bad_player",
            "; choose bot:turn",
        ),
    ],
)
@pytest.mark.usefixtures("nothing_known")
def test_a_game_that_a_player_cannot_play_is_not_set_up(
    spec: str, players: tuple[str, ...], code: str, said: str, tmp_path: Path
) -> None:
    seats = tuple(Seating(f"S{number}", (f"S{number}",), player) for number, player in enumerate(players))
    with pytest.raises(PlayerError, match="bot:") as caught:
        Match.start(Setup(rules_of(spec), seats), tmp_path / "game.farkel")
    assert caught.value.code == code
    assert said in caught.value.message
    assert not (tmp_path / "game.farkel").exists()


def test_exact_does_not_play_a_team_that_enters_one_by_one() -> None:
    rules = rules_of("extended(teams=partners, team_size=2, entry_each=true)")
    seats = [Seating("Reds", ("Ann", "Ben")), Seating("Exact", ("Exact",), "bot:exact")]
    with pytest.raises(PlayerError, match="bot:race"):
        Bots(rules, seats).check()
    assert knowledge.solved_as_two(rules, (1, 1))
    assert knowledge.solved_as_two(rules_of("original"), (1, 2))
    assert knowledge.solved_as_two(rules, (2, 2))
    assert not knowledge.solved_as_two(rules, (1, 2))
    assert not knowledge.solved_as_two(rules, (1, 1, 1))
    bots(rules, "bot:race").check()


@pytest.mark.parametrize("missing", ["numpy", "numba"])
def test_without_numpy_and_numba_an_exact_game_of_three_names_the_extra(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, rules = importlib.util.find_spec, small("minimal")
    monkeypatch.setattr("farkel.support.extras.find_spec", lambda name: None if name == missing else real(name))
    exact, race = make_player("exact"), make_player("race")
    assert isinstance(exact, Thinker)
    assert isinstance(race, Thinker)
    with pytest.raises(PlayerError) as caught:
        exact.check(rules, (1, 1, 1))
    assert caught.value.code == "not_installed"
    assert caught.value.message == f"bot:exact in a game of three needs {missing} (about 250 MB): {advice('native')}"
    exact.check(rules, (1, 1))
    race.check(rules, (1, 1, 1))


def test_without_numba_a_table_of_three_plays_by_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.solve.three.seats.has_numba", lambda: False)
    assert not knowledge.trio_ready(rules_of("minimal(target=500)"), (1, 1, 1))


# Working it out ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("nothing_known")
def test_calculations_report_progress_and_can_be_stopped() -> None:
    rules = small("minimal")

    def stop(done: float, of: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bots(rules, "bot:exact", "bot:race").prepare(stop)
    assert not bots(rules, "bot:exact", "bot:race").ready
    assert knowledge.at_hand(rules, (1, 1)) is None
    told: list[float] = []
    bots(rules, "bot:exact", "bot:race").prepare(lambda done, of: told.append(done / of))
    assert bots(rules, "bot:exact", "bot:race").ready
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert bots(small("minimal"), "bot:cautious", "human").ready


@pytest.mark.usefixtures("nothing_known")
def test_stored_answers_are_not_recalculated(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = small("kcd")
    knowledge.duel(rules)
    knowledge._duels.clear()
    assert knowledge.at_hand(rules, (1, 1)) is not None
    assert knowledge.at_hand(rules, (1, 1, 1)) is not None
    knowledge._duels.clear()
    monkeypatch.setattr(knowledge, "MOST_WORK", 1)
    assert knowledge.too_long(rules, (1, 1)) == ""
    knowledge.check("bot:exact", rules, (1, 1))
    from farkel.solve import stored

    stored(rules).write_text("no solution")
    assert knowledge.at_hand(rules, (1, 1)) is None
    assert knowledge.at_hand(small("minimal"), (1, 1)) is None
    assert "farkel solve" in knowledge.too_long(small("minimal"), (1, 1))


@pytest.mark.usefixtures("nothing_known")
def test_only_the_last_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge, "MOST_KEPT", 1)
    knowledge.duel(small("kcd"))
    knowledge.duel(small("minimal"))
    assert not knowledge.has_chances(small("kcd"), (1, 1))
    assert knowledge.has_chances(small("minimal"), (1, 1))


def test_a_player_that_was_not_prepared_decides_all_the_same() -> None:
    state = rolled(on_turn("patch(target=800, entry=100)", 0, 0), "123346")
    assert decides("exact", state) in legal_actions(state)


FINES = ", ".join(
    f"rolled.{dice}=-{points}"
    for dice, points in {"111": 977, "222": 1013, "333": 1511, "444": 2003, "666": 5003}.items()
)


@pytest.mark.parametrize(
    "spec",
    [
        "standard(target=10000000, take_over.price=free)",
        "original(lives.each=1000, penalties.farkles_in_row=1000, penalties.farkles_in_row_points=500)",
        "build-on(target=0, rounds=1000, hot_dice_multiplier=true, take_over.choose_dice=true)",
        "build-on(target=0, rounds=3, hot_dice_multiplier=true, take_over.choose_dice=true)",
        f"standard(target=0, rounds=1, {FINES})",
        f"standard(penalties.below_zero=false, target=500, {FINES})",
    ],
)
def test_any_estimate_is_cheap(spec: str) -> None:
    rules = rules_of(spec)
    score_table(rules)
    tracemalloc.start()
    try:
        with suppress(SolveError):
            assert "farkel solve" in knowledge.too_long(rules, (1, 1))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_no_game_without_a_solution_has_chances() -> None:
    with pytest.raises(SolveError):
        knowledge.too_long(rules_of("extended(target=0, rounds=5, take_over.price=stake, take_over.stake=50)"), (1, 1))


def test_bots_and_their_names_are_light_to_import() -> None:
    program = (
        "import sys, farkel.play.match, farkel.players; farkel.players.make_player('exact'); "
        "print(*(name for name in ('numpy', 'numba') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_recorded_game_with_them_can_be_resumed(tmp_path: Path) -> None:
    seats = (Seating("Exact", ("Exact",), "bot:exact"), Seating("Turn", ("Turn",), "bot:turn"))
    match = Match.start(Setup(small("standard"), seats, "seeded", "3"), tmp_path / "game.farkel")
    for _ in range(6):
        action = match.decide()
        match.throw() if action is None else match.act(action)
    before = match.state
    match.close()
    match = Match.resume(tmp_path / "game.farkel")
    assert match.state == before
    match.bots.prepare(silent)
    while not match.state.over:
        action = match.decide()
        match.throw() if action is None else match.act(action)
    match.close()
    assert match.state.phase is Phase.OVER


def test_turn_is_the_better_player() -> None:
    """Against the bot with a rule of thumb, over games with the same dice for both."""
    rules = rules_of("standard(target=3000)")
    wins = 0
    for seed in range(150):
        players = [make_player("turn"), make_player("bold")]
        first = seed % 2
        state = play_out(new_game(rules), players if first else players[::-1], seed)
        winners = state.result.winners if state.result else ()
        wins += (1 - first) in winners
    assert wins > 90


def test_every_throw_has_an_answer() -> None:
    """No roll of six dice leaves a player without a decision."""
    rules = small("extended")
    for player in ("turn", "exact"):
        for throw, _ in chance_outcomes(on_turn(rules, 0, 0)):
            state = apply(on_turn(rules, 0, 0), throw)
            if state.seat == 0:
                assert decides(player, state) in legal_actions(state)


def test_turns_below_a_target_respect_bank_rules() -> None:
    def points(spec: str, on_board: bool = True) -> float:
        rules = rules_of(f"minimal(target=2000, finish=exact{spec})")
        return knowledge.below(rules, 2000, on_board).of(new_game(rules))

    assert 0 < points(", bank_multiple=500") < points("")
    assert points(", entry=500", on_board=False) < points(", entry=500") == points("")
