"""The commands that know the best play, as they are typed: what they print, and what they say to wrong input."""

from __future__ import annotations

import json
import logging
import re
import signal
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pexpect
import pytest
from click.testing import CliRunner, Result
from matplotlib.figure import Figure
from matplotlib.text import Text

from farkel.coach import grade, position, review
from farkel.errors import FarkelError
from farkel.game import Event, Keep, Leave, Throw, apply
from farkel.game.scoring import score_table
from farkel.players import knowledge
from farkel.records import DiceSpec, Header, Move, Record, Seating
from farkel.rules import load
from farkel.solve import duel
from farkel.support.extras import advice
from farkel.terminal.cli import main
from farkel.terminal.commands.learn.advise import position_text
from farkel.terminal.commands.learn.review import review_figure
from farkel.terminal.plots import save
from farkel.terminal.progress import working
from farkel.terminal.streams import STOPPED
from home import environment

QUICK = "minimal(target=1500, finish=last_turns)"
"""Solved in a fraction of a second."""
TAKING = f"{QUICK[:-1]}, take_over.price=free)"
LIVES = (
    "minimal(target=1000, take_over.price=lives, take_over.choose_dice=true, lives.each=3, lives.farkle=1, "
    "lives.round_points=500)"
)


@pytest.fixture(scope="module")
def solutions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("solutions")


@pytest.fixture(autouse=True)
def _home(solutions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(solutions))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def farkel(*words: str) -> Result:
    return CliRunner().invoke(main, words, prog_name="farkel")


def printed(*words: str) -> str:
    result = farkel(*words)
    assert result.exit_code == 0, result.output
    return result.stdout  # on standard error it may say that it compiles


def content(*words: str) -> Any:
    return json.loads(printed(*words, "--json"))


def refused(*words: str) -> str:
    result = farkel(*words)
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.output
    assert "Error: " in result.output
    return result.output


