"""Clauses F24 and after: ties, starts, and turns around the table, as published texts have them."""

from __future__ import annotations

import re

import pytest

from farkel.errors import RulesError, SolveError
from farkel.game import Offer, Result, State, apply, new_game
from farkel.game.needed import Needed, needed
from farkel.game.story import ending, facts, holding, tell
from farkel.rules import load, sheet
from farkel.solve import best_turn, duel
from games_in_words import event_of, go, offered, on_turn, options, refused, scores

NAMES = ("Ann", "Ben", "Cleo")
NOTHING = "note 0 6 farkle"
FIRST = "standard(finish=equal_turns, ties=first"


def said(spec: str) -> str:
    """The rule sheet on one line."""
    return " ".join(sheet(load(spec)).text().split())


def told(state: State, event: str) -> list[str]:
    """What follows from an event, in sentences."""
    after = apply(state, event_of(event))
    return [tell(fact, NAMES, after) for fact in facts(state, event_of(event), after)]


# F24: ties go to the first -----------------------------------------------------------------------------------------


def test_f24_a_tie_does_not_beat_the_first_at_the_target() -> None:
    state = go(on_turn(f"{FIRST})", 9_500, 9_000, 9_700), "note 500 0", "note 1000 0", "note 300 0")
    assert state.result == Result((0,), "equal_turns")
    assert ending(state, NAMES) == (
        "Ann wins with 10,000, the highest score after equal turns, and the first to reach it."
    )


def test_f24_of_others_that_tie_above_the_first_the_earlier_one_wins() -> None:
    state = go(on_turn(f"{FIRST})", 9_500, 9_000, 9_700), "note 500 0", "note 1100 0", "note 400 0")
    assert state.result == Result((1,), "equal_turns")
    assert ending(state, NAMES) == (
        "Ben wins with 10,100, the highest score after equal turns, and the first to reach it."
    )
    alone = go(on_turn(f"{FIRST})", 9_500, 9_000, 9_700), "note 500 0", "note 1100 0", "note 500 0")
    assert ending(alone, NAMES) == "Cleo wins with 10,200, the highest score after equal turns."


def test_f24_equal_scores_share_if_nobody_has_reached_the_target() -> None:
    state = on_turn(f"{FIRST}, rounds=1)", 0, 0)._replace(rounds_left=1)
    assert go(state, "note 300 0", "note 300 0").result == Result((0, 1), "rounds")


def test_f24_the_sheet_says_who_wins_a_tie() -> None:
    spec = f"{FIRST}, rounds=20)"
    assert "The highest score wins; ties go to the player who got there first." in said(spec)
    assert "After 20 rounds without that the highest score wins; equal scores share the win." in said(spec)


def test_f24_the_first_seat_wins_more_often_than_with_shared_wins() -> None:
    small = "minimal(target=300, scoring.5=100, finish=equal_turns"
    assert duel(f"{small}, ties=first)").first_player_wins > duel(f"{small})").first_player_wins


@pytest.mark.parametrize(
    "spec", ["standard(ties=first)", "standard(finish=equal_turns, target=0, rounds=5, ties=first)"]
)
def test_f24_without_a_first_at_the_target_it_is_refused(spec: str) -> None:
    with pytest.raises(RulesError, match='ties = "first" needs finish = "equal_turns" and a target'):
        load(spec)


# F25: the highest total starts ----------------------------------------------------------------------------------------


def test_f25_everyone_rolls_all_the_dice_and_the_highest_total_starts() -> None:
    state = new_game("standard(start=highest_total)", 3)
    assert state.dice_due == 6
    assert refused(state, "5") == "wrong_number_of_dice"
    state = go(state, "123456", "112233")
    assert state.throws == (21, 12, 0)
    assert told(state, "334456") == ["Cleo rolls 3-3-4-4-5-6 for the start, 25 in total.", "Cleo starts."]
    assert go(state, "334456").first == 2


def test_f25_tied_totals_roll_again_among_themselves() -> None:
    state = go(new_game("standard(start=highest_total)", 3), "123456", "112233", "223455")
    assert state.throws == (0, -1, 0)
    state = go(state, "111111")
    assert state.seat == 2
    assert go(state, "111112").first == 2


def test_f25_the_sheet_says_that_everyone_rolls_all_the_dice() -> None:
    assert "Everyone rolls all six dice; the highest total starts. Ties roll again." in said(
        "standard(start=highest_total)"
    )


# F26: a bump to the banker's old score --------------------------------------------------------------------------------

