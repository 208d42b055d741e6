"""Statistics of dice: the error rate is what it says, loaded dice are found, and ``farkel dice`` shows it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from farkel.dice import FACES, DerivedDice, all_rolls, commitment, derive, seeded, ways
from farkel.dice.simulated import ArenaDice
from farkel.errors import DiceError, RecordError
from farkel.game import Phase, Throw, apply, new_game
from farkel.play.match import Match, Setup
from farkel.players.rules_of_thumb import Cautious
from farkel.records import DiceSpec, Header, Record, RecordWriter, Seating, fairness, read
from farkel.records.fairness import (
    BLOCK,
    CERTAIN,
    EXACT,
    GAME,
    LEVEL,
    SimulatedDice,
    Word,
    checked_game,
    exact,
    faces_of,
    judge,
    record_files,
    rolled,
)
from farkel.rules import load, named
from farkel.terminal.command import Farkel
from farkel.terminal.commands.measure.dice import dice
from farkel.terminal.streams import STOPPED

RULES = named("standard")
SEATS = (Seating("Cora", ("Cora",), "bot:cautious"), Seating("Bo", ("Bo",), "bot:bold"))


def counts(*faces: int) -> dict[int, int]:
    return dict(zip(FACES, faces, strict=True))


# The verdict ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3, 6, 8])
def test_p_is_the_share_of_fair_series_that_are_at_least_as_uneven(number: int) -> None:
    """Against every roll of this many dice and the ways in which it can fall."""
    falls: Counter[float] = Counter()
    found: dict[float, float] = {}
    for roll in all_rolls(number):
        verdict = judge(Counter(roll))
        falls[verdict.chi_square] += ways(roll)
        found[verdict.chi_square] = verdict.p
    for chi_square, p in found.items():
        uneven = sum(count for other, count in falls.items() if other >= chi_square)
        assert p == pytest.approx(uneven / 6**number, rel=1e-12)
    for level in (LEVEL, CERTAIN):
        assert sum(count for chi_square, count in falls.items() if found[chi_square] < level) <= level * 6**number


@pytest.mark.parametrize("faces", [(11, 13, 24, 22, 15, 18), (10, 13, 31, 20, 14, 15)])
def test_many_dice_are_judged_as_if_all_outcomes_were_counted(faces: tuple[int, ...]) -> None:
    assert sum(faces) > EXACT
    assert judge(counts(*faces)).p == pytest.approx(exact(faces), rel=0.06)


def test_games_that_end_by_their_dice_accuse_fair_dice_as_rarely() -> None:
    chance, rules, player = random.Random(5), load("minimal(target=500)"), Cautious()
    accused, games = 0, 200
    for _ in range(games):
        state, faces = new_game(rules, (1, 1)), Counter[int]()
        while not state.over:
            if state.phase in (Phase.START, Phase.ROLL):
                roll = sorted(chance.choices(FACES, k=1 if state.phase is Phase.START else state.dice))
                faces.update(roll)
                state = apply(state, Throw(tuple(roll)))
            else:
                state = apply(state, player.decide(state, chance))
        accused += judge(faces).p < LEVEL
    assert accused <= 19, "10 of them, and 3 standard deviations more"


def test_loaded_dice_are_noticed() -> None:
    chance, number = random.Random(8), 600
    off = judge({1: number}).noticeable
    weights = [1 / 6 + off, *[1 / 6 - off / 5] * 5]
    noticed = sum(judge(Counter(chance.choices(FACES, weights, k=number))).p < LEVEL for _ in range(100))
    assert noticed >= 81, "90 of them, and 3 standard deviations fewer"


@pytest.mark.parametrize(
    ("faces", "word", "sentences"),
    [
        (
            counts(78, 80, 69, 83, 62, 94),
            "usual",
            "Verdict: nothing speaks against these dice.\n"
            "Of all series of 466 fair dice, 15.6% are at least as uneven.\n"
            "If one face were off by 7.4 percentage points, 9 in 10 would look suspicious.",
        ),
        (
            counts(70, 72, 69, 83, 68, 104),
            "suspicious",
            "Verdict: these dice are suspicious.\n"
            "Of all series of 466 fair dice, 1 in 37 is at least as uneven.\n"
            "By chance alone 1 in 20 is called so: roll as many again, and count only those.",
        ),
        (
            counts(60, 75, 70, 74, 62, 125),
            "not fair",
            "Verdict: these dice are not fair.\n"
            "Of all series of 466 fair dice, fewer than 1 in 1,000,000 are at least as uneven.\n"
            "By chance alone 1 in 1,000 is called so.",
        ),
        (
            {3: 1},
            "usual",
            "Verdict: nothing speaks against these dice.\n"
            "Of all series of 1 fair die, 100.0% are at least as uneven.\n"
            "So few dice can hide any fault.",
        ),
        (
            {6: 10**9},
            "not fair",
            "Verdict: these dice are not fair.\n"
            "Of all series of 1,000,000,000 fair dice, fewer than 1 in 1,000,000 are at least as uneven.\n"
            "By chance alone 1 in 1,000 is called so.",
        ),
    ],
)
def test_the_verdict_says_its_error_rate(faces: dict[int, int], word: Word, sentences: str) -> None:
    verdict = judge(faces)
    assert verdict.word == word
    assert "\n".join(verdict.sentences) == sentences


@pytest.mark.parametrize(
    ("faces", "code"), [({}, "no_dice"), ({1: 0}, "no_dice"), ({7: 1}, "bad_counts"), ({1: 5, 2: -1}, "bad_counts")]
)
def test_impossible_counts_are_refused(faces: dict[int, int], code: str) -> None:
    with pytest.raises(DiceError) as refused:
        judge(faces)
    assert refused.value.code == code


# Sources -------------------------------------------------------------------------------------------------------------


def counted(blocks: Iterator[Counter[int]]) -> Counter[int]:
    return sum(blocks, Counter[int]())


def test_derived_dice_are_those_of_a_game() -> None:
    rolls, source = BLOCK + 100, seeded("7")
    faces = Counter(face for index in range(rolls) for face in source.throw(index, 2))
    assert counted(rolled(source, rolls, 2)) == faces


@pytest.mark.parametrize("number", [1, 6, 10])
def test_dice_of_the_arena_are_those_of_its_games(number: int) -> None:
    for seed in (0, 2**64 - 1):
        games = [ArenaDice(seed, game) for game in range(3)]
        rolls = [game.throw(index, number) for game in games for index in range(GAME)]
        assert [SimulatedDice(seed).throw(index, number) for index in range(3 * GAME)] == rolls


@pytest.mark.parametrize("source", [seeded("farkel"), SimulatedDice(1)])
def test_farkels_own_dice_are_fair(source: SimulatedDice | DerivedDice) -> None:
    assert judge(counted(rolled(source, 10_000, 6))).word == "usual"


@pytest.mark.parametrize(
    ("rolls", "number", "code"), [(0, 6, "no_rolls"), (1, 0, "wrong_number_of_dice"), (1, 11, "wrong_number_of_dice")]
)
def test_impossible_sizes_are_refused(rolls: int, number: int, code: str) -> None:
    with pytest.raises(DiceError) as refused:
        rolled(seeded("1"), rolls, number)
    assert refused.value.code == code


# Records -------------------------------------------------------------------------------------------------------------


def played(path: Path, kind: Any = "seeded", seed: str = "1", rules: str = "minimal(target=600)") -> Record:
    match = Match.start(Setup(load(rules), SEATS, kind, seed if kind == "seeded" else ""), path)
    while not match.state.over:
        action = match.decide()
        match.throw() if action is None else match.act(action)
    match.close()
    return read(path)


def test_the_dice_of_a_game(tmp_path: Path) -> None:
    record = played(tmp_path / "one.farkel", rules="original(target=2000)")
    rolls = [move.event.faces for move in record.moves if isinstance(move.event, Throw)]
    assert faces_of(record) == Counter(face for roll in rolls for face in roll)


def test_files_and_folders(tmp_path: Path) -> None:
    for name in ("b.farkel", "a.farkel", "sub/c.farkel"):
        played(tmp_path / name)
    (tmp_path / "notes.txt").write_text("not a game")
    names = ("a.farkel", "b.farkel", "sub/c.farkel")
    assert record_files([tmp_path, tmp_path / "a.farkel"]) == tuple(tmp_path / name for name in names)
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordError, match="no record in the folder") as refused:
        record_files([tmp_path / "empty"])
    assert refused.value.code == "no_records"


def test_uncountable_games_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    played(path)
    intact = path.read_bytes()

    def code() -> str:
        with pytest.raises(RecordError) as refused:
            checked_game(path)
        assert str(path) in refused.value.message
        return refused.value.code

    assert checked_game(path).throws
    path.write_bytes(intact.replace(b"banks", b"bakes", 1))
    assert code() == "edited"
    path.write_bytes(intact[:-9])
    assert code() == "cut_off"
    path.unlink()
    assert code() == "no_file"
    RecordWriter.create(path, Header(RULES, SEATS, DiceSpec(), "2026-11-21 14:03")).close()
    assert code() == "no_dice"


# The command ---------------------------------------------------------------------------------------------------------


def farkel(*words: str) -> Result:
    return CliRunner().invoke(Farkel("farkel", commands=[dice]), ["dice", *words], prog_name="farkel")


def content(*words: str) -> Any:
    result = farkel(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_report_for_people() -> None:
    result = farkel("--source", "seeded", "--seed", "7", "--rolls", "40")
    assert (result.exit_code, result.stdout) == (
        0,
        """\
