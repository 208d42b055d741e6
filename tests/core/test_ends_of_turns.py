"""When a turn has ended: the law says it once, and whatever counts turns asks it."""

from __future__ import annotations

import random

import pytest
from test_simulation import same_games

from farkel.game import Event, Keep, Leave, Note, Throw, apply, ends_turn, follow, legal_actions, new_game
from farkel.players import make_player
from farkel.records import Move
from farkel.records.figures import turns
from farkel.simulation.bots.tables import BotTables
from farkel.terminal.commands.play.replay import game_text
from farkel.training.episode import Play
from games_in_words import event_of, go, on_turn
from kernel_games import kernel_game
from named_rules import SPAN, rules_from
from web_helpers import Sheet, plan_of

AGAIN = 'standard(rolled.22="again", start=first_seat)'
TRIES = "standard(last_die_tries=3, start=first_seat)"
CANCELS = "standard(finish=exact, target=1000, cancel_win=true, start=first_seat)"


def ends(spec: str, *events: str | Event, people: int = 2) -> list[bool]:
    """Whether each of these events of a new game ends a turn."""
    state, found = new_game(rules_from(spec), (1,) * people), []
    for event in map(event_of, events):
        after = go(state, event)
        found.append(Move(0, event, state, after).ends_turn)
        state = after
    return found


@pytest.mark.parametrize(
    ("spec", "events"),
    [
        (AGAIN, (("122346", False), ("223346", False), ("233466", True), ("133466", False), ("1 bank", True))),
        (
            "standard(last_die_tries=3, start=first_seat)",
            (("111555", False), ("11155 roll", False), ("2", False), ("3", False), ("4", True)),
        ),
        (CANCELS, (("note 1000 5", True), ("12346", False), ("133446", False), ("1 bank", True))),
        (CANCELS, (("note 1000 5", True), ("leave 0", True))),
        ("original(start=first_seat)", (("note 1000 2", True), ("take 2", False), ("34", True))),
        ("original(start=first_seat)", (("note 1000 2", True), ("fresh", False), ("pass", True))),
        ("original(start=first_seat)", (("note 1000 2", True), ("leave 1", True))),
        ('standard(rolled.22="lose", start=first_seat)', (("122346", True),)),
        ("standard(start=highest_die)", (("2", False), ("2", False), ("3", False), ("1", False), ("133446", False))),
        ("standard(start=highest_die)", (("2", False), ("leave 1", True))),
    ],
)
def test_the_law_says_whether_an_event_ends_a_turn(spec: str, events: tuple[tuple[str, bool], ...]) -> None:
    assert ends(spec, *(event for event, _ in events)) == [end for _, end in events]


@pytest.mark.parametrize("name", [*SPAN, AGAIN, TRIES, CANCELS, "standard(finish=last_turns)", "renaissance"])
def test_to_follow_an_event_is_to_apply_it_and_to_ask_whether_it_ends_the_turn(name: str) -> None:
    dice = random.Random(1)
    state = new_game(rules_from(name), (1, 1, 1))
    for _ in range(400):
        if state.over:
            state = new_game(state.rules, (1, 1, 1))
        due = state.dice_due
        faces = tuple(sorted(dice.randint(1, 6) for _ in range(due)))
        event = Throw(faces) if due else dice.choice(legal_actions(state))
        after = apply(state, event)
        assert follow(state, event) == (after, ends_turn(state, event, after))
        state = after


def test_a_seat_that_leaves_ends_its_own_turn_alone() -> None:
    rules = "standard(start=first_seat)"
    assert ends(rules, "133446", "leave 1", "leave 0", people=4) == [False, False, True]


def test_a_farkle_alone_at_the_table_ends_a_turn_although_the_same_dice_fall_next() -> None:
    assert ends("standard", "233466", "133466", "1 bank", people=1) == [True, False, True]


def test_a_roll_that_is_thrown_again_is_a_turn_neither_in_the_terminal_nor_in_the_browser() -> None:
    sheet = Sheet.begun(plan_of(AGAIN, "here", "here", dice="manual"))
    sheet.play(event_of("122346"))
    assert sheet.table.turn == 1
    sheet.play(event_of("233466"))
    assert sheet.table.turn == 2
    record = sheet.record()
    assert game_text(record).count("Scores: ") == 1
    assert [(turn.seat, turn.farkle) for turn in turns(record.moves)] == [(0, True)]


def test_a_win_that_waits_ends_a_turn_and_the_roll_that_cancels_it_does_not() -> None:
    sheet = Sheet.begun(plan_of(CANCELS, "here", "here", dice="manual"))
    sheet.play(Note(1_000, 5))
    assert sheet.table.turn == 2
    sheet.play(event_of("12346"))
    assert sheet.table.turn == 2
    assert game_text(sheet.record()).count("Scores: ") == 1
    sheet.play(event_of("233466"))
    assert sheet.table.turn == 3
    assert game_text(sheet.record()).count("Scores: ") == 2


@pytest.mark.parametrize("spec", [CANCELS, AGAIN])
def test_simulated_games_count_the_turns_that_the_law_ends(spec: str) -> None:
    rules, players = rules_from(spec), ["random", "random"]
    same_games(rules, players, 1, range(20))
    tables = BotTables(rules, [make_player(one) for one in players], 1)
    for game in range(20):
        played = kernel_game(tables, 1, game)
        ended = ends(spec, *played.events)
        assert played.counted.games[1] == sum(ended)


def test_environments_count_a_game_that_a_bonus_for_hot_dice_wins() -> None:
    rules = rules_from("standard(hot_dice_bonus=500, hot_dice_bonus_to=score, target=1000, start=first_seat)")
    play = Play(rules, (1,), 10)
    play.deal(lambda dice: Throw((1, 1, 1, 5, 5, 5)[:dice]))
    play.act(Keep((1, 1, 1, 5, 5, 5), "roll"), lambda dice: Throw((1, 1, 1, 5, 5, 5)[:dice]))
    assert (play.state.over, play.turns) == (False, 0)
    play.act(Keep((1, 1, 1, 5, 5, 5), "roll"), lambda dice: Throw((1, 1, 1, 5, 5, 5)[:dice]))
    assert (play.state.over, play.turns) == (True, 1)


def test_a_losing_roll_is_a_turn_of_the_statistics() -> None:
    rules = rules_from('standard(rolled.22="lose")')
    state = on_turn(rules, 500, 500, 500)
    lost = go(state, "122346")
    (turn,) = turns([Move(1, event_of("122346"), state, lost)])
    assert (turn.points, turn.score, turn.farkle) == (0, 500, True)
    assert turns([Move(1, Leave(0), state, go(state, Leave(0)))]) == ()
