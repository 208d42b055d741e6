"""The commands, as they are typed: what they print, and what they say to wrong input."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from farkel.dice import all_rolls
from farkel.rules import families, from_json, from_toml, load, named, names
from farkel.terminal.cli import main
from home import environment
from named_rules import CATALOGUE
from seeded import program

ANSWERS = "r\nb\nf\n" * 3_000


def farkel(*words: str, said: str | None = None) -> Result:
    return CliRunner().invoke(main, words, input=said, prog_name="farkel")


def printed(*words: str, said: str | None = None) -> str:
    result = farkel(*words, said=said)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*words: str) -> str:
    result = farkel(*words)
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.output
    return result.output


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


# rules ---------------------------------------------------------------------------------------------------------------


def test_rules_lists_every_rule_set_under_its_family() -> None:
    lines = printed("rules").splitlines()
    found: dict[str, list[str]] = {}
    for line in lines[: lines.index("Read one aloud, with its variations: farkel rules NAME")]:
        if line and not line.startswith(" "):
            found[line] = []
        elif line.startswith("  ") and line[2] != " ":
            found[list(found)[-1]].append(line.split()[0])
    assert found == families()
    assert next(iter(found.values()))[:7] == list(names()[:7])
    assert max(map(len, lines)) <= 90
    assert [entry["name"] for entry in json.loads(printed("rules", "--json"))] == list(names())


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("lives", "original"),
        ("kingdom come", "kcd"),
        ("Zilch", "zilch"),
        ("piggybacking", "renaissance"),
        ("heavy table", "renaissance"),
        ("Wikipedia", "extended"),
        ("to 20.000", "standard"),
        ("Fanny", "original"),
    ],
)
def test_rules_are_found_by_name_or_text(asked: str, first: str) -> None:
    assert printed("rules", "--search", asked).split()[0] == first
    assert json.loads(printed("rules", "--json", "--search", asked))[0]["name"] == first


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("zlich", 'did you mean "zilch"?'),
        ("", "search by name"),
        ("lives qqq", "lives"),
        ("." * 5000, "search by name"),
    ],
)
def test_a_search_without_results_suggests_others(asked: str, hint: str) -> None:
    said = refused("rules", "--search", asked)
    assert hint in said
    assert len(said) < 400
    assert "leave out" in refused("rules", "zilch", "--search", "zilch")


@pytest.mark.parametrize("name", CATALOGUE)
def test_printed_rules_load_back_equal(name: str, tmp_path: Path) -> None:
    assert from_toml(printed("rules", name, "--toml")) == named(name)
    assert from_json(printed("rules", name, "--json")) == named(name)
    changed = load(name, ["target=7_500", "name=ours"])
    file = tmp_path / "ours.toml"
    file.write_text(printed("rules", name, "--set", "target=7_500", "--set", "name=ours", "--toml"))
    assert load(file) == changed
    assert from_json(printed("rules", str(file), "--json")) == changed
    assert "From: ours.toml" in printed("rules", str(file))


@pytest.mark.parametrize("name", names())
def test_the_rule_sheet_says_every_value_that_counts(name: str) -> None:
    sheet = printed("rules", name)
    rules = named(name)
    numbers = [rules.target, rules.entry, rules.minimum, rules.scoring.worth((1,)), rules.lives.each]
    numbers += [rules.scoring.worth(dice) for dice in ((1, 2, 3, 4, 5, 6), (2, 2, 3, 3, 4, 4))]
    numbers += [rules.take_over.stake, *(cost for cost in rules.penalties.points if cost != "all")]
    for number in filter(None, numbers):
        assert f"{number:,}" in sheet
    assert max(map(len, sheet.splitlines())) <= 80


def test_a_changed_rule_set_says_so_on_its_sheet() -> None:
    sheet = printed("rules", "standard", "--set", "target=5000", "--set", "scoring.111=300")
    assert "Rules: standard:three-ones-300(target=5000)" in sheet
    assert "5,000" in sheet
    assert "10,000" not in sheet


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rules", "nonsense"), 'there is no rule set "nonsense"'),
        (("rules", "standart"), 'Did you mean "standard"?'),
        (("rules", "./missing.toml"), "there is no file missing.toml"),
        (("rules", "standard", "--set", "target=many"), 'target = "many" is not allowed; target is a whole number'),
        (("rules", "standard", "--set", "target"), "write FIELD=VALUE"),
        (("rules", "standard", "--set", "scoring.three_one=3"), 'did you mean "111"'),
        (("rules", "standard", "--set", "entry=20000"), "entry = 20000 is above target = 10000"),
        (("rules", "standard", "--set", "lives.each=5"), "nothing costs a life"),
        (
            ("rules", "extended", "--set", "dice=5", "--set", "scoring.aabbcc=5"),
            "scoring.aabbcc = 5 needs six dice, but dice = 5",
        ),
        (("rules", "standard", "--toml", "--json"), "not both"),
        (("score",), "give a roll"),
        (("score", "1", "--all"), "give a roll"),
        (("score", "1237"), "a die shows 1 to 6"),
        (("score", "1111111"), "there are at most 6"),
        (("score", "12345", "5", "5"), "there are at most 6"),
        (("score", "abc"), "is not a roll"),
        (("replay", "missing.farkel"), "there is no record missing.farkel"),
        (("play", "--players", "robot:X"), "is not a player"),
        (("play", "--players", "bot:clever"), 'there is no player "clever"'),
        (("play", "--players", "Ann,Ann"), 'the name "Ann" is used twice'),
        (("play", "--players", "A:B:C"), "is not a player"),
        (("play", "--players", "human:A\u3164B"), "is not a valid name: its character 2 (U+3164) shows nothing"),
        (("play", "--players", "Ann,ann"), '"Ann" and "ann" look alike'),
        (("play", "--players", "Dr: No"), 'if it is a name, write human:"Dr: No"'),
        (("play", "--players", ","), "there are no players; name at least one"),
        (
            ("play", "--rules", "original", "--players", "A,B,C,D,E,F"),
            "original is for at most 5 players or teams, not 6",
        ),
        (("play", "--players", "A,B", "--teams", "A+C"), '"C" in team "A+C" is not one of the players'),
        (("play", "--players", "A,bot:bold", "--teams", "A+Bold"), "is a bot"),
        (("play", "--players", "A,B", "--teams", "A+B,B+A"), "is in two teams"),
        (("play", "--rules", "original", "--teams", "X=A+B+C,D"), "has 3 people"),
        (("play", "--players", "A", "--seed", "1", "--dice", "manual"), "there is no seed"),
        (("play", "--players", "A", "--word", "hop"), "--dice committed"),
        (("play", "--players", "A", "--dice", "loaded"), "'loaded' is not one of"),
        (("play", "--players", "A", "--seed", "x"), "not a valid integer"),
        (("play", "--resume"), "there is no unfinished game"),
        (("play", "--resume", "nowhere.farkel"), "there is no record nowhere.farkel"),
        (("play", "--resume", "--seed", "1"), "in the record"),
        (("play", "--players", "A", "--record", "/dev/null/game.farkel"), "/dev/null is a file"),
        (("play", "--players", "A", "--record", "."), "is a directory"),
        (("play", "--players", "A", "--record", "/etc/hostname/game.farkel"), "/etc/hostname is a file"),
        (("play", "--players", "A,A,B", "--teams", "A+B"), 'the name "A" is used twice'),
        (("play", "--players", "A,B", "--teams", "A+A"), 'a person is in this team twice: "A+A"'),
        (("play", "--players", "\udcff"), "is not a valid name"),
        (("play", "--players", "A", "--dice", "committed", "--word", "\udcff"), "is no word"),
        (("rules", "standard", "--set", "lives.xyzzy=3"), 'did you mean "lives.each", "lives.farkle"'),
        (("score", "1789"), '"1789" has the faces 7, 8 and 9; a die shows 1 to 6'),
        (("sing",), "No such command"),
        (("rules", ""), '"" is not a rule set'),
        (("odds", "--rules", ""), '"" is not a rule set'),
        (("rules", "standard", "--set", "target=5000", "--set", "target=6000"), "target = 5000 and target = 6000"),
    ],
)
def test_wrong_input_gets_one_clear_message(words: tuple[str, ...], said: str) -> None:
    assert said in refused(*words)


@pytest.mark.parametrize("text", ["target = ", "target = 1\ntarget = 2", "{", "[scoring]\none = 'x'", "\x00"])
def test_a_malformed_rules_file_is_refused(text: str, tmp_path: Path) -> None:
    for name in ("ours.toml", "ours.json"):
        (tmp_path / name).write_text(text)
        assert name in refused("rules", str(tmp_path / name))
    (tmp_path / "ours.toml").write_bytes(b"\xff\xfe")
    assert "cannot be read" in refused("rules", str(tmp_path / "ours.toml"))
    assert "cannot be read" in refused("play", "--players", "A", "--rules", f"{tmp_path}/")


# score ---------------------------------------------------------------------------------------------------------------


def test_score_shows_every_keep_of_the_worked_example() -> None:
    """Seed 001: 1-2-3-3-3-5 may be played at least these ways."""
    content = json.loads(printed("score", "123335", "--rules", "standard", "--json"))
    keeps = {tuple(keep["dice"]): (keep["points"], keep["left"]) for keep in content["keeps"]}
    assert keeps[3, 3, 3] == (300, 3)
    assert keeps[(1,)] == (100, 5)
    assert keeps[(5,)] == (50, 5)
    assert keeps[1, 3, 3, 3, 5] == (450, 1)
    assert content["roll"] == [1, 2, 3, 3, 3, 5]
    assert content["farkle"] is False
    assert content["best"] == {"points": 450, "dice": [1, 3, 3, 3, 5]}


def test_score_of_a_farkle_and_of_hot_dice() -> None:
    farkle = json.loads(printed("score", "2-3-4-6", "--rules", "standard", "--json"))
    assert farkle == {"roll": [2, 3, 4, 6], "farkle": True, "best": {"points": 0, "dice": []}, "keeps": []}
    assert json.loads(printed("score", "15", "--json"))["keeps"][0] == {"dice": [1, 5], "points": 150, "left": 6}
    assert "Farkle: nothing scores" in printed("score", "2", "3", "4", "6", "--rules", "standard")
    assert "hot dice" in printed("score", "1 5")


@pytest.mark.parametrize(("rules", "dice"), [("extended", 6), ("minimal(dice=5)", 5)])
def test_score_all_prints_every_distinct_roll(rules: str, dice: int) -> None:
    lines = [json.loads(line) for line in printed("score", "--all", "--json", "--rules", rules).splitlines()]
    assert [tuple(line["roll"]) for line in lines] == [roll for n in range(1, dice + 1) for roll in all_rolls(n)]
    assert len(printed("score", "--all", "--rules", rules).splitlines()) == len(lines)


def test_a_fined_roll_shows_its_cost() -> None:
    changed = ("--rules", "renaissance", "--set", "rolled.333=-300")
    assert "costs 300 banked points" in printed("score", "13334", *changed)
    turn = printed("score", "13334", *changed, "--set", "penalties.fines_from=turn")
    assert "costs 300 points of the turn total" in turn
    assert json.loads(printed("score", "13334", "--json", *changed))["fine"] == 300


FIRST_500 = """standard(rolled.nothing={points=500, when="first_roll"})"""


@pytest.mark.parametrize(
    ("roll", "rules", "said"),
    [
        ("223346", FIRST_500, ("As the first roll of a turn:\nWorth 500. Keep:", "Later in a turn:\nFarkle: nothing")),
        ("133324", "renaissance:must-bank-triples", ("Worth 400. It must be banked.", "three 3s; must be banked")),
        ("111111", 'standard(scoring.111111="win")', ("Wins the game. Keep:", "wins  six 1s")),
        ("111111", 'standard(rolled.111111="win")', ("This roll wins the game.",)),
        ("3", "standard(last_die_tries=3)", ("roll again. You farkle only if none of 3 tries scores.",)),
        ("123456", "standard:forced-hot-dice,straight", ("farkle 3.1%; must be rolled",)),
        ("111234", "standard(bank_left=2)", ("farkle 27.8%; leaves too many dice to bank",)),
        ("112346", "minimal(minimum=300, most_rolls=1)", ("Farkle: nothing of it may be banked.",)),
        ("66", 'standard(scoring.66={points=600, when="after_set"})', ("After three or more of a kind:\nWorth 600.",)),
        ("333", 'standard(scoring.aaa={points="100a", then="bank"})', ("300  three 3s; must be banked",)),
        ("223344", "standard(rolled.nothing=lose)", ("This roll puts its player out of the game.",)),
    ],
)
def test_score_says_what_play_does_with_a_roll(roll: str, rules: str, said: tuple[str, ...]) -> None:
    text = printed("score", roll, "--rules", rules)
    assert [words for words in said if words not in text] == []
    assert "Worth 0" not in text


@pytest.mark.parametrize(
    ("roll", "rules", "content"),
    [
        (
            "223346",
            FIRST_500,
            {"farkle": True, "first": {"farkle": False, "best": {"points": 500, "dice": [2, 2, 3, 3, 4, 6]}}},
        ),
        ("133324", "renaissance:must-bank-triples", {"then": "bank"}),
        ("112345", "standard", {"farkle": False}),
    ],
)
def test_score_says_it_as_json(roll: str, rules: str, content: dict[str, Any]) -> None:
    found = json.loads(printed("score", roll, "--rules", rules, "--json"))
    found.get("first", {}).pop("keeps", None)
    assert content.items() <= found.items()
    assert ("first" in found) == ("first" in content)
    line = next(
        each
        for each in printed("score", "--all", "--rules", rules).splitlines()
        if each.startswith("".join(sorted(roll)))
    )
    assert ("first in a turn: 500" in line) == ("first" in content)
    assert ("must be banked" in line) == (content.get("then") == "bank")


# play, replay, verify ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", CATALOGUE)
def test_a_whole_game_through_a_pipe(rules: str, tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    words = (
        "play",
        "--plain",
        "--rules",
        rules,
        "--players",
        "Ann,bot:cautious",
        "--seed",
        "5",
        "--record",
        str(record),
    )
    output = printed(*words, said=ANSWERS)
    (ending,) = re.findall(r"(?:.* wins? .*|Nobody wins: .*)", output)
    assert "best turn" in output
    assert printed("verify", str(record)).count("ok  ") == 3
    assert ending in printed("replay", str(record))


def test_the_input_may_end_in_the_middle_of_a_game(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    words = ("play", "--plain", "--players", "Ann,Ben", "--rules", "minimal", "--seed", "5", "--record", str(record))
    result = farkel(*words, said="r\nb\nr\n")
    assert result.exit_code == 1
    assert f"--resume {record}" in result.output
    assert "not over" in printed("verify", str(record))
    going_on = printed("play", "--plain", "--resume", str(record), said=ANSWERS)
    assert "Resuming after event" in going_on
    assert "wins" in going_on


def test_resume_finds_the_last_unfinished_game() -> None:
    words = ("play", "--plain", "--players", "Ann,Ben", "--rules", "minimal", "--seed", "5")
    assert farkel(*words, said="r\nb\nq\n").exit_code == 0
    assert "wins" in printed("play", "--plain", "--resume", said=ANSWERS)
    assert "there is no unfinished game" in refused("play", "--plain", "--resume")


def test_resume_takes_the_game_that_was_played_and_names_the_others() -> None:
    words = ("play", "--plain", "--rules", "minimal", "--dice", "manual", "--players")
    assert farkel(*words, "Ann,Ben", said="111234\n111 b\nq\n").exit_code == 0
    assert farkel(*words, "Ann,Cy", said="111234\nq\n").exit_code == 0
    output = printed("play", "--plain", "--resume", said="q\n")
    assert "Resuming after event 2. Scores: Ann 1,000; Ben 0" in output
    assert "Other unfinished games (farkel play --plain --resume FILE):" in output
    assert re.search(r"minimal: Ann 0, Cy 0  \S+\.farkel", output)


def test_a_finished_game_that_is_resumed_names_the_winner(tmp_path: Path) -> None:
    record = str(tmp_path / "game.farkel")
    printed("play", "--plain", "--players", "Ann,Ben", "--dice", "manual", "--record", record, said="leave\nyes\n")
    assert "Ben wins: everyone else has left the table." in printed("play", "--plain", "--resume", record)


def test_a_line_that_was_cut_off_is_named_when_the_game_is_resumed(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    words = ("play", "--plain", "--rules", "minimal", "--players", "Ann,Ben", "--dice", "manual", "--record")
    printed(*words, str(record), said="111234\nq\n")
    with record.open("a") as file:
        file.write("   2  Ann: keeps 1 1")
    for command in ("replay", "verify"):
        assert 'line 16: the last line is incomplete: "2  Ann: keeps 1 1"' in refused(command, str(record))
    output = printed("play", "--plain", "--resume", str(record), said="q\n")
    assert "The last line of the record was cut off, so it was removed: 2  Ann: keeps 1 1" in output
    assert "ok" in printed("verify", str(record))


def test_undo_in_plain_mode_takes_back_the_die_that_fell(tmp_path: Path) -> None:
    words = ("play", "--plain", "--rules", "minimal", "--players", "Ann,Ben", "--dice", "manual")
    output = printed(*words, said="111234\n111 b\nfell\nu\nu\nq\n")
    assert "Undone: the die that fell off. Scores: Ann 1,000; Ben 0" in output
    assert "Undone: 1 event. Scores: Ann 0; Ben 0" in output


def test_the_same_seed_gives_the_same_game(tmp_path: Path) -> None:
    words = ("play", "--plain", "--players", "bot:random,bot:bold", "--rules", "build-on", "--seed", "11", "--record")
    first, second = (printed(*words, str(tmp_path / f"{number}.farkel"), said="") for number in (1, 2))
    assert first.splitlines()[3:-1] == second.splitlines()[3:-1]


def test_plain_mode_asks_for_missing_answers() -> None:
    output = printed("play", "--plain", said="\nAnn,Ben\nsys\nq\n")
    assert "Which rules?" in output
    assert "Who plays?" in output
    assert "Ann, Enter to roll 1 die for the start" in output
    output = printed("play", "--plain", said="nonsense\nminimal\nbot:clever\nAnn,Ben\nloaded\nmanual\nq\n")
    assert 'there is no rule set "nonsense"' in output
    assert 'there is no player "clever"' in output
    assert "is not a kind of dice" in output
    assert "Ann, roll 6 dice and type the result" in output
    assert "the input has ended: give --players" in refused("play", "--plain")


def test_real_dice_are_typed_in_corrected_and_thrown_again(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    words = (
        "play",
        "--plain",
        "--players",
        "Ann,Ben",
        "--rules",
        "minimal",
        "--dice",
        "manual",
        "--record",
        str(record),
    )
    said = "12345\n1112223\n123789\nhello\n223344\nu\nfell\n111223\n11 r\n2 r\n115 b\n111 b\ns\nq\n"
    output = printed(*words, said=said)
    for expected in (
        "he roll has 5 dice, but 6 dice are to be rolled",
        "there are at most 6",
        "a die shows 1 to 6",
        "is not a roll",
        "Farkle! Ann scores nothing.",
        "Undone: 1 event",
        "Roll all 6 dice again",
        "Ann rolls 1-1-1-2-2-3",
        "Ann, roll 4 dice",
    ):
        assert expected in output, expected
    assert printed("verify", str(record))


def test_plain_mode_says_why_not_and_shows_help_rules_and_scores() -> None:
    words = (
        "play",
        "--plain",
        "--players",
        "Ann,Ben",
        "--rules",
        "minimal",
        "--dice",
        "manual",
        "--set",
        "minimum=300",
    )
    output = printed(*words, said="h\n?\ns\nx\n122346\n1 b\n2 r\n9 r\n1\nleave\nno\nleave\nyes\n")
    assert "undo the last decision" in output
    assert "Be the first to bank 10,000 points" in output
    assert "Scores: Ann 0; Ben 0" in output
    assert "100 points aren't enough to bank: every turn needs 300; keep rolling." in output
    assert "2 can't be kept: 2 doesn't score; the most that scores in 1-2-2-3-4-6 is 1 for 100." in output
    assert "a die shows 1 to 6" in output
    assert "Type the dice to keep" in output
    assert "Ben wins: everyone else has left the table." in output


def test_typed_bytes_that_are_not_text_are_refused() -> None:
    words = ("play", "--plain", "--rules", "minimal", "--set", "start=first_seat", "--dice", "manual")
    result = CliRunner().invoke(main, words, input=b"h\xe9llo\nAnn,Ben\nh\xe9llo\nq\n", prog_name="farkel")
    assert result.exit_code == 0
    assert "is not a valid name: its character 2 (U+DCE9) is half of a character" in result.output
    assert "is not a roll" in result.output


def test_control_characters_in_an_error_are_shown() -> None:
    said = refused("rules", "A\x1b[2J\x9b2JB")
    assert '"A\\x1b[2J\\x9b2JB" is not a rule set' in said


def test_committed_dice_are_fingerprinted_before_and_checked_after(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    words = (
        "play",
        "--plain",
        "--players",
        "Ann,bot:bold",
        "--rules",
        "kcd",
        "--dice",
        "committed",
        "--word",
        "hop hop",
    )
    output = printed(*words, "--record", str(record), said=ANSWERS)
    found = re.search(r"fingerprint ([0-9a-f]{64})", output)
    assert found is not None
    assert f"dice: committed {found[1]}" in record.read_text()
    assert "word: hop hop" in record.read_text()
    assert f"farkel verify {record}" in output
    assert "follow from the secret" in printed("verify", str(record))


def test_a_full_disk_stops_the_game_and_names_the_record(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    words = f"-m farkel play --plain --players Ann,Ben --rules minimal --seed 1 --record {record}".split()
    limited = f"ulimit -f 1; exec {sys.executable} {' '.join(words)}"
    done = subprocess.run(["/bin/bash", "-c", limited], input=ANSWERS, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "The game has stopped" in done.stdout
    assert "Traceback" not in done.stderr
    assert "wins" in printed("play", "--plain", "--resume", str(record), said=ANSWERS)


def test_teams_and_take_overs_in_plain_mode() -> None:
    words = ("play", "--plain", "--rules", "original", "--teams", "Reds=Ann+Ben,Blues=Cy+Di", "--dice", "manual")
    said = "3\n6\n111234\n11 b\nt 5\nt 2\n12\n1 b\nt\nq\n"
    output = printed(*words, said=said)
    assert "Blues starts." in output
    assert "On offer: 2,000 points and 4 dice, one life per die." in output
    assert "You can't take over 5 dice" in output
    assert "Reds takes over 2,000 points with 2 dice." in output
    assert "Reds pays 2 lives; 10 left." in output
    assert "Reds banks 3,000 and has 3,000." in output
    assert "Blues takes over 3,000 points with 3 dice." in output


def test_partners_are_called_by_name() -> None:
    words = ("play", "--plain", "--rules", "guts-and-luck", "--teams", "Reds=Ann+Ben,Cy", "--dice", "manual")
    output = printed(*words, said="111123\n1111 b\n223346\nq\n")
    prompts = re.findall(r"(\w+), roll 6 dice", output)
    assert prompts == ["Ann", "Cy", "Ben"]


def test_a_damaged_record_is_replayed_as_far_as_it_is_intact(tmp_path: Path) -> None:
    record = tmp_path / "game.farkel"
    words = ("play", "--plain", "--players", "bot:bold,bot:cautious", "--rules", "kcd", "--seed", "2", "--record")
    printed(*words, str(record), said="")
    lines = record.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("events:"))
    lines[first + 10] = lines[first + 10].replace("1", "2", 1)
    record.write_text("\n".join(lines) + "\n")
    result = farkel("replay", str(record))
    assert result.exit_code == 1
    assert f"line {first + 11}: " in result.output
    assert "\n   9  " in result.output
    assert f"line {first + 11}: " in refused("verify", str(record))
    assert f"line {first + 11}: " in refused("play", "--plain", "--resume", str(record))


def test_a_closed_input_is_an_input_that_has_ended(tmp_path: Path) -> None:
    command = f"{sys.executable} -m farkel play --plain --players Ann,Ben --record {tmp_path}/game.farkel <&-"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "The input has ended" in done.stdout
    assert "Traceback" not in done.stderr


def test_names_that_the_terminal_cannot_write_stop_no_game(tmp_path: Path) -> None:
    words = ["play", "--plain", "--players", "Ωme,bot:random", "--seed", "1", "--record", str(tmp_path / "game.farkel")]
    done = subprocess.run(
        [sys.executable, *program(), *words],
        input=ANSWERS,
        capture_output=True,
        text=True,
        check=False,
        env=environment(PYTHONIOENCODING="ascii"),
    )
    assert done.returncode == 0, done.stderr
    assert "?me" in done.stdout


def test_help_names_every_command() -> None:
    for command in ("play", "rules", "score", "replay", "verify"):
        assert command in printed("--help")
        assert printed(command, "--help").startswith(f"Usage: farkel {command}")
    assert printed("--version").startswith("farkel 0.")


def test_the_command_runs_as_a_module_and_in_a_pipe() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "farkel", "score", "--all"], stdout=subprocess.PIPE, text=True, check=True
    )
    assert len(done.stdout.splitlines()) == 923
    closed = subprocess.run(
        f"{sys.executable} -m farkel score --all | head -1", shell=True, capture_output=True, text=True, check=True
    )
    assert closed.stderr == ""


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import farkel", ("pydantic", "click", "textual", "rich", "tomlkit", "plotext")),
        ("import farkel.terminal.cli", ("pydantic", "textual", "rich", "tomlkit", "plotext")),
        ("import farkel.play.match", ("textual", "rich", "tomlkit", "plotext", "click")),
    ],
)
def test_imports_are_light(statement: str, absent: tuple[str, ...]) -> None:
    program = f"import sys; {statement}; print(*sorted(name for name in {absent!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_paths_to_open_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    record = str(tmp_path / "our game.farkel")
    told = printed("play", "--plain", "--rules", "minimal", "--players", "bot:bold,bot:bold", "--record", record)
    assert record in told.splitlines()
    watch = f"Your game is saved. Look back on it with: farkel watch --plain '{record}'"
    assert told.splitlines()[-1] == watch
    from farkel.play.match import Match
    from farkel.terminal.app.app import farewell

    match = Match.resume(Path(record))
    assert farewell(match).splitlines()[-1] == record
    assert f"Look back on it with: farkel watch '{record}'\n" in farewell(match)
    match.close()


def test_a_game_of_none_is_answered_with_how_to_play_one() -> None:
    assert "you have no saved games yet; play one with: farkel play" in refused("replay", "1")


@pytest.mark.parametrize("command", ["watch", "replay", "verify", "review"])
def test_a_command_without_its_game_says_how_one_is_named(command: str) -> None:
    assert "give RECORD: a saved game by its number in the list of farkel games, or by its file." in refused(command)
