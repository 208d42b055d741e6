"""Any number of dice from 1 to 10 and of seats up to 20: rolls, scores, texts and games."""

from __future__ import annotations

import random

import pytest
from test_simulation import same_games
from test_training_vector import compare

from farkel.dice import FACES, MOST_DICE, all_rolls, roll_of
from farkel.dice.simulated import ArenaDice, below, draw, key, thrown, throws
from farkel.errors import PlayerError, RulesError
from farkel.game import new_game
from farkel.game.numbered import numbered
from farkel.game.scoring import score_table
from farkel.kernels.law import CompiledRules, rolled_by, table
from farkel.kernels.spaces import Space
from farkel.kernels.words import int64, uint64
from farkel.rules import Rolled, parse, sheet
from farkel.rules.pattern_tables import MOMENTS, contains
from farkel.support.bounds import MOST_SEATS
from farkel.terminal.drawing import small_die_art
from farkel.training.episode import thrower
from kernel_games import SPACES, kernel
from naive_scorer import NaiveScorer
from named_rules import rules_of
from referee import followed

MANY = "standard(dice=10, target=2000, scoring.aaaa=1000, scoring.123456=1500, scoring.aaaaabbbbb=5000)"


def test_many_dice_are_thrown_one_after_the_other() -> None:
    assert [thrown(3, number) for number in range(216)] == list(throws(3))
    for dice in (7, 10):
        for number in (0, 1, 6**6, 123_456, 6**dice - 1):
            assert thrown(dice, number) == roll_of(number // 6**place % 6 + 1 for place in range(dice))


@kernel
def found_roll(rules: CompiledRules, hand: int, drawn: int) -> int:
    return rolled_by(rules.throws, hand, uint64(drawn))


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("dice", range(1, MOST_DICE + 1))
def test_throws_of_kernels_are_those_of_the_engine(dice: int, space: Space) -> None:
    book, rules = numbered(rules_of(MANY)), table(rules_of(MANY))
    for number in range(200):
        drawn = draw(key(5, dice, 0), number)
        rolled = book.scored[space.run(found_roll, rules, dice, int64(drawn))].roll
        assert rolled == thrown(dice, below(drawn, 6**dice)) == ArenaDice(5, dice).throw(number, dice)


@pytest.mark.parametrize("dice", [8, 10])
def test_environments_throw_many_dice(dice: int) -> None:
    throw = thrower(random.Random(1))
    assert all(throw(dice).faces in set(all_rolls(dice)) for _ in range(50))


@pytest.mark.parametrize("dice", [1, 2, 3, 4, 7, 8])
def test_any_number_of_dice_scores_as_a_naive_scorer_says(dice: int) -> None:
    alike = {"a" * number: f"{100 * number}a" for number in range(3, dice + 1)}
    rules = rules_of("minimal").model_copy(
        update={"dice": dice, "scoring": {"1": 100, "5": 50} | alike, "rolled": {"22": -50} if dice > 1 else {}}
    )
    naive, chance = NaiveScorer(rules), random.Random(dice)
    rolls = [scored for number in range(1, dice + 1) for scored in score_table(rules).rolls(number)]
    for scored in chance.sample(rolls, min(len(rolls), 150)):
        found = naive.score(scored.roll)
        assert {kept.dice: kept.points for kept in scored.keeps.values()} == {
            part: worth.points for part, worth in found.keeps.items()
        }
        assert scored.fine == found.fine


def test_rolls_hold_the_largest_of_sets_within_each_other() -> None:
    fines = {(face,) * 2: 20 for face in FACES} | {(2, 2): 50, (2, 2, 2): 300, (2, 2, 3, 3): 400}
    rolled = Rolled({"22": -50, "aa": -20, "222": -300, "2233": -400, "33": "farkle"})
    for roll in all_rolls(5):
        met = [dice for dice in fines if contains(roll, dice)]
        largest = [dice for dice in met if not any(dice != other and contains(other, dice) for other in met)]
        does = rolled.does(roll, MOMENTS[0])
        assert does.fine == sum(fines[dice] for dice in largest)
        assert does.fined == {face for dice in largest for face in dice}
        assert (does.ends == "farkle") == contains(roll, (3, 3))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("minimal(dice=1)", ("with one die", "Roll the die.", "roll it again, or bank", "may roll it again")),
        ("minimal(dice=2)", ("with two dice", "Roll both dice.", "kept both, you may roll both again")),
        ("minimal(dice=10)", ("with ten dice", "Roll all ten dice.", "kept all ten, you may")),
        ("zilch(dice=8)", ("all eight dice and nothing scores",)),
        ("minimal(penalties.farkle_all_dice=50, dice=2)", ("A farkle on both dice costs 50",)),
    ],
)
def test_C1_the_sheet_says_how_many_dice(spec: str, said: tuple[str, ...]) -> None:
    text = " ".join(sheet(rules_of(spec)).text().split())
    assert [words for words in said if words not in text] == []


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("minimal(dice=1, scoring.1=0, scoring.5=0)", "nothing scores of one die, so that"),
        ("minimal(dice=2, scoring.1=0, scoring.5=0)", "nothing scores of one or two dice, so that"),
        ("minimal(dice=1, hot_dice=forced)", "nothing can ever be banked"),
        ("minimal(bank_left=0, hot_dice=forced)", "nothing can ever be banked"),
        ("minimal(dice=11)", "1 to 10"),
        ("minimal(dice=0)", "1 to 10"),
        ("minimal(most_seats=21)", "1 to 20"),
    ],
)
def test_invalid_numbers_are_refused(spec: str, why: str) -> None:
    with pytest.raises(RulesError) as refused:
        parse(spec)
    assert why in str(refused.value)


@pytest.mark.parametrize("dice", [1, 2, 3, 4, 7, 10])
def test_C1_games_with_any_number_of_dice_are_as_the_referee_says(dice: int) -> None:
    rules = rules_of(f"minimal(dice={dice}, target=1000, take_over.price=free, take_over.choose_dice=true)")
    for number in range(3):
        for _ in followed(rules, (1, 1), random.Random(number), 150):
            pass


def test_O1_twenty_may_play() -> None:
    rules = rules_of("renaissance(target=1500, entry=300)")
    for number in range(2):
        (*_, (step, _)) = followed(rules, (1,) * MOST_SEATS, random.Random(number), 900)
        assert len(step.after.seats) == MOST_SEATS
    with pytest.raises(PlayerError):
        new_game(rules_of("renaissance"), (1,) * (MOST_SEATS + 1))
    with pytest.raises(PlayerError):
        new_game(rules_of("original"), (1,) * 6)


@pytest.mark.parametrize(("spec", "seats"), [(MANY, 2), ("minimal(dice=1, target=2000)", 2), (MANY, 20)])
def test_the_arena_plays_them_as_the_engine_does(spec: str, seats: int) -> None:
    players = [("cautious", "bold", "random", "threshold:300")[seat % 4] for seat in range(seats)]
    same_games(rules_of(spec), players, 11, range(4))


@pytest.mark.parametrize(("spec", "seats"), [(MANY, 2), ("minimal(dice=1, target=500)", 20)])
def test_environments_play_them_as_the_engine_does(spec: str, seats: int) -> None:
    compare(rules_of(spec), (1,) * seats, games=3, steps=60, limit=6)


def test_small_dice_show_their_face() -> None:
    assert small_die_art(5) == ["╭─╮", "│5│", "╰─╯"]
    assert small_die_art(0, marked=True) == ["╔═╗", "║ ║", "╚═╝"]