def rows(text: str, *starts: str) -> list[str]:
    """The lines of the text that begin so, their columns parted by single spaces."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in lines if line.startswith(starts)]


# odds, turn, race, solve ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "dice"), [("extended", 6), ("original", 6), ("minimal(dice=5)", 5)])
def test_odds_are_exact(rules: str, dice: int) -> None:
    found = content("odds", "--rules", rules)
    assert list(found["dice"]) == [str(number) for number in range(1, dice + 1)]
    table = score_table(load(rules))
    for number in range(1, dice + 1):
        one = found["dice"][str(number)]
        rolls = table.rolls(number)
        best = [(scored.ways, scored.best.points if scored.best else 0) for scored in rolls]
        hot = sum(scored.ways for scored in rolls if any(kept.hot for kept in scored.keeps.values()))
        assert Fraction(one["farkle"]) == table.farkles(number)
        assert Fraction(one["hot_dice"]) == Fraction(hot, 6**number)
        assert Fraction(one["mean_best"]) == Fraction(sum(ways * points for ways, points in best), 6**number)


def test_odds_for_people() -> None:
    assert rows(printed("odds", "--rules", "extended"), "1 ", "4 ") == [
        "1 66.67% 2/3 33.33% 1/3 25.00 25",
        "4 15.74% 17/108 4.01% 13/324 143.60 46525/324",
    ]


def test_the_best_turn() -> None:
    """FACTS.md: 446.5714 for minimal, and the thresholds of ten-thousand (Amund211/10001, results.txt)."""
    assert content("turn", "--rules", "minimal")["expected_points"] == pytest.approx(446.5714, abs=5e-5)
    found = content("turn", "--rules", "ten-thousand")
    assert found["bank_at"] == {"1": 350, "2": 250, "3": 450, "4": 1050, "5": 3100, "6": 18100}
    text = printed("turn", "--rules", "ten-thousand")
    assert rows(text, "bank from") == ["bank from 350 250 450 1,050 3,100 18,100"]
    assert found["expected_points"] == pytest.approx(590.66, abs=5e-3)
    assert "590.6578 points per turn" in text
    assert content("turn", "--rules", "zilch")["bank_at"]["6"] is None
    text = printed("turn", "--rules", "zilch")
    assert "never" in text
    assert "in the long run" in text
    assert "is needed only once" in printed("turn", "--rules", "extended")
    text = printed("turn", "--rules", "game10000")
    assert rows(text, "bank from", "–") == [
        "bank from 300 300 400 1,000 2,900 –",
        "–: the rules allow no bank that leaves this many dice.",
    ]


def test_the_race() -> None:
    """FACTS.md: 23.003990 turns for minimal."""
    assert content("race", "--rules", "minimal") == {"expected_turns": pytest.approx(23.00399, abs=1e-6)}
    assert "23.003990 turns" in printed("race", "--rules", "minimal")


def test_solve_and_its_stored_solution(solutions: Path) -> None:
    found = content("solve", "--rules", QUICK)
    assert 0.5 < found["first_player_wins"] < 0.6
    assert found["states"] > 0
    assert found["residual"] <= 1e-9
    assert found["seconds"] >= 0
    assert "nobody_wins" not in found
    text = printed("solve", "--rules", QUICK)
    assert f"{found['first_player_wins']:.8f}" in text
    (kept,) = re.findall(r"Kept in (.*)", text)
    assert Path(kept).is_file()
    assert solutions in Path(kept).parents
    again = content("solve", "--rules", QUICK, "--fresh")
    assert again["first_player_wins"] == pytest.approx(found["first_player_wins"], abs=1e-9)


def test_solve_shows_the_chance_of_no_winner() -> None:
    found = content("solve", "--rules", LIVES)
    assert 0 < found["nobody_wins"] < 0.5
    assert rows(printed("solve", "--rules", LIVES), "nobody wins") == [f"nobody wins {found['nobody_wins']:.8f}"]


def test_long_work_shows_progress_also_on_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("farkel.kernels.compiler")
    with working("solving"):
        log.info("Compiling")
    log.info("nobody waits now")
    assert capsys.readouterr() == ("", "Compiling\n")


def test_best_play_without_a_cache_folder_works_with_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("advise", "--rules", QUICK, "--scores", "450,600", "--turn", "350", "--roll", "152233", "--json")
    kept = farkel(*words)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("farkel.solve.solution._warned", set())
    for number in range(2):
        monkeypatch.setattr(knowledge, "_duels", {})  # as if it were another program
        found = farkel(*words)
        assert found.exit_code == 0
        assert json.loads(found.stdout) == json.loads(kept.stdout)
        assert found.stderr.count("Solutions cannot be kept") == 1 - number
        assert found.stderr.count("\n") == 1 - number
    assert "Kept in" not in printed("solve", "--rules", QUICK)


# advise --------------------------------------------------------------------------------------------------------------


def test_advise_ranks_every_legal_action() -> None:
    words = ("advise", "--rules", QUICK, "--scores", "450,600", "--turn", "350", "--roll", "152233")
    found = content(*words)
    actions = found["actions"]
    assert {(each["action"], tuple(each["keep"])) for each in actions} == {
        (then, keep) for then in ("roll", "bank") for keep in ((1,), (5,), (1, 5))
    }
    assert [each["cost"] for each in actions] == sorted(each["cost"] for each in actions)
    assert actions[0]["cost"] == 0
    assert found["wins"] == actions[0]["wins"]
    assert found["exact"] is True
    by_keep = {(each["action"], tuple(each["keep"])): each for each in actions}
    bank = by_keep["bank", (1, 5)]
    assert (bank["turn_total"], bank["expected_points"], bank["rolls"], bank["farkle"]) == (500, 500, 0, "0")
    roll = by_keep["roll", (1,)]
    assert (roll["turn_total"], roll["rolls"], Fraction(roll["farkle"])) == (450, 5, Fraction(25, 324))
    assert roll["expected_points"] > 450
    text = printed(*words)
    assert found["reason"] in text
    assert "the other:  600" in text
    assert "Turn total 350, rolled 1-2-2-3-3-5." in text
    first = actions[0]
    line = f"1 keep {'-'.join(map(str, first['keep']))}, {first['action']} {first['turn_total']} {first['wins']:.2%}"
    assert rows(text, "1 keep")[0].startswith(line)


def test_advise_without_a_roll_asks_roll_or_bank() -> None:
    found = content("advise", "--rules", QUICK, "--scores", "450,600", "--turn", "300", "--dice", "3")
    assert sorted(each["action"] for each in found["actions"]) == ["bank", "roll"]
    assert all(each["turn_total"] == 300 for each in found["actions"])


def test_advise_says_how_many_rounds_are_left() -> None:
    state = position(load("minimal(rounds=3)"), scores=(0, 100), turn=100, dice=5, rounds_left=2)
    assert position_text(state).endswith("\n2 rounds left, including this one.")


def test_advise_on_an_offer_and_with_lives() -> None:
    found = content("advise", "--rules", TAKING, "--scores", "450,600", "--offer", "350:2")
    assert sorted(each["action"] for each in found["actions"]) == ["fresh", "take_over"]
    words = ("advise", "--rules", LIVES, "--scores", "450,600", "--lives", "3,1", "--offer", "350:2")
    found = content(*words)
    assert sorted(each.get("take", 0) for each in found["actions"]) == [0, 1, 2]
    assert "3 lives" in printed(*words)
    assert "On offer: 350 points with 2 dice." in printed(*words)


def test_equal_positions_are_shown_as_one() -> None:
    text = printed("advise", "--rules", QUICK, "--scores", "450,600", "--turn", "0", "--roll", "112225")
    assert len(rows(text, "= keep")) >= 1
    assert "=: leads to the same position" in text


def test_last_turns_are_known_from_the_scores() -> None:
    words = ("advise", "--rules", QUICK, "--scores", "450,1600", "--turn", "300", "--dice", "3")
    assert content(*words) == content(*words, "--last-turn")
    assert "began the last turns" in printed(*words)
    assert "banking 300 loses the game" in printed(*words)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--scores", "4500,6200", "--turn", "350", "--roll", "1522331"), "a roll has 1 to 6"),
        (("--scores", "4500,6200", "--turn", "350", "--roll", "152237"), "a die shows 1 to 6"),
        (("--scores", "4500,6200", "--turn", "350", "--roll", "abc"), "is not a roll"),
        (("--scores", "4510,6200", "--turn", "350", "--roll", "152233"), "steps of 50 (4,500 or 4,550)"),
        (("--scores", "4500,6200", "--turn", "360", "--roll", "152233"), "steps of 50 (350 or 400)"),
        (("--scores", "4500,6200", "--turn", "350", "--roll", "223346"), "it is a farkle"),
        (("--scores", "4500,6200", "--offer", "350:2"), "it has no take-over"),
        (("--rules", "build-on", "--scores", "4500,6200", "--offer", "0:2"), "a farkle leaves nothing"),
        (("--rules", "build-on", "--scores", "4500,6200", "--offer", "350"), "350:2"),
        (("--scores", "4500;6200"), "separate them with commas"),
        (("--scores", "4500,6200", "--on-board", "yes,maybe"), "yes,no"),
        (("--scores", "4500,6200", "--lives", "3,4"), "no lives"),
        (("--scores", "4500,6200"), "no decision to make"),
        (
            ("--turn", "350"),
            "give --scores LIST: banked points, yours first, in the order of play. For example: farkel advise --scores",
        ),
        (("--scores", "4500,6200", "--first", "3"), "1 to 2"),
        (("--scores", "4500,6200", "--last-turn"), "nobody has reached 10,000"),
    ],
)
def test_impossible_positions_are_refused_before_any_work(
    words: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for work in ("terminal.commands.learn.advise.working", "solve.evaluator", "solve.best_turn"):
        monkeypatch.setattr(f"farkel.{work}", lambda *_: pytest.fail("it begins to solve"))
    assert expected in " ".join(refused("advise", *words).split())


# review --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game of bots."""
    path = tmp_path / "game.farkel"
    words = ("--plain", "--rules", QUICK, "--players", "bot:cautious,bot:bold", "--seed", "7", "--record", str(path))
    assert farkel("play", *words).exit_code == 0
    return path


