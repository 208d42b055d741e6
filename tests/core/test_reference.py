"""The reference solver: games small enough for pen and paper, and a solver that shares nothing between states."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from math import comb

import pytest

from farkel.game import Keep, Phase, State, apply, chance_outcomes, legal_actions
from farkel.rules import Rules
from games_in_words import on_turn
from named_rules import rules_of
from reference import Alone, Duel, cut_error

# A turn as the toss of a coin: only three 1s score, and the two other dice can never do.
COIN = (
    "dice=5, scoring.1=0, scoring.5=0, scoring.111=100, scoring.222=0, scoring.333=0, "
    "scoring.444=0, scoring.555=0, scoring.666=0"
)
P: float = sum(comb(5, ones) * 5 ** (5 - ones) for ones in (3, 4, 5)) / 6**5
Q = 1 - P


def changed(fields: str, changes: str) -> Rules:
    """Minimal rules with these fields, and changes of them."""
    said = dict(part.split("=", 1) for part in f"{fields}, {changes}".split(", "))
    return rules_of(f"minimal({', '.join(map('='.join, said.items()))})")


def coin(changes: str, most: int = 300) -> Duel:
    return Duel(changed(COIN, changes), most=most)


def race(mine: int, others: int) -> float:
    """The chance of the seat to toss first, if each needs this many heads."""

    def after(mine: int, others: int) -> float:
        return 1 - race(others, mine) if mine else 1.0

    # own = P * after(mine - 1) + Q * (1 - other), and the other way round
    own, other = P * after(mine - 1, others), P * after(others - 1, mine)
    return (own + Q - Q * (other + Q)) / (1 - Q * Q)


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_a_race_of_coins(heads: int) -> None:
    duel = coin(f"target={heads * 100}")
    assert duel.first_player_wins == pytest.approx(race(heads, heads), abs=1e-12)
    assert duel.nobody_wins == duel.shared_wins == 0
    assert Alone(duel.rules, most=300).expected_turns == pytest.approx(heads / P, rel=1e-12)


def test_every_state_of_a_race() -> None:
    duel = coin("target=300")
    for mine, other in product(range(3), repeat=2):
        chance = pytest.approx(race(3 - mine, 3 - other), abs=1e-12)
        assert duel.chances(on_turn(duel.rules, mine * 100, other * 100))[0] == chance
        assert duel.chances(on_turn(duel.rules, other * 100, mine * 100, seat=1))[1] == chance


def test_in_a_last_turn_an_equal_score_does_not_win() -> None:
    duel = coin('target=200, finish="last_turns"')
    assert duel.first_player_wins == pytest.approx(race(2, 2), abs=1e-12)


def test_equal_turns_can_be_shared() -> None:
    duel = coin('target=100, finish="equal_turns"')
    assert duel.first_player_wins == pytest.approx(1 / 2, abs=1e-12)
    assert duel.shared_wins == pytest.approx(P / (2 - P), abs=1e-12)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_rounds_are_symmetric(rounds: int) -> None:
    duel = coin(f"target=0, rounds={rounds}")
    heads = [comb(rounds, number) * P**number * Q ** (rounds - number) for number in range(rounds + 1)]
    assert duel.first_player_wins == pytest.approx(1 / 2, abs=1e-12)
    assert duel.shared_wins == pytest.approx(sum(chance**2 for chance in heads), abs=1e-12)


def test_the_last_one_standing() -> None:
    lives = "target=100, lives.each=1, lives.farkle=1, lives.round_points=100"
    assert coin(f'{lives}, lives.last_standing="wins"').first_player_wins == pytest.approx(P, abs=1e-12)
    duel = coin(lives)
    assert duel.chances(duel.start) == pytest.approx((P, Q * P), abs=1e-12)
    assert duel.nobody_wins == pytest.approx(Q * Q, abs=1e-12)


def test_an_offer_that_is_worth_nothing() -> None:
    duel = coin('target=200, take_over.price="free"')
    assert duel.first_player_wins == pytest.approx(race(2, 2), abs=1e-12)


def test_dice_alone() -> None:
    # Farkles of six dice: no 1, no 5, no three alike.
    farkle = (4 * 90 + 6 * 180) / 6**6
    rules = rules_of("minimal(target=50)")
    assert Alone(rules, most=50).expected_turns == pytest.approx(1 / (1 - farkle), rel=1e-12)
    assert Duel(rules, most=50).first_player_wins == pytest.approx(1 / (1 + farkle), abs=1e-12)


def test_to_bank_or_to_roll() -> None:
    """Five dice, only 5s score, and two of them are needed: with one 5 either bank it or roll the other four."""
    fives = [comb(5, number) * 5 ** (5 - number) / 6**5 for number in range(6)]
    one_more = 1 / (1 - fives[0])
    bank = (1 + fives[1] * one_more) / (1 - fives[0])
    roll = 1 / (1 - fives[0] - fives[1] * (5 / 6) ** 4)
    rules = changed(COIN, "target=100, scoring.5=50, scoring.111=0")
    assert Alone(rules, most=100).expected_turns == pytest.approx(min(bank, roll), rel=1e-12)


# Nothing shared ------------------------------------------------------------------------------------------------------


def plainly(rules: Rules, most: int, floor: int) -> dict[State, tuple[float, float]]:
    """The chances in every state: all states just as the engine makes them, valued again and again."""

    def floored(state: State) -> State:
        return state._replace(seats=tuple(seat._replace(score=max(seat.score, floor)) for seat in state.seats))

    def options(state: State) -> set[State]:
        limit, found = most, set()
        if state.closer >= 0:
            surpassed = state.seats[state.closer].score - state.mine.score + 1
            limit = max(rules.entry, rules.minimum, surpassed)
        actions = legal_actions(state)
        for action in actions:
            after = floored(apply(state, action))
            if isinstance(action, Keep) and action.then == "roll" and after.points >= limit:
                if Keep(action.dice, "bank") in actions:
                    continue
                after = after._replace(points=limit)
            found.add(after)
        return found

    states = [on_turn(rules, 0, 0, entered=False)]
    numbers = {states[0]: 0}
    values: list[list[float]] = []
    moves: list[list[tuple[list[int], float]]] = []
    for state in states:  # which grows as new states come up
        winners = state.result.winners if state.result else ()
        values.append([1 / len(winners) if seat in winners else 0 for seat in (0, 1)])
        merged: Counter[frozenset[State]] = Counter()
        for throw, ways in chance_outcomes(state):
            after = floored(apply(state, throw))
            merged[frozenset(options(after) if after.phase is Phase.KEEP else {after})] += ways
        if state.phase is Phase.OFFER:
            merged[frozenset(options(state))] = 1
        for after in {after for one in merged for after in one} - numbers.keys():
            numbers[after] = len(numbers)
            states.append(after)
        moves.append([([numbers[after] for after in one], ways / merged.total()) for one, ways in merged.items()])
    change = 1.0
    while change > 1e-14:
        change = 0
        for number in reversed(range(len(states))):
            if moves[number]:
                me, before, new = states[number].seat, values[number], [0.0, 0.0]
                for ones, chance in moves[number]:
                    best = max(values[one][me] for one in ones)
                    new[me] += chance * best
                    new[1 - me] += chance * min(values[one][1 - me] for one in ones if values[one][me] >= best - 1e-12)
                change = max(change, abs(new[0] - before[0]), abs(new[1] - before[1]))
                values[number] = new
    return {state: (values[number][0], values[number][1]) for state, number in numbers.items()}


# Dice that score in hundreds, few of them at once.
SMALL = "dice=5, scoring.5=0, scoring.111=200, scoring.555=0, scoring.666=0"


@pytest.mark.parametrize(
    "changes",
    [
        "target=200, hot_dice_multiplier=true",
        'target=200, finish="last_turns", entry=200, take_over.price="free", take_over.after_hot_dice=true',
        'target=200, finish="last_turns", take_over.price="stake", take_over.stake=100, take_over.after_farkle=true',
        'target=200, lives.each=2, lives.farkle=1, lives.round_points=100, take_over.price="lives", '
        "take_over.choose_dice=true",
        'target=300, finish="exact", rolled.222=-100, minimum=200',
        'target=200, finish="welfare", penalties.farkle_all_dice=100, scoring.5=100',
        'target=200, finish="equal_turns", rounds=2, rolled.aaa=bank, rolled.2222=farkle',
        'target=0, rounds=1, hot_dice="forced", rolled.nothing=100, rolled.333=-100',
        "target=200, penalties.farkles_in_row=2, penalties.farkles_in_row_points=100, penalties.below_zero=false",
    ],
)
def test_against_a_solver_that_shares_nothing(changes: str) -> None:
    rules = changed(SMALL, changes)
    duel = Duel(rules, most=400, floor=-100)
    plain = plainly(rules, 400, -100)
    for state, chances in plain.items():
        assert duel.chances(state) == pytest.approx(chances, abs=1e-11)
    assert sum(duel.chances(duel.start)) + duel.nobody_wins == pytest.approx(1, abs=1e-11)


# The rest ------------------------------------------------------------------------------------------------------------


@cache
def original() -> Duel:
    rules = "original(target=2000, lives.each=2, lives.round_points=1000)"
    return Duel(rules_of(rules), most=2_000)


def test_chances_of_all_ends_add_up_to_one() -> None:
    duel = original()
    assert duel.nobody_wins > 0
    assert sum(duel.chances(duel.start)) + duel.nobody_wins == pytest.approx(1, abs=1e-12)


def test_the_advice_is_the_best_legal_action() -> None:
    duel = original()
    for throw, _ in chance_outcomes(duel.start)[::20]:
        state = apply(duel.start, throw)
        if state.phase is Phase.KEEP:
            best = max(duel.chances(apply(state, action))[0] for action in legal_actions(state))
            assert duel.chances(state)[0] == pytest.approx(best, abs=1e-12)


def test_cut_positions_are_refused() -> None:
    rules = rules_of("standard(dice=5, target=100, scoring.111=300)")
    near, far, further = (Duel(rules, most=most) for most in (200, 1_000, 1_500))
    assert cut_error(near, far) > 1e-3
    assert cut_error(far, further) < 1e-12
    at_once = rules_of("minimal(target=200)")
    assert cut_error(Duel(at_once, most=200), Duel(at_once, most=400)) < 1e-12


def test_unsupported_rules_are_refused() -> None:
    with pytest.raises(ValueError, match="these rules need 300"):
        coin("target=300", most=200)
    with pytest.raises(ValueError, match="give a floor"):
        coin("target=200, penalties.farkle_all_dice=100")
    with pytest.raises(ValueError, match="lives and rounds"):
        _ = Alone(changed(COIN, "target=100, rounds=2"), most=100).expected_turns
    taking = 'take_over.price="free", take_over.after_farkle=true'
    with pytest.raises(ValueError, match="do not settle"):
        Alone(changed(COIN, f"target=200, minimum=200, {taking}"), most=200)
    with pytest.raises(ValueError, match="beyond the cut"):
        coin('target=100, finish="last_turns"').chances(on_turn("standard", 0, 0))
