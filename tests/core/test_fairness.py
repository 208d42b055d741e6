"""Statistics of dice: the chances are right, fair dice are found fair and rigged ones are not, and ``farkel dice``."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, groupby, pairwise, product
from math import exp, expm1, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from farkel import fairness
from farkel.chance import SYSTEM
from farkel.dice import ChanceDice, DerivedDice, Roll, all_rolls, commitment, derive, parse_roll, roll_of, seeded, ways
from farkel.draws import ArenaDice
from farkel.errors import DiceError, RecordError
from farkel.extras import advice
from farkel.fairness import (
    AGES,
    GAME,
    Codes,
    Finding,
    Seen,
    Tally,
    arena_throws,
    check_size,
    checked_game,
    chi_square,
    chi_square_above,
    chi_square_below,
    code_of,
    codes_of,
    farkle_table,
    findings,
    holm,
    normal_beyond,
    noticeable,
    pattern,
    record_files,
    row_at_least,
    suspicious,
    system_throws,
    thrown,
    throws_of,
)
from farkel.game import Phase, Throw
from farkel.match import Match, Setup
from farkel.record import DiceSpec, Header, Record, Seating, Writer, read
from farkel.rules import load, named
from farkel.scoring import score_table
from farkel.terminal.cli import Farkel
from farkel.terminal.fairness import dice, gauge, pattern_text
from farkel.terminal.streams import STOPPED

RULES = named("standard")
SEATS = (Seating("Cora", ("Cora",), "bot:cautious"), Seating("Bo", ("Bo",), "bot:bold"))


def coded(rolls: list[Roll]) -> Codes:
    return np.array([code_of(roll) for roll in rolls], np.int32)


def tally_of(codes: Codes) -> Tally:
    return Tally().after(farkle_table(RULES).judge(codes))


def found_in(codes: Codes) -> dict[str, Finding]:
    return {each.name: each for each in findings(tally_of(codes))}


def fair(generator: np.random.Generator, throws: int, number: int = 6) -> Codes:
    return codes_of(generator.integers(1, 7, (throws, number)).astype(np.uint8))


def as_in_a_game(chance: random.Random, throws: int) -> list[Roll]:
    """Rolls, each of the dice that the best keep of the one before leaves."""
    table, number, rolls = score_table(RULES), 6, []
    for _ in range(throws):
        rolls.append(roll_of(chance.choices(range(1, 7), k=number)))
        best = table[rolls[-1]].best
        number = best.left if best and best.left > 2 else 6
    return rolls


# Chances -------------------------------------------------------------------------------------------------------------


def test_tiny_chances_keep_their_digits() -> None:
    assert chi_square_above(600, 2) == pytest.approx(exp(-300), rel=1e-9)
    assert chi_square_below(1e-9, 2) == pytest.approx(-expm1(-5e-10), rel=1e-9)
    assert normal_beyond(-40) == pytest.approx(7.31e-350, abs=1e-300)


@pytest.mark.parametrize("tosses", [20, 100, 1000])
def test_the_longest_row_of_tosses(tosses: int) -> None:
    """Against counting: the tosses with no row longer than k, by the length of the row that they end in."""
    for longest in range(2, 20):
        ending = [1.0, *[0.0] * (longest - 1)]
        for _ in range(tosses - 1):
            ending = [sum(ending) / 2, *(chance / 2 for chance in ending[:-1])]
        assert row_at_least(longest + 1, tosses) == pytest.approx(1 - sum(ending), abs=1e-3)
    assert row_at_least(tosses + 1, tosses) == 0


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([]) == []


def test_rare_classes_are_pooled() -> None:
    assert chi_square([Seen(12, 10.0), Seen(8, 10.0)]) == (0.8, 1)
    rare = [Seen(3, 3.0), Seen(1, 3.0), Seen(6, 4.0), Seen(90, 90.0)]
    assert chi_square(rare) == (0, 1), "3, 3 and 4 are each below 5: one class of 10"
    assert chi_square([Seen(1, 1.0), Seen(2, 2.0)]) == (0, 0)


# Counting ------------------------------------------------------------------------------------------------------------


def test_a_code_tells_every_roll() -> None:
    rolls = [roll for number in range(1, 7) for roll in all_rolls(number)]
    codes = coded(rolls)
    assert len(set(codes.tolist())) == len(rolls)
    assert [tuple(np.repeat(np.arange(1, 7), fairness.COUNTS[code])) for code in codes] == rolls
    assert codes_of(np.array([[3, 1, 6], [6, 3, 1]], np.uint8)).tolist() == [code_of((1, 3, 6))] * 2


def test_heights_are_standardised() -> None:
    for number in range(1, 7):
        heights = fairness.HEIGHTS[codes_of(np.array(list(product(range(1, 7), repeat=number)), np.uint8))]
        assert heights.mean() == pytest.approx(0, abs=1e-12)
        assert heights.std() == pytest.approx(1)


@pytest.mark.parametrize("name", ["standard", "zilch", "renaissance"])
def test_farkles_are_those_of_the_score_table(name: str) -> None:
    scores, table = score_table(named(name)), farkle_table(named(name))
    for scored in scores:
        throws = table.judge(coded([scored.roll]))
        assert bool(throws.farkle[0]) == scored.farkle
        assert throws.chance[0] == float(scores.farkles(len(scored.roll)))


@pytest.mark.parametrize("seed", range(4))
def test_the_tally_agrees_with_plain_loops(seed: int) -> None:
    """Everything again without NumPy, for throws of as many dice as in a game, cut into blocks anywhere."""
    chance = random.Random(seed)
    rolls = as_in_a_game(chance, 300)
    cuts = sorted(chance.sample(range(1, 300), 40))
    tally, table = Tally(), farkle_table(RULES)
    for start, stop in pairwise([0, *cuts, 300]):
        tally = tally.after(table.judge(coded(rolls[start:stop])))

    assert tally.throws == 300
    assert tally.dice == dict(sorted(Counter(map(len, rolls)).items()))
    assert tally.faces == tuple(Counter(chain(*rolls))[face] for face in range(1, 7))
    assert tally.rolls(6) == {roll: rolls.count(roll) for roll in all_rolls(6)}
    assert {each: seen.times for each, seen in tally.patterns(4).items() if seen.times} == Counter(
        pattern(roll) for roll in rolls if len(roll) == 4
    )

    signs = [2 * sum(roll) > 7 * len(roll) for roll in rolls if 2 * sum(roll) != 7 * len(roll)]
    rows = [len(list(row)) for _, row in groupby(signs)]
    counted = tally.rows
    assert (counted.above, counted.below) == (signs.count(True), signs.count(False))
    assert (counted.rows, counted.longest) == (len(rows), max(rows))

    heights = np.array([(sum(roll) - 3.5 * len(roll)) / sqrt(len(roll) * 35 / 12) for roll in rolls])
    away = heights - heights.mean()
    assert tally.heights.correlation == pytest.approx((away[1:] * away[:-1]).sum() / (away**2).sum())

    for f, g in product(range(6), repeat=2):
        together = sum(a.count(f + 1) * b.count(g + 1) for a, b in pairwise(rolls))
        assert tally.pairs.products[f, g] == together
        assert tally.pairs.weights[f, g] == sum(a.count(f + 1) * a.count(g + 1) * len(b) for a, b in pairwise(rolls))
    assert tally.pairs.pairs == 299

    scores = score_table(RULES)
    farkles = [scores[roll].farkle for roll in rolls]
    assert tally.farkles.all.farkles == sum(farkles)
    assert tally.farkles.all.expected == pytest.approx(sum(float(scores.farkles(len(roll))) for roll in rolls))
    assert tally.farkles.in_row == max(len(list(row)) for farkle, row in groupby(farkles) if farkle)
    places = [place for place, farkle in enumerate(farkles) if farkle]
    gaps = [after - before - 1 for before, after in pairwise(places)]
    assert tally.farkles.longest == max(gaps)
    ages = Counter(max(age for age in AGES if age <= gap) for gap in gaps)
    assert [one.farkles for one in tally.farkles.ages] == [ages[age] for age in AGES]
    assert sum(one.throws for one in tally.farkles.ages) == 300 - places[0] - 1


def test_patterns_have_their_exact_chances() -> None:
    seen = tally_of(coded([(1, 2, 3, 4, 5, 6)] * 46656)).patterns(6)
    assert seen[1, 1, 1, 1, 1, 1] == Seen(46656, 720)
    assert seen[(6,)] == Seen(0, 6)
    assert seen[3, 2, 1] == Seen(0, 7200)
    assert sum(one.expected for one in seen.values()) == 46656


# Fair dice, and others -----------------------------------------------------------------------------------------------


def far_from_uniform(chances: list[float]) -> float:
    """Kolmogorov's distance times the root of the number: 1.95 comes in one of a thousand cases."""
    ranks = np.arange(1, len(chances) + 1) / len(chances)
    return float(np.abs(np.sort(chances) - ranks + 0.5 / len(chances)).max()) * sqrt(len(chances))


