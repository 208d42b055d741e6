"""Plain lines: the first line of a game, `bank` alone, misunderstandings, and what may be asked at every question."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from test_cli import printed, refused

from farkel.terminal import plain
from farkel.terminal.cli import main

REAL = ("--dice", "manual", "--set", "start=first_seat")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def played(rules: str, *said: str, players: str = "Ann,Ben", dice: tuple[str, ...] = REAL) -> str:
    """Play until the answers end, and stop there."""
    answers = "".join(f"{line}\n" for line in (*said, "q"))
    return printed("play", "--plain", "--rules", rules, "--players", players, *dice, said=answers)


def follows(text: str, line: str) -> str:
    """Return the line after this one."""
    lines = text.splitlines()
    return lines[lines.index(line) + 1]


# The first line -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "first"),
    [
        ("minimal", "Minimal Farkle, to 10,000: Ann and Bold (bot)."),
        ("minimal(target=5000)", "Minimal Farkle (house rules), to 5,000: Ann and Bold (bot)."),
        ("standard:four-of-a-kind", "Standard Farkle (four-of-a-kind), to 10,000: Ann and Bold (bot)."),
        ("dix-mille(finish=exact)", "Dix Mille (house rules), to exactly 10,000: Ann and Bold (bot)."),
    ],
)
def test_the_first_line_is_the_title_with_the_players(rules: str, first: str) -> None:
    assert played(rules, players="Ann,bot:bold", dice=("--seed", "1")).splitlines()[0] == first


def test_many_changed_fields_make_no_longer_first_line(tmp_path: Path) -> None:
    ours = tmp_path / "ours.toml"
    ours.write_text('title = "Ours"\ntarget = 5000\nentry = 500\nminimum = 300\n', encoding="utf-8")
    assert played(str(ours)).splitlines()[0] == "Ours, to 5,000: Ann and Ben."


# Bank alone -----------------------------------------------------------------------------------------------------------


def test_bank_alone_keeps_the_most_points_and_says_what() -> None:
    assert "Ann keeps 1-1-1 for 1,000.\nAnn banks 1,000 and has 1,000." in played("minimal", "111234", "bank")


def test_bank_alone_keeps_the_best_dice_that_may_be_banked() -> None:
    told = played("minimal(hot_dice=forced)", "111555", "bank")
    assert "Ann keeps 1-1-1-5-5 for 1,100.\nAnn banks 1,100" in told


def test_bank_alone_does_not_overshoot_if_less_scores() -> None:
    told = played("minimal(target=1000, finish=exact)", "111155", "bank")
    assert "Ann wins with exactly 1,000" in told


def test_a_bank_before_a_keep_is_told_to_roll_first() -> None:
    told = played("minimal", "bank", dice=("--seed", "1", "--set", "start=first_seat"))
    assert follows(told, "Ann, Enter to roll 6 dice: ") == "You can't bank yet: roll and keep dice first."


# Misunderstandings ----------------------------------------------------------------------------------------------------


def test_a_misunderstanding_is_answered_in_one_line() -> None:
    asked = "Ann, keep and roll or bank (11 r, 11 b; r or b takes the most points): "
    told = played("minimal", "111234", "11 rr", "9 b", "")
    assert told.count("You may keep") == 2  # at first, and after Enter
    assert follows(told, asked) == '"11 rr" is no keep. Type the dice to keep, then r or b: 115 r. Or h for help.'
    assert f'{asked}\n"9" has the face 9; a die shows 1 to 6.\n{asked}\nYou may keep' in told


def test_a_misunderstood_offer_is_answered_in_one_line() -> None:
    told = played("build-on(entry=0)", "111234", "111 b", "x")
    asked = "Ben, start fresh (f) or take over (t)? "
    assert told.count("On offer") == 1
    assert follows(told, asked).startswith('"x" does nothing now: type f to start fresh or t to take over')


# Card, log, review, watch ---------------------------------------------------------------------------------------------


def test_help_lists_only_what_this_game_asks_for() -> None:
    real, offers = "your whole turn", "start fresh, take over"
    told = played("standard", "h", "q")
    assert real in told
    assert offers not in told
    told = played("build-on", "h", "q", dice=("--seed", "1"))
    assert offers in told
    assert real not in told


def test_the_log_tells_the_game_so_far() -> None:
    told = played("minimal", "111234", "111 b", "log")
    assert "Minimal Farkle, to 10,000: Ann and Ben.\nAnn rolls 1-1-1-2-3-4.\nAnn keeps 1-1-1 for 1,000." in told


def test_the_review_of_a_game_so_far_counts_what_was_given_away() -> None:
    told = played("minimal(target=1000)", "112346", "11 b", "review")
    assert "Winning chances with best play, exact." in told
    assert "better: keep 1, roll" in told


def test_a_review_or_card_that_cannot_be_made_says_why() -> None:
    told = played("minimal(target=1000)", "review", "112346", "1 r", players="Ann")
    assert "There are no winning chances in a game of one player." in told
    assert "Ann keeps 1 for 100." in told


def test_the_card_is_read_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "card_page", lambda rules, progress: f"How to play {rules}")
    assert "How to play minimal\nAnn, roll 6 dice" in played("minimal", "card").replace("Done, in 0 seconds.\n", "")


def test_a_game_is_watched_from_its_middle_and_goes_on() -> None:
    told = played("minimal", "111234", "111 b", "watch", "", "x", "t", "q", "222346")
    assert "1. Ann rolls 1-1-1-2-3-4.\nMove 1 of 2" in told
    assert '"x" is no command here: Enter is the next move, h is help, q stops.' in told
    assert "2. Ann keeps 1-1-1 for 1,000. Ann banks 1,000 and has 1,000.\nScores: Ann 1,000; Ben 0" in told
    assert "Ben rolls 2-2-2-3-4-6." in told


def test_a_saved_game_is_watched_in_plain_lines(tmp_path: Path) -> None:
    record = str(tmp_path / "game.farkel")
    words = ("--rules", "minimal(target=300)", "--players", "bot:bold,bot:cautious", "--seed", "1", "--record", record)
    printed("play", "--plain", *words)
    assert "needs a terminal" in refused("watch", record)
    assert f"farkel watch --plain {record}" in refused("watch", record)
    told = printed("watch", "--plain", record, said="chances\nm\n1\nb\n99999\nh\nq\n")
    assert told.startswith("Minimal Farkle (house rules), to 300: Bold (bot) and Cautious (bot).\n")
    assert "Winning chances: Bold " in told
    assert '"99999" is no command here' in told
    assert "the next mistake" in told


def test_watching_ends_with_the_game_or_the_input(tmp_path: Path) -> None:
    record = str(tmp_path / "game.farkel")
    words = ("--rules", "minimal(target=300)", "--players", "bot:bold", "--seed", "1", "--record", record)
    printed("play", "--plain", *words)
    assert "wins with" in printed("watch", "--plain", record, said="\n" * 1_000)
    assert printed("watch", "--plain", record, said="").count("Move 0 of") == 1


def test_after_a_game_a_person_looks_back_or_undoes_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "typing", lambda: True)
    told = played("minimal(target=1000)", "111234", "111 b", "r", "log", "leave", "yes", "u", "11 b", "222346")
    assert 'The game is over, so "r" does nothing' in told
    assert told.count("Ann wins with 1,000") == 2  # in the game, and in the log
    assert "Undone: 1 event. Scores: Ann 0; Ben 0" in told
    assert "Ann banks 200 and has 200." in told
    again = played("minimal(target=1000)", "111234", "111 b", "")
    assert again.endswith("Enter ends: \n")


def test_a_pipe_is_not_asked_after_the_game() -> None:
    said = "111234\n111 b\n"
    words = ("play", "--plain", "--rules", "minimal(target=1000)", "--players", "Ann,Ben", *REAL)
    result = CliRunner().invoke(main, words, input=said, prog_name="farkel")
    assert result.exit_code == 0
    assert "Type review" not in result.output


# Before a game --------------------------------------------------------------------------------------------------------


def test_names_of_rules_are_listed_only_on_request() -> None:
    told = printed("play", "--plain", said="?\nminimal\nAnn,Ben\nmanual\nq\n")
    assert told.count("tiotusen") == 1
    assert told.index("Which rules?") < told.index("tiotusen")
    assert "tiotusen" not in printed("play", "--plain", said="nonsense\nminimal\nAnn,Ben\nmanual\nq\n")
