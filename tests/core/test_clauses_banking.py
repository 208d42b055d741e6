"""Clauses T and M: who may take over and what for, and what may be banked."""

from __future__ import annotations

import pytest

from farkel.errors import RulesError
from farkel.game import Offer, Phase, Seat
from farkel.game.story import facts, tell
from games_in_words import event_of, go, offered, on_turn, options, play, refused, scores, turn
from named_rules import rules_of

# T: taking over ------------------------------------------------------------------------------------------------------

HEAVY = "minimal(take_over.price=free, take_over.heavy=true)"


def test_T1_the_table_stays_heavy_for_the_rest_of_the_turn() -> None:
    heavy = go(on_turn(HEAVY, 0, 0), "111555", "111555 roll", "123446", "1 bank")
    assert turn(heavy) == (Phase.ROLL, 1, 0, 6)
    light = go(on_turn("minimal(take_over.price=free)", 0, 0), "111555", "111555 roll", "123446", "1 bank")
    assert light.offer == Offer(1_600, 5)


def test_T1_the_next_turn_is_not_heavy() -> None:
    state = go(on_turn(HEAVY, 0, 0), "111555", "111555 roll", "123446", "1 bank", "123446", "1 bank")
    assert state.offer == Offer(100, 5)


def test_T1_a_heavy_turn_that_farkles_leaves_nothing_either() -> None:
    spec = "minimal(take_over.price=free, take_over.heavy=true, take_over.after_farkle=true)"
    assert go(on_turn(spec, 0, 0), "111234", "111 roll", "234").offer == Offer(1_000, 3)
    heavy = go(on_turn(spec, 0, 0), "111555", "111555 roll", "112346", "11 roll", "2346")
    assert turn(heavy) == (Phase.ROLL, 1, 0, 6)


def test_T1_dice_taken_over_that_are_all_kept_are_not_hot_while_others_lie_unused() -> None:
    spec = "minimal(take_over.price=free, take_over.choose_dice=true, take_over.heavy=true, minimum=300)"
    state = go(offered(spec, 100, 3, 100, 0), "take 1", "1", "1 roll", "111346", "1 bank")
    assert state.offer == Offer(300, 5)


def test_T1_renaissance_plays_so() -> None:
    state = go(on_turn("renaissance", 0, 0), "123456", "123456 roll", "123446", "1 bank")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)


def test_T2_only_on_the_board() -> None:
    spec = "build-on(take_over.on_board=true)"
    assert options(offered(spec, 500, 2, 500, 700)) == {"fresh", "take 2"}
    state = offered(spec, 500, 2, 500, 0)._replace(seats=(Seat(500, entered=-1), Seat(0, entered=0)))
    assert options(state) == {"fresh"}
    assert refused(state, "take 2") == "not_on_board"


def test_T2_only_from_a_score_on() -> None:
    spec = "build-on(take_over.from_score=1000)"
    assert options(offered(spec, 500, 2, 500, 1_000)) == {"fresh", "take 2"}
    assert refused(offered(spec, 500, 2, 500, 950), "take 2") == "below_take_over_score"


def test_T3_only_rolled_points_count_toward_the_entry() -> None:
    spec = "build-on(take_over.toward_entry=false)"
    state = play(spec, 2, "111145", "1111 bank", "take 2", "11")
    assert refused(state, "11 bank") == "below_entry"
    state = go(state, "11 roll", "144446", "1444 bank")
    assert scores(state) == (1_000, 1_700)


def test_T3_on_the_board_all_points_count() -> None:
    state = go(offered("build-on(take_over.toward_entry=false)", 500, 2, 500, 700), "take 2", "15")
    assert scores(go(state, "1 bank")) == (500, 1_300)


def test_T3_taken_points_count_for_a_minimum() -> None:
    spec = "build-on(take_over.toward_entry=false, minimum=500)"
    state = go(offered(spec, 450, 2, 450, 700), "take 2", "15")
    assert refused(state, "5 bank") is None