@pytest.mark.parametrize("kind", ["six dice", "as in a game"])
def test_p_values_of_fair_dice_are_uniform(kind: str) -> None:
    generator, chance = np.random.default_rng(11), random.Random(11)
    chances: dict[str, list[float]] = {}
    accused = 0
    sets = 300
    for _ in range(sets):
        codes = fair(generator, 1500) if kind == "six dice" else coded(as_in_a_game(chance, 500))
        found = findings(tally_of(codes))
        accused += bool(suspicious(found))
        for each in found:
            if each.p is not None:
                chances.setdefault(each.name, []).append(each.p)
    assert chances.keys() >= {each.name for each in found} - {"rolls"}
    for name, values in chances.items():
        if name == "longest row":  # a whole number: its p-values come in steps, and only from above
            assert np.mean(np.array(values) < 0.05) < 0.1
        else:
            assert far_from_uniform(values) < 1.95, name
    assert accused <= 27, "15 of them, by Holm, and 3 standard deviations more"


def loaded(generator: np.random.Generator) -> Codes:
    return codes_of((generator.choice(6, (5000, 6), p=[0.15, *[0.17] * 5]) + 1).astype(np.uint8))


def bag(generator: np.random.Generator) -> Codes:
    """Faces dealt from a bag that is filled again with each of them when it is empty."""
    return codes_of(generator.permuted(np.tile(np.arange(1, 7, dtype=np.uint8), (5000, 1)), axis=1).reshape(-1, 4))