SWAP = "minimal(entry=300, catching_up.landed_on=swap)"


def test_f26_a_player_who_is_landed_on_falls_to_the_score_the_banker_had() -> None:
    state = on_turn(SWAP, 1_500, 2_000, 2_500)
    assert told(state, "note 500 2") == ["Ann banks 500 and has 2,000.", "Ben is sent back to 1,500."]
    state = go(state, "note 500 2")
    assert scores(state) == (2_000, 1_500, 2_500)
    assert state.mine.on_board
    assert scores(go(on_turn(SWAP, 1_500, 2_000, 2_500), "note 600 2")) == (2_100, 2_000, 2_500)


def test_f26_all_players_with_that_score_fall() -> None:
    assert scores(go(on_turn(SWAP, 500, 900, 900), "note 400 2")) == (900, 500, 500)


def test_f26_a_player_out_of_the_game_stays() -> None:
    state = on_turn("minimal(lives.each=1, lives.farkle=1, catching_up.landed_on=swap)", 500, 900, 900)
    state = state._replace(seats=(state.seats[0], state.seats[1]._replace(gone=1), state.seats[2]))
    assert scores(go(state, "note 400 2")) == (900, 900, 500)


def test_f26_the_sheet_says_where_the_player_falls() -> None:
    assert (
        "If your bank makes your score exactly equal to another player's, that player falls to the score that you had "
        "before."
    ) in said(SWAP)


def test_f26_games_are_not_solved_with_it() -> None:
    with pytest.raises(SolveError, match='"swap" is not solved'):
        duel(SWAP)


# F27: a round after an exact hit --------------------------------------------------------------------------------------

HITS = "standard(finish=exact, exact_hit=round)"


def test_f27_after_an_exact_hit_every_other_player_has_one_more_turn() -> None:
    state = on_turn(HITS, 9_000, 9_500, 8_000)._replace(seat=1, first=0)
    assert told(state, "note 500 2")[-1] == "Ben is at 10,000: everyone else has one more turn to hit it too."
    state = go(state, "note 500 2")
    assert holding(state, NAMES) == ("last turn", "10,000 to hit")
    state = go(state, "note 300 2")
    assert state.seat == 0
    after = go(state, "note 1050 2")
    assert (scores(after), after.result) == ((9_000, 10_000, 8_300), Result((1,), "exact"))


def test_f27_a_second_hit_knocks_out_the_first() -> None:
    state = go(on_turn(HITS, 9_000, 9_500, 8_000), "note 1000 2")
    assert told(state, "note 500 2") == [
        "Ben banks 500 and has 10,000.",
        "Ann is sent back to 9,000.",
        "Ben is at 10,000 now.",
    ]
    state = go(state, "note 500 2")
    assert (scores(state), state.seat) == ((9_000, 10_000, 8_000), 2)
    assert go(state, "note 500 2").result == Result((1,), "exact")
    after = go(state, "note 2000 2")
    assert (scores(after), after.result) == ((9_000, 9_500, 10_000), Result((2,), "exact"))


def test_f27_the_game_goes_on_without_a_player_who_leaves_the_target() -> None:
    state = go(on_turn(HITS, 9_000, 9_500, 8_000), "note 1000 2", "leave 0")
    assert (state.result, state.closer, state.owed) == (None, -1, 0)
    state = go(state, NOTHING, NOTHING, "note 500 2", NOTHING)
    assert state.result == Result((1,), "exact")


def test_f27_a_player_alone_wins_with_the_hit() -> None:
    assert go(on_turn(HITS, 9_000), "note 1000 2").result == Result((0,), "exact")


def test_f27_what_is_needed_in_the_round_is_the_hit() -> None:
    state = go(on_turn(HITS, 9_000, 9_500, 8_000), "note 1000 2")
    assert needed(state) == Needed(500, "lead", exactly=True)


def test_f27_the_sheet_says_what_a_hit_brings() -> None:
    text = said(HITS)
    assert "Bank exactly 10,000 points, with six dice, and stay there for a round." in text
    assert (
        "When someone has banked exactly 10,000, every other player or team has one more turn. Whoever hits it in that "
        "turn knocks out the player who stands there, who falls back to the score before that hit. After these turns "
        "the player at 10,000 wins. A bank that would go over adds nothing."
    ) in text


