"""The library as a newcomer in Python meets it: rules in any form, paths as text, and errors that say what to do."""

from __future__ import annotations

import importlib
import inspect
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import farkel
from farkel import coach, players, simulation, solve, training, values
from farkel.errors import FarkelError, PlayerError, RecordError, RulesError
from farkel.game import Keep, Leave, Throw, apply, new_game, replay
from farkel.game.scoring import score_table
from farkel.play.match import Match, Setup
from farkel.records import Seating, read
from farkel.rules import (
    AnyRules,
    Rules,
    as_rules,
    changed,
    from_json,
    from_toml,
    load,
    notation,
    scoring_rows,
    sheet,
    to_json,
    to_lines,
    to_toml,
)
from farkel.support.lazy import homes

NOTATION = "minimal(target=200, dice=3)"
RULES = load(NOTATION)
PUBLIC = "rules game solve values coach players simulation training"
"""Packages whose functions take rules."""
ALONE = {"contradictions"}
"""Called while rules are made."""
CALLS: dict[str, Callable[[AnyRules], Any]] = {
    "as_rules": as_rules,
    "changed": lambda rules: changed(rules, "target=800"),
    "notation": notation,
    "to_toml": to_toml,
    "to_json": to_json,
    "to_lines": to_lines,
    "from_toml": lambda rules: from_toml("target = 800", base=rules),
    "from_json": lambda rules: from_json('{"target": 800}', base=rules),
    "sheet": sheet,
    "scoring_rows": scoring_rows,
    "score": lambda rules: farkel.score("1-1-5", rules),
    "score_table": lambda rules: score_table(rules).farkles(3),
    "new_game": new_game,
    "replay": lambda rules: replay(rules, 2, [Throw((1, 2, 3))]),
    "odds": solve.odds,
    "best_turn": lambda rules: solve.best_turn(rules).expected_points,
    "best_race": lambda rules: solve.best_race(rules).expected_turns,
    "duel": lambda rules: solve.duel(rules).first_player_wins,
    "field": lambda rules: solve.field(rules, 3).chances(new_game(rules, 3)),
    "evaluator": lambda rules: solve.evaluator(rules, (1, 1)).chances(new_game(rules)),
    "positions": solve.positions,
    "cost": solve.cost,
    "stored": solve.stored,
    "under_way": solve.under_way,
    "trio_positions": solve.trio_positions,
    "trio_seconds": solve.trio_seconds,
    "trio_ready": solve.trio_ready,
    "stored_trio": solve.stored_trio,
    "check_trio": solve.check_trio,
    "solves_three": solve.solves_three,
    "values.duel": values.duel,
    "is_kept": values.is_kept,
    "is_at_hand": values.is_at_hand,
    "position": lambda rules: coach.position(rules, scores=(0, 100), turn=100, dice=2),
    "simulate": lambda rules: simulation.simulate(rules, ["cautious", "bold"], 10, 7).tally,
    "is_table": lambda rules: simulation.is_table(players.make_player("exact"), rules, (1, 1)),
    "play": lambda rules: simulation.play(rules, [players.make_player("bold")] * 2, 7, 0),
    "actions": lambda rules: training.actions(rules).slots,
    "Actions": lambda rules: training.Actions(rules).slots,
    "Encoder": lambda rules: training.Encoder(rules, (1, 1)).fields,
    "FarkelAEC": lambda rules: training.FarkelAEC(rules).rules,
    "env": lambda rules: training.env(rules=rules).rules,
    "FarkelSolo": lambda rules: training.FarkelSolo(rules).rules,
    "FarkelVersus": lambda rules: training.FarkelVersus(rules).rules,
    "VectorFarkel": lambda rules: training.VectorFarkel(rules, 2).rules,
    "Setup": lambda rules: Setup(rules, [Seating("Ann", ("Ann",), "human")]),
    **{
        f"{name}.prepare": lambda rules, name=name: prepared(name, rules)  # type: ignore[misc]
        for name in ("turn", "exact", "race")
    },
}


