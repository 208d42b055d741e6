"""Clauses K: sets that later dice extend."""

from __future__ import annotations

import random

import pytest
from test_simulation import same_games
from test_solve import assert_agrees
from test_training_vector import compare

from farkel.coach import doubts
from farkel.errors import RulesError, SolveError
from farkel.game import Keep, Note, Phase, State, Throw, apply, is_legal, legal_actions, new_game
from farkel.game.scoring import open_sets, score_table
from farkel.game.story import facts
from farkel.rules import parse, sheet
from farkel.solve import best_turn, duel
from named_rules import rules_of
from referee import followed

EACH = "standard(extend=each, extend_points=100, start=first_seat)"
HIGHER = "standard(extend=higher, scoring.aaaa=1000, scoring.aaaaa=2000, start=first_seat)"
DOUBLE = "standard(extend=double, start=first_seat)"
DOUBLES = "minimal(extend=double, target=5000, scoring.aaaa=700, dice=7, take_over.price=free)"
"""Not solved, so that no player plays it perfectly."""
SMALL = (
    "standard(extend=each, extend_points=150, target=2000, take_over.price=free, take_over.after_farkle=true)",
    "patch(extend=higher, target=2000, dice=7)",
    "minimal(extend=higher, target=2000, scoring.aaaa=700, dice=5, hot_dice=forced)",
)


def rolled(spec: str, *turn: str) -> State:
    """The state after these rolls and keeps of one turn: ``444125``, then ``444``, and so on."""
    state = new_game(rules_of(spec))
    for number, dice in enumerate(turn):
        faces = tuple(sorted(map(int, dice)))
        state = apply(state, Throw(faces) if number % 2 == 0 else Keep(faces, "roll"))
    return state


def test_K1_a_set_is_open_until_hot_dice() -> None:
    assert open_sets(rules_of(EACH))[rolled(EACH, "444126", "444").sets] == ((4, 3),)
    assert rolled(EACH, "444126", "1").sets == 0
    later = rolled(EACH, "444126", "444", "126", "1")
    assert open_sets(rules_of(EACH))[later.sets] == ((4, 3),)
    assert rolled(EACH, "444115", "115444").sets == 0
    assert rolled(EACH, "444126", "444", "444", "444").sets == 0


def test_K1_two_sets_may_be_open() -> None:
    spec = "standard(dice=10, extend=each, extend_points=100, start=first_seat)"
    state = rolled(spec, "4442223366", "444", "2221136", "222")
    assert open_sets(rules_of(spec))[state.sets] == ((2, 3), (4, 3))
    assert apply(state, Throw((2, 3, 4, 6))).turn_total((2, 4)) == 800


def test_K1_a_take_over_has_no_open_set() -> None:
    state = rolled("standard(extend=each, extend_points=100, take_over.price=free, start=first_seat)", "444126")
    offered = apply(state, Keep((4, 4, 4), "bank"))
    assert offered.phase is Phase.OFFER
    assert offered.sets == 0


def test_K2_each_later_die_scores() -> None:
    state = rolled(EACH, "444126", "444", "446")
    assert state.phase is Phase.KEEP
    assert state.turn_total((4,)) == 500
    assert state.turn_total((4, 4)) == 600
    assert state.turn_total((6,)) == 0
    assert rolled(EACH, "444126", "444", "236").phase is Phase.ROLL  # a farkle
    assert rolled(EACH, "111236", "111", "146").phase is Phase.KEEP


def test_K2_the_better_score_counts() -> None:
    fives = rolled(EACH, "555126", "555", "556")
    assert fives.turn_total((5,)) == 600
    again = rolled("standard(dice=7, extend=each, extend_points=20, start=first_seat)", "4441266", "444", "4446")
    assert again.turn_total((4, 4, 4)) == 800


