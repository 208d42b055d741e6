"""The simple players: each plays every rule set to its end, as its docstring says."""

from __future__ import annotations

import random

import pytest

from farkel.dice import RandomDice
from farkel.errors import PlayerError
from farkel.game import Fresh, Keep, State, TakeOver, Throw, apply, new_game
from farkel.players import Player, make_player, player_names
from farkel.players.card import Card
from farkel.players.card_numbers import Numbers
from farkel.players.decisions import Ending, ending_of
from farkel.rules import load, named
from games_in_words import on_turn
from named_rules import SPAN

HARD = {
    "exact with a minimum": load("zilch", ["finish=exact"]),
    "welfare": load("extended", ["finish=welfare"]),
    "forced hot dice and triples": load("build-on", ["hot_dice=forced", "rolled.aaa=bank"]),
    "lives and an entry": load("original", ["entry=5_000"]),
}


def play_out(state: State, players: list[Player], seed: int, most: int = 200_000) -> State:
    generator = random.Random(seed)
    dice = RandomDice(generator)
    for _ in range(most):
        if state.over:
            return state
        due = state.dice_due
        event = Throw(dice.throw(0, due)) if due else players[state.seat].decide(state, generator)
        state = apply(state, event)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("rules", [*map(named, SPAN), *HARD.values()], ids=[*SPAN, *HARD])
@pytest.mark.parametrize("player", ["cautious", "bold", "threshold:500", "threshold:2000", "random", "turn"])
def test_every_player_plays_every_rule_set_to_the_end(rules, player: str) -> None:  # type: ignore[no-untyped-def]
    for seed in range(3):
        seats = 1 + seed
        assert play_out(new_game(rules, (1,) * seats), [make_player(player)] * seats, seed).over


def decided(player: str, roll: tuple[int, ...], points: int = 0, rules: str = "minimal") -> object:
    state = apply(new_game(named(rules)), Throw(roll))._replace(points=points)
    return make_player(player).decide(state, random.Random(0))


def test_cautious_banks_at_300_or_with_two_dice_left() -> None:
    assert decided("cautious", (1, 2, 3, 3, 4, 6)) == Keep((1,), "roll")
    assert decided("cautious", (1, 2, 3, 3, 4, 6), 200) == Keep((1,), "bank")
    assert decided("cautious", (2, 2, 2, 4, 5, 6)) == Keep((2, 2, 2, 5), "bank")


def test_bold_banks_at_1000() -> None:
    assert decided("bold", (1, 2, 3, 3, 4, 6), 850) == Keep((1,), "roll")
    assert decided("bold", (1, 2, 3, 3, 4, 6), 900) == Keep((1,), "bank")


def test_a_threshold_below_zero_banks_whenever_allowed() -> None:
    state = apply(new_game(named("facebook")), Throw((1, 2, 3, 3, 4, 6)))._replace(points=200)
    assert make_player("threshold:500").decide(state, random.Random(0)) == Keep((1,), "roll")
    below = state._replace(seats=(state.seats[0]._replace(score=-100), state.seats[1]))
    assert make_player("threshold:500").decide(below, random.Random(0)) == Keep((1,), "bank")


def test_threshold_banks_at_its_points() -> None:
    assert decided("threshold:500", (1, 2, 3, 3, 4, 6), 350) == Keep((1,), "roll")
    assert decided("threshold:500", (1, 2, 3, 3, 4, 6), 400) == Keep((1,), "bank")


@pytest.mark.parametrize("player", ["cautious", "bold", "threshold:9999"])
def test_players_take_a_sure_win(player: str) -> None:
    state = apply(new_game(named("minimal")), Throw((1, 2, 3, 3, 4, 6)))
    near = state._replace(seats=(state.seats[0]._replace(score=9_900), state.seats[1]))
    assert make_player(player).decide(near, random.Random(0)) == Keep((1,), "bank")


LAST = on_turn("standard(target=1000)", 500, 1_100)._replace(closer=1)
ROUND = on_turn("minimal(target=0, rounds=5)", 500, 1_100)._replace(rounds_left=1)
MINDFUL = ("cautious", "bold", "threshold:100", "card")
NUMBERS = Numbers((50, 50, 50), die=0, few=0, most=0, behind=0, end=0, both=0, single=0)


def mindful(player: str) -> Player:
    return Card(NUMBERS) if player == "card" else make_player(player)


