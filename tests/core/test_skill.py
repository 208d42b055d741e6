"""Results over many games, corrected for luck."""

from __future__ import annotations

import json
import random
import shutil
from math import isnan
from pathlib import Path

import pytest
from click.testing import CliRunner

from farkel.coach.policies import policy_of
from farkel.coach.skill import Estimate, LuckOfGame, estimate, pairings, played, skills
from farkel.dice import FACES
from farkel.game import Action, Throw, apply
from farkel.players import make_player
from farkel.records import DiceSpec, Header, Move, Record, Seating, event_text, record_text
from farkel.rules import Rules
from farkel.solve import duel
from farkel.solve.evaluation import FollowedPolicy, Perfect, match, table
from farkel.terminal.cli import main
from named_rules import rules_of

QUICK = "minimal(target=1500, finish=last_turns)"


@pytest.fixture(autouse=True)
def _solutions(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "solutions"))


def game(rules: Rules, players: tuple[str, ...], chance: random.Random) -> Record:
    """A game of bots with dice of that chance."""
    record = Record(Header(rules, tuple(Seating(name, (name,)) for name in players), DiceSpec(), "2026-11-21 14:03"))
    while not record.state.over:
        before = record.state
        if due := before.dice_due:
            event: Throw | Action = Throw(tuple(sorted(chance.choices(FACES, k=due))))
        else:
            event = make_player(players[before.seat]).decide(before, chance)
        record.moves.append(Move(len(record.moves) + 1, event, before, apply(before, event)))
    return record


def kept(record: Record, path: Path) -> None:
    """Write the record into a file."""
    lines = [event_text(move.event, move.before, move.after, record.header.names) for move in record.moves]
    path.write_text(record_text(record.header, lines), "utf-8")


def test_results_without_luck_find_the_known_strength_with_a_third_of_the_error() -> None:
    """Of players whose exact chances against each other are known, with dice that are as they fall."""
    rules, chance = rules_of(QUICK), random.Random(15)
    solved, told = duel(rules), table(rules)
    best, turn, early = (
        Perfect(told, solved).ends,
        *(FollowedPolicy(told, policy_of(make_player(name), rules)).ends for name in ("turn", "threshold:200")),
    )
    for players, strength, part in (
        (("exact", "turn"), match(told, best, turn).wins, 1 / 3),
        (("turn", "threshold:200"), match(told, turn, early).wins, 1 / 2),
    ):
        games = [played(solved, game(rules, players, chance)) for _ in range(100)]
        (better, worse), (pair,) = skills(games), pairings(games)
        assert (better.name, worse.name) == (pair.first, pair.second) == players
        assert better.skill.error < better.wins.error * part
        assert abs(better.skill.mean - strength) < 4 * better.skill.error
        assert better.luck == pytest.approx(-worse.luck)
        assert pair.skill == pytest.approx(better.skill)


def test_best_play_on_both_sides_leaves_nothing_but_luck() -> None:
    rules, chance = rules_of(QUICK), random.Random(3)
    for _ in range(3):
        found = played(duel(rules), game(rules, ("exact", "race"), chance))
        assert [won - luck for won, luck in zip(found.won, found.luck, strict=True)] == pytest.approx([0.5, 0.5])


def test_an_estimate_of_few_games_has_a_wide_interval() -> None:
    assert isnan(estimate([0.5]).error)
    assert Estimate(0.5, 0.1, 2).margin == pytest.approx(1.2706, abs=1e-3)
    assert Estimate(0.5, 0.1, 11).margin == pytest.approx(0.2228, abs=1e-4)
    assert Estimate(0.5, 0.1, 10_000).margin == pytest.approx(0.196, abs=1e-4)


def test_only_games_of_two_are_head_to_head() -> None:
    three = LuckOfGame(("Ann", "Ben", "Cid"), (1.0, 0.0, 0.0), (0.5, -0.25, -0.25))
    two = LuckOfGame(("Ben", "Ann"), (1.0, 0.0), (0.4, -0.4))
    (pair,) = pairings([three, two, two])
    assert (pair.first, pair.second, pair.wins.games) == ("Ben", "Ann", 2)
    assert pair.wins.mean == 1
    assert pair.skill.mean == pytest.approx(0.6)
    assert [(one.name, one.wins.games) for one in skills([three, two, two])] == [("Ben", 3), ("Ann", 3), ("Cid", 1)]


def test_a_folder_of_records_is_reviewed_and_excluded_games_are_named(tmp_path: Path) -> None:
    rules, chance = rules_of(QUICK), random.Random(8)
    (tmp_path / "older").mkdir()
    for number in range(6):
        kept(game(rules, ("bold", "cautious"), chance), tmp_path / "older" / f"{number}.farkel")
    shutil.copy(tmp_path / "older" / "0.farkel", tmp_path / "zcopy.farkel")
    open_game = game(rules, ("bold", "cautious"), chance)
    del open_game.moves[5:]
    kept(open_game, tmp_path / "open.farkel")
    (tmp_path / "broken.farkel").write_text("no record", "utf-8")
    result = CliRunner().invoke(main, ["review", str(tmp_path), "--json"])
    found = json.loads(result.stdout)
    assert found["games"] == 6
    assert {Path(one["record"]).name for one in found["left_out"]} == {"broken.farkel", "open.farkel", "zcopy.farkel"}
    assert [one["games"] for one in found["players"]] == [6, 6]
    assert sum(one["wins"]["mean"] for one in found["players"]) == pytest.approx(1)
    assert sum(one["skill"]["mean"] for one in found["players"]) == pytest.approx(1)
    text = CliRunner().invoke(main, ["review", str(tmp_path)]).stdout
    assert "6 finished games" in text
    assert "Left out: 3 records" in text
    assert CliRunner().invoke(main, ["review", str(tmp_path), "--all"]).exit_code == 2
    (tmp_path / "nothing").mkdir()
    empty = CliRunner().invoke(main, ["review", str(tmp_path / "nothing")])
    assert empty.exit_code == 1
    assert "no finished games" in empty.output