def test_K3_later_dice_make_the_higher_number_of_a_kind() -> None:
    state = rolled(HIGHER, "444126", "444", "446")
    assert state.turn_total((4,)) == 1000
    assert state.turn_total((4, 4)) == 2000
    one = apply(apply(state, Keep((4,), "roll")), Throw((4, 6)))
    assert one.turn_total((4,)) == 2000
    five = rolled("standard(extend=higher, scoring.aaaa=1000, dice=7, start=first_seat)", "4444123", "4444", "446")
    assert five.phase is Phase.ROLL  # five of a kind pay nothing


def test_K3_dice_that_raise_a_set_count_together() -> None:
    steps = "minimal(dice=5, extend=higher, scoring.aaaa={four}, scoring.aaaaa={five}, start=first_seat)"
    twos = rolled(steps.format(four=1000, five=1200), "22213", "222", "22")
    assert twos.turn_total((2, 2)) == 1200
    falling = rolled(steps.format(four=1000, five=900), "22213", "222", "22")
    assert falling.turn_total((2, 2)) == 900
    assert falling.turn_total((2,)) == 1000
    none = rolled("standard(extend=higher, scoring.aaaa='200a', start=first_seat)", "222136", "222", "226")
    assert none.turn_total((2,)) == 400
    assert not is_legal(none, Keep((2, 2), "bank"))  # five of a kind pay nothing, so one 2 would be of no use


def test_K3_dice_of_two_sets_raise_both() -> None:
    both = rolled(
        "standard(dice=9, extend=higher, scoring.aaaa='200a', start=first_seat)", "222333146", "222333", "123"
    )
    assert both.turn_total((1, 2, 3)) == 200 + 300 + 100 + 200 + 300
    names = [one.name for one in score_table(both.rules, both.sets).split((1, 2, 3))]
    assert names == ["another 3", "another 2", "single 1"]


def test_K8_each_later_die_doubles_the_turn_total() -> None:
    state = rolled(DOUBLE, "444126", "444", "446")
    assert state.turn_total((4,)) == 800
    assert state.turn_total((4, 4)) == 1600
    with_one = rolled(DOUBLE, "444126", "444", "146")
    assert (with_one.turn_total((1,)), with_one.turn_total((4,)), with_one.turn_total((1, 4))) == (500, 800, 900)


def test_K8_a_die_that_doubles_is_part_of_no_combination() -> None:
    ones = rolled(DOUBLE, "111126", "111", "126")
    assert ones.turn_total((1,)) == 2000
    straight = "standard(dice=9, extend=double, scoring.123456=1500, start=first_seat)"
    assert rolled(straight, "444222661", "444", "123456").turn_total((1, 2, 3, 4, 5, 6)) == 0
    assert rolled(straight, "444222661", "444", "123456").turn_total((1, 4, 5)) == 950


def test_K8_a_turn_total_of_ten_million_is_not_doubled() -> None:
    state = rolled(DOUBLE, "444126", "444", "446")
    assert state._replace(points=9_999_950).turn_total((4, 4)) == 19_999_900
    assert state._replace(points=10_000_000).turn_total((4, 4)) == 10_000_000


def test_K8_doubling_is_reported_and_left_to_interpreters_of_whole_turns() -> None:
    before = rolled(DOUBLE, "444126", "444", "146")
    after = apply(before, Keep((1, 4), "roll"))
    kept = facts(before, Keep((1, 4), "roll"), after)[0]
    assert (kept.kind, kept.points, kept.dice) == ("kept", 500, (1, 4))
    assert "doubles your turn total" in sheet(before.rules).text(10_000)
    for ask in (best_turn, duel):
        with pytest.raises(SolveError, match=r'^extend = "double" is not solved: set extend=no'):
            ask(before.rules)
    (doubt,) = doubts(before, Note(50, 2))
    assert doubt.code == "not_known"