def test_T4_only_the_dice() -> None:
    state = go(offered("build-on(take_over.points=false)", 500, 2, 500, 700), "take 2", "15", "15 bank")
    assert scores(state) == (500, 850)


def test_T5_a_bonus_besides_the_points() -> None:
    state = go(offered("build-on(take_over.bonus=1000)", 500, 2, 500, 700), "take 2")
    assert state.points == 500
    assert go(state, "15").points == 1_500
    assert scores(go(state, "15", "1 bank")) == (500, 2_300)
    assert scores(go(state, "23")) == (500, 700)


def test_T5_a_bonus_instead_of_the_points() -> None:
    spec = "build-on(take_over.bonus=1000, take_over.points=false)"
    assert scores(go(offered(spec, 500, 2, 500, 700), "take 2", "15", "1 bank")) == (500, 1_800)


def test_T5_a_bonus_does_not_count_as_rolled_points() -> None:
    spec = "build-on(take_over.bonus=1000, take_over.toward_entry=false)"
    state = play(spec, 2, "111145", "1111 bank", "take 2", "15")
    assert refused(state, "15 bank") == "below_entry"


# M: what may be banked -----------------------------------------------------------------------------------------------


def test_M1_a_bank_leaves_at_most_n_dice() -> None:
    state = go(on_turn("standard(bank_left=3)", 0, 0), "111236")
    assert options(state) == {"111 roll", "111 bank", "11 roll", "1 roll"}
    assert refused(state, "11 bank") == "too_many_dice_left"


def test_M1_only_with_all_the_dice() -> None:
    state = go(on_turn("standard(bank_left=0)", 0, 0), "111555")
    assert refused(state, "111555 bank") is None
    assert refused(state, "111 bank") == "too_many_dice_left"


def test_M1_unused_dice_of_an_offer_are_left_as_well() -> None:
    spec = "minimal(take_over.price=free, take_over.choose_dice=true, bank_left=1)"
    state = go(offered(spec, 300, 3, 300, 0), "take 1", "1")
    assert options(state) == {"1 roll"}
    assert turn(go(state, "1 roll")) == (Phase.ROLL, 1, 400, 6)


def test_M2_more_than_the_player_before() -> None:
    state = go(on_turn("standard(beat_previous=true)", 0, 0, 0), "115236", "11 bank", "115236")
    assert refused(state, "11 bank") == "not_more_than_previous"
    assert refused(state, "115 bank") is None
    state = go(state, "115 bank", "115236")
    assert refused(state, "115 bank") == "not_more_than_previous"


def test_M2_after_a_farkle_only_the_minimum_counts() -> None:
    state = go(on_turn("standard(beat_previous=true, minimum=150)", 0, 0), "115236", "11 bank", "223446", "115236")
    assert refused(state, "1 bank") == "below_minimum"
    assert refused(state, "15 bank") is None


def test_M2_players_need_not_beat_their_own_bank() -> None:
    state = go(on_turn("standard(beat_previous=true)", 0), "115236", "11 bank", "115236")
    assert refused(state, "1 bank") is None
    state = go(on_turn("standard(beat_previous=true)", 0, 0, 0), "115236", "11 bank", "pass", "115236")
    assert refused(state, "1 bank") is None


def test_M3_a_bank_needs_n_rolls() -> None:
    state = go(on_turn("standard(least_rolls=2)", 0, 0), "115236")
    assert options(state) == {"115 roll", "11 roll", "15 roll", "1 roll", "5 roll"}
    assert refused(go(state, "115 roll", "123"), "1 bank") is None


def test_M4_after_the_last_roll_one_must_bank() -> None:
    state = go(on_turn("standard(most_rolls=2)", 0, 0), "115236", "11 roll", "1234")
    assert options(state) == {"1 bank"}


def test_M4_rolls_after_hot_dice_count() -> None:
    state = go(on_turn("standard(most_rolls=2, hot_dice=forced)", 0, 0), "111555", "111555 roll", "111555")
    assert refused(state, "111555 bank") is None
    assert refused(state, "111555 roll") == "no_roll_left"