40 rolls, 240 dice from the seed 7.

face  count   share  off by                      | due: 40.0
   1     45  18.75%    +5.0  ####################|#
   2     46  19.17%    +6.0  ####################|##
   3     36  15.00%    -4.0  ##################  |
   4     34  14.17%    -6.0  #################   |
   5     39  16.25%    -1.0  ####################|
   6     40  16.67%    +0.0  ####################|

Verdict: nothing speaks against these dice.
Of all series of 240 fair dice, 72.3% are at least as uneven.
If one face were off by 10 percentage points, 9 in 10 would look suspicious.
""",
    )


def test_the_report_for_programs() -> None:
    found = content("--source", "seeded", "--seed", "1", "--rolls", "200", "--dice", "3")
    faces = Counter(face for index in range(200) for face in seeded("1").throw(index, 3))
    assert (found["source"], found["seed"], found["asked"]) == ("seeded", 1, 200)
    assert (found["throws"], found["dice"], found["stopped"]) == (200, 600, False)
    assert {int(face): one["count"] for face, one in found["faces"].items()} == faces
    assert found["faces"]["2"] == {"count": faces[2], "share": faces[2] / 600, "due": 1 / 6}
    verdict = judge(faces)
    assert (found["chi_square"], found["p"], found["verdict"]) == (verdict.chi_square, verdict.p, verdict.word)
    assert (found["level"], found["noticeable"]) == (LEVEL, verdict.noticeable)


def test_committed_dice_can_be_checked() -> None:
    words = ("--source", "committed", "--word", " hop  hop ", "--word", "Käthe", "--rolls", "30")
    found = content(*words)
    secret, mixed = bytes.fromhex(found["secret"]), ("hop hop", "Käthe")
    assert (commitment(secret), mixed) == (found["commitment"], tuple(found["words"]))
    faces = Counter(face for index in range(30) for face in derive(secret, mixed, index, 6))
    assert {int(face): one["count"] for face, one in found["faces"].items() if one["count"]} == faces
    told = farkel(*words).output.splitlines()
    assert told[0].startswith("Committed to the secret with the SHA-256 ")
    assert commitment(bytes.fromhex(told[2].split()[3])) == told[0].split()[-1]
    assert told[2].endswith(' with the words "hop hop", "Käthe": anybody can check every roll.')


@pytest.mark.parametrize("words", [(), ("--source", "arena", "--seed", "3")])
def test_quick_sources(words: tuple[str, ...]) -> None:
    found = content(*words, "--rolls", "5000", "--dice", "5")
    assert (found["throws"], found["dice"]) == (5_000, 25_000)


def test_no_extra_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.support.extras.find_spec", lambda name: None)
    assert farkel("--rolls", "1").exit_code == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--rolls", "0"), "0 rolls cannot be tested; give at least 1"),
        (("--rolls", "-5"), "-5 rolls"),
        (("--dice", "11"), "choose 1 to 10"),
        (("--source", "seeded"), "needs a --seed"),
        (("--seed", "5"), "--seed repeats the dice of"),
        (("--word", "hop"), "--word is mixed into the dice of --source committed, not into those of system"),
        (("--source", "seeded", "--seed", "5", "--word", "hop"), "not into those of seeded"),
        (("--source", "committed", "--word", "a\a"), "'a\\x07' is no word to be mixed into the dice"),
        (("nowhere.farkel", "--word", "hop"), "the dice of a RECORD"),
        (("--source", "arena", "--seed", "-1"), "from 0 to 2**64 - 1"),
        (("--source", "committed", "--rolls", "0"), "give at least 1"),
        (("nowhere.farkel",), "there is no record nowhere.farkel"),
        (("nowhere.farkel", "--rolls", "5"), "the dice of a RECORD"),
        (("--rules", "zilch"), "No such option"),
    ],
)
def test_wrong_input_gets_one_clear_message(words: tuple[str, ...], expected: str) -> None:
    result = farkel(*words)
    assert result.exit_code in (1, 2)
    assert expected in result.output
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_one_game_and_many(tmp_path: Path) -> None:
    throws = sum(played(tmp_path / f"{seed}.farkel", seed=seed).throws for seed in "123")
    committed = played(tmp_path / "c.farkel", "committed").throws
    one = content(str(tmp_path / "c.farkel"))
    assert (one["source"], one["throws"], one["kinds"]) == ("records", committed, {"committed, checked": 1})
    many = content(str(tmp_path))
    assert many["throws"] == throws + committed
    assert len(many["games"]) == 4
    assert farkel(str(tmp_path)).output.startswith(f"{throws + committed:,} rolls, {many['dice']:,} dice of 4 games.\n")


def test_skipped_games_are_named(tmp_path: Path) -> None:
    played(tmp_path / "a.farkel")
    played(tmp_path / "b.farkel", rules="minimal(target=700)")
    damaged = tmp_path / "c.farkel"
    played(damaged, seed="2")
    damaged.write_bytes(damaged.read_bytes().replace(b"Bo:", b"Ba:", 1))
    result = farkel(str(tmp_path))
    assert result.exit_code == 1
    assert " dice of 1 game.\nDice: 1 × seeded, checked.\n" in result.stdout
    assert (
        f"Skipped: {tmp_path / 'b.farkel'}: its dice are those of {tmp_path / 'a.farkel'} over again" in result.stderr
    )
    assert f"Skipped: {damaged}: " in result.stderr
    codes = [one["code"] for one in json.loads(farkel(str(tmp_path), "--json").stdout)["skipped"]]
    assert codes == ["same_dice", "edited"]
    alone = farkel(str(damaged))
    assert (alone.exit_code, alone.stdout) == (1, "")
    assert alone.stderr.startswith(f"Error: {damaged}: ")


def test_none_that_can_be_counted(tmp_path: Path) -> None:
    for name in ("a.farkel", "b.farkel"):
        (tmp_path / name).write_text("no game")
    result = farkel(str(tmp_path))
    assert result.exit_code == 1
    assert "none of 2 records can be counted" in result.output


def interrupted(blocks: list[Counter[int]]) -> Iterator[Counter[int]]:
    yield from blocks
    raise KeyboardInterrupt


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_an_interrupt_prints_partial_results(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Counter(dict.fromkeys(FACES, 1_000))] * 2
    monkeypatch.setattr(fairness, "rolled", lambda source, rolls, number: interrupted(made))
    result = farkel("--rolls", "10000000", *words)
    assert result.exit_code == STOPPED
    assert result.stderr == "Stopped: 2,000 of 10,000,000 rolls were made\n"
    if words:
        found = json.loads(result.stdout)
        assert (found["throws"], found["asked"], found["stopped"]) == (2_000, 10_000_000, True)
    else:
        assert result.stdout.startswith("2,000 rolls, 12,000 dice ")


def test_stopped_before_the_first_roll(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "rolled", lambda source, rolls, number: interrupted([]))
    result = farkel()
    assert (result.exit_code, result.stdout, result.stderr) == (STOPPED, "", "Stopped.\n")


def test_reading_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    throws = played(tmp_path / "a.farkel").throws
    played(tmp_path / "b.farkel", seed="2")

    def reading(path: Path) -> Record:
        if path.name == "b.farkel":
            raise KeyboardInterrupt
        return checked_game(path)

    monkeypatch.setattr(fairness, "checked_game", reading)
    result = farkel(str(tmp_path))
    assert result.exit_code == STOPPED
    assert result.stdout.startswith(f"{throws} rolls, ")
    assert result.stderr == "Stopped: 1 of 2 records were read\n"