def rolled(state: State, faces: str, points: int) -> State:
    return apply(state, Throw(tuple(map(int, faces))))._replace(points=points)


@pytest.mark.parametrize("player", MINDFUL)
@pytest.mark.parametrize(
    ("state", "faces", "then"),
    [
        (LAST, "123346", "roll"),
        (ROUND, "123346", "roll"),
        (ROUND._replace(seat=1), "123346", "bank"),
    ],
)
def test_a_certain_loss_is_not_banked_and_a_win_is(player: str, state: State, faces: str, then: str) -> None:
    """Bold has enough at 1,000, which none has here; the seat that is ahead in the last round wins with any bank."""
    state = rolled(state, faces, 0 if then == "bank" else 450)
    decision = mindful(player).decide(state, random.Random(0))
    assert isinstance(decision, Keep)
    assert decision.then == then


@pytest.mark.parametrize(
    ("spec", "scores", "now", "ending"),
    [
        ("minimal(target=0, rounds=5)", (500, 1_100), {"rounds_left": 1}, Ending.LOSES),
        ("minimal(target=0, rounds=5)", (500, 600), {"rounds_left": 1}, Ending.OPEN),
        ("minimal(target=0, rounds=5)", (500, 1_100), {"rounds_left": 2}, Ending.OPEN),
        ("minimal(target=0, rounds=5)", (1_000, 1_100), {"rounds_left": 1, "seat": 1}, Ending.WINS),
        ("minimal(target=0, rounds=5, ties=play_off)", (500, 1_100, 1_100), {"rounds_left": 1}, Ending.LOSES),
        ("minimal(target=0, rounds=5, ties=play_off)", (500, 600, 600), {"rounds_left": 1}, Ending.OPEN),
        ("minimal(target=0, rounds=5, penalties.farkle=100)", (500, 1_100), {"rounds_left": 1}, Ending.OPEN),
        ("minimal(target=0, rounds=5, rolled.44=-100)", (500, 1_100), {"rounds_left": 1}, Ending.OPEN),
        ("standard(target=1000)", (500, 0, 1_100), {"closer": 2}, Ending.LOSES),
        ("standard(target=1000, penalties.farkle=100)", (500, 0, 1_100), {"closer": 2}, Ending.LOSES),
        ("standard(target=1000, last_turns_again=passed)", (500, 0, 1_100), {"closer": 2}, Ending.OPEN),
        ("standard(target=1000, last_turns_again=passed)", (500, 1_100), {"closer": 1}, Ending.LOSES),
        ("standard(target=1000, catching_up.landed_on=back)", (500, 0, 1_100), {"closer": 2}, Ending.OPEN),
        ("standard(target=1000, finish=equal_turns)", (900, 1_000), {"closer": 1, "first": 1}, Ending.OPEN),
        ("minimal", (9_900, 0), {}, Ending.WINS),
        ("minimal", (9_800, 0), {}, Ending.OPEN),
    ],
)
def test_what_a_bank_of_100_does_about_the_end(
    spec: str, scores: tuple[int, ...], now: dict[str, int], ending: Ending
) -> None:
    state = on_turn(spec, *scores)._replace(**now)  # type: ignore[arg-type]
    assert ending_of(rolled(state, "123346", 0), Keep((1,), "bank")) is ending


def test_bold_takes_over_if_it_pays() -> None:
    state = new_game(load("build-on"))
    for event in (Throw((1, 2, 3, 4, 4, 4)), Keep((1, 4, 4, 4), "bank")):
        state = apply(state, event)
    assert make_player("bold").decide(state, random.Random(0)) == Fresh()
    rich = state._replace(offer_points=1_000)
    assert make_player("bold").decide(rich, random.Random(0)) == TakeOver(2)
    assert make_player("threshold:500").decide(rich, random.Random(0)) == Fresh()


@pytest.mark.parametrize(
    "spec", ["threshold", "threshold:x", "threshold:0", "threshold:-5", "clever", "cautious:3", "exact:2", ""]
)
def test_a_player_that_is_none_is_refused(spec: str) -> None:
    with pytest.raises(PlayerError) as caught:
        make_player(spec)
    assert caught.value.code in ("bad_player", "unknown_player")


def test_a_close_name_is_suggested() -> None:
    with pytest.raises(PlayerError, match='Did you mean "cautious"'):
        make_player("cautios")
    assert "cautious" in player_names()
