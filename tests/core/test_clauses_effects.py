"""What combinations and rolls do besides paying (P15 to P17), and what must be kept (K4, K5), clause by clause."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from test_simulation import same_games
from test_training_vector import compare

from farkel.errors import RulesError, SolveError
from farkel.game import Phase, State, apply, chance_outcomes
from farkel.game.scoring import score_table
from farkel.game.story import facts, tell
from farkel.rules import parse, sheet
from farkel.solve import best_turn, duel
from games_in_words import best, dice, event_of, go, is_farkle, offered, on_turn, options, play, refused, scores, turn
from named_rules import rules_of
from random_play import random_states
from referee import followed

FIRST = 'standard(scoring.aabbcc={points=1000, when="first_roll"}, rolled.nothing={points=500, when="first_roll"})'


def test_P15_points_only_on_the_first_roll_of_a_turn() -> None:
    first = go(on_turn(FIRST, 0, 0), "223344")
    assert options(first) == {"223344 roll", "223344 bank"}
    later = go(on_turn(FIRST, 0, 0), "123456", "1 roll", "22346")
    assert later.phase is Phase.ROLL
    assert later.seat == 1
    hot = go(on_turn(FIRST, 0, 0), "223344", "223344 roll", "223344")
    assert turn(hot)[:2] == (Phase.ROLL, 1)
    assert scores(hot) == (0, 0)


def test_P15_dice_of_which_none_scores_pay_only_on_the_first_roll() -> None:
    assert options(go(on_turn(FIRST, 0, 0), "223346")) == {"223346 roll", "223346 bank"}
    again = go(on_turn(FIRST, 0, 0), "223346", "223346 roll", "223346")
    assert turn(again)[:2] == (Phase.ROLL, 1)


def test_P15_a_take_over_has_no_first_roll() -> None:
    rules = FIRST.replace("standard(", "standard(take_over.price=free, take_over.after_hot_dice=true, ")
    taken = go(offered(rules, 500, 6, 500, 0), "take 6", "223344")
    assert turn(taken)[:2] == (Phase.ROLL, 0)
    assert options(go(offered(rules, 500, 6, 500, 0), "fresh", "223344")) == {"223344 roll", "223344 bank"}


def test_P15_combinations_only_in_a_roll_of_all_the_dice() -> None:
    rules = 'standard(dice=5, scoring.aaa={points="100a", when="all_dice"}, scoring.111=0)'
    assert best(rules, "22255") == 300
    assert is_farkle(rules, "2223")
    assert best(rules, "1112") == 300


def test_P15_if_an_entry_does_not_count_a_longer_one_does() -> None:
    rules = 'standard(scoring.222={points=900, when="first_roll"})'
    assert options(go(on_turn(rules, 0, 0), "222346")) == {"222 roll", "222 bank"}
    assert go(on_turn(rules, 0, 0), "222346", "222 bank").seats[0].score == 900
    assert go(on_turn(rules, 0, 0), "134666", "1 roll", "22234", "222 bank").seats[0].score == 300


def test_P16_another_roll_must_score_before_the_bank() -> None:
    rules = 'standard(scoring.aaabb={points=1500, then="roll"})'
    house = go(on_turn(rules, 0, 0), "223336")
    assert "22333 roll" in options(house)
    assert refused(house, "22333 bank") == "must_confirm"
    rolling = go(house, "22333 roll")
    assert rolling.owing == 1
    assert go(rolling, "5", "5 bank").seats[0].score == 1_550
    assert scores(go(rolling, "4")) == (0, 0)
    # Other keeps of the same roll need no other.
    assert "333 bank" in options(house)


def test_P16_n_points_must_be_kept_before_the_bank() -> None:
    rules = "standard(scoring.aabbcc={points=1500, confirm=350})"
    pairs = go(on_turn(rules, 0, 0), "223344", "223344 roll")
    assert pairs.owing == 350
    more = go(pairs, "123466", "1 roll")
    assert more.owing == 250
    assert refused(go(more, "15234"), "1 bank") == "must_confirm"
    assert go(more, "22244", "222 roll").owing == 50
    assert options(
        go(
            more,
            "22255",
        )
    ) >= {"22255 bank", "22255 roll"}


def test_P16_the_larger_debt_counts() -> None:
    rules = 'standard(scoring.222={points=200, confirm=350}, scoring.333={points=300, then="roll"})'
    assert go(on_turn(rules, 0, 0), "222333", "222333 roll").owing == 350
    assert go(on_turn(rules, 0, 0), "222346", "222 roll", "333", "333 roll").owing == 50
    assert go(on_turn(rules, 0, 0), "333246", "333 roll", "222", "222 roll").owing == 350


def test_P16_an_exact_target_does_not_replace_confirmation() -> None:
    rules = 'standard(target=1500, finish=exact, scoring.aaabb={points=1500, then="roll"})'
    assert refused(go(on_turn(rules, 0, 0), "223336"), "22333 bank") == "must_confirm"


def test_P16_a_combination_ends_the_turn_if_it_may_be_banked() -> None:
    rules = 'standard(scoring.aaabb={points=200, then="bank"}, minimum=300)'
    assert "22333 roll" in options(go(on_turn(rules, 0, 0), "223336"))
    late = go(on_turn(rules, 0, 0), "111346", "1 roll", "22333")
    assert "22333 bank" in options(late)
    assert refused(late, "22333 roll") == "combination_must_bank"


def test_P16_a_combination_wins_the_game() -> None:
    rules = "standard(dice=5, scoring.aaaaa=win, entry=500)"
    state = go(on_turn(rules, 0, 9_000, entered=False), "22222")
    assert "22222 bank" in options(state)
    assert refused(state, "22222 roll") == "wins_the_game"
    over = go(state, "22222 bank")
    assert over.result is not None
    assert (over.result.winners, over.result.reason, scores(over)) == ((0,), "dice", (0, 9_000))
    # Keeping three of them is no win.
    assert "222 roll" in options(state)


def test_P16_of_splits_that_pay_the_same_the_freest_counts() -> None:
    table = score_table(parse('standard(scoring.1155={points=300, then="roll"}, scoring.15={points=150, then="bank"})'))
    keeps = table[dice("1155")].keeps
    assert (keeps[dice("1155")].points, keeps[dice("1155")].owes, keeps[dice("1155")].ends) == (300, 0, False)
    one = score_table(parse('standard(scoring.155={points=250, then="roll"})'))[dice("155")].keeps[dice("155")]
    assert (one.points, one.owes) == (250, 1)
    wins = score_table(parse("standard(scoring.1155=win)"))[dice("11155")].keeps
    assert wins[dice("11155")].wins
    assert next(iter(wins.values())).wins


def test_P17_immediate_points_for_the_banked_score() -> None:
    rules = "standard(rolled.444=100)"
    state = go(on_turn(rules, 500, 0), "234446")
    assert scores(state) == (600, 0)
    assert scores(go(on_turn(rules, 500, 0), "123444", "1 roll", "22336")) == (600, 0)


@pytest.mark.parametrize(
    ("finish", "score", "after", "over"),
    [
        ("at_once", 9_900, 10_000, True),
        ("last_turns", 9_900, 10_000, False),
        ("equal_turns", 9_950, 10_050, False),
        ("exact", 9_900, 10_000, True),
        ("exact", 9_950, 9_950, False),
    ],
)
def test_P17_points_that_reach_the_target_count_immediately(finish: str, score: int, after: int, over: bool) -> None:
    state = go(on_turn(f"standard(finish={finish}, rolled.444=100)", score, 0), "234446")
    assert (state.seats[0].score, state.over) == (after, over)
    if not over and after >= 10_000:
        assert state.closer == 0
        assert go(state, "444 roll", "236").seat == 1


def test_P17_a_roll_wins_the_game() -> None:
    state = go(on_turn("standard(rolled.111111=win)", 0, 5_000), "111111")
    assert state.result is not None
    assert (state.result.winners, state.result.reason) == ((0,), "dice")


def test_P17_a_roll_puts_a_player_out_of_the_game() -> None:
    rules = "standard(rolled.111111=lose)"
    three = go(on_turn(rules, 700, 0, 0), "111111")
    assert (three.seats[0].status, three.seats[0].score, three.seat, three.offer) == ("out", 700, 1, None)
    two = go(three, "111111")
    assert two.result is not None
    assert (two.result.winners, two.result.reason) == ((2,), "standing")
    alone = go(play("minimal(rolled.111111=lose)", 1), "111111")
    assert alone.result is not None
    assert alone.result.winners == ()


def test_P17_a_roll_loses_the_whole_score() -> None:
    rules = "standard(rolled.2222=zero, penalties.farkle_all_dice=50)"
    assert scores(go(on_turn(rules, 700, 0), "112222")) == (-50, 0)
    assert scores(go(on_turn(rules, -100, 0), "112222")) == (-150, 0)


def test_P13_effects_that_end_the_turn_are_one_kind() -> None:
    rules = parse("standard(rolled.aaaa=lose, rolled.6666=win, rolled.5555=farkle, rolled.11=zero)")
    table = score_table(rules)
    ends = {text: table[dice(text)].ends for text in ("2222", "6666", "5555", "112222", "1123", "116666")}
    assert ends == {"2222": "lose", "6666": "win", "5555": "farkle", "112222": "lose", "1123": "zero", "116666": "win"}


def test_K4_all_scoring_dice_must_be_kept() -> None:
    rules = "standard(keep=all, scoring.1345=200)"
    assert options(go(on_turn(rules, 0, 0), "112456")) == {"115 roll", "115 bank"}
    # Neither of these is part of the other.
    state = go(on_turn("standard(keep=all, scoring.2346=500)", 0, 0), "122346")
    assert options(state) == {"12346 roll", "12346 bank"}
    assert refused(state, "1 roll") == "must_keep_all"


def test_K6_every_roll_is_of_all_the_dice() -> None:
    state = go(on_turn("standard(next_roll=all)", 0, 0), "115236", "11 roll")
    assert (state.points, state.dice) == (200, 6)
    assert go(state, "155236", "155 bank").seats[0].score == 400
    hot = go(on_turn("standard(next_roll=all, hot_dice=forced)", 0, 0), "111555")
    assert refused(hot, "111555 bank") == "must_roll_hot_dice"
    assert go(hot, "111 bank").seats[0].score == 1_000


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("standard(next_roll=all, bank_left=1)", "set bank_left = 9"),
        ("standard(next_roll=all, extend=higher)", 'set extend = "no"'),
        ("build-on(next_roll=all)", "nothing can be taken over"),
        ("standard(target=0, rounds=3, keep=all_to_win)", "needs a target above 0"),
        ("standard(penalties.not_beaten=100)", "needs beat_previous = true"),
    ],
)
def test_K6_K7_F17_contradictions_are_refused(spec: str, words: str) -> None:
    with pytest.raises(RulesError, match=words):
        rules_of(spec)


def test_K7_a_bank_that_reaches_the_target_keeps_all_scoring_dice() -> None:
    state = go(on_turn("standard(target=1000, keep=all_to_win)", 800, 0), "115236")
    assert refused(state, "11 bank") == "must_keep_all_to_win"
    assert "1 bank" in options(state)
    assert go(state, "115 bank").seats[0].score == 1_050
    exact = go(on_turn("standard(target=1000, finish=exact, keep=all_to_win)", 800, 0), "115236")
    assert refused(exact, "11 bank") == "must_keep_all_to_win"
    assert "11 roll" in options(exact)


def test_K5_a_bonus_for_hot_dice() -> None:
    rules = "standard(hot_dice_bonus=500)"
    state = go(on_turn(rules, 0, 0), "111555")
    assert go(state, "111555 roll").points == 2_000
    assert go(state, "111555 bank").seats[0].score == 2_000
    assert go(state, "111 bank").seats[0].score == 1_000


def test_K5_a_bonus_that_no_farkle_takes() -> None:
    rules = 'standard(hot_dice_bonus=500, hot_dice_bonus_to="score")'
    state = go(on_turn(rules, 100, 0), "111555")
    rolling = go(state, "111555 roll")
    assert (rolling.points, scores(rolling)) == (1_500, (600, 0))
    assert scores(go(rolling, "223346")) == (600, 0)
    assert scores(go(state, "111555 bank")) == (2_100, 0)
    won = go(on_turn(f"{rules[:-1]}, finish=at_once)", 9_500, 0), "111555", "111555 roll")
    assert won.over
    assert scores(won) == (10_000, 0)


def test_K5_unused_dice_are_not_hot_dice() -> None:
    state = go(offered("original(hot_dice_bonus=500)", 4_000, 3, 4_000, 0), "take 1", "5", "5 bank")
    assert scores(state) == (4_000, 4_500)


# Rolls that are rolled again ------------------------------------------------------------------------------------------


def told(state: State, event: str) -> list[str]:
    after = apply(state, event_of(event))
    return [tell(fact, ("Ann", "Ben"), after) for fact in facts(state, event_of(event), after)]


AGAIN = 'standard(rolled.22={then="again"}, most_rolls=2, start=first_seat)'
REROLL = "standard(extend=again, start=first_seat)"
HOUSE = 'standard(dice=5, scoring.aaa={points="100a", then="roll"}, rolled.aa={then="again", when="after_set"})'


def test_p18_a_roll_that_is_rolled_again_leaves_everything_as_it_was() -> None:
    state = go(on_turn(AGAIN, 300, 0), "134466", "1 roll")
    again = go(state, "22155")
    assert again == state
    assert told(state, "22155") == ["Ann rolls 1-2-2-5-5.", "Ann rolls these dice again."]
    assert go(again, "13466", "1 bank").seats[0].score == 500  # the second roll of two at most


def test_p18_nothing_may_be_forgiven() -> None:
    spec = "standard(rolled.nothing=again, penalties.farkle_first_roll=100)"
    state = on_turn(spec, 300, 0)
    assert go(state, "223466") == state
    assert go(state, "123466", "1 roll", "22346").seats[0].score == 300
    take = offered("standard(rolled.22=again, take_over.price=stake, take_over.stake=100)", 400, 3, 500, 500)
    assert go(take, "take 3", "223") == go(take, "take 3")


def test_p18_other_words_count_before_it() -> None:
    state = on_turn("standard(rolled.22=again, rolled.666=zero)", 300, 0)
    assert go(state, "226663").seats[0].score == 0


def test_p18_rolls_that_count_make_the_chance_of_a_farkle() -> None:
    table = score_table(rules_of("standard(rolled.2=again, rolled.3=again)"))
    assert table.farkles(1) == Fraction(2, 4)
    assert not table[(2,)].farkle


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("standard(rolled.a=again)", "every roll of one die would be rolled again"),
        ("standard(rolled.aa=again, rolled.ab=again)", "every roll of 2 dice would be rolled again"),
        ('standard(rolled.22={points=50, then="again"})', "a roll that does not count moves no points"),
        ('standard(next_roll=all, rolled.22={then="again", when="after_set"})', "leaves no dice lying"),
    ],
)
def test_p18_rolls_without_end_are_refused(spec: str, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        parse(spec)


def test_K9_the_face_of_an_open_set_is_rolled_again() -> None:
    state = go(on_turn(REROLL, 0, 0), "444126", "444 roll")
    assert go(state, "146") == state
    assert options(go(state, "126")) == {"1 roll", "1 bank"}
    assert go(state, "236").seat == 1
    assert score_table(state.rules, state.sets).farkles(1) == Fraction(3, 5)


def test_P15_entries_may_be_for_rolls_after_a_set() -> None:
    state = go(on_turn(HOUSE, 0, 0), "33326", "333 roll")
    assert go(state, "22") == state  # the flash must still be cleared
    assert go(state, "24").seat == 1
    assert options(go(state, "15")) == {"1 roll", "1 bank", "5 roll", "5 bank", "15 roll", "15 bank"}
    assert options(go(on_turn(HOUSE, 0, 0), "12246")) == {"1 roll", "1 bank"}
    pair = 'standard(scoring.66={points=600, when="after_set"})'
    assert options(go(on_turn(pair, 0, 0), "444266", "444 roll", "266")) == {"66 roll", "66 bank"}
    assert go(on_turn(pair, 0, 0), "223466").seat == 1


@pytest.mark.parametrize("spec", [AGAIN, HOUSE, "minimal(extend=again, dice=7, target=3000, take_over.price=free)"])
def test_rolls_again_are_the_same_to_referee_arena_and_environments(spec: str) -> None:
    for number in range(8):
        for _ in followed(rules_of(spec), (1, 1), random.Random(number), 200):
            pass
    same_games(rules_of(spec), ["random", "bold", "random"], 5, range(4), rows=8)
    compare(rules_of(spec), (1, 1), games=3, steps=60, limit=6)
    text = sheet(rules_of(spec)).text(10_000)
    assert "roll the same dice again" in text


@pytest.mark.parametrize("spec", [AGAIN, "minimal(extend=again, dice=7, target=3000, take_over.price=free)"])
def test_rolls_again_are_known_to_the_best_turn(spec: str) -> None:
    best = best_turn(rules_of(spec))
    for state in random_states(best.rules, 1, 60, (1, 1)):
        if state.phase is Phase.ROLL:
            falls = [(apply(state, throw), ways) for throw, ways in chance_outcomes(state)]
            # A roll that is thrown again leaves the state as it was; a farkle is worth nothing.
            mine = [(after, ways) for after, ways in falls if after == state or after.phase is Phase.KEEP]
            mean = sum(ways * best.worth(after) for after, ways in mine) / sum(ways for _, ways in falls)
            assert best.worth(state) == pytest.approx(mean, abs=1e-6)


def test_dice_that_count_after_a_set_are_not_solved() -> None:
    for ask in (best_turn, duel):
        with pytest.raises(SolveError, match="is not solved"):
            ask(rules_of(HOUSE))
