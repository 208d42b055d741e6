"""Hints: what they say in points and in winning chance, and in plain mode."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from farkel.errors import SolveError
from farkel.game import Leave, State, Throw, apply, is_legal, legal_actions, new_game
from farkel.play.hints import Hint, Knowledge, forced, hint, no_decision
from farkel.players import knowledge
from farkel.players.best_play import likeliest, ranked
from farkel.terminal import lines
from farkel.terminal.cli import main
from farkel.web.coaching.calculations import AT_HAND
from farkel.web.coaching.calculations import hint as answer
from games_in_words import offered, on_turn
from named_rules import SPAN, rules_of
from random_play import random_states


@pytest.fixture(autouse=True)
def _folders(nothing_known: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def by_points(state: State) -> Hint:
    return hint(Knowledge(knowledge.turn(state.rules), None), state)


def rolled(state: State, faces: str, **changes: int) -> State:
    return apply(state._replace(**changes), Throw(tuple(int(face) for face in faces)))  # type: ignore[arg-type]


# In points -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "what", "why"),
    [
        (
            lambda: rolled(on_turn("minimal", 0, 0), "146", points=300, dice=3),
            "Keep 1 and bank.",
            "Banking scores 400. Rolling 2 dice is a farkle 44.4% of the time and averages 313",
        ),
        (
            lambda: rolled(on_turn("minimal", 0, 0), "112346"),
            "Keep 1 and roll on.",
            "Rolling 5 dice is a farkle 7.7% of the time, but averages 379 points; banking scores 200.",
        ),
        (
            lambda: rolled(new_game(rules_of("extended(start=first_seat)")), "112346"),
            "Keep 1 and roll on.",
            "100 points aren't enough to get on the board: the first bank needs 500 in one turn. Rolling 5 dice",
        ),
        (
            lambda: rolled(on_turn("minimal", 9_900, 0), "112346"),
            "Keep 1-1 and bank.",
            "This wins the game.",
        ),
        (
            lambda: rolled(on_turn("standard", 9_000, 10_500)._replace(closer=1), "112346"),
            "Keep 1 and roll on.",
            "Banking loses the game, so there is nothing to lose. Rolling 5 dice is a farkle 7.7% of the time.",
        ),
        (
            lambda: rolled(on_turn("build-on(rolled.aaa=bank)", 9_000, 10_500)._replace(closer=1), "122234"),
            "Keep 1-2-2-2 and bank.",
            "You have no other choice, and it loses the game.",
        ),
        (
            lambda: rolled(on_turn("build-on(rolled.aaa=bank)", 1_000, 1_000), "122234"),
            "Keep 1-2-2-2 and bank.",
            "You can't roll again.",
        ),
        (
            lambda: rolled(on_turn("minimal(finish=exact)", 9_950, 0), "112346"),
            "Keep 1 and bank.",
            "Every keep overshoots the target, so banking scores nothing and ends your turn.",
        ),
        (
            lambda: rolled(on_turn("minimal(finish=exact)", 9_850, 0), "123346"),
            "Keep 1 and bank.",
            "Banking scores 100. Rolling 5 dice is a farkle 7.7% of the time and averages 90.",
        ),
        (
            lambda: rolled(on_turn("minimal(finish=exact, minimum=300)", 9_950, 0), "112346"),
            "Keep 1-1 and roll on.",
            "Every keep overshoots the target, which must be hit exactly. Rolling 4 dice is a farkle 15.7% of the "
            "time.",
        ),
        (
            lambda: offered("build-on", 1_000, 4, 1_000, 1_000),
            "Take over 4 dice.",
            "Taking over 4 dice is a bust 15.7% of the time, but averages 991; starting fresh",
        ),
        (
            lambda: offered("build-on", 300, 1, 1_000, 1_000),
            "Start fresh.",
            "Taking over 1 die is a bust 66.7% of the time and averages 2",
        ),
        (
            lambda: offered("original", 2_000, 2, 0, 0),
            "Start fresh.",
            " for 1 life, each as good as a turn; starting fresh averages 5,090 points.",
        ),
        (
            lambda: offered("original", 2_000, 2, 0, 0, lives=(12, 1)),
            "Start fresh.",
            "You have no choice but to start fresh. Not enough lives: 1 die costs a life and one must remain",
        ),
        (
            lambda: rolled(on_turn("build-on(rolled.aaa=bank)", 1_000, 1_000), "222346"),
            "Keep 2-2-2 and bank.",
            "You have no choice but to keep 2-2-2 and bank. This roll ends the turn: you must bank its",
        ),
        (
            lambda: offered("build-on(finish=exact)", 1_000, 4, 1_000, 9_500),
            "Start fresh.",
            "The points on offer overshoot the target; starting fresh averages 293 points.",
        ),
    ],
)
def test_the_best_action_in_points_and_why(state, what: str, why: str) -> None:  # type: ignore[no-untyped-def]
    found = by_points(state())
    assert found.what == what
    assert why in found.why


@pytest.mark.parametrize("name", SPAN)
def test_there_is_a_hint_for_every_decision(name: str) -> None:
    rules = rules_of(name)
    for state in random_states(rules, 7, 120):
        if state.roll or state.offer:
            found = by_points(state)
            assert found.action == ranked(knowledge.turn(rules), state)[0].action
            assert found.why.endswith(".")
            assert "  " not in found.why
            assert len(found.rows) <= 7
            assert all(len(row) <= 60 for row in found.rows)
            assert bool(found.rows) == (len(legal_actions(state)) > 1)


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (
            lambda: rolled(new_game(rules_of("extended(start=first_seat)")), "123446"),
            "Keep 1 and roll on.\n\nYou have no choice but to keep 1 and roll on. 100 points aren't enough to get on "
            "the board: the first bank needs 500 in one turn.",
        ),
        (
            lambda: offered("original", 2_000, 2, 0, 0, lives=(12, 1)),
            "Start fresh.\n\nYou have no choice but to start fresh. Not enough lives: 1 die costs a life and one "
            "must remain, but only 1 is left.",
        ),
    ],
)
def test_a_forced_action_needs_no_calculation(state, text: str) -> None:  # type: ignore[no-untyped-def]
    now = state()
    found = forced(now)
    assert found is not None
    assert f"{found.what}\n\n{found.why}" == text
    assert not found.rows
    assert is_legal(now, found.action)
    assert forced(rolled(on_turn("minimal", 0, 0), "112346")) is None
    assert AT_HAND[answer](now)
    assert answer(now)["what"] == found.what


# In winning chance ---------------------------------------------------------------------------------------------------


def test_the_best_action_in_winning_chance_and_why() -> None:
    rules = rules_of("minimal(target=1000)")
    state = rolled(on_turn(rules, 600, 850), "112346")
    found = hint(Knowledge(knowledge.turn(rules), knowledge.duel(rules)), state)
    assert found.action == likeliest(knowledge.duel(rules), knowledge.turn(rules), state)
    assert "wins" in found.rows[0]
    assert "%" in found.why


def test_among_many_the_hint_is_the_approximate_bot_move() -> None:
    rules = rules_of("build-on(target=1000, entry=200)")
    field = knowledge.field(rules, 3)
    for state in (
        rolled(on_turn(rules, 600, 850, 0), "112346"),
        rolled(on_turn(rules, 900, 850, 0), "111555"),
        offered(rules, 300, 4, 300, 250, 0),
        offered(rules, 750, 2, 750, 250, 0),
    ):
        found = hint(Knowledge(knowledge.turn(rules), field), state)
        assert found.action == field.rank(state)[0][0]
        assert "about" in found.rows[1]


def test_without_a_decision_it_says_what_can_be_done() -> None:
    state = new_game("minimal", 2)
    assert no_decision(state) == "All you can do now is roll. After that, a hint says what to keep."
    over = apply(state, Leave(0))
    assert no_decision(over) == "The game is over: there is nothing left to decide."


# In plain mode -------------------------------------------------------------------------------------------------------


def played(*words: str, said: str, status: int = 1) -> str:
    result = CliRunner().invoke(main, ["play", "--plain", *words], input=said, prog_name="farkel")
    assert result.exit_code == status, result.output
    return result.output


def test_hints_in_plain_mode() -> None:
    told = played(
        *("--rules", "kcd(target=2000)", "--players", "Ann,Ben", "--dice", "manual"),
        said="hint\nh\n112346\nhint\nsolve\nhint\nsolve\nhint\n1 r\n",
    )
    assert "All you can do now is roll. After that, a hint says what to keep." in told
    assert "hint    solve     the best action, and why" in told
    assert "r                 roll, or take the most points and roll on" in told
    assert "r or b takes the most points" in told
    assert told.count("One moment") == 1
    assert told.count("Hint: Keep 1 and roll on.") == 3
    assert "points; banking scores 200." in told
    assert told.count("Winning chances need a one-time calculation. Type solve to do it.") == 1
    assert "Calculating winning chances, only once." in told
    assert "Done, in" in told
    assert told.count("and still wins 5") == 2
    assert "There is nothing to calculate. Type hint." in told
    assert "Ann keeps 1 for 100." in told


@pytest.mark.parametrize("command", ["hint", "solve"])
def test_plain_mode_says_why_there_are_no_winning_chances(command: str) -> None:
    told = played(*("--rules", "original", "--players", "Ann,Ben", "--dice", "manual"), said=f"6\n112346\n{command}\n")
    assert "There are no winning chances yet: original has 5,760,000 positions" in told
    assert "farkel solve --rules original." in told
    assert "Type solve" not in told


def test_plain_mode_calculates_nothing_for_forced_actions() -> None:
    told = played("--rules", "extended", "--players", "Ann", "--dice", "manual", said="123446\nhint\n")
    assert "Hint: Keep 1 and roll on." in told
    assert "You have no choice but to keep 1 and roll on. 100 points aren't enough" in told
    assert "One moment" not in told


def test_bots_are_ready_before_the_game_begins_in_plain_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "TOLD_EVERY", 0.0)
    told = played(
        "--rules", "minimal(target=1000)", "--players", "bot:exact,bot:turn", "--seed", "1", said="", status=0
    )
    assert "The bots are calculating their strategy for these rules." in told
    assert "  Preparing bot:exact: " in told
    assert "100%, finishing" in told
    assert told.index("Done, in") < told.index("rolls")
    assert "wins with" in told


def test_bots_that_fail_to_prepare_stop_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise SolveError("no_disk", "the solution of minimal needs 9 GiB in /tmp; 1 GiB are free")

    monkeypatch.setattr("farkel.play.match.Bots.prepare", full)
    told = played("--rules", "minimal(target=1000)", "--players", "Ann,bot:exact", said="r\n")
    assert "Error: the solution of minimal needs 9 GiB" in told
    assert "Traceback" not in told


def test_plain_mode_asks_again_if_a_bot_cannot_play() -> None:
    told = played(said="minimal(target=1000)\nAnn,bot:exact,Ben,Eve\nAnn,Ben\n\n")
    assert "bot:exact plays games of two and three; for more seats take bot:race" in told
    assert told.count("Who plays?") == 2
    assert "bot:turn, bot:exact, bot:race." in told
    assert "Ann, Enter to roll 6 dice" in told