def friends(generator: np.random.Generator) -> Codes:
    """In one throw of four the second die copies the first: more pairs, and every face as often as ever."""
    faces = generator.integers(1, 7, (5000, 6)).astype(np.uint8)
    faces[:, 1] = np.where(generator.random(5000) < 0.25, faces[:, 0], faces[:, 1])
    return codes_of(faces)


def ordered(generator: np.random.Generator) -> Codes:
    """Fair throws, sorted by their sum in groups of 20."""
    codes = fair(generator, 2000)
    order = np.argsort(fairness.LEANS[codes].reshape(-1, 20), axis=1)
    return np.take_along_axis(codes.reshape(-1, 20), order, axis=1).ravel()


def sticky(generator: np.random.Generator) -> Codes:
    """One throw in ten is the one before over again."""
    codes = fair(generator, 3000)
    for place in np.flatnonzero(generator.random(3000) < 0.1)[1:]:
        codes[place] = codes[place - 1]
    return codes


def shy(generator: np.random.Generator) -> Codes:
    """A throw is made again while it shares a face with the one before: single dice."""
    faces = [0]
    while len(faces) < 3000:
        face = int(generator.integers(1, 7))
        if face != faces[-1] or generator.random() < 0.7:
            faces.append(face)
    return codes_of(np.array(faces[1:], np.uint8)[:, None])


def stretch(generator: np.random.Generator) -> Codes:
    """Fair throws, and among them 40 high ones in a row."""
    codes = fair(generator, 2000)
    high = codes[fairness.LEANS[codes] > 0][:40]
    return np.concatenate([codes[:1000], high, codes[1000:]])


def cruel(generator: np.random.Generator) -> Codes:
    """Three farkles in four are followed by another one."""
    codes = fair(generator, 4000, 4)
    farkle = farkle_table(RULES).farkle
    some = int(codes[farkle[codes]][0])
    for place in range(1, len(codes)):
        if farkle[codes[place - 1]] and generator.random() < 0.75:
            codes[place] = some
    return codes


@pytest.mark.parametrize(
    ("rigged", "names"),
    [
        (loaded, {"faces"}),
        (bag, {"evenness", "patterns", "rolls"}),
        (friends, {"patterns"}),
        (ordered, {"runs", "correlation"}),
        (sticky, {"pairs", "runs", "correlation"}),
        (shy, {"pairs"}),
        (stretch, {"longest row"}),
        (cruel, {"farkles", "farkle gaps"}),
    ],
)
def test_rigged_dice_are_found(rigged: Callable[[np.random.Generator], Codes], names: set[str]) -> None:
    found = suspicious(findings(tally_of(rigged(np.random.default_rng(3)))))
    assert names <= {each.name for each in found}
    assert {each.verdict for each in found} <= {"suspicious", "not chance"}