def test_review_accounts_for_every_seat(game: Path) -> None:
    found = content("review", str(game))
    assert found["over"] is found["exact"] is True
    assert [seat["name"] for seat in found["seats"]] == ["Cautious", "Bold"]
    for number, seat in enumerate(found["seats"]):
        explained = seat["luck"] - seat["errors"] + seat["from_others"]
        assert seat["end"] - seat["start"] == pytest.approx(explained, abs=1e-9)
        decided = [move for move in found["moves"] if "grade" in move and move["seat"] == number]
        assert seat["decisions"] == len(decided)
        assert seat["errors"] == pytest.approx(sum(move["error"] for move in decided), abs=1e-9)
        for word, many in (("inaccuracy", "inaccuracies"), ("mistake", "mistakes"), ("blunder", "blunders")):
            assert seat[many] == sum(move["grade"] == word for move in decided)
        assert all(move["grade"] == grade(move["error"]) for move in decided)
    assert sorted(seat["end"] for seat in found["seats"]) == [0, 1]
    assert found["moves"][-1]["chances"] == [seat["end"] for seat in found["seats"]]


def test_review_for_people(game: Path) -> None:
    found, text = content("review", str(game)), printed("review", str(game))
    errors = [move for move in found["moves"] if move.get("grade", "good") != "good"]
    assert len(errors) == text.count("better: ")
    assert "end = start + luck + own errors + others' errors." in text
    assert "inaccuracy: costs 0.5% or more; mistake: 2%; blunder: 5%." in text
    for event in found["turning_points"]:
        assert re.search(rf"^ *{event}  ", text, re.MULTILINE)
    graded = [move for move in found["moves"] if "grade" in move]
    listed = printed("review", str(game), "--all").partition("Decisions\n")[2].splitlines()
    assert len(listed) == len(graded) + 1