def test_f27_games_are_not_solved_with_it_and_turns_are() -> None:
    with pytest.raises(SolveError, match='exact_hit = "round" is not solved'):
        duel(HITS)
    assert best_turn(HITS).expected_points == best_turn("standard").expected_points


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("standard(exact_hit=round)", 'exact_hit = "round" needs finish = "exact"; finish is "last_turns"'),
        (f"{HITS[:-1]}, cancel_win=true)", "and cancel_win = true both say what follows a hit; set cancel_win = false"),
        (f"{HITS[:-1]}, missed_target=12000)", "both say where the target is after a hit; set missed_target = 0"),
        (f"{HITS[:-1]}, catching_up.landed_on=back)", "both say where the player falls who is knocked out"),
        (f"{HITS[:-1]}, rolled.22=50)", "points that dice add to the score at once"),
    ],
)
def test_f27_what_says_something_else_of_a_hit_is_refused(spec: str, says: str) -> None:
    with pytest.raises(RulesError, match=re.escape(says)):
        load(spec)


# F28: rolls that cost points of the turn total ------------------------------------------------------------------------

COSTS = "standard(rolled.333=-300, penalties.fines_from=turn"


def test_f28_three_3s_cost_points_of_the_turn_total() -> None:
    state = go(on_turn(f"{COSTS})", 1_000, 0), "111234", "111 roll")
    assert told(state, "333") == [
        "Ann rolls 3-3-3.",
        "This roll costs Ann 300 points of the turn total.",
        "Farkle! Ann loses the turn total of 700.",
    ]
    assert scores(go(state, "333")) == (1_000, 0)
    state = go(on_turn(f"{COSTS})", 1_000, 0), "112346", "11 roll", "1333")
    assert (state.points, scores(state)) == (0, (1_000, 0))
    assert options(state) == {"1 roll", "1 bank"}
    assert refused(state, "333 bank") == "dice_are_fined"
    assert scores(go(state, "1 bank")) == (1_100, 0)


def test_f28_a_smaller_turn_total_falls_to_zero() -> None:
    first = go(on_turn(f"{COSTS}, penalties.below_zero=true)", 1_000, 0), "133346")
    assert (first.points, scores(first)) == (0, (1_000, 0))
    assert told(on_turn(f"{COSTS})", 1_000, 0), "133346") == ["Ann rolls 1-3-3-3-4-6."]


def test_f28_a_farkle_that_keeps_the_turn_total_keeps_what_is_left() -> None:
    state = go(on_turn(f"{COSTS}, penalties.turn_total=kept)", 1_000, 0), "111234", "111 roll", "333")
    assert scores(state) == (1_700, 0)


def test_f28_points_taken_over_are_turn_total() -> None:
    state = go(offered(f"{COSTS}, take_over.price=free)", 500, 4, 1_000, 1_000), "take 4", "1333")
    assert state.points == 200


def test_f28_a_roll_that_costs_the_whole_turn_total_is_not_the_first_one() -> None:
    state = on_turn(f"{COSTS}, penalties.farkle_first_roll=100)", 1_000, 0)
    assert scores(go(state, "122346", "1 roll", "33346")) == (1_000, 0)
    assert scores(go(state, "223346")) == (900, 0)


def test_f28_the_sheet_says_what_is_lost() -> None:
    text = said(f"{COSTS})")
    assert "you lose 300 points of your turn total, or all of it if it is smaller." in text
    assert "fall below zero" not in text
    assert "A score may fall below zero." in said(f"{COSTS}, penalties.farkle=50)")


def test_f28_it_is_not_solved() -> None:
    for ask in (duel, best_turn):
        with pytest.raises(SolveError, match='fines_from = "turn" is not solved'):
            ask(f"{COSTS})")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("standard(penalties.fines_from=turn)", "needs a roll that costs points, such as rolled.333 = -300"),
        (f"{COSTS}, last_die_tries=2)", "is not played together with rolls that are made again"),
        (f"{COSTS}, rolled.66=again)", "is not played together with rolls that are made again"),
    ],
)
def test_f28_what_does_not_go_with_it_is_refused(spec: str, says: str) -> None:
    with pytest.raises(RulesError, match=re.escape(says)):
        load(spec)


# F29: turns in a row --------------------------------------------------------------------------------------------------

THREE = "standard(target=2000, turns_in_row=3"