def test_loaded_dice_are_noticed() -> None:
    generator = np.random.default_rng(8)
    off = noticeable(6 * 1000)
    weights = [1 / 6 + off, *[1 / 6 - off / 5] * 5]
    noticed = sum(
        bool(suspicious(findings(tally_of(codes_of((generator.choice(6, (1000, 6), p=weights) + 1).astype(np.uint8))))))
        for _ in range(30)
    )
    assert noticed >= 24


def test_few_throws_say_nothing() -> None:
    few: list[list[Roll]] = [[(3,)], [(1, 2, 3, 4, 5, 6)], [(2, 2)] * 3]
    for rolls in few:
        found = findings(tally_of(coded(rolls)))
        assert {each.verdict for each in found} == {"too few"}
        assert not suspicious(found)


def test_dice_that_never_change_are_found() -> None:
    found = found_in(coded([(2, 2, 3, 4, 6, 6)] * 500))
    assert found["faces"].verdict == "not chance"
    assert found["correlation"].p is not None


# Sources -------------------------------------------------------------------------------------------------------------


def all_of(blocks: Iterator[Codes]) -> list[int]:
    return [int(code) for block in blocks for code in block]


def test_bulk_dice_are_bytes_below_252(monkeypatch: pytest.MonkeyPatch) -> None:
    supply = iter(lambda: bytes(range(256)), None)
    monkeypatch.setattr("os.urandom", lambda size: next(supply))
    counts = Counter(fairness._system_faces(504).tolist())
    assert counts == dict.fromkeys(range(1, 7), 84)