def prepared(name: str, rules: AnyRules) -> bool:
    player = players.make_player(name)
    assert isinstance(player, players.Thinker)
    player.check(rules, (1, 1))  # type: ignore[arg-type]
    player.prepare(rules, (1, 1), lambda done, of: None)  # type: ignore[arg-type]
    return player.ready(rules, (1, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CALLS)
def test_rules_may_be_a_value_a_notation_or_a_file(name: str, tmp_path: Path) -> None:
    call, file = CALLS[name], tmp_path / "ours.toml"
    file.write_text(to_toml(RULES), "utf-8")
    found = call(RULES)
    assert all(call(given) == found for given in (NOTATION, file, str(file)))
    with pytest.raises(RulesError, match='there is no rule set "nothing"'):
        call("nothing")
    with pytest.raises(RulesError, match="rules: 7 of type int was given; give a name, a notation or"):
        call(7)  # type: ignore[arg-type]


@pytest.mark.parametrize("package", PUBLIC.split())
def test_every_function_takes_rules_in_any_form(package: str) -> None:
    module = importlib.import_module(f"farkel.{package}")
    functions = {name: getattr(module, name) for name in module.__all__ if name not in ALONE}
    for name, function in functions.items():
        if inspect.isroutine(function):
            for parameter in inspect.signature(function).parameters.values():
                assert parameter.annotation not in ("Rules", "Rules | str", Rules), f"{name}({parameter})"


def test_a_number_of_players_makes_a_game() -> None:
    assert new_game("kcd", 2) == new_game("kcd", (1, 1)) == new_game("kcd")
    assert len(new_game("kcd", 5).seats) == 5
    with pytest.raises(PlayerError, match="at most 20 players or teams, not 21"):
        new_game("kcd", 21)


def test_paths_may_be_text(tmp_path: Path) -> None:
    path = tmp_path / "game.farkel"
    seats = [Seating(name, (name,), "bot:bold") for name in ("Ann", "Ben")]
    Match.start(Setup(NOTATION, seats, "seeded", "7"), str(path)).close()
    match = Match.resume(str(path))
    match.throw()
    match.close()
    assert read(str(path)) == read(path)
    assert len(read(str(path)).moves) == 1
    with pytest.raises(RecordError, match=r"there is no record none\.farkel"):
        read("none.farkel")
    with pytest.raises(RecordError, match="cannot be read: embedded null byte"):
        read("none\0.farkel")


@pytest.mark.parametrize(
    ("module", "hidden", "program"),
    [
        ("farkel.client", "httpx", "import farkel.client"),
        ("farkel.web.app", "fastapi", "import farkel.web.app"),
        ("farkel.training", "numba", "import farkel.training"),
        (
            "raw_games",
            "numpy",
            "import farkel; farkel.simulate('kcd', ['bold', 'bold'], 10, raw=lambda games: None)",
        ),
    ],
)
def test_a_missing_extra_is_an_error_with_the_command_that_installs_it(module: str, hidden: str, program: str) -> None:
    hide = f"import sys; sys.modules[{hidden!r}] = sys.modules['numba'] = None"
    catch = (
        f"from farkel.errors import FarkelError\ntry:\n    {program}\nexcept FarkelError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", f"{hide}\n{catch}"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"{module} needs {hidden}: "), done.stdout + done.stderr
    assert " install " in done.stdout


def test_all_errors_are_farkels_own() -> None:
    for call in (lambda: Rules(target=-1), lambda: farkel.read("none"), lambda: farkel.make_player("none")):
        with pytest.raises(FarkelError):
            call()


@pytest.mark.parametrize("package", ["", *(f".{name}" for name in f"dice records {PUBLIC}".split())])
def test_functions_that_remember_are_functions_for_people_and_type_checkers(package: str) -> None:
    module = importlib.import_module(f"farkel{package}")
    for name in module.__all__:
        assert not hasattr(getattr(module, name), "cache_info"), name
    assert str(inspect.signature(farkel.names)) == "() -> 'tuple[str, ...]'"
    assert farkel.names() is farkel.names()


def test_help_lists_all_that_the_package_offers() -> None:
    assert set(farkel.__all__) == set(homes("farkel"))
    told = pydoc.plain(pydoc.render_doc(farkel))
    for name in farkel.__all__:
        assert re.search(rf"^    (class )?{name}\b", told, re.MULTILINE), name
    assert "_lru_cache_wrapper" not in told


def test_a_state_prints_what_a_person_wants_to_read() -> None:
    state = new_game("minimal(target=1000, start=first_seat)", 2)
    where = f"{state.rules}, 0 : 0"
    assert str(state) == f"{where}: seat 1 rolls 6 dice, turn total 0"
    state = apply(apply(state, Throw((1, 2, 3, 3, 3, 5))), Keep((3, 3, 3), "roll"))
    assert str(state) == f"{where}: seat 1 rolls 3 dice, turn total 300"
    state = apply(state, Throw((1, 2, 5)))
    assert str(state) == f"{where}: seat 1 decides on 1-2-5, turn total 300"
    assert str(apply(state, Leave(0))).endswith(": game over, won by seat 2")


def test_solutions_print_what_a_person_wants_to_read() -> None:
    rules = "minimal(target=200)"
    turn, solved = solve.best_turn(rules), solve.duel(rules)
    points, wins = f"{turn.expected_points:,.1f}", f"{solved.first_player_wins:.1%}"
    assert str(turn).startswith(f"{rules}: {points} points per turn; bank from, by dice left: 1: ")
    assert str(solved) == f"{rules}: with best play of two, the first player wins {wins}"