def test_M4_a_last_roll_that_may_not_be_banked_is_a_farkle() -> None:
    spec = "standard(most_rolls=2, minimum=400, penalties.farkles_in_row=3, penalties.farkles_in_row_points=100)"
    state = go(on_turn(spec, 0, 0), "115236", "11 roll", "1234")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)
    assert state.seats[0].farkles == 1


def test_M5_the_entry_in_one_roll() -> None:
    state = go(on_turn("standard(entry=300, entry_by=roll)", 0, 0, entered=False), "115236", "115 roll", "114")
    assert refused(state, "11 bank") == "entry_in_one_roll"
    state = go(on_turn("standard(entry=300, entry_by=roll)", 0, 0, entered=False), "333156", "333 roll", "124")
    assert refused(state, "1 bank") is None
    assert refused(go(on_turn("standard(entry=300, entry_by=roll)", 0, 0), "123446"), "1 bank") is None


def test_M5_the_entry_by_a_triple() -> None:
    spec = "standard(entry=500, entry_by=triple)"
    state = go(on_turn(spec, 0, 0, entered=False), "115536", "1155 roll", "11", "11 roll", "113446")
    assert refused(state, "1 bank") == "entry_by_triple"
    state = go(on_turn(spec, 0, 0, entered=False), "222156", "222 roll", "115", "115 roll", "123446")
    assert refused(state, "1 bank") is None


def test_M5_a_triple_alone_is_not_enough() -> None:
    state = go(on_turn("standard(entry=500, entry_by=triple)", 0, 0, entered=False), "222156")
    assert refused(state, "222 bank") == "below_entry"


def test_M6_whoever_sets_aside_all_the_dice_banks_them() -> None:
    """As in "When all six dice have scored, your turn is over: write down your points"."""
    state = go(on_turn("standard(most_hot_dice=1)", 0, 0), "115556")
    assert {"11555 roll", "11555 bank"} <= options(state)
    state = go(state, "11555 roll", "1")
    assert options(state) == {"1 bank"}
    assert refused(state, "1 roll") == "hot_dice_must_bank"
    assert scores(go(state, "1 bank")) == (800, 0)


def test_M6_the_second_hot_dice_of_a_turn_are_its_last() -> None:
    state = go(on_turn("standard(most_hot_dice=2)", 0, 0), "111555")
    assert {"111555 roll", "111555 bank"} <= options(state)
    state = go(state, "111555 roll", "222444")
    assert refused(state, "222444 roll") == "hot_dice_must_bank"
    assert {"222 roll", "222 bank", "222444 bank"} <= options(state)
    assert scores(go(state, "222444 bank")) == (2_100, 0)
    forced = go(on_turn("standard(most_hot_dice=2, hot_dice=forced)", 0, 0), "111555")
    assert refused(forced, "111555 bank") == "must_roll_hot_dice"
    assert options(go(forced, "111555 roll", "222444")) >= {"222444 bank"}


def test_M6_hot_dice_that_may_not_be_banked_are_rolled() -> None:
    state = go(on_turn("standard(most_hot_dice=1, entry=1000)", 0, 0, entered=False), "222444")
    assert options(state) == {"222444 roll", "222 roll", "444 roll"}
    state = go(state, "222444 roll", "222444")
    assert refused(state, "222444 roll") == "hot_dice_must_bank"
    assert scores(go(state, "222444 bank")) == (1_200, 0)


def test_M6_bought_dice_that_are_all_kept_are_no_hot_dice() -> None:
    spec = "standard(most_hot_dice=2, take_over.price=free, take_over.choose_dice=true, minimum=300)"
    state = go(offered(spec, 50, 3, 0, 0), "take 1", "1")
    assert options(state) == {"1 roll"}
    state = go(state, "1 roll", "111555")
    assert {"111555 roll", "111555 bank"} <= options(state)


def test_M6_hot_dice_cannot_be_forced_and_forbidden() -> None:
    with pytest.raises(RulesError, match=r'hot_dice = "forced" and most_hot_dice = 1 contradict each other'):
        rules_of("standard(hot_dice=forced, most_hot_dice=1)")