def test_an_extension_is_not_a_farkle_and_is_reported() -> None:
    before = rolled(EACH, "444126", "444")
    after = apply(before, Throw((2, 3, 4)))
    assert [fact.kind for fact in facts(before, Throw((2, 3, 4)), after)] == ["rolled"]
    assert float(score_table(before.rules, before.sets).farkles(1)) == 0.5
    assert legal_actions(after) == (Keep((4,), "roll"), Keep((4,), "bank"))


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("standard(extend=each)", "belong together"),
        ("standard(extend_points=100)", "belong together"),
        ("standard(extend=higher, extend_points=100)", "belong together"),
        ("minimal(extend=each, extend_points=100, dice=3)", "needs four dice or more"),
    ],
)
def test_impossible_extensions_are_refused(spec: str, why: str) -> None:
    with pytest.raises(RulesError) as refused:
        parse(spec)
    assert why in str(refused.value)


@pytest.mark.parametrize(("spec", "said"), [(EACH, "each later die of that face scores 100"), (HIGHER, "add the diff")])
def test_the_sheet_tells_of_sets(spec: str, said: str) -> None:
    assert said in " ".join(sheet(rules_of(spec)).text().split())


@pytest.mark.parametrize("spec", [*SMALL, DOUBLES])
def test_the_referee_agrees(spec: str) -> None:
    met = 0
    for number in range(12):
        met += sum(step.after.sets > 0 for step, _ in followed(rules_of(spec), (1, 1), random.Random(number), 200))
    assert met


@pytest.mark.parametrize("spec", [*SMALL, DOUBLES])
def test_arena_and_environments_play_as_the_engine_does(spec: str) -> None:
    same_games(rules_of(spec), ["cautious", "random" if spec == DOUBLES else "turn"], 5, range(6))
    same_games(rules_of(spec), ["random", "bold", "random"], 5, range(6), rows=8)
    compare(rules_of(spec), (1, 1), games=4, steps=80, limit=6)


def value_of_turn(spec: str, most: int) -> float:
    """The mean points of the best turn, by going through all states of one turn up to this many points."""
    start = new_game(rules_of(spec), (1,))
    table: dict[tuple[int, int, int], float] = {}

    def rolling(state: State) -> float:
        if state.points > most:
            return float(state.points)
        key = state.points, state.dice, state.sets
        if key not in table:
            table[key] = 0.0
            scored = score_table(state.rules, state.sets).rolls(state.dice)
            table[key] = sum(one.ways * best(apply(state, Throw(one.roll))) for one in scored) / 6**state.dice
        return table[key]

    def best(state: State) -> float:
        if state.phase is not Phase.KEEP:
            return 0.0
        keeps = [action for action in legal_actions(state) if isinstance(action, Keep)]
        return max(
            state.turn_total(keep.dice) if keep.then == "bank" else rolling(apply(state, keep)) for keep in keeps
        )

    return rolling(start)


@pytest.mark.parametrize(
    "spec",
    [
        "minimal(dice=4, target=100000, extend=each, extend_points=400)",
        "minimal(dice=5, target=100000, extend=higher, scoring.aaaa=1500)",
    ],
)
def test_the_best_turn_knows_open_sets(spec: str) -> None:
    assert best_turn(rules_of(spec)).expected_points == pytest.approx(value_of_turn(spec, 4000), abs=1e-6)


def test_sets_with_multiplied_hot_dice_are_not_solved() -> None:
    with pytest.raises(SolveError) as refused:
        duel(rules_of("standard(extend=each, extend_points=100, hot_dice_multiplier=true, target=1000)"))
    assert refused.value.code == "extend"


@pytest.mark.parametrize(
    "spec",
    [
        "minimal(dice=5, target=800, extend=each, extend_points=150, take_over.price=free)",
        "minimal(target=800, extend=higher, scoring.aaaa=700, hot_dice=forced)",
    ],
)
def test_the_solved_game_knows_open_sets(spec: str) -> None:
    assert_agrees(rules_of(spec))