def test_f29_three_hands_a_turn() -> None:
    state = on_turn(f"{THREE})", 0, 0)._replace(more=2)
    assert holding(state, NAMES) == ("turn 1 of 3",)
    assert told(state, "note 300 2") == ["Ann banks 300 and has 300.", "Ann has 2 more turns."]
    state = go(state, "note 300 2", NOTHING)
    assert (state.seat, state.more, scores(state)) == (0, 0, (300, 0))
    assert told(state, "note 200 2") == ["Ann banks 200 and has 500."]
    state = go(state, "note 200 2")
    assert (state.seat, state.more) == (1, 2)
    assert go(state, *[NOTHING] * 3).seat == 0


def test_f29_a_new_game_begins_with_a_row_of_turns() -> None:
    assert go(new_game(f"{THREE}, start=highest_die)", 2), "2", "5").more == 2


def test_f29_nobody_takes_over_from_themselves() -> None:
    state = on_turn(f"{THREE}, take_over.price=free)", 0, 0)._replace(more=2)
    state = go(state, "note 300 2", "note 300 2")
    assert state.offer is None
    state = go(state, "note 250 2")
    assert state.offer == Offer(250, 2)
    assert go(state, "take 2", "15", "15 bank").offer is None


def test_f29_only_the_first_turn_has_a_bank_to_beat() -> None:
    state = go(on_turn(f"{THREE}, beat_previous=true)", 0, 0)._replace(more=0), "note 300 2")
    assert state.mine.beat == 300
    assert go(state, NOTHING).mine.beat == 0


def test_f29_all_others_have_as_many_last_turns() -> None:
    state = on_turn(f"{THREE})", 1_800, 0)._replace(more=1)
    assert told(state, "note 200 2")[-1] == "Ann has reached 2,000: everyone else has 3 last turns."
    state = go(state, "note 200 2")
    assert (state.seat, state.more) == (1, 2)
    state = go(state, "note 1500 2", NOTHING)
    assert state.result is None
    assert go(state, "note 600 2").result == Result((1,), "last_turns")
    assert go(state, NOTHING).result == Result((0,), "last_turns")


def test_f29_with_equal_turns_all_are_played() -> None:
    state = on_turn(f"{THREE}, finish=equal_turns)", 0, 1_800)._replace(seat=1, more=2)
    state = go(state, "note 200 2")
    assert (state.seat, state.result) == (1, None)
    assert go(state, "note 300 2", NOTHING).result == Result((1,), "equal_turns")


def test_f29_with_the_fewest_rounds_nothing_is_played_beyond_the_target() -> None:
    state = on_turn(f"{THREE}, finish=fewest_rounds)", 1_800, 0)._replace(more=2)
    assert go(state, "note 200 2").seat == 1


def test_f29_rounds_count_rows_of_turns() -> None:
    state = go(new_game("minimal(target=0, rounds=1, turns_in_row=2)", 2), "note 300 2", NOTHING, NOTHING)
    assert state.result is None
    assert go(state, "note 400 2").result == Result((1,), "rounds")


def test_f29_partners_play_whole_rows() -> None:
    state = new_game("minimal(turns_in_row=2, teams=partners)", (2, 1))
    state = go(state, NOTHING)
    assert (state.seat, state.mine.person) == (0, 0)
    assert go(state, NOTHING).seats[0].person == 1


def test_f29_going_out_ends_the_row() -> None:
    state = new_game("minimal(turns_in_row=3, lives.each=1, lives.farkle=1, lives.last_standing=wins)", 3)
    assert go(state, NOTHING).seat == 1
    assert go(state, "leave 0").seat == 1


def test_f29_the_sheet_says_how_many_turns_follow_each_other() -> None:
    text = said(f"{THREE}, take_over.price=free)")
    assert (
        "Everyone takes three turns in a row, then the dice pass to the left. You may take over only in the first of "
        "them, and only the last one leaves anything to take over. A bank that reaches 2,000 ends your row of turns."
    ) in text
    assert "When someone has banked 2,000 or more, every other player or team has three last turns." in text


def test_f29_games_are_not_solved_with_it_and_turns_are() -> None:
    with pytest.raises(SolveError, match="turns_in_row = 3 is not solved: set turns_in_row=1"):
        duel(f"{THREE})")
    assert best_turn(f"{THREE})").expected_points == best_turn("standard(target=2000)").expected_points


@pytest.mark.parametrize(
    "other",
    ["last_turns=roll", "last_turns_again=beaten", "finish=exact, exact_hit=round", "finish=exact, cancel_win=true"],
)
def test_f29_what_gives_single_turns_is_refused(other: str) -> None:
    with pytest.raises(RulesError, match="are not played together: how many turns that gives is not said"):
        load(f"{THREE}, {other})")