# Z: scores where no player may rest -----------------------------------------------------------------------------------

PITS = "minimal(target=1000, zones='200-300 leave')"
BARREL = "minimal(target=1000, zones='800-950 barrel tries 2 fine 100 times 2')"


def test_Z1_a_pit_is_left_in_one_turn() -> None:
    state = go(on_turn(PITS, 250, 0), "115236")
    assert refused(state, "5 bank") == "must_leave"
    assert scores(go(state, "1 bank")) == (350, 0)


def test_Z1_a_bank_may_end_in_a_pit_from_outside() -> None:
    assert scores(go(on_turn(PITS, 150, 0), "115236", "1 bank")) == (250, 0)


def test_Z1_the_last_points_in_one_turn() -> None:
    state = go(on_turn("standard(target=5000, zones='4000-4999 leave')", 4_000, 0), "111222")
    assert refused(state, "111 bank") is None
    assert refused(state, "222 bank") == "must_leave"


def test_Z2_no_bank_may_end_inside() -> None:
    state = go(on_turn("minimal(target=1000, zones='300-399 never')", 200, 0), "111556")
    assert refused(state, "1 bank") == "forbidden_score"
    assert refused(state, "11 bank") is None
    assert refused(go(on_turn("minimal(target=1000, zones='300-399 never')", 300, 0), "115236"), "5 bank") is not None


def test_Z3_a_fatal_score() -> None:
    spec = "minimal(target=1000, entry=100, zones='500 zero')"
    state = go(on_turn(spec, 0, 0, entered=False), "555236", "555 bank")
    assert scores(state) == (0, 0)
    assert state.seats[0].on_board
    assert scores(go(on_turn(spec, 400, 0), "123446", "1 bank")) == (0, 0)


def test_Z4_a_bank_onto_the_barrel_stays_at_its_lower_edge() -> None:
    state = go(on_turn(BARREL, 750, 0), "123446", "1 bank")
    assert scores(state) == (800, 0)
    state = go(state, "223446", "123446")
    assert refused(state, "1 bank") == "must_leave"
    assert go(state, "1 roll", "11346", "11 bank").over


def test_Z5_failed_turns_throw_off_the_barrel() -> None:
    state = go(on_turn(BARREL, 800, 0), "223446", "223446", "223446")
    assert scores(state) == (700, 0)
    assert (state.seats[0].tries, state.seats[0].falls) == (0, 1)


def test_Z5_thrown_off_too_often_the_score_is_zero() -> None:
    state = go(on_turn(BARREL, 800, 0), "223446", "223446", "223446", "223446")
    state = go(state, "123446", "1 bank", "223446", "223446", "223446", "223446")
    assert scores(state) == (0, 0)
    assert (state.seats[0].tries, state.seats[0].falls) == (0, 0)


def test_Z5_a_bank_beyond_an_exact_target_is_a_try() -> None:
    state = go(on_turn("minimal(target=1000, finish=exact, zones='800-950 barrel tries 2 fine 100')", 800, 0), "111346")
    state = go(state, "111 bank")
    assert (state.seats[0].score, state.seats[0].tries) == (800, 1)


def test_Z5_leaving_the_barrel_resets_the_tries() -> None:
    spec = "minimal(target=5000, zones='800-950 barrel tries 2 fine 100')"
    state = go(on_turn(spec, 800, 0), "223446", "223446", "112346", "11 bank")
    assert (state.seats[0].score, state.seats[0].tries) == (1_000, 0)


def test_zones_have_one_form() -> None:
    rules = rules_of("minimal(zones='555 ZERO;  200 - 300 leave; 880-999 barrel fine 100  tries 3')")
    assert rules.zones == "200-300 leave; 555 zero; 880-999 barrel tries 3 fine 100"
    assert rules_of(str(rules)) == rules