def test_review_of_a_game_that_is_not_over_or_damaged(game: Path) -> None:
    lines = game.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("events:"))
    game.write_text("\n".join(lines[: first + 6]) + "\n")
    assert "The game is unfinished; the review covers it so far." in printed("review", str(game))
    assert content("review", str(game))["over"] is False
    game.write_text("\n".join(lines[: first + 1]) + "\n")
    assert content("review", str(game))["moves"] == []
    assert "Errors\nnone" in printed("review", str(game))
    del lines[first + 4]
    game.write_text("\n".join(lines) + "\n")
    result = farkel("review", str(game))
    assert result.exit_code == 1
    assert f"line {first + 5}: " in result.output
    assert "Turning points" in result.output


SIGNATURES = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.mark.parametrize("ending", SIGNATURES)
def test_the_curve_is_drawn(ending: str, game: Path, tmp_path: Path) -> None:
    picture = tmp_path / f"curve{ending}"
    printed("review", str(game), "--plot", str(picture))
    assert picture.read_bytes().startswith(SIGNATURES[ending])


def test_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    """Dollars are no formulas, an underscore hides nothing, and letters that a font does not have are no warnings."""
    rules = load(QUICK)
    seats = (Seating("$a_b$", ("$a_b$",)), Seating("_安", ("_安",)))
    record = Record(Header(rules, seats, DiceSpec(), "2026-11-21 14:03"))
    events: tuple[Event, ...] = (Throw((1, 2, 3, 3, 4, 6)), Keep((1,), "bank"), Leave(0))
    for event in events:
        before = record.state
        record.moves.append(Move(len(record.moves) + 1, event, before, apply(before, event)))
    found = review(duel(rules), record)
    figure = review_figure(found, "$a_b$ against _安")
    save(figure, tmp_path / "curve.png")
    labels = {text.get_text() for text in figure.findobj(Text)}
    assert {"$a_b$", "$a_b$ against _安", "chance that _安 wins"} <= labels
    assert (tmp_path / "curve.png").stat().st_size > 10_000
    with pytest.raises(FarkelError) as caught:
        save(figure, tmp_path / "nowhere" / "curve.png")
    assert caught.value.code == "unwritable"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("review", "missing.farkel"), "there is no record missing.farkel"),
        (("review", "missing.farkel", "--plot", "curve.gif"), "file name must end in .svg, .png or .pdf"),
        (("review", "missing.farkel", "--plot", "curve"), "file name must end in .svg, .png or .pdf"),
        (("review", "missing.farkel", "--plot", "nowhere/curve.png"), "there is no folder nowhere"),
        (("chart", "card.txt"), "file name must end in .svg, .png or .pdf"),
        (("chart", "nowhere/card.pdf"), "there is no folder nowhere"),
        (("chart", "card.pdf", "--output", "card.pdf"), "not both"),
        (("solve", "--rules", "nonsense"), 'there is no rule set "nonsense"'),
    ],
)
def test_wrong_input_gets_one_clear_message(words: tuple[str, ...], expected: str) -> None:
    assert expected in refused(*words)