def test_bulk_dice_are_spread_as_those_of_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chi-square of two samples, of bytes that repeat."""
    monkeypatch.setattr("os.urandom", random.Random(1).randbytes)
    count = 20_000
    games = tally_of(np.concatenate(list(thrown(ChanceDice(SYSTEM), count, 3)))).rolls(3)
    bulk = tally_of(np.concatenate(list(system_throws(count, 3)))).rolls(3)
    x = sum((games[roll] - bulk[roll]) ** 2 / (games[roll] + bulk[roll]) for roll in all_rolls(3))
    assert chi_square_above(x, len(all_rolls(3)) - 1) > 1e-6
    assert all(abs(one[1, 2, 3] - count * ways((1, 2, 3)) / 216) < 6 * sqrt(count / 36) for one in (games, bulk))


def test_derived_dice_are_those_of_a_game() -> None:
    source = seeded("7")
    assert all_of(thrown(source, 9000, 5)) == [code_of(source.throw(index, 5)) for index in range(9000)]


@pytest.mark.parametrize("number", [1, 4, 6])
def test_dice_of_the_arena_are_those_of_its_games(number: int) -> None:
    for seed in (0, 2**64 - 1):
        codes = all_of(arena_throws(seed, 3 * GAME, number))
        games = [ArenaDice(seed, game) for game in range(3)]
        assert codes == [code_of(game.throw(index, number)) for game in games for index in range(GAME)]


@pytest.mark.parametrize("blocks", [thrown(seeded("farkel"), 20_000, 6), arena_throws(1, 300_000, 6)])
def test_farkels_own_dice_are_fair(blocks: Iterator[Codes]) -> None:
    tally, table = Tally(), farkle_table(RULES)
    for codes in blocks:
        tally = tally.after(table.judge(codes))
    assert not suspicious(findings(tally))


@pytest.mark.parametrize(
    ("rolls", "number", "code"), [(0, 6, "no_rolls"), (1, 0, "wrong_number_of_dice"), (1, 11, "wrong_number_of_dice")]
)
def test_impossible_sizes_are_refused(rolls: int, number: int, code: str) -> None:
    with pytest.raises(DiceError) as refused:
        check_size(rolls, number)
    assert refused.value.code == code


# Records -------------------------------------------------------------------------------------------------------------


def played(path: Path, kind: Any = "seeded", seed: str = "1", rules: str = "standard(target=3000)") -> Record:
    match = Match.start(Setup(load(rules), SEATS, kind, seed if kind == "seeded" else ""), path)
    while not match.state.over:
        action = match.decide()
        match.throw() if action is None else match.act(action)
    match.close()
    return read(path)


def test_the_dice_of_a_game(tmp_path: Path) -> None:
    record = played(tmp_path / "one.farkel", rules="original(target=20000)")
    throws = throws_of(record)
    events = [(move.event.faces, move.before.phase) for move in record.moves if isinstance(move.event, Throw)]
    assert throws.codes.tolist() == [code_of(faces) for faces, _ in events]
    start = np.array([phase is Phase.START for _, phase in events])
    assert start.any()
    assert not throws.chance[start].any()
    assert throws.chance[~start].all()
    table = score_table(record.header.rules)
    assert throws.farkle[~start].tolist() == [table[faces].farkle for faces, phase in events if phase != Phase.START]


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
    Writer.create(path, Header(RULES, SEATS, DiceSpec(), "2026-11-21 14:03")).close()
    assert code() == "no_dice"


# The command ---------------------------------------------------------------------------------------------------------


def farkel(*words: str) -> Result:
    return CliRunner().invoke(Farkel("farkel", commands=[dice]), ["dice", *words], prog_name="farkel")


def content(*words: str) -> Any:
    result = farkel(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_report_for_people() -> None:
    result = farkel("--source", "seeded", "--seed", "1", "--rolls", "2000")
    assert result.exit_code == 0, result.output
    text = result.output
    assert text.startswith("2,000 throws of 6 dice from the seed 1.\n")
    assert "throws a second" in text
    assert re.search(
        r"^is each face as frequent as the others\? +chi² [\d.]+, 5 df  [\d.]+  usual$", text, re.MULTILINE
    )
    assert text.endswith("Verdict: nothing speaks against these dice.\n")
    assert max(map(len, text.splitlines())) <= 100


def test_the_report_for_programs() -> None:
    found = content("--source", "seeded", "--seed", "1", "--rolls", "2000", "--dice", "3", "--rules", "zilch")
    rolls = [seeded("1").throw(index, 3) for index in range(2000)]
    assert found["source"] == "seeded"
    assert (found["throws"], found["dice"], found["throws_by_dice"]) == (2000, 6000, {"3": 2000})
    assert {face: one["count"] for face, one in found["faces"].items()} == Counter(
        str(face) for roll in rolls for face in roll
    )
    assert {roll: one["count"] for roll, one in found["rolls"].items() if one["count"]} == Counter(
        "".join(map(str, roll)) for roll in rolls
    )
    assert found["rolls"]["123"]["expected"] == pytest.approx(2000 / 36)
    table = score_table(named("zilch"))
    assert found["farkles"]["by_dice"]["3"]["farkles"] == sum(table[roll].farkle for roll in rolls)
    assert len(found["tests"]) == 10
    assert found["suspicious"] == []
    assert found["tests"][0].keys() == {"name", "question", "statistic", "degrees", "p", "adjusted", "verdict"}


def test_committed_dice_can_be_checked() -> None:
    found = content("--source", "committed", "--rolls", "300")
    secret = bytes.fromhex(found["secret"])
    assert commitment(secret) == found["commitment"]
    rolls = Counter(DerivedDice(secret).throw(index, 6) for index in range(300))
    assert {parse_roll(roll): one["count"] for roll, one in found["rolls"].items() if one["count"]} == rolls
    told = farkel("--source", "committed", "--rolls", "1").output.splitlines()
    assert told[0].startswith("Committed to the secret with the SHA-256 ")
    assert commitment(bytes.fromhex(told[3].split()[3].rstrip(":"))) == told[0].split()[-1]


def test_words_are_mixed_into_committed_dice() -> None:
    found = content("--source", "committed", "--word", " hop  hop ", "--word", "Käthe", "--rolls", "300")
    secret, words = bytes.fromhex(found["secret"]), ("hop hop", "Käthe")
    assert found["words"] == list(words)
    rolls = Counter(derive(secret, words, index, 6) for index in range(300))
    assert {parse_roll(roll): one["count"] for roll, one in found["rolls"].items() if one["count"]} == rolls
    told = farkel("--source", "committed", "--word", "hop", "--word", "Käthe", "--rolls", "1").output.splitlines()
    assert told[3].endswith(' with the words "hop", "Käthe": anybody can check every throw.')
    assert content("--source", "committed", "--rolls", "1")["words"] == []


@pytest.mark.parametrize("words", [(), ("--source", "arena", "--seed", "3"), ("--set", "dice=5", "--rules", "minimal")])
def test_quick_sources(words: tuple[str, ...]) -> None:
    found = content(*words, "--rolls", "70000")
    assert found["throws"] == 70_000
    assert found["throws_by_dice"] == {"5" if "--set" in words else "6": 70_000}


def test_rules_without_farkles() -> None:
    found = content("--rules", "zilch", "--rolls", "1000")
    assert found["farkles"]["by_dice"] == {}
    result = farkel("--rules", "zilch", "--rolls", "1000")
    assert result.exit_code == 0
    assert "farkles with" not in result.output


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--rolls", "0"), "0 rolls cannot be tested; give at least 1"),
        (("--rolls", "-5"), "-5 rolls"),
        (("--dice", "7"), "choose 1 to 6"),
        (("--set", "dice=5", "--rules", "minimal", "--dice", "6"), "choose 1 to 5"),
        (("--source", "seeded"), "needs a --seed"),
        (("--seed", "5"), "--seed repeats the dice of"),
        (("--word", "hop"), "--word is mixed into the dice of --source committed, not into those of system"),
        (("--source", "seeded", "--seed", "5", "--word", "hop"), "not into those of seeded"),
        (("--source", "committed", "--word", "a\a"), "'a\\x07' is no word to be mixed into the dice"),
        (("nowhere.farkel", "--word", "hop"), "the dice of a RECORD"),
        (("--source", "arena", "--seed", "-1"), "from 0 to 2**64 - 1"),
        (("--rules", "nonsense"), "nonsense"),
        (("nowhere.farkel",), "there is no record nowhere.farkel"),
        (("nowhere.farkel", "--rolls", "5"), "the dice of a RECORD"),
        (("--plot", "dice.gif"), "file name must end in .svg, .png or .pdf"),
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
    assert farkel(str(tmp_path)).output.startswith(f"4 games, {throws + committed:,} throws, ")


def test_skipped_games_are_named(tmp_path: Path) -> None:
    played(tmp_path / "a.farkel")
    played(tmp_path / "b.farkel", rules="zilch")
    damaged = tmp_path / "c.farkel"
    played(damaged, seed="2")
    damaged.write_bytes(damaged.read_bytes().replace(b"Bo:", b"Ba:", 1))
    result = farkel(str(tmp_path))
    assert result.exit_code == 1
    assert result.stdout.startswith("1 game, ")
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


def interrupted(blocks: list[Codes]) -> Iterator[Codes]:
    yield from blocks
    raise KeyboardInterrupt


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_an_interrupt_prints_partial_results(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    made = list(system_throws(3 * fairness.BLOCK, 6))[:2]
    monkeypatch.setattr(fairness, "system_throws", lambda rolls, number: interrupted(made))
    result = farkel("--rolls", "10000000", *words)
    assert result.exit_code == STOPPED
    assert result.stderr == "Stopped: 131,072 of 10,000,000 throws were made\n"
    if words:
        found = json.loads(result.stdout)
        assert (found["throws"], found["asked"], found["stopped"]) == (131_072, 10_000_000, True)
    else:
        assert result.stdout.startswith("131,072 throws of 6 dice ")


def test_stopped_before_the_first_throw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "system_throws", lambda rolls, number: interrupted([]))
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
    assert result.stdout.startswith(f"1 game, {throws} throws")
    assert result.stderr == "Stopped: 1 of 2 records were read\n"


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_picture(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"dice.{ending}"
    assert farkel("--rolls", "3000", "--plot", str(path)).exit_code == 0
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert path.read_bytes().startswith(starts[ending])


@pytest.mark.parametrize("words", [("--rolls", "1"), ("--rolls", "500", "--dice", "1"), ("--rules", "zilch")])
def test_pictures_of_little(words: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "dice.svg"
    result = farkel("--rolls", "2000", *words, "--plot", str(path))
    assert result.exit_code == 0, result.output
    assert path.stat().st_size > 1000


def test_numpy_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkel.extras.find_spec", lambda name: None)
    result = farkel()
    assert result.exit_code == 1
    assert f"farkel dice needs numpy: {advice('know')}" in result.output


def test_gauge() -> None:
    assert gauge(0) == "......o......"
    assert gauge(0.6) == "......|o....."
    assert gauge(-3) == "o.....|......"
    assert gauge(3.3) == "......|.....>"
    assert gauge(-7) == "<.....|......"


def test_patterns_have_names() -> None:
    names = [pattern_text(each) for each in ((1, 1, 1), (2, 2, 1, 1), (4, 2), (3, 3), (3, 2, 1), (6,), (1,))]
    assert names == [
        "all different", "2 pairs", "four alike + pair", "2 triples", "triple + pair", "six alike", "one die"
    ]  # fmt: skip