@pytest.mark.parametrize(
    ("spec", "right"),
    [
        ("standard(take_over.heavy=true)", "needs a take-over"),
        ("build-on(take_over.heavy=true, take_over.after_hot_dice=true)", "contradict each other"),
        ("renaissance(take_over.on_board=true)", "needs an entry score, but entry = 0"),
        ("renaissance(take_over.toward_entry=false)", "set an entry such as 500"),
        ("build-on(take_over.toward_entry=false, minimum=600)", "at least the minimum"),
        ("build-on(take_over.from_score=20000)", "nobody would ever take over"),
        ("standard(take_over.bonus=100)", "needs a take-over"),
        ("standard(least_rolls=3, most_rolls=2)", "nobody could ever bank"),
        ("build-on(most_rolls=1)", "are not played together"),
        ("standard(entry_by=roll)", "needs an entry score"),
        ("standard(entry=5000, entry_by=roll)", "the most is 2000"),
        ("standard(entry=500, entry_by=triple, scoring.aaa=0, scoring.111=0)", "no combination of three or more dice"),
        ("standard(zones='200 to 300')", "write scores and what they do, such as"),
        ("standard(zones='200-300 away')", "write scores and what they do, such as"),
        ("standard(zones='300-200 leave')", "the lower score first"),
        ("standard(zones='200-300 leave; 250 zero')", "200-300 and 250 overlap"),
        ("standard(zones='9000-10000 leave')", 'as in "9000-9999 leave"'),
        ("standard(zones='800-900 barrel')", "needs tries and a fine above 0, such as"),
        ("standard(zones='200-300 leave tries 3')", "only a barrel has tries"),
        ("standard(bank_left=10)", "a whole number from 0 to 9"),
    ],
)
def test_contradictions_are_refused_with_a_remedy(spec: str, right: str) -> None:
    with pytest.raises(RulesError, match=right):
        rules_of(spec)


def test_M7_whoever_rolls_again_needs_so_many_points() -> None:
    """As in "You may throw again only if you have at least 300 points; with fewer you must write them down"."""
    state = go(on_turn("standard(roll_from=300)", 0, 0), "115236")
    assert options(state) == {"115 bank", "11 bank", "15 bank", "1 bank", "5 bank"}
    assert refused(state, "115 roll") == "too_few_to_roll"
    state = go(on_turn("standard(roll_from=300)", 0, 0), "333156")
    assert {word for word in options(state) if "roll" in word} == {"333 roll", "1333 roll", "3335 roll", "13335 roll"}
    assert "5 roll" in options(go(state, "333 roll", "256"))


def test_M7_points_taken_over_count() -> None:
    state = go(offered("standard(roll_from=300, take_over.price=free)", 250, 3, 0, 0), "take 3", "526")
    assert options(state) == {"5 roll", "5 bank"}


def test_M7_what_may_not_be_banked_is_rolled_on_with() -> None:
    state = go(on_turn("standard(roll_from=300, minimum=200)", 0, 0), "115236")
    assert options(state) == {"115 bank", "11 bank", "15 roll", "1 roll", "5 roll"}
    hot = go(on_turn("standard(roll_from=1000, hot_dice=forced)", 0, 0), "222333")
    assert options(hot) == {"222333 roll", "222 bank", "333 bank"}


def test_M7_one_roll_is_not_followed_by_another() -> None:
    with pytest.raises(RulesError, match="roll_from = 300 is about rolling again, and most_rolls = 1"):
        rules_of("standard(roll_from=300, most_rolls=1)")


def test_M8_to_get_on_the_board_there_are_three_rolls() -> None:
    """As in "You have three throws to make the 350 that open the game; later turns have as many as you like"."""
    spec = "standard(entry=350, entry_rolls=3)"
    state = go(on_turn(spec, 0, 0, entered=False), "115236", "1 roll", "12346", "1 roll")
    assert options(go(state, "1156")) == {"115 bank", "11 bank", "15 bank"}
    assert refused(go(state, "1156"), "115 roll") == "no_roll_left"
    farkled = go(state, "1346")
    assert (turn(farkled), scores(farkled)) == ((Phase.ROLL, 1, 0, 6), (0, 0))
    free = go(on_turn(spec, 350, 0), "115236", "1 roll", "12346", "1 roll", "1346", "1 roll", "126")
    assert options(free) == {"1 roll", "1 bank"}