# chart ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "ending"), [(QUICK, ".pdf"), (TAKING, ".svg"), (LIVES, ".png")])
def test_the_card_is_drawn(rules: str, ending: str, tmp_path: Path) -> None:
    picture = tmp_path / f"card{ending}"
    assert printed("chart", str(picture), "--full", "--rules", rules) == f"The card is in {picture}\n"
    assert picture.read_bytes().startswith(SIGNATURES[ending])


def test_a_picture_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = tmp_path / "card.svg"

    def stopped(figure: Figure, path: Path, **others: Any) -> None:
        path.write_text("<svg")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Figure, "savefig", stopped)
        with pytest.raises(KeyboardInterrupt):
            save(Figure(), picture)
        assert list(tmp_path.iterdir()) == []
        picture.write_text("before")
        with pytest.raises(KeyboardInterrupt):
            save(Figure(), picture)
    assert [picture] == list(tmp_path.iterdir())
    assert picture.read_text() == "before"
    save(Figure(), picture)
    assert [picture] == list(tmp_path.iterdir())
    assert picture.read_bytes().startswith(SIGNATURES[".svg"])
    with pytest.raises(FarkelError, match="it is a folder"):
        save(Figure(), tmp_path)


def test_the_card_has_a_name_of_its_own(tmp_path: Path) -> None:
    assert printed("chart", "--full", "--rules", QUICK) == "The card is in farkel-minimal.pdf\n"
    assert (tmp_path / "farkel-minimal.pdf").is_file()


def test_the_card_agrees_with_the_advice() -> None:
    """Below a threshold of the card rolling on is best, and from there on banking is."""
    found = content("chart", "--full", "--rules", QUICK)
    (bank,) = (table for table in found["tables"] if table["title"] == "When to bank")
    (row,) = (row for row in bank["rows"] if row["label"].startswith("half-way"))
    own = row["label"].split()[2].replace(",", "")
    checked = 0
    for dice, cell in zip(bank["columns"][:3], row["cells"], strict=False):
        for total, best in ((cell, "bank"), (cell - 50, "roll")):
            words = ("advise", "--rules", QUICK, "--scores", f"{own},{own}", "--turn", str(total), "--dice", dice)
            result = farkel(*words, "--json")
            if result.exit_code == 0:  # not every turn total can occur with this many dice
                assert json.loads(result.stdout)["actions"][0]["action"] == best
                checked += 1
    assert checked >= 4


# Waiting, and missing extras ------------------------------------------------------------------------------------------


def test_a_missing_extra_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.support.extras.find_spec", lambda name: None)
    assert refused("chart", "a.pdf") == f"Error: drawing a.pdf needs matplotlib: {advice('charts')}\n"
    said = refused("solve", "--rules", "minimal", "--seats", "3")
    assert said == f"Error: an exact solution for three players needs numba (about 250 MB): {advice('native')}\n"


def test_help_of_the_commands() -> None:
    for command in ("odds", "turn", "race", "solve", "advise", "review", "chart"):
        assert command in printed("--help")
        text = printed(command, "--help")
        assert text.startswith(f"Usage: farkel {command}")
        assert "--json" in text
    assert "farkel advise --scores 4500,6200 --turn 350 --roll 152233" in printed("advise", "--help")


def test_the_command_line_stays_light() -> None:
    program = (
        "import sys, farkel.terminal.cli, farkel.coach.chart, farkel.terminal.progress, farkel.terminal.plots; "
        "print(*sorted(set(sys.modules) & {'numpy', 'numba', 'matplotlib', 'rich', 'textual'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def swallowed() -> None:
    """Work that swallows Ctrl-C, and then says how far it is."""
    with working("solving") as progress:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        progress(1, 2)
        pytest.fail("it went on")


def test_an_interruption_that_something_swallows_still_stops(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit) as ended:
        swallowed()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "Stopped.\n"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_solve_that_is_stopped_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    command = f"{sys.executable} -m farkel solve --rules build-on"
    own = environment(XDG_CACHE_HOME=str(tmp_path), TERM="xterm")
    terminal = pexpect.spawn(command, env=own, encoding="utf-8", dimensions=(24, 80), timeout=120)
    terminal.expect(r"Solving the game.*%")
    terminal.sendintr()
    terminal.expect("Stopped.")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    terminal.close()
    assert terminal.exitstatus == STOPPED
    assert not [path for path in tmp_path.rglob("*.solution*") if path.is_file()]