def test_M8_each_partner_has_so_many_rolls() -> None:
    spec = "standard(entry=300, entry_each=true, teams=partners, entry_rolls=2)"
    state = go(play(spec, (2, 1), "6", "1"), "333146", "333 bank", "pass", "115236", "1 roll", "12346")
    assert turn(state) == (Phase.ROLL, 1, 0, 6)
    state = go(state, "pass", "115236", "1 roll", "12346")
    assert options(state) == {"1 roll", "1 bank"}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("standard(entry_rolls=3)", "entry_rolls = 3 needs an entry score, but entry = 0"),
        ("standard(entry=500, entry_rolls=3, most_rolls=3)", "entry_rolls = 3 is not below most_rolls = 3"),
        ("standard(entry=500, entry_rolls=1, least_rolls=2)", "nobody could ever get on the board"),
        ("build-on(entry_rolls=1)", "a turn of one roll cannot start from an offer"),
        ("standard(entry=3000, entry_rolls=1)", "set entry = 2000 or less, or entry_rolls = 0"),
    ],
)
def test_M8_rolls_that_nobody_could_enter_with_are_refused(spec: str, said: str) -> None:
    with pytest.raises(RulesError, match=said):
        rules_of(spec)


FALLS = "minimal(entry=350, penalties.farkle=100, entry_again={})"


def test_M9_whoever_falls_to_zero_makes_the_entry_again() -> None:
    """As in "Whoever falls back to zero must make the 350 again before writing anything down"."""
    spec = "minimal(entry=350, catching_up.landed_on=to_zero, entry_again=at_zero)"
    state = go(on_turn(spec, 1_000, 2_000), "111234", "111 bank")
    assert (scores(state), [seat.on_board for seat in state.seats]) == ((2_000, 0), [True, False])
    assert refused(go(state, "115236"), "11 bank") == "below_entry"
    state = go(state, "333156", "33315 bank", "234466", "123446")
    assert (scores(state), refused(state, "1 bank")) == ((2_000, 450), None)
    stays = go(on_turn("minimal(entry=350, catching_up.landed_on=to_zero)", 1_000, 2_000), "111234", "111 bank")
    assert refused(go(stays, "115236"), "11 bank") is None


@pytest.mark.parametrize(
    ("again", "score", "on_board"),
    [("at_zero", 150, True), ("at_zero", 100, False), ("below_entry", 450, True), ("below_entry", 400, False)],
)
def test_M9_a_penalty_may_take_a_player_off_the_board(again: str, score: int, on_board: bool) -> None:
    state = go(on_turn(FALLS.format(again), score, 0), "234466")
    assert (state.seats[0].score, state.seats[0].on_board) == (score - 100, on_board)


def test_M9_a_bank_that_leads_no_higher_stays_off_the_board() -> None:
    state = go(on_turn(FALLS.format("at_zero"), -400, 0, entered=False), "333156", "3335 bank")
    assert (state.seats[0].score, state.seats[0].on_board) == (-50, False)


def test_M9_partners_fall_together() -> None:
    spec = "minimal(entry=300, entry_each=true, teams=partners, entry_again=at_zero, penalties.farkle=all)"
    state = go(play(spec, (2, 1)), "333146", "333 bank", "pass", "333146", "333 bank", "pass", "234466")
    assert state.seats[0].entered == 0


def test_M9_a_fall_is_told() -> None:
    before = on_turn(FALLS.format("at_zero"), 100, 1_000)
    after = go(before, "234466")
    told = [tell(fact, ("Ann", "Ben"), after) for fact in facts(before, event_of("234466"), after)]
    assert told[-1] == "Ann is off the board and has to make the entry score again."


def test_M9_there_is_an_entry_score_to_make() -> None:
    with pytest.raises(RulesError, match='entry_again = "at_zero" needs an entry score, but entry = 0'):
        rules_of("minimal(entry_again=at_zero)")
